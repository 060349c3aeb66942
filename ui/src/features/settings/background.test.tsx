// Running without the window: the question of the first close, and its settings.
import "@/features/settings/settings-screen";
import "@/features/inbox/inbox-screen";
import { dialogWithKeyboard, openApp } from "@dev/render";
import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";

const answers = (host: ReturnType<typeof openApp>["host"]) =>
  host.sent.filter(({ name }) => name === "answer_close").map(({ args }) => args);

describe("the first close", () => {
  it("asks, and the answer is a setting from then on", async () => {
    const { user, host } = openApp("/settings?section=background");
    await screen.findByRole("combobox", { name: "When the window is closed" });
    act(() => host.open({ kind: "close_question", tray: true }));
    const question = await dialogWithKeyboard("Keep Mooring running in the background?");
    within(question).getByText(/stays in the tray/);
    await user.click(within(question).getByRole("button", { name: "Keep running" }));
    await waitFor(() => expect(answers(host)).toEqual([{ answer: "keep_running" }]));
    await waitFor(async () => expect((await host.get_settings()).whenClosed).toBe("keep_running"));
    expect(screen.queryByRole("dialog")).toBeNull();
  });
  it("says that the window is minimized where there is no tray, and Esc changes nothing", async () => {
    const { user, host } = openApp("/settings?section=background");
    await screen.findByRole("combobox", { name: "When the window is closed" });
    act(() => host.open({ kind: "close_question", tray: false }));
    const question = await dialogWithKeyboard("Keep Mooring running in the background?");
    within(question).getByText(/the window is minimized/);
    await user.keyboard("{Escape}");
    await waitFor(() => expect(answers(host)).toEqual([{ answer: "cancel" }]));
    expect((await host.get_settings()).whenClosed).toBe("ask");
  });
});

describe("the background", () => {
  it("is set: closing, starting at login, pausing", async () => {
    const { user, host } = openApp("/settings?section=background");
    await user.click(await screen.findByRole("combobox", { name: "When the window is closed" }));
    await user.click(await screen.findByRole("option", { name: "Quit Mooring" }));
    await waitFor(async () => expect((await host.get_settings()).whenClosed).toBe("quit"));
    await screen.findByText("Shown");
    await user.click(await screen.findByRole("switch", { name: "Start at login" }));
    await waitFor(() => expect(screen.getByRole("switch", { name: "Start at login" }).getAttribute("aria-checked")).toBe("true"));
    await user.click(screen.getByRole("button", { name: "Pause" }));
    await user.click(await screen.findByRole("button", { name: "Resume" }));
    await screen.findByRole("button", { name: "Pause" });
  });
  it("says that the desktop has no tray", async () => {
    openApp("/settings?section=background", "no_tray");
    await screen.findByText("This desktop has no tray");
  });
  it("lists the terminals that are always allowed, and removes them", async () => {
    const { user, host } = openApp("/settings?setting=terminals", "terminals");
    const listed = await screen.findByRole("list", { name: "Terminals" });
    expect(within(listed).getAllByRole("listitem")[0]!.textContent).toBe("gnome-terminal-server/usr/libexec/gnome-terminal-server");
    await user.click(within(listed).getByRole("button", { name: "Remove “gnome-terminal-server”" }));
    await screen.findByText("Mooring asks again about commands in “gnome-terminal-server”.");
    await waitFor(async () => expect(await host.list_terminals()).toEqual(["/usr/bin/tmux"]));
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("button", { name: "Remove “tmux”" })));
    await user.click(screen.getByRole("button", { name: "Remove “tmux”" }));
    await waitFor(() => expect(screen.queryByRole("list", { name: "Terminals" })).toBeNull());
    expect(document.querySelector("[data-setting=terminals]")!.textContent).toMatch(/None$/);
  });
  it("finds the terminals by what one calls them", async () => {
    const { user, router } = openApp("/settings");
    await user.type(await screen.findByRole("searchbox"), "shell");
    await screen.findByRole("heading", { level: 3, name: "Terminals" });
    await user.keyboard("{Control>}k{/Control}");
    await user.type(await screen.findByRole("combobox"), "terminals");
    await screen.findByRole("option", { name: /^Terminals/ });
    await user.keyboard("{Enter}");
    await waitFor(() => expect(router.state.location.search).toMatchObject({ setting: "terminals" }));
  });
  it("says why the terminals can’t be read", async () => {
    openApp("/settings?setting=terminals", "failed_list_terminals");
    await screen.findByText("Couldn’t load the terminals.");
  });
  it("is left by Ctrl Q, and the tray leads to the Inbox and to what is to review", async () => {
    const { user, host, router } = openApp("/settings");
    await screen.findByRole("heading", { name: "Settings" });
    act(() => host.open({ kind: "inbox" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/inbox"));
    act(() => host.open({ kind: "review" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/review"));
    await user.keyboard("{Control>}q{/Control}");
    await waitFor(() => expect(host.sent.some(({ name }) => name === "quit")).toBe(true));
  });
});
