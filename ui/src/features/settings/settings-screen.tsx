import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ErrorNotice } from "@/components/error-notice";
import { Page } from "@/components/page";
import { ShortcutList } from "@/components/shortcut-list";
import { Skeleton } from "@/components/skeleton";
import { roots, rules, settings } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { About } from "./about";
import { Appearance } from "./appearance";
import { DataFolder } from "./data-folder";
import { Folders } from "./folders";
import { FixedLimits, Limits } from "./limits";
import { Policies } from "./policies/policies";
import { Programs } from "./programs";
import { Section } from "./section";
import { SignIn } from "./sign-in";

const route = getRouteApi("/settings");

/** What can be set for the whole application, and what is good to know about it. */
export function SettingsScreen() {
  const { t } = useTranslation("settings");
  const query = useQuery(settings());
  const { section } = route.useSearch();
  // What stands above a section has its height only once it was read.
  const waits = [useQuery(rules()).isPending, useQuery(roots()).isPending];
  const ready = !query.isPending && !waits.includes(true);
  useEffect(() => {
    if (ready && section !== undefined) document.getElementById(section)?.scrollIntoView({ block: "start" });
  }, [ready, section]);
  return (
    <Page title={t("place.settings", { ns: "common" })}>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto flex max-w-180 flex-col gap-8 px-6 py-6">
          {query.isPending ? (
            <Skeleton rows={8} />
          ) : query.error ? (
            <ErrorNotice title={t("unread")} {...errorWords(query.error)} next={t("unreadNext")}>
              <Button busy={query.isFetching} onClick={() => void query.refetch()}>
                {t("tryAgain", { ns: "common" })}
              </Button>
            </ErrorNotice>
          ) : (
            <>
              <Appearance settings={query.data} />
              <SignIn settings={query.data} />
              <Policies />
              <Folders />
              <Limits settings={query.data} />
            </>
          )}
          <FixedLimits />
          <Programs />
          <DataFolder />
          <Section title={t("shortcuts.title", { ns: "common" })}>
            <div className="px-4 py-3">
              <ShortcutList />
            </div>
          </Section>
          <About />
        </div>
      </div>
    </Page>
  );
}
