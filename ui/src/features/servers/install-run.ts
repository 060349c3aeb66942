// The running or last installation. It continues while the person is elsewhere in the window.
import type { InstallOutcome } from "@/ipc/bindings/InstallOutcome";
import { call, IpcError, stream } from "@/ipc/bridge";
import { KeyedStore, useKeyed } from "@/lib/keyed-store";

export interface InstallRun {
  readonly callId: string;
  /** The server that it was started for. */
  readonly server: number;
  readonly package: string;
  /** The program's official page. */
  readonly page: string;
  readonly line: readonly string[];
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly cancelling: boolean;
  /** The end of the output. */
  readonly output: string;
  /** Null while it runs. */
  readonly outcome: InstallOutcome | IpcError | null;
}

const LAST = "last";
const runs = new KeyedStore<InstallRun>();

export const useInstallRun = () => useKeyed(runs, LAST);

export const forgetInstall = () => runs.delete(LAST);

export async function beginInstall(begun: Pick<InstallRun, "server" | "package" | "page" | "line">): Promise<void> {
  const callId = crypto.randomUUID();
  const change = (part: Partial<InstallRun>) => {
    const run = runs.get(LAST);
    if (run?.callId === callId) runs.set(LAST, { ...run, ...part });
  };
  runs.set(LAST, { ...begun, callId, startedAt: Date.now(), cancelling: false, output: "", outcome: null });
  const { server: id, line } = begun;
  const outcome = await stream("install_program", { id, callId, line: [...line] }, (output) => change({ output })).catch((error: unknown) =>
    IpcError.from(error),
  );
  change({ outcome });
}

export function cancelInstall(): void {
  const run = runs.get(LAST);
  if (run === undefined || run.outcome !== null) return;
  runs.set(LAST, { ...run, cancelling: true });
  // It may have ended meanwhile.
  void call("cancel_call", { callId: run.callId }).catch(() => undefined);
}
