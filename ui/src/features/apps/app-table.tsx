import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { AppView } from "@/ipc/bindings/AppView";
import { appCost } from "@/ipc/queries";
import { type Column, fittingColumns, NAME_ROOM, useWidth } from "@/lib/columns";
import { cx } from "@/lib/cx";
import { formatAgo, formatCount } from "@/lib/format";
import { useRowWalk } from "@/lib/row-walk";
import { visibleLine } from "@/lib/untrusted";
import { useNow } from "@/lib/use-now";
import { AppState } from "./app-state";
import { type Change, ChangeDialog } from "./change-dialog";
import { RowAction } from "./row-action";
import { type AppGroup, groupOf } from "./groups";
import { levelInForce, needsKey, uses } from "@/lib/app-standing";

const head = "sticky top-0 z-10 h-7.5 border-b border-line bg-surface px-2.5 text-left text-xs font-[560] text-fg-3";

type ColumnId = "level" | "used" | "tokens" | "servers" | "action";

/** The columns besides the name, in their order. */
const columnIds = ["level", "servers", "tokens", "used", "action"] as const satisfies readonly ColumnId[];

/** The columns by importance: the last is dropped first. A container query would use px that aren't zoomed. */
const byWorth: readonly Column<ColumnId>[] = [
  { id: "action", width: 116 },
  { id: "level", width: 112 },
  { id: "used", width: 128 },
  { id: "tokens", width: 80 },
  { id: "servers", width: 104 },
];

/** The padding of a name's cell. */
const BESIDE_NAME = 26;

/** The tokens that an app needs. Empty while counting or if unknown, which the details explain. */
function Tokens({ id }: { id: string }) {
  const { i18n } = useTranslation("apps");
  const { data } = useQuery(appCost(id));
  return data && formatCount(data.tokens, i18n.language);
}

/** The action in an app's row. */
function actionOf(app: AppView): "renewEntry" | "connect" | null {
  if (needsKey(app)) return "renewEntry";
  return app.state === "found" || app.state === "broken" ? "connect" : null;
}

function GroupHeading({ group, span, count }: { group: AppGroup; span: number; count: number }) {
  const { t, i18n } = useTranslation("apps");
  return (
    <tr data-heading>
      <th colSpan={span} scope="rowgroup" className="border-b border-line bg-sunken px-4 py-1 text-left text-xs font-[560] text-fg-2">
        <span className="flex items-baseline gap-2">
          {t(`group.${group}`)}
          <span className="font-normal text-fg-3 tabular">{formatCount(count, i18n.language)}</span>
        </span>
      </th>
    </tr>
  );
}

/** The apps. Arrow keys or j and k move through the rows. */
export function AppTable({
  apps,
  chosen,
  onOpen,
  onStep,
  after,
}: {
  apps: readonly AppView[];
  chosen: string | null;
  onOpen: (id: string) => void;
  onStep: (by: number) => void;
  after: ReactNode;
}) {
  const { t, i18n } = useTranslation("apps");
  const now = useNow(15_000);
  const table = useRef<HTMLTableElement>(null);
  const [change, setChange] = useState<{ id: string; kind: Change } | null>(null);
  const changed = apps.find((app) => app.id === change?.id);
  const at = apps.findIndex((app) => app.id === chosen);
  const open = (index: number) => {
    const app = apps[index];
    if (app) onOpen(app.id);
  };
  const onKeyDown = useRowWalk({ rows: table, chosen: at < 0 ? null : at, count: apps.length, onStep, onOpen: open });

  const [box, width] = useWidth<HTMLDivElement>("apps");
  const acts = apps.some((app) => actionOf(app) !== null);
  const columns = fittingColumns(
    byWorth.filter(({ id }) => acts || id !== "action"),
    width - NAME_ROOM - BESIDE_NAME,
  );
  const isGrouped = new Set(apps.map(groupOf)).size > 1;
  return (
    <div ref={box} className="min-h-0 flex-1 overflow-y-auto">
      {/* A grid is one widget, and its rows handle the keys. */}
      <table
        ref={table}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role, jsx-a11y/interactive-supports-focus
        role="grid"
        aria-label={t("place")}
        onKeyDown={onKeyDown}
        className="w-full table-fixed border-separate border-spacing-0"
      >
        {/* The web view keeps the room of a removed heading with a width, but not that of a column. */}
        <colgroup>
          <col />
          {columnIds.map((id) => columns.has(id) && <col key={id} style={{ width: columns.get(id) }} />)}
        </colgroup>
        <thead>
          <tr>
            <th className={`${head} pl-4`}>{t("table.app")}</th>
            {columns.has("level") && <th className={head}>{t("table.level")}</th>}
            {columns.has("servers") && <th className={`${head} text-right`}>{t("table.servers")}</th>}
            {columns.has("tokens") && <th className={`${head} text-right`}>{t("table.tokens")}</th>}
            {columns.has("used") && <th className={head}>{t("table.used")}</th>}
            {columns.has("action") && (
              <th className={`${head} pr-4`}>
                <span className="sr-only">{t("table.action")}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {apps.flatMap((app, index) => {
            const group = groupOf(app);
            const before = apps[index - 1];
            const action = actionOf(app);
            const isChosen = app.id === chosen;
            const cell = cx("h-11 truncate border-b border-line px-2.5", isChosen ? "bg-selected" : "group-hover:bg-hover");
            // It will be selected, so the focus returns to its row.
            const begin = (kind: Change) => () => {
              onStep(index - at);
              setChange({ id: app.id, kind });
            };
            const own = app.servers.filter((server) => !server.ours).length;
            return [
              isGrouped && (before === undefined || groupOf(before) !== group) && (
                <GroupHeading
                  key={group}
                  group={group}
                  span={columns.size + 1}
                  count={apps.filter((one) => groupOf(one) === group).length}
                />
              ),
              // The grid around the rows handles their keys.
              // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
              <tr
                key={app.id}
                aria-selected={isChosen}
                tabIndex={isChosen || (at < 0 && index === 0) ? 0 : -1}
                onClick={() => onOpen(app.id)}
                className="group inset-focus"
              >
                <td className={cx(cell, "pl-4")}>
                  <b data-name-cell className="block truncate" title={visibleLine(app.title)}>
                    <bdi>{visibleLine(app.title)}</bdi>
                  </b>
                  <span className="block truncate text-fg-3">
                    <AppState app={app} counted />
                  </span>
                </td>
                {columns.has("level") && (
                  <td className={cx(cell, uses(app) ? "text-fg" : "text-fg-3")}>
                    {uses(app) ? t(`level.${levelInForce(app)}.name`) : "–"}
                  </td>
                )}
                {columns.has("servers") && (
                  <td className={cx(cell, "text-right text-fg-2 tabular")}>{own === 0 ? "–" : formatCount(own, i18n.language)}</td>
                )}
                {columns.has("tokens") && (
                  <td className={cx(cell, "text-right text-fg-2 tabular")}>{uses(app) ? <Tokens id={app.id} /> : "–"}</td>
                )}
                {columns.has("used") && (
                  <td className={cx(cell, app.usedAt === null ? "text-fg-3" : "text-fg-2")}>
                    {app.usedAt === null ? t("never") : formatAgo(app.usedAt, now, i18n.language)}
                  </td>
                )}
                {columns.has("action") && (
                  <td className={cx(cell, "pr-4 pl-0 text-right")}>
                    {action === "renewEntry" && (
                      <RowAction
                        title={t(app.key === "refused" ? "key.refused" : "key.why", { name: visibleLine(app.title) })}
                        text={t("renewEntry.action")}
                        onPress={begin(action)}
                      />
                    )}
                    {action === "connect" && <RowAction text={t("connect.submit")} onPress={begin(action)} />}
                  </td>
                )}
              </tr>,
            ];
          })}
        </tbody>
      </table>
      {change && changed && <ChangeDialog app={changed} kind={change.kind} onClose={() => setChange(null)} />}
      {Boolean(after) && <div className="px-1 py-2">{after}</div>}
    </div>
  );
}
