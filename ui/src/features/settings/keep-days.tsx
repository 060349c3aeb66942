import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { ErrorNotice } from "@/components/error-notice";
import { Select } from "@/components/select";
import { errorText, errorWords } from "@/lib/error-text";
import { formatCount } from "@/lib/format";
import { useCommand } from "@/lib/use-command";
import { useSetting } from "@/lib/use-save-settings";
import { Row } from "./section";

const choices = [1, 7, 30, 90, 0] as const;

/** The maximum age of events. A shorter time asks first, with the number of events to delete. */
export function KeepDays({ value }: { value: number }) {
  const { t } = useTranslation("settings");
  const { save, undo, error } = useSetting();
  const count = useCommand({ failure: "shown" });
  const [shorter, setShorter] = useState<{ days: number; events: number } | null>(null);
  const label = (days: number) => (days === 0 ? t("log.keepLogDays.all") : t("log.keepDays", { count: days }));
  // A value that was set elsewhere is offered as well.
  const days = choices.some((choice) => choice === value) ? [...choices] : [...choices, value];
  const change = async (next: number) => {
    const isShorter = next !== 0 && (value === 0 || next < value);
    const events = isShorter ? await count.run("count_old_events", { days: next }) : 0;
    if (events === undefined) return;
    if (events === 0) await save({ keepLogDays: next });
    else setShorter({ days: next, events });
  };
  const problem = error ?? count.error;
  return (
    <Row setting="keepLogDays" undo={undo} problem={problem && errorText(problem)}>
      {(names) => (
        <>
          <Select
            {...names}
            value={String(value)}
            options={days.map((choice) => ({ value: String(choice), label: label(choice) }))}
            onChange={(choice) => void change(Number(choice))}
            className="w-52"
          />
          {shorter && <ShorterDialog {...shorter} onClose={() => setShorter(null)} />}
        </>
      )}
    </Row>
  );
}

/** Asks before the events older than a shorter time are deleted, which can't be undone. */
function ShorterDialog({ days, events, onClose }: { days: number; events: number; onClose: () => void }) {
  const { t, i18n } = useTranslation("settings");
  const { save, error } = useSetting();
  return (
    <Dialog
      open
      size="s"
      onOpenChange={(open) => !open && onClose()}
      title={t("log.deleteTitle", { count: events, shown: formatCount(events, i18n.language) })}
      description={t("log.olderText", { count: days })}
      footer={
        <>
          <span className="flex-1" />
          <Button onClick={onClose}>{t("cancel", { ns: "common" })}</Button>
          <Button look="danger" onClick={() => void save({ keepLogDays: days }).then((saved) => saved !== undefined && onClose())}>
            {t("log.deleteNow")}
          </Button>
        </>
      }
    >
      {error !== null && <ErrorNotice title={t("log.keepFailed")} answers {...errorWords(error)} />}
    </Dialog>
  );
}
