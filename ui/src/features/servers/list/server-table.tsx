import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { SortButton } from "@/components/sort-button";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { useRowWalk } from "@/lib/row-walk";
import type { ServerActions } from "../actions";
import type { ServerTab } from "../search";
import { ServerRow } from "./server-row";
import type { ServerSort, SortColumn } from "./sort";

interface TableProps {
  servers: readonly ServerView[];
  chosen: number | null;
  actions: ServerActions;
  onChoose: (id: number) => void;
  onOpen: (id: number, tab?: ServerTab) => void;
  onStep: (by: number) => void;
  sort: ServerSort | null;
  onSort: (sort: ServerSort | null) => void;
  /** Gives the server a page of its own. */
  onPage: (id: number) => void;
}

const head = "sticky top-0 z-10 h-7.5 border-b border-line bg-surface px-2.5 text-left text-xs font-[560] text-fg-3";

/** All servers, one row each; the rows can be walked with the arrows or j and k. */
export function ServerTable({ servers, chosen, actions, sort, onSort, onChoose, onOpen, onStep, onPage }: TableProps) {
  const { t } = useTranslation("servers");
  const body = useRef<HTMLTableSectionElement>(null);

  const heading = (column: SortColumn, className: string, numeric = false) => {
    const direction = sort?.column === column ? sort.direction : null;
    return (
      <th aria-sort={direction ?? "none"} className={`${head} ${className}`}>
        <SortButton
          direction={direction}
          title={t("table.sort", { column: t(`table.${column}`) })}
          numeric={numeric}
          onSort={(next) => onSort(next && { column, direction: next })}
          className="h-full w-full"
        >
          {t(`table.${column}`)}
        </SortButton>
      </th>
    );
  };
  const onKeyDown = useRowWalk({ rows: body, chosen, count: servers.length, onStep, onOpen: onPage });

  return (
    <div className="@container min-h-0 flex-1 overflow-y-auto">
      {/* A grid is one widget: its rows take the keys. */}
      <table
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role, jsx-a11y/interactive-supports-focus
        role="grid"
        aria-label={t("table.label")}
        onKeyDown={onKeyDown}
        className="w-full table-fixed border-separate border-spacing-0"
      >
        <thead>
          <tr>
            {heading("server", "pl-4")}
            {heading("state", "w-48")}
            <th className={`${head} hidden w-40 @min-[980px]:table-cell`}>{t("fact.account")}</th>
            <th className={`${head} w-26`}>{t("table.revision")}</th>
            {heading("tools", "w-18", true)}
            {heading("p95", "w-20 pr-4", true)}
            <th className={`${head} hidden w-2/7 pr-4 @min-[820px]:table-cell`}>{t("table.error")}</th>
          </tr>
        </thead>
        <tbody ref={body}>
          {servers.map((server, index) => (
            <ServerRow
              key={server.id}
              server={server}
              chosen={server.id === chosen}
              focusable={server.id === chosen || (chosen === null && index === 0)}
              actions={actions}
              onChoose={onChoose}
              onOpen={onOpen}
              onPage={onPage}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}
