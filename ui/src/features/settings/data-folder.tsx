import { useQuery } from "@tanstack/react-query";
import { FolderOpen } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { CopyButton } from "@/components/code-block";
import { appInfo } from "@/ipc/queries";
import { formatBytes, formatMoment } from "@/lib/format";
import { useCommand } from "@/lib/use-command";
import { Box, Row, Section, SettingArea } from "./section";

/** Where all data is saved, its size, and who can read it. */
export function DataFolder() {
  const { t, i18n } = useTranslation("settings");
  const { data } = useQuery(appInfo());
  const { busy, run } = useCommand();
  if (!data) return null;
  return (
    <Section id="data">
      <Box>
        <SettingArea setting="dataFolder" className="flex min-h-12 items-center gap-2 px-4 py-2">
          <span className="mono selectable min-w-0 flex-1 wrap-any">{data.home}</span>
          <span data-control className="flex items-center gap-2">
            <CopyButton text={data.home} />
            <Button icon={FolderOpen} busy={busy} onClick={() => void run("open_data_folder", {})}>
              {t("data.dataFolder.open")}
            </Button>
          </span>
        </SettingArea>
        <Row setting="databaseSize">
          <span className="tabular">{formatBytes(data.databaseBytes, i18n.language)}</span>
        </Row>
        <Row setting="backup">
          <span className="tabular">{data.backedUpMs === null ? t("data.noBackup") : formatMoment(data.backedUpMs, i18n.language)}</span>
        </Row>
      </Box>
    </Section>
  );
}
