import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { History } from "lucide-react";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { EmptyState } from "@/components/empty-state";
import { ErrorNotice } from "@/components/error-notice";
import { Page } from "@/components/page";
import { Skeleton } from "@/components/skeleton";
import { Split } from "@/components/split";
import { foundDecisions } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { useShortcut } from "@/lib/shortcuts";
import { useMedia } from "@/lib/use-media";
import { InboxTabs } from "../inbox-tabs";
import { DecisionDetail } from "./decision-detail";
import { DecisionFilters } from "./decision-filters";
import { DecisionRows } from "./decision-rows";
import { filterOf, isFiltered } from "./search";

const route = getRouteApi("/inbox/decisions");

/** All saved decisions: what was asked, what was sent, and what still applies. */
export function DecisionsScreen() {
  const { t } = useTranslation(["inbox", "common"]);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const searchBox = useRef<HTMLInputElement>(null);
  const wide = useMedia("(min-width: 1100px)");
  const query = useInfiniteQuery({ ...foundDecisions(filterOf(search)), placeholderData: keepPreviousData });
  const list = query.data?.pages.flat() ?? [];
  const filtered = isFiltered(search);
  const open = list.find(({ id }) => id === search.id);
  // Without a selection the latest is shown, if there is room beside the list. Later decisions don't change it.
  const entered = useRef(false);
  const first = list[0]?.id;
  useEffect(() => {
    if (entered.current || first === undefined) return;
    entered.current = true;
    if (wide && search.id === undefined) void navigate({ search: (now) => ({ ...now, id: first }), replace: true });
  }, [first, wide, search.id, navigate]);
  useShortcut("/", () => {
    searchBox.current?.focus();
    searchBox.current?.select();
  });
  return (
    <Page title={t("place")} sub={t("decisions.title")} actions={<InboxTabs />}>
      {(filtered || list.length > 0) && (
        <DecisionFilters
          inputRef={searchBox}
          search={search}
          onChange={(parts) =>
            void navigate({
              search: (now) => Object.fromEntries(Object.entries({ ...now, ...parts }).filter(([, value]) => value !== undefined)),
              replace: true,
            })
          }
        />
      )}
      {query.isPending ? (
        <Skeleton rows={8} />
      ) : query.error ? (
        <div className="max-w-150 p-5">
          <ErrorNotice title={t("decisions.failed")} {...errorWords(query.error)} next={t("failedNext")}>
            <Button busy={query.isFetching} onClick={() => void query.refetch()}>
              {t("common:tryAgain")}
            </Button>
          </ErrorNotice>
        </div>
      ) : list.length === 0 ? (
        <EmptyState
          icon={History}
          title={t(filtered ? "decisions.noMatch" : "decisions.none")}
          text={t(filtered ? "decisions.noMatchText" : "decisions.noneText")}
        >
          {filtered && <Button onClick={() => void navigate({ search: {}, replace: true })}>{t("decisions.clear")}</Button>}
        </EmptyState>
      ) : (
        <Split
          id="decisions"
          fixed="start"
          initial={wide ? 360 : 280}
          min={240}
          max={520}
          label={t("decisions.resize")}
          start={
            <DecisionRows
              list={list}
              chosen={search.id}
              more={query.hasNextPage}
              onMore={() => !query.isFetching && void query.fetchNextPage()}
              onChoose={(id) => void navigate({ search: (now) => ({ ...now, id }), replace: true })}
            />
          }
          end={
            open ? (
              <DecisionDetail key={open.id} decision={open} />
            ) : (
              <EmptyState icon={History} title={t("decisions.choose")} text={t("decisions.about")} />
            )
          }
        />
      )}
    </Page>
  );
}
