import { useVirtualizer } from "@tanstack/react-virtual";
import { ListFilter } from "lucide-react";
import { useDeferredValue, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { JsonActionButton } from "@/components/json-action-button";
import { SortButton } from "@/components/sort-button";
import { SearchInput } from "@/components/input";
import { UntrustedText } from "@/components/their-voice";
import { cx } from "@/lib/cx";
import { formatCount } from "@/lib/format";
import { visibleLine } from "@/lib/untrusted";
import { type Cell, type Column, readRow, rowOrder, type Sort, type Table } from "./table";

const ROW = 34;
const HEAD = 32;

/** The widths of the columns: those of their values, within limits. The last columns divide the rest. */
function widths(columns: readonly Column[]): string {
  return columns
    .map((column) => `minmax(${Math.min(320, Math.max(64, column.width * 7.4 + 24))}px, ${column.numeric ? 1 : 2}fr)`)
    .join(" ");
}

/** Flat objects as a table. Only visible rows are drawn. */
export function TableView({ text, table, label }: { text: string; table: Table; label: string }) {
  // The virtualizer returns the same object with different contents, so nothing here may be memoized by identity.
  "use no memo";
  const { t, i18n } = useTranslation("workbench");
  const box = useRef<HTMLDivElement>(null);
  const [filter, setFilter] = useState("");
  const [sort, setSort] = useState<Sort | null>(null);
  const asked = useDeferredValue(filter);
  const order = useMemo(() => rowOrder(text, table, asked, sort), [text, table, asked, sort]);
  const virtualizer = useVirtualizer({
    count: order.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 10,
    scrollMargin: HEAD,
    useFlushSync: false,
  });
  const gridTemplateColumns = widths(table.columns);
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      {table.rows.length > 1 && (
        <div className="flex items-center gap-2">
          <div className="w-56 min-w-0">
            <SearchInput
              icon={ListFilter}
              value={filter}
              placeholder={t("result.filter")}
              aria-label={t("result.filter")}
              onChange={(event) => setFilter(event.target.value)}
            />
          </div>
          <span role="status" className="min-w-0 truncate text-sm text-fg-3 tabular">
            {order.length < table.rows.length &&
              t("result.filtered", {
                shown: formatCount(order.length, i18n.language),
                total: formatCount(table.rows.length, i18n.language),
              })}
          </span>
        </div>
      )}
      <div
        ref={box}
        role="table"
        aria-label={label}
        aria-rowcount={order.length + 1}
        aria-colcount={table.columns.length}
        // It scrolls, so it must be reachable with the keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        className="selectable scroll-shade inset-focus max-h-[max(220px,calc(100cqh-8.5rem))] min-w-0 overflow-auto"
      >
        <div role="presentation" data-theirs className="min-w-fit">
          <div
            role="row"
            aria-rowindex={1}
            className="sticky top-0 z-10 grid border-b border-line bg-surface"
            style={{ gridTemplateColumns, height: HEAD }}
          >
            {table.columns.map((column) => (
              <Heading key={column.name} column={column} sort={sort?.column === column.name ? sort : null} onSort={setSort} />
            ))}
          </div>
          <div role="presentation" className="relative" style={{ height: virtualizer.getTotalSize() }}>
            {virtualizer.getVirtualItems().map((item) => {
              const row = table.rows[order[item.index] ?? -1];
              const cells = row === undefined ? new Map<string, Cell>() : readRow(text, row);
              return (
                <div
                  key={item.key}
                  role="row"
                  aria-rowindex={item.index + 2}
                  className="absolute inset-x-0 top-0 grid border-b border-line hover:bg-hover"
                  style={{ gridTemplateColumns, height: ROW, transform: `translateY(${item.start - HEAD}px)` }}
                >
                  {table.columns.map((column) => (
                    <CellView key={column.name} name={column.name} cell={cells.get(column.name)} numeric={column.numeric} />
                  ))}
                </div>
              );
            })}
          </div>
        </div>
      </div>
    </div>
  );
}

/** The name of a column, which sorts by it: ascending, descending, and in the server's order. */
function Heading({ column, sort, onSort }: { column: Column; sort: Sort | null; onSort: (sort: Sort | null) => void }) {
  const { t } = useTranslation("workbench");
  const direction = sort === null ? null : sort.descending ? "descending" : "ascending";
  return (
    <span role="columnheader" aria-sort={direction ?? "none"} className="flex min-w-0">
      <SortButton
        direction={direction}
        title={t("result.sort", { column: visibleLine(column.name) })}
        numeric={column.numeric}
        onSort={(next) => onSort(next && { column: column.name, descending: next === "descending" })}
        className="px-2.5"
      >
        <UntrustedText text={column.name} />
      </SortButton>
    </span>
  );
}

function CellView({ name, cell, numeric }: { name: string; cell: Cell | undefined; numeric: boolean }) {
  const { t } = useTranslation("workbench");
  const shape = cx("group/line relative flex min-w-0 items-center px-2.5 tabular", numeric && "justify-end");
  if (cell === undefined)
    return (
      <span role="cell" className={cx(shape, "text-fg-3")}>
        <span aria-label={t("result.missing")}>–</span>
      </span>
    );
  const quiet = cell.kind === "null" || cell.kind === "boolean";
  const shown = cell.value.length > 200 ? `${cell.value.slice(0, 200)}…` : cell.value;
  return (
    <span
      role="cell"
      className={cx(shape, quiet && "mono text-wait")}
      title={cell.value.length > 24 ? visibleLine(cell.value.slice(0, 2_000)) : undefined}
    >
      <span className="truncate whitespace-pre">
        {cell.kind === "string" ? <UntrustedText text={shown.replaceAll(/\s*\n\s*/g, " ↵ ")} /> : shown}
      </span>
      {/* The tree has it for the keyboard. */}
      <JsonActionButton
        json={() => (cell.kind === "string" ? JSON.stringify(cell.value) : cell.value)}
        name={name}
        className="absolute right-0.5 bg-raised"
      />
    </span>
  );
}
