import { useQuery } from "@tanstack/react-query";
import { Columns3 } from "lucide-react";
import { type KeyboardEvent, type SyntheticEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { ContextMenu, Menu } from "@/components/menu";
import { SortButton } from "@/components/sort-button";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { accounts } from "@/ipc/queries";
import { useWidth } from "@/lib/columns";
import { cx } from "@/lib/cx";
import { formatCount } from "@/lib/format";
import { isChosen, whoOf } from "@/lib/logins";
import { useRowWalk } from "@/lib/row-walk";
import { useNow } from "@/lib/use-now";
import { Icon } from "@/components/icon";
import type { ServerActions } from "../actions";
import type { ServerTab } from "../search";
import { type ColumnId, choosable, columnsFor, isNumeric, nameRoom, useChosenColumns } from "./columns";
import { useServerMenu } from "./server-menu";
import { ServerRow } from "./server-row";
import type { Picked } from "./use-picked";
import { byNeed, type ServerSort, SORT_COLUMNS, type SortColumn } from "./sort";
import type { Usage } from "./use-usage";

interface TableProps {
  /** In their order. Without a sort column, grouped by what they need. */
  servers: readonly ServerView[];
  chosen: number | null;
  /** The selected servers, for joint actions. */
  picked: Picked;
  usageOf: (id: number) => Usage;
  actions: ServerActions;
  onChoose: (id: number) => void;
  onOpen: (id: number, tab?: ServerTab) => void;
  onStep: (by: number) => void;
  sort: ServerSort | null;
  onSort: (sort: ServerSort | null) => void;
  /** Opens the server on a separate page. */
  onPage: (id: number) => void;
}

const head = "sticky top-0 z-10 h-7.5 border-b border-line bg-surface px-2.5 text-left text-xs font-[560] text-fg-3";
/** The room for the button that chooses columns, over the last heading (px). */
const BUTTON_ROOM = 30;

const sortable = (column: "server" | ColumnId): column is SortColumn => SORT_COLUMNS.some((known) => known === column);

/** All servers, one per row. Arrow keys or j and k move through the rows. */
export function ServerTable({ servers, chosen, picked, usageOf, actions, sort, onSort, onChoose, onOpen, onStep, onPage }: TableProps) {
  const { t, i18n } = useTranslation(["servers", "accounts"]);
  const { data: logins = [] } = useQuery(accounts());
  const accountOf = (id: number) => {
    const login = logins.find((item) => isChosen(item, id));
    return login && (whoOf(login) ?? t("accounts:unnamed"));
  };
  const body = useRef<HTMLTableSectionElement>(null);
  const [box, width] = useWidth<HTMLDivElement>("servers");
  const [wanted, toggleColumn] = useChosenColumns();
  const now = useNow(15_000);
  const columns = columnsFor(width, wanted, nameRoom(servers.map(({ name }) => name)));
  const last = columns.at(-1)?.[0];
  const groups = sort === null ? byNeed(servers) : [];
  const isGrouped = groups.length > 1;
  const headings = new Map(isGrouped ? groups.map((group) => [group.servers[0]?.id, group]) : []);

  // Inside the heading, because headings are sticky, and the web view doesn't always draw what covers them.
  const chooser = (
    <Menu items={choosable.map((id) => ({ label: t(`table.${id}`), checked: wanted.has(id), onSelect: () => toggleColumn(id) }))}>
      <button
        type="button"
        aria-label={t("table.columns")}
        title={t("table.columns")}
        className="absolute top-0.75 right-2 inline-flex size-6 items-center justify-center rounded-s text-fg-3 transition-colors hover:bg-hover hover:text-fg data-[state=open]:bg-hover"
      >
        <Icon of={Columns3} />
      </button>
    </Menu>
  );

  const heading = (column: "server" | ColumnId) => {
    const direction = sort?.column === column ? sort.direction : null;
    const name = t(`table.${column}`);
    const padding = column === "server" ? "pl-4" : "";
    const isLast = column === (last ?? "server");
    return (
      <th
        key={column}
        {...(sortable(column) && { "aria-sort": direction ?? "none" })}
        style={isLast ? { paddingRight: BUTTON_ROOM + 6 } : undefined}
        className={cx(head, padding)}
      >
        {sortable(column) ? (
          <SortButton
            direction={direction}
            title={t("table.sort", { column: name })}
            numeric={column !== "server" && isNumeric(column)}
            onSort={(next) => onSort(next && { column, direction: next })}
            className="h-full w-full"
          >
            {name}
          </SortButton>
        ) : (
          <span className="block truncate">{name}</span>
        )}
        {isLast && chooser}
      </th>
    );
  };
  /** The server of the shared context menu. If the server is removed, the menu must not apply to another one. */
  const [menuOf, setMenuOf] = useState<number | null>(null);
  const meant = servers.find(({ id }) => id === menuOf);
  const menu = useServerMenu(meant, actions, (tab) => meant && onOpen(meant.id, tab));
  const aim = (event: SyntheticEvent) => {
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-server]") : null;
    // Headings have no menu.
    if (row === null) event.preventDefault();
    else setMenuOf(Number(row.dataset["server"]));
  };
  const walk = useRowWalk({ rows: body, chosen, count: servers.length, onStep, onOpen: onPage });
  const onKeyDown = (event: KeyboardEvent) => {
    // A button in a row handles its own keys.
    if (event.key === "Enter" && event.target instanceof Element && event.target.closest("button") !== null) return;
    if (event.shiftKey && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      const at = servers.findIndex(({ id }) => id === chosen);
      const next = servers[Math.min(servers.length - 1, Math.max(0, at + (event.key === "ArrowDown" ? 1 : -1)))];
      if (next) picked.extendTo(next.id);
    }
    walk(event);
  };

  return (
    <div ref={box} className="min-h-0 flex-1 overflow-y-auto">
      {/* A grid is one widget, and its rows handle the keys. */}
      <table
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role, jsx-a11y/interactive-supports-focus
        role="grid"
        aria-label={t("table.label")}
        onKeyDown={onKeyDown}
        className="w-full table-fixed border-separate border-spacing-0"
      >
        <colgroup>
          <col />
          {columns.map(([id, given]) => (
            <col key={id} style={{ width: given }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {heading("server")}
            {columns.map(([id]) => heading(id))}
          </tr>
        </thead>
        <ContextMenu items={menu} onOpenChange={(open) => open && menuOf !== null && onChoose(menuOf)}>
          <tbody ref={body} data-server-rows onContextMenuCapture={aim} onPointerDownCapture={aim}>
            {servers.flatMap((server, index) => {
              const group = headings.get(server.id);
              return [
                group && (
                  <tr key={`need-${group.need}`} data-heading>
                    <th
                      colSpan={columns.length + 1}
                      className="border-b border-line bg-sunken px-4 py-1 text-left text-xs font-[560] text-fg-2"
                    >
                      <span className="flex items-baseline gap-2">
                        {t(`need.${group.need}`)}
                        <span className="font-normal text-fg-3 tabular">{formatCount(group.servers.length, i18n.language)}</span>
                      </span>
                    </th>
                  </tr>
                ),
                <ServerRow
                  key={server.id}
                  server={server}
                  columns={columns}
                  usage={usageOf(server.id)}
                  account={accountOf(server.id)}
                  now={now}
                  chosen={server.id === chosen}
                  focusable={server.id === chosen || (chosen === null && index === 0)}
                  picked={picked}
                  actions={actions}
                  onOpen={onOpen}
                  onPage={onPage}
                />,
              ];
            })}
          </tbody>
        </ContextMenu>
      </table>
    </div>
  );
}
