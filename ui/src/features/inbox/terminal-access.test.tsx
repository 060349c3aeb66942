// The command line in a terminal wants to use the servers: until it closes, always for its program, or not at all.
import "@/features/inbox/inbox-screen";
import "@/features/settings/settings-screen";
import { moveTime, pass } from "@dev/clock";
import { openApp } from "@dev/render";
import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";

const TITLE = "The command line in this terminal wants to use your servers";
const heading = () => screen.findByRole("heading", { level: 2, name: TITLE });
const button = (name: string | RegExp) => screen.findByRole<HTMLButtonElement>("button", { name });
const ALWAYS = /^Always allow in/;
const armed = async (name: string | RegExp) => {
  await waitFor(async () => {
    await pass(250);
    expect((await button(name)).disabled).toBe(false);
  });
  return button(name);
};
const factsOf = (title: HTMLElement) => {
  const names = [...title.closest("section")!.querySelector("dl")!.querySelectorAll("dt")];
  return Object.fromEntries(names.map((name) => [name.textContent, name.nextElementSibling?.textContent]));
};

beforeEach(moveTime);

describe("the command line in a terminal", () => {
  it("is no app: its terminal, its server, and what a yes means", async () => {
    openApp("/inbox?id=95", "inbox_terminal");
    const title = await heading();
    expect(title.previousElementSibling?.querySelector("p")?.textContent).toBe("Command line");
    expect(title.nextElementSibling?.textContent).toBe("This terminal was opened by “gnome-terminal-server”.");
    const facts = factsOf(title);
    expect(Object.keys(facts)).toEqual(["Terminal", "Server", "Why now"]);
    expect(facts["Terminal"]).toBe("/usr/libexec/gnome-terminal-server");
    expect(facts["Server"]).toMatch(/^github · /);
    expect(facts["Why now"]).toMatch(/^A command waits for your answer\./);
    screen.getByText(/^Commands typed here, and programs started here, can use every saved server as you/);
    screen.getByText("Activity lists their calls under “you (command line)”.");
    screen.getByText(/^“Always” counts for every terminal of this program/);
    expect(document.querySelector("[aria-current=true]")?.textContent).toMatch(/^Terminal: gnome-terminal-server/);
    expect(document.querySelector("main")!.textContent).not.toMatch(/new app/i);
  });
  it("is allowed until it closes, after a second", async () => {
    const { user, host } = openApp("/inbox?id=95", "inbox_terminal");
    await heading();
    for (const name of ["Allow until it closes", ALWAYS]) expect((await button(name)).disabled).toBe(true);
    await user.click(await armed("Allow until it closes"));
    await waitFor(() =>
      expect(host.inbox.accepted).toEqual([{ id: 95, answer: { action: "accept", content: null, remember: "session" } }]),
    );
    const said = await screen.findByText("Commands in this terminal can use your servers.");
    expect(within(said.closest<HTMLElement>("[data-toasts]")!).queryByRole("button", { name: "Open Settings" })).toBeNull();
    expect(await host.list_terminals()).toEqual([]);
  });
  it("is always allowed by one press, and Settings has it then", async () => {
    const { user, host, router } = openApp("/inbox?id=95", "inbox_terminal");
    await heading();
    (await armed(ALWAYS)).focus();
    await user.keyboard("{Enter}");
    expect(host.inbox.accepted).toEqual([]);
    await user.click(await button(ALWAYS));
    await waitFor(() => expect(host.inbox.accepted).toEqual([{ id: 95, answer: { action: "accept", content: null, remember: "always" } }]));
    const said = await screen.findByText("Commands in “gnome-terminal-server” can always use your servers.");
    await user.click(within(said.closest<HTMLElement>("[data-toasts]")!).getByRole("button", { name: "Open Settings" }));
    await waitFor(() => expect(router.state.location).toMatchObject({ pathname: "/settings", search: { setting: "terminals" } }));
    const listed = await screen.findByRole("list", { name: "Terminals" });
    within(listed).getByText("/usr/libexec/gnome-terminal-server");
  });
  it("is allowed until it closes alone where its program is unknown", async () => {
    openApp("/inbox?id=96", "inbox_terminal");
    expect(factsOf(await heading())["Terminal"]).toBe("The system doesn’t show its path, so it can only be allowed until it closes.");
    await button("Allow until it closes");
    expect(screen.queryByRole("button", { name: ALWAYS })).toBeNull();
    expect(screen.queryByText(/counts for every terminal/)).toBeNull();
  });
  it("is not allowed with one press", async () => {
    const { user, host } = openApp("/inbox?id=95", "inbox_terminal");
    await user.click(await button("Don’t allow"));
    await waitFor(() => expect(host.inbox.decisions[0]).toMatchObject({ kind: "app", caller: "command_line", outcome: "declined" }));
  });
  it("is ignored by a cancel, which decides nothing", async () => {
    const { user, host } = openApp("/inbox?id=96", "inbox_terminal");
    await heading();
    await user.click(await button("Cancel"));
    await waitFor(() => expect(host.inbox.decisions[0]).toMatchObject({ subject: "sshd", outcome: "cancelled" }));
  });
  it("whose command ended was not withdrawn by the server", async () => {
    const { host } = openApp("/inbox?id=95", "inbox_terminal");
    await heading();
    act(() => void host.inbox.end(95, "withdrawn"));
    await screen.findByText("The command was stopped. Nothing ran.");
  });
});
