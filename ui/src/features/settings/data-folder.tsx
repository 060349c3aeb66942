import { useQuery } from "@tanstack/react-query";
import { FolderOpen, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { CopyButton } from "@/components/code-block";
import { appInfo } from "@/ipc/queries";
import { formatBytes, formatCount, formatMoment } from "@/lib/format";
import { useCommand } from "@/lib/use-command";
import { DeleteRecordDialog } from "./delete-record-dialog";
import { Row, Section } from "./section";

/** Where everything is kept, how large it is, and who can read it. */
export function DataFolder() {
  const { t, i18n } = useTranslation("settings");
  const { data } = useQuery(appInfo());
  const { busy, run } = useCommand();
  const [deleting, setDeleting] = useState(false);
  if (!data) return null;
  return (
    <Section title={t("data.title")} text={t("data.text")}>
      <div className="flex min-h-12 items-center gap-2 border-b border-line px-4 py-2">
        <span className="mono selectable min-w-0 flex-1 wrap-any">{data.home}</span>
        <CopyButton text={data.home} />
        <Button icon={FolderOpen} busy={busy} onClick={() => void run("open_data_folder", {})}>
          {t("data.open")}
        </Button>
      </div>
      <Row label={t("data.size")}>
        <span className="tabular">{formatBytes(data.databaseBytes, i18n.language)}</span>
      </Row>
      <Row label={t("data.rows")}>
        <div className="flex items-center gap-3">
          <span className="tabular">{formatCount(data.logRows, i18n.language)}</span>
          <Button icon={Trash2} disabled={data.logRows === 0} onClick={() => setDeleting(true)}>
            {t("data.delete")}
          </Button>
        </div>
      </Row>
      <Row label={t("data.backup")} hint={t("data.backupHint")}>
        <span className="tabular">{data.backedUpMs === null ? t("data.noBackup") : formatMoment(data.backedUpMs, i18n.language)}</span>
      </Row>
      {deleting && <DeleteRecordDialog rows={data.logRows} onClose={() => setDeleting(false)} />}
    </Section>
  );
}
