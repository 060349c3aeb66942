// Turns a tool on, to ask, or off: with a rule for this tool, unless wider rules already decide the same.
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { RuleEffect } from "@/ipc/bindings/RuleEffect";
import type { ToolAccess } from "@/ipc/bindings/ToolAccess";
import { toolAccess } from "@/ipc/queries";
import { toast } from "@/lib/toasts";
import { patternOf } from "@/lib/tool-name";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";

/** Whether the tool can't be switched, because its own rule can't allow what a wider rule denies. */
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
    // With callbacks, because it continues after its component is gone, such as the palette.
    const made: number[] = [];
    const removed: number[] = [];
    const back = () => void client.setQueryData(queryKey, shown);
    const needed = effect !== otherwise;
    // The new rule comes first, so that no call slips through in between.
    if (needed) await run("save_rule", { id: null, rule }, { done: ({ id }) => void made.push(id), failed: back });
    if (needed && made.length === 0) return;
    for (const id of own) await run("remove_rule", { id }, { done: () => void removed.push(id) });
    const undo = async () => {
      for (const id of removed) await run("restore_rule", { id });
      for (const id of made) await run("remove_rule", { id });
    };
    toast({ text: t(`tool.set.${effect}`, { tool: visibleLine(tool) }), undo: () => void undo() });
  };

  return (access, effect) => {
    if (access.effect !== effect && !isSettled(access)) void change(access, effect);
  };
}
