// Undoes a remembered answer: a rule, an approval for a model, or shared folders.
import { useTranslation } from "react-i18next";
import type { RememberedBy } from "@/ipc/bindings/RememberedBy";
import { toast } from "@/lib/toasts";
import { type Run, useCommand } from "@/lib/use-command";

function revoke(run: Run, remembered: RememberedBy, done: () => void = () => undefined): Promise<unknown> {
  switch (remembered.by) {
    case "rule":
      return run("remove_rule", { id: remembered.id }, { done });
    case "model":
      return run("forget_sampling", { id: remembered.id }, { done });
    case "folders":
      return run("forget_roots_answer", { server: remembered.server, answer: remembered.answer }, { done });
  }
}

export function useTakeBack() {
  const { t } = useTranslation(["inbox", "common"]);
  const { run } = useCommand();
  return {
    /** Without a message, because the person sees the result. */
    undo: (remembered: RememberedBy) => revoke(run, remembered),
    /** With a message that can undo it, if possible: a rule can be restored. */
    forget: (remembered: RememberedBy) =>
      revoke(run, remembered, () => {
        const undo = remembered.by === "rule" && (() => void run("restore_rule", { id: remembered.id }));
        toast({ text: t("decisions.forgotten"), ...(undo && { undo }) });
      }),
  };
}
