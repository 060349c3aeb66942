// Consent rules, manual ones and those from answers, and what they would have decided for past calls.
import type { CallTimes } from "@/ipc/bindings/CallTimes";
import type { Caller } from "@/ipc/bindings/Caller";
import type { RuleInput } from "@/ipc/bindings/RuleInput";
import type { RuleView } from "@/ipc/bindings/RuleView";
import type { Simulation } from "@/ipc/bindings/Simulation";
import type { ToolAccess } from "@/ipc/bindings/ToolAccess";
import type { Args } from "./handlers";
import { Part, Removed, wait } from "./part";

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

const used = (uses: number, ago: number, part: Partial<RuleView> = {}) => ({ uses, usedAt: Date.now() - ago, ...part });
const when = (pointer: string, test: "contains" | "starts_with" | "present" | "equals", value: string) => ({ pointer, test, value });
const noDrops = [when("/sql", "contains", "DROP "), when("/sql", "starts_with", "DROP")];

const usual = (): RuleView[] => [
  rule(101, { effect: "deny", server: 3, tool: "query", arguments: noDrops }, used(2, 3 * hour)),
  rule(102, { effect: "allow", server: 1, tool: "read_file" }, used(143, 61_000, { pinned: 1, fromAnswer: true })),
  rule(103, { effect: "allow", server: 2, tool: "list_*", expiresAt: Date.now() + 0.7 * hour }, used(9, 600_000, { fromAnswer: true })),
  rule(104, { effect: "allow", server: 6, caller: "workbench" }, used(1, 1_200_000, { session: true, fromAnswer: true, changed: true })),
  rule(105, { effect: "ask", destructiveOnly: true }, used(31, 7 * hour)),
];

const longPath = "/home/ana/projects/a-very-long-directory-name-that-never-seems-to-end/and/another/one";
const tests = [when("/options/output/path", "starts_with", longPath), when("/force", "present", ""), when("/count", "equals", "3")];
const endless = "a_tool_with_a_name_that_goes_on_and_on_because_its_author_could_not_decide_what_it_does_\u202Etxt";

/** Rare rules: the fallback for unreadable ones, a removed server, an expired one, long names, nearly every mark. */
const odd = (): RuleView[] => [
  rule(0, { effect: "deny" }, { changed: true }),
  rule(111, { effect: "deny", server: 77, tool: "delete_*", destructiveOnly: true }),
  rule(112, { effect: "allow", server: 2, tool: "list_issues", expiresAt: Date.now() - hour }, used(1, 2 * hour, { fromAnswer: true })),
  rule(
    113,
    { effect: "allow", server: 3, tool: endless, caller: "sampling", expiresAt: Date.now() + 6 * hour, arguments: tests },
    used(12_430, 9 * 24 * hour, { pinned: 1, fromAnswer: true }),
  ),
  rule(114, { effect: "allow", server: 1, caller: "command_line" }, { session: true }),
];

/** Past calls: server, tool, and decision. */
const happened = [
  [1, "read_file", "allow"],
  [1, "list_directory", "allow"],
  [2, "list_issues", "allow"],
  [3, "query", "allow"],
  [2, "delete_branch", "ask"],
] as const;
const calls = Array.from({ length: 214 }, (_, at) => {
  const [server, tool, before] = happened[at % 5] ?? happened[0];
  const caller: Caller = at % 9 === 0 ? "sampling" : "workbench";
  return { row: 9_000 - at, at: Date.now() - at * 17 * 60_000, server, tool, before, caller };
});

/** Whether a rule applies to a tool. The only patterns in scenes are prefixes. */
const isFor = (pattern: string | null, tool: string) =>
  pattern === null || (pattern.endsWith("*") ? tool.startsWith(pattern.slice(0, -1)) : tool === pattern);

export class Policies extends Part {
  rules = this.scene === "empty" || this.scene === "no_rules" ? [] : this.scene === "odd_rules" ? odd() : usual();
  /** How long calls of a tool took, by name. For tests. */
  readonly times = new Map<string, CallTimes>();
  private readonly removed = new Removed<RuleView>();

  private set(rules: RuleView[]): null {
    this.rules = rules;
    this.host.tell({ kind: "rules" });
    return null;
  }

  private nameOf(server: number | null): string | null {
    return this.host.servers.find(({ id }) => id === server)?.name ?? null;
  }

  async save(id: number | null, input: RuleInput): Promise<RuleView> {
    const before = this.rules.find((item) => item.id === id);
    const saved = before
      ? { ...before, rule: input, pinned: this.pinned(id, input) }
      : rule(this.removed.nextId(this.rules) + 100, input, { createdAt: Date.now() });
    this.set(before ? this.rules.map((item) => (item.id === id ? saved : item)) : [saved, ...this.rules]);
    return saved;
  }

  /** A rule stays bound to its definition as long as it names the same tool. */
  private pinned(id: number | null, { tool }: RuleInput): number {
    const before = this.rules.find((item) => item.id === id);
    return before?.rule.tool === tool ? before.pinned : 0;
  }

  async remove(id: number): Promise<null> {
    return this.set(this.removed.take(this.rules, id));
  }

  async restore(id: number): Promise<RuleView> {
    this.set(this.removed.restore(this.rules, id));
    // Rules from answers only exist in the Inbox's mock.
    return this.rules.find((item) => item.id === id) ?? rule(id, {}, { fromAnswer: true });
  }

  /** The decision of the rules for a tool: its own rule, or the first that matches other tools too. */
  access(server: number, tool: string, usedAt: number | null): ToolAccess {
    const all = this.rules.filter(({ rule: { server: of, tool: pattern } }) => (of === null || of === server) && isFor(pattern, tool));
    const whole = all.filter(({ rule: { caller, arguments: tests } }) => caller === null && tests.length === 0);
    const own = whole.filter(({ rule: { server: of, tool: named } }) => of !== null && named === tool);
    const wider = whole.find((item) => !own.includes(item));
    const now = own[0] ?? wider;
    return {
      tool,
      usedAt,
      times: this.times.get(tool) ?? null,
      effect: now?.rule.effect ?? "allow",
      rule: now?.id ?? null,
      own: own.map(({ id }) => id),
      otherwise: wider?.rule.effect ?? "allow",
      wider: wider?.id ?? null,
      partial: all.length - whole.length,
    };
  }

  list_rules = async () => this.rules.map((item) => ({ ...item, serverName: this.nameOf(item.rule.server) }));
  save_rule = async ({ id, rule: input }: Args<"save_rule">) => this.save(id, input);
  simulate_rule = async ({ id, rule: input }: Args<"simulate_rule">): Promise<Simulation> => {
    await wait(40);
    const past = this.scene === "no_calls" ? [] : calls;
    const matched = past.filter(({ server, tool }) => (input.server === null || server === input.server) && isFor(input.tool, tool));
    const changed = matched.filter(({ before }) => before !== input.effect).slice(0, 200);
    return {
      calls: past.length,
      matched: matched.length,
      unknown: input.arguments.length > 0 ? 7 : 0,
      pinned: this.pinned(id, input) > 0,
      changed: changed.map(({ server, ...call }) => ({ ...call, serverName: this.nameOf(server) ?? "?", after: input.effect })),
    };
  };
}
