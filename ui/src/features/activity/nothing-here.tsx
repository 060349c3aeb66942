import { Link } from "@tanstack/react-router";
import { Activity, SearchX } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { EmptyState } from "@/components/empty-state";
import { ErrorNotice } from "@/components/error-notice";
import { Skeleton } from "@/components/skeleton";
import type { Feed } from "./feed/feed";
import { useFeedState } from "./feed/use-feed";
import { begun } from "./words/names";

/** Shown without rows: loading, unreadable, empty, or no matches. */
export function NothingHere({ feed, filtered }: { feed: Feed; filtered: boolean }) {
  const { t } = useTranslation(["activity", "common"]);
  const loading = useFeedState(feed, (snapshot) => snapshot.loading);
  const problem = useFeedState(feed, (snapshot) => snapshot.problem);
  if (loading) return <Skeleton rows={12} />;
  if (problem) {
    return (
      <div className="w-full max-w-150 p-5">
        <ErrorNotice title={t("problem.open")} why={begun(problem.message)} next={t("problem.openNext")}>
          <Button onClick={() => feed.retry()}>{t("common:tryAgain")}</Button>
        </ErrorNotice>
      </div>
    );
  }
  if (filtered) {
    return <EmptyState icon={SearchX} title={t("empty.filteredTitle")} text={t("empty.filteredText")} />;
  }
  return (
    <EmptyState icon={Activity} title={t("empty.title")} text={t("empty.text")}>
      <Link
        to="/servers"
        className="inline-flex h-7.5 items-center rounded-s border border-line-strong bg-raised px-2.75 font-[540] hover:bg-hover"
      >
        {t("empty.servers")}
      </Link>
    </EmptyState>
  );
}
