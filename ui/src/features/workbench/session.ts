// A tool in the Workbench: its form, its draft, and running it.
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { ToolView } from "@/ipc/bindings/ToolView";
import { valueCheck } from "@/ipc/queries";
import { isError, type Problem } from "@/lib/schema/check";
import { compileSchema } from "@/lib/schema/compile";
import { at } from "@/lib/schema/json";
import type { Field, FormModel } from "@/lib/schema/model";
import { useDebounced } from "@/lib/use-debounced";
import { argumentsOf, asText, chosenIn, type Draft, problemsOf } from "@/components/form/draft";
import { changeDraft, useDraft } from "./args/drafts";
import { focusProblem } from "@/components/form/form-context";
import { begin } from "./begin";
import { cancelRun, type Run, useRuns } from "./runs";
import { type EditMode, showTab, useEditMode } from "./selection";
import type { Target } from "./target";
import { fillArguments, holdsSecret, sealArguments, useVariables } from "./variables/variables";
import { isConnected } from "./tree/tree-rows";

const models = new Map<string, FormModel>();

/** The form of a schema. The last few are cached, because a schema can be large and is used often. */
export function modelOf(text: string | null): FormModel {
  const key = text ?? "";
  const kept = models.get(key);
  if (kept !== undefined) return kept;
  const model = compileSchema(text);
  if (models.size >= 32) models.delete(models.keys().next().value ?? "");
  models.set(key, model);
  return model;
}

/** How long to wait after a change before the host validates the arguments, in milliseconds. */
const REST = 150;

export interface Session {
  readonly model: FormModel;
  readonly root: Field | null;
  readonly draft: Draft;
  /** The problems in the host's last answer. */
  readonly problems: readonly Problem[];
  /** The patterns that the host does not check. */
  readonly unchecked: ReadonlySet<string>;
  /** Whether the host could not validate. */
  readonly failed: boolean;
  /** Form, if there is one and it is selected. */
  readonly mode: EditMode;
  readonly setMode: (mode: EditMode) => void;
  readonly change: (edit: (draft: Draft) => Draft) => void;
  readonly running: Run | undefined;
  readonly connected: boolean;
  /** Runs the tool if the host finds no problems. Otherwise shows them first, unless `anyway` is set. */
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
  const variables = useVariables();
  const typed = argumentsOf(draft);
  const args = typed === null ? null : fillArguments(typed, variables);
  const schema = tool.inputSchema ?? "";
  const question = { args, chosen: root === null ? {} : chosenIn(draft, root) };
  const rested = JSON.parse(useDebounced(JSON.stringify(question), REST)) as typeof question;
  const client = useQueryClient();
  const { data: check, isError: failed } = useQuery({
    ...valueCheck(schema, rested.args ?? "", rested.chosen),
    enabled: root !== null && rested.args !== null,
    placeholderData: keepPreviousData,
  });
  // Only the host knows the values of secrets.
  const isKnown = ({ path }: Problem) => {
    const value = at(draft.value, path);
    return value?.kind !== "string" || !holdsSecret(value.value, variables);
  };
  const problems = problemsOf(draft, root, check).filter(isKnown);
  const unchecked = new Set(
    check?.unchecked.flatMap(({ rule, asked: pattern }) => (rule === "pattern" && pattern !== null ? [pattern] : [])),
  );
  const asking = useRef(false);
  const target: Target = { kind: "tool", name: tool.name };
  const running = useRuns(server.id, target).find((run) => run.state !== "done");
  const connected = isConnected(server.state);
  const change = (edit: (draft: Draft) => Draft) => {
    changeDraft(server.id, tool.name, model, edit);
  };
  const show = (found: readonly Problem[]) => {
    change((now) => ({ ...now, revealed: true }));
    showTab("arguments");
    if (mode === "form") showProblem(found);
    else setTimeout(() => document.querySelector<HTMLElement>("[data-json-arguments] .cm-content")?.focus(), 60);
  };
  /** Sends the arguments, which were validated or are sent anyway. */
  const send = (checked: string) => {
    begin({ server: { id: server.id, name: server.name }, target, ...sealArguments(checked, variables) });
  };
  const run = (anyway = false) => {
    if (!connected || running !== undefined || asking.current) return;
    if (typed === null || args === null) return show(problems);
    if (anyway || root === null) return send(typed);
    asking.current = true;
    void client
      .fetchQuery(valueCheck(schema, args, question.chosen))
      .then(
        (answer) => problemsOf(draft, root, answer).filter(isKnown).filter(isError),
        () => null,
      )
      .then((found) => (found?.length === 0 ? send(typed) : show(found ?? [])))
      .finally(() => {
        asking.current = false;
      });
  };
  return {
    model,
    root,
    draft,
    problems,
    unchecked,
    failed,
    mode,
    setMode,
    change,
    running,
    connected,
    run,
    cancel: () => running && cancelRun(running.id),
  };
}

/** Focuses the first problem once it is drawn. Collapsed groups open for it. */
export function showProblem(problems: readonly Problem[]): void {
  setTimeout(() => focusProblem(problems.filter(isError)), 60);
}
