import { useTranslation } from "react-i18next";
import { Switch } from "@/components/toggles";
import type { SamplingPolicyView } from "@/ipc/bindings/SamplingPolicyView";
import { formatCount } from "@/lib/format";
import { visibleLine } from "@/lib/untrusted";
import type { ModelActions } from "../actions";
import { Budget } from "./budget";
import { Standing } from "./standing";

/** Dollars with cents, or with more digits if less than one. */
const dollars = (value: number, language: string): string =>
  new Intl.NumberFormat(language, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    maximumFractionDigits: value > 0 && value < 0.01 ? 4 : 2,
  }).format(value);

/** A server: whether it may use models, its budgets and their use, and its remembered approvals. */
export function SamplingServer({
  view,
  practiceOnly,
  actions,
}: {
  view: SamplingPolicyView;
  practiceOnly: boolean;
  actions: ModelActions;
}) {
  const { t, i18n } = useTranslation("models");
  const { policy } = view;
  const name = visibleLine(view.serverName);
  const count = (value: number) => formatCount(value, i18n.language);
  return (
    <li className="border-b border-line px-4 py-2.5 last:border-0">
      <div className="flex items-center gap-3">
        <bdi data-name-cell className="min-w-0 flex-1 truncate font-[560]" title={name}>
          {name}
        </bdi>
        <span className="shrink-0 text-sm text-fg-3 tabular">
          {policy.enabled ? t("servers.today", { count: view.requestsToday, shown: count(view.requestsToday) }) : t("servers.off")}
        </span>
        <Switch
          label={t("servers.switch", { name })}
          checked={policy.enabled}
          onChange={(enabled) => void actions.allow({ ...policy, enabled })}
        />
      </div>
      {policy.enabled && (
        <>
          {practiceOnly && <p className="m-0 mt-1 text-fg-2">{t("servers.practiceOnly")}</p>}
          <div className="mt-2 grid grid-cols-3 gap-4">
            <Budget
              label={t("budget.requests")}
              value={policy.requestsPerMinute?.toString() ?? null}
              pattern={/^(?:[1-9]\d{0,3}|10000)$/}
              onChange={(value) => void actions.allow({ ...policy, requestsPerMinute: value === null ? null : Number(value) })}
              note={policy.requestsPerMinute === null ? null : t("budget.requestsNote")}
            />
            <Budget
              label={t("budget.tokens")}
              value={policy.tokensPerDay?.toString() ?? null}
              pattern={/^[1-9]\d{0,8}$/}
              onChange={(value) => void actions.allow({ ...policy, tokensPerDay: value === null ? null : Number(value) })}
              used={view.tokensToday}
              limit={policy.tokensPerDay}
              note={t("budget.used", { used: count(view.tokensToday) })}
            />
            <Budget
              label={t("budget.cost")}
              value={policy.costPerDay}
              pattern={/^\d{1,6}(?:\.\d{1,6})?$/}
              fractions
              onChange={(value) => void actions.allow({ ...policy, costPerDay: value })}
              used={view.costToday}
              limit={policy.costPerDay === null ? null : Number(policy.costPerDay)}
              note={t("budget.used", { used: dollars(view.costToday, i18n.language) })}
            />
          </div>
          {view.standing.length > 0 && <Standing answers={view.standing} onForget={(id) => void actions.forget(id)} />}
        </>
      )}
    </li>
  );
}
