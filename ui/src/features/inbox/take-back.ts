// Takes back what remembers an answer: a rule, what stands for a model, or what a server may know of folders.
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { RememberedBy } from "@/ipc/bindings/RememberedBy";
import { call } from "@/ipc/bridge";
import { decisions, models, roots } from "@/ipc/queries";
import { errorText } from "@/lib/error-text";
import { toast } from "@/lib/toasts";

function forget(remembered: RememberedBy): Promise<unknown> {
  switch (remembered.by) {
    case "rule":
      return call("remove_rule", { id: remembered.id });
    case "model":
      return call("forget_sampling", { id: remembered.id });
    case "folders":
      return call("forget_roots_answer", { server: remembered.server, answer: remembered.answer });
  }
}

export function useTakeBack() {
  const { t } = useTranslation(["inbox", "common"]);
  const client = useQueryClient();
  const attempt = async (work: () => Promise<unknown>, done?: () => void): Promise<void> => {
    try {
      await work();
      done?.();
    } catch (error) {
      toast({ text: errorText(error), tone: "bad" });
    } finally {
      const changed = [decisions(1).queryKey.slice(0, 1), ["rules"], models().queryKey, roots().queryKey];
      for (const queryKey of changed) void client.invalidateQueries({ queryKey });
    }
  };
  return {
    /** Without a word: who undoes sees that it is undone. */
    undo: (remembered: RememberedBy) => attempt(() => forget(remembered)),
    /** With the way back, where there is one: a rule comes back as it was. */
    forget: (remembered: RememberedBy) =>
      attempt(
        () => forget(remembered),
        () => {
          const restore = remembered.by === "rule" ? () => void attempt(() => call("restore_rule", { id: remembered.id })) : null;
          toast({ text: t("decisions.forgotten"), ...(restore && { action: { label: t("common:undo"), run: restore } }) });
        },
      ),
  };
}
