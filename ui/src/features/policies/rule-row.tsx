import { Clock, Inbox, Pencil, Pin, Trash2, TriangleAlert } from "lucide-react";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "@/components/button";
import { Chip } from "@/components/chip";
import { Icon } from "@/components/icon";
import { QuotedName, UntrustedText } from "@/components/their-voice";
import type { RuleView } from "@/ipc/bindings/RuleView";
import { callerOf, callingApp } from "@/lib/callers";
import { formatAgo, formatCount, formatSpan } from "@/lib/format";
import { useFocusPassedOn } from "@/lib/row-focus";
import { quotedLine, visibleLine } from "@/lib/untrusted";
import { EffectMark } from "./effect-mark";

/** The id of the rule that denies everything while the rules can't be verified. */
const UNVERIFIED = 0;

/** A rule: its effect, its calls, its duration, and how often it has decided. */
export function RuleRow({
  view,
  pointed,
  now,
  onEdit,
  onRemove,
}: {
  view: RuleView;
  /** Another screen linked to it: it is scrolled into view and marked. */
  pointed: boolean;
  now: number;
  onEdit: () => void;
  onRemove: () => void;
}) {
  const { t, i18n } = useTranslation("policies");
  const { rule } = view;
  const row = useFocusPassedOn<HTMLLIElement>();
  useEffect(() => {
    if (pointed) row.current?.scrollIntoView({ block: "nearest" });
  }, [pointed, row]);
  const isUnverified = view.id === UNVERIFIED;
  const caller = rule.caller === null ? null : callerOf(rule.caller);
  const app = callingApp(rule.caller);
  const left = rule.expiresAt === null ? null : rule.expiresAt - now;
  /** The server's name, with a fallback. */
  const serverName = rule.server === null ? null : view.serverName;
  const anyServer = t(rule.server === null ? "any.server" : "goneServer");
  const anyTool = view.pinned > 0 ? t("pinnedTools", { count: view.pinned }) : t("any.tool");
  const named = {
    tool: rule.tool === null ? anyTool : quotedLine(rule.tool),
    server: serverName === null ? anyServer : quotedLine(serverName),
  };
  return (
    <li
      ref={row}
      {...(pointed && { "aria-current": true })}
      className="flex items-start gap-3 border-b border-line py-2.25 pr-2 pl-4 last:border-0 aria-[current=true]:bg-selected"
    >
      <EffectMark effect={rule.effect} className="w-20" />
      <div data-name-cell className="min-w-0 flex-1">
        <p className="m-0 wrap-any">
          <span className={rule.tool === null ? undefined : "mono"}>{rule.tool === null ? anyTool : <QuotedName text={rule.tool} />}</span>
          <span className="text-fg-3"> {t("of")} </span>
          <span className="font-[560]">{serverName === null ? anyServer : <QuotedName text={serverName} />}</span>
        </p>
        {rule.arguments.map((condition, index) => (
          <p key={index} className="m-0 wrap-any text-fg-2">
            {index > 0 && <span className="text-fg-3">{t("and")} </span>}
            <span className="mono">
              <UntrustedText text={condition.pointer} />
            </span>{" "}
            {t(`test.${condition.test}`)}{" "}
            {condition.test !== "present" && (
              <span className="mono">
                <UntrustedText text={condition.value} />
              </span>
            )}
          </p>
        ))}
        <div className="mt-1 flex flex-wrap gap-1.5 empty:hidden">
          {rule.caller !== null && (
            <Chip>{t("onlyFrom", { caller: caller === null ? (app ?? visibleLine(rule.caller)) : t(`caller.${caller}`) })}</Chip>
          )}
          {rule.destructiveOnly && <Chip>{t("destructive")}</Chip>}
          {view.pinned > 0 && (
            <Chip>
              <Icon of={Pin} size={12} />
              {t("pinned", { count: view.pinned })}
            </Chip>
          )}
          {view.session && (
            <Chip>
              <Icon of={Clock} size={12} />
              {t("session")}
            </Chip>
          )}
          {left !== null && (
            <Chip tone={left > 0 ? "plain" : "warn"}>
              <Icon of={Clock} size={12} />
              {left > 0 ? t("endsIn", { time: formatSpan(left, i18n.language) }) : t("over")}
            </Chip>
          )}
          {view.fromAnswer && (
            <Chip>
              <Icon of={Inbox} size={12} />
              {t("fromAnswer")}
            </Chip>
          )}
        </div>
        {(view.changed || isUnverified) && (
          <p className="m-0 mt-1 flex gap-1.5 text-warn">
            <Icon of={TriangleAlert} size={14} className="mt-0.75 shrink-0" />
            {t(isUnverified ? "unverified" : "changed")}
          </p>
        )}
        <p className="m-0 mt-0.5 text-sm text-fg-3 tabular">
          {view.usedAt === null
            ? t("unused")
            : t("used", {
                count: view.uses,
                shown: formatCount(view.uses, i18n.language),
                ago: formatAgo(view.usedAt, now, i18n.language),
              })}
        </p>
      </div>
      {view.changed || isUnverified ? (
        <span className="flex shrink-0 gap-2 pr-1">
          {!isUnverified && (
            <Button aria-label={`${t("settle.edit")}: ${t("edit", named)}`} onClick={onEdit}>
              {t("settle.edit")}
            </Button>
          )}
          <Button look="danger" aria-label={t("remove", named)} onClick={onRemove}>
            {t("settle.remove")}
          </Button>
        </span>
      ) : (
        <>
          <IconButton small icon={Pencil} label={t("edit", named)} onClick={onEdit} />
          <IconButton small icon={Trash2} label={t("remove", named)} onClick={onRemove} />
        </>
      )}
    </li>
  );
}
