import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "@/components/error-notice";
import { Fold } from "@/components/fold";
import { appInfo } from "@/ipc/queries";
import { wholeSentence } from "@/lib/sentence";
import { Row, Section } from "./section";

/** Where commands such as npx are looked for: the login shell's PATH, which a desktop application does not get by itself. */
export function Programs() {
  const { t } = useTranslation("settings");
  const { data } = useQuery(appInfo());
  if (!data) return null;
  const { path, source, note } = data.loginPath;
  return (
    <Section title={t("programs.title")} text={t("programs.text")}>
      <Row label={t("programs.source")}>
        <span className="selectable mono wrap-any">
          {source === "environment" ? t("programs.environment") : source === "asking" ? t("programs.asking") : source}
        </span>
      </Row>
      {note !== null && (
        <div className="border-b border-line p-3">
          <ErrorNotice tone="warn" title={t("programs.fellBack")} why={wholeSentence(note)} next={t("programs.fellBackNext")} />
        </div>
      )}
      {path.length > 0 && (
        <div className="px-4 py-3">
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
    </Section>
  );
}
