// Merges arguments that were typed elsewhere into a tool's draft.
import type { ToolView } from "@/ipc/bindings/ToolView";
import { setAt } from "@/components/form/draft";
import { parseJson } from "@/lib/schema/parse";
import { showTab } from "../selection";
import { modelOf } from "../session";
import { changeDraft } from "./drafts";

/** Sets these members in a tool's arguments and keeps the others. False if the arguments are invalid JSON. */
export function putArguments(server: number, tool: ToolView, text: string): boolean {
  const parsed = parseJson(text);
  const members = parsed.ok && parsed.node.kind === "object" ? parsed.node.members : [];
  const draft = changeDraft(server, tool.name, modelOf(tool.inputSchema), (now) =>
    members.reduce((next, { key, value }) => setAt(next, [key], value), now),
  );
  showTab("arguments");
  return draft.error === null;
}
