import "./decisions-screen";
import "@/features/policies/policies-screen";
import { openApp } from "@dev/render";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import axe from "axe-core";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { DecisionView } from "@/ipc/bindings/DecisionView";
import { dayName } from "./days";
import { decisionsSearch } from "./search";

// Whole screens are slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

beforeEach(() => {
  // Tests have no layout, and lists that only draw visible rows need a height.
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(600);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(400);
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(56);
});

const list = () => screen.findByRole("listbox", { name: "Decisions" });
const rows = async () => within(await list()).findAllByRole("option");
const decision = (id: number, part: Partial<DecisionView> = {}): DecisionView => ({
  id,
  server: 2,
  serverName: "github",
  kind: "tool",
  subject: `tool_${id}`,
  caller: "workbench",
  outcome: "accepted",
  reason: null,
  askedAt: 1_700_000_000_000 + id,
  decidedAt: 1_700_000_001_000 + id,
  remembered: null,
  ...part,
});

describe("the decisions", () => {
  it("are a screen of their own, reached by tab, key and palette", async () => {
    const { user, router } = openApp("/inbox");
    await user.click(await screen.findByRole("link", { name: /Decisions/ }));
    await list();
    expect(router.state.location.pathname).toBe("/inbox/decisions");
    await user.keyboard("d");
    await waitFor(() => expect(router.state.location.pathname).toBe("/inbox"));
    await user.keyboard("{Control>}k{/Control}");
    await user.type(await screen.findByRole("combobox"), "decisions{Enter}");
    await waitFor(() => expect(router.state.location.pathname).toBe("/inbox/decisions"));
    expect((await axe.run(document.body, { rules: { "color-contrast": { enabled: false } } })).violations).toEqual([]);
  });
  it("are read by page as the list is scrolled, however many there are", async () => {
    const { host } = openApp("/inbox/decisions");
    host.inbox.decisions = Array.from({ length: 400 }, (_, at) => decision(1_000 - at));
    const find = vi.spyOn(host, "find_decisions");
    const shown = await rows();
    expect(shown.length).toBeLessThan(40);
    expect(shown[0]!.getAttribute("aria-setsize")).toBe("-1");
    const box = await list();
    const scrollTo = (row: number) => {
      box.scrollTop = row * 56;
      fireEvent.scroll(box);
    };
    const pages = () => [...new Set(find.mock.calls.map(([{ before }]) => before))];
    expect(pages()).toEqual([null]);
    scrollTo(50);
    await waitFor(() => expect(pages()).toEqual([null, 941]));
    scrollTo(110);
    await waitFor(() => expect(pages()).toEqual([null, 941, 881]));
  });
  it("are filtered by text, kind, server and outcome, and the address keeps it", async () => {
    const { user, host, router } = openApp("/inbox/decisions");
    host.inbox.decisions = [
      decision(3),
      decision(2, { kind: "form", subject: null, outcome: "declined", server: 3, serverName: "postgres-prod" }),
      decision(1, { outcome: "declined" }),
    ];
    expect(await rows()).toHaveLength(3);
    const choose = async (filter: string, option: string) => {
      await user.click(screen.getByRole("combobox", { name: filter }));
      await user.click(await screen.findByRole("option", { name: option }));
    };
    await choose("Outcome", "Declined");
    await waitFor(async () => expect(await rows()).toHaveLength(2));
    await choose("Kind", "Fill in a form");
    await waitFor(async () => expect(await rows()).toHaveLength(1));
    await choose("Server", "postgres-prod");
    expect(router.state.location.search).toMatchObject({ outcome: "declined", kind: "form", server: 3 });
    expect(await rows()).toHaveLength(1);
    await user.keyboard("/nothing like it");
    await screen.findByRole("heading", { name: "No matching decisions" });
    await user.click(screen.getByRole("button", { name: "Clear filters" }));
    await waitFor(async () => expect(await rows()).toHaveLength(3));
  });
  it("stand by day, which the first of each day says", async () => {
    const { host } = openApp("/inbox/decisions");
    const now = Date.now();
    const days = [0, 0, 1, 9].map((day) => new Date(new Date(now).setDate(new Date(now).getDate() - day)).getTime());
    host.inbox.decisions = days.map((decidedAt, at) => decision(9 - at, { decidedAt }));
    const said = (await rows()).map((row) => document.getElementById(row.getAttribute("aria-describedby") ?? "")?.textContent);
    expect(said).toEqual(["Today", undefined, "Yesterday", dayName(days[3]!, now, "en")]);
  });
  it("open with the latest on a wide window, the focus in the list", async () => {
    const { user, host, router } = openApp("/inbox");
    host.inbox.decisions = [decision(3), decision(2)];
    await screen.findByRole("heading", { level: 2, name: "Nothing is waiting" });
    await user.keyboard("d");
    await screen.findByRole("region", { name: "tool_3" });
    expect(router.state.location.search).toEqual({ id: 3 });
    expect(document.activeElement).toBe(await list());
    expect(document.activeElement?.getAttribute("aria-activedescendant")).toBe("decision-3");
    await user.keyboard("j");
    await screen.findByRole("region", { name: "tool_2" });
  });
  it("open with the one that a link leads to", async () => {
    const { host, router } = openApp("/inbox/decisions?id=2");
    host.inbox.decisions = [decision(3), decision(2)];
    await screen.findByRole("region", { name: "tool_2" });
    expect(router.state.location.search).toEqual({ id: 2 });
  });
  it("open with the list alone on a narrow window", async () => {
    window.happyDOM?.setViewport({ width: 1000, height: 800 });
    const { host, router } = openApp("/inbox/decisions");
    host.inbox.decisions = [decision(3), decision(2)];
    await rows();
    await screen.findByRole("heading", { name: "Choose a decision" });
    window.happyDOM?.setViewport({ width: 1280, height: 800 });
    expect(router.state.location.search).toEqual({});
  });
  it("open on what was asked, what was sent, and the way to the log", async () => {
    const { user, host } = openApp("/inbox/decisions");
    host.inbox.decisions = [decision(2, { kind: "form", subject: null, server: 3, outcome: "declined" })];
    await user.click((await rows())[0]!);
    const detail = await screen.findByRole("region", { name: "Fill in a form" });
    await within(detail).findByText(/Who is on watch/);
    expect(detail.textContent).toContain('"decline"');
    const links = within(detail).getAllByRole("link", { name: "Show in Activity" });
    expect(links.map((link) => link.getAttribute("href"))).toEqual(["/activity?event=21&serverId=3", "/activity?event=22&serverId=3"]);
    expect(within(detail).getByText("you (Workbench)")).not.toBeNull();
  });
  it("say what remembers them, and take it back", async () => {
    const { user, host } = openApp("/inbox/decisions");
    host.inbox.decisions = [decision(7, { remembered: { by: "rule", id: 901 } })];
    await user.click((await rows())[0]!);
    const detail = await screen.findByRole("region", { name: "tool_7" });
    expect(detail.textContent).toContain("a rule");
    await user.click(within(detail).getByRole("button", { name: "Ask me again" }));
    await waitFor(() => expect(host.inbox.decisions[0]?.remembered).toBeNull());
    await within(detail).findByText("not remembered");
  });
  it("become a rule that the person saves, where nothing remembers them", async () => {
    const { user, host, router } = openApp("/inbox/decisions");
    host.inbox.decisions = [decision(9, { caller: "app:cursor", outcome: "declined" })];
    await user.click((await rows())[0]!);
    await user.click(await screen.findByRole("button", { name: "Make a rule…" }));
    await screen.findByRole("dialog", { name: "Add rule" });
    const make = { effect: "deny", server: 2, tool: "tool_9", caller: "app:cursor" };
    expect([router.state.location.pathname, router.state.location.search]).toEqual(["/policies", { make }]);
    await user.keyboard("{Escape}");
    await waitFor(() => expect(router.state.location.search).toEqual({}));
    expect(screen.queryByRole("dialog")).toBeNull();
  });
  it("say that Apps remembers which app may use the servers", async () => {
    const { user, host } = openApp("/inbox/decisions");
    host.inbox.decisions = [decision(8, { kind: "app", subject: "pier-bot", caller: "app:pier-bot" })];
    await user.click((await rows())[0]!);
    const detail = await screen.findByRole("region", { name: "pier-bot" });
    expect(detail.textContent).toMatch(/First call to“github”/);
    expect(detail.textContent).not.toContain("not remembered");
    expect(within(detail).getByRole("link", { name: "Open Apps" }).getAttribute("href")).toMatch(/^\/apps\?id=pier-bot/);
  });
  it.each([
    ["accepted", /until the terminal closes, or always if Settings lists it/],
    ["declined", /until the terminal closes$/],
  ] as const)("say how long a terminal is decided on: %s", async (outcome, lasting) => {
    const { user, host } = openApp("/inbox/decisions");
    host.inbox.decisions = [decision(8, { kind: "app", subject: "tmux", caller: "command_line", outcome })];
    const [row] = await rows();
    expect(row!.textContent).toContain("Use your servers in a terminal");
    await user.click(row!);
    const detail = await screen.findByRole("region", { name: "tmux" });
    const names = [...detail.querySelectorAll("dt")];
    const facts = Object.fromEntries(names.map((name) => [name.textContent, name.nextElementSibling]));
    expect(Object.keys(facts)).toEqual(["Outcome", "Server", "Time", "Remembered by"]);
    expect(facts["Remembered by"]!.firstElementChild?.textContent ?? facts["Remembered by"]!.textContent).toMatch(lasting);
    expect(within(detail).queryByRole("link", { name: "Open Apps" })).toBeNull();
    const settings = within(detail).queryByRole("link", { name: "Open Settings" });
    expect(settings?.getAttribute("href")).toBe(outcome === "accepted" ? "/settings?setting=terminals" : undefined);
  });
  it("say what will be listed before there are any, and why none can be read", async () => {
    openApp("/inbox/decisions", "empty");
    await screen.findByRole("heading", { name: "No decisions yet" });
    openApp("/inbox/decisions", "inbox_undecided");
    await screen.findByText("Couldn’t load the decisions.");
  });
});

describe("the day of a decision", () => {
  const now = new Date(2026, 10, 14, 0, 30).getTime();
  it.each([
    [new Date(2026, 10, 14), "Today", "今天"],
    [new Date(2026, 10, 13, 23, 59), "Yesterday", "昨天"],
    [new Date(2026, 10, 12, 23, 59), "Thursday, Nov 12, 2026", "2026年11月12日星期四"],
    [new Date(2026, 10, 15), "Sunday, Nov 15, 2026", "2026年11月15日星期日"],
  ] as const)("is one of the calendar: %s", (at, en, zh) => {
    expect([dayName(at.getTime(), now, "en"), dayName(at.getTime(), now, "zh-CN")]).toEqual([en, zh]);
  });
});

describe("the address of the decisions", () => {
  it("keeps what makes sense and drops the rest", () => {
    const search = { kind: "form", outcome: "put_aside", server: "3", text: " x ", id: 9 };
    expect(decisionsSearch(search)).toEqual({ kind: "form", outcome: "put_aside", server: 3, text: "x", id: 9 });
    expect(decisionsSearch({ kind: "tools", outcome: "waiting", server: -1, text: " ", id: "x" })).toEqual({});
  });
});
