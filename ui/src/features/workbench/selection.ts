// What the Workbench looks at: the chosen item, the way to edit, the tab, the run. Kept outside the screen, so that
// coming back finds everything as it was left.
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
/** In a narrow window the arguments stand before the result, as a tab of their own. */
const front = new KeyedStore<boolean>();
const shown = new KeyedStore<string>();
const nowhere: View = { server: undefined, spot: undefined };

/** What was looked at last, also before a restart. */
export function useLastView(): View {
  return useKeyed(views, "last") ?? recallView();
}

export function rememberView(view: View): void {
  if (view.server !== undefined && view.spot !== undefined && view.spot.kind !== "tasks") openCall(view.server, view.spot);
  const before = views.get("last");
  if (before?.server === view.server && sameSpot(before?.spot, view.spot)) return;
  views.set("last", view);
  const { server, spot } = view;
  // An address may hold a secret.
  const named = spot?.kind === "tool" || spot?.kind === "prompt" ? [spot.kind, spot.name] : [];
  if (server !== undefined) remember("workbench.view", [server, ...named].join(" "));
}

/** What was looked at before the window was closed. */
function recallView(): View {
  const [, server, kind, name] = /^(\d+)(?: (tool|prompt) (.+))?$/s.exec(recall("workbench.view") ?? "") ?? [];
  if (server === undefined) return nowhere;
  const spot = name !== undefined && (kind === "tool" || kind === "prompt") ? ({ kind, name } as const) : undefined;
  return { server: Number(server), spot };
}

/** Form or JSON, the same for all tools, as chosen last. */
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

/** The tab on the right; `withArguments` where they are one of the tabs. */
export function useResultTab(withArguments: boolean): [ResultTab, (tab: ResultTab) => void] {
  const tab = useKeyed(tabs, "tab") ?? "result";
  const inFront = useKeyed(front, "arguments") ?? true;
  return [withArguments && inFront ? "arguments" : tab, showTab];
}

/** Brings a tab to the front. Where the arguments have their own pane, asking for them changes nothing. */
export function showTab(tab: ResultTab): void {
  front.set("arguments", tab === "arguments");
  if (tab !== "arguments") tabs.set("tab", tab);
}

/** The run on screen: the one picked in the history, else the newest. */
export function useShownRun(server: number, target: Target): { run: Run | undefined; latest: Run | undefined } {
  const runs = useRuns(server, target);
  const picked = useKeyed(shown, targetKey(server, target));
  const logged = useOpenedLogged(server, target);
  const [latest] = runs;
  return { run: [...runs, ...(logged === undefined ? [] : [logged])].find((run) => run.id === picked) ?? latest, latest };
}

/** Picks a run to look at. */
export function showRun(server: number, target: Target, id: string): void {
  shown.set(targetKey(server, target), id);
}

/** Looks at whatever run is the newest. */
export function followLatest(server: number, target: Target): void {
  shown.set(targetKey(server, target), "");
}

/** For tests: as if the window had just opened. */
export function forgetSelection(): void {
  for (const store of [views, modes, tabs, front, shown]) store.clear();
  forgetOpenCalls();
}
