// Rules of consent, made by hand and by answers, and what they would have decided for the calls of the last days.
import type { CallTimes } from "@/ipc/bindings/CallTimes";
import type { Caller } from "@/ipc/bindings/Caller";
import type { LogRow } from "@/ipc/bindings/LogRow";
import type { RuleInput } from "@/ipc/bindings/RuleInput";
import type { RuleView } from "@/ipc/bindings/RuleView";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { Simulation } from "@/ipc/bindings/Simulation";
import type { ToolAccess } from "@/ipc/bindings/ToolAccess";
import type { ToolView } from "@/ipc/bindings/ToolView";
import { patternOf } from "@/lib/tool-name";
import { said } from "./say";
import type { Scene } from "./scenes";

const hour = 3_600_000;
const empty: RuleInput = { effect: "ask", server: null, tool: null, caller: null, destructiveOnly: false, arguments: [], expiresAt: null };
const rule = (id: number, input: Partial<RuleInput>, part: Partial<RuleView> = {}): RuleView => ({
  id,
  rule: { ...empty, ...input },
  serverName: null,
  session: false,
  pinned: 0,
  createdAt: Date.now() - 5 * 24 * hour,
  fromAnswer: false,
  uses: 0,
  usedAt: null,
  changed: false,
  ...part,
});

/** As the host counts them: of at least five calls that ended. */
function timesOf(rows: readonly LogRow[], server: number, tool: string): CallTimes | null {
  const ended = rows.filter(
    (row) => row.serverId === server && row.method === "tools/call" && row.subject === tool && row.durationUs !== null,
  );
  const sorted = ended.map(({ durationUs }) => (durationUs ?? 0) / 1_000).toSorted((a, b) => a - b);
  const percentile = (percent: number) => sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? 0;
  return sorted.length < 5 ? null : { count: sorted.length, p50Ms: percentile(50), p95Ms: percentile(95) };
}

const usual = (): RuleView[] => [
  rule(
    101,
    {
      effect: "deny",
      server: 3,
      tool: "query",
      arguments: [
        { pointer: "/sql", test: "contains", value: "DROP " },
        { pointer: "/sql", test: "starts_with", value: "DROP" },
      ],
    },
    { uses: 2, usedAt: Date.now() - 3 * hour },
  ),
  rule(102, { effect: "allow", server: 1, tool: "read_file" }, { pinned: 1, fromAnswer: true, uses: 143, usedAt: Date.now() - 61_000 }),
  rule(
    103,
    { effect: "allow", server: 2, tool: "list_*", expiresAt: Date.now() + 42 * 60_000 },
    { fromAnswer: true, uses: 9, usedAt: Date.now() - 600_000 },
  ),
  rule(
    104,
    { effect: "allow", server: 6, caller: "workbench" },
    { session: true, fromAnswer: true, changed: true, uses: 1, usedAt: Date.now() - 1_200_000 },
  ),
  rule(105, { effect: "ask", destructiveOnly: true }, { uses: 31, usedAt: Date.now() - 7 * hour }),
];

/** Rules that seldom are: the one that stands for all while nobody can tell which there were, one whose server was removed, one that is over, names that do not fit, nearly every mark at once. Only a yes is bound to a definition. */
const odd = (): RuleView[] => [
  rule(0, { effect: "deny" }, { changed: true }),
  rule(111, { effect: "deny", server: 77, tool: "delete_*", destructiveOnly: true }),
  rule(
    112,
    { effect: "allow", server: 2, tool: "list_issues", expiresAt: Date.now() - hour },
    { fromAnswer: true, uses: 1, usedAt: Date.now() - 2 * hour },
  ),
  rule(
    113,
    {
      effect: "allow",
      server: 3,
      tool: "a_tool_with_a_name_that_goes_on_and_on_because_its_author_could_not_decide_what_it_does_\u202Etxt",
      caller: "sampling",
      expiresAt: Date.now() + 6 * hour,
      arguments: [
        {
          pointer: "/options/output/path",
          test: "starts_with",
          value: "/home/ana/projects/a-very-long-directory-name-that-never-seems-to-end/and/another/one",
        },
        { pointer: "/force", test: "present", value: "" },
        { pointer: "/count", test: "equals", value: "3" },
      ],
    },
    { pinned: 1, fromAnswer: true, uses: 12_430, usedAt: Date.now() - 9 * 24 * hour },
  ),
  rule(114, { effect: "allow", server: 1, caller: "command_line" }, { session: true }),
];

const calls = Array.from({ length: 214 }, (_, at) => {
  const [server, tool] = (
    [
      [1, "read_file"],
      [1, "list_directory"],
      [2, "list_issues"],
      [3, "query"],
      [2, "delete_branch"],
    ] as const
  )[at % 5] ?? [1, "read_file"];
  const caller: Caller = at % 9 === 0 ? "sampling" : "workbench";
  return { row: 9_000 - at, at: Date.now() - at * 17 * 60_000, server, tool, caller };
});

const fits = (pattern: string | null, name: string) =>
  pattern === null ||
  new RegExp(
    `^${pattern
      .split("*")
      .map((part) => part.replaceAll(/[\\^$.|?+()[\]{}]/g, String.raw`\$&`))
      .join(".*")}$`,
  ).test(name);

export class Policies {
  rules: RuleView[];
  private readonly removed = new Map<number, RuleView>();
  private readonly calls: typeof calls;
  private readonly tell: () => void;

  constructor(scene: Scene, tell: () => void) {
    this.rules = scene === "empty" || scene === "no_rules" ? [] : scene === "odd_rules" ? odd() : usual();
    this.calls = scene === "no_calls" ? [] : calls;
    this.tell = tell;
  }

  list(servers: readonly ServerView[]): RuleView[] {
    return this.rules.map((item) => ({ ...item, serverName: servers.find((server) => server.id === item.rule.server)?.name ?? null }));
  }

  async save(id: number | null, input: RuleInput): Promise<RuleView> {
    if (input.arguments.some((condition) => !condition.pointer.startsWith("/"))) {
      return Promise.reject({
        code: "invalid_input",
        message: said("not a JSON pointer: {pointer}", { pointer: input.arguments[0]?.pointer ?? "" }),
        details: { field: "arguments" },
      });
    }
    const before = this.rules.find((item) => item.id === id);
    const saved = before
      ? { ...before, rule: input, pinned: this.staysPinned(id, input) }
      : rule(Math.max(200, ...this.rules.map((item) => item.id)) + 1, input, { createdAt: Date.now() });
    this.rules = before ? this.rules.map((item) => (item.id === id ? saved : item)) : [saved, ...this.rules];
    this.tell();
    return saved;
  }

  /** As the host decides it: a yes stays bound as long as it is for the same tool of the same server. */
  private staysPinned(id: number | null, input: RuleInput): number {
    const before = this.rules.find((item) => item.id === id);
    const stays = input.effect === "allow" && input.tool === before?.rule.tool && input.server === before.rule.server;
    return stays ? before.pinned : 0;
  }

  async remove(id: number): Promise<null> {
    const gone = this.rules.find((item) => item.id === id);
    if (gone) this.removed.set(id, gone);
    this.rules = this.rules.filter((item) => item.id !== id);
    this.tell();
    return null;
  }

  async restore(id: number): Promise<RuleView> {
    const back = this.removed.get(id);
    if (back) this.rules = [...this.rules, back].toSorted((a, b) => a.id - b.id);
    this.removed.delete(id);
    this.tell();
    // Rules of answers are in the Inbox's script alone.
    return back ?? rule(id, {}, { fromAnswer: true });
  }

  /** What the rules say of each tool of a server, and when it was last called. */
  accessOf(server: number, tools: readonly Pick<ToolView, "name">[], rows: readonly LogRow[]): ToolAccess[] {
    const calls = rows.filter((row) => row.serverId === server && row.method === "tools/call" && row.direction === "out");
    return tools.map(({ name }) => {
      const last = calls.findLast((row) => row.subject === name);
      return { tool: name, usedAt: last ? last.at / 1_000 : null, times: timesOf(rows, server, name), ...this.access(server, name) };
    });
  }

  /** As the host decides it: what rules for all calls of a tool say, with and without those that are for it alone. */
  private access(server: number, tool: string): Omit<ToolAccess, "tool" | "usedAt" | "times"> {
    const about = this.rules.filter(
      ({ rule: { server: wanted, tool: pattern, expiresAt } }) =>
        (wanted === null || wanted === server) && fits(pattern, tool) && (expiresAt === null || expiresAt > Date.now()),
    );
    const whole = about.filter(({ rule: { caller, arguments: tests } }) => caller === null && tests.length === 0);
    const isOwn = ({ rule: { server: wanted, tool: named, destructiveOnly } }: RuleView) =>
      wanted !== null && named === patternOf(tool) && !destructiveOnly;
    const says = (rules: readonly RuleView[]) =>
      rules.find(({ rule: { effect } }) => effect === "deny") ?? rules.find(isOwn) ?? rules.at(0) ?? null;
    const [now, without] = [says(whole), says(whole.filter((item) => !isOwn(item)))];
    return {
      effect: now?.rule.effect ?? "allow",
      rule: now?.id ?? null,
      own: whole.filter(isOwn).map((item) => item.id),
      otherwise: without?.rule.effect ?? "allow",
      wider: without?.id ?? null,
      partial: about.length - whole.length,
    };
  }

  simulate(id: number | null, input: RuleInput, servers: readonly ServerView[]): Simulation {
    const matched = this.calls.filter(
      (call) =>
        (input.server === null || call.server === input.server) &&
        fits(input.tool, call.tool) &&
        (input.caller === null || input.caller === call.caller),
    );
    const changed = matched.filter((call) => input.effect !== (call.tool === "delete_branch" ? "ask" : "allow"));
    return {
      calls: this.calls.length,
      matched: matched.length,
      unknown: input.arguments.length > 0 ? 7 : 0,
      pinned: this.staysPinned(id, input) > 0,
      changed: changed
        .slice(0, 200)
        .map(({ server, ...call }) => ({
          ...call,
          serverName: servers.find((item) => item.id === server)?.name ?? "?",
          before: call.tool === "delete_branch" ? "ask" : "allow",
          after: input.effect,
        })),
    };
  }
}
