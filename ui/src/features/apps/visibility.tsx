import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ChevronRight, Pin, Search } from "lucide-react";
import { Fragment, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import { Icon } from "@/components/icon";
import { SearchInput } from "@/components/input";
import { Switch } from "@/components/toggles";
import type { AppCost } from "@/ipc/bindings/AppCost";
import type { AppOff } from "@/ipc/bindings/AppOff";
import type { AppView } from "@/ipc/bindings/AppView";
import { appCost, apps, servers, tools } from "@/ipc/queries";
import { cx } from "@/lib/cx";
import { formatCount } from "@/lib/format";
import { visibleLine } from "@/lib/untrusted";
import { shownAtOnce, useCommand } from "@/lib/use-command";

/** What an app sees, and what each tool costs it. What is off is absent and refused. */
export function Visibility({ app }: { app: AppView }) {
  const { t } = useTranslation("apps");
  const client = useQueryClient();
  const { run } = useCommand({ vault: true });
  const [text, setText] = useState("");
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set());
  const { data: saved = [] } = useQuery(servers());
  const running = saved.filter(({ state }) => state === "ready" || state === "degraded");
  const lists = useQueries({ queries: running.map(({ id }) => tools(id)) });
  const toolsOf = (id: number) => lists[running.findIndex((server) => server.id === id)]?.data?.tools ?? [];
  const { data: cost } = useQuery(appCost(app.id));
  const order = useOrderOfCost(cost);
  const costOf = (id: number) => cost?.servers.find(({ server }) => server === id);
  const wanted = text.trim().toLowerCase();

  const isOff = (server: number, tool: string | null) => app.off.some((off) => off.server === server && off.tool === tool);
  const turn = (server: number, tool: string | null, on: boolean) => {
    const others = app.off.filter((off) => off.server !== server || off.tool !== tool);
    const off: AppOff[] = on ? others : [...others, { server, tool }];
    const { failed } = shownAtOnce<AppView[]>(client, apps().queryKey, (list) =>
      list.map((one) => (one.id === app.id ? { ...one, off } : one)),
    );
    void run("set_app", { id: app.id, level: app.chosenLevel, off }, { failed });
  };
  const turnOffers = (prompts: boolean, resources: boolean) => {
    const { failed } = shownAtOnce<AppView[]>(client, apps().queryKey, (list) =>
      list.map((one) => (one.id === app.id ? { ...one, seesPrompts: prompts, seesResources: resources } : one)),
    );
    void run("set_app_offers", { id: app.id, prompts, resources }, { failed });
  };
  const isPinned = (server: number, tool: string) => app.pinned.some((pin) => pin.server === server && pin.tool === tool);
  const pin = (server: number, tool: string) => {
    const others = app.pinned.filter((one) => one.server !== server || one.tool !== tool);
    const pinned = isPinned(server, tool) ? others : [...others, { server, tool }];
    const { failed } = shownAtOnce<AppView[]>(client, apps().queryKey, (list) =>
      list.map((one) => (one.id === app.id ? { ...one, pinned } : one)),
    );
    void run("set_app_pinned", { id: app.id, pinned }, { failed });
  };
  /** Whether the app can get a tool, as far as that is known: counted are approved tools, and no server without any. */
  const isApproved = (id: number, tool: string) => !cost || costOf(id)?.tools.some(({ name }) => name === tool) === true;
  const waiting = saved
    .map(({ id }) => ({ id, count: toolsOf(id).filter(({ name }) => !isApproved(id, name)).length }))
    .filter(({ count }) => count > 0);
  const shown = saved
    .toSorted((a, b) => order(a.id) - order(b.id))
    .map((server) => {
      const costs = new Map(costOf(server.id)?.tools.map(({ name, tokens }) => [name, tokens]));
      const found = toolsOf(server.id)
        .filter((tool) => wanted === "" || tool.name.toLowerCase().includes(wanted))
        .map(({ name }) => ({ name, tokens: costs.get(name) ?? null }))
        .toSorted((a, b) => (b.tokens ?? 0) - (a.tokens ?? 0));
      return { server, tools: found };
    })
    .filter(({ server, tools }) => wanted === "" || tools.length > 0 || server.name.toLowerCase().includes(wanted));

  return (
    <section aria-labelledby="app-sees">
      <h3 id="app-sees" className="m-0 mb-1 font-semibold">
        {t("sees.title")}
      </h3>
      <p className="m-0 mb-2 text-fg-2">{t(app.toolList === "whole" ? "sees.text" : "sees.textPinned")}</p>
      {saved.length === 0 ? (
        <p className="m-0 text-fg-3">{t("sees.none")}</p>
      ) : (
        <>
          <SearchInput
            icon={Search}
            aria-label={t("sees.search")}
            placeholder={t("sees.search")}
            value={text}
            onChange={(event) => setText(event.target.value)}
            className="mb-2 w-full"
          />
          {waiting[0] && (
            <p className="m-0 mb-2">
              {t("sees.unapproved", { count: waiting.reduce((sum, { count }) => sum + count, 0) })}{" "}
              <Link to="/review" className="rounded-xs text-accent underline">
                {t("sees.review")}
              </Link>
            </p>
          )}
          {shown.length === 0 && <p className="m-0 text-fg-3">{t("sees.nothing")}</p>}
          <ul className="m-0 list-none rounded-m border border-line p-0">
            {shown.length > 0 && cost && (
              <li className="flex h-7 items-center gap-2 border-b border-line px-3 text-xs font-[560] text-fg-3">
                <span className="min-w-0 flex-1 truncate">{t("sees.order")}</span>
                <span>{t("table.tokens")}</span>
                <span className="w-8" />
              </li>
            )}
            {shown.map(({ server, tools: found }) => {
              const instructions = costOf(server.id)?.instructions ?? 0;
              const on = !isOff(server.id, null);
              const all = toolsOf(server.id);
              const open = wanted === "" ? unfolded.has(server.id) : found.length > 0;
              const approved = all.filter(({ name }) => isApproved(server.id, name));
              const seen = approved.filter(({ name }) => !isOff(server.id, name)).length;
              const said = !on ? "off" : seen === approved.length && seen < all.length ? "approved" : "on";
              const pinned = app.pinned.filter((pin) => pin.server === server.id).length;
              return (
                <li key={server.id} className="border-b border-line last:border-0">
                  <ServerLine
                    name={server.name}
                    count={all.length === 0 ? null : { said, all: all.length, seen, pinned: app.toolList === "whole" ? 0 : pinned }}
                    tokens={cost ? (on ? (costOf(server.id)?.tokens ?? null) : null) : undefined}
                    on={on}
                    open={open}
                    onTurn={(next) => turn(server.id, null, next)}
                    {...(all.length > 0 && wanted === ""
                      ? {
                          onFold: () =>
                            setUnfolded(new Set(open ? [...unfolded].filter((id) => id !== server.id) : [...unfolded, server.id])),
                        }
                      : {})}
                  />
                  {open && (
                    <ul className="m-0 list-none border-t border-line p-0">
                      {wanted === "" && instructions > 0 && (
                        <li className="flex min-h-8 items-center gap-2 border-b border-line pr-3 pl-8.5 last:border-0">
                          <span className="min-w-0 flex-1 truncate">{t("sees.instructions")}</span>
                          <Tokens count={instructions} />
                          <span className="w-8" />
                        </li>
                      )}
                      {found.map((tool, at) => (
                        <Fragment key={tool.name}>
                          {/* Said once, above the first of them. */}
                          {cost && tool.tokens === null && found[at - 1]?.tokens !== null && (
                            <li className="border-b border-line bg-sunken py-1 pl-8.5 text-xs text-fg-2">{t("sees.waiting")}</li>
                          )}
                          <ToolLine
                            name={tool.name}
                            tokens={cost ? tool.tokens : undefined}
                            on={on && !isOff(server.id, tool.name)}
                            disabled={!on}
                            onTurn={(next) => turn(server.id, tool.name, next)}
                            {...(app.toolList === "whole"
                              ? {}
                              : { pinned: isPinned(server.id, tool.name), onPin: () => pin(server.id, tool.name) })}
                          />
                        </Fragment>
                      ))}
                    </ul>
                  )}
                </li>
              );
            })}
          </ul>
        </>
      )}
      <ul className="m-0 mt-2 list-none rounded-m border border-line p-0">
        <OfferLine name={t("sees.prompts")} on={app.seesPrompts} onTurn={(on) => turnOffers(on, app.seesResources)} />
        <OfferLine name={t("sees.resources")} on={app.seesResources} onTurn={(on) => turnOffers(app.seesPrompts, on)} />
      </ul>
    </section>
  );
}

/** What an app sees of all servers, beside their tools. */
function OfferLine({ name, on, onTurn }: { name: string; on: boolean; onTurn: (on: boolean) => void }) {
  const id = useId();
  return (
    <li className="flex min-h-9 items-center gap-2 border-b border-line px-3 last:border-0">
      <label htmlFor={id} className="min-w-0 flex-1">
        {name}
      </label>
      <Switch id={id} checked={on} onChange={onTurn} />
    </li>
  );
}

/** The servers as they cost when they were first shown, the most first: what is switched off stays where it is. */
function useOrderOfCost(cost: AppCost | null | undefined): (server: number) => number {
  const [order, setOrder] = useState<readonly number[] | null>(null);
  if (order === null && cost) setOrder(cost.servers.toSorted((a, b) => b.tokens - a.tokens).map(({ server }) => server));
  return (server) => {
    const at = order?.indexOf(server) ?? -1;
    return at < 0 ? Number.MAX_SAFE_INTEGER : at;
  };
}

/** So many tokens; null: the app doesn't get it. */
function Tokens({ count, off = false }: { count: number | null; off?: boolean }) {
  const { i18n } = useTranslation();
  const nothing = count === null;
  return (
    <span className={cx("min-w-8 shrink-0 text-right text-sm tabular", off || nothing ? "text-fg-3" : "text-fg-2")}>
      {nothing ? "–" : formatCount(count, i18n.language)}
    </span>
  );
}

function ServerLine({
  name,
  count,
  tokens,
  on,
  open,
  onTurn,
  onFold,
}: {
  name: string;
  /** Its tools, and why the app doesn't get all of them; null: they are not known. */
  count: { said: "on" | "approved" | "off"; all: number; seen: number; pinned: number } | null;
  /** What it costs; null: the app doesn't get it; undefined: it wasn't counted. */
  tokens: number | null | undefined;
  on: boolean;
  open: boolean;
  onTurn: (on: boolean) => void;
  /** Shows or hides its tools; absent where there are none to show, or all that match are shown. */
  onFold?: () => void;
}) {
  const { t } = useTranslation("apps");
  const id = useId();
  const words = (
    <>
      <b className="min-w-0 truncate font-[560]">
        <bdi>{visibleLine(name)}</bdi>
      </b>
      {count && (
        <span className="shrink-0 text-sm text-fg-3 tabular">
          {t(`sees.count.${count.said}`, { seen: count.seen, count: count.all })}
          {count.pinned > 0 && ` · ${t("sees.pins", { count: count.pinned })}`}
        </span>
      )}
    </>
  );
  return (
    <div className="flex min-h-9 items-center gap-2 px-3">
      {onFold ? (
        <button
          type="button"
          aria-expanded={open}
          onClick={onFold}
          className="inset-focus flex min-w-0 flex-1 items-center gap-1.5 rounded-xs py-1.5 text-left"
        >
          <Icon of={ChevronRight} className={cx("shrink-0 text-fg-3 transition-transform", open && "rotate-90")} />
          {words}
        </button>
      ) : (
        <span className="flex min-w-0 flex-1 items-center gap-1.5 py-1.5">{words}</span>
      )}
      {tokens !== undefined && <Tokens count={tokens} />}
      <Switch id={id} checked={on} onChange={onTurn} label={t("sees.server", { name: visibleLine(name) })} />
    </div>
  );
}

function ToolLine({
  name,
  tokens,
  on,
  disabled,
  onTurn,
  pinned = false,
  onPin,
}: {
  name: string;
  /** What it costs where it is on; null: it isn't approved; undefined: it wasn't counted. */
  tokens: number | null | undefined;
  on: boolean;
  disabled: boolean;
  onTurn: (on: boolean) => void;
  /** The app gets it beside the search. */
  pinned?: boolean;
  /** Pins it or takes the pin away; absent where the app gets all tools. */
  onPin?: () => void;
}) {
  const { t } = useTranslation("apps");
  const id = useId();
  const waits = tokens === null;
  return (
    <li className="flex min-h-8 items-center gap-2 border-b border-line pr-3 pl-8.5 last:border-0">
      <label htmlFor={id} className={cx("mono min-w-0 flex-1 truncate", (disabled || waits) && "text-fg-3")} title={visibleLine(name)}>
        <bdi>{visibleLine(name)}</bdi>
      </label>
      {onPin && (
        <IconButton
          small
          icon={Pin}
          label={t("sees.pin", { name: visibleLine(name) })}
          aria-pressed={pinned}
          disabled={!on}
          onClick={onPin}
          className="[&[aria-pressed=true]_svg]:fill-current"
        />
      )}
      {waits ? (
        <span className="sr-only">{t(on ? "sees.onceApproved" : "sees.notApproved")}</span>
      ) : (
        tokens !== undefined && <Tokens count={tokens} off={!on} />
      )}
      {/* What is chosen of it counts once it is approved: it looks like that, and can be chosen now. */}
      <span className={cx("inline-flex", waits && "opacity-50")}>
        <Switch id={id} checked={on} disabled={disabled} onChange={onTurn} />
      </span>
    </li>
  );
}
