// Opens and answers a question. An approval only counts after the question was unchanged for a second, which the host
// checks too.
import { useEffect, useEffectEvent, useState } from "react";
import type { DecisionView } from "@/ipc/bindings/DecisionView";
import type { InteractionAnswer } from "@/ipc/bindings/InteractionAnswer";
import type { Remember } from "@/ipc/bindings/Remember";
import { call, IpcError } from "@/ipc/bridge";
import { useArmed } from "@/lib/use-armed";
import { useCommand } from "@/lib/use-command";

interface Opened {
  /** The number of times that it was opened. An older nonce may be used up. */
  readonly opening: number;
  /** The nonces of the question and of those answered with it, by row. */
  readonly nonces: ReadonlyMap<number, string>;
  /** The time on this page's clock from which the host accepts an approval. */
  readonly armedAt: number;
}

export interface Answering {
  /** Whether an approval would count now. */
  readonly armed: boolean;
  /** Whether it is open and the second is running. */
  readonly arming: boolean;
  /** The answer that is being sent. */
  readonly busy: InteractionAnswer["action"] | "retry" | null;
  /** Whether the host has accepted an answer. */
  readonly done: boolean;
  /** Whether the host has said that the answer is no longer needed. */
  readonly late: boolean;
  readonly problem: IpcError | null;
  readonly send: (answer: InteractionAnswer) => Promise<void>;
  /** Asks the model again, or opens the URL again. */
  readonly retry: () => Promise<void>;
}

interface Asking {
  readonly id: number;
  /** Equal questions for the same answer, each with its own nonce and decision. */
  readonly others?: readonly number[];
  /** How long the answers to those are remembered. */
  readonly othersRemember?: Remember;
  /** What is asked right now. A change restarts the second. */
  readonly step: string;
  /** False once the answer is no longer needed. */
  readonly live: boolean;
  /** Whether the question stays open after an approval. */
  readonly stays?: boolean;
  /** `missed`: how many of the other questions could not be answered. */
  readonly onDone: (answer: InteractionAnswer, decision: DecisionView, missed: number) => void;
}

const NONE: readonly number[] = [];

export function useAnswering({ id, others = NONE, othersRemember = "once", step, live, stays = false, onDone }: Asking): Answering {
  const { run } = useCommand({ failure: "shown" });
  const [last, setLast] = useState<Opened | null>(null);
  const [busy, setBusy] = useState<Answering["busy"]>(null);
  const [done, setDone] = useState(false);
  const [problem, setProblem] = useState<IpcError | null>(null);
  const [openings, setOpenings] = useState(0);
  /** Declined before the question was open. It is sent as soon as it is. */
  const [early, setEarly] = useState<InteractionAnswer | null>(null);
  const opened = last?.opening === openings ? last : null;
  /** The questions that the answer is for, as a stable text. */
  const whom = [id, ...others].join(" ");
  const late = problem?.code === "not_waiting";

  const attempt = async (
    what: NonNullable<Answering["busy"]>,
    nonce: string | undefined,
    work: (nonce: string, failed: (error: IpcError) => void) => Promise<unknown>,
  ): Promise<void> => {
    if (nonce === undefined || busy !== null || done || late || !live) return;
    setBusy(what);
    setProblem(null);
    await work(nonce, (error) => {
      setBusy(null);
      setProblem(error);
      if (error.code !== "not_waiting") setOpenings((now) => now + 1);
    });
  };

  const sendWith = (by: string | undefined, answer: InteractionAnswer): Promise<void> =>
    attempt(answer.action, by, (nonce, failed) => {
      const answered = async (decision: DecisionView) => {
        const missed = await answerOthers(answer);
        setBusy(null);
        if (stays && answer.action === "accept") setOpenings((now) => now + 1);
        else setDone(true);
        onDone(answer, decision, missed);
      };
      return run("answer_interaction", { id, nonce, answer }, { done: (decision) => void answered(decision), failed });
    });

  /** Answers each of the other questions. Returns how many failed. */
  const answerOthers = async (answer: InteractionAnswer): Promise<number> => {
    const same = answer.action === "cancel" ? answer : { ...answer, remember: othersRemember };
    let missed = 0;
    for (const other of others) {
      const nonce = opened?.nonces.get(other) ?? "";
      await run("answer_interaction", { id: other, nonce, answer: same }, { failed: () => (missed += 1) });
    }
    return missed;
  };

  const asked = () => {
    setBusy(null);
    setOpenings((now) => now + 1);
  };

  const sayEarly = useEffectEvent((nonce: string) => {
    setEarly(null);
    if (early !== null) void sendWith(nonce, early);
  });

  useEffect(() => {
    if (!live) return;
    let wanted = true;
    const open = async () => {
      try {
        const ids = whom.split(" ").map(Number);
        // If one of them fails, the rest is answered anyway.
        const opened = await Promise.all(
          ids.map((one) => call("open_interaction", { id: one }).catch((error: unknown) => (one === id ? Promise.reject(error) : null))),
        );
        if (!wanted) return;
        const nonces = new Map(ids.flatMap((one, at) => (opened[at] ? [[one, opened[at].nonce] as const] : [])));
        const armedIn = Math.max(...opened.map((one) => one?.armedIn ?? 0));
        setLast({ opening: openings, nonces, armedAt: performance.now() + armedIn });
        sayEarly(nonces.get(id) ?? "");
      } catch (thrown) {
        if (!wanted) return;
        setEarly(null);
        setProblem(IpcError.from(thrown));
      }
    };
    void open();
    return () => {
      wanted = false;
    };
  }, [id, whom, live, openings]);

  const stoodStill = useArmed(`${step} ${whom}`, live ? (opened?.armedAt ?? null) : null);
  const armed = live && !late && stoodStill;

  const send = async (answer: InteractionAnswer): Promise<void> => {
    if (answer.action === "accept" && !armed) return;
    if (opened === null && answer.action !== "accept") setEarly(answer);
    else await sendWith(opened?.nonces.get(id), answer);
  };

  return {
    armed,
    arming: opened !== null && !armed && live && !late,
    busy: busy ?? (early !== null && live ? early.action : null),
    done,
    late,
    problem,
    send,
    retry: () =>
      attempt("retry", opened?.nonces.get(id), (nonce, failed) => run("retry_interaction", { id, nonce }, { done: asked, failed })),
  };
}
