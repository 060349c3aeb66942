import { ArrowRight } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import type { SimulatedCall } from "@/ipc/bindings/SimulatedCall";
import { callerOf, callingApp } from "@/lib/callers";
import { formatAgo, formatList } from "@/lib/format";
import { visibleLine } from "@/lib/untrusted";
import { useNow } from "@/lib/use-now";
import { EffectMark } from "./effect-mark";

const alike = ({ serverName, tool, before, after }: SimulatedCall): string => JSON.stringify([serverName, tool, before, after]);

/** The calls that would have been decided differently. Equal ones of a tool are one row. */
export function PastCalls({ calls }: { calls: readonly SimulatedCall[] }) {
  const { t, i18n } = useTranslation("policies");
  const now = useNow(30_000);
  const callerWord = (name: SimulatedCall["caller"]) => {
    const known = callerOf(name);
    return known === null ? (callingApp(name) ?? visibleLine(name)) : t(`caller.${known}`);
  };
  return (
    <ul
      aria-label={t("sim.list")}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
      tabIndex={0}
      className="inset-focus m-0 max-h-44 list-none overflow-y-auto border-t border-line p-0"
    >
      {[...Map.groupBy(calls, alike)].map(([key, of]) => {
        // The newest comes first.
        const [newest] = of;
        if (newest === undefined) return null;
        const callers = [...new Set(of.map(({ caller }) => callerWord(caller)))];
        const count = t("sim.calls", { count: of.length, ago: formatAgo(newest.at, now, i18n.language) });
        return (
          <li key={key} className="flex items-center gap-2 border-b border-line px-3 py-1.25 last:border-0">
            <span className="min-w-0 flex-1 truncate">
              <bdi className="mono">{visibleLine(newest.tool)}</bdi>{" "}
              <span className="text-fg-3">
                {t("of")} <bdi>{visibleLine(newest.serverName)}</bdi> · {count} · {formatList(callers, i18n.language)}
              </span>
            </span>
            <EffectMark effect={newest.before} past className="text-sm" />
            <Icon of={ArrowRight} size={12} className="shrink-0 text-fg-3" />
            <EffectMark effect={newest.after} className="text-sm" />
          </li>
        );
      })}
    </ul>
  );
}
