import { useRef } from "react";
import { useTranslation } from "react-i18next";
import type { AccountView } from "@/ipc/bindings/AccountView";
import { useWidth } from "@/lib/columns";
import { formatCount } from "@/lib/format";
import { useRowWalk } from "@/lib/row-walk";
import { useNow } from "@/lib/use-now";
import type { AccountActions } from "../actions";
import { AccountRow } from "./account-row";
import { columnsFor } from "./columns";
import type { Group } from "./groups";

const head = "sticky top-0 z-10 h-7.5 border-b border-line bg-surface px-2.5 text-left text-xs font-[560] text-fg-3";

/** The accounts grouped by service. Arrow keys or j and k move through the rows. */
export function AccountTable({
  groups,
  chosen,
  actions,
  onChoose,
  onOpen,
  onStep,
  onSignOut,
}: {
  groups: readonly Group[];
  chosen: number | null;
  actions: AccountActions;
  onChoose: (id: number) => void;
  onOpen: (id: number) => void;
  onStep: (by: number) => void;
  onSignOut: (account: AccountView) => void;
}) {
  const { t, i18n } = useTranslation("accounts");
  const now = useNow(5_000);
  const table = useRef<HTMLTableElement>(null);
  const [box, width] = useWidth<HTMLDivElement>("accounts");
  const columns = columnsFor(width);
  const shown = new Set(columns.keys());
  const first = groups[0]?.accounts[0]?.id;
  const many = groups.reduce((sum, group) => sum + group.accounts.length, 0);

  const onKeyDown = useRowWalk({ rows: table, chosen, count: many, onStep, onOpen });

  return (
    <div ref={box} className="min-h-0 flex-1 overflow-y-auto">
      {/* A grid is one widget, and its rows handle the keys. */}
      <table
        ref={table}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role, jsx-a11y/interactive-supports-focus
        role="grid"
        aria-label={t("table.label")}
        onKeyDown={onKeyDown}
        className="w-full table-fixed border-separate border-spacing-0"
      >
        <thead>
          <tr>
            <th className={`${head} pl-4`}>{t("table.who")}</th>
            {columns.has("servers") && (
              <th style={{ width: columns.get("servers") }} className={head}>
                {t("table.servers")}
              </th>
            )}
            {columns.has("lasting") && (
              <th style={{ width: columns.get("lasting") }} className={`${head} pr-4`}>
                {t("table.lasting")}
              </th>
            )}
          </tr>
        </thead>
        {groups.map((group) => (
          <tbody key={group.name} aria-label={t("table.group", { name: group.name, count: group.accounts.length })}>
            <tr>
              <th colSpan={1 + columns.size} scope="rowgroup" className="border-b border-line bg-sunken px-4 py-1 text-left font-normal">
                <span className="flex items-baseline gap-2">
                  <bdi className="min-w-0 truncate text-xs font-[560] text-fg-2" title={group.name}>
                    {group.name}
                  </bdi>
                  <span className="ml-auto shrink-0 text-xs text-fg-3 tabular">{formatCount(group.accounts.length, i18n.language)}</span>
                </span>
              </th>
            </tr>
            {group.accounts.map((account) => (
              <AccountRow
                key={account.id}
                account={account}
                columns={shown}
                now={now}
                chosen={account.id === chosen}
                focusable={account.id === chosen || (chosen === null && account.id === first)}
                actions={actions}
                onChoose={onChoose}
                onOpen={onOpen}
                onSignOut={onSignOut}
              />
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}
