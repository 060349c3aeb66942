// The questions of the scripted backend: asked, opened, answered, withdrawn, and how they were decided.
import type { DecisionEvents } from "@/ipc/bindings/DecisionEvents";
import type { DecisionFilter } from "@/ipc/bindings/DecisionFilter";
import type { DecisionOutcome } from "@/ipc/bindings/DecisionOutcome";
import type { DecisionView } from "@/ipc/bindings/DecisionView";
import type { RememberedBy } from "@/ipc/bindings/RememberedBy";
import type { FormMistake } from "@/ipc/bindings/FormMistake";
import type { HostEvent } from "@/ipc/bindings/HostEvent";
import type { InboxView } from "@/ipc/bindings/InboxView";
import type { InteractionAnswer } from "@/ipc/bindings/InteractionAnswer";
import type { InteractionOpening } from "@/ipc/bindings/InteractionOpening";
import type { InteractionView } from "@/ipc/bindings/InteractionView";
import type { LogEntry } from "@/ipc/bindings/LogEntry";
import type { PutOff } from "@/ipc/bindings/PutOff";
import type { Sentence } from "@/ipc/bindings/Sentence";
import type { SilencedServer } from "@/ipc/bindings/SilencedServer";
import { checkForm } from "./inbox-check";
import { decided, questions } from "./inbox-questions";
import { said, say } from "./say";
import type { Scene } from "./scenes";

const ARMED_AFTER = 1_000;

/** As the real host refuses: with an object, not an error. */
function refuse(code: string, message: string | Sentence, details: unknown = null): never {
  // oxlint-disable-next-line no-throw-literal
  throw { code, message: typeof message === "string" ? say(message) : message, details };
}

export class Inbox {
  waiting: InteractionView[];
  silenced: SilencedServer[];
  decisions: DecisionView[];
  /** Every accepting answer that was taken, for tests. */
  readonly accepted: { id: number; answer: InteractionAnswer }[] = [];
  /** The questions that were to be tried once more. */
  readonly retried: number[] = [];
  /** Answers are remembered that are to be; it can fail, for tests. */
  remembers = true;
  readonly drafts = new Map<number, string>();
  /** What refuses the next answers, for tests. */
  refuses: { code: string; message: string | Sentence; details?: unknown } | null = null;
  private readonly openings = new Map<number, { nonce: string; at: number }>();
  private readonly removedRules = new Map<number, DecisionView>();
  private readonly tell: (event: HostEvent) => void;
  private readonly timers: ReturnType<typeof setTimeout>[] = [];

  /** The programs whose terminals are always allowed, by their paths. */
  terminals: readonly string[];

  constructor(scene: Scene, tell: (event: HostEvent) => void) {
    this.tell = tell;
    const script = questions(scene);
    this.terminals = scene === "terminals" ? ["/usr/libexec/gnome-terminal-server", "/usr/bin/tmux"] : [];
    this.waiting = script.waiting;
    this.silenced = script.silenced;
    this.decisions = scene === "empty" ? [] : decided();
    if (scene === "inbox_gone" || scene === "inbox_expired")
      this.timers.push(setTimeout(() => this.end(12, scene === "inbox_gone" ? "withdrawn" : "expired"), 1_200));
    if (scene.startsWith("inbox_refuses_"))
      this.refuses = {
        code: scene.slice("inbox_refuses_".length),
        message: said("the database reported: {detail}", { detail: "disk I/O error" }),
      };
    if (scene === "inbox_arrival") this.timers.push(setTimeout(() => this.ask(questions("inbox").waiting.slice(0, 1)), 2_500));
  }

  close(): void {
    for (const timer of this.timers) clearTimeout(timer);
  }

  view(): InboxView {
    return { waiting: this.waiting, silenced: this.silenced };
  }

  ask(more: InteractionView[]): void {
    this.waiting = [...this.waiting, ...more];
    this.tell({ kind: "inbox" });
  }

  /** A question changes while it is looked at, as an answer that streams does. */
  change(id: number, question: Partial<InteractionView["question"]>): void {
    this.waiting = this.waiting.map((item) =>
      item.id === id ? { ...item, question: { ...item.question, ...question } as InteractionView["question"] } : item,
    );
    this.tell({ kind: "inbox" });
  }

  private waits(id: number): InteractionView {
    return this.waiting.find((item) => item.id === id) ?? refuse("not_waiting", "this question is no longer waiting");
  }

  open(id: number): InteractionOpening {
    this.waits(id);
    const before = this.openings.get(id);
    const opening = { nonce: crypto.randomUUID(), at: before?.at ?? performance.now() };
    this.openings.set(id, opening);
    return { nonce: opening.nonce, armedIn: Math.max(0, Math.ceil(opening.at + ARMED_AFTER - performance.now())) };
  }

  answer(id: number, nonce: string, answer: InteractionAnswer): DecisionView {
    const view = this.waits(id);
    const opening = this.openings.get(id);
    if (opening?.nonce !== nonce) refuse("wrong_nonce", "the question was opened anew since");
    if (answer.action === "accept" && performance.now() - opening.at < ARMED_AFTER)
      refuse("too_early", "the question has been open for less than a second");
    if (this.refuses) {
      const { code, message, details = null } = this.refuses;
      this.refuses = null;
      refuse(code, message, details);
    }
    if (answer.action === "accept") {
      const mistakes = view.question.kind === "form" ? this.check(id, answer.content ?? "{}") : [];
      if (mistakes.length > 0) refuse("invalid_answer", "the answer doesn’t match the form", { mistakes });
      this.accepted.push({ id, answer });
      if (view.question.kind === "app" && view.question.program !== null && answer.remember === "always") {
        this.terminals = [...this.terminals, view.question.program];
        this.tell({ kind: "apps" });
      }
    }
    const isKept = this.remembers && answer.action !== "cancel" && answer.remember !== "once";
    const outcome = answer.action === "accept" ? "accepted" : answer.action === "decline" ? "declined" : "cancelled";
    return this.end(id, outcome, isKept ? rememberedBy(view, 900 + id) : null);
  }

  /** How a question ends, also without the person. */
  end(id: number, outcome: DecisionOutcome, remembered: RememberedBy | null = null): DecisionView {
    const view = this.waits(id);
    const decision: DecisionView = {
      id,
      server: view.server,
      serverName: view.serverName,
      kind: view.question.kind,
      subject: subjectOf(view),
      caller: view.occasion.caller,
      outcome,
      reason: null,
      askedAt: view.askedAt,
      decidedAt: Date.now(),
      remembered,
    };
    this.decisions = [decision, ...this.decisions];
    // An address that was opened stays until it is done.
    if (view.question.kind === "url" && !view.question.opened && outcome === "accepted") this.change(id, { opened: true });
    else {
      this.waiting = this.waiting.filter((item) => item.id !== id);
      this.waiting = this.waiting.map((item) =>
        item.server === view.server ? { ...item, position: Math.max(0, item.position - 1) } : item,
      );
    }
    this.tell({ kind: "inbox" });
    return decision;
  }

  draft(id: number, draft: string): null {
    this.drafts.set(id, draft);
    this.waiting = this.waiting.map((item) => (item.id === id ? { ...item, draft } : item));
    return null;
  }

  check(id: number, content: string): FormMistake[] {
    const { question } = this.waits(id);
    return question.kind === "form" ? checkForm(question.fields, content) : [];
  }

  retry(id: number): null {
    this.retried.push(id);
    if (this.waits(id).question.kind === "url") {
      this.change(id, { problem: null });
      return null;
    }
    this.change(id, { problem: null, streaming: true, content: [] });
    this.timers.push(
      setTimeout(
        () =>
          this.change(id, {
            streaming: false,
            content: [JSON.stringify({ type: "text", text: "Second try: the berth is free from 14:00." })],
            stopReason: "endTurn",
          }),
        1_500,
      ),
    );
    return null;
  }

  putOff(id: number, until: PutOff | null): null {
    this.waits(id);
    this.waiting = this.waiting.map((item) => (item.id === id ? { ...item, putOff: until } : item));
    this.tell({ kind: "inbox" });
    return null;
  }

  /** A page of the decisions that fit. */
  find({ kind, outcome, serverId, text }: DecisionFilter, before: number | null, limit: number): DecisionView[] {
    const found = this.decisions.filter(
      (item) =>
        (kind === null || item.kind === kind) &&
        (outcome === null || item.outcome === outcome) &&
        (serverId === null || item.server === serverId) &&
        (text === null || `${item.subject ?? ""}\n${item.serverName}`.toLowerCase().includes(text.toLowerCase())),
    );
    const from = before === null ? 0 : found.findIndex(({ id }) => id === before) + 1;
    return found.slice(from, from + limit);
  }

  /** What the log has of a decision: of a form what was entered, of others nothing any more. */
  events(id: number): DecisionEvents {
    const decision = this.decisions.find((item) => item.id === id) ?? refuse("not_waiting", "no such decision");
    if (decision.kind !== "form" || decision.server === null) return { asked: null, sent: null };
    const message = (at: number, direction: "in" | "out", body: unknown): LogEntry => ({
      id: id * 10 + (direction === "in" ? 1 : 2),
      at: at * 1_000,
      serverId: decision.server,
      source: decision.serverName,
      connection: 1,
      kind: "frame",
      direction,
      method: "elicitation/create",
      rpcId: "7",
      subject: null,
      status: direction === "in" ? "none" : "ok",
      app: null,
      call: null,
      durationUs: null,
      size: 120,
      preview: JSON.stringify(body),
      body: JSON.stringify(body),
    });
    const asked = message(decision.askedAt, "in", {
      jsonrpc: "2.0",
      id: 7,
      method: "elicitation/create",
      params: { message: "Who is on watch?" },
    });
    const action = { accepted: "accept", declined: "decline" }[decision.outcome as "accepted"] ?? "cancel";
    return { asked, sent: message(decision.decidedAt, "out", { jsonrpc: "2.0", id: 7, result: { action } }) };
  }

  lift(isMeant: (item: SilencedServer) => boolean): null {
    this.silenced = this.silenced.filter((item) => !isMeant(item));
    this.tell({ kind: "inbox" });
    return null;
  }

  /** A rule goes or comes back. */
  removeRule(rule: number): null {
    const by = { by: "rule", id: rule } as const;
    const decision = this.decisions.find((item) => isSame(item.remembered, by));
    if (decision) this.removedRules.set(rule, decision);
    this.forget(by);
    return null;
  }

  /** An answer is remembered no longer. */
  forget(by: RememberedBy): void {
    this.decisions = this.decisions.map((item) => (isSame(item.remembered, by) ? { ...item, remembered: null } : item));
    if (by.by === "rule") this.tell({ kind: "rules" });
  }

  restoreRule(rule: number): void {
    const before = this.removedRules.get(rule);
    this.decisions = this.decisions.map((item) => (item.id === before?.id ? { ...item, remembered: { by: "rule", id: rule } } : item));
    this.tell({ kind: "rules" });
  }
}

const isSame = (one: RememberedBy | null, other: RememberedBy) => JSON.stringify(one) === JSON.stringify(other);

/** What remembers an answer to this, as the host keeps it. */
function rememberedBy({ server, question }: InteractionView, id: number): RememberedBy | null {
  // Apps has what an app may do, Settings which terminals are always allowed.
  if (question.kind === "app") return null;
  // A no to a form or an address silences its server.
  if (question.kind === "form" || question.kind === "url") return null;
  if (question.kind === "roots") return { by: "folders", server, answer: id };
  return question.kind === "tool" ? { by: "rule", id } : { by: "model", id };
}

function subjectOf({ question }: InteractionView): string | null {
  switch (question.kind) {
    case "tool":
      return question.tool;
    case "app":
      return question.app;
    case "url":
      return question.address.domain;
    case "sampling":
      return question.route?.model ?? null;
    case "sampling_answer":
      return question.model;
    case "form":
    case "roots":
      return null;
  }
}
