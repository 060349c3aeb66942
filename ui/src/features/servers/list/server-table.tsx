import { useRef } from "react";
import { useTranslation } from "react-i18next";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { useRowWalk } from "@/lib/row-walk";
import type { ServerActions } from "../actions";
import type { ServerTab } from "../search";
import { ServerRow } from "./server-row";

interface TableProps {
  servers: readonly ServerView[];
  chosen: number | null;
  actions: ServerActions;
  onChoose: (id: number) => void;
  onOpen: (id: number, tab?: ServerTab) => void;
  onStep: (by: number) => void;
  /** Gives the server a page of its own. */
  onPage: (id: number) => void;
}

const head = "sticky top-0 z-10 h-7.5 border-b border-line bg-surface px-2.5 text-left text-xs font-[560] text-fg-3";

/** All servers, one row each; the rows can be walked with the arrows or j and k. */
export function ServerTable({ servers, chosen, actions, onChoose, onOpen, onStep, onPage }: TableProps) {
  const { t } = useTranslation("servers");
  const body = useRef<HTMLTableSectionElement>(null);

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
            <th className={`${head} pl-4`}>{t("table.server")}</th>
            <th className={`${head} w-48`}>{t("table.state")}</th>
            <th className={`${head} hidden w-40 @min-[980px]:table-cell`}>{t("fact.account")}</th>
            <th className={`${head} w-26`}>{t("table.revision")}</th>
            <th className={`${head} w-15 text-right`}>{t("table.tools")}</th>
            <th className={`${head} w-20 pr-4 text-right`}>{t("table.p95")}</th>
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
