import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog, DialogBody, DialogFooter } from "@/components/dialog";
import { ErrorNotice } from "@/components/error-notice";
import { Field } from "@/components/field";
import { Select } from "@/components/select";
import { Skeleton } from "@/components/skeleton";
import { UntrustedText } from "@/components/their-voice";
import { Checkbox } from "@/components/toggles";
import type { RuleInput } from "@/ipc/bindings/RuleInput";
import type { RuleView } from "@/ipc/bindings/RuleView";
import { servers, tools } from "@/ipc/queries";
import { readHints } from "@/lib/tool-claims";
import { errorWords } from "@/lib/error-text";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";
import { draftOf, inputOf } from "./draft";
import { patternOf } from "@/lib/tool-name";

/** The rule that lets a tool run without asking. */
const allowing = (server: number, name: string): RuleInput =>
  inputOf({ ...draftOf(null), effect: "allow", server, which: "one", tool: patternOf(name) }, 0);

/**
 * Allows tools of a server that claim to be read-only. A claim never decides by itself: the person sees the tools by
 * name, and each gets its own rule.
 */
export function ReadOnlyDialog({
  rules,
  onSaved,
  onClose,
}: {
  rules: readonly RuleView[];
  /** Gets the ids of the new rules. */
  onSaved: (ids: readonly number[]) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation("policies");
  const { data: list = [] } = useQuery(servers());
  const running = list.filter(({ state }) => state === "ready" || state === "degraded");
  const [picked, setPicked] = useState<number | null>(null);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const { busy, error, run } = useCommand({ failure: "shown" });
  const server = picked ?? running[0]?.id ?? null;
  const query = useQuery({ ...tools(server ?? 0), enabled: server !== null });
  const isAllowed = (name: string) =>
    rules.some(
      ({ rule }) =>
        rule.effect === "allow" &&
        rule.server === server &&
        rule.tool === patternOf(name) &&
        rule.caller === null &&
        rule.arguments.length === 0 &&
        rule.expiresAt === null,
    );
  const reading = (query.data?.tools ?? []).filter(({ annotations }) => readHints(annotations).readOnly === true).map(({ name }) => name);
  const offered = reading.filter((name) => !isAllowed(name));
  const chosen = offered.filter((name) => !left.has(name));

  const save = async () => {
    if (server === null || chosen.length === 0 || busy) return;
    const made: number[] = [];
    for (const name of chosen) {
      // In sequence: failed ones stay selected, and created ones aren't offered again.
      // oxlint-disable-next-line no-await-in-loop
      const saved = await run("save_rule", { id: null, rule: allowing(server, name) });
      if (saved === undefined) return;
      made.push(saved.id);
    }
    onSaved(made);
    onClose();
  };

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} bare title={t("readOnly.title")} description={t("readOnly.text")}>
      <form
        className="flex min-h-0 flex-1 flex-col"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <DialogBody>
          <Field label={t("form.server")}>
            {({ id, ...aria }) => (
              <Select
                id={id}
                {...aria}
                value={server === null ? undefined : String(server)}
                placeholder={t("readOnly.noServer")}
                options={running.map((one) => ({ value: String(one.id), label: visibleLine(one.name) }))}
                onChange={(value) => {
                  setPicked(Number(value));
                  setLeft(new Set());
                }}
              />
            )}
          </Field>
          {server === null ? null : query.isPending ? (
            <Skeleton rows={3} />
          ) : query.error ? (
            <div className="mt-3">
              <ErrorNotice title={t("readOnly.unread")} {...errorWords(query.error)} />
            </div>
          ) : offered.length === 0 ? (
            <p className="mt-3 mb-0 text-fg-2">{t(reading.length === 0 ? "readOnly.none" : "readOnly.all")}</p>
          ) : (
            <ul aria-label={t("readOnly.list")} className="mt-3 mb-0 list-none rounded-m border border-line p-0">
              {offered.map((name) => (
                <li key={name} className="flex min-h-8 items-center gap-2.5 border-b border-line px-3 py-1 last:border-0">
                  <Checkbox
                    label={visibleLine(name)}
                    checked={!left.has(name)}
                    onChange={(on) => setLeft(new Set(on ? [...left].filter((other) => other !== name) : [...left, name]))}
                  />
                  <bdi className="mono min-w-0 wrap-any">
                    <UntrustedText text={name} />
                  </bdi>
                </li>
              ))}
            </ul>
          )}
          {error !== null && (
            <div className="mt-3">
              <ErrorNotice answers title={t("form.failed")} {...errorWords(error)} />
            </div>
          )}
        </DialogBody>
        <DialogFooter>
          <span className="flex-1" />
          <Button onClick={onClose}>{t("cancel", { ns: "common" })}</Button>
          <Button type="submit" look="primary" busy={busy} disabled={chosen.length === 0}>
            {t("readOnly.save", { count: chosen.length })}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
