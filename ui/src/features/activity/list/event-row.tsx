import { Chip } from "@/components/chip";
import { Marked } from "@/components/marked";
import type { LogRow } from "@/ipc/bindings/LogRow";
import { cx } from "@/lib/cx";
import { formatBytes, formatMs } from "@/lib/format";
import { visibleLine } from "@/lib/untrusted";
import { formatClock, formatDay, formatStamp } from "../format";
import { AnswerWords, EventWords, type Translate } from "../words/event-words";
import { SourceName } from "../words/source-name";
import { markOf, type Tone } from "./describe";
import { GlyphMark } from "./glyph-mark";
import { askedRoom, cell, hasSize, hasSource, line, type Room } from "./layout";

const colours: Record<Tone, string> = {
  info: "text-info",
  ok: "text-ok",
  wait: "text-wait",
  bad: "text-bad",
  warn: "text-warn",
  quiet: "text-fg-3",
};

/** An event in 27 pixels. Without state and effects, because thousands pass every second. */
export function EventRow({
  row,
  answer,
  fold,
  nested,
  index,
  top,
  chosen,
  newDay,
  room,
  columns,
  language,
  t,
}: {
  row: LogRow;
  /** The answer to this request. */
  answer: LogRow | null;
  /** Whether the answer is in this line or below it. Null if there is none, or lines aren't merged. */
  fold: "closed" | "open" | null;
  /** An answer below its request. */
  nested: boolean;
  index: number;
  top: number;
  chosen: boolean;
  /** Whether it is the first row of a day. */
  newDay: boolean;
  /** The approximate number of characters that fit in the event column. */
  room: number;
  /** The columns that have room. */
  columns: Room;
  language: string;
  t: Translate;
}) {
  const whole = fold === "closed" ? answer : null;
  const own = markOf(row);
  const mark = whole ? { glyph: "exchange" as const, tone: markOf(whole).tone } : own;
  const { size, durationUs } = whole ?? row;
  return (
    // The grid has the focus, names this row as the active one, and handles its keys.
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus
    <div
      role="row"
      id={`event-${row.id}`}
      aria-rowindex={index + 2}
      aria-selected={chosen}
      data-event={row.id}
      className={cx(
        line,
        "absolute inset-x-0 top-0 h-[27px] border-b border-line contain-strict",
        chosen ? "bg-selected -outline-offset-1 outline-accent group-focus-visible/grid:outline-1" : "hover:bg-hover",
      )}
      style={{ transform: `translateY(${top}px)` }}
    >
      {columns !== "none" && (
        <span role="gridcell" title={formatStamp(row.at)} className={cx(cell.time, "tabular text-fg-3")}>
          {formatClock(row.at)}
        </span>
      )}
      <span role="gridcell" aria-label={t(`glyph.${mark.glyph}`)} className={cx(cell.mark, colours[mark.tone])}>
        <GlyphMark glyph={mark.glyph} />
      </span>
      {hasSource(columns) && (
        <span role="gridcell" className={cx(cell.source, "truncate")}>
          <SourceName row={row} t={t} />
        </span>
      )}
      <span role="gridcell" data-name-cell className={cx(cell.event, "truncate")}>
        {fold && (
          // The grid has keys for the same action.
          <span
            data-fold
            title={t(fold === "open" ? "list.fold" : "list.unfold")}
            className="-my-1 -ml-1.5 inline-block px-1.5 py-1 align-middle text-fg-3 hover:text-fg"
          >
            <GlyphMark glyph={fold} size={10} />
          </span>
        )}
        {nested && <span className="inline-block w-5" />}
        {newDay && <Chip className="mr-2 align-middle">{formatDay(row.at, language)}</Chip>}
        <EventWords row={row} room={whole ? askedRoom(columns) : room} language={language} t={t} />
        {whole && <AnswerWords row={whole} room={room} language={language} t={t} />}
        {/* Without its own column it would run into the server's text. */}
        {columns !== "method" && row.method !== null && <span className="sr-only"> {visibleLine(row.method)}</span>}
      </span>
      {columns === "method" && (
        <span role="gridcell" className={cx(cell.method, "truncate")}>
          {row.method !== null && <Method name={row.method} />}
        </span>
      )}
      {hasSize(columns) && (
        <span role="gridcell" className={cx(cell.size, "tabular text-fg-3")}>
          {size > 0 && formatBytes(size, language)}
        </span>
      )}
      {(hasSize(columns) || columns === "took") && (
        <span role="gridcell" className={cx(cell.took, "tabular")}>
          {durationUs !== null && formatMs(durationUs / 1_000, language)}
        </span>
      )}
    </div>
  );
}

const NOTIFICATION = "notifications/";

/** The protocol's method name. The common prefix of notifications is visually hidden. */
function Method({ name }: { name: string }) {
  const prefix = name.startsWith(NOTIFICATION) ? NOTIFICATION : "";
  return (
    <span title={visibleLine(name)} className="mono text-xs text-fg-3">
      {prefix !== "" && <span className="sr-only">{prefix}</span>}
      <Marked text={visibleLine(name.slice(prefix.length))} />
    </span>
  );
}
