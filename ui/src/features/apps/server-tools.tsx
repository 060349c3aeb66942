import { Link } from "@tanstack/react-router";
import { ChevronRight, Pin } from "lucide-react";
import { type ReactNode, useId } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import { FactLine } from "@/components/fact-line";
import { Icon } from "@/components/icon";
import { Switch } from "@/components/toggles";
import { cx } from "@/lib/cx";
import { formatCount } from "@/lib/format";
import { shownState } from "@/lib/server-state";
import { visibleLine } from "@/lib/untrusted";
import { type AppServer, type AppTool, offersNow, tally, useLess } from "./app-tools";

interface Pins {
  count: number;
  has: (tool: string) => boolean;
  turn: (tool: string) => void;
}

/** A server in what an app gets: a switch, and its tools below. */
export function ServerTools({
  server,
  on,
  tools,
  matches,
  cost,
  counted,
  whole,
  open,
  onFold,
  onTurn,
  pins,
}: AppServer & {
  /** Its tools that match the search. */
  matches: readonly AppTool[];
  /** Whether the tokens are known. */
  counted: boolean;
  /** Whether there is no search. */
  whole: boolean;
  open: boolean;
  onFold: () => void;
  /** Turns a tool, or without one the server, on or off. */
  onTurn: (tool: string | null, on: boolean) => void;
  /** The tools that the app gets besides a search. Undefined if it gets all of them. */
  pins?: Pins;
}) {
  const { t } = useTranslation("apps");
  const counts = tally(tools);
  const instructions = cost?.instructions ?? 0;
  // A switch that is on would mean that the app gets something.
  const waits = on && counts.waits > 0 && counts.waits === tools.length && instructions === 0;
  const offered = matches.filter(({ standing }) => standing === "got" || standing === "off");
  const waiting = matches.filter(({ standing }) => standing === "waits");
  const leftOut = matches.filter(({ standing }) => standing === "leftOut");
  return (
    <li className="border-b border-line last:border-0">
      <div className="flex min-h-11 items-center gap-2 px-3">
        <Foldable open={open} {...(tools.length > 0 && whole ? { onFold } : {})}>
          <span className="min-w-0 flex-1">
            <b className="block truncate font-[560]">
              <bdi>{visibleLine(server.name)}</bdi>
            </b>{" "}
            <Said server={server} tools={tools} on={on} pinned={pins?.count ?? 0} />
          </span>
        </Foldable>
        {counted && !waits && <Tokens count={on && cost ? cost.tokens : null} />}
        {waits ? (
          <ReviewLink />
        ) : (
          <Switch checked={on} onChange={(next) => onTurn(null, next)} label={t("sees.server", { name: visibleLine(server.name) })} />
        )}
      </div>
      {open && (
        <ul className="m-0 list-none border-t border-line p-0">
          {whole && instructions > 0 && (
            <li className={line}>
              <span className="min-w-0 flex-1 truncate">{t("sees.instructions")}</span>
              <Tokens count={instructions} />
              <span className="w-8" />
            </li>
          )}
          {offered
            .toSorted((a, b) => (b.tokens ?? 0) - (a.tokens ?? 0))
            .map(({ name, tokens, standing }) => (
              <ToolLine
                key={name}
                name={name}
                tokens={counted ? tokens : undefined}
                on={standing === "got"}
                disabled={!on}
                onTurn={(next) => onTurn(name, next)}
                {...(pins ? { pinned: pins.has(name), onPin: () => pins.turn(name) } : {})}
              />
            ))}
          <Withheld title={t("sees.waiting")} tools={waiting} link={<ReviewLink />} />
          <Withheld title={t("sees.leftOut")} tools={leftOut} />
        </ul>
      )}
    </li>
  );
}

const line = "flex min-h-8 items-center gap-2 border-b border-line pr-3 pl-8.5 last:border-0";

const ReviewLink = () => {
  const { t } = useTranslation("apps");
  return (
    <Link to="/review" className="shrink-0 rounded-xs text-sm text-accent underline">
      {t("sees.review")}
    </Link>
  );
};

/** How many of a server's tools the app gets, and why not the others. */
function Said({ server, tools, on, pinned }: Pick<AppServer, "server" | "tools" | "on"> & { pinned: number }) {
  const { t } = useTranslation(["apps", "common"]);
  const less = useLess();
  const counts = tally(tools);
  const rest = less(counts, ["off", "leftOut", "waits"]);
  const facts = !offersNow(server)
    ? [t(`common:state.${shownState(server)}`)]
    : !on
      ? [t("sees.off"), t("counts.got", { count: tools.length })]
      : [...(counts.got > 0 || rest.length === 0 ? [t("counts.got", { count: counts.got })] : []), ...rest];
  return (
    <span className="block text-sm text-fg-3 tabular">
      <FactLine facts={pinned > 0 ? [...facts, t("sees.pins", { count: pinned })] : facts} />
    </span>
  );
}

/** Expands or collapses a server's tools, if some are hidden. */
function Foldable({ open, onFold, children }: { open: boolean; onFold?: () => void; children: ReactNode }) {
  if (!onFold) return <span className="flex min-w-0 flex-1 py-1 pl-5">{children}</span>;
  return (
    <button
      type="button"
      aria-expanded={open}
      onClick={onFold}
      className="inset-focus flex min-w-0 flex-1 items-center gap-1.5 rounded-xs py-1 text-left"
    >
      <Icon of={ChevronRight} className={cx("shrink-0 text-fg-3 transition-transform", open && "rotate-90")} />
      {children}
    </button>
  );
}

/** The number of tokens. Null if the app doesn't get the tool. */
function Tokens({ count, off = false }: { count: number | null; off?: boolean }) {
  const { i18n } = useTranslation();
  const nothing = count === null;
  return (
    <span className={cx("min-w-8 shrink-0 text-right text-sm tabular", off || nothing ? "text-fg-3" : "text-fg-2")}>
      {nothing ? "–" : formatCount(count, i18n.language)}
    </span>
  );
}

/** Tools that no app gets, without switches. */
function Withheld({ title, tools, link }: { title: string; tools: readonly AppTool[]; link?: ReactNode }) {
  const id = useId();
  return (
    tools.length > 0 && (
      <li className="border-b border-line bg-sunken last:border-0">
        <p id={id} className="m-0 flex min-h-8 items-center gap-2 pr-3 pl-8.5 text-sm text-fg-2">
          <span className="min-w-0 flex-1">{title}</span>
          {link}
        </p>
        <ul aria-labelledby={id} className="m-0 list-none p-0 pb-1.5">
          {tools.map(({ name }) => (
            <li key={name} className="mono truncate py-0.5 pr-3 pl-8.5 text-fg-3" title={visibleLine(name)}>
              <bdi>{visibleLine(name)}</bdi>
            </li>
          ))}
        </ul>
      </li>
    )
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
  /** The tokens that it costs when on. Undefined if not counted. */
  tokens: number | null | undefined;
  on: boolean;
  disabled: boolean;
  onTurn: (on: boolean) => void;
  /** Whether the app gets it besides the search. */
  pinned?: boolean;
  /** Pins or unpins it. Undefined if the app gets all tools. */
  onPin?: () => void;
}) {
  const { t } = useTranslation("apps");
  const id = useId();
  return (
    <li className={line}>
      <label htmlFor={id} className={cx("mono min-w-0 flex-1 truncate", disabled && "text-fg-3")} title={visibleLine(name)}>
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
      {tokens !== undefined && <Tokens count={tokens} off={!on} />}
      <Switch id={id} checked={on} disabled={disabled} onChange={onTurn} />
    </li>
  );
}
