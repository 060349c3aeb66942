import { useQuery } from "@tanstack/react-query";
import { Circle, Hourglass, X } from "lucide-react";
import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import { ContextMenu, type MenuItem } from "@/components/menu";
import { offerIcon } from "@/components/offer-icon";
import { Spinner } from "@/components/spinner";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { inbox, resources } from "@/ipc/queries";
import { cx } from "@/lib/cx";
import { useShortcut } from "@/lib/shortcuts";
import { visibleLine } from "@/lib/untrusted";
import { fillInNext } from "@/lib/work-focus";
import { closeCalls, keepCall, keyOf, type OpenCall, useOpenCalls } from "./open-calls";
import { useRuns } from "./runs";
import { useResultTab, type View } from "./selection";
import { type Spot, targetKey } from "./target";
import { askedOf } from "./waits-for-you";

const PANEL = "workbench-call";
const tabId = (key: string) => `call-tab-${encodeURIComponent(key.toWellFormed())}`;

export interface Opens {
  readonly servers: readonly ServerView[];
  readonly view: View;
  /** Whether arguments and result are side by side. */
  readonly side: boolean;
  readonly onSelect: (server: number, spot: Spot | undefined) => void;
}

/** The open calls as tabs above the selected one. */
export function CallTabs({ servers, view, side, onSelect, children }: Opens & { children: ReactNode }) {
  const calls = useOpenCalls().filter(({ server }) => servers.some(({ id }) => id === server));
  const chosen =
    view.server === undefined || view.spot === undefined || view.spot.kind === "tasks" ? null : targetKey(view.server, view.spot);
  const open = calls.some((call) => keyOf(call) === chosen);
  /** Whether the next selected tab gets the focus. Without a tab, the tree or its button does. */
  const follows = useRef(false);
  const follow = (does: boolean) => {
    follows.current = does;
  };
  const none = calls.length === 0;
  // Here, because the strip disappears with the last call.
  useEffect(() => {
    const shown = none || chosen === null ? null : document.getElementById(tabId(chosen));
    shown?.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (follows.current) (shown ?? document.getElementById("workbench-tree") ?? document.getElementById("workbench-tree-opener"))?.focus();
    follows.current = false;
  }, [chosen, none]);
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      {!none && <Strip calls={calls} chosen={chosen} servers={servers} side={side} onSelect={onSelect} onFollow={follow} />}
      <div
        id={PANEL}
        {...(open && chosen !== null ? { role: "tabpanel", "aria-labelledby": tabId(chosen) } : {})}
        className="flex min-h-0 min-w-0 flex-1 flex-col"
      >
        {children}
      </div>
    </div>
  );
}

function Strip({
  calls,
  chosen,
  servers,
  side,
  onSelect,
  onFollow,
}: Omit<Opens, "view"> & { calls: readonly OpenCall[]; chosen: string | null; onFollow: (follows: boolean) => void }) {
  const { t } = useTranslation("workbench");
  const strip = useRef<HTMLDivElement>(null);
  const [tab] = useResultTab(!side);
  const at = calls.findIndex((call) => keyOf(call) === chosen);

  const show = (call: OpenCall | undefined, inStrip: boolean) => {
    const shown = tab === "arguments" || side;
    const keeps = inStrip || call === undefined || !shown;
    onFollow(keeps);
    if (!keeps) fillInNext(call.server, call.target.kind, call.target.name, true);
    const server = calls[at]?.server;
    if (call !== undefined) onSelect(call.server, call.target);
    else if (server !== undefined) onSelect(server, undefined);
  };
  const step = (by: number) => show(calls[(Math.max(at, 0) + by + calls.length) % calls.length], false);
  const close = (call: OpenCall, inStrip = false) => {
    const index = calls.indexOf(call);
    if (calls.length === 1) onFollow(true);
    closeCalls((one) => keyOf(one) === keyOf(call));
    if (keyOf(call) === chosen) show(calls[index + 1] ?? calls[index - 1], inStrip);
    else if (inStrip) strip.current?.querySelector<HTMLElement>("[aria-selected=true]")?.focus();
  };
  const closeOthers = (kept: OpenCall) => {
    closeCalls((one) => keyOf(one) !== keyOf(kept));
    if (keyOf(kept) !== chosen) show(kept, true);
  };
  const closeAll = () => {
    closeCalls(() => true);
    show(undefined, true);
  };
  const current = calls[at];
  useShortcut("mod+w", () => current !== undefined && close(current), { enabled: current !== undefined });
  useShortcut("mod+pagedown", () => step(1), { enabled: calls.length > 1, repeats: true });
  useShortcut("mod+pageup", () => step(-1), { enabled: calls.length > 1, repeats: true });

  const onKeyDown = (call: OpenCall) => (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const index = calls.indexOf(call);
    const moves: Record<string, () => void> = {
      ArrowLeft: () => show(calls.at(index - 1), true),
      ArrowRight: () => show(calls[(index + 1) % calls.length], true),
      Home: () => show(calls[0], true),
      End: () => show(calls.at(-1), true),
      Delete: () => close(call, true),
    };
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    move();
  };
  const several = new Set(calls.map(({ server }) => server)).size > 1;
  return (
    <div
      ref={strip}
      role="tablist"
      aria-label={t("calls.label")}
      onWheel={(event) => {
        if (event.deltaX === 0) event.currentTarget.scrollLeft += event.deltaY;
      }}
      className="flex h-8.5 shrink-0 overflow-x-auto border-b border-line bg-sunken [scrollbar-width:none]"
    >
      {calls.map((call, index) => {
        const key = keyOf(call);
        const menu: MenuItem[] = [
          ...(call.kept ? [] : [{ label: t("calls.keep"), onSelect: () => keepCall(call.server, call.target) }, "separator" as const]),
          { label: t("calls.close"), icon: X, onSelect: () => close(call), ...(key === chosen ? { keys: "mod+w" } : {}) },
          { label: t("calls.closeOthers"), disabled: calls.length < 2, onSelect: () => closeOthers(call) },
          { label: t("calls.closeAll"), onSelect: closeAll },
        ];
        return (
          <ContextMenu key={key} items={menu}>
            <div role="presentation" className="flex min-w-0 shrink-0">
              <CallTab
                call={call}
                server={servers.find(({ id }) => id === call.server)}
                named={several}
                selected={key === chosen}
                stop={key === chosen || (at < 0 && index === 0)}
                onShow={() => show(call, false)}
                onClose={() => close(call)}
                onKeyDown={onKeyDown(call)}
              />
            </div>
          </ContextMenu>
        );
      })}
    </div>
  );
}

/** The name of an item on its tab, and its icon. */
function useLook({ server, target }: OpenCall) {
  // Only known data, because a tab loads nothing.
  const { data } = useQuery({ ...resources(server), enabled: false });
  const resource = target.kind === "resource" ? data?.resources.find(({ uri }) => uri === target.name) : undefined;
  const template = target.kind === "template" ? data?.templates.find(({ uriTemplate }) => uriTemplate === target.name) : undefined;
  const name = (resource ?? template)?.name;
  return { name: name === undefined || name === "" ? target.name : name, icon: offerIcon(target.kind, resource?.mimeType ?? null) };
}

/** The state of a call on its tab. */
function useMark({ server, target, edited }: OpenCall): "waiting" | "running" | "edited" | null {
  const { data } = useQuery(inbox());
  const runs = useRuns(server, target);
  if (askedOf(data?.waiting ?? [], runs) !== null) return "waiting";
  if (runs.some(({ state }) => state !== "done")) return "running";
  return edited ? "edited" : null;
}

function CallTab({
  call,
  server,
  named,
  selected,
  stop,
  onShow,
  onClose,
  onKeyDown,
}: {
  call: OpenCall;
  server: ServerView | undefined;
  /** Whether the tabs belong to several servers. */
  named: boolean;
  selected: boolean;
  /** Whether this is the strip's Tab stop. */
  stop: boolean;
  onShow: () => void;
  onClose: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
}) {
  const { t } = useTranslation("workbench");
  const { name, icon } = useLook(call);
  const mark = useMark(call);
  const close = (event: MouseEvent) => {
    event.preventDefault();
    event.stopPropagation();
    onClose();
  };
  return (
    <button
      type="button"
      role="tab"
      id={tabId(keyOf(call))}
      aria-selected={selected}
      aria-controls={PANEL}
      aria-keyshortcuts="Delete"
      tabIndex={stop ? 0 : -1}
      data-kept={call.kept}
      title={`${visibleLine(call.target.name)} · ${visibleLine(server?.name ?? "")}`}
      onClick={onShow}
      onDoubleClick={() => keepCall(call.server, call.target)}
      // The middle button would start scrolling.
      onMouseDown={(event) => event.button === 1 && event.preventDefault()}
      onAuxClick={(event) => event.button === 1 && close(event)}
      onKeyDown={onKeyDown}
      className={cx(
        "group/tab inset-focus flex h-8.5 max-w-60 min-w-24 items-center gap-1.5 border-r border-line pr-1.5 pl-3 text-left transition-colors",
        selected ? "bg-surface text-fg shadow-[inset_0_2px_0_var(--accent)]" : "text-fg-2 hover:bg-hover hover:text-fg",
      )}
    >
      <Icon of={icon} className="shrink-0 text-fg-3" />
      <span className={cx("min-w-0 flex-1 truncate", !call.kept && "italic")}>
        <bdi>{visibleLine(name)}</bdi>{" "}
        <span className={named ? "ml-0.5 text-sm text-fg-3" : "sr-only"}>
          <bdi>{visibleLine(server?.name ?? "")}</bdi>
        </span>
        {mark !== null && <span className="sr-only"> {t(`calls.mark.${mark}`)}</span>}
      </span>
      <span aria-hidden className="grid size-5 shrink-0 place-items-center *:col-start-1 *:row-start-1">
        {mark !== null && (
          <span className={cx("group-hover/tab:invisible", MARKS[mark])}>
            {mark === "waiting" ? (
              <Icon of={Hourglass} size={12} />
            ) : mark === "running" ? (
              <Spinner />
            ) : (
              <Circle size={7} fill="currentColor" />
            )}
          </span>
        )}
        {/* Delete closes it with the keyboard. */}
        {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions */}
        <span
          data-close
          onClick={close}
          className={cx(
            "grid size-5 place-items-center rounded-xs text-fg-3 hover:bg-hover hover:text-fg",
            (mark !== null || !selected) && "invisible group-hover/tab:visible",
          )}
        >
          <Icon of={X} size={12} />
        </span>
      </span>
    </button>
  );
}

const MARKS = { waiting: "text-wait", running: "text-info", edited: "text-fg-3" } as const;
