// Runs the checks of a server or of Mooring itself, and collects the results as they come.
import { useCallback, useEffect, useRef, useState } from "react";
import type { Check } from "@/ipc/bindings/Check";
import { call, IpcError, stream } from "@/ipc/bridge";

interface Checks {
  readonly checks: readonly Check[];
  readonly running: boolean;
  /** The report as text. Null while the checks run, and if they were cancelled. */
  readonly report: string | null;
  readonly error: IpcError | null;
}

const begun: Checks = { checks: [], running: true, report: null, error: null };

/** The checks of a saved server, or of Mooring itself without `id`. Leaving cancels them. */
export function useChecks(id: number | null) {
  const [state, setState] = useState<Checks>(begun);
  const current = useRef<string | null>(null);

  const stop = useCallback(() => {
    const callId = current.current;
    current.current = null;
    // It may have ended by itself.
    if (callId !== null) void call("cancel_call", { callId }).catch(() => false);
  }, []);

  const begin = useCallback(async () => {
    const callId = crypto.randomUUID();
    current.current = callId;
    const change = (next: (now: Checks) => Checks) => {
      if (current.current === callId) setState(next);
    };
    try {
      const report = await stream("run_doctor", { id, callId }, (check) => change((now) => ({ ...now, checks: [...now.checks, check] })));
      change((now) => ({ ...now, running: false, report }));
    } catch (error) {
      change((now) => ({ ...now, running: false, error: IpcError.from(error) }));
    }
    if (current.current === callId) current.current = null;
  }, [id]);

  useEffect(() => {
    void begin();
    return stop;
  }, [begin, stop]);

  const again = () => {
    stop();
    setState(begun);
    void begin();
  };

  return { ...state, again };
}
