// Changing a saved server.
import "@/features/servers/servers-screen";
import { openApp } from "@dev/render";
import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { forgetEdits } from "../form/edits";

afterEach(forgetEdits);

const name = () => screen.findByRole<HTMLInputElement>("textbox", { name: "Name" });

describe("an edit of a server", () => {
  it("is there again after a look at other tabs, and gone when it is discarded", async () => {
    const { user } = openApp("/servers?id=1&tab=settings");
    await user.type(await name(), "-new");
    for (const tab of ["Overview", "Tools", "Settings"]) await user.click(screen.getByRole("tab", { name: tab }));
    expect((await name()).value).toBe("filesystem-new");
    await user.click(screen.getByRole("button", { name: "Discard changes" }));
    expect((await name()).value).toBe("filesystem");
    await user.click(screen.getByRole("tab", { name: "Overview" }));
    await user.click(screen.getByRole("tab", { name: "Settings" }));
    expect((await name()).value).toBe("filesystem");
  });
  it("that was taken back by hand does not stand against a change from elsewhere", async () => {
    const { user, host } = openApp("/servers?id=1&tab=settings");
    await user.type(await name(), "x{Backspace}");
    await user.click(screen.getByRole("tab", { name: "Overview" }));
    const server = host.servers[0];
    if (server === undefined) throw new Error("no server");
    await host.update_server({ id: 1, server: { ...server, name: "renamed" } });
    await screen.findByRole("heading", { name: "renamed" });
    await user.click(screen.getByRole("tab", { name: "Settings" }));
    expect((await name()).value).toBe("renamed");
  });
  it("goes out once, however often Enter is pressed, and what is typed meanwhile stays", async () => {
    const { user, host } = openApp("/servers?id=1&tab=settings");
    const { promise: slow, resolve } = Promise.withResolvers<void>();
    const update = host.update_server;
    const asked: string[] = [];
    host.update_server = async (change) => {
      asked.push(change.server.name);
      await slow;
      return update(change);
    };
    await user.type(await name(), "-new{Enter}{Enter}");
    expect(asked).toEqual(["filesystem-new"]);
    await user.type(await name(), "er");
    resolve();
    await screen.findByText(/^Saved/);
    expect((await name()).value).toBe("filesystem-newer");
    expect(asked).toEqual(["filesystem-new"]);
  });
  it("is listed before it is saved, without the value of a secret", async () => {
    const { user } = openApp("/servers?id=3&tab=settings");
    expect(screen.queryByRole("list", { name: "What changed" })).toBeNull();
    await user.type(await name(), "-2");
    expect((await name()).closest("div")?.querySelector("[data-changed]")?.textContent).toBe("changed");
    await user.type(screen.getByLabelText("Value of “PGCONNECT_TIMEOUT”"), "0");
    await user.click(screen.getByRole("button", { name: "Replace “PGPASSWORD”" }));
    await user.type(screen.getByLabelText("Value of “PGPASSWORD”"), "hunter3");
    await user.click(screen.getByRole("button", { name: "Remove “DATABASE_URL”" }));
    const list = screen.getByRole("list", { name: "What changed" });
    const marked = [...document.querySelectorAll("[data-pair][data-changed] input:read-only, [data-pair][data-changed] input:first-child")];
    expect(marked.map((input) => (input as HTMLInputElement).value)).toContain("PGPASSWORD");
    expect(
      within(list)
        .getAllByRole("listitem")
        .map((item) => item.textContent),
    ).toEqual(["Name postgres-prodto postgres-prod-2", "DATABASE_URL removed", "PGCONNECT_TIMEOUT 5to 50", "PGPASSWORD new value"]);
    await user.click(screen.getByRole("button", { name: "Discard changes" }));
    expect(screen.queryByRole("list", { name: "What changed" })).toBeNull();
  });
  it("says of a value that is missing when the server needs it, and that it is encrypted", async () => {
    openApp("/servers?id=6&tab=settings");
    await screen.findByText("“WEATHER_API_KEY” is missing. The server needs it at its next start.");
    screen.getByText("encrypted on save");
  });
  it("says when it starts, and that nothing restarts for that", async () => {
    const { user, host } = openApp("/servers?id=1&tab=settings");
    await name();
    await user.click(screen.getByText("Advanced"));
    screen.getByText("Runs as long as Mooring runs");
    await user.click(screen.getByRole("combobox", { name: /^Start/ }));
    await user.click(await screen.findByRole("option", { name: "On first use" }));
    screen.getByText(/^Sleeps until it is used/);
    expect(screen.getByRole("list", { name: "What changed" }).textContent).toBe("Start With Mooringto On first use");
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(host.servers.find(({ id }) => id === 1)?.start).toBe("on_use"));
  });
  it("that was refused loses the mark while it is mended, and when it is discarded", async () => {
    const { user, host } = openApp("/servers?id=1&tab=settings");
    host.update_server = () => Promise.reject({ code: "invalid_server", message: "this name is reserved", details: { field: "name" } });
    const refuse = async () => {
      await user.type(await name(), "x{Enter}");
      await waitFor(async () => expect((await name()).getAttribute("aria-invalid")).toBe("true"));
    };
    await refuse();
    await user.type(await name(), "y");
    expect((await name()).getAttribute("aria-invalid")).toBeNull();
    await refuse();
    await user.click(screen.getByRole("button", { name: "Discard changes" }));
    expect((await name()).getAttribute("aria-invalid")).toBeNull();
  });
});
