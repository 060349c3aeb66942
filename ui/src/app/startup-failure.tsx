import { DatabaseBackup, DatabaseZap, RotateCcw } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import type { Code, IpcError } from "@/ipc/bridge";
import type { Sentence } from "@/ipc/bindings/Sentence";
import { formatMoment } from "@/lib/format";
import { sentence, sentenceFrom } from "@/lib/sentence";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";

const known = [
  "database_newer",
  "read_only",
  "folder_of_others",
  "disk_full",
  "not_a_database",
  "already_open",
  "database_damaged",
  "database_missing",
  "database_locked",
  "open_failed",
] as const satisfies readonly Code[];

/** The next step in the details, which may be inside another error's. */
function nextOf(details: unknown): Sentence | null {
  if (typeof details !== "object" || details === null) return null;
  if ("next" in details) return sentenceFrom(details.next);
  return "details" in details ? nextOf(details.details) : null;
}

/** The folder or file in question, if the text doesn't name it. */
function placeOf({ details, said }: IpcError): string | null {
  const path = typeof details === "object" && details !== null && "path" in details ? details.path : null;
  return typeof path === "string" && !said.text.includes(path) ? visibleLine(path) : null;
}

/** The time of the backup that could replace the data, or null. */
function backupOf(details: unknown): number | null {
  const backup = typeof details === "object" && details !== null && "backup" in details ? details.backup : null;
  return typeof backup === "number" ? backup : null;
}

/** The codes that mean that the application's data could not be opened. */
export const startupCodes: ReadonlySet<Code> = new Set(known);

/** Replaces the screens when the data cannot be opened: what happened, what was saved, and what to do. */
export function StartupFailure({ failure, busy, onRetry }: { failure: IpcError; busy: boolean; onRetry: () => void }) {
  const { t, i18n } = useTranslation();
  const { busy: restoring, run } = useCommand();
  const code = known.find((item) => item === failure.code) ?? "open_failed";
  // Otherwise the text above already says it.
  const next = code === "open_failed" ? nextOf(failure.details) : null;
  const title = t(`startup.${code}.title`);
  const said = sentence(failure.said);
  // A sentence without values says no more than the title.
  const isTitle = said.toLowerCase() === title.toLowerCase() || (code !== "open_failed" && Object.keys(failure.said.params).length === 0);
  const proof = [isTitle ? null : said, next && sentence(next), placeOf(failure)].filter((line) => line !== null);
  const backup = backupOf(failure.details);
  // A file that isn't our database may belong to another program. With a backup, it was ours.
  const replaceable = code === "database_damaged" || code === "database_missing" || (code === "not_a_database" && backup !== null);
  const textOf = code === "not_a_database" && backup !== null ? "database_damaged" : code;
  const restore = (backupUs: number | null) => void run("restore_data", { backupUs }, { done: onRetry });
  return (
    <main className="grid h-full place-items-center overflow-y-auto bg-canvas p-6" aria-labelledby="startup-title">
      <div className="w-full max-w-130 rounded-l border border-line bg-surface p-6">
        <DatabaseZap aria-hidden size={20} className="text-bad" />
        <h1 id="startup-title" className="mt-3 mb-1 text-xl font-[620] tracking-[-.015em]">
          {title}
        </h1>
        <p className="selectable m-0 text-fg-2">{t(`startup.${code}.why`)}</p>
        <h2 className="mt-4 mb-1 text-md font-semibold">{t("startup.next")}</h2>
        <p className="selectable m-0 text-fg-2">
          {replaceable && backup === null
            ? t("startup.noBackup")
            : t(`startup.${textOf}.next`, { date: backup === null ? "" : formatMoment(backup / 1000, i18n.language) })}
        </p>
        <p className="selectable mt-3 mb-0 text-sm text-fg-3">{t("startup.kept")}</p>
        {proof.length > 0 && (
          <pre className="selectable mt-4 mb-0 max-h-48 overflow-auto rounded-m border border-line bg-sunken px-3 py-2.5 whitespace-pre-wrap wrap-any text-fg-2">
            {proof.join("\n")}
          </pre>
        )}
        <div className="mt-5 flex flex-wrap justify-end gap-2">
          {replaceable && (
            <Button disabled={restoring || busy} onClick={() => restore(null)}>
              {t("startup.empty")}
            </Button>
          )}
          <Button look={backup === null ? "primary" : "default"} icon={RotateCcw} busy={busy} disabled={restoring} onClick={onRetry}>
            {t("startup.again")}
          </Button>
          {backup !== null && (
            <Button look="primary" icon={DatabaseBackup} busy={restoring} disabled={busy} onClick={() => restore(backup)}>
              {t("startup.restore")}
            </Button>
          )}
        </div>
      </div>
    </main>
  );
}
