import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ArrowLeft, CloudOff, Download, RefreshCw } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { EmptyState } from "@/components/empty-state";
import { ErrorNotice } from "@/components/error-notice";
import { FilterInput, ListBody } from "@/components/list-screen";
import { Page } from "@/components/page";
import { ProgressBar } from "@/components/progress-bar";
import type { CatalogState } from "@/ipc/bindings/CatalogState";
import { catalogState } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { formatAgo, formatCount } from "@/lib/format";
import { useShortcut } from "@/lib/shortcuts";
import { visibleLine } from "@/lib/untrusted";
import { useMedia } from "@/lib/use-media";
import { EntryList } from "./entry-list";
import { EntryPane } from "./entry-pane";
import { useRefresh } from "./use-refresh";

const route = getRouteApi("/catalog");

/** Searches a registry's copy, and installs servers from it. */
export function CatalogScreen() {
  const { t } = useTranslation("catalog");
  const { name } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(catalogState());
  const wide = useMedia("(min-width: 1000px)");
  const refresh = useRefresh();
  const box = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const state = query.data;
  const isEmpty = state !== undefined && state.entries === 0 && state.syncedMs === null;
  const isCopied = state !== undefined && state.syncedMs !== null;

  // A copy that is old is brought up to date. Nothing is fetched for the first time without a click.
  const { begin } = refresh;
  useEffect(() => {
    if (isCopied) begin(true);
    // Once for each visit.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isCopied]);
  const isShown = state !== undefined && !isEmpty;
  useEffect(() => {
    if (isShown) box.current?.focus();
  }, [isShown]);
  useShortcut("/", () => box.current?.focus());

  const choose = (next: string | undefined) => void navigate({ search: next === undefined ? {} : { name: next }, replace: true });
  const failure = refresh.error !== null && (
    <ErrorNotice className="m-4" title={t("failed")} {...errorWords(refresh.error)}>
      <Button onClick={() => begin(false)}>{t("tryAgain", { ns: "common" })}</Button>
    </ErrorNotice>
  );
  const pane = name !== undefined && <EntryPane key={name} name={name} />;
  return (
    <Page
      title={t("place")}
      back={
        <Link to="/servers" aria-label={t("back")} className="grid size-7 place-items-center rounded-s text-fg-2 hover:bg-hover">
          <ArrowLeft size={16} aria-hidden />
        </Link>
      }
      sub={state !== undefined && !isEmpty && <Standing state={state} failed={refresh.error !== null} />}
      actions={
        state !== undefined &&
        !isEmpty && (
          <>
            <FilterInput ref={box} label={t("search")} value={text} onChange={setText} />
            <Button icon={RefreshCw} busy={refresh.running} onClick={() => begin(false)}>
              {t("refresh")}
            </Button>
          </>
        )
      }
    >
      {!isEmpty && refresh.running && <Fetching />}
      {!isEmpty && failure}
      <ListBody
        query={query}
        failed={t("unread")}
        instead={state !== undefined && isEmpty && <FirstLook state={state} failure={failure} />}
        wide={wide}
        split={{ id: "catalog", initial: 420, min: 340, max: 640, label: t("resize") }}
        sheet={{ open: name !== undefined, onOpenChange: (open) => !open && choose(undefined), title: visibleLine(name ?? "") }}
        list={<EntryList text={text} chosen={name ?? null} onChoose={choose} />}
        pane={pane || (wide && <EmptyState title={t("choose")} text={t("listed")} />)}
      />
    </Page>
  );
}

/** How much the copy has, and how old it is. */
function Standing({ state, failed }: { state: CatalogState; failed: boolean }) {
  const { t, i18n } = useTranslation("catalog");
  const [opened] = useState(() => Date.now());
  const count = t("count", { count: state.entries, shown: formatCount(state.entries, i18n.language) });
  if (state.syncedMs === null) return t("partly", { count });
  const ago = formatAgo(state.syncedMs, Math.max(opened, state.syncedMs), i18n.language);
  return (
    <span title={state.leftOut > 0 ? t("leftOut", { count: state.leftOut }) : undefined}>
      {failed && <CloudOff size={14} aria-hidden className="mr-1.5 inline" />}
      {t("copy", { count, ago })}
    </span>
  );
}

/** What will be asked from which host, before anything is. */
function FirstLook({ state, failure }: { state: CatalogState; failure: React.ReactNode }) {
  const { t } = useTranslation("catalog");
  const { running, begin } = useRefresh();
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
      {failure}
      {running ? (
        <div className="m-auto w-full max-w-105 py-10">
          <Fetching />
        </div>
      ) : (
        <EmptyState icon={Download} title={t("first.title")} text={t("first.text", { host: visibleLine(state.host) })}>
          <Button look="primary" icon={Download} onClick={() => begin(false)}>
            {t("first.submit", { host: visibleLine(state.host) })}
          </Button>
          <p className="m-0 basis-full text-fg-3">{t("listed")}</p>
        </EmptyState>
      )}
    </div>
  );
}

/** The progress of a fetch. A registry doesn't say how many entries it has. */
function Fetching() {
  const { t, i18n } = useTranslation("catalog");
  const { progress, cancel } = useRefresh();
  const count = progress?.entries ?? 0;
  return (
    <div role="status" className="flex items-center gap-3 border-b border-line px-4 py-2">
      <span className="min-w-0 flex-1">
        <ProgressBar value={null} label={t("fetching")} />
        <span className="text-sm text-fg-2 tabular">{t("fetched", { count, shown: formatCount(count, i18n.language) })}</span>
      </span>
      <Button onClick={cancel}>{t("cancel", { ns: "common" })}</Button>
    </div>
  );
}
