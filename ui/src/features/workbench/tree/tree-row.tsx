import { useNavigate } from "@tanstack/react-router";
import {
  Bookmark,
  ChevronRight,
  CircleStop,
  ListChecks,
  Pencil,
  Play,
  Radio,
  RotateCcw,
  Server,
  Trash2,
  TriangleAlert,
} from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import { Icon } from "@/components/icon";
import { ContextMenu, type MenuItem } from "@/components/menu";
import { Spinner } from "@/components/spinner";
import { TheirIcon } from "@/components/their-icon";
import { ServerMark } from "@/components/server-mark";
import { StateMark } from "@/components/state-mark";
import type { SavedCall } from "@/ipc/bindings/SavedCall";
import { cx } from "@/lib/cx";
import { formatCount } from "@/lib/format";
import { visibleLine } from "@/lib/untrusted";
import { useRemoveSaved, useRunSaved } from "../saved/saved";
import { useServerActions } from "../server-actions";
import { offerIcon } from "@/components/offer-icon";
import { shownState } from "@/lib/server-state";
import { canStart, isConnected, type TreeRow } from "./tree-rows";
import { openChosen } from "./tree-state";

interface RowProps {
  row: TreeRow;
  selected: boolean;
  /** Whether the row is active for the keyboard. */
  active: boolean;
  running: boolean;
  /** Whether there is a subscription. */
  live: boolean;
  onOpen: () => void;
  onRename: (call: SavedCall) => void;
}

const look = "flex h-full w-full min-w-0 items-center gap-2 rounded-s pr-2 text-left transition-colors";

/** A row: a server, its tasks, a heading, an item, or why there are none. */
export function TreeRowView(props: RowProps) {
  switch (props.row.kind) {
    case "section":
      return <SectionRow {...props} row={props.row} />;
    case "saved":
      return <SavedRow {...props} row={props.row} />;
    case "server":
      return <ServerRow {...props} row={props.row} />;
    case "tasks":
      return <TasksRow {...props} row={props.row} />;
    case "group":
      return <GroupRow {...props} row={props.row} />;
    case "item":
      return <ItemRow {...props} row={props.row} />;
    case "note":
      return <NoteRow {...props} row={props.row} />;
  }
}

/** The common parts of all rows: the position in the tree and the keyboard mark. */
function Item({
  row,
  selected,
  active,
  onOpen,
  level,
  expanded,
  className,
  children,
}: Omit<RowProps, "running" | "live" | "onRename"> & { level: number; expanded?: boolean; className: string; children: ReactNode }) {
  return (
    // The tree has the focus and handles the keys. A row only handles the mouse.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
    <div
      id={row.id}
      role="treeitem"
      aria-level={level}
      aria-selected={selected}
      {...(expanded === undefined ? {} : { "aria-expanded": expanded })}
      onClick={onOpen}
      className={cx(
        look,
        active &&
          "group-has-[:focus-visible]/tree:outline-2 group-has-[:focus-visible]/tree:-outline-offset-2 group-has-[:focus-visible]/tree:outline-accent",
        className,
      )}
    >
      {children}
    </div>
  );
}

function ServerRow({ row, ...props }: RowProps & { row: Extract<TreeRow, { kind: "server" }> }) {
  const { server, open, at, failed } = row;
  const { t } = useTranslation("workbench");
  const actions = useServerActions(server);
  const navigate = useNavigate();
  const menu: MenuItem[] = [
    canStart(server.state)
      ? { label: t("server.start"), icon: Play, onSelect: actions.start }
      : { label: t("server.stop"), icon: CircleStop, onSelect: actions.stop },
    { label: t("server.restart"), icon: RotateCcw, onSelect: actions.restart },
    "separator",
    { label: t("server.show"), icon: Server, onSelect: () => void navigate({ to: "/servers", search: { id: server.id } }) },
  ];
  return (
    <ContextMenu items={menu}>
      <div className="h-full pt-1" role="presentation">
        <Item
          {...props}
          row={row}
          level={1}
          expanded={open}
          className={cx("group/row pl-2 text-md font-semibold text-fg hover:bg-hover", props.selected && "bg-selected")}
        >
          <Icon of={ChevronRight} size={12} className={cx("-mx-0.5 shrink-0 transition-transform", open && "rotate-90")} />
          <ServerMark server={server} small />
          <span data-name-cell className="min-w-0 flex-1 truncate">
            <Marked text={server.name} at={at} />
          </span>
          {canStart(server.state) ? (
            <IconButton
              small
              tabIndex={-1}
              icon={Play}
              label={t("server.startNamed", { name: visibleLine(server.name) })}
              onClick={(event) => {
                event.stopPropagation();
                openChosen(server.id);
                actions.start();
              }}
              className="-mr-1"
            />
          ) : null}
          {failed && isConnected(server.state) && (
            <span className="flex shrink-0 items-center text-bad" title={t("tree.note.unread")}>
              <Icon of={TriangleAlert} />
              <span className="sr-only">{t("tree.note.unread")}</span>
            </span>
          )}
          <StateMark state={shownState(server)} iconOnly />
        </Item>
      </div>
    </ContextMenu>
  );
}

/** The heading of favourites or saved calls. */
function SectionRow({ row, ...props }: RowProps & { row: Extract<TreeRow, { kind: "section" }> }) {
  const { t, i18n } = useTranslation("workbench");
  return (
    <div className="h-full pt-1" role="presentation">
      <Item {...props} row={row} level={1} expanded={row.open} className="pl-2 text-xs font-semibold text-fg-2 hover:bg-hover">
        <Icon of={ChevronRight} size={12} className={cx("-mx-0.5 shrink-0 transition-transform", row.open && "rotate-90")} />
        <span className="min-w-0 truncate">{t(`tree.section.${row.section}`)}</span>
        <span className="font-medium text-fg-3 tabular">{formatCount(row.count, i18n.language)}</span>
      </Item>
    </div>
  );
}

/** A saved call. A click opens it, and its button runs it. */
function SavedRow({ row, onRename, ...props }: RowProps & { row: Extract<TreeRow, { kind: "saved" }> }) {
  const { t } = useTranslation("workbench");
  const run = useRunSaved();
  const remove = useRemoveSaved();
  const { call, server } = row;
  const runIt = () => {
    props.onOpen();
    run(call, server);
  };
  const menu: MenuItem[] = [
    { label: t(`run.do.${call.kind}`), icon: Play, onSelect: runIt },
    { label: t("saved.rename"), icon: Pencil, keys: "F2", onSelect: () => onRename(call) },
    "separator",
    { label: t("saved.delete"), icon: Trash2, keys: "backspace", danger: true, onSelect: () => remove(call) },
  ];
  return (
    <ContextMenu items={menu}>
      <div className="h-full" role="presentation">
        <Item {...props} row={row} level={2} className="group/row pl-5 text-fg-2 hover:bg-hover">
          <Icon of={Bookmark} className="shrink-0 text-fg-3" />
          <span data-name-cell className="min-w-0 flex-1 truncate" title={visibleLine(`${call.item} · ${server.name}`)}>
            <Marked text={call.name ?? ""} at={row.at} />
          </span>
          <IconButton
            small
            tabIndex={-1}
            icon={Play}
            label={t("saved.runNamed", { name: visibleLine(call.name ?? "") })}
            onClick={(event) => {
              event.stopPropagation();
              runIt();
            }}
            className="-mr-1 opacity-0 group-hover/row:opacity-100"
          />
        </Item>
      </div>
    </ContextMenu>
  );
}

function TasksRow({ row, ...props }: RowProps & { row: Extract<TreeRow, { kind: "tasks" }> }) {
  const { t } = useTranslation("workbench");
  const running = row.active - row.waiting;
  return (
    <Item {...props} row={row} level={2} className={cx("pl-5", props.selected ? "bg-selected text-fg" : "text-fg-2 hover:bg-hover")}>
      <Icon of={ListChecks} className={cx("shrink-0", row.active > 0 ? "text-info" : "text-fg-3")} />
      <span className="min-w-0 flex-1 truncate">{t("tree.tasks")}</span>
      {row.waiting > 0 && <span className="shrink-0 text-xs text-wait tabular">{t("tree.tasksWaiting", { count: row.waiting })}</span>}
      <span className={cx("shrink-0 text-xs tabular", row.active > 0 ? "text-info" : "text-fg-3")}>
        {running > 0 ? t("tree.tasksActive", { count: running }) : row.waiting === 0 && row.total}
      </span>
    </Item>
  );
}

/** The heading of one kind of offer, with its count. */
function GroupRow({ row, ...props }: RowProps & { row: Extract<TreeRow, { kind: "group" }> }) {
  const { t, i18n } = useTranslation("workbench");
  const empty = row.count === 0;
  return (
    <Item
      {...props}
      row={row}
      level={2}
      {...(empty ? {} : { expanded: row.open })}
      className={cx("pl-5 text-xs hover:bg-hover", props.selected ? "bg-selected text-fg" : "text-fg-3")}
    >
      <Icon
        of={ChevronRight}
        size={12}
        className={cx("-mx-0.5 shrink-0 transition-transform", row.open && "rotate-90", empty && "invisible")}
      />
      <span className="min-w-0 truncate font-medium">{t(`tree.group.${row.group}`)}</span>
      {row.failed ? (
        <span className="flex min-w-0 items-center gap-1 text-bad">
          <Icon of={TriangleAlert} size={12} />
          <span className="truncate">{t("tree.groupFailed")}</span>
        </span>
      ) : row.count === null ? (
        <span className="truncate">{t("tree.groupLoading")}</span>
      ) : (
        <span className="tabular">{formatCount(row.count, i18n.language)}</span>
      )}
    </Item>
  );
}

function ItemRow({ row, running, live, ...props }: RowProps & { row: Extract<TreeRow, { kind: "item" }> }) {
  const { t } = useTranslation("workbench");
  const idle = !isConnected(row.server.state);
  const { item } = row;
  const shape = offerIcon(item.target.kind, item.mime);
  return (
    <Item
      {...props}
      row={row}
      level={row.grouped ? 3 : 2}
      className={cx(
        row.grouped ? "pl-7" : "pl-5",
        props.selected ? "bg-selected text-fg" : "text-fg-2 hover:bg-hover",
        idle && !props.selected && "opacity-60",
      )}
    >
      <TheirIcon server={row.server} raw={item.raw} size={14}>
        <Icon of={shape} className="shrink-0 text-fg-3" />
      </TheirIcon>
      {!row.grouped && item.target.kind !== "tool" && <span className="sr-only">{t(`kind.${item.target.kind}`)}</span>}
      <span
        data-name-cell
        className="min-w-0 flex-1 truncate"
        title={item.also.length === 0 ? undefined : item.also.map((text) => visibleLine(text)).join("\n")}
      >
        <Marked text={item.label} at={row.at} />
        {row.why !== undefined && (
          <span className="text-fg-3">
            {" "}
            · <Marked text={row.why.text} at={row.why.at} />
          </span>
        )}
        {row.favourite !== undefined && (
          <span className="font-normal text-fg-3">
            {" "}
            · <bdi>{visibleLine(row.server.name)}</bdi>
          </span>
        )}
      </span>
      {live && (
        <span className="flex items-center text-accent">
          <Icon of={Radio} size={12} />
          <span className="sr-only">{t("tree.live")}</span>
        </span>
      )}
      {running && (
        <span className="flex items-center text-info">
          <Spinner />
          <span className="sr-only">{t("tree.running")}</span>
        </span>
      )}
    </Item>
  );
}

function NoteRow({ row, ...props }: RowProps & { row: Extract<TreeRow, { kind: "note" }> }) {
  const { t } = useTranslation(["workbench", "common"]);
  const bad = row.note === "unread" || shownState(row.server) === "failed";
  return (
    <Item
      {...props}
      row={row}
      level={2}
      className={cx("pl-5 text-sm", props.selected ? "bg-selected" : "hover:bg-hover", bad ? "text-bad" : "text-fg-3")}
    >
      <span className="truncate">{row.note === "state" ? t(`common:state.${shownState(row.server)}`) : t(`tree.note.${row.note}`)}</span>
    </Item>
  );
}

/** A name with the matched letters highlighted. */
function Marked({ text, at }: { text: string; at: readonly number[] }) {
  const shown = visibleLine(text);
  // If characters were spelled out, the positions don't match any more.
  if (at.length === 0 || shown !== text) return <bdi>{shown}</bdi>;
  return (
    <bdi>
      {runs(text, new Set(at)).map((run, index) =>
        run.hit ? (
          <mark key={index} className="bg-transparent font-[680] text-accent">
            {run.text}
          </mark>
        ) : (
          run.text
        ),
      )}
    </bdi>
  );
}

function runs(text: string, hit: ReadonlySet<number>): { text: string; hit: boolean }[] {
  const out: { text: string; hit: boolean }[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const before = out.at(-1);
    if (before?.hit === hit.has(index)) before.text += text.charAt(index);
    else out.push({ text: text.charAt(index), hit: hit.has(index) });
  }
  return out;
}
