import "./decisions-screen";
import { openApp } from "@dev/render";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import axe from "axe-core";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { DecisionView } from "@/ipc/bindings/DecisionView";
import { decisionsSearch } from "./search";

// Whole screens on a busy machine take their time.
vi.setConfig({ testTimeout: 60_000 });

beforeEach(() => {
  // The page of the tests has no layout; lists that draw only what is in sight need a height.
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
    expect(router.state.location.search).toEqual({ outcome: "declined", kind: "form", server: 3 });
    expect(await rows()).toHaveLength(1);
    await user.keyboard("/nothing like it");
    await screen.findByRole("heading", { name: "No matching decisions" });
    await user.click(screen.getByRole("button", { name: "Clear filters" }));
    await waitFor(async () => expect(await rows()).toHaveLength(3));
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
  it("say that Apps remembers which app may use the servers", async () => {
    const { user, host } = openApp("/inbox/decisions");
    host.inbox.decisions = [decision(8, { kind: "app", subject: "pier-bot", caller: "app:pier-bot" })];
    await user.click((await rows())[0]!);
    const detail = await screen.findByRole("region", { name: "pier-bot" });
    expect(detail.textContent).toMatch(/First call to“github”/);
    expect(detail.textContent).not.toContain("not remembered");
    expect(within(detail).getByRole("link", { name: "Open Apps" }).getAttribute("href")).toMatch(/^\/apps\?id=pier-bot/);
  });
  it("say what will be listed before there are any, and why none can be read", async () => {
    openApp("/inbox/decisions", "empty");
    await screen.findByRole("heading", { name: "No decisions yet" });
    openApp("/inbox/decisions", "inbox_undecided");
    await screen.findByText("Couldn’t load the decisions.");
  });
});

describe("the address of the decisions", () => {
  it("keeps what makes sense and drops the rest", () => {
    const search = { kind: "form", outcome: "put_aside", server: "3", text: " x ", id: 9 };
    expect(decisionsSearch(search)).toEqual({ kind: "form", outcome: "put_aside", server: 3, text: "x", id: 9 });
    expect(decisionsSearch({ kind: "tools", outcome: "waiting", server: -1, text: " ", id: "x" })).toEqual({});
  });
});
