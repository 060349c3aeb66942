// Takes back what remembers an answer: a rule, what stands for a model, or what a server may know of folders.
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
    /** Without a word: who undoes sees that it is undone. */
    undo: (remembered: RememberedBy) => revoke(run, remembered),
    /** With the way back, where there is one: a rule comes back as it was. */
    forget: (remembered: RememberedBy) =>
      revoke(run, remembered, () => {
        const undo = remembered.by === "rule" && (() => void run("restore_rule", { id: remembered.id }));
        toast({ text: t("decisions.forgotten"), ...(undo && { undo }) });
      }),
  };
}
