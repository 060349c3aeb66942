import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ArrowLeftRight } from "lucide-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import { Needle } from "@/components/marked";
import { Sheet } from "@/components/sheet";
import type { LogRow } from "@/ipc/bindings/LogRow";
import { logEntry, logFacets } from "@/ipc/queries";
import { cx } from "@/lib/cx";
import { recall, remember } from "@/lib/remembered";
import { useShortcut } from "@/lib/shortcuts";
import { toast } from "@/lib/toasts";
import { useMedia } from "@/lib/use-media";
import { Banners } from "./banners";
import { copyLater } from "./copy";
import { DetailPane, type DetailTab } from "./detail/detail-pane";
import { EventCount, MatchCount } from "./event-count";
import { FilterChips } from "./filters/filter-chips";
import { FilterMenu } from "./filters/facet-menu";
import { TextFilter } from "./filters/text-filter";
import { isSkip, position } from "./feed/timeline";
import { useFeed } from "./feed/use-feed";
import { cancelledOf, partnerOf } from "./list/describe";
import { EventList, rowOf } from "./list/event-list";
import { RowMenu } from "./list/row-menu";
import { LiveButton, NewPill } from "./live";
import { NothingHere } from "./nothing-here";
import { type ChangeSearch, filterKey, isFiltered, unfiltered, without } from "./search";

const route = getRouteApi("/activity");
const FOLDING = "activity.folding";
const nothing = { sources: [], apps: [], methods: [], total: 0 };

/** All messages of all connections, live and past. */
export function ActivityScreen() {
  const { t } = useTranslation(["activity", "common"]);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const feed = useFeed(search);
  const { data: facets = nothing } = useQuery({ ...logFacets(), refetchInterval: 15_000 });
  const [cursor, setCursor] = useState<LogRow | null>(null);
  /** The tab of the details, which stays the same for the next event. */
  const [tab, setTab] = useState<DetailTab>("pretty");
  const [folding, setFolding] = useState(recall(FOLDING) !== "false");
  const gridRef = useRef<HTMLDivElement>(null);
  const textRef = useRef<HTMLInputElement>(null);
  const beside = useMedia("(min-width: 1100px)");
  const open = search.event ?? null;

  const go: ChangeSearch = (change) => void navigate({ to: "/activity", search: change, replace: true });
  const toGrid = () => gridRef.current?.focus({ preventScroll: true });
  const items = () => feed.getSnapshot().items;
  const rowWith = (id: number): LogRow | null => {
    const item = items()[position(items(), id)];
    return item && !isSkip(item) && item.id === id ? item : null;
  };
  const show = (row: LogRow) => {
    feed.leave();
    setCursor(row);
    go((now) => ({ ...now, event: row.id }));
  };
  const showPartner = (row: LogRow) => {
    show(row);
    void feed.reveal(row.id);
  };
  const close = () => {
    if (open === null) return;
    go((now) => without(now, "event"));
    toGrid();
  };
  const copy = async (row: LogRow) => {
    try {
      await copyLater(client.ensureQueryData(logEntry(row.id)).then((entry) => entry?.body ?? ""));
      toast({ text: t("menu.copied") });
    } catch {
      toast({ tone: "bad", text: t("menu.notCopied") });
    }
  };

  useShortcut("/", () => {
    textRef.current?.focus();
    textRef.current?.select();
  });
  useShortcut("escape", close);
  useShortcut("space", () => (feed.getSnapshot().mode === "live" ? feed.pause() : feed.resume()));

  const known = open === null ? null : cursor?.id === open ? cursor : rowWith(open);
  const detail = open !== null && (
    <DetailPane
      key={open}
      id={open}
      row={known}
      tab={tab}
      onTab={setTab}
      partnerOf={(row) => partnerOf(row, items())}
      cancelledOf={(row) => cancelledOf(row, items())}
      onPartner={showPartner}
      onCall={(call) => go((now) => ({ ...unfiltered(now), call }))}
      onClose={close}
    />
  );
  return (
    <Needle value={search.text ?? ""}>
      <main tabIndex={-1} aria-label={t("place")} className="flex min-h-0 min-w-0 flex-1 flex-col bg-surface outline-none">
        <header className="flex h-(--bar-height) shrink-0 items-center gap-2 border-b border-line px-4">
          <h1 className="m-0 mr-1 shrink-0 text-lg font-[620] tracking-[-.01em]">{t("place")}</h1>
          <TextFilter search={search} facets={facets} onChange={go} inputRef={textRef} onLeave={toGrid} />
          <FilterMenu search={search} facets={facets} onChange={go} />
          {isFiltered(search) ? (
            <MatchCount key={filterKey(search)} feed={feed} total={facets.total} search={search} />
          ) : (
            <EventCount feed={feed} />
          )}
          <span className="flex-1" />
          <IconButton
            icon={ArrowLeftRight}
            label={t("list.folding")}
            aria-pressed={folding}
            onClick={() => {
              setFolding(!folding);
              remember(FOLDING, String(!folding));
            }}
          />
          <LiveButton feed={feed} />
        </header>
        <FilterChips search={search} facets={facets} onChange={go} />
        <Banners feed={feed} />
        {/* An overlay leaves the list the remaining room, with its most important columns. */}
        <div className={cx("flex min-h-0 min-w-0 flex-1", !beside && detail !== false && "pr-[min(440px,calc(100%-240px))]")}>
          <RowMenu
            rowAt={(target) => rowOf(items(), target) ?? (target === gridRef.current ? cursor : null)}
            onMenu={(row) => {
              feed.leave();
              setCursor(row);
            }}
            actions={{
              open: (row) => showPartner(row),
              copy: (row) => void copy(row),
              filter: (part) => go((now) => ({ ...now, ...part })),
              workbench: (server, tool) => void navigate({ to: "/workbench", search: { server, tool } }),
              partner: (row) => partnerOf(row, items()),
            }}
          >
            <EventList
              feed={feed}
              gridRef={gridRef}
              folding={folding}
              cursor={open ?? cursor?.id ?? null}
              onCursor={(row) => (open === null ? setCursor(row) : show(row))}
              onOpen={show}
            >
              <NothingHere feed={feed} filtered={isFiltered(search)} />
            </EventList>
            <NewPill feed={feed} />
          </RowMenu>
          {beside && detail !== false && (
            <aside
              aria-label={t("detail.label")}
              className={cx("flex shrink-0 flex-col border-l border-line", known?.call == null ? "w-107.5" : "w-107.5 min-[1240px]:w-130")}
            >
              {detail}
            </aside>
          )}
        </div>
        {!beside && (
          <Sheet open={detail !== false} onOpenChange={(next) => !next && close()} title={t("detail.label")}>
            {detail}
          </Sheet>
        )}
      </main>
    </Needle>
  );
}
