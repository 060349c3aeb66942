import "@/features/accounts/accounts-screen";
import "@/features/activity/activity-screen";
import "@/features/inbox/inbox-screen";
import "@/features/models/models-screen";
import "@/features/policies/policies-screen";
import "@/features/servers/servers-screen";
import "@/features/settings/settings-screen";
import "@/features/workbench/workbench-screen";
import { dialogWithKeyboard, openApp } from "@dev/render";
import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import axe from "axe-core";
import { describe, expect, it, vi } from "vitest";
import { appInfo } from "@/ipc/queries";
import { english } from "@/lib/i18n";

describe("the window", () => {
  it.each([
    "database_newer",
    "read_only",
    "folder_of_others",
    "disk_full",
    "not_a_database",
    "already_open",
    "database_damaged",
    "database_missing",
    "database_locked",
    "open_failed",
  ] as const)("says why it cannot open its data: %s", async (code) => {
    openApp("/servers", code);
    await screen.findByRole("heading", { name: english.common.startup[code].title });
    screen.getByText(/Nothing was changed or deleted/);
    screen.getByRole("button", { name: "Try again" });
    expect(screen.queryByRole("grid")).toBeNull();
  });
  it.each(["read_only", "disk_full"] as const)("names the folder that it speaks of, and no title twice: %s", async (code) => {
    openApp("/servers", code);
    await screen.findByText(/\/home\/ana\/\.local\/share\/mooring$/);
    expect(screen.getAllByText(new RegExp(english.common.startup[code].title, "i"))).toHaveLength(1);
  });
  it("keeps its screens when the data cannot be read for a moment", async () => {
    const { client, host } = openApp("/servers");
    await screen.findByRole("grid");
    vi.spyOn(host, "refusal").mockReturnValue({ code: "database_locked", message: "locked", details: null });
    await act(async () => {
      await client.refetchQueries({ queryKey: appInfo().queryKey });
      // Observers are notified in a later task.
      await new Promise((told) => setTimeout(told));
    });
    expect(client.getQueryState(appInfo().queryKey)?.status).toBe("error");
    screen.getByRole("grid");
  });
  it.each(["database_damaged", "not_a_database"] as const)("restores the newest backup, or begins with empty data: %s", async (code) => {
    const damaged = openApp("/servers", code);
    await screen.findByText(/^Restore the backup of Nov 2\d, 2025, /);
    await damaged.user.click(screen.getByRole("button", { name: "Restore backup" }));
    await screen.findByRole("grid");
    expect(damaged.host.restored).toBe(1_764_028_800_000_000);
    cleanup();
    const missing = openApp("/servers", "database_missing");
    await screen.findByText(english.common.startup.noBackup);
    expect(screen.queryByRole("button", { name: /Restore/ })).toBeNull();
    await missing.user.click(screen.getByRole("button", { name: "Start with empty data" }));
    await screen.findByRole("grid");
    expect(missing.host.restored).toBeNull();
  });
  it.each([
    ["1", "Inbox", "#question-title"],
    ["2", "Servers", "[role=grid] tr"],
    ["3", "Apps", "[role=grid] tr"],
    ["4", "Workbench", "[role=tree]"],
    ["5", "Activity", "[role=grid]"],
    ["6", "Accounts", "[role=grid] tr"],
    ["7", "Models", "main"],
    ["9", "Settings", "main"],
    ["0", "Safety", "main"],
    ["i", "Inbox", "#question-title"],
  ] as const)("has the focus in the screen that a key opened: %s", async (key, name, about) => {
    const { user } = openApp(key === "2" ? "/models" : "/servers");
    const link = await screen.findByRole("link", { name: /^Models/ });
    for (const _again of ["from elsewhere", "from the rail"]) {
      link.focus();
      await user.keyboard(key);
      await waitFor(() => expect(screen.getByRole("main", { name }).contains(document.activeElement)).toBe(true));
      await waitFor(() => expect(document.activeElement?.matches(about)).toBe(true));
    }
  });
  it("has the focus in the screen that the palette opened", async () => {
    const { user } = openApp("/models");
    (await screen.findByRole("link", { name: /^Models/ })).focus();
    await user.keyboard("{Control>}k{/Control}");
    await user.type(await screen.findByRole("combobox"), "servers{Enter}");
    await waitFor(() => expect(document.activeElement?.closest("[role=grid]")).not.toBeNull());
  });
  it("leaves the focus to the person who goes on before a screen is read", async () => {
    const { user } = openApp("/models");
    await screen.findByRole("main");
    await user.keyboard("2");
    const search = screen.getByRole("button", { name: /^Search/ });
    search.focus();
    await screen.findByRole("grid");
    expect(document.activeElement).toBe(search);
  });
  it("goes to its places by number and shows its shortcuts on ?", async () => {
    const { user, router } = openApp("/servers");
    await screen.findByRole("grid");
    await user.keyboard("8");
    await waitFor(() => expect(router.state.location.pathname).toBe("/policies"));
    await user.keyboard("9");
    await waitFor(() => expect(router.state.location.pathname).toBe("/settings"));
    await user.keyboard("?");
    await dialogWithKeyboard("Keyboard shortcuts");
    await user.keyboard("1");
    expect(router.state.location.pathname).toBe("/settings");
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await user.keyboard("2");
    await waitFor(() => expect(router.state.location.pathname).toBe("/servers"));
  });
  it("counts in the status bar who is ready and who needs something", async () => {
    const { user, router } = openApp("/settings");
    const status = await screen.findByRole("contentinfo", { name: "Status" });
    await waitFor(() => expect(status.textContent).toContain("5/10 running"));
    expect(status.textContent).toContain("1 needs sign-in");
    const failed = within(status).getByRole("link", { name: "1 failed" });
    await user.click(failed);
    await waitFor(() => expect(router.state.location).toMatchObject({ pathname: "/servers", search: { id: 7 } }));
    const rail = within(screen.getByRole("navigation")).getByRole("link", { name: /figma-dev/ });
    await waitFor(() => expect(rail.dataset["shown"]).toBe("true"));
  });
  it("says nothing in the status bar of what there is not yet", async () => {
    openApp("/servers", "empty");
    const status = await screen.findByRole("contentinfo", { name: "Status" });
    await screen.findByText("Welcome to Mooring");
    expect(status.textContent).not.toMatch(/events|ready|not in use/);
  });
  it("counts in the status bar what is logged, without asking for it", async () => {
    const { host } = openApp("/settings");
    const status = await screen.findByRole("contentinfo", { name: "Status" });
    const counted = (rows: number) => `${rows.toLocaleString("en")} events`;
    const before = host.journal.rows.length;
    await waitFor(() => expect(status.textContent).toContain(counted(before)));
    const asked = vi.spyOn(host, "app_info");
    host.journal.append({ kind: "stderr", direction: "in", body: "one more" });
    await waitFor(() => expect(status.textContent).toContain(counted(before + 1)), { timeout: 3_000 });
    expect(asked).not.toHaveBeenCalled();
  });
  it("follows the host while it is open", async () => {
    const { host } = openApp("/servers");
    await screen.findByRole("row", { name: /demo/ });
    await host.remove_server({ id: 10 });
    await waitFor(() => expect(screen.queryByRole("row", { name: /demo/ })).toBeNull());
  });
  it("says when another program added a server, and offers to stop it", async () => {
    const { host, user } = openApp("/servers");
    const row = () => screen.getByRole("row", { name: /filesystem/ });
    await waitFor(() => expect(row().textContent).toContain("Ready"));
    host.addedElsewhere(1, "filesystem");
    await screen.findByText("Another program added “filesystem”. It’s starting now.");
    // With the keyboard, because pointer events only reach a message once its container knows it.
    const notice = document.querySelector<HTMLElement>("[data-toasts]") ?? document.body;
    (await within(notice).findByRole("button", { name: "Stop" })).focus();
    await user.keyboard("{Enter}");
    await waitFor(() => expect(row().textContent).toContain("Stopped"));
  });
  it.each([
    ["/accounts?id=1", "usual"],
    ["/accounts?id=6", "vault_locked"],
    ["/accounts?view=secrets", "vault_run"],
    ["/accounts", "vault_none"],
    ["/servers?id=4&tab=sign_in", "usual"],
    ["/servers?id=5&tab=sign_in", "vault_gone"],
    ["/servers?id=3&tab=settings", "usual"],
  ] as const)("has names and roles where logins and secrets are, at %s with %s", async (path, scene) => {
    const { host } = openApp(path, scene);
    await host.begin_sign_in({
      id: 4,
      input: {
        way: "browser",
        clientId: null,
        clientSecret: null,
        redirect: null,
        pkceUnannounced: false,
        withoutResource: false,
        another: false,
        language: "en",
      },
    });
    await waitFor(() => expect(host.signIns.views.get(4)?.status).toBe("browser"));
    await waitFor(() => expect(document.querySelector("h1")).not.toBeNull());
    const { violations } = await axe.run(document.body, {
      rules: { "color-contrast": { enabled: false }, "aria-hidden-focus": { enabled: false }, region: { enabled: false } },
    });
    expect(violations.map((violation) => `${violation.id}: ${violation.nodes.map((node) => node.html).join(" ")}`)).toEqual([]);
  });
  it.each([
    ["vault_locked", "Vault locked"],
    ["vault_none", "Set up vault"],
    ["vault_missing", "Vault locked"],
    ["usual", "Vault open · keychain"],
  ] as const)("has names and roles in the vault's dialog: %s", async (scene, word) => {
    const { user } = openApp("/accounts", scene);
    await user.click(await screen.findByRole("button", { name: word }));
    await screen.findByRole("dialog");
    const { violations } = await axe.run(document.body, {
      rules: { "color-contrast": { enabled: false }, "aria-hidden-focus": { enabled: false }, region: { enabled: false } },
    });
    expect(violations.map((violation) => `${violation.id}: ${violation.nodes.map((node) => node.html).join(" ")}`)).toEqual([]);
  });
  it.each([
    "/servers?id=1&tab=roots",
    "/servers?id=6&tab=trust",
    "/models",
    "/servers?id=7",
    "/servers?id=1&tab=settings",
    "/servers?add=command",
    "/servers?add=url",
    "/settings",
    "/settings?section=notifications",
    "/settings?section=limits",
    "/settings?section=about",
    "/policies",
    "/safety",
  ])("has names and roles for assistive technology at %s", async (path) => {
    openApp(path);
    // By label, because elements behind a dialog have no accessible name.
    await waitFor(() => expect([document.querySelector("footer[aria-label=Status]"), document.querySelector("h1")]).not.toContain(null));
    // Tests don't draw colours, and the focus guards around a dialog return the focus immediately.
    const { violations } = await axe.run(document.body, {
      rules: { "color-contrast": { enabled: false }, "aria-hidden-focus": { enabled: false }, region: { enabled: false } },
    });
    expect(violations.map((violation) => `${violation.id}: ${violation.nodes.map((node) => node.html).join(" ")}`)).toEqual([]);
  });
});
