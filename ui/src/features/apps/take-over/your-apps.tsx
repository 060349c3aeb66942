import { useQuery } from "@tanstack/react-query";
import { AppWindow, ArrowRight, ArrowRightLeft, type LucideIcon, Server } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ErrorNotice } from "@/components/error-notice";
import { Icon } from "@/components/icon";
import { Mark } from "@/components/mark";
import { apps as appsQuery } from "@/ipc/queries";
import { cx } from "@/lib/cx";
import { errorWords } from "@/lib/error-text";
import { formatList } from "@/lib/format";
import { showTakeOver } from "@/lib/take-over";
import { visibleLine } from "@/lib/untrusted";
import { appsWithOwn, ownOf } from "./offers";

/** Mooring's purpose, and the apps on this computer with servers of their own. */
export function YourApps() {
  const { t, i18n } = useTranslation("apps");
  const { data, error, isPending } = useQuery(appsQuery());
  const owners = appsWithOwn(data ?? []);
  const present = (data ?? []).filter(({ state }) => state === "found" || state === "connected");
  const list = (words: readonly string[]) => formatList(words, i18n.language);
  const has = list(owners.map((app) => t("takeOver.card.has", { app: visibleLine(app.title), count: ownOf(app) })));
  return (
    <section
      aria-label={t("takeOver.card.title")}
      aria-busy={isPending}
      className={cx(
        "flex w-full max-w-190 flex-col gap-4",
        // Without servers nothing can be pressed here, so it takes no more room than its text.
        owners.length > 0 ? "mb-3 rounded-l border border-line bg-raised p-5" : "mb-5",
      )}
    >
      <Picture />
      {error !== null ? (
        <ErrorNotice title={t("takeOver.card.failed")} {...errorWords(error)} />
      ) : (
        <div className="flex min-h-10 flex-wrap items-center gap-x-4 gap-y-3">
          {owners.length > 0 ? (
            <>
              <p className="m-0 min-w-60 flex-1 text-balance">
                <b className="block text-lg font-[600]">{has}</b>
                <span className="text-fg-2">{t("takeOver.card.hasText")}</span>
              </p>
              <Button look="primary" icon={ArrowRightLeft} onClick={showTakeOver}>
                {t("takeOver.action")}
              </Button>
            </>
          ) : (
            !isPending && (
              <p className="m-0 flex-1 text-center text-balance text-fg-2">
                <b className="font-[600] text-fg">{t(present.length > 0 ? "takeOver.card.none" : "takeOver.card.noApp")}</b>
                <br />
                <span>
                  {present.length > 0
                    ? t("takeOver.card.noneText", { apps: list(present.map((app) => visibleLine(app.title))) })
                    : t("takeOver.card.noAppText")}
                </span>
              </p>
            )
          )}
        </div>
      )}
    </section>
  );
}

/** Servers, Mooring, and the apps, from left to right. */
function Picture() {
  const { t } = useTranslation("apps");
  return (
    <div role="img" aria-label={t("takeOver.card.picture")} className="flex items-center justify-center gap-3 text-fg-2">
      <Node icon={Server} name={t("takeOver.card.servers")} />
      <Icon of={ArrowRight} size={16} className="shrink-0 text-fg-3" />
      <span className="flex items-center gap-2 rounded-m border border-accent bg-surface px-3 py-1.5 font-semibold text-fg">
        <Mark size={16} />
        Mooring
      </span>
      <Icon of={ArrowRight} size={16} className="shrink-0 text-fg-3" />
      <Node icon={AppWindow} name={t("takeOver.card.apps")} />
    </div>
  );
}

function Node({ icon, name }: { icon: LucideIcon; name: string }) {
  return (
    <span className="flex items-center gap-2 rounded-m border border-line bg-surface px-3 py-1.5">
      <Icon of={icon} size={16} className="shrink-0 text-fg-3" />
      {name}
    </span>
  );
}
