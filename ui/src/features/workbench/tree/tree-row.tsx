import { useNavigate } from "@tanstack/react-router";
import { ChevronRight, Play, RotateCcw, Server, Square, Wrench } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import { Icon } from "@/components/icon";
import { ContextMenu, type MenuItem } from "@/components/menu";
import { Spinner } from "@/components/spinner";
import { StateMark } from "@/components/state-mark";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { cx } from "@/lib/cx";
import { visibleLine } from "@/lib/untrusted";
import { useServerActions } from "../server-actions";
import { canStart, isConnected, type TreeRow } from "./tree-rows";

interface RowProps {
  row: TreeRow;
  selected: boolean;
  /** The keyboard is here. */
  active: boolean;
  running: boolean;
  onOpen: () => void;
}

const look = "flex h-full w-full min-w-0 items-center gap-2 rounded-s px-2 text-left transition-colors";

/** One row: a server, a tool, or why a server shows no tools. */
export function TreeRowView(props: RowProps) {
  switch (props.row.kind) {
    case "server":
      return <ServerRow {...props} server={props.row.server} open={props.row.open} at={props.row.at} />;
    case "tool":
      return <ToolRow {...props} row={props.row} />;
    case "note":
      return <NoteRow {...props} row={props.row} />;
  }
}

/** What every row has in common: its place in the tree and the mark of the keyboard. */
function Item({ row, selected, active, onOpen, level, expanded, className, children }: Omit<RowProps, "running"> & {
  level: number;
  expanded?: boolean;
  className: string;
  children: ReactNode;
}) {
  return (
    // The tree holds the focus and hears the keys; a row only has to hear the mouse.
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
        active && "group-has-[:focus-visible]/tree:outline-2 group-has-[:focus-visible]/tree:-outline-offset-2 group-has-[:focus-visible]/tree:outline-accent",
        className,
      )}
    >
      {children}
    </div>
  );
}

function ServerRow({ server, open, at, ...props }: RowProps & { server: ServerView; open: boolean; at: readonly number[] }) {
  const { t } = useTranslation("workbench");
  const actions = useServerActions(server);
  const navigate = useNavigate();
  const menu: MenuItem[] = [
    canStart(server.state)
      ? { label: t("server.start"), icon: Play, onSelect: actions.start }
      : { label: t("server.stop"), icon: Square, onSelect: actions.stop },
    { label: t("server.restart"), icon: RotateCcw, onSelect: actions.restart },
    "separator",
    { label: t("server.show"), icon: Server, onSelect: () => void navigate({ to: "/servers", search: { id: server.id } }) },
  ];
  return (
    <ContextMenu items={menu}>
      <div className="h-full pt-1" role="presentation">
        <Item {...props} level={1} expanded={open} className={cx("group/row text-xs font-semibold hover:bg-hover", props.selected ? "bg-selected text-fg" : "text-fg-3")}>
          <Icon of={ChevronRight} size={12} className={cx("-mx-0.5 shrink-0 transition-transform", open && "rotate-90")} />
          <span className="min-w-0 flex-1 truncate"><Marked text={server.name} at={at} /></span>
          {canStart(server.state) ? (
            <IconButton
              small
              tabIndex={-1}
              icon={Play}
              label={t("server.startNamed", { name: visibleLine(server.name) })}
              onClick={(event) => {
                event.stopPropagation();
                actions.start();
              }}
              className="-mr-1"
            />
          ) : null}
          <StateMark state={server.state} iconOnly />
        </Item>
      </div>
    </ContextMenu>
  );
}

function ToolRow({ row, running, ...props }: RowProps & { row: Extract<TreeRow, { kind: "tool" }> }) {
  const { t } = useTranslation("workbench");
  const idle = !isConnected(row.server.state);
  return (
    <Item
      {...props}
      row={row}
      level={2}
      className={cx("font-medium", props.selected ? "bg-selected text-fg" : "text-fg-2 hover:bg-hover", idle && !props.selected && "opacity-60")}
    >
      <Icon of={Wrench} className="shrink-0 text-fg-3" />
      <span className="min-w-0 flex-1 truncate" title={row.tool.title === null ? undefined : visibleLine(row.tool.title)}>
        <Marked text={row.tool.name} at={row.at} />
      </span>
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
  const { t } = useTranslation("workbench");
  const bad = row.note === "failed" || row.note === "unread";
  return (
    <Item {...props} row={row} level={2} className={cx("text-sm", props.selected ? "bg-selected" : "hover:bg-hover", bad ? "text-bad" : "text-fg-3")}>
      <span className="truncate pl-5.5">{t(`tree.note.${row.note}`)}</span>
    </Item>
  );
}

/** A name with the letters that the search found. */
function Marked({ text, at }: { text: string; at: readonly number[] }) {
  const shown = visibleLine(text);
  // Where characters had to be spelled out the places no longer agree.
  if (at.length === 0 || shown !== text) return <bdi>{shown}</bdi>;
  return (
    <bdi>
      {runs(text, new Set(at)).map((run, index) =>
        run.hit ? <mark key={index} className="bg-transparent font-[680] text-accent">{run.text}</mark> : run.text,
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
