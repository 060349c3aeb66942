// One tool in the Workbench: its form, its draft, and running it.
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { ToolView } from "@/ipc/bindings/ToolView";
import { compileSchema } from "@/lib/schema/compile";
import type { Field, FormModel } from "@/lib/schema/model";
import type { Problem } from "@/lib/schema/validate";
import { argumentsOf, asText, type Draft, problemsOf } from "./args/draft";
import { changeDraft, useDraft } from "./args/drafts";
import { fieldId } from "./args/form-context";
import { begin } from "./begin";
import { cancelRun, type Run, useRuns } from "./runs";
import { type EditMode, showTab, useEditMode } from "./selection";
import type { Target } from "./target";
import { isConnected } from "./tree/tree-rows";

const models = new Map<string, FormModel>();

/** The form of a schema text. The last few are kept: a schema can be large and is asked for often. */
function modelOf(text: string | null): FormModel {
  const key = text ?? "";
  const kept = models.get(key);
  if (kept !== undefined) return kept;
  const model = compileSchema(text);
  if (models.size >= 32) models.delete(models.keys().next().value ?? "");
  models.set(key, model);
  return model;
}

export interface Session {
  readonly model: FormModel;
  readonly root: Field | null;
  readonly draft: Draft;
  readonly problems: readonly Problem[];
  /** Form where there is one and it is wanted. */
  readonly mode: EditMode;
  readonly setMode: (mode: EditMode) => void;
  readonly change: (edit: (draft: Draft) => Draft) => void;
  readonly running: Run | undefined;
  readonly connected: boolean;
  /** Runs the tool; with problems it shows them first, unless told to run anyway. */
  readonly run: (anyway?: boolean) => void;
  readonly cancel: () => void;
}

export function useSession(server: ServerView, tool: ToolView): Session {
  const model = modelOf(tool.inputSchema);
  const root = model.kind === "form" ? model.root : null;
  const kept = useDraft(server.id, tool.name, model);
  const [wanted, setMode] = useEditMode();
  const mode = root === null ? "json" : wanted;
  const draft = mode === "json" ? asText(kept) : kept;
  const problems = problemsOf(draft, root);
  const target: Target = { kind: "tool", name: tool.name };
  const running = useRuns(server.id, target).find((run) => run.state !== "done");
  const connected = isConnected(server.state);
  const change = (edit: (draft: Draft) => Draft) => {
    changeDraft(server.id, tool.name, model, edit);
  };
  const run = (anyway = false) => {
    if (!connected || running !== undefined) return;
    const args = argumentsOf(draft);
    const errors = problems.filter((problem) => problem.severity === "error");
    if (args === null || (errors.length > 0 && !anyway)) {
      change((now) => ({ ...now, revealed: true }));
      showTab("arguments");
      if (mode === "form") focusProblem(errors[0]);
      return;
    }
    begin({ server: { id: server.id, name: server.name }, target, args });
  };
  return { model, root, draft, problems, mode, setMode, change, running, connected, run, cancel: () => running && cancelRun(running.id) };
}

/** Brings the field with a problem into view, or the nearest group around it that is there. */
export function focusProblem(problem: Problem | undefined): void {
  if (problem === undefined) return;
  // After the problems are drawn: folded groups open for them.
  setTimeout(() => {
    for (let length = problem.path.length; length > 0; length -= 1) {
      const element = document.getElementById(fieldId(problem.path.slice(0, length)));
      if (element === null) continue;
      element.scrollIntoView({ block: "center" });
      element.focus();
      return;
    }
  }, 60);
}
