// Apps without a key: one that wants to use the servers for the first time, and one whose calls ask each time.
import "@/features/inbox/inbox-screen";
import { moveTime, pass } from "@dev/clock";
import { openApp } from "@dev/render";
import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";

const heading = (name: RegExp | string) => screen.findByRole("heading", { level: 2, name });
const armed = async (name: string) => {
  const button = () => screen.findByRole<HTMLButtonElement>("button", { name });
  await waitFor(async () => {
    await pass(250);
    expect((await button()).disabled).toBe(false);
  });
  return button();
};
const factsOf = (title: HTMLElement) => {
  const names = [...title.closest("section")!.querySelector("dl")!.querySelectorAll("dt")];
  return Object.fromEntries(names.map((name) => [name.textContent, name.nextElementSibling?.textContent]));
};

beforeEach(moveTime);

describe("an app that wants to use the servers", () => {
  it("is named as it names itself, with its program and the server it calls, and what a yes means", async () => {
    openApp("/inbox?id=91", "inbox_apps");
    const title = await heading("“ pier-bot ” wants to use your servers");
    expect(title.previousElementSibling?.querySelector("p")?.textContent).toBe("App access");
    expect(title.nextElementSibling?.textContent).toBe("It calls itself “pier-bot”. Names can be made up.");
    const facts = factsOf(title);
    expect(facts["Program"]).toBe("/home/ana/projects/pier-bot/.venv/bin/python3.14");
    expect(facts["First call to"]).toMatch(/^github · /);
    expect(facts).not.toHaveProperty("Asked by");
    screen.getByText(/^Mooring asks you before each of its calls/);
    expect(screen.queryByRole("radiogroup", { name: /^Remember/ })).toBeNull();
    const row = document.querySelector("[aria-current=true]")?.textContent;
    expect(row).toMatch(/^New app: pier-bot/);
  });
  it("whose program the system doesn’t know says that", async () => {
    openApp("/inbox?id=92", "inbox_apps");
    expect(factsOf(await heading(/gull/))["Program"]).toBe("The system doesn’t say which program it is.");
  });
  it("is allowed after a second, and the way to undo that leads to Apps", async () => {
    const { user, host, router } = openApp("/inbox?id=91", "inbox_apps");
    await heading(/pier-bot/);
    expect((await screen.findByRole<HTMLButtonElement>("button", { name: "Allow" })).disabled).toBe(true);
    await user.click(await armed("Allow"));
    await waitFor(() => expect(host.inbox.accepted).toEqual([{ id: 91, answer: { action: "accept", content: null, remember: "once" } }]));
    const said = await screen.findByText("“pier-bot” can use your servers. Mooring asks before each call.");
    await user.click(within(said.closest<HTMLElement>("[data-toasts]")!).getByRole("button", { name: "Open Apps" }));
    await waitFor(() => expect(router.state.location).toMatchObject({ pathname: "/apps", search: { id: "pier-bot" } }));
  });
  it("is not allowed with one press, and stands in the decisions", async () => {
    const { user, host } = openApp("/inbox?id=91", "inbox_apps");
    await user.click(await screen.findByRole("button", { name: "Don’t allow" }));
    await waitFor(() => expect(host.inbox.decisions[0]).toMatchObject({ kind: "app", subject: "pier-bot", outcome: "declined" }));
  });
  it("whose call was cancelled was not withdrawn by the server", async () => {
    const { host } = openApp("/inbox?id=91", "inbox_apps");
    await heading(/pier-bot/);
    act(() => void host.inbox.end(91, "withdrawn"));
    await screen.findByText("The call was cancelled. Nothing ran.");
  });
});

describe("a call of an app without a key", () => {
  it("is allowed for this call only, and denied for as long as the person says", async () => {
    const { user, host } = openApp("/inbox?id=93", "inbox_apps");
    await heading(/Run run_report/);
    const notice = within(screen.getByRole("region", { name: "App without a key" }));
    notice.getByText(/Any program can call itself/);
    expect(notice.getByRole("link", { name: "Open Apps" }).getAttribute("href")).toMatch(/^\/apps\?id=cursor/);
    expect(document.querySelector("[aria-current=true]")?.textContent).toContain("no key");
    await user.click(within(screen.getByRole("radiogroup", { name: "Remember if you decline" })).getByRole("radio", { name: "1 hour" }));
    screen.getByText(/this tool is denied for 1 hour/);
    screen.getByText(/counts for every caller/);
    expect(screen.queryByText("If you allow:")).toBeNull();
    expect(screen.queryByRole("button", { name: "Allow for 1 hour" })).toBeNull();
    await user.click(await armed("Allow once"));
    await waitFor(() => expect(host.inbox.accepted).toEqual([{ id: 93, answer: { action: "accept", content: null, remember: "once" } }]));
  });
  it("is denied for an hour where that was chosen", async () => {
    const { user, host } = openApp("/inbox?id=93", "inbox_apps");
    await heading(/Run run_report/);
    await user.click(screen.getByRole("radio", { name: "1 hour" }));
    await user.click(screen.getByRole("button", { name: "Decline for 1 hour" }));
    await waitFor(() => expect(host.inbox.decisions[0]?.remembered).toMatchObject({ by: "rule" }));
  });
});
