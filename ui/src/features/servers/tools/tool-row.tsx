import { Link } from "@tanstack/react-router";
import { Scale, Sparkles } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Chip } from "@/components/chip";
import { Icon } from "@/components/icon";
import { SegmentedControl } from "@/components/toggles";
import { Tooltip } from "@/components/tooltip";
import type { PinView } from "@/ipc/bindings/PinView";
import type { RuleEffect } from "@/ipc/bindings/RuleEffect";
import type { ToolAccess } from "@/ipc/bindings/ToolAccess";
import type { ToolView } from "@/ipc/bindings/ToolView";
import { isOpen, isPlain } from "@/lib/approvals";
import { cx } from "@/lib/cx";
import { formatAgo } from "@/lib/format";
import { claimsOf, readHints } from "@/lib/tool-claims";
import { visibleLine } from "@/lib/untrusted";
import { fillInNext } from "@/lib/work-focus";
import { CallTimes } from "../call-times";
import { PinMark } from "../trust/pin-mark";
import { ClaimMarks } from "./claim-marks";
import { isSettled } from "./use-tool-switch";

/** What a call does, from running to not running. */
export const EFFECTS = ["allow", "ask", "deny"] as const satisfies readonly RuleEffect[];

/** One tool: to the left what the server says of it, to the right whether it runs, and why. */
export function ToolRow({
  server,
  tool,
  access,
  pin,
  now,
  armed,
  onSet,
  onApprove,
}: {
  server: number;
  tool: ToolView;
  /** None while it isn't known. */
  access: ToolAccess | undefined;
  pin: PinView | undefined;
  now: number;
  /** What is new has stood still for long enough to be approved. */
  armed: boolean;
  onSet: (effect: RuleEffect) => void;
  onApprove: (pin: PinView) => void;
}) {
  const { t, i18n } = useTranslation(["servers", "trust"]);
  const name = visibleLine(tool.name);
  const used =
    access?.usedAt != null &&
    t(access.times === null ? "tool.used" : "tool.usedOften", {
      count: access.times?.count ?? 0,
      ago: formatAgo(access.usedAt, now, i18n.language),
    });
  return (
    <div role="presentation" className="flex h-full min-w-0">
      <div role="gridcell" data-theirs className="flex min-w-0 flex-1 flex-col justify-center gap-0.5 overflow-hidden bg-sunken pr-3 pl-5">
        <span data-name-cell className="flex min-w-0 items-center gap-1.5">
          <Link
            to="/workbench"
            search={{ server, tool: tool.name }}
            onClick={() => fillInNext(server, "tool", tool.name)}
            title={name}
            className="mono min-w-0 truncate rounded-xs text-fg no-underline hover:underline"
          >
            {name}
          </Link>
          <ClaimMarks claims={claimsOf(readHints(tool.annotations))} />
          {tool.diagnostics.length > 0 && <Chip tone="warn">{tool.diagnostics.length}</Chip>}
        </span>
        {tool.description !== null && (
          <span title={visibleLine(tool.description)} className="truncate text-sm text-fg-2">
            {visibleLine(tool.description)}
          </span>
        )}
      </div>
      <div
        role="gridcell"
        title={used || undefined}
        className="flex w-42 shrink-0 flex-col items-start justify-center gap-1 border-l border-line px-2.5 text-sm text-fg-3"
      >
        <SegmentedControl
          label={t("tool.switch", { tool: name })}
          value={access?.effect ?? ""}
          onChange={(effect) => effect !== "" && onSet(effect)}
          options={EFFECTS.map((value) => ({
            value,
            label: t(`tool.effect.${value}`),
            disabled: access === undefined || (isSettled(access) && value !== access.effect),
          }))}
          className="h-6.5! text-md"
        />
        {/* One line: where its approval stands, what else decides, and how often it was used. */}
        <span className="flex h-5 max-w-full min-w-0 items-center gap-1.5 empty:hidden">
          <Approval server={server} name={tool.name} pin={pin} armed={armed} onApprove={onApprove} />
          {access !== undefined && <Deciding access={access} />}
          {used && (pin === undefined || !isOpen(pin)) && <span className="min-w-0 truncate tabular">{used}</span>}
        </span>
        {access?.times != null && <CallTimes times={access.times} className="sr-only" />}
      </div>
    </div>
  );
}

/** Where the approval of a tool stands, with the way on: what is plain is approved here, what isn't is reviewed first. */
function Approval({
  server,
  name,
  pin,
  armed,
  onApprove,
}: {
  server: number;
  name: string;
  pin: PinView | undefined;
  armed: boolean;
  onApprove: (pin: PinView) => void;
}) {
  const { t } = useTranslation(["servers", "trust"]);
  const tool = visibleLine(name);
  if (pin === undefined) return null;
  if (isPlain(pin))
    return (
      <>
        <PinMark state={pin.state} />
        <button
          type="button"
          disabled={!armed}
          aria-label={t("tool.approve", { tool })}
          onClick={() => onApprove(pin)}
          className="rounded-xs font-medium text-accent enabled:hover:underline disabled:opacity-50"
        >
          {t("trust:approve.one")}
        </button>
      </>
    );
  if (isOpen(pin))
    return (
      <Link
        to="/servers"
        search={(search) => ({ ...search, id: server, tab: "trust" as const, review: name })}
        aria-label={t("tool.review", { tool })}
        className="rounded-full no-underline"
      >
        <PinMark state={pin.state} />
      </Link>
    );
  return <PinMark state={pin.state} />;
}

/** That a rule decides, as an icon that leads to it; its tooltip says what that means. */
function Deciding({ access }: { access: ToolAccess }) {
  const { t } = useTranslation("servers");
  const { rule, effect, own, partial } = access;
  const byRule = rule !== null && !own.includes(rule);
  const freely = rule !== null && effect === "allow";
  if (!byRule && !freely && partial === 0) return null;
  const label = freely ? t("tool.modelsToo") : byRule ? t("tool.byRule") : t("tool.partial", { count: partial });
  return (
    <Tooltip text={t(freely ? "tool.modelsTooText" : byRule ? "tool.byRuleText" : "tool.partialText", { count: partial })}>
      <Link
        to="/policies"
        search={rule !== null && (byRule || freely) ? { rule } : {}}
        aria-label={label}
        className={cx("inline-flex size-5 shrink-0 items-center justify-center rounded-xs", freely ? "text-warn" : "text-accent")}
      >
        <Icon of={freely ? Sparkles : Scale} />
      </Link>
    </Tooltip>
  );
}
