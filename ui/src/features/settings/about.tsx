import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { CopyButton } from "@/components/code-block";
import { Dialog, DialogReading } from "@/components/dialog";
import { LongText } from "@/components/long-text";
import { appInfo, notices } from "@/ipc/queries";
import { errorText } from "@/lib/error-text";
import { showDoctor } from "@/lib/overlays";
import { Box, Row, Section, SettingArea } from "./section";

/** Mooring's version, its third-party code, and its disclaimer. */
export function About() {
  const { t } = useTranslation("settings");
  const { data } = useQuery(appInfo());
  if (!data) return null;
  return (
    <Section id="about">
      <Box>
        <Row setting="version">
          <span className="flex items-center gap-1">
            <span className="mono selectable">{`${data.version} · ${data.platform}`}</span>
            <CopyButton text={`Mooring ${data.version}, ${data.platform}`} />
          </span>
        </Row>
        <Row setting="doctor">
          <Button onClick={() => showDoctor(null)}>{t("about.check")}</Button>
        </Row>
        <Row setting="licence">
          <span>MIT OR Apache-2.0</span>
        </Row>
        <Notices />
        <SettingArea setting="honest" className="px-4 py-3">
          <p className="m-0 font-[540]">{t("about.honest.label")}</p>
          <ul className="mt-1 mb-0 list-disc pl-5 text-fg-2">
            <li>{t("about.honest.rights")}</li>
            <li>{t("about.honest.secrets")}</li>
            <li>{t("about.honest.words")}</li>
          </ul>
        </SettingArea>
      </Box>
    </Section>
  );
}

/** The licences of Mooring's dependencies. Installers include them, and a build from source has none. */
function Notices() {
  const { t } = useTranslation("settings");
  const { data, error } = useQuery(notices());
  const [open, setOpen] = useState(false);
  return (
    <Row setting="notices" problem={error && errorText(error)}>
      {data === null && <span className="text-fg-2">{t("about.noNotices")}</span>}
      {data != null && <Button onClick={() => setOpen(true)}>{t("about.show")}</Button>}
      {data != null && (
        <Dialog open={open} onOpenChange={setOpen} title={t("about.notices.label")} size="l" bare>
          <DialogReading label={t("about.notices.label")}>
            <LongText text={data} />
          </DialogReading>
        </Dialog>
      )}
    </Row>
  );
}
