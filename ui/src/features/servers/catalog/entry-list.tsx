import { useQueries } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { SearchX } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Chip } from "@/components/chip";
import { EmptyState } from "@/components/empty-state";
import { ErrorNotice } from "@/components/error-notice";
import { UntrustedText } from "@/components/their-voice";
import type { CatalogRowView } from "@/ipc/bindings/CatalogRowView";
import { CATALOG_PAGE, catalogPage } from "@/ipc/queries";
import { cx } from "@/lib/cx";
import { errorWords } from "@/lib/error-text";
import { formatAgo } from "@/lib/format";
import { visibleLine } from "@/lib/untrusted";
import { useDebounced } from "@/lib/use-debounced";

const ROW = 68;
/** How long the search waits for the next letter. */
const REST = 40;

const idOf = (index: number) => `catalog-entry-${index}`;

/** The matching entries as a virtual list: only the pages in view are read. */
export function EntryList({ text, chosen, onChoose }: { text: string; chosen: string | null; onChoose: (name: string) => void }) {
  // The virtualizer returns the same object with different contents, so nothing here may be memoized by identity.
  "use no memo";
  const { t } = useTranslation("catalog");
  const box = useRef<HTMLDivElement>(null);
  const searched = useDebounced(text.trim(), REST);
  const [from, setFrom] = useState(0);
  // The best matches come first.
  useEffect(() => {
    box.current?.scrollTo({ top: 0 });
    setFrom(0);
  }, [searched]);
  const firstPage = Math.floor(from / CATALOG_PAGE);
  const pages = [...new Set([0, firstPage, firstPage + 1])];
  const results = useQueries({ queries: pages.map((page) => catalogPage(searched, page)) });
  const found = new Map(pages.map((page, index) => [page, results[index]?.data]));
  const total = found.get(0)?.total ?? 0;
  const entryAt = (index: number): CatalogRowView | undefined => found.get(Math.floor(index / CATALOG_PAGE))?.entries[index % CATALOG_PAGE];
  const error = results.find((result) => result.error !== null)?.error ?? null;
  const cursor = chosen === null ? -1 : indexOf(found, chosen);

  const virtualizer = useVirtualizer({
    count: total,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 6,
    useFlushSync: false,
  });
  const items = virtualizer.getVirtualItems();

  const step = (event: KeyboardEvent) => {
    const jumps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8, Home: -total, End: total };
    const jump = jumps[event.key];
    if (jump === undefined || total === 0) return;
    event.preventDefault();
    const next = Math.min(total - 1, Math.max(0, cursor < 0 ? 0 : cursor + jump));
    virtualizer.scrollToIndex(next);
    const entry = entryAt(next);
    if (entry) onChoose(entry.name);
  };
  if (error !== null)
    return (
      <div className="p-4">
        <ErrorNotice title={t("unread")} {...errorWords(error)}>
          <Button onClick={() => results.forEach((result) => void result.refetch())}>{t("tryAgain", { ns: "common" })}</Button>
        </ErrorNotice>
      </div>
    );
  if (results[0]?.data !== undefined && total === 0)
    return <EmptyState icon={SearchX} title={t("nothing")} text={t("nothingText", { text: visibleLine(searched) })} />;
  return (
    <div
      ref={box}
      role="listbox"
      aria-label={t("entries")}
      aria-activedescendant={cursor < 0 ? undefined : idOf(cursor)}
      tabIndex={0}
      className="inset-focus min-h-0 flex-1 overflow-y-auto outline-none"
      onKeyDown={step}
      onScroll={(event) => {
        const index = Math.floor(event.currentTarget.scrollTop / ROW);
        if (Math.floor(index / CATALOG_PAGE) !== firstPage) setFrom(index);
      }}
    >
      <div className="relative w-full" style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ key, index, start }) => {
          const entry = entryAt(index);
          return (
            <div
              key={key}
              id={idOf(index)}
              role="option"
              aria-selected={entry !== undefined && entry.name === chosen}
              aria-setsize={total}
              aria-posinset={index + 1}
              tabIndex={-1}
              className={cx(
                "absolute inset-x-0 top-0 flex cursor-default flex-col justify-center gap-0.5 border-b border-line px-4",
                entry !== undefined && entry.name === chosen ? "bg-selected" : "hover:bg-hover",
              )}
              style={{ height: ROW, transform: `translateY(${start}px)` }}
              onClick={() => entry && onChoose(entry.name)}
              onKeyDown={undefined}
            >
              {entry && <EntryRow entry={entry} />}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function indexOf(found: ReadonlyMap<number, { entries: readonly CatalogRowView[] } | undefined>, name: string): number {
  for (const [page, part] of found) {
    const at = part?.entries.findIndex((entry) => entry.name === name) ?? -1;
    if (at >= 0) return page * CATALOG_PAGE + at;
  }
  return -1;
}

/** One entry. Its texts are the publisher's. */
function EntryRow({ entry }: { entry: CatalogRowView }) {
  const { t, i18n } = useTranslation("catalog");
  const [opened] = useState(() => Date.now());
  const update = entry.installed.some((server) => server.update !== null);
  return (
    <>
      <span className="flex min-w-0 items-center gap-1.5">
        <bdi className="min-w-0 truncate font-[580]">
          <UntrustedText text={entry.title} />
        </bdi>
        <span className="mono min-w-0 flex-1 truncate text-sm text-fg-3">
          <UntrustedText text={entry.publisher} />
        </span>
        {entry.status !== "active" && <Chip tone="warn">{t(`status.${entry.status}`)}</Chip>}
        {entry.installed.length > 0 && <Chip tone={update ? "info" : "ok"}>{t(update ? "row.update" : "row.installed")}</Chip>}
        {entry.kinds.map((kind) => (
          <Chip key={kind}>{t(`kind.${kind}`)}</Chip>
        ))}
      </span>
      <span className="flex min-w-0 gap-3 text-fg-2">
        <bdi className="min-w-0 flex-1 truncate">
          <UntrustedText text={entry.description.replaceAll(/\s+/g, " ")} />
        </bdi>
        {entry.publishedMs !== null && (
          <span className="shrink-0 text-fg-3">{formatAgo(entry.publishedMs, Math.max(opened, entry.publishedMs), i18n.language)}</span>
        )}
      </span>
    </>
  );
}
