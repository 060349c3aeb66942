import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Chip } from "@/components/chip";
import { SegmentedControl } from "@/components/toggles";
import type { PinView } from "@/ipc/bindings/PinView";
import type { RuleEffect } from "@/ipc/bindings/RuleEffect";
import type { ToolAccess } from "@/ipc/bindings/ToolAccess";
import type { ToolView } from "@/ipc/bindings/ToolView";
import { isOpen, isPlain } from "@/lib/approvals";
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

const link = "min-w-0 truncate rounded-xs text-accent no-underline hover:underline";

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
  const byRule = access !== undefined && access.rule !== null && !access.own.includes(access.rule);
  const used =
    access?.usedAt != null &&
    t(access.times === null ? "tool.used" : "tool.usedOften", {
      count: access.times?.count ?? 0,
      ago: formatAgo(access.usedAt, now, i18n.language),
    });
  return (
    <div role="presentation" className="flex h-full min-w-0">
      <div role="gridcell" data-theirs className="flex min-w-0 flex-1 flex-col justify-center gap-0.5 overflow-hidden bg-sunken px-3">
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
        {/* One line: what waits for the person, else what decides, else how often it was used. */}
        <span className="flex h-5 max-w-full min-w-0 items-center gap-1.5 empty:hidden">
          {pin !== undefined && isPlain(pin) ? (
            <>
              <PinMark state={pin.state} />
              <button
                type="button"
                disabled={!armed}
                aria-label={t("tool.approve", { tool: name })}
                onClick={() => onApprove(pin)}
                className="rounded-xs font-medium text-accent enabled:hover:underline disabled:opacity-50"
              >
                {t("trust:approve.one")}
              </button>
            </>
          ) : pin !== undefined && isOpen(pin) ? (
            <Link
              to="/servers"
              search={(search) => ({ ...search, id: server, tab: "trust" as const, review: tool.name })}
              aria-label={t("tool.review", { tool: name })}
              className="rounded-full no-underline"
            >
              <PinMark state={pin.state} />
            </Link>
          ) : access === undefined ? null : access.effect === "allow" && access.rule !== null ? (
            <Link to="/policies" search={{ rule: access.rule }} className={link}>
              {t("tool.modelsToo")}
            </Link>
          ) : byRule || access.partial > 0 ? (
            <Link to="/policies" search={byRule && access.rule !== null ? { rule: access.rule } : {}} className={link}>
              {byRule ? t("tool.byRule") : t("tool.partial", { count: access.partial })}
            </Link>
          ) : (
            used && <span className="min-w-0 truncate tabular">{used}</span>
          )}
        </span>
        {access?.times != null && <CallTimes times={access.times} className="sr-only" />}
      </div>
    </div>
  );
}
