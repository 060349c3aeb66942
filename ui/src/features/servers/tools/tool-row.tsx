import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Chip } from "@/components/chip";
import { SegmentedControl } from "@/components/toggles";
import { toolClaims } from "@/components/tool-claims";
import type { PinState } from "@/ipc/bindings/PinState";
import type { RuleEffect } from "@/ipc/bindings/RuleEffect";
import type { ToolAccess } from "@/ipc/bindings/ToolAccess";
import type { ToolView } from "@/ipc/bindings/ToolView";
import { cx } from "@/lib/cx";
import { formatAgo } from "@/lib/format";
import { readHints } from "@/lib/tool-claims";
import { visibleLine } from "@/lib/untrusted";
import { CallTimes } from "../call-times";
import { PinMark } from "../trust/pin-mark";
import { isSettled } from "./use-tool-switch";

/** What a call does, from running to not running. */
export const EFFECTS = ["allow", "ask", "deny"] as const satisfies readonly RuleEffect[];

const link = "rounded-xs text-accent no-underline hover:underline";

/** One tool: to the left what the server says of it, to the right whether it runs, and why. */
export function ToolRow({
  server,
  tool,
  access,
  pin,
  now,
  onSet,
}: {
  server: number;
  tool: ToolView;
  /** None while it isn't known. */
  access: ToolAccess | undefined;
  pin: PinState | undefined;
  now: number;
  onSet: (effect: RuleEffect) => void;
}) {
  const { t, i18n } = useTranslation("servers");
  const name = visibleLine(tool.name);
  const byRule = access !== undefined && access.rule !== null && !access.own.includes(access.rule);
  const open = pin === "new" || pin === "changed";
  return (
    <div role="presentation" className="flex h-full min-w-0">
      <div role="gridcell" data-theirs className="flex min-w-0 flex-1 flex-col gap-0.5 overflow-hidden bg-sunken px-3 py-2">
        <span className="flex min-w-0 items-center gap-1.5">
          <Link
            to="/workbench"
            search={{ server, tool: tool.name }}
            title={name}
            className="mono min-w-0 truncate rounded-xs text-fg no-underline hover:underline"
          >
            {name}
          </Link>
          {tool.diagnostics.length > 0 && <Chip tone="warn">{tool.diagnostics.length}</Chip>}
        </span>
        {tool.description !== null && (
          <span title={visibleLine(tool.description)} className="line-clamp-2 shrink-0 text-sm wrap-any text-fg-2">
            {visibleLine(tool.description)}
          </span>
        )}
        <div className="max-h-11.5 shrink-0 overflow-hidden">{toolClaims(readHints(tool.annotations))}</div>
      </div>
      <div role="gridcell" className="flex w-42 shrink-0 flex-col items-start gap-1 border-l border-line px-2.5 py-2 text-sm text-fg-3">
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
        <span className="flex max-w-full min-w-0 items-center gap-1.5 empty:hidden">
          {open && (
            <Link
              to="/servers"
              search={(search) => ({ ...search, id: server, tab: "trust" as const })}
              aria-label={t("tool.review", { tool: name })}
              className="rounded-full no-underline"
            >
              <PinMark state={pin} />
            </Link>
          )}
          {access !== undefined && access.effect === "allow" && access.rule !== null && (
            <Link to="/policies" search={{ rule: access.rule }} className={cx(link, "truncate")}>
              {t("tool.modelsToo")}
            </Link>
          )}
          {access !== undefined && !(access.effect === "allow" && byRule) && (byRule || access.partial > 0) && (
            <Link to="/policies" search={byRule && access.rule !== null ? { rule: access.rule } : {}} className={cx(link, "truncate")}>
              {byRule ? t("tool.byRule") : t("tool.partial", { count: access.partial })}
            </Link>
          )}
        </span>
        <span className="max-w-full truncate tabular">
          {access?.usedAt != null &&
            t(access.times === null ? "tool.used" : "tool.usedOften", {
              count: access.times?.count ?? 0,
              ago: formatAgo(access.usedAt, now, i18n.language),
            })}
        </span>
        {access?.times != null && <CallTimes times={access.times} className="max-w-full truncate tabular" />}
      </div>
    </div>
  );
}
