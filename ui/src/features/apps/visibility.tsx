import { useQueryClient } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { SearchInput } from "@/components/input";
import { Switch } from "@/components/toggles";
import type { AppCost } from "@/ipc/bindings/AppCost";
import type { AppOff } from "@/ipc/bindings/AppOff";
import type { AppView } from "@/ipc/bindings/AppView";
import { apps } from "@/ipc/queries";
import { shownAtOnce, useCommand } from "@/lib/use-command";
import { type AppServer, useAppTools } from "./app-tools";
import { ServerTools } from "./server-tools";

/** How many servers are shown at first. */
const SHOWN = 8;

/** What an app gets of each server, and the tokens of each tool. Tools that are off are hidden and refused. */
export function Visibility({ app }: { app: AppView }) {
  const { t } = useTranslation("apps");
  const client = useQueryClient();
  const { run } = useCommand({ vault: true });
  const [text, setText] = useState("");
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set());
  const [all, setAll] = useState(false);
  const { found, cost } = useAppTools(app);
  const order = useOrderOfCost(cost);
  const wanted = text.trim().toLowerCase();

  /** Shows the change before it is saved. */
  const change = (part: Partial<AppView>) =>
    shownAtOnce<AppView[]>(client, apps().queryKey, (list) => list.map((one) => (one.id === app.id ? { ...one, ...part } : one)));
  const turn = (server: number, tool: string | null, on: boolean) => {
    const others = app.off.filter((off) => off.server !== server || off.tool !== tool);
    const off: AppOff[] = on ? others : [...others, { server, tool }];
    const { failed } = change({ off });
    void run("set_app_off", { id: app.id, off }, { failed });
  };
  const turnOffers = (prompts: boolean, resources: boolean) => {
    const { failed } = change({ seesPrompts: prompts, seesResources: resources });
    void run("set_app_offers", { id: app.id, prompts, resources }, { failed });
  };
  const isPinned = (server: number, tool: string) => app.pinned.some((pin) => pin.server === server && pin.tool === tool);
  const pin = (server: number, tool: string) => {
    const others = app.pinned.filter((one) => one.server !== server || one.tool !== tool);
    const pinned = isPinned(server, tool) ? others : [...others, { server, tool }];
    const { failed } = change({ pinned });
    void run("set_app_pinned", { id: app.id, pinned }, { failed });
  };

  const matching = found
    .toSorted((a, b) => order(a) - order(b))
    .map((one) => ({ ...one, matches: one.tools.filter(({ name }) => wanted === "" || name.toLowerCase().includes(wanted)) }))
    .filter(({ server, matches }) => wanted === "" || matches.length > 0 || server.name.toLowerCase().includes(wanted));
  // Servers with tools come first. One more row takes no more room than the button for it.
  const offering = matching.filter(({ tools }) => tools.length > 0).length;
  const limit = Math.min(offering === 0 ? SHOWN : offering, SHOWN);
  const shown = wanted !== "" || all || matching.length <= limit + 1 ? matching : matching.slice(0, limit);
  const isSearched = app.toolList !== "whole";

  return (
    <section aria-labelledby="app-sees">
      <h3 id="app-sees" className="m-0 mb-1 font-semibold">
        {t("sees.title")}
      </h3>
      <p className="m-0 mb-2 text-fg-2">{t(isSearched ? "sees.textPinned" : "sees.text")}</p>
      {found.length === 0 ? (
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
          {matching.length === 0 && <p className="m-0 text-fg-3">{t("sees.nothing")}</p>}
          {matching.length > 0 && (
            <ul className="m-0 list-none rounded-m border border-line p-0">
              {cost && (
                <li className="flex h-7 items-center gap-2 border-b border-line px-3 text-xs font-[560] text-fg-3">
                  <span className="min-w-0 flex-1 truncate">{t("sees.order")}</span>
                  <span>{t("table.tokens")}</span>
                  <span className="w-8" />
                </li>
              )}
              {shown.map(({ matches, ...one }) => {
                const { id } = one.server;
                const open = wanted === "" ? unfolded.has(id) : matches.length > 0;
                return (
                  <ServerTools
                    key={id}
                    {...one}
                    matches={matches}
                    counted={Boolean(cost)}
                    whole={wanted === ""}
                    open={open}
                    onFold={() => setUnfolded(new Set(open ? [...unfolded].filter((other) => other !== id) : [...unfolded, id]))}
                    onTurn={(tool, on) => turn(id, tool, on)}
                    {...(isSearched
                      ? {
                          pins: {
                            count: app.pinned.filter(({ server }) => server === id).length,
                            has: (tool) => isPinned(id, tool),
                            turn: (tool) => pin(id, tool),
                          },
                        }
                      : {})}
                  />
                );
              })}
            </ul>
          )}
          {shown.length < matching.length && (
            <Button look="ghost" className="mt-1" onClick={() => setAll(true)}>
              {t("sees.more", { count: matching.length - shown.length })}
            </Button>
          )}
        </>
      )}
      <ul className="m-0 mt-2 list-none rounded-m border border-line p-0">
        <OfferLine name={t("sees.prompts")} on={app.seesPrompts} onTurn={(on) => turnOffers(on, app.seesResources)} />
        <OfferLine name={t("sees.resources")} on={app.seesResources} onTurn={(on) => turnOffers(app.seesPrompts, on)} />
      </ul>
    </section>
  );
}

/** What an app sees of all servers besides their tools. */
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

/**
 * The servers sorted by their cost when first shown, so that a server that is switched off stays in place. Servers
 * without offers come last.
 */
function useOrderOfCost(cost: AppCost | null | undefined): (one: AppServer) => number {
  const [order, setOrder] = useState<readonly number[] | null>(null);
  if (order === null && cost) setOrder(cost.servers.toSorted((a, b) => b.tokens - a.tokens).map(({ server }) => server));
  return ({ server, tools }) => {
    const at = order?.indexOf(server.id) ?? -1;
    return at < 0 ? (order?.length ?? 0) + (tools.length > 0 ? 0 : 1) : at;
  };
}
