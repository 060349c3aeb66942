import { useNavigate } from "@tanstack/react-router";
import { Info, type LucideIcon, OctagonAlert, TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Icon } from "@/components/icon";
import { focusFirstField, focusPanel, focusPlainSecret } from "@/features/servers/focus";
import { cx } from "@/lib/cx";
import { enterScreen } from "@/lib/enter-screen";
import { formatList } from "@/lib/format";
import { useFocusPassedOn } from "@/lib/row-focus";
import { quotedLine, visibleLine } from "@/lib/untrusted";
import type { Finding, Severity, Target } from "./findings";

const marks: Record<Severity, { icon: LucideIcon; colour: string }> = {
  high: { icon: OctagonAlert, colour: "text-bad" },
  medium: { icon: TriangleAlert, colour: "text-warn" },
  low: { icon: Info, colour: "text-info" },
};

/** How many parts a sentence names. */
const NAMED = 3;

/** Opens the place where a finding can be fixed, and focuses it. */
function useLead(): (target: Target) => void {
  const navigate = useNavigate();
  return (target) => {
    switch (target.at) {
      case "server": {
        const { id, part } = target;
        const tab = part === "trust" || part === "overview" ? part : "settings";
        void navigate({ to: "/servers", search: { id, tab, ...(part === "trust" && { review: true as const }) } });
        if (part === "command") focusFirstField();
        else if (part === "secrets") focusPlainSecret();
        else if (part === "overview") focusPanel();
        return;
      }
      case "review":
        return void navigate({ to: "/review" }).then(enterScreen);
      case "rule":
        return void navigate({ to: "/policies", search: target.id > 0 ? { rule: target.id } : {} }).then(enterScreen);
      case "app":
        return void navigate({ to: "/apps", search: { id: target.id, open: true } }).then(enterScreen);
    }
  };
}

/** A finding: what is weak, why it matters, and a button to fix it. */
export function FindingRow({ finding, hidden = false, onHide }: { finding: Finding; hidden?: boolean; onHide: () => void }) {
  const { t, i18n } = useTranslation("safety");
  const lead = useLead();
  const row = useFocusPassedOn<HTMLLIElement>();
  const { kind, severity, name = "", parts = [], count = 1, version, target } = finding;
  const { icon, colour } = marks[severity];
  const rest = parts.length - NAMED;
  const named = parts.slice(0, NAMED).map(quotedLine);
  const list = formatList(rest > 0 ? [...named, t("more", { count: rest })] : named, i18n.language);
  const values = { name: visibleLine(name), list, count };
  const title = t(`finding.${kind}.title`, values);
  return (
    <li ref={row} className="group flex items-center gap-3 border-b border-line px-4 py-2.5 last:border-0">
      <Icon of={icon} className={cx("mt-0.75 shrink-0 self-start", hidden ? "text-fg-3" : colour)} />
      <div className="min-w-0 flex-1">
        <p className="selectable m-0 font-[560] wrap-any">{title}</p>
        <p className="m-0 mt-0.5 wrap-any text-fg-2">
          {t(`finding.${kind}.why`, values)}
          {version !== undefined && <span className="text-fg-3"> {t("version", { version: visibleLine(version) })}</span>}
        </p>
      </div>
      <div className="flex shrink-0 items-center gap-2">
        <Button look="ghost" aria-label={t(hidden ? "showAgainOf" : "fineOf", { finding: title })} onClick={onHide}>
          {t(hidden ? "showAgain" : "fine")}
        </Button>
        {!hidden && (
          // As wide as all others, so that they form a column.
          <Button className="w-30" aria-label={t("doOf", { action: t(`finding.${kind}.do`), finding: title })} onClick={() => lead(target)}>
            {t(`finding.${kind}.do`)}
          </Button>
        )}
      </div>
    </li>
  );
}
