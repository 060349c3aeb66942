import { useQuery } from "@tanstack/react-query";
import { Link, useRouterState } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import { Kbd } from "@/components/kbd";
import { StateMark } from "@/components/state-mark";
import { Tooltip } from "@/components/tooltip";
import { accounts, servers } from "@/ipc/queries";
import { showOverlay } from "@/lib/overlays";
import { shownState } from "@/lib/server-state";
import { visibleLine } from "@/lib/untrusted";
import { useWaitingCount } from "@/lib/waiting";
import { Mark } from "./mark";
import { places } from "./places";

const entry =
  "inset-focus flex h-7.5 shrink-0 items-center gap-2.25 rounded-s px-2 font-medium text-fg-2 no-underline transition-colors hover:bg-hover data-[status=active]:bg-selected data-[status=active]:text-fg";

/** The left rail: search, places, and the servers with their states. */
export function Rail() {
  const { t } = useTranslation();
  const { data: list = [] } = useQuery(servers());
  const { data: logins = [] } = useQuery(accounts());
  const waiting = useWaitingCount();
  const counts: Partial<Record<(typeof places)[number]["name"], number>> = { servers: list.length, accounts: logins.length };
  const main = places.filter((place) => place.to !== "/settings");
  const rest = places.filter((place) => place.to === "/settings");
  return (
    <nav aria-label={t("rail.label")} className="row-span-2 flex min-h-0 flex-col gap-0.5 border-r border-line bg-canvas px-2 pt-3 pb-2">
      <div className="flex items-center gap-2 px-2 pt-0.5 pb-2.5 text-lg font-[650] tracking-[-.01em]">
        <Mark />
        Mooring
      </div>
      <button
        type="button"
        onClick={() => showOverlay("palette")}
        className="mb-2 flex h-7.5 shrink-0 items-center gap-2 rounded-m border border-line bg-surface px-2 text-fg-3 transition-colors hover:border-line-strong hover:text-fg-2"
      >
        <Icon of={Search} />
        <span className="min-w-0 flex-1 truncate text-left">{t("rail.search")}</span>
        <Kbd keys="mod+k" />
      </button>
      {main.map((place) => (
        <Link key={place.to} to={place.to} className={entry} activeOptions={{ includeSearch: false }}>
          <Icon of={place.icon} size={16} />
          {t(`place.${place.name}`)}
          {place.name === "inbox" && waiting > 0 && (
            <span className="ml-auto min-w-4.5 rounded-full bg-accent px-1.25 text-center text-xs leading-4.5 font-semibold text-on-accent tabular">
              {waiting}
            </span>
          )}
          {(counts[place.name] ?? 0) > 0 && <span className="ml-auto text-xs text-fg-3 tabular">{counts[place.name]}</span>}
        </Link>
      ))}
      <RailServers />
      {rest.map((place) => (
        <Link key={place.to} to={place.to} className={entry}>
          <Icon of={place.icon} size={16} />
          {t(`place.${place.name}`)}
        </Link>
      ))}
    </nav>
  );
}

function RailServers() {
  const { t } = useTranslation();
  const { data: list = [] } = useQuery(servers());
  const shown = useRouterState({
    select: ({ location }) => (location.pathname === "/servers" ? (location.search as { id?: number }).id : undefined),
  });
  if (list.length === 0) return <span className="flex-1" />;
  return (
    <div className="mt-3 mb-1 flex min-h-0 flex-1 flex-col">
      <h2 id="rail-servers" className="m-0 px-2 pb-1 text-xs font-semibold text-fg-3">
        {t("rail.servers")}
      </h2>
      <ul aria-labelledby="rail-servers" className="m-0 min-h-0 list-none overflow-y-auto p-0">
        {list.map((server) => {
          const name = visibleLine(server.name);
          return (
            <li key={server.id}>
              <Tooltip side="right" text={`${name} · ${t(`state.${shownState(server)}`)}`}>
                <Link
                  to="/servers"
                  search={{ id: server.id }}
                  data-shown={server.id === shown}
                  className="inset-focus flex h-6.5 min-w-0 items-center gap-2 rounded-s px-2 text-fg-2 no-underline transition-colors hover:bg-hover hover:text-fg data-[shown=true]:bg-selected data-[shown=true]:text-fg"
                >
                  <StateMark state={shownState(server)} iconOnly />
                  <span className="truncate">{name}</span>
                </Link>
              </Tooltip>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
