import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog, DialogBody, DialogFooter } from "@/components/dialog";
import { ErrorNotice } from "@/components/error-notice";
import type { RuleView } from "@/ipc/bindings/RuleView";
import { errorWords } from "@/lib/error-text";
import { useCommand } from "@/lib/use-command";
import { allowsEverything, draftOf, inputOf, isComplete, type RuleDraft } from "./draft";
import { RuleForm } from "./rule-form";
import { Simulated } from "./simulated";

/** Makes a rule or changes one; what it would have done stands below it before it is saved. */
export function RuleDialog({
  view,
  template,
  onClose,
}: {
  view: RuleView | null;
  /** What a new one begins with. */
  template?: Partial<RuleDraft>;
  onClose: () => void;
}) {
  const { t } = useTranslation("policies");
  const [draft, setDraft] = useState(() => ({ ...draftOf(view?.rule ?? null), ...template }));
  const { busy, error, run } = useCommand({ failure: "shown" });
  const sound = isComplete(draft);
  const everything = sound && allowsEverything(draft);

  const save = async () => {
    if (!sound || busy) return;
    const saved = await run("save_rule", { id: view?.id ?? null, rule: inputOf(draft, Date.now()) });
    if (saved !== undefined) onClose();
  };

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} size="l" bare title={t(view === null ? "form.new" : "form.change")}>
      <form
        className="flex min-h-0 flex-1 flex-col"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <DialogBody>
          <RuleForm draft={draft} onChange={setDraft} />
          <div className="mt-4 flex flex-col gap-3">
            {sound && <Simulated id={view?.id ?? null} rule={inputOf(draft, 0)} pinned={view !== null && view.pinned > 0} />}
            {everything && <ErrorNotice title={t("form.everything")} why={t("form.everythingText")} />}
            {error !== null && <ErrorNotice answers title={t("form.failed")} {...errorWords(error)} />}
          </div>
        </DialogBody>
        <DialogFooter>
          <span className="flex-1" />
          <Button onClick={onClose}>{t("cancel", { ns: "common" })}</Button>
          <Button type="submit" look={everything ? "primaryDanger" : "primary"} busy={busy} disabled={!sound}>
            {t("form.save")}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
