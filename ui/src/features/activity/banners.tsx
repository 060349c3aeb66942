import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Icon } from "@/components/icon";
import { journalHealth } from "@/ipc/queries";
import { sentence } from "@/lib/sentence";
import { visibleLine } from "@/lib/untrusted";
import type { Feed } from "./feed/feed";
import { useFeedState } from "./feed/use-feed";

/** Problems of the log itself, always visible above the list. */
export function Banners({ feed }: { feed: Feed }) {
  const { t } = useTranslation(["activity", "common"]);
  const { data: health } = useQuery(journalHealth());
  const problem = useFeedState(feed, (snapshot) => snapshot.problem);
  const items = useFeedState(feed, (snapshot) => snapshot.items.length);
  return (
    <>
      {health.failing && (
        <Banner title={t("journal.title")} why={health.message && sentence(health.message)}>
          {t("journal.next")}
        </Banner>
      )}
      {problem && !(problem.what === "open" && items === 0) && (
        <Banner
          title={t(`problem.${problem.what}`)}
          why={problem.message}
          action={<Button onClick={() => feed.retry()}>{t("common:tryAgain")}</Button>}
        />
      )}
    </>
  );
}

function Banner({ title, why, action, children }: { title: string; why: string | null; action?: ReactNode; children?: ReactNode }) {
  return (
    <div role="alert" className="flex shrink-0 items-start gap-2.5 border-b border-line bg-bad-soft px-3.5 py-2">
      <Icon of={TriangleAlert} className="mt-0.75 shrink-0 text-bad" />
      <p className="selectable m-0 min-w-0 flex-1 wrap-any">
        <b className="text-bad">{title}</b>
        {why !== null && <span className="ms-1.5 text-fg-2">{visibleLine(why)}</span>}
        {children !== undefined && <span className="block">{children}</span>}
      </p>
      {action}
    </div>
  );
}
