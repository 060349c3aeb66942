import { useQuery } from "@tanstack/react-query";
import { RefreshCw, Save } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { CopyButton } from "@/components/code-block";
import { Dialog, DialogFooter, DialogReading } from "@/components/dialog";
import { ErrorNotice } from "@/components/error-notice";
import { Spinner } from "@/components/spinner";
import { servers } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { showOverlay, useCheckedServer, useOverlay } from "@/lib/overlays";
import { fileName, useSaveFile } from "@/lib/save-file";
import { visibleLine } from "@/lib/untrusted";
import { CheckRow } from "./check-row";
import { useChecks } from "./use-checks";
import { useFix } from "./use-fix";

/** The checks of a server or of Mooring itself, above any screen. */
export function DoctorDialog() {
  const server = useCheckedServer();
  return useOverlay() === "doctor" ? <Checks key={server} server={server} /> : null;
}

function Checks({ server }: { server: number | null }) {
  const { t } = useTranslation("doctor");
  const { data } = useQuery(servers());
  const { checks, running, report, error, again } = useChecks(server);
  const { save, busy } = useSaveFile();
  const fix = useFix(server);
  const name = data?.find(({ id }) => id === server)?.name;
  const title = name === undefined ? t("title.whole") : t("title.server", { name: visibleLine(name) });
  const failed = checks.filter(({ outcome }) => outcome === "failed").length;
  const status = running ? t("running") : failed === 0 ? t("allPassed") : t("failed", { count: failed });
  return (
    <Dialog open onOpenChange={(open) => !open && showOverlay(null)} title={title} description={t("text")} size="l" bare>
      <DialogReading label={t("list")}>
        {error !== null && <ErrorNotice title={t("broken")} answers {...errorWords(error)} />}
        {checks.length > 0 && (
          <ol className="m-0 list-none rounded-m border border-line p-0">
            {checks.map((check, index) => (
              <CheckRow
                key={index}
                check={check}
                fixLabel={check.fix === null ? null : fix.label(check.fix)}
                onFix={() => check.fix !== null && fix.act(check.fix)}
              />
            ))}
          </ol>
        )}
        <p role="status" className="mt-3 mb-0 flex items-center gap-2 text-fg-2">
          {running && <Spinner />}
          {error === null && status}
        </p>
      </DialogReading>
      <DialogFooter>
        <Button icon={RefreshCw} disabled={running} onClick={again}>
          {t("again")}
        </Button>
        <span className="flex-1" />
        {report !== null && (
          <>
            <CopyButton text={report} label={t("copy")} worded />
            <Button icon={Save} busy={busy} onClick={() => save(fileName(name ?? "mooring", "txt"), { text: report })}>
              {t("save")}
            </Button>
          </>
        )}
      </DialogFooter>
    </Dialog>
  );
}
