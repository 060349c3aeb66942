import "@/features/servers/servers-screen";
import { openApp } from "@dev/render";
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";

const secretsOf = (host: ReturnType<typeof openApp>["host"], id: number) => host.servers.find((server) => server.id === id)?.secrets;

describe("a sealed value in a server's settings", () => {
  it("is never shown, and replaced only when the person wants it", async () => {
    const { user, host } = openApp("/servers?id=3&tab=settings");
    const replace = await screen.findByRole("button", { name: "Replace “PGPASSWORD”" });
    expect(screen.queryByLabelText("Value of “PGPASSWORD”")).toBeNull();
    const save = screen.getByRole("button", { name: "Save and restart" });
    await user.click(replace);
    const value = screen.getByLabelText("Value of “PGPASSWORD”");
    expect([value.getAttribute("type"), document.activeElement === value]).toEqual(["password", true]);
    expect(save).toHaveProperty("disabled", true);
    await user.type(value, "new one");
    await user.click(screen.getByRole("button", { name: "Keep the encrypted “PGPASSWORD”" }));
    expect(save).toHaveProperty("disabled", true);
    await user.click(screen.getByRole("button", { name: "Replace “PGPASSWORD”" }));
    await user.type(screen.getByLabelText("Value of “PGPASSWORD”"), "new one");
    await user.click(save);
    await screen.findByRole("button", { name: "Replace “PGPASSWORD”" });
    expect(secretsOf(host, 3)).toEqual([{ place: "env", name: "PGPASSWORD", value: null, entered: true }]);
    expect(document.body.innerHTML).not.toContain("new one");
  });
  it("is asked for where it is missing", async () => {
    const { user, host } = openApp("/servers?id=6&tab=settings");
    await screen.findByText("“WEATHER_API_KEY” is missing. The server needs it at its next start.");
    screen.getByRole("tab", { name: /Settings value missing/ });
    await user.type(screen.getByLabelText("Value of “WEATHER_API_KEY”"), "k{Enter}");
    await waitFor(() => expect(secretsOf(host, 6)?.[0]?.entered).toBe(true));
    await waitFor(() => expect(screen.queryByText(/^Enter “WEATHER_API_KEY”/)).toBeNull());
  });
  it("comes of a plain one that the person seals", async () => {
    const { user, host } = openApp("/servers?id=2&tab=settings");
    await screen.findByText("Looks like a secret. Click the lock to encrypt it.");
    await user.click(screen.getByRole("button", { name: "Encrypt “Authorization”" }));
    expect(screen.queryByText(/^Looks like a secret/)).toBeNull();
    await user.click(screen.getByRole("button", { name: "Save and restart" }));
    await waitFor(() =>
      expect(host.servers.find((server) => server.id === 2)).toMatchObject({
        headers: { "X-MCP-Toolsets": "repos,issues" },
        secrets: [{ place: "header", name: "Authorization", entered: true }],
      }),
    );
  });
  it("is proposed for a new row that looks like a secret, and can be declined", async () => {
    const { user, host } = openApp("/servers?add=url");
    await user.type(await screen.findByRole("textbox", { name: "URL" }), "https://x.test/mcp");
    await user.click(screen.getByText("Headers"));
    await user.click(screen.getByRole("button", { name: "Add header" }));
    await user.type(screen.getByRole("textbox", { name: "Header" }), "X-Api-Key");
    const lock = screen.getByRole("button", { name: "Store “X-Api-Key” unencrypted" });
    expect(lock.getAttribute("aria-pressed")).toBe("true");
    await user.type(screen.getByLabelText("Value of “X-Api-Key”"), "k");
    await user.click(lock);
    await screen.findByText(/^Looks like a secret/);
    await user.click(screen.getByRole("button", { name: /Add and connect/ }));
    await waitFor(() => expect(host.servers.at(-1)).toMatchObject({ headers: { "X-Api-Key": "k" }, secrets: [] }));
  });
  it("names the row where the host finds fault with it", async () => {
    const { user, host } = openApp("/servers?id=2&tab=settings");
    vi.spyOn(host, "update_server").mockRejectedValue({
      code: "invalid_server",
      message: { code: "{name} appears twice", params: { name: "Authorization" }, text: "Authorization appears twice" },
      details: { field: "secrets" },
    });
    await user.click(await screen.findByRole("button", { name: "Encrypt “Authorization”" }));
    await user.click(screen.getByRole("button", { name: "Save and restart" }));
    expect((await screen.findByText("Authorization appears twice.")).closest("[role=group]")?.getAttribute("aria-label")).toBe("Headers");
  });
  it("waits for the vault, and is saved once that is open", async () => {
    const { user, host } = openApp("/servers?id=3&tab=settings", "vault_locked");
    await user.click(await screen.findByRole("button", { name: "Replace “PGPASSWORD”" }));
    await user.type(screen.getByLabelText("Value of “PGPASSWORD”"), "new one{Enter}");
    const dialog = within(await screen.findByRole("dialog", { name: "Unlock the vault" }));
    await user.type(dialog.getByLabelText("Passphrase"), "correct horse{Enter}");
    await screen.findByText("Saved. Restarting the server…");
    expect(host.vault.view.state).toBe("open");
    await screen.findByRole("button", { name: "Replace “PGPASSWORD”" });
  });
});
