import { useQuery } from "@tanstack/react-query";
import { Link, useRouterState } from "@tanstack/react-router";
import { Pin, PinOff } from "lucide-react";
import { useTranslation } from "react-i18next";
import { ContextMenu } from "@/components/menu";
import { StateMark } from "@/components/state-mark";
import { Tooltip } from "@/components/tooltip";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { servers } from "@/ipc/queries";
import { togglePin, usePinned } from "@/lib/pinned-servers";
import { needOf, needs } from "@/lib/server-needs";
import { shownState } from "@/lib/server-state";
import { visibleLine } from "@/lib/untrusted";

/** Pinned servers, and those that need attention. The whole list has its own screen. */
export function RailServers({ narrow }: { narrow: boolean }) {
  const { t } = useTranslation();
  const { data: list = [] } = useQuery(servers());
  const ids = usePinned();
  const pinned = ids.flatMap((id) => list.find((server) => server.id === id) ?? []);
  const needy = needs.flatMap((need) =>
    need === "none" ? [] : list.filter((server) => !ids.includes(server.id) && needOf(server) === need),
  );
  if (pinned.length + needy.length === 0) return <span className="flex-1" />;
  return (
    <div className="mt-2 flex min-h-0 flex-1 flex-col gap-2 overflow-y-auto">
      <RailGroup name={t("rail.pinned")} list={pinned} narrow={narrow} />
      <RailGroup name={t("rail.needs")} list={needy} narrow={narrow} />
    </div>
  );
}

function RailGroup({ name, list, narrow }: { name: string; list: readonly ServerView[]; narrow: boolean }) {
  if (list.length === 0) return null;
  return (
    <div>
      {!narrow && (
        <h2 aria-hidden className="m-0 px-2 pb-1 text-xs font-semibold text-fg-3">
          {name}
        </h2>
      )}
      <ul aria-label={name} className="m-0 list-none p-0">
        {list.map((server) => (
          <RailServer key={server.id} server={server} narrow={narrow} />
        ))}
      </ul>
    </div>
  );
}

function RailServer({ server, narrow }: { server: ServerView; narrow: boolean }) {
  const { t } = useTranslation(["common", "servers"]);
  const isPinned = usePinned().includes(server.id);
  const shown = useRouterState({
    select: ({ location }) => (location.pathname === "/servers" ? (location.search as { id?: number }).id : undefined),
  });
  const name = visibleLine(server.name);
  return (
    <li>
      <ContextMenu
        items={[
          {
            label: t(isPinned ? "servers:menu.unpin" : "servers:menu.pin"),
            icon: isPinned ? PinOff : Pin,
            onSelect: () => togglePin(server.id),
          },
        ]}
      >
        <div>
          <Tooltip side="right" text={`${name} · ${t(`state.${shownState(server)}`)}`}>
            <Link
              to="/servers"
              search={{ id: server.id }}
              data-shown={server.id === shown}
              className="inset-focus flex h-6.5 min-w-0 items-center gap-2 rounded-s px-2 text-fg-2 no-underline transition-colors hover:bg-hover hover:text-fg data-[shown=true]:bg-selected data-[shown=true]:text-fg"
            >
              <StateMark state={shownState(server)} iconOnly />
              <span {...(!narrow && { "data-name-cell": true })} className={narrow ? "sr-only" : "min-w-0 flex-1 truncate"}>
                {name}
              </span>
            </Link>
          </Tooltip>
        </div>
      </ContextMenu>
    </li>
  );
}
