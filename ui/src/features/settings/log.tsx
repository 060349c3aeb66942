import { useQuery } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import type { Settings } from "@/ipc/bindings/Settings";
import { appInfo } from "@/ipc/queries";
import { formatCount } from "@/lib/format";
import { DeleteRecordDialog } from "./delete-record-dialog";
import { KeepDays } from "./keep-days";
import { NumberRow } from "./number-row";
import { Box, Row, Section } from "./section";

/** How many events are saved and for how long, and deleting them. */
export function Log({ settings }: { settings: Settings }) {
  const { t, i18n } = useTranslation("settings");
  const { data } = useQuery(appInfo());
  const [deleting, setDeleting] = useState(false);
  return (
    <Section id="log">
      <Box>
        <NumberRow field="maxLogMiB" min={64} max={3072} usual={1024} unit="MiB" value={settings.maxLogMiB} />
        <KeepDays value={settings.keepLogDays} />
        {data && (
          <Row setting="events">
            <div className="flex items-center gap-3">
              <span className="tabular">{formatCount(data.logRows, i18n.language)}</span>
              <Button icon={Trash2} disabled={data.logRows === 0} onClick={() => setDeleting(true)}>
                {t("log.events.delete")}
              </Button>
            </div>
          </Row>
        )}
      </Box>
      {deleting && data && <DeleteRecordDialog rows={data.logRows} onClose={() => setDeleting(false)} />}
    </Section>
  );
}
