import { useQuery } from "@tanstack/react-query";
import { Link, useRouterState } from "@tanstack/react-router";
import { Search, ShieldCheck } from "lucide-react";
import { Fragment, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import { Kbd } from "@/components/kbd";
import { Tooltip } from "@/components/tooltip";
import { accounts, servers } from "@/ipc/queries";
import { waitingIn } from "@/lib/approvals";
import { cx } from "@/lib/cx";
import { showOverlay } from "@/lib/overlays";
import { type PlaceRoute, usePlaces } from "@/lib/places";
import { useMedia } from "@/lib/use-media";
import { useWaitingCount } from "@/lib/waiting";
import { Mark } from "@/components/mark";
import { RailServers } from "./rail-servers";

/** In a narrower or zoomed window the rail only has icons, because the lists need the room for names. */
const WIDE = "(min-width: 760px)";

const entry =
  "inset-focus relative flex h-7.5 shrink-0 items-center gap-2.25 rounded-s px-2 font-medium text-fg-2 no-underline transition-colors hover:bg-hover data-[status=active]:bg-selected data-[status=active]:text-fg";

/** The left rail: search, screens, and servers that are pinned or need attention. */
export function Rail() {
  const { t } = useTranslation();
  const narrow = !useMedia(WIDE);
  const { data: list = [] } = useQuery(servers());
  const { data: logins = [] } = useQuery(accounts());
  const waiting = useWaitingCount();
  const places = usePlaces();
  const counts: Partial<Record<PlaceRoute["name"], number>> = { servers: list.length, accounts: logins.length };
  const main = places.filter((place) => place.to !== "/settings");
  const rest = places.filter((place) => place.to === "/settings");
  const link = (place: PlaceRoute) => (
    <Hint key={place.to} text={narrow ? t("place", { ns: place.name }) : null}>
      <Link to={place.to} className={cx(entry, narrow && "justify-center")} activeOptions={{ includeSearch: false }}>
        <Icon of={place.icon} size={16} />
        <span className={narrow ? "sr-only" : undefined}>{t("place", { ns: place.name })}</span>
        {place.name === "inbox" && waiting > 0 && (
          <span
            className={cx(
              "rounded-full bg-accent text-center text-xs font-semibold text-on-accent tabular",
              narrow ? "absolute top-0 right-0 min-w-4 px-1 leading-4" : "ml-auto min-w-4.5 px-1.25 leading-4.5",
            )}
          >
            {waiting}
          </span>
        )}
        {!narrow && (counts[place.name] ?? 0) > 0 && <span className="ml-auto text-xs text-fg-3 tabular">{counts[place.name]}</span>}
      </Link>
    </Hint>
  );
  return (
    <nav
      aria-label={t("rail.label")}
      data-narrow={narrow}
      className={cx(
        "row-span-2 flex min-h-0 flex-col gap-px border-r border-line bg-canvas pt-3 pb-2",
        narrow ? "overflow-y-auto px-1.5" : "px-2",
      )}
    >
      <div
        className={cx(
          "flex shrink-0 items-center gap-2 pt-0.5 pb-2.5 text-lg font-[650] tracking-[-.01em]",
          narrow ? "justify-center" : "px-2",
        )}
      >
        <Mark />
        <span className={narrow ? "sr-only" : undefined}>Mooring</span>
      </div>
      <Hint text={narrow ? t("rail.search") : null} keys="mod+k">
        <button
          type="button"
          onClick={() => showOverlay("palette")}
          className={cx(
            "mb-2 flex h-7.5 shrink-0 items-center gap-2 rounded-m border border-line bg-surface px-2 text-fg-3 transition-colors hover:border-line-strong hover:text-fg-2",
            narrow && "justify-center",
          )}
        >
          <Icon of={Search} />
          <span className={narrow ? "sr-only" : "min-w-0 flex-1 truncate text-left"}>{t("rail.search")}</span>
          {!narrow && <Kbd keys="mod+k" />}
        </button>
      </Hint>
      {main.map((place) => (
        <Fragment key={place.to}>
          {link(place)}
          {place.name === "servers" && <RailReview narrow={narrow} count={waitingIn(list)} />}
        </Fragment>
      ))}
      <RailServers narrow={narrow} />
      {rest.map(link)}
    </nav>
  );
}

/** The entry for servers' open reviews, below the servers. Shown while there are any, or while the screen is open. */
function RailReview({ narrow, count }: { narrow: boolean; count: number }) {
  const { t } = useTranslation("trust");
  const isShown = useRouterState({ select: ({ location }) => location.pathname === "/review" });
  if (count === 0 && !isShown) return null;
  return (
    <Hint text={narrow ? t("review.title") : null}>
      <Link to="/review" className={cx(entry, narrow ? "justify-center" : "h-6.5! pl-8.25")}>
        {narrow && <Icon of={ShieldCheck} size={16} />}
        <span className={narrow ? "sr-only" : undefined}>{t("review.title")}</span>
        {count > 0 && <span className={narrow ? "sr-only" : "ml-auto text-xs text-fg-3 tabular"}>{count}</span>}
      </Link>
    </Hint>
  );
}

/** The name of an icon. */
function Hint({ text, keys, children }: { text: string | null; keys?: string; children: ReactNode }) {
  if (text === null) return children;
  return (
    <Tooltip side="right" text={text} {...(keys === undefined ? {} : { keys })}>
      {children}
    </Tooltip>
  );
}
