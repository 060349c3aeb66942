import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog, DialogBody, DialogFooter } from "@/components/dialog";
import { ErrorNotice } from "@/components/error-notice";
import { ImportValues } from "@/components/import-values";
import { Said } from "@/components/said";
import { Skeleton } from "@/components/skeleton";
import { UntrustedText } from "@/components/their-voice";
import type { ServerInput } from "@/ipc/bindings/ServerInput";
import { catalogUpdate } from "@/ipc/queries";
import { cx } from "@/lib/cx";
import { errorWords } from "@/lib/error-text";
import { enteredValues, type ImportValues as Values, needsValues, previewValues } from "@/lib/import-values";
import { shownLinesOf } from "@/lib/server-address";
import { toast } from "@/lib/toasts";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";
import { useDebounced } from "@/lib/use-debounced";

/** Shows what another version changes about a server, asks for new values, and changes it. */
export function UpdateDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation("catalog");
  const [values, setValues] = useState<Values>(new Map());
  const [tried, setTried] = useState(false);
  const { busy, error, run } = useCommand({ failure: "shown", vault: true });
  const first = useQuery(catalogUpdate(id, []));
  const entry = first.data === undefined ? null : { name: first.data.before.name, inputs: first.data.inputs };
  const rested = useDebounced(values, 200);
  const filled = useQuery({
    ...catalogUpdate(id, entry === null ? [] : previewValues([entry], rested)),
    enabled: entry !== null,
    placeholderData: keepPreviousData,
  });
  const review = filled.data ?? first.data;
  const failure = error ?? first.error ?? filled.error;
  const settled = rested === values && !filled.isFetching;

  const update = async () => {
    if (busy || review === undefined || entry === null || !settled) return;
    setTried(true);
    if (needsValues([entry], values)) return;
    const { version, after } = review;
    const args = { id, version, values: enteredValues([entry], values), shown: after };
    const done = () => toast({ text: t("update.done", { name: visibleLine(after.name), version: visibleLine(version) }) });
    if ((await run("update_from_catalog", args, { done })) !== undefined) onClose();
  };
  return (
    <Dialog
      bare
      open
      onOpenChange={(open) => !open && onClose()}
      title={t("update.title", { name: visibleLine(review?.before.name ?? "") })}
    >
      <DialogBody>
        <div className="flex flex-col gap-4">
          {review === undefined && first.isPending && <Skeleton rows={4} />}
          {review !== undefined && (
            <>
              <p className="m-0 text-fg-2">{t("update.text", { from: visibleLine(review.from), version: visibleLine(review.version) })}</p>
              <Difference before={review.before} after={review.after} />
              {review.notes.map((note, index) => (
                <p key={index} className="m-0 wrap-any text-fg-2">
                  <Said whole said={note} />
                </p>
              ))}
            </>
          )}
          {entry !== null && entry.inputs.length > 0 && (
            <>
              <ImportValues
                entries={[{ ...entry, inputs: review?.inputs ?? entry.inputs }]}
                values={values}
                tried={tried}
                onValues={setValues}
              />
              {entry.inputs.some((input) => input.secret) && <p className="m-0 text-fg-3">{t("update.secrets")}</p>}
            </>
          )}
          {failure !== null && <ErrorNotice title={t("update.failed")} answers {...errorWords(failure)} />}
        </div>
      </DialogBody>
      <DialogFooter>
        <span className="flex-1" />
        <Button onClick={onClose}>{t("cancel", { ns: "common" })}</Button>
        <Button look="primary" busy={busy} disabled={review === undefined || !settled} onClick={() => void update()}>
          {t("update.submit")}
        </Button>
      </DialogFooter>
    </Dialog>
  );
}

/** The variables and headers of a definition, secrets without their values. */
const variablesOf = (server: ServerInput): string[] => [
  ...Object.entries({ ...server.env, ...server.headers }).map(([name, value]) => `${name}=${value}`),
  ...server.secrets.map(({ name }) => `${name}=…`),
];

type Change = readonly ["-" | "+", string];

const changeOf = (removed: readonly string[], added: readonly string[]): Change[] => [
  ...removed.map((line) => ["-", line] as const),
  ...added.map((line) => ["+", line] as const),
];

/** The lines of a command from the first to the last that differs. Their order counts. */
function commandChanges(before: readonly string[], after: readonly string[]): Change[] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return changeOf(before.slice(start, before.length - end), after.slice(start, after.length - end));
}

/** What is removed from and added to a definition, line by line. */
function Difference({ before, after }: { before: ServerInput; after: ServerInput }) {
  const { t } = useTranslation("catalog");
  const [old, next] = [variablesOf(before), variablesOf(after)];
  const lines = [
    ...commandChanges(shownLinesOf(before).split("\n"), shownLinesOf(after).split("\n")),
    ...changeOf(
      old.filter((line) => !next.includes(line)),
      next.filter((line) => !old.includes(line)),
    ),
  ];
  if (lines.length === 0) return <p className="m-0 text-fg-2">{t("update.same")}</p>;
  return (
    <ul aria-label={t("update.changes")} className="mono selectable m-0 list-none overflow-hidden rounded-m border border-line p-0">
      {lines.map(([sign, line], index) => (
        <li key={index} className={cx("px-3 py-0.5 whitespace-pre-wrap wrap-any", sign === "-" ? "bg-sunken text-fg-2" : "bg-warn-soft")}>
          <span className="sr-only">{t(sign === "-" ? "update.removed" : "update.added")}</span>
          <span aria-hidden>{sign} </span>
          <UntrustedText text={line} />
        </li>
      ))}
    </ul>
  );
}
