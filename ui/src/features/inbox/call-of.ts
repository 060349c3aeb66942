// Finds the call in the Workbench that a question belongs to.
import type { InteractionView } from "@/ipc/bindings/InteractionView";

const kinds: Record<string, "tool" | "prompt" | "resource"> = {
  "tools/call": "tool",
  "prompts/get": "prompt",
  "resources/read": "resource",
};

/** The Workbench's URL parameters for a call: the item, and the call. */
interface CallSearch {
  server: number;
  tool?: string;
  prompt?: string;
  resource?: string;
  run?: string;
}

/** The call's parameters. Null if it was made elsewhere or is unknown. */
export function callOf({ server, occasion }: InteractionView): CallSearch | null {
  const { caller, method, subject, requests } = occasion;
  if (caller !== "workbench") return null;
  const [run] = requests;
  const kind = method === null ? undefined : kinds[method];
  if (run === undefined && (kind === undefined || subject === null)) return null;
  return { server, ...(kind !== undefined && subject !== null && { [kind]: subject }), ...(run !== undefined && { run }) };
}

/** Whether one of these is another step of this question's call. */
export function goesOn(view: InteractionView, others: readonly InteractionView[]): boolean {
  const call = JSON.stringify(callOf(view));
  const [run] = view.occasion.requests;
  return others.some((other) => (run === undefined ? JSON.stringify(callOf(other)) === call : other.occasion.requests.includes(run)));
}
