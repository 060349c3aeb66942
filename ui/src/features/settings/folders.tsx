import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ErrorNotice } from "@/components/error-notice";
import { useFolderActions } from "@/components/folders/actions";
import { AddFolder } from "@/components/folders/add-folder";
import { FolderList } from "@/components/folders/folder-list";
import { roots } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { Box, Section, SettingArea } from "./section";

/** The folders for every server that may access them. */
export function Folders() {
  const { t } = useTranslation("roots");
  const query = useQuery(roots());
  const actions = useFolderActions();
  const every = (query.data ?? []).filter((root) => root.server === null);
  return (
    <Section id="folders">
      <Box>
        <SettingArea setting="folders">
          {query.error ? (
            <div className="p-3">
              <ErrorNotice title={t("failed")} {...errorWords(query.error)}>
                <Button busy={query.isFetching} onClick={() => void query.refetch()}>
                  {t("tryAgain", { ns: "common" })}
                </Button>
              </ErrorNotice>
            </div>
          ) : every.length === 0 ? (
            <p className="m-0 px-4 py-3 text-fg-2">{t("settings.none")}</p>
          ) : (
            <FolderList bare roots={every} label={t("folders.title", { ns: "settings" })} actions={actions} />
          )}
          <div data-control className="border-t border-line px-4 py-3">
            <AddFolder server={null} />
          </div>
        </SettingArea>
      </Box>
    </Section>
  );
}
