import "./inbox-screen";
import { holdTime, pass } from "@dev/clock";
import { asked, createIssue, search } from "@dev/mock/inbox-questions";
import { question } from "@dev/mock/recorded";
import { openApp } from "@dev/render";
import { screen, waitFor, within } from "@testing-library/react";
import axe from "axe-core";
import { describe, expect, it, vi } from "vitest";

// Whole screens are slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const heading = (name: RegExp | string) => screen.findByRole("heading", { level: 2, name });
const button = (name: RegExp | string) => screen.findByRole<HTMLButtonElement>("button", { name });
const folders = question("folders", "roots");
const status = () => screen.getByRole("contentinfo", { name: "Status" }).textContent;

describe("a question put off", () => {
  it("leaves the badge for its own group, and comes back by hand", async () => {
    const { user, host } = openApp("/inbox", "empty");
    host.inbox.ask([asked(71, 2, createIssue, 0), asked(72, 3, folders, 0)]);
    await heading(/Run create_issue/);
    expect(status()).toContain("2 waiting");
    await user.click(await button("Later"));
    await user.click(await screen.findByRole("menuitem", { name: /In 1 hour/ }));
    // The other question opens.
    await heading(/Share 1 folder with/);
    await waitFor(() => expect(status()).toContain("1 waiting"));
    const later = screen.getByRole("region", { name: "Later" });
    expect(within(later).getAllByRole("listitem")).toHaveLength(1);
    expect(later.textContent).toContain("put off until");
    expect((await axe.run(document.body, { rules: { "color-contrast": { enabled: false } } })).violations).toEqual([]);
    await user.click(within(later).getByRole("button"));
    await user.click(await button("Bring back"));
    await waitFor(() => expect(screen.queryByRole("region", { name: "Later" })).toBeNull());
    expect(status()).toContain("2 waiting");
  });
  it("is put off and brought back by key, and says so where nothing else waits", async () => {
    const { user, host } = openApp("/inbox", "empty");
    host.inbox.ask([asked(71, 2, createIssue, 0)]);
    await heading(/Run create_issue/);
    await user.keyboard("z");
    await heading("Nothing is waiting");
    const until = host.inbox.waiting[0]!.putOff!.until!;
    expect(Math.round((until - Date.now()) / 60_000)).toBe(15);
    await user.click(within(screen.getByRole("region", { name: "Later" })).getByRole("button"));
    await heading(/Run create_issue/);
    await user.keyboard("z");
    await waitFor(() => expect(host.inbox.waiting[0]?.putOff).toBeNull());
    await user.keyboard("{Shift>}z{/Shift}");
    await waitFor(() => expect(host.inbox.waiting[0]?.putOff).not.toBeNull());
    expect(Math.round((host.inbox.waiting[0]!.putOff!.until! - Date.now()) / 60_000)).toBe(60);
  });
});

describe("equal questions", () => {
  const three = [asked(71, 2, folders, 0), asked(72, 3, folders, 0), asked(73, 5, folders, 0)].map((item) => ({
    ...item,
    together: [71, 72, 73],
  }));

  it("are answered one by one unless the person says all", async () => {
    holdTime();
    const { user, host } = openApp("/inbox", "empty");
    host.inbox.ask(three);
    await heading(/Share 1 folder with/);
    const share = await button("Share");
    await pass(1_100);
    await waitFor(() => expect(share.disabled).toBe(false));
    await user.click(share);
    await waitFor(() => expect(host.inbox.waiting).toHaveLength(2));
  });
  it("are all answered at once, each with its own nonce and a second of its own", async () => {
    holdTime();
    const { user, host } = openApp("/inbox", "empty");
    host.inbox.ask(three);
    await heading(/Share 1 folder with/);
    const group = screen.getByRole("heading", { name: "3 identical requests" }).closest("section")!;
    expect(
      within(group)
        .getAllByRole("listitem")
        .map((item) => item.textContent),
    ).toEqual([expect.stringContaining("github"), expect.stringContaining("postgres-prod"), expect.stringContaining("docs-search")]);
    await pass(1_100);
    await user.click(screen.getByRole("switch", { name: "Answer all 3 together" }));
    // The press means more than before, so the second starts again.
    const all = await button(/^Share · all 3/);
    expect(all.disabled).toBe(true);
    await pass(1_100);
    await waitFor(() => expect(all.disabled).toBe(false));
    await user.click(all);
    await waitFor(() => expect(host.inbox.accepted.map(({ id }) => id)).toEqual([71, 72, 73]));
    const sent = host.sent.filter(({ name }) => name === "answer_interaction").map(({ args }) => (args as { nonce: string }).nonce);
    expect(new Set(sent).size).toBe(3);
    await heading("Nothing is waiting");
  });
  it("make one rule where the answer is remembered", async () => {
    holdTime();
    const { user, host } = openApp("/inbox", "empty");
    host.inbox.ask([71, 72].map((id) => ({ ...asked(id, 2, search, 0), position: id - 71, together: [71, 72] })));
    await heading(/Run search_code/);
    await user.click(screen.getByRole("switch", { name: "Answer all 2 together" }));
    await user.click(screen.getByRole("radio", { name: "Always" }));
    const all = await button(/^Always allow · all 2/);
    await pass(1_100);
    await waitFor(() => expect(all.disabled).toBe(false));
    await user.click(all);
    await waitFor(() => expect(host.inbox.accepted).toHaveLength(2));
    expect(host.inbox.accepted.map(({ answer }) => answer.action === "accept" && answer.remember)).toEqual(["always", "once"]);
  });
  it("are not offered together where the tool changed", async () => {
    const { host } = openApp("/inbox?id=26", "inbox_tool");
    host.inbox.waiting = host.inbox.waiting.map((item) => (item.id === 26 ? { ...item, together: [26, 27] } : item));
    await heading(/Run forecast/);
    await screen.findByText(/This tool changed while the call waited/);
    expect(screen.queryByRole("switch")).toBeNull();
  });
});

describe("after the answer for a call in the Workbench", () => {
  const forCall = (caller: string) => {
    const view = asked(71, 2, createIssue, 0);
    const occasion = { ...view.occasion, method: "tools/call", subject: "create_issue", caller, requests: ["run"] };
    return { ...view, occasion };
  };
  it("a button and a key lead back to it", async () => {
    const { user, host, router } = openApp("/inbox", "empty");
    host.inbox.ask([forCall("workbench")]);
    await heading(/Run create_issue/);
    await user.click(await button("Decline"));
    await button("Back to call");
    await user.keyboard("b");
    await waitFor(() => expect(router.state.location.pathname).toBe("/workbench"));
    expect(router.state.location.search).toMatchObject({ server: 2, tool: "create_issue" });
  });
  it("they wait until the call needs no more answers", async () => {
    const { user, host } = openApp("/inbox?id=71", "empty");
    const first = forCall("workbench");
    host.inbox.ask([first, { ...first, id: 72, server: 3, serverName: "postgres-prod" }]);
    await heading(/Run create_issue on “ github/);
    await user.keyboard("{Control>}{Backspace}{/Control}");
    await heading(/Run create_issue on “ postgres-prod/);
    expect(screen.queryByRole("button", { name: "Back to call" })).toBeNull();
    await user.keyboard("{Control>}{Backspace}{/Control}");
    await button("Back to call");
  });
  it("nothing leads anywhere where it was made elsewhere", async () => {
    const { user, host } = openApp("/inbox", "empty");
    host.inbox.ask([forCall("sampling")]);
    await heading(/Let an AI model run create_issue/);
    // With a key, because two clicks within half a second count as one.
    await user.keyboard("{Control>}{Backspace}{/Control}");
    await heading("Nothing is waiting");
    expect(screen.queryByRole("button", { name: "Back to call" })).toBeNull();
  });
});
