// Switching one tool on, to ask, or off: a rule for this tool of this server, where the wider ones do not say so already.
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { RuleEffect } from "@/ipc/bindings/RuleEffect";
import type { ToolAccess } from "@/ipc/bindings/ToolAccess";
import { toolAccess } from "@/ipc/queries";
import { toast } from "@/lib/toasts";
import { patternOf } from "@/lib/tool-name";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";

/** Whether the tool can be switched: nothing that is for it alone allows what a wider rule denies. */
export const isSettled = ({ otherwise }: ToolAccess): boolean => otherwise === "deny";

export function useToolSwitch(server: number): (access: ToolAccess, effect: RuleEffect) => void {
  const { t } = useTranslation("servers");
  const client = useQueryClient();
  const { run } = useCommand();
  const { queryKey } = toolAccess(server);

  const change = async (access: ToolAccess, effect: RuleEffect) => {
    const shown = client.getQueryData(queryKey);
    client.setQueryData(queryKey, (now) => now?.map((item) => (item.tool === access.tool ? { ...item, effect } : item)));
    const { tool, own, otherwise } = access;
    const rule = { effect, server, tool: patternOf(tool), caller: null, destructiveOnly: false, arguments: [], expiresAt: null };
    // The new rule first: no call comes through between two of them.
    const made = effect === otherwise ? null : await run("save_rule", { id: null, rule });
    if (made === undefined) return void client.setQueryData(queryKey, shown);
    const removed: number[] = [];
    for (const id of own) if ((await run("remove_rule", { id })) !== undefined) removed.push(id);
    const undo = async () => {
      for (const id of removed) await run("restore_rule", { id });
      if (made !== null) await run("remove_rule", { id: made.id });
    };
    toast({ text: t(`tool.set.${effect}`, { tool: visibleLine(tool) }), undo: () => void undo() });
  };

  return (access, effect) => {
    if (access.effect !== effect && !isSettled(access)) void change(access, effect);
  };
}
