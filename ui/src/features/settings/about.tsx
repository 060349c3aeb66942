import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { CopyButton } from "@/components/code-block";
import { appInfo } from "@/ipc/queries";
import { Row, Section } from "./section";

/** Which Mooring this is, and what it does not promise. */
export function About() {
  const { t } = useTranslation("settings");
  const { data } = useQuery(appInfo());
  if (!data) return null;
  return (
    <Section title={t("about.title")}>
      <Row label="Mooring">
        <span className="flex items-center gap-1">
          <span className="mono selectable">{`${data.version} · ${data.platform}`}</span>
          <CopyButton text={`Mooring ${data.version}, ${data.platform}`} />
        </span>
      </Row>
      <Row label={t("about.licence")}>
        <span>MIT OR Apache-2.0</span>
      </Row>
      <div className="px-4 py-3">
        <p className="m-0 font-[540]">{t("about.honest")}</p>
        <ul className="mt-1 mb-0 list-disc pl-5 text-fg-2">
          <li>{t("about.rights")}</li>
          <li>{t("about.secrets")}</li>
          <li>{t("about.words")}</li>
        </ul>
      </div>
    </Section>
  );
}
