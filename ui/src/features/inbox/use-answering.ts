// Opening and answering one question. An approval counts only after the question has stood still for a second; the host checks the same again.
import { useEffect, useEffectEvent, useState } from "react";
import type { DecisionView } from "@/ipc/bindings/DecisionView";
import type { InteractionAnswer } from "@/ipc/bindings/InteractionAnswer";
import type { Remember } from "@/ipc/bindings/Remember";
import { call, IpcError } from "@/ipc/bridge";
import { useArmed } from "@/lib/use-armed";
import { useCommand } from "@/lib/use-command";

interface Opened {
  /** Which opening of the question it is; the nonce of an older one may be used up. */
  readonly opening: number;
  /** Of the question and of each that is answered with it, by their rows. */
  readonly nonces: ReadonlyMap<number, string>;
  /** On this page's clock: from then on the host takes an approval. */
  readonly armedAt: number;
}

export interface Answering {
  /** An approval would count now. */
  readonly armed: boolean;
  /** It is opened, and the second runs. */
  readonly arming: boolean;
  /** What is on its way to the host. */
  readonly busy: InteractionAnswer["action"] | "retry" | null;
  /** The host has taken an answer. */
  readonly done: boolean;
  /** The host has said that nobody waits for an answer any more. */
  readonly late: boolean;
  readonly problem: IpcError | null;
  readonly send: (answer: InteractionAnswer) => Promise<void>;
  /** Asks the model once more, or opens the address once more. */
  readonly retry: () => Promise<void>;
}

interface Asking {
  readonly id: number;
  /** Equal questions that the same answer is for, each with a nonce and a decision of its own. */
  readonly others?: readonly number[];
  /** For how long the answers to those count. */
  readonly othersRemember?: Remember;
  /** What is asked right now: when it changes, the second begins anew. */
  readonly step: string;
  /** False once nobody waits for the answer. */
  readonly live: boolean;
  /** The question goes on waiting after an approval. */
  readonly stays?: boolean;
  /** `missed`: how many of the others the answer did not reach. */
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
  /** A no that was said before the question was open; it is told as soon as it is. */
  const [early, setEarly] = useState<InteractionAnswer | null>(null);
  const opened = last?.opening === openings ? last : null;
  /** Whom the answer is for, as a text that stays the same. */
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

  /** Gives each of the others the same answer; how many it did not reach. */
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
        // Without one of the others the rest is answered.
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
