import { TriangleAlert } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog, DialogBody, DialogFooter } from "@/components/dialog";
import { ErrorNotice } from "@/components/error-notice";
import { Icon } from "@/components/icon";
import type { RuleView } from "@/ipc/bindings/RuleView";
import { errorWords } from "@/lib/error-text";
import { useCommand } from "@/lib/use-command";
import { allowsEverything, draftOf, inputOf, isComplete, type RuleDraft } from "./draft";
import { RuleForm } from "./rule-form";
import { Simulated } from "./simulated";

/** Creates or changes a rule. Shows its simulation before it is saved. */
export function RuleDialog({
  view,
  template,
  onClose,
}: {
  view: RuleView | null;
  /** The initial values of a new rule. */
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
            {error !== null && <ErrorNotice answers title={t("form.failed")} {...errorWords(error)} />}
          </div>
        </DialogBody>
        {everything && <EverythingNotice />}
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

/** The warning about the most dangerous rule, above the buttons and always visible. */
function EverythingNotice() {
  const { t } = useTranslation("policies");
  return (
    <div role="alert" className="flex shrink-0 gap-2 border-t border-line bg-bad-soft px-5 py-2.5">
      <Icon of={TriangleAlert} className="mt-0.75 shrink-0 text-bad" />
      <div className="min-w-0">
        <p className="m-0 font-[580] text-bad">{t("form.everything")}</p>
        <p className="m-0 text-fg-2">{t("form.everythingText")}</p>
      </div>
    </div>
  );
}
