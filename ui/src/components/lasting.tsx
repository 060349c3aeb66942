import { CircleCheck, CircleX, Clock, type LucideIcon, RefreshCw, TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { AccountView } from "@/ipc/bindings/AccountView";
import { cx } from "@/lib/cx";
import { formatAgo, formatSpan } from "@/lib/format";
import { type Lasting, lastingOf, spentOf } from "@/lib/logins";
import { sentence } from "@/lib/sentence";
import { Icon } from "./icon";

const marks: Record<Lasting, { icon: LucideIcon; colour: string; bar: string }> = {
  renews: { icon: RefreshCw, colour: "text-ok", bar: "bg-ok" },
  lasting: { icon: CircleCheck, colour: "text-ok", bar: "bg-ok" },
  endless: { icon: CircleCheck, colour: "text-ok", bar: "bg-ok" },
  soon: { icon: Clock, colour: "text-warn", bar: "bg-warn" },
  over: { icon: TriangleAlert, colour: "text-warn", bar: "bg-warn" },
  ended: { icon: CircleX, colour: "text-bad", bar: "bg-bad" },
};

/** An account's lifetime: `refreshes automatically`, `expires in 12 minutes`, `no longer valid`. */
export function LastingMark({ account, now, className }: { account: AccountView; now: number; className?: string }) {
  const { t, i18n } = useTranslation("accounts");
  const lasting = lastingOf(account, now);
  const { expiresAt } = account;
  // Nothing is wrong, but its token has expired.
  const spent = lasting === "renews" && expiresAt !== null && expiresAt <= now;
  const { icon, colour } = spent ? { icon: Clock, colour: "text-fg-2" } : marks[lasting];
  const words =
    lasting === "soon" || lasting === "lasting"
      ? t("lasting.endsIn", { time: formatSpan((expiresAt ?? now) - now, i18n.language) })
      : lasting === "over"
        ? t("lasting.over", { ago: formatAgo(expiresAt ?? now, now, i18n.language) })
        : t(spent ? "lasting.spent" : `lasting.${lasting}`);
  return (
    <span className={cx("inline-flex min-w-0 items-center gap-1.5 font-medium tabular", colour, className)}>
      <Icon of={icon} className="shrink-0" />
      <span className="min-w-0 truncate" title={words}>
        {words}
      </span>
    </span>
  );
}

/** A token's lifetime as a bar: the past, now, and the rest. `LastingMark` is the text version. */
export function LastingBar({ account, now, className }: { account: AccountView; now: number; className?: string }) {
  const lasting = lastingOf(account, now);
  const { bar } = marks[lasting];
  const gone = lasting === "ended" || lasting === "over";
  const spent = gone ? 1 : spentOf(account, now);
  return (
    <span aria-hidden className={cx("relative block h-1 rounded-full", gone ? "bg-line" : "bg-line-strong", className)}>
      {!gone && (
        // The rest. Fades out if the end is unknown.
        <span
          className={cx(
            "absolute inset-y-0 right-0 rounded-full opacity-80",
            bar,
            spent === null && "[mask-image:linear-gradient(to_right,black,transparent)]",
          )}
          style={{ left: `${(spent ?? 0) * 100}%` }}
        />
      )}
      <span
        className={cx("absolute -inset-y-1 w-0.5 rounded-full", gone ? bar : "bg-fg")}
        style={{ left: `calc(${(spent ?? 0) * 100}% - ${(spent ?? 0) * 2}px)` }}
      />
    </span>
  );
}

/** The bar with the times of issue and refresh. */
export function Timeline({ account, now }: { account: AccountView; now: number }) {
  const { t, i18n } = useTranslation("accounts");
  const { renewedAt, expiresAt, ended } = account;
  return (
    <div>
      <div className="mb-2.5 flex flex-wrap items-start gap-x-2">
        <LastingMark account={account} now={now} />
        {ended !== null && <span className="selectable min-w-0 wrap-any text-fg-2">{sentence(ended, i18n.language)}</span>}
      </div>
      <LastingBar account={account} now={now} />
      {ended === null && (
        <div className="mt-1.5 flex justify-between gap-4 text-sm text-fg-3 tabular">
          <span>{t("timeline.received", { ago: formatAgo(renewedAt, now, i18n.language) })}</span>
          {/* The text above says when it ends without a refresh. */}
          {account.refreshable && expiresAt !== null && expiresAt > now && (
            <span className="text-right">{t("timeline.tokenEnds", { time: formatSpan(expiresAt - now, i18n.language) })}</span>
          )}
        </div>
      )}
    </div>
  );
}
