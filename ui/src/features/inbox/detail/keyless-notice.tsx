import { Link } from "@tanstack/react-router";
import { KeyRound } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import { QuotedName } from "@/components/their-voice";
import { besideQuotes } from "@/lib/lead-in";
import { betweenSentences } from "@/lib/sentence";

/** The calling app has no key, so an approval only applies to this call. Includes how to get a key. */
export function KeylessNotice({ app }: { app: string }) {
  const { t, i18n } = useTranslation("inbox");
  return (
    <section aria-label={t("tool.keyless.label")} className="mt-4 flex gap-2 rounded-m border border-warn p-3">
      <Icon of={KeyRound} size={16} className="mt-px shrink-0 text-warn" />
      <div className="min-w-0 flex-1">
        <p className="m-0 font-semibold text-warn">{t("tool.keyless.title")}</p>
        <p className="m-0 wrap-any text-fg-2">
          {t("tool.keyless.before")}
          {besideQuotes(i18n.language)}
          <QuotedName text={app} />
          {t("tool.keyless.after")}
          {betweenSentences(i18n.language)}
          <Link
            to="/apps"
            search={{ id: app, open: true }}
            preload={false}
            className="rounded-xs font-medium whitespace-nowrap text-accent no-underline hover:underline"
          >
            {t("tool.keyless.toApps")}
          </Link>
        </p>
      </div>
    </section>
  );
}
