import { Link } from "@tanstack/react-router";
import { Scale, Sparkles } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Chip } from "@/components/chip";
import { Icon } from "@/components/icon";
import { SegmentedControl } from "@/components/toggles";
import { Tooltip } from "@/components/tooltip";
import type { PinView } from "@/ipc/bindings/PinView";
import type { RuleEffect } from "@/ipc/bindings/RuleEffect";
import type { ToolAccess } from "@/ipc/bindings/ToolAccess";
import type { ToolView } from "@/ipc/bindings/ToolView";
import { isPlain } from "@/lib/approvals";
import { cx } from "@/lib/cx";
import { formatAgo } from "@/lib/format";
import { claimsOf, readHints } from "@/lib/tool-claims";
import { visibleLine } from "@/lib/untrusted";
import { fillInNext } from "@/lib/work-focus";
import { CallTimes } from "../call-times";
import { PinMark } from "../trust/pin-mark";
import { ClaimWords } from "./claim-words";
import { groupOf } from "./groups";
import { isSettled } from "./use-tool-switch";

/** The effects of a rule on calls, from allowing to denying. */
export const EFFECTS = ["allow", "ask", "deny"] as const satisfies readonly RuleEffect[];

/** A tool: on the left the server's text, on the right its approval, and once approved, whether it runs and why. */
export function ToolRow({
  server,
  tool,
  access,
  pin,
  now,
  armed,
  busy,
  onSet,
  onApprove,
}: {
  server: number;
  tool: ToolView;
  /** Undefined while unknown. */
  access: ToolAccess | undefined;
  /** Undefined while unknown, null if it never will be known. */
  pin: PinView | null | undefined;
  now: number;
  /** Whether new tools were unchanged for long enough to be approved. */
  armed: boolean;
  /** Whether an approval is running. */
  busy: boolean;
  onSet: (effect: RuleEffect) => void;
  onApprove: (pin: PinView) => void;
}) {
  const { t, i18n } = useTranslation("servers");
  const name = visibleLine(tool.name);
  const description = tool.description === null ? "" : visibleLine(tool.description);
  const used =
    access?.usedAt != null &&
    t(access.times === null ? "tool.used" : "tool.usedOften", {
      count: access.times?.count ?? 0,
      ago: formatAgo(access.usedAt, now, i18n.language),
    });
  const isOpen = pin != null && groupOf(pin, access) === "open";
  return (
    <div role="presentation" className="flex min-h-16 min-w-0 items-stretch">
      <div role="gridcell" data-theirs className="flex min-w-0 flex-1 flex-col gap-0.5 overflow-hidden bg-sunken py-2 pr-3 pl-5">
        <span data-name-cell className="flex min-w-0 flex-wrap items-baseline gap-x-2.5 gap-y-0.5">
          <Link
            to="/workbench"
            search={{ server, tool: tool.name }}
            onClick={() => fillInNext(server, "tool", tool.name)}
            title={name}
            className="mono max-w-full min-w-0 truncate rounded-xs font-medium text-fg no-underline hover:underline"
          >
            {name}
          </Link>
          <ClaimWords claims={claimsOf(readHints(tool.annotations))} />
          {tool.diagnostics.length > 0 && <Chip tone="warn">{t("tool.diagnostics", { count: tool.diagnostics.length })}</Chip>}
        </span>
        {description !== "" && (
          <span title={description} className="line-clamp-2 text-sm wrap-any text-fg-2">
            {description}
          </span>
        )}
      </div>
      <div
        role="gridcell"
        title={used || undefined}
        className="flex w-44 shrink-0 flex-col items-start gap-1 border-l border-line px-2.5 py-2 text-sm text-fg-3"
      >
        {isOpen ? (
          <ToApprove server={server} name={tool.name} pin={pin} armed={armed} busy={busy} onApprove={onApprove} />
        ) : (
          pin !== undefined && (
            <>
              {/* It replaces a button, whose double click must not press one of these. */}
              <span className="inline-flex" onClickCapture={(event) => event.detail > 1 && event.stopPropagation()}>
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
              </span>
              {pin !== null && <PinMark state={pin.state} />}
              {pin?.forApps?.leftOut === true && <LeftOut />}
              {access !== undefined && <Deciding access={access} />}
              {used && <span className="max-w-full truncate tabular">{used}</span>}
            </>
          )
        )}
        {access?.times != null && <CallTimes times={access.times} className="sr-only" />}
      </div>
    </div>
  );
}

/** A tool that needs approval, and what that means. A simple one is approved here, others are reviewed first. */
function ToApprove({
  server,
  name,
  pin,
  armed,
  busy,
  onApprove,
}: {
  server: number;
  name: string;
  pin: PinView;
  armed: boolean;
  busy: boolean;
  onApprove: (pin: PinView) => void;
}) {
  const { t } = useTranslation(["servers", "trust", "inbox"]);
  const tool = visibleLine(name);
  return (
    <>
      <span className="flex max-w-full flex-wrap items-center gap-1.5">
        {isPlain(pin) ? (
          <Button
            arming={!armed}
            disabled={busy}
            title={armed ? undefined : t("inbox:answer.arming")}
            aria-label={t("tool.approve", { tool })}
            onClick={() => onApprove(pin)}
            className="h-6.5! text-md"
          >
            {t("trust:approve.one")}
          </Button>
        ) : (
          <Link
            to="/servers"
            search={(search) => ({ ...search, id: server, tab: "trust" as const, review: name })}
            aria-label={t("tool.review", { tool })}
            className="inline-flex h-6.5 items-center rounded-s border border-line-strong bg-raised px-2.75 text-md font-[540] whitespace-nowrap text-fg no-underline transition-colors hover:bg-hover"
          >
            {t("trust:banner.look")}
          </Link>
        )}
        <PinMark state={pin.state} />
      </span>
      {pin.forApps?.leftOut === true ? <LeftOut /> : <span>{t(pin.state === "changed" ? "tool.blocked" : "tool.notYet")}</span>}
    </>
  );
}

/** No approval makes it available to apps. */
function LeftOut() {
  const { t } = useTranslation("trust");
  return <span className="text-warn">{t("forApps.leftOut")}</span>;
}

/** Shows that a rule decides, with a link to it. The tooltip explains it. */
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
        className={cx(
          "inline-flex max-w-full items-start gap-1.5 rounded-xs no-underline hover:underline",
          freely ? "text-warn" : "text-accent",
        )}
      >
        <Icon of={freely ? Sparkles : Scale} className="mt-px shrink-0" />
        <span className="min-w-0">{label}</span>
      </Link>
    </Tooltip>
  );
}
