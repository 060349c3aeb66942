import "@/features/activity/activity-screen";
import { everyBoxIs } from "@dev/boxes";
import { tellStory } from "@dev/mock-bridge";
import { openApp } from "@dev/render";
import axe from "axe-core";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";

beforeEach(() => everyBoxIs(1_072, 726));

async function open(address = "/activity", { rate = 0, mode = null as string | null } = {}) {
  const { host, router, ...app } = openApp(address);
  tellStory(host, 400, rate, mode);
  await screen.findByRole("grid", { name: "Events" });
  return { ...app, router, search: () => router.state.location.search };
}

/** The numbers of events in the header and the status bar. */
const counts = () =>
  [screen.getByRole("main"), screen.getByRole("contentinfo")].map((part) => within(part).queryByText(/^[\d,]+ events$/)?.textContent);

const rows = () => within(screen.getByRole("grid")).queryAllByRole("row").slice(1);
const shown = async (text: RegExp) => waitFor(() => expect(rows().some((row) => text.test(row.textContent))).toBe(true));

describe("the Activity screen", () => {
  it("shows the newest events with who, what and how long", async () => {
    await open();
    await shown(/tools\/call/);
    expect(Number(screen.getByRole("grid").getAttribute("aria-rowcount"))).toBeGreaterThan(250);
    expect(rows().length).toBeLessThan(60);
    await waitFor(() => expect(counts()).toEqual(["400 events", "400 events"]));
    const failed = rows().find((row) => /list_issues.*error -32602/.test(row.textContent));
    expect(failed?.textContent).toMatch(/linear.*131 ms/);
  });

  it("says what messages say in a sentence, beside their method", async () => {
    for (const side of ["offsetHeight", "clientHeight"] as const) vi.spyOn(HTMLElement.prototype, side, "get").mockReturnValue(1_726);
    await open();
    await shown(/Speaks 2025-06-18 tools, logging.*initialize/);
    await shown(/Calls get_forecast\s*→\s+多云.*tools\/call/);
    await shown(/Log warning crawler: robots\.txt asks for 1 request p….*notifications\/message/);
    await shown(/Progress 25% plan: HashAggregate.*notifications\/progress/);
    await shown(/Asks for your answer Which label\?\s*→ error -32601.*elicitation\/create/);
    await shown(/Asks for tools → 2 tools get_forecast, get_tides.*tools\/list/);
    expect(
      rows()
        .filter((row) => /[{}]|jsonrpc/.test(row.textContent))
        .map((row) => row.textContent),
    ).toEqual([]);
  });

  it("counts a list of which its row has only the beginning", async () => {
    await open("/activity?server=postgres-prod&method=tools/list");
    await shown(/Asks for tools → 3 tools query, explain/);
  });

  it("opens an event by keyboard, goes on with j and k, and closes it with Escape", async () => {
    const { user, search } = await open();
    await shown(/tools\/call/);
    await user.keyboard("kk");
    expect(search()).toEqual({});
    await user.keyboard("{Enter}");
    await waitFor(() => expect(search()).toEqual({ event: 398 }));
    expect(await screen.findByRole("tab", { name: "Raw" })).toBeTruthy();
    await user.keyboard("k");
    await waitFor(() => expect(search().event).toBeLessThan(398));
    await user.keyboard("{Escape}");
    await waitFor(() => expect(search()).toEqual({}));
    expect(screen.queryByRole("tab", { name: "Raw" })).toBeNull();
  });

  it("filters by what the address says, names it, and clears it", async () => {
    const { user, search } = await open("/activity?server=linear&kind=frame");
    await shown(/list_issues/);
    expect(rows().every((row) => row.textContent.includes("linear"))).toBe(true);
    const active = screen.getByRole("group", { name: "Active filters" });
    expect(active.textContent).toMatch(/Server.*linear.*Kind.*Messages/);
    await user.click(within(active).getByRole("button", { name: "Remove filter: Kind" }));
    await waitFor(() => expect(search()).toEqual({ server: "linear" }));
    await user.click(screen.getByRole("button", { name: "Clear all" }));
    await waitFor(() => expect(search()).toEqual({}));
    await shown(/github/);
  });

  it("shows what an app sent beside what the server got, and all events of the call", async () => {
    const { user, router } = openApp("/activity?app=cursor");
    await screen.findByRole("grid", { name: "Events" });
    await shown(/Cursor → Mooring.*weather__get_forecast/);
    expect(rows().every((row) => /Cursor|weather/.test(row.textContent))).toBe(true);
    const request = rows().findLast((row) => row.textContent.includes("Cursor → Mooring"));
    await user.click(request!);
    const sides = within(await screen.findByRole("region", { name: "App and server" }));
    const changed = within(await sides.findByLabelText("Changes to the request"));
    expect(changed.getByText("params.name").nextElementSibling?.textContent).toBe('"weather__get_forecast"→"get_forecast"');
    sides.getByText("“Cursor” sent");
    sides.getByText("“weather” received");
    await user.click(await sides.findByRole("button", { name: "Show all 5 events of this call" }));
    await waitFor(() => expect(router.state.location.search).toHaveProperty("call"));
    expect(router.state.location.search).not.toHaveProperty("app");
  });

  it("leaves Space to a button, and pauses with it elsewhere", async () => {
    const { user, search } = await open("/activity?server=linear");
    await shown(/list_issues/);
    screen.getByRole("button", { name: "Clear all" }).focus();
    await user.keyboard(" ");
    await waitFor(() => expect(search()).toEqual({}));
    screen.getByRole("button", { name: /^Pause/ });
    screen.getByRole("grid").focus();
    await user.keyboard(" ");
    await screen.findByRole("button", { name: /^Resume/ });
  });

  it("shows the exact text of one event after the other", async () => {
    const { user, search } = await open("/activity?event=390");
    await user.click(await screen.findByRole("tab", { name: "Raw" }));
    await user.keyboard("j");
    await waitFor(() => expect(search()).toEqual({ event: 391 }));
    expect((await screen.findByRole("tab", { name: "Raw" })).getAttribute("aria-selected")).toBe("true");
  });

  it("adds a filter from the menu", async () => {
    const { user, search } = await open();
    await user.click(screen.getByRole("button", { name: "Filter" }));
    await user.keyboard("{ArrowDown}{ArrowDown}{ArrowDown}{ArrowDown}{ArrowDown}{ArrowRight}");
    await user.click(await screen.findByRole("menuitemcheckbox", { name: "Standard error" }));
    await waitFor(() => expect(search()).toEqual({ kind: "stderr" }));
    await user.keyboard("{Escape}");
    await shown(/cache warmed/);
  });

  it("searches after a pause, and says when nothing matches", async () => {
    const { user, search } = await open();
    await shown(/tools\/call/);
    await user.keyboard("/");
    await user.keyboard("no such words");
    expect(search()).toEqual({});
    await waitFor(() => expect(search()).toEqual({ text: "no such words" }));
    expect(await screen.findByText("No matching events")).toBeTruthy();
    await user.keyboard("{Escape}");
    await shown(/tools\/call/);
  });

  it("counts what matches, among all, and marks what was searched for in rows and details", async () => {
    localStorage.setItem("mooring.activity.folding", "false");
    const { user } = await open("/activity?text=LIST_issues&kind=frame");
    await shown(/list_issues/);
    const badge = await screen.findByText(/^\d+ of 400 events$/, { ignore: ".sr-only" });
    expect(badge.textContent).toBe(`${Number(screen.getByRole("grid").getAttribute("aria-rowcount")) - 1} of 400 events`);
    expect(screen.getByRole("status").textContent).toBe(badge.textContent);
    const marks = (element: HTMLElement) => [...element.querySelectorAll("mark")].map((mark) => mark.textContent);
    const row = rows().find((candidate) => /list_issues/.test(candidate.textContent))!;
    expect(new Set(marks(row))).toEqual(new Set(["list_issues"]));
    await user.click(row);
    const details = screen.getByRole("complementary", { name: "Event details" });
    await waitFor(() => expect(marks(within(details).getByRole("tabpanel"))).toContain("list_issues"));
    await user.click(within(details).getByRole("tab", { name: "Raw" }));
    await waitFor(() => expect(new Set(marks(within(details).getByRole("tabpanel")))).toEqual(new Set(["list_issues"])));
    const { violations } = await axe.run(details, { rules: { "color-contrast": { enabled: false } } });
    expect(violations).toEqual([]);
  });

  it("counts anew when the filter changes, and all without one", async () => {
    const { user } = await open("/activity?kind=stderr");
    const few = await screen.findByText(/^\d+ of 400 events$/, { ignore: ".sr-only" });
    const before = few.textContent;
    await user.click(screen.getByRole("button", { name: "Remove filter: Kind" }));
    await waitFor(() => expect(counts()).toEqual(["400 events", "400 events"]));
    expect(before).not.toMatch(/^400/);
    expect(screen.queryByText(/of 400/)).toBeNull();
  });

  it("filters by result and by duration", async () => {
    const { user, search } = await open();
    await shown(/tools\/call/);
    await user.click(screen.getByRole("button", { name: "Filter" }));
    await user.keyboard("{ArrowDown}{ArrowDown}{ArrowDown}{ArrowDown}{ArrowDown}{ArrowDown}{ArrowRight}");
    await user.click(await screen.findByRole("menuitemcheckbox", { name: "Error" }));
    await waitFor(() => expect(search()).toEqual({ outcome: "error" }));
    await user.keyboard("{ArrowLeft}{ArrowDown}{ArrowRight}");
    await user.click(await screen.findByRole("menuitemcheckbox", { name: "100 ms or longer" }));
    await waitFor(() => expect(search()).toEqual({ outcome: "error", took: 100 }));
    await waitFor(() =>
      expect(
        rows()
          .filter((row) => !/error.*(131 ms|2\.9 s)/.test(row.textContent))
          .map((row) => row.textContent),
      ).toEqual([]),
    );
    expect(screen.getByRole("group", { name: "Active filters" }).textContent).toMatch(/Result.*Error.*Duration.*100 ms or longer/);
  });

  it("shows times in local time, with the offset in the details", async () => {
    const { user } = await open();
    await shown(/tools\/call/);
    const row = rows().at(-1)!;
    const time = within(row).getAllByRole("gridcell")[0]!;
    const [shortTime, wholeTime] = [time.textContent, time.title];
    await user.click(row);
    const details = await screen.findByRole("complementary", { name: "Event details" });
    const utc = await within(details).findByText(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(utc.closest("dd")!.previousElementSibling?.textContent).toBe("Time (UTC)");
    const fact = within(details).getByText("Time").nextElementSibling;
    expect(fact?.textContent).toMatch(new RegExp(`^[A-Z][a-z]{2} \\d+, \\d{4}, ${shortTime} (?:UTC|GMT[+-]|[A-Z]{3,4})`));
    expect(wholeTime).toMatch(/T\d\d:\d\d:\d\d\.\d{6}[+-]\d\d:\d\d$/);
    expect([wholeTime.slice(11, 23), Date.parse(wholeTime)]).toEqual([shortTime, Date.parse(utc.textContent)]);
  });

  it("shows the response of a finished call below its request", async () => {
    const { user } = await open("/activity?method=tools/call&server=git");
    await shown(/git_log/);
    await user.click(rows().at(-1)!);
    const details = within(await screen.findByRole("complementary", { name: "Event details" }));
    await details.findByRole("region", { name: "Request" });
    expect((await details.findByRole("region", { name: "Response" })).textContent).toContain("commit 9f1c0de");
    expect(details.getByText("Result").nextElementSibling?.textContent).toMatch(/^OK.*6\.4 ms$/i);
  });

  it("leads from a cancellation to the request", async () => {
    const { user, search } = await open("/activity?server=docs-search&kind=frame");
    await shown(/Cancelled crawl/);
    await user.click(rows().findLast((row) => /Cancelled crawl/.test(row.textContent))!);
    const details = within(await screen.findByRole("complementary", { name: "Event details" }));
    const before = search().event!;
    await user.click((await details.findByText("Cancels")).nextElementSibling!.querySelector("button")!);
    await waitFor(() => expect(search().event).toBeLessThan(before));
  });

  it("keeps what was typed when an event is opened at once", async () => {
    const { user, search } = await open("/activity?kind=frame");
    await shown(/tools\/call/);
    await user.type(screen.getByRole("textbox", { name: "Search events" }), "issues");
    await user.click(rows()[0]!);
    await waitFor(() => expect(search()).toMatchObject({ kind: "frame", text: "issues", event: expect.any(Number) }));
  });

  it("keeps what was typed when another filter is removed at once", async () => {
    const { user, search } = await open("/activity?kind=frame");
    await shown(/tools\/call/);
    await user.type(screen.getByRole("textbox", { name: "Search events" }), "issues");
    await user.click(screen.getByRole("button", { name: "Remove filter: Kind" }));
    await waitFor(() => expect(search()).toEqual({ text: "issues" }));
  });

  it("adds nothing half typed to an address that a link opens", async () => {
    const { user, router, search } = await open();
    await shown(/tools\/call/);
    const field = screen.getByRole<HTMLInputElement>("textbox", { name: "Search events" });
    await user.type(field, "issues");
    await router.navigate({ to: "/activity", search: { direction: "out" } });
    await waitFor(() => expect(field.value).toBe(""));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(search()).toEqual({ direction: "out" });
  });

  it("says that nothing is recorded yet, and where to begin", async () => {
    await open("/activity", { mode: "empty" });
    expect(await screen.findByText("No events yet")).toBeTruthy();
    expect(screen.getByRole("link", { name: "Go to Servers" })).toBeTruthy();
  });

  it("says when the journal cannot be read, and tries again", async () => {
    await open("/activity", { mode: "failing" });
    expect(await screen.findByText("The journal can’t be read: disk I/O error.")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Try again" })).toBeTruthy();
    expect(screen.getByText("The journal can’t be read: disk I/O error.").closest("details")).toBeNull();
    expect(screen.queryByRole("button", { name: /^Pause/ })).toBeNull();
    expect(counts()[0]).toBeUndefined();
  });

  it("holds still when paused, counts what comes, and goes back to the newest", async () => {
    const { user } = await open("/activity", { rate: 40 });
    await shown(/tools\/call/);
    await user.click(screen.getByRole("button", { name: /^Pause/ }));
    const before = rows().at(-1)?.textContent;
    const pill = await screen.findByRole("button", { name: /new$/ });
    expect(rows().at(-1)?.textContent).toBe(before);
    await user.click(pill);
    expect(await screen.findByRole("button", { name: /^Pause/ })).toBeTruthy();
    await waitFor(() => expect(rows().at(-1)?.textContent).not.toBe(before));
  });

  it("makes no element anew for the rows of a flood", async () => {
    await open("/activity", { rate: 40 });
    await shown(/tools\/call/);
    const elements = new Set<Element>(rows());
    const newest = rows().at(-1)?.id;
    await waitFor(() => expect(rows().at(-1)?.id).not.toBe(newest));
    expect(rows().filter((row) => !elements.has(row))).toEqual([]);
  });

  it("shows a request and its response as one row, which unfolds", async () => {
    const { user, search } = await open("/activity?server=weather&kind=frame");
    const forecast = () => rows().filter((row) => /get_forecast/.test(row.textContent));
    await shown(/get_forecast.*→.*96 ms/);
    const folded = forecast().length;
    const row = forecast().find((candidate) => /96 ms/.test(candidate.textContent))!;
    expect(within(row).getByRole("gridcell", { name: "request and response" })).toBeTruthy();
    await user.click(row.querySelector("[data-fold]")!);
    await waitFor(() => expect(forecast()).toHaveLength(folded + 1));
    expect(search()).not.toHaveProperty("event");
    expect(screen.getByRole("row", { selected: true }).textContent).not.toMatch(/96 ms/);
    // The keyboard does the same, from the response too.
    screen.getByRole("grid").focus();
    await user.keyboard("{ArrowDown}");
    await waitFor(() => expect(screen.getByRole("row", { selected: true }).textContent).toMatch(/96 ms/));
    await user.keyboard("{ArrowLeft}");
    await waitFor(() => expect(forecast()).toHaveLength(folded));
    await user.keyboard("{ArrowRight}");
    await waitFor(() => expect(forecast()).toHaveLength(folded + 1));
  });

  it("shows every event in a row of its own where that is wanted", async () => {
    const { user } = await open("/activity?server=weather&kind=frame");
    await shown(/get_forecast.*→.*96 ms/);
    await user.click(screen.getByRole("button", { name: "Requests and responses in one row", pressed: true }));
    await waitFor(() => expect(rows().some((row) => /→/.test(row.textContent))).toBe(false));
    await user.click(screen.getByRole("button", { name: "Requests and responses in one row", pressed: false }));
    await shown(/get_forecast.*→.*96 ms/);
  });

  it("unfolds a row to show the response that a link names", async () => {
    await open("/activity?event=162");
    await waitFor(() => expect(screen.getByRole("row", { selected: true }).id).toBe("event-162"));
  });

  it("explains a verdict in words and spells out hidden characters of a server", async () => {
    const { user } = await open("/activity?event=394");
    await shown(/tools\/call/);
    const details = async (text: RegExp) => {
      const row = rows().find((candidate) => text.test(candidate.textContent));
      if (row) await user.click(row);
      return screen.getByRole("complementary", { name: "Event details" });
    };
    const verdict = await details(/Allowed.*create_issue/);
    await waitFor(() => expect(verdict.textContent).toMatch(/You pressed Run in the Workbench/));
    expect(verdict.textContent).toMatch(/Called by.*you \(Workbench\).*Rule/);
    // The request comes first. Its answer is in the same row until that is expanded.
    const asked = rows().find((candidate) => /get_forecast.*96 ms/.test(candidate.textContent))!;
    await user.click(asked.querySelector("[data-fold]")!);
    const forecast = await details(/get_forecast.*96 ms/);
    await waitFor(() => expect(forecast.textContent).toMatch(/U\+202E.*U\+200B/));
    const link = within(forecast).getByRole("button", { name: "Go to request" });
    await user.click(link);
    await waitFor(() => expect(screen.getByRole("complementary").textContent).toMatch(/Request.*"harbour"/));
  });
});
