import "@/features/activity/activity-screen";
import { everyBoxIs } from "@dev/boxes";
import { openApp } from "@dev/render";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { LogEntry } from "@/ipc/bindings/LogEntry";

beforeEach(() => everyBoxIs(1_072, 726));

const ANSWER = {
  kind: "frame",
  direction: "in",
  source: "weather",
  serverId: 6,
  method: "tools/call",
  rpcId: "7",
  subject: "crew",
} as const;

/** Opens an event with a search. Returns the positions that were scrolled to. */
async function openWith(text: string, event: Partial<LogEntry> & Pick<LogEntry, "kind" | "body">) {
  const marks: string[] = [];
  vi.spyOn(Element.prototype, "scrollIntoView").mockImplementation(function (this: Element) {
    if (this.matches("mark, [data-hit]")) marks.push(this.closest("section")?.getAttribute("aria-label") ?? "");
  });
  const app = openApp("/activity");
  await screen.findByRole("grid", { name: "Events" });
  const { id } = app.host.journal.append(event);
  await app.router.navigate({ to: "/activity", search: { text, event: id } });
  const details = within(await screen.findByRole("complementary", { name: "Event details" }));
  return { ...app, details, marks };
}

/** The current hit and its line. */
const line = () => {
  const hit = document.querySelector("[data-hit]");
  return [hit?.textContent, hit?.closest(".whitespace-pre-wrap")?.textContent];
};

const answerWith = (text: string) => ({
  ...ANSWER,
  status: "ok" as const,
  body: JSON.stringify({ jsonrpc: "2.0", id: 7, result: { content: [{ type: "text", text }] } }),
});

describe("a search and the details of an event", () => {
  it("scrolls to what was searched for", async () => {
    const { details, marks } = await openWith("ada", answerWith("Captain Ada is aboard"));
    expect((await details.findByText("Ada")).tagName).toBe("MARK");
    await waitFor(() => expect(marks).toEqual(["Response"]));
    expect(details.queryByRole("region", { name: "Match" })).toBeNull();
  });

  it("opens a long text up to it", async () => {
    const { details, marks } = await openWith("ada", answerWith(`${"crew ".repeat(400)}Ada${" crew".repeat(400)}`));
    expect((await details.findByText("Ada")).tagName).toBe("MARK");
    await waitFor(() => expect(marks).toEqual(["Response"]));
    expect(details.queryByRole("region", { name: "Match" })).toBeNull();
  });

  it("lays out the part of a very long text that has it", async () => {
    const { details } = await openWith("ada", answerWith(`${"crew ".repeat(40_000)}Ada aboard${" crew".repeat(40_000)}`));
    await details.findByText("Ada");
    expect(document.querySelector("[data-hit]")?.nextSibling?.textContent).toMatch(/^ aboard crew/);
    expect(details.getByRole("region", { name: "Response" }).textContent.length).toBeLessThan(80_000);
  });

  it("opens the branches that lead to it", async () => {
    const log = Array.from({ length: 9_000 }, (_, at) => ({ at, who: `member ${at} of the crew` }));
    const result = { structuredContent: { log: [...log, { deep: { er: { captain: { Ada: 1 } } } }] } };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 7, result });
    expect(body.length).toBeGreaterThan(200_000);
    const { details, marks, user } = await openWith("ada", { ...ANSWER, status: "ok", body });
    await details.findByText("1 of 1");
    expect(line()).toEqual(["Ada", '"Ada": 1']);
    await waitFor(() => expect(marks).toEqual(["Response"]));
    expect(details.queryByText('"member 1000 of the crew"')).toBeNull();
    // Later collapsing lasts until the hit is selected again.
    await user.click(details.getByRole("button", { name: "Fold “captain”" }));
    expect(document.querySelector("[data-hit]")).toBeNull();
    await user.keyboard("{F3}");
    expect(line()).toEqual(["Ada", '"Ada": 1']);
  });

  it("goes from one hit to the next and back, and around", async () => {
    const body = JSON.stringify({ id: 7, result: { Ada: "first Ada", n: ["x", `${"crew ".repeat(400)}Ada, Ada`] } });
    const { details, marks, user } = await openWith("ada", { ...ANSWER, status: "ok", body });
    await details.findByText("1 of 4");
    expect(line()).toEqual(["Ada", '"Ada": "first Ada",']);
    await user.click(details.getByRole("button", { name: "Next match" }));
    details.getByText("2 of 4");
    screen.getByRole("textbox", { name: "Search events" }).focus();
    await user.keyboard("{F3}{F3}");
    details.getByText("4 of 4");
    expect(document.querySelector("[data-hit]")?.nextSibling?.textContent).toBe('"');
    await user.keyboard("{F3}");
    details.getByText("1 of 4");
    await user.keyboard("{Shift>}{F3}{/Shift}");
    details.getByText("4 of 4");
    await user.click(details.getByRole("button", { name: "Previous match" }));
    details.getByText("3 of 4");
    expect(marks).toHaveLength(7);
    // The raw text has different hits.
    await user.click(details.getByRole("tab", { name: "Raw" }));
    details.getByText("1 of 4");
    expect(marks.at(-1)).toBe("");
  });

  it("quotes what stands across values, and in what is said in words", async () => {
    const body = JSON.stringify({ decision: "allow", caller: "workbench", rule: "gesture", tool: "crew", argumentsSha256: "abadada" });
    const { details } = await openWith("abadada", { kind: "verdict", status: "ok", source: "weather", serverId: 6, subject: "crew", body });
    expect((await details.findByRole("region", { name: "Match" })).textContent).toBe("MatchargumentsSha256abadada");
  });

  it("shows it in the exact text too", async () => {
    const { details, user, marks } = await openWith("ada", answerWith(`${"crew ".repeat(9_000)}Ada`));
    await details.findByText("1 of 1");
    await user.click(details.getByRole("tab", { name: "Raw" }));
    await waitFor(() => expect(marks).toEqual(["Response", ""]));
    expect(within(details.getByRole("tabpanel")).getByText("Ada").tagName).toBe("MARK");
  });

  it("is quoted nowhere without a search", async () => {
    const { details, marks } = await openWith("", answerWith("Captain Ada is aboard"));
    await details.findByRole("region", { name: "Response" });
    expect([details.queryByRole("region", { name: "Match" }), marks]).toEqual([null, []]);
  });
});

describe("filters typed into the search", () => {
  it("become chips, and the rest is searched for", async () => {
    const { user, router } = openApp("/activity");
    await screen.findByRole("grid", { name: "Events" });
    const field = screen.getByRole<HTMLInputElement>("textbox", { name: "Search events" });
    await user.type(field, "APP:cursor status:ok wind{Enter}");
    await waitFor(() => expect(router.state.location.search).toEqual({ app: "cursor", outcome: "ok", text: "wind" }));
    expect(field.value).toBe("wind");
    expect(screen.getByRole("group", { name: "Active filters" }).textContent).toMatch(/App.*Cursor.*Result.*OK.*Text.*wind/);
  });

  it("count once they are typed", async () => {
    const { user, router } = openApp("/activity");
    await screen.findByRole("grid", { name: "Events" });
    const field = screen.getByRole<HTMLInputElement>("textbox", { name: "Search events" });
    await user.type(field, "server:git");
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(router.state.location.search).toEqual({});
    await user.type(field, "hub ");
    await waitFor(() => expect(router.state.location.search).toEqual({ server: "github" }));
    expect(field.value).toBe("");
  });
});
