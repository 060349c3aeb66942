import { useVirtualizer } from "@tanstack/react-virtual";
import { Search } from "lucide-react";
import { type KeyboardEvent, type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { SearchInput } from "@/components/input";
import { Kbd } from "@/components/kbd";
import type { SavedCall } from "@/ipc/bindings/SavedCall";
import { composing } from "@/lib/composing";
import { fillInNext } from "@/lib/work-focus";
import { useRunning } from "../runs";
import { RenameDialog } from "../saved/rename-dialog";
import { fillInSaved, targetOf, useRemoveSaved } from "../saved/saved";
import type { View } from "../selection";
import { type Spot, targetKey } from "../target";
import { openChosen, useTree } from "./tree-state";
import { TreeRowView } from "./tree-row";
import { firstItem, serverRowId, spotRowId, type TreeRow } from "./tree-rows";

const HEIGHTS: Record<TreeRow["kind"], number> = { section: 32, saved: 28, server: 32, tasks: 28, group: 26, item: 28, note: 28 };

/** The saved call or favourite of a row. */
const savedIn = (row: TreeRow | undefined): SavedCall | undefined =>
  row?.kind === "saved" ? row.call : row?.kind === "item" ? row.favourite : undefined;

/** Servers and their offers: with a search, arrow keys, and buttons to start servers. */
export function OfferTree({
  selection,
  onSelect,
  searchRef,
}: {
  selection: View;
  onSelect: (server: number, spot: Spot | undefined) => void;
  searchRef: RefObject<HTMLInputElement | null>;
}) {
  // The virtualizer returns the same object with different contents, so nothing here may be memoized by identity.
  "use no memo";
  const { t } = useTranslation("workbench");
  const { rows, query, setQuery, setOpen, subscribed } = useTree();
  const running = useRunning();
  const [cursor, setCursor] = useState<string | null>(null);
  const [renaming, setRenaming] = useState<SavedCall | null>(null);
  const remove = useRemoveSaved();
  const scroller = useRef<HTMLDivElement>(null);

  const selected = selection.server === undefined ? null : spotRowId(selection.server, selection.spot);
  const searching = query !== "";
  const wanted = cursor ?? (searching ? firstItem(rows)?.id : selected);
  const at = rows.findIndex((row) => row.id === wanted);
  const active = rows[at];

  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => HEIGHTS[rows[index]?.kind ?? "item"],
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 12,
    paddingEnd: 8,
    scrollPaddingStart: 8,
    scrollPaddingEnd: 8,
    useFlushSync: false,
  });

  const { server: chosen } = selection;
  useEffect(() => {
    if (chosen !== undefined) openChosen(chosen);
  }, [chosen]);

  // The keys continue from an item that was opened elsewhere.
  const picked = useRef<string | null>(null);
  useEffect(() => {
    if (picked.current !== selected) setCursor(null);
    picked.current = null;
  }, [selected]);

  const selectedAt = rows.findIndex((row) => row.id === selected);
  // The selected item stays visible while other lists load above it, until the person scrolls.
  const followed = useRef<string | null>(null);
  useEffect(() => {
    followed.current = selected;
  }, [selected, searching]);
  useEffect(() => {
    if (selectedAt >= 0 && !searching && followed.current === selected) virtualizer.scrollToIndex(selectedAt, { align: "auto" });
  }, [selected, selectedAt, searching, virtualizer]);

  const go = (index: number) => {
    const row = rows[Math.min(rows.length - 1, Math.max(0, index))];
    if (row === undefined) return;
    setCursor(row.id);
    virtualizer.scrollToIndex(rows.indexOf(row), { align: "auto" });
  };
  const pick = (server: number, spot: Spot | undefined) => {
    picked.current = spotRowId(server, spot);
    onSelect(server, spot);
  };
  const open = (row: TreeRow | undefined) => {
    if (row === undefined) return;
    setCursor(row.id);
    if (row.kind === "item") pick(row.server.id, row.item.target);
    else if (row.kind === "saved") {
      pick(row.server.id, targetOf(row.call));
      fillInSaved(row.call, row.server);
    } else if (row.kind === "tasks") pick(row.server.id, { kind: "tasks" });
    else if (row.kind === "note") pick(row.server.id, undefined);
    else if (!searching) setOpen(row.id, !row.open);
  };

  /** Opens an item to use it. */
  const enter = (row: TreeRow | undefined) => {
    if (row?.kind === "item") fillInNext(row.server.id, row.item.target.kind, row.item.target.name, true);
    else if (row?.kind === "saved") fillInNext(row.server.id, row.call.kind, row.call.item, true);
    open(row);
  };

  /** Opens the first match and clears the search. An early Enter applies once something is found. */
  const early = useRef(false);
  const openFound = () => {
    const row = active?.kind === "server" || active?.kind === "section" ? firstItem(rows) : active;
    const found = row?.kind === "item" || row?.kind === "saved";
    early.current = searching && !found;
    enter(row);
    if (found) setQuery("");
  };
  const found = searching ? firstItem(rows)?.id : undefined;
  const arrive = useEffectEvent(() => {
    if (early.current && document.activeElement === searchRef.current) openFound();
  });
  useEffect(() => {
    if (found !== undefined) arrive();
  }, [found]);

  const left = () => {
    if (active === undefined) return;
    if (isHeading(active) && active.open && !searching) return setOpen(active.id, false);
    if (active.kind === "section") return;
    if (savedIn(active) !== undefined) return go(rows.findLastIndex((row, index) => index < at && row.kind === "section"));
    const group = active.kind === "item" ? rows.findLastIndex((row, index) => index < at && row.kind === "group") : -1;
    go(active.kind === "item" && active.grouped && group >= 0 ? group : rows.findIndex((row) => row.id === serverRowId(active.server.id)));
  };
  const right = () => {
    if (active === undefined || !isHeading(active)) return;
    if (active.open) go(at + 1);
    else setOpen(active.id, true);
  };
  const removeSaved = (row: TreeRow | undefined) => {
    const saved = savedIn(row);
    if (saved !== undefined) remove(saved);
  };
  const inTree: Record<string, () => void> = {
    ArrowDown: () => go(at + 1),
    ArrowUp: () => (at <= 0 ? searchRef.current?.focus() : go(at - 1)),
    j: () => go(at + 1),
    k: () => go(at - 1),
    Home: () => go(0),
    End: () => go(rows.length - 1),
    PageDown: () => go(at + 10),
    PageUp: () => go(at - 10),
    ArrowLeft: left,
    ArrowRight: right,
    Enter: () => enter(active),
    " ": () => open(active),
    F2: () => active?.kind === "saved" && setRenaming(active.call),
    Delete: () => removeSaved(active),
    Backspace: () => removeSaved(active),
  };
  const inSearch: Record<string, () => void> = {
    ArrowDown: () => go(at + 1),
    ArrowUp: () => go(at - 1),
    Enter: openFound,
    Escape: () => {
      if (!searching) searchRef.current?.blur();
      setQuery("");
      setCursor(null);
      early.current = false;
    },
  };
  const on = (moves: Record<string, () => void>) => (event: KeyboardEvent) => {
    const move = event.ctrlKey || event.metaKey || event.altKey || composing(event.nativeEvent) ? undefined : moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  };

  const items = virtualizer.getVirtualItems();
  const activeId = active && items.some((item) => item.index === at) ? active.id : undefined;
  return (
    <div className="group/tree flex min-h-0 flex-1 flex-col">
      <div className="shrink-0 p-2 pb-1">
        <SearchInput
          ref={searchRef}
          icon={Search}
          value={query}
          hint={!searching ? <Kbd keys="/" /> : undefined}
          placeholder={t("tree.searchHint")}
          aria-label={t("tree.search")}
          aria-controls="workbench-tree"
          aria-activedescendant={activeId}
          onChange={(event) => {
            setQuery(event.target.value);
            setCursor(null);
            early.current = false;
          }}
          onKeyDown={on(inSearch)}
          onBlur={() => {
            early.current = false;
          }}
        />
      </div>
      <div
        ref={scroller}
        id="workbench-tree"
        role="tree"
        // One Tab stop. Arrow keys move within the tree.
        tabIndex={0}
        aria-label={t("tree.label")}
        aria-activedescendant={activeId}
        onKeyDown={on(inTree)}
        onWheel={() => {
          followed.current = null;
        }}
        className="min-h-0 flex-1 outline-none! overflow-x-hidden overflow-y-auto px-2"
      >
        {rows.length === 0 && searching && <p className="m-0 px-2 py-3 text-fg-2">{t("tree.nothing")}</p>}
        <div role="presentation" className="relative w-full" style={{ height: virtualizer.getTotalSize() }}>
          {items.map((item) => {
            const row = rows[item.index];
            if (row === undefined) return null;
            return (
              <div
                key={item.key}
                role="presentation"
                className="absolute inset-x-0 top-0"
                style={{ height: item.size, transform: `translateY(${item.start}px)` }}
              >
                <TreeRowView
                  row={row}
                  selected={row.id === selected}
                  active={row.id === activeId}
                  running={row.kind === "item" && running.has(targetKey(row.server.id, row.item.target))}
                  live={
                    row.kind === "item" &&
                    row.item.target.kind === "resource" &&
                    subscribed.get(row.server.id)?.has(row.item.target.name) === true
                  }
                  onOpen={() => enter(row)}
                  onRename={setRenaming}
                />
              </div>
            );
          })}
        </div>
      </div>
      {renaming !== null && <RenameDialog call={renaming} onClose={() => setRenaming(null)} />}
    </div>
  );
}

/** Whether the row can be collapsed. */
const isHeading = (row: TreeRow) => row.kind === "server" || row.kind === "group" || row.kind === "section";
