import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { UntrustedText } from "@/components/their-voice";
import { cx } from "@/lib/cx";
import { visibleLine } from "@/lib/untrusted";
import { type Cell, type Column, readRow, type Table } from "./table";

const ROW = 34;
const HEAD = 32;

/** Space for the column: as wide as its values, within reason; the last ones share what is left. */
function widths(columns: readonly Column[]): string {
  return columns
    .map((column) => `minmax(${Math.min(320, Math.max(64, column.width * 7.4 + 24))}px, ${column.numeric ? 1 : 2}fr)`)
    .join(" ");
}

/** Flat objects as a table. Rows are drawn as they come into sight. */
export function TableView({ text, table, label }: { text: string; table: Table; label: string }) {
  // The virtualizer hands out the same object with other contents; nothing here may be remembered by identity.
  "use no memo";
  const box = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: table.rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 10,
    scrollMargin: HEAD,
    useFlushSync: false,
  });
  const gridTemplateColumns = widths(table.columns);
  return (
    <div
      ref={box}
      role="table"
      aria-label={label}
      aria-rowcount={table.rows.length + 1}
      aria-colcount={table.columns.length}
      // It scrolls, so it must be reachable by keyboard.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      className="selectable scroll-shade inset-focus max-h-[min(60vh,720px)] min-w-0 overflow-auto"
    >
      <div role="presentation" className="min-w-fit">
        <div
          role="row"
          aria-rowindex={1}
          className="sticky top-0 z-10 grid border-b border-line bg-surface"
          style={{ gridTemplateColumns, height: HEAD }}
        >
          {table.columns.map((column) => (
            <span
              key={column.name}
              role="columnheader"
              title={visibleLine(column.name)}
              className={cx("flex min-w-0 items-center px-2.5 text-xs font-[560] text-fg-3", column.numeric && "justify-end")}
            >
              <span className="truncate">
                <UntrustedText text={column.name} />
              </span>
            </span>
          ))}
        </div>
        <div role="presentation" className="relative" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map((item) => {
            const row = table.rows[item.index];
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
                  <CellView key={column.name} cell={cells.get(column.name)} numeric={column.numeric} />
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

function CellView({ cell, numeric }: { cell: Cell | undefined; numeric: boolean }) {
  const { t } = useTranslation("workbench");
  const shape = cx("flex min-w-0 items-center px-2.5 tabular", numeric && "justify-end");
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
    </span>
  );
}
