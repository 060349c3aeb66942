// The state of the Workbench: the selected item, the edit mode, the tab, the run. It lives outside of the screen, so
// that it is unchanged when the person comes back.
import { recall, remember } from "@/lib/remembered";
import { KeyedStore, useKeyed } from "@/lib/keyed-store";
import { useOpenedLogged } from "./logged";
import { forgetOpenCalls, openCall } from "./open-calls";
import { type Run, useRuns } from "./runs";
import { sameSpot, type Spot, type Target, targetKey } from "./target";

export type EditMode = "form" | "json";
export type ResultTab = "arguments" | "result" | "structured" | "raw" | "history";

export interface View {
  readonly server: number | undefined;
  readonly spot: Spot | undefined;
}

const views = new KeyedStore<View>();
const modes = new KeyedStore<EditMode>();
const tabs = new KeyedStore<Exclude<ResultTab, "arguments">>();
/** Whether a narrow window shows the arguments, which have their own tab before the result. */
const front = new KeyedStore<boolean>();
const shown = new KeyedStore<string>();
const nowhere: View = { server: undefined, spot: undefined };

/** The last view, also from before a restart. */
export function useLastView(): View {
  return useKeyed(views, "last") ?? recallView();
}

export function rememberView(view: View): void {
  if (view.server !== undefined && view.spot !== undefined && view.spot.kind !== "tasks") openCall(view.server, view.spot);
  const before = views.get("last");
  if (before?.server === view.server && sameSpot(before?.spot, view.spot)) return;
  views.set("last", view);
  const { server, spot } = view;
  // A URI may contain a secret.
  const named = spot?.kind === "tool" || spot?.kind === "prompt" ? [spot.kind, spot.name] : [];
  if (server !== undefined) remember("workbench.view", [server, ...named].join(" "));
}

/** The last view before the window was closed. */
function recallView(): View {
  const [, server, kind, name] = /^(\d+)(?: (tool|prompt) (.+))?$/s.exec(recall("workbench.view") ?? "") ?? [];
  if (server === undefined) return nowhere;
  const spot = name !== undefined && (kind === "tool" || kind === "prompt") ? ({ kind, name } as const) : undefined;
  return { server: Number(server), spot };
}

/** Form or JSON: the last choice, for all tools. */
export function useEditMode(): [EditMode, (mode: EditMode) => void] {
  const mode = useKeyed(modes, "mode") ?? (recall("workbench.mode") === "json" ? "json" : "form");
  return [
    mode,
    (next) => {
      modes.set("mode", next);
      remember("workbench.mode", next);
    },
  ];
}

/** The tab on the right. `withArguments` if they are one of the tabs. */
export function useResultTab(withArguments: boolean): [ResultTab, (tab: ResultTab) => void] {
  const tab = useKeyed(tabs, "tab") ?? "result";
  const inFront = useKeyed(front, "arguments") ?? true;
  return [withArguments && inFront ? "arguments" : tab, showTab];
}

/** Selects a tab. Does nothing for the arguments if they have their own pane. */
export function showTab(tab: ResultTab): void {
  front.set("arguments", tab === "arguments");
  if (tab !== "arguments") tabs.set("tab", tab);
}

/** The run to show: the one chosen in the history, or the newest. */
export function useShownRun(server: number, target: Target): { run: Run | undefined; latest: Run | undefined } {
  const runs = useRuns(server, target);
  const picked = useKeyed(shown, targetKey(server, target));
  const logged = useOpenedLogged(server, target);
  const [latest] = runs;
  return { run: [...runs, ...(logged === undefined ? [] : [logged])].find((run) => run.id === picked) ?? latest, latest };
}

/** Shows a run. */
export function showRun(server: number, target: Target, id: string): void {
  shown.set(targetKey(server, target), id);
}

/** Shows the newest run. */
export function followLatest(server: number, target: Target): void {
  shown.set(targetKey(server, target), "");
}

/** Resets the state, for tests. */
export function forgetSelection(): void {
  for (const store of [views, modes, tabs, front, shown]) store.clear();
  forgetOpenCalls();
}
