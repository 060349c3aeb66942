import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { CheckCheck, FileDiff, Search, Wrench } from "lucide-react";
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ErrorNotice } from "@/components/error-notice";
import { Icon } from "@/components/icon";
import { SearchInput } from "@/components/input";
import { Skeleton } from "@/components/skeleton";
import { SegmentedControl } from "@/components/toggles";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { ToolList } from "@/ipc/bindings/ToolList";
import { toolAccess, tools, trust } from "@/ipc/queries";
import { isPlain, useApprovals } from "@/lib/approvals";
import { errorWords } from "@/lib/error-text";
import { useArmed } from "@/lib/use-armed";
import { useNow } from "@/lib/use-now";
import { visibleLine } from "@/lib/untrusted";
import { useOpenWork } from "@/lib/work-focus";
import { Diagnostics } from "../inspector/diagnostics";
import { ReviewButton } from "../inspector/review-button";
import { TabEmpty } from "../inspector/tab-empty";
import { groupOf, type ToolGroup, toolGroups } from "./groups";
import { EFFECTS, ToolRow } from "./tool-row";
import { useToolSwitch } from "./use-tool-switch";

/** The estimated height of a row (px): a name, its claims and two lines of description. */
const ROW_HEIGHT = 88;
/** How many rows are visible below the content above them. */
const FIRST_ROWS = 5;
/** The keys that switch the focused row, in the order of `EFFECTS`. */
const KEYS = ["o", "a", "x"] as const;

/** The server's tools, each with whether it may run and a link to the Workbench. */
export function ToolsTab({ server }: { server: ServerView }) {
  const { t } = useTranslation("servers");
  const connected = server.toolCount !== null;
  const query = useQuery({ ...tools(server.id), enabled: connected });
  if (!connected) return <TabEmpty icon={Wrench} title={t("tools.notConnected")} text={t("tools.notConnectedText")} />;
  if (query.isPending) return <Skeleton rows={6} />;
  if (query.error)
    return (
      <div className="p-5">
        <ErrorNotice title={t("tools.failed")} {...errorWords(query.error)}>
          <Button busy={query.isFetching} onClick={() => void query.refetch()}>
            {t("tryAgain", { ns: "common" })}
          </Button>
        </ErrorNotice>
      </div>
    );
  if (query.data.tools.length === 0) return <TabEmpty icon={Wrench} title={t("tools.none")} text={t("tools.noneText")} />;
  return <ToolGrid server={server} list={query.data} />;
}

function ToolGrid({ server, list }: { server: ServerView; list: ToolList }) {
  // The virtualizer returns the same object with different contents, so nothing here may be memoized by identity.
  "use no memo";
  const { t } = useTranslation(["servers", "trust", "inbox"]);
  const openWork = useOpenWork();
  const now = useNow(15_000);
  const access = useQuery(toolAccess(server.id));
  const { data: pins, isPending: pinsPending } = useQuery(trust(server.id));
  const set = useToolSwitch(server.id);
  const approvals = useApprovals();
  const scroller = useRef<HTMLDivElement>(null);
  const grid = useRef<HTMLDivElement>(null);
  /** The distance of the rows from the top of the scrolling area (px). */
  const [above, setAbove] = useState(0);
  const [filter, setFilter] = useState("");
  const [group, setGroup] = useState<ToolGroup | "all">("all");
  const [at, setAt] = useState(0);

  const wanted = filter.trim().toLowerCase();
  const byTool = new Map(access.data?.map((item) => [item.tool, item]));
  const pinned = new Map(pins?.items.flatMap((item) => (item.kind === "tool" ? [[item.name, item]] : [])));
  const grouped = Map.groupBy(list.tools, ({ name }) => groupOf(pinned.get(name), byTool.get(name)));
  const sizes = toolGroups.flatMap((of) => {
    const size = grouped.get(of)?.length ?? 0;
    return size > 0 ? [{ of, size }] : [];
  });
  // A group that became empty isn't shown.
  const shown = group !== "all" && grouped.has(group) ? group : "all";
  const among = shown === "all" ? list.tools : (grouped.get(shown) ?? []);
  const found = among.filter(({ name, description }) => `${name} ${description ?? ""}`.toLowerCase().includes(wanted));
  const plain = found.flatMap(({ name }) => {
    const pin = pinned.get(name);
    return pin !== undefined && isPlain(pin) && groupOf(pin, byTool.get(name)) === "open" ? [pin] : [];
  });
  // Shown above the first rows, if it applies to them.
  const legend = found.slice(0, FIRST_ROWS).some(({ name }) => groupOf(pinned.get(name), byTool.get(name)) !== "open");
  const changed = [...pinned.values()].filter(({ state }) => state === "changed").length;
  // When the list changes, another tool moves under the pointer.
  const armed = useArmed(plain.map(({ name, hash }) => `${name} ${hash}`).join("\n"), plain.length > 0 ? 0 : null);
  const isAnyFound = found.length > 0;
  useLayoutEffect(() => setAbove(grid.current?.offsetTop ?? 0), [list, legend, isAnyFound]);
  const virtualizer = useVirtualizer({
    count: found.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (index) => `${index} ${found[index]?.name ?? ""}`,
    overscan: 8,
    scrollMargin: above,
    useFlushSync: false,
  });

  const go = (index: number) => {
    const next = Math.min(found.length - 1, Math.max(0, index));
    setAt(next);
    virtualizer.scrollToIndex(next, { align: "auto" });
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-index="${next}"]`)?.focus({ preventScroll: true }));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.target instanceof HTMLElement) || !event.target.matches("[role=row]"))
      return;
    const tool = found[at];
    const steps: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      j: at + 1,
      k: at - 1,
      PageDown: at + 5,
      PageUp: at - 5,
      Home: 0,
      End: found.length - 1,
    };
    const step = steps[event.key];
    const effect = EFFECTS[KEYS.findIndex((key) => key === event.key)];
    if (step !== undefined) go(step);
    else if (event.key === "Enter" && tool) openWork(server.id, "tool", tool.name);
    else if (effect !== undefined && tool) {
      const one = byTool.get(tool.name);
      // An unapproved tool has no switch and no keys.
      if (one && groupOf(pinned.get(tool.name), one) !== "open") set(one, effect);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div className="absolute inset-0 flex flex-col">
      <div className="flex shrink-0 flex-col gap-2 px-5 pt-3 pb-2">
        {changed > 0 && (
          <div className="flex items-center gap-2.5 rounded-m bg-warn-soft py-1.5 pr-1.5 pl-3">
            <Icon of={FileDiff} className="shrink-0 text-warn" />
            <span className="min-w-0 flex-1">{t("changed.tools", { count: changed })}</span>
            <ReviewButton server={server.id} look="default" />
          </div>
        )}
        <div className="flex flex-wrap items-center gap-2 empty:hidden">
          {list.tools.length > 8 && (
            <SearchInput
              icon={Search}
              aria-label={t("tools.search")}
              placeholder={t("tools.search")}
              value={filter}
              onChange={(event) => {
                setFilter(event.target.value);
                setAt(0);
              }}
              className="min-w-36 flex-1"
            />
          )}
          {plain.length > 1 && (
            <Button
              icon={CheckCheck}
              busy={approvals.busy}
              arming={!armed}
              title={armed ? undefined : t("inbox:answer.arming")}
              onClick={() => {
                // The button disappears, so the focus continues in the list.
                go(at);
                void approvals.approve(plain.map((pin) => ({ server, pin })));
              }}
            >
              {t("trust:review.all", { count: plain.length })}
            </Button>
          )}
        </div>
        {sizes.length > 1 && (
          <SegmentedControl
            label={t("tools.show")}
            value={shown}
            onChange={(next) => {
              setGroup(next);
              setAt(0);
            }}
            options={[
              { value: "all" as const, label: t("tools.group.all", { count: list.tools.length }) },
              ...sizes.map(({ of, size }) => ({ value: of, label: t(`tools.group.${of}`, { count: size }) })),
            ]}
            className="max-w-full self-start text-sm tabular"
          />
        )}
        {access.error && <ErrorNotice title={t("tool.failed")} {...errorWords(access.error)} />}
        {approvals.error?.code === "definition_changed" && (
          <ErrorNotice answers tone="warn" title={t("trust:moved.title")} why={t("trust:moved.why")} />
        )}
      </div>
      <div ref={scroller} className="relative min-h-0 flex-1 overflow-x-hidden overflow-y-auto border-t border-line">
        {/* Text that is only read once makes room for the tools. */}
        <div className="flex flex-col gap-2 border-b border-line px-5 py-2">
          {list.diagnostics.length > 0 && <Diagnostics items={list.diagnostics} />}
          {legend && <p className="m-0 text-sm text-fg-2">{t("tool.legend")}</p>}
          <p className="m-0 text-xs font-semibold text-fg-2">
            {t("tools.frame", { name: visibleLine(server.name), count: list.tools.length })}
          </p>
        </div>
        {!isAnyFound ? (
          <p className="m-0 py-6 text-center text-fg-3">{t("tools.noMatch")}</p>
        ) : (
          <>
            {/* Its rows handle the keys. */}
            {/* oxlint-disable-next-line jsx-a11y/interactive-supports-focus */}
            <div
              ref={grid}
              role="grid"
              aria-label={t("tools.list")}
              aria-rowcount={found.length}
              onKeyDown={onKeyDown}
              className="relative"
              style={{ height: virtualizer.getTotalSize() }}
            >
              {virtualizer.getVirtualItems().map(({ index, key, start }) => {
                const tool = found[index];
                if (tool === undefined) return null;
                const one = byTool.get(tool.name);
                const pin = pinned.get(tool.name) ?? (pinsPending ? undefined : null);
                return (
                  <div
                    key={key}
                    ref={virtualizer.measureElement}
                    role="row"
                    aria-rowindex={index + 1}
                    aria-label={visibleLine(tool.name)}
                    aria-keyshortcuts={groupOf(pin ?? undefined, one) === "open" ? undefined : KEYS.join(" ")}
                    data-index={index}
                    tabIndex={index === at ? 0 : -1}
                    onFocus={(event) => event.target === event.currentTarget && setAt(index)}
                    className="inset-focus absolute inset-x-0 top-0 border-b border-line"
                    style={{ transform: `translateY(${start - above}px)` }}
                  >
                    <ToolRow
                      server={server.id}
                      tool={tool}
                      access={one}
                      pin={pin}
                      now={now}
                      armed={armed}
                      busy={approvals.busy}
                      onApprove={(pin) => {
                        // Its button disappears, so the focus stays in the row.
                        go(index);
                        void approvals.approve([{ server, pin }]);
                      }}
                      onSet={(effect) => one && set(one, effect)}
                    />
                  </div>
                );
              })}
            </div>
          </>
        )}
      </div>
    </div>
  );
}
