// The mock backend's questions: asked, opened, answered, withdrawn, and their decisions.
import type { DecisionOutcome } from "@/ipc/bindings/DecisionOutcome";
import type { DecisionView } from "@/ipc/bindings/DecisionView";
import type { FormMistake } from "@/ipc/bindings/FormMistake";
import type { InteractionAnswer } from "@/ipc/bindings/InteractionAnswer";
import type { InteractionQuestion } from "@/ipc/bindings/InteractionQuestion";
import type { InteractionView } from "@/ipc/bindings/InteractionView";
import type { LogEntry } from "@/ipc/bindings/LogEntry";
import type { PutOff } from "@/ipc/bindings/PutOff";
import type { RememberedBy } from "@/ipc/bindings/RememberedBy";
import type { Sentence } from "@/ipc/bindings/Sentence";
import type { SilencedServer } from "@/ipc/bindings/SilencedServer";
import type { Args } from "./handlers";
import { checkForm } from "./inbox-check";
import { askedBack } from "./inbox-forms";
import { asked, decided, during, questions } from "./inbox-questions";
import { logEntry } from "./journal";
import { Part, refuse, wait, type World } from "./part";
import { said, say } from "./say";

const ARMED_AFTER = 1_000;

export class Inbox extends Part {
  waiting = questions(this.scene).waiting;
  silenced = questions(this.scene).silenced;
  decisions = this.scene === "empty" ? [] : decided();
  /** Every accepting answer, for tests. */
  readonly accepted: { id: number; answer: InteractionAnswer }[] = [];
  /** The questions that were retried. */
  readonly retried: number[] = [];
  /** Whether answers can be remembered. Tests turn it off. */
  remembers = true;
  readonly drafts = new Map<number, string>();
  /** The error for the next answers, for tests. */
  refuses: { code: string; message: string | Sentence; details?: unknown } | null = null;
  private readonly openings = new Map<number, { nonce: string; at: number }>();
  private readonly removedRules = new Map<number, DecisionView>();
  private readonly timers: ReturnType<typeof setTimeout>[] = [];
  /** The programs of terminals that are always allowed, by path. */
  private terminals = this.scene === "terminals" ? ["/usr/libexec/gnome-terminal-server", "/usr/bin/tmux"] : [];

  constructor(host: World) {
    super(host);
    const { scene } = this;
    if (scene === "inbox_gone") this.later(1_200, () => this.end(12, "withdrawn"));
    if (scene === "inbox_expired") this.later(1_200, () => this.end(12, "expired"));
    if (scene === "inbox_arrival") this.later(2_500, () => this.ask(questions("inbox").waiting.slice(0, 1)));
    const [, code] = /^inbox_refuses_(.*)/.exec(scene) ?? [];
    if (code !== undefined) this.refuses = { code, message: said("the database reported: {detail}", { detail: "disk I/O error" }) };
  }

  private later(ms: number, act: () => void): void {
    this.timers.push(setTimeout(act, ms));
  }

  close(): void {
    for (const timer of this.timers) clearTimeout(timer);
  }

  private set(waiting: InteractionView[]): null {
    this.waiting = waiting;
    this.host.tell({ kind: "inbox" });
    return null;
  }

  private replace(id: number, part: Partial<InteractionView>): InteractionView[] {
    return this.waiting.map((item) => (item.id === id ? { ...item, ...part } : item));
  }

  ask(more: InteractionView[]): void {
    this.set([...this.waiting, ...more]);
  }

  /** Asks the question of a demo server's tool, until it is answered or the call is cancelled. */
  async askBack(server: number, tool: string, callId: string, signal: AbortSignal): Promise<void> {
    const question = server === 10 ? askedBack[tool] : undefined;
    if (question === undefined) return;
    const id = 700 + this.decisions.length;
    this.ask([asked(id, 10, question, 0, { occasion: { ...during(tool), requests: [callId] } })]);
    const waits = () => this.waiting.some((view) => view.id === id);
    while (waits() && !signal.aborted) await wait(50);
    if (waits()) this.end(id, "withdrawn");
  }

  /** Changes an open question, as a streaming answer does. */
  change(id: number, question: Partial<InteractionQuestion>): void {
    this.set(this.replace(id, { question: { ...this.waits(id).question, ...question } as InteractionQuestion }));
  }

  private waits(id: number): InteractionView {
    return this.waiting.find((item) => item.id === id) ?? refuse("not_waiting", say("this question is no longer waiting"));
  }

  private check(id: number, content: string): FormMistake[] {
    const { question } = this.waits(id);
    return question.kind === "form" ? checkForm(question.fields, content) : [];
  }

  private accept(id: number, answer: Extract<InteractionAnswer, { action: "accept" }>): void {
    const { question } = this.waits(id);
    const mistakes = this.check(id, answer.content ?? "{}");
    if (mistakes.length > 0) refuse("invalid_answer", say("the answer doesn’t match the form"), { mistakes });
    this.accepted.push({ id, answer });
    if (question.kind !== "app" || question.program === null || answer.remember !== "always") return;
    this.terminals = [...this.terminals, question.program];
    this.host.tell({ kind: "apps" });
  }

  /** Ends a question, also without the person. */
  end(id: number, outcome: DecisionOutcome, remembered: RememberedBy | null = null): DecisionView {
    const { server, serverName, question, occasion, askedAt } = this.waits(id);
    const decision: DecisionView = {
      id,
      server,
      serverName,
      kind: question.kind,
      subject: subjectOf(question),
      caller: occasion.caller,
      outcome,
      reason: null,
      askedAt,
      decidedAt: Date.now(),
      remembered,
    };
    this.decisions = [decision, ...this.decisions];
    // An opened URL stays until it is done.
    if (question.kind === "url" && !question.opened && outcome === "accepted") this.change(id, { opened: true });
    else {
      const others = this.waiting.filter((item) => item.id !== id);
      this.set(others.map((item) => (item.server === server ? { ...item, position: Math.max(0, item.position - 1) } : item)));
    }
    return decision;
  }

  private putOff(id: number, putOff: PutOff | null): null {
    return this.set(this.replace(this.waits(id).id, { putOff }));
  }

  private lift(isMeant: (item: SilencedServer) => boolean): null {
    this.silenced = this.silenced.filter((item) => !isMeant(item));
    return this.set(this.waiting);
  }

  /** Removes or restores a rule. */
  removeRule(id: number): void {
    const decision = this.decisions.find((item) => isSame(item.remembered, { by: "rule", id }));
    if (decision) this.removedRules.set(id, decision);
    this.forget({ by: "rule", id });
  }

  restoreRule(rule: number): void {
    const id = this.removedRules.get(rule)?.id;
    this.decisions = this.decisions.map((item) => (item.id === id ? { ...item, remembered: { by: "rule", id: rule } } : item));
  }

  /** Forgets a remembered answer. */
  forget(by: RememberedBy): void {
    this.decisions = this.decisions.map((item) => (isSame(item.remembered, by) ? { ...item, remembered: null } : item));
  }

  list_inbox = async () => {
    if (this.scene === "slow") await wait(60_000);
    return { waiting: this.waiting, silenced: this.silenced };
  };
  open_interaction = async ({ id }: Args<"open_interaction">) => {
    const at = this.openings.get(this.waits(id).id)?.at ?? performance.now();
    const nonce = crypto.randomUUID();
    this.openings.set(id, { nonce, at });
    return { nonce, armedIn: Math.max(0, Math.ceil(at + ARMED_AFTER - performance.now())) };
  };
  answer_interaction = async ({ id, nonce, answer }: Args<"answer_interaction">) => {
    if (this.scene === "inbox_slow") await wait(60_000);
    const view = this.waits(id);
    if (this.openings.get(id)?.nonce !== nonce) refuse("wrong_nonce", say("the question was opened anew since"));
    if (this.refuses) {
      const { code, message, details = null } = this.refuses;
      this.refuses = null;
      refuse(code, message, details);
    }
    if (answer.action === "accept") this.accept(id, answer);
    const isKept = this.remembers && answer.action !== "cancel" && answer.remember !== "once";
    const outcomes = { accept: "accepted", decline: "declined", cancel: "cancelled" } as const;
    return this.end(id, outcomes[answer.action], isKept ? rememberedBy(view, 900 + id) : null);
  };
  save_draft = async ({ id, draft }: Args<"save_draft">) => {
    this.drafts.set(id, draft);
    this.waiting = this.replace(id, { draft });
    return null;
  };
  check_form = async ({ id, content }: Args<"check_form">) => this.check(id, content);
  retry_interaction = async ({ id }: Args<"retry_interaction">) => {
    this.retried.push(id);
    if (this.waits(id).question.kind === "url") this.change(id, { problem: null });
    else {
      const content = [JSON.stringify({ type: "text", text: "Second try: the berth is free from 14:00." })];
      this.change(id, { problem: null, streaming: true, content: [] });
      this.later(1_500, () => this.change(id, { streaming: false, content, stopReason: "endTurn" }));
    }
    return null;
  };
  put_off_interaction = async ({ id, minutes }: Args<"put_off_interaction">) =>
    this.putOff(id, { until: minutes === null ? null : Date.now() + minutes * 60_000 });
  bring_back_interaction = async ({ id }: Args<"bring_back_interaction">) => this.putOff(id, null);
  lift_silence = async ({ server }: Args<"lift_silence">) => this.lift((item) => item.app === null && item.server === server);
  lift_app_silence = async ({ app }: Args<"lift_app_silence">) => this.lift((item) => item.app === app);

  list_decisions = async ({ limit }: Args<"list_decisions">) => this.decisions.slice(0, limit);
  /** A page of the decisions that match. */
  find_decisions = async ({ filter: { kind, outcome, serverId, text }, before, limit }: Args<"find_decisions">) => {
    const found = this.decisions.filter(
      (item) =>
        (kind === null || item.kind === kind) &&
        (outcome === null || item.outcome === outcome) &&
        (serverId === null || item.server === serverId) &&
        (text === null || `${item.subject ?? ""}\n${item.serverName}`.toLowerCase().includes(text.toLowerCase())),
    );
    const from = before === null ? 0 : found.findIndex(({ id }) => id === before) + 1;
    return found.slice(from, from + limit);
  };
  /** The logged events of a decision: for a form the entered values, otherwise nothing more. */
  decision_events = async ({ id }: Args<"decision_events">) => {
    const { kind, server, serverName: source, outcome, askedAt, decidedAt } = this.decisions.find((item) => item.id === id)!;
    if (kind !== "form" || server === null) return { asked: null, sent: null };
    const message = (part: Partial<LogEntry>, body: object) =>
      logEntry(part.direction === "in" ? id * 10 + 1 : id * 10 + 2, {
        kind: "frame",
        method: "elicitation/create",
        rpcId: "7",
        serverId: server,
        source,
        ...part,
        body: JSON.stringify({ jsonrpc: "2.0", id: 7, ...body }),
      });
    const asked = { method: "elicitation/create", params: { message: "Who is on watch?" } };
    const action = { accepted: "accept", declined: "decline" }[outcome as "accepted"] ?? "cancel";
    return {
      asked: message({ at: askedAt * 1_000, direction: "in" }, asked),
      sent: message({ at: decidedAt * 1_000, direction: "out", status: "ok" }, { result: { action } }),
    };
  };

  list_terminals = async () => this.terminals;
  forget_terminal = async ({ program }: Args<"forget_terminal">) => {
    this.terminals = this.terminals.filter((known) => known !== program);
    return null;
  };
}

const isSame = (one: RememberedBy | null, other: RememberedBy) => JSON.stringify(one) === JSON.stringify(other);

/** What remembers this answer: declining a form or a URL mutes its server, and apps have their own list. */
function rememberedBy({ server, question: { kind } }: InteractionView, id: number): RememberedBy | null {
  if (kind === "app" || kind === "form" || kind === "url") return null;
  if (kind === "roots") return { by: "folders", server, answer: id };
  return kind === "tool" ? { by: "rule", id } : { by: "model", id };
}

function subjectOf(question: InteractionQuestion): string | null {
  if (question.kind === "tool") return question.tool;
  if (question.kind === "app") return question.app;
  if (question.kind === "url") return question.address.domain;
  if (question.kind === "sampling") return question.route?.model ?? null;
  return question.kind === "sampling_answer" ? question.model : null;
}
