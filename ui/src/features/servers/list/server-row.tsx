import { type MouseEvent, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { ServerMark } from "@/components/server-mark";
import { Checkbox } from "@/components/toggles";
import { Elapsed } from "@/components/elapsed";
import { StateMark } from "@/components/state-mark";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { cx } from "@/lib/cx";
import { failureWords } from "@/lib/failure-text";
import { formatAgo, formatCount, formatList, formatMoment, formatMs } from "@/lib/format";
import { isMac } from "@/lib/platform";
import { useFocusPassedOn } from "@/lib/row-focus";
import { shownState } from "@/lib/server-state";
import { visibleLine } from "@/lib/untrusted";
import type { ServerActions } from "../actions";
import { longLoad, shortLoad } from "../load-words";
import { type ColumnId, isNumeric } from "./columns";
import { RowActions } from "./row-actions";
import type { Picked } from "./use-picked";
import type { Usage } from "./use-usage";

interface RowProps {
  server: ServerView;
  columns: readonly (readonly [ColumnId, number])[];
  usage: Usage;
  /** The account that is signed in. */
  account: string | undefined;
  now: number;
  chosen: boolean;
  focusable: boolean;
  picked: Picked;
  actions: ServerActions;
  onOpen: (id: number) => void;
  onPage: (id: number) => void;
}

interface Cell {
  readonly text: ReactNode;
  readonly title?: string | undefined;
  readonly className?: string;
}

/** A server. A failure is below its state, if there is no column for it. */
export function ServerRow({ server, columns, usage, account, now, chosen, focusable, picked, actions, onOpen, onPage }: RowProps) {
  const { t, i18n } = useTranslation("common");
  const [pointed, setPointed] = useState(false);
  const row = useFocusPassedOn<HTMLTableRowElement>();
  const { failure } = server;
  const words = failure && failureWords(failure, i18n.language);
  const reason = words?.title;
  const whole = words ? visibleLine(`${words.title} ${words.why ?? ""}`.trim()) : undefined;
  const nothing = <span className="text-fg-3">–</span>;
  const { usedBy, lastUsed, load } = usage;
  const state = shownState(server);
  const short = ([first = "", ...rest]: readonly string[]) => (rest.length === 0 ? first : `${first} +${rest.length}`);

  const cellOf = (id: ColumnId): Cell => {
    switch (id) {
      case "state":
        return {
          text: (
            <span className="flex min-w-0 items-center gap-1.5">
              <StateMark state={state} className="min-w-0" />
              {server.state === "starting" && (
                <span className="shrink-0 text-fg-3">
                  <Elapsed since={server.since} />
                </span>
              )}
            </span>
          ),
          title: t(`state.${state}`),
        };
      case "usedBy":
        return usedBy.length === 0
          ? { text: nothing }
          : { text: short(usedBy), title: formatList(usedBy, i18n.language), className: "text-fg-2" };
      case "lastUsed":
        return lastUsed == null
          ? { text: lastUsed === null && nothing }
          : { text: formatAgo(lastUsed, now, i18n.language), title: formatMoment(lastUsed, i18n.language), className: "text-fg-2 tabular" };
      case "tools":
        return {
          text: server.toolCount === null ? nothing : formatCount(server.toolCount, i18n.language),
          className: "text-right tabular",
        };
      case "load":
        return load === undefined
          ? { text: nothing, className: "text-right" }
          : { text: shortLoad(load, t, i18n.language), title: longLoad(load, t, i18n.language), className: "text-right text-fg-2 tabular" };
      case "account":
        return { text: account === undefined ? nothing : <bdi>{account}</bdi>, title: account };
      case "protocol":
        return {
          text: server.revision === null ? server.transport : `${server.transport} ${visibleLine(server.revision)}`,
          className: "mono",
        };
      case "p95":
        return {
          text: server.callTimes === null ? nothing : formatMs(server.callTimes.p95Ms, i18n.language),
          className: "text-right tabular",
        };
      case "error":
        return { text: reason ?? nothing, title: whole, className: "text-fg-2" };
    }
  };
  const shown = columns.map(([id]) => id);
  const isPicked = picked.has(server.id);
  // The open one has a bar at its left, and selected ones a background.
  const cell = cx(
    "h-9.5 truncate border-b border-line px-2.5",
    chosen ? "bg-selected" : isPicked ? "bg-info-soft" : "group-hover:bg-hover",
  );
  const parts = shown.map((id) => ({ id, ...cellOf(id) }));
  const below = failure !== null && server.revision === null && !shown.includes("error") && reason;
  // Only where they can be reached, because a list may have hundreds of rows.
  const verbs = (pointed || focusable) && <RowActions server={server} shown={pointed} focusable={focusable} actions={actions} />;
  const onClick = (event: MouseEvent) => {
    if (isMac ? event.metaKey : event.ctrlKey) picked.toggle(server.id);
    else if (event.shiftKey) picked.rangeTo(server.id);
    else onOpen(server.id);
  };
  const hasState = shown.includes("state");
  // If the state is in its place, it stays visible.
  const picks = pointed || isPicked || (hasState && picked.servers.length > 0);
  return (
    // The grid around the rows handles keys and the menu.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <tr
      ref={row}
      data-server={server.id}
      aria-selected={chosen}
      tabIndex={focusable ? 0 : -1}
      onClick={onClick}
      onDoubleClick={(event) => !event.ctrlKey && !event.metaKey && !event.shiftKey && onPage(server.id)}
      onPointerEnter={() => setPointed(true)}
      onPointerLeave={() => setPointed(false)}
      className="group inset-focus"
    >
      <td className={cx(cell, "pl-4", chosen && "shadow-[inset_2px_0_0_var(--accent)]", parts.length === 0 && "relative overflow-visible")}>
        <span className="relative flex min-w-0 items-center gap-2">
          <span className={cx("inline-flex shrink-0", picks ? "invisible" : "group-focus-visible:invisible")}>
            {hasState ? <ServerMark server={server} small /> : <StateMark state={state} iconOnly className="w-4.5 justify-center" />}
          </span>
          <b data-name-cell className="min-w-0 flex-1 truncate" title={visibleLine(server.name)}>
            {visibleLine(server.name)}
          </b>
          {(picks || focusable) && (
            <PickBox name={visibleLine(server.name)} checked={isPicked} shown={picks} onToggle={() => picked.toggle(server.id)} />
          )}
        </span>
        {parts.length === 0 && verbs}
      </td>
      {parts.map(({ id, text, title, className }, index) => (
        <td key={id} title={title} className={cx(cell, className, index === parts.length - 1 && "overflow-visible pr-0")}>
          {/* Not the cell itself, because a positioned cell would cover the row's focus ring. */}
          <span className={index === parts.length - 1 ? cx("relative block", isNumeric(id) ? "pr-9" : "pr-4") : undefined}>
            <span className="block truncate">{text}</span>
            {id === "state" && below && (
              <span data-reason title={whole} className="block truncate pb-1 pl-5 text-xs text-fg-3">
                {below}
              </span>
            )}
            {index === parts.length - 1 && verbs}
          </span>
        </td>
      ))}
    </tr>
  );
}

/** A check box over a row's icon, after its name for screen readers. Keys select the row itself. */
function PickBox({ name, checked, shown, onToggle }: { name: string; checked: boolean; shown: boolean; onToggle: () => void }) {
  const { t } = useTranslation("servers");
  return (
    // A click next to the small box counts for the box.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions
    <span
      onClick={(event) => {
        event.stopPropagation();
        if (event.target === event.currentTarget) onToggle();
      }}
      onDoubleClick={(event) => event.stopPropagation()}
      className={cx(
        "absolute top-1/2 -left-2 grid size-8.5 -translate-y-1/2 place-items-center",
        !shown && "invisible group-focus-visible:visible",
      )}
    >
      <Checkbox label={t("row.pick", { name })} checked={checked} onChange={onToggle} tabIndex={-1} />
    </span>
  );
}
