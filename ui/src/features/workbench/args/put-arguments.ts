// Arguments typed elsewhere, put into those that a tool has already.
import type { ToolView } from "@/ipc/bindings/ToolView";
import { setAt } from "@/components/form/draft";
import { parseJson } from "@/lib/schema/parse";
import { showTab } from "../selection";
import { modelOf } from "../session";
import { changeDraft } from "./drafts";

/** Puts each member of a JSON object into the arguments of a tool; the others stay. False where they can't be changed before their JSON is mended. */
export function putArguments(server: number, tool: ToolView, text: string): boolean {
  const parsed = parseJson(text);
  const members = parsed.ok && parsed.node.kind === "object" ? parsed.node.members : [];
  const draft = changeDraft(server, tool.name, modelOf(tool.inputSchema), (now) =>
    members.reduce((next, { key, value }) => setAt(next, [key], value), now),
  );
  showTab("arguments");
  return draft.error === null;
}
