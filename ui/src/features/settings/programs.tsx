import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "@/components/error-notice";
import { Fold } from "@/components/fold";
import { appInfo } from "@/ipc/queries";
import { wholeSentence } from "@/lib/sentence";
import { Box, Section, SettingArea } from "./section";

/** Where commands such as npx are searched: the login shell's PATH, which desktop applications don't inherit. */
export function Programs() {
  const { t } = useTranslation("settings");
  const { data } = useQuery(appInfo());
  if (!data) return null;
  const { path, source, note } = data.loginPath;
  return (
    <Section id="programs">
      <Box>
        <SettingArea setting="path">
          <div className="flex min-h-12 items-center gap-6 px-4 py-2">
            <span className="flex-1 font-[540]">{t("programs.path.label")}</span>
            <span className="selectable mono max-w-[60%] wrap-any">
              {source === "environment" ? t("programs.path.environment") : source === "asking" ? t("programs.asking") : source}
            </span>
          </div>
          {note !== null && (
            <div className="border-t border-line p-3">
              <ErrorNotice tone="warn" title={t("programs.fellBack")} why={wholeSentence(note)} next={t("programs.fellBackNext")} />
            </div>
          )}
          {path.length > 0 && (
            <div data-control className="border-t border-line px-4 py-3">
              <Fold title={t("programs.folders", { count: path.length })}>
                <ol className="mono selectable m-0 list-decimal pl-6 text-fg-2">
                  {path.map((folder) => (
                    <li key={folder} className="wrap-any">
                      {folder}
                    </li>
                  ))}
                </ol>
              </Fold>
            </div>
          )}
        </SettingArea>
      </Box>
    </Section>
  );
}
