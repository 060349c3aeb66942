// Actions on a tool: open it, run it with arguments, copy its command, and allow or deny it.
import { useQuery } from "@tanstack/react-query";
import { CircleCheck, CircleSlash, Copy, FlaskConical, MessageCircleQuestion, Play } from "lucide-react";
import { useTranslation } from "react-i18next";
import { isSettled, useToolSwitch } from "@/features/servers/tools/use-tool-switch";
import { commandLine } from "@/features/workbench/command-line";
import type { RuleEffect } from "@/ipc/bindings/RuleEffect";
import { toolAccess } from "@/ipc/queries";
import { toast } from "@/lib/toasts";
import { simpleArguments } from "./arguments";
import type { Entry } from "./entry";

const effects = [
  ["allow", CircleCheck],
  ["ask", MessageCircleQuestion],
  ["deny", CircleSlash],
] as const satisfies readonly (readonly [RuleEffect, unknown])[];

/** Empty if no tool is chosen. */
export function useToolEntries(entry: Entry | null): Entry[] {
  const { t } = useTranslation("palette");
  const of = entry?.tool;
  const server = of?.server.id ?? 0;
  const { data: known = [] } = useQuery({ ...toolAccess(server), enabled: of !== undefined });
  const set = useToolSwitch(server);
  if (entry === null || of === undefined) return [];
  const { tool } = of;
  const access = known.find((one) => one.tool === tool.name);
  const args = simpleArguments(tool.inputSchema);
  const action = (
    name: "open" | "runWith" | "copy" | RuleEffect,
    icon: Entry["icon"],
    run: () => void,
    rest: Partial<Entry> = {},
  ): Entry => ({ id: `${entry.id}:${name}`, group: "action", title: t(`tool.${name}`), also: [name], icon, offered: true, run, ...rest });
  const copy = async () => {
    await navigator.clipboard.writeText(commandLine(of.server.name, { kind: "tool", name: tool.name }, "{}"));
    toast({ text: t("tool.copied") });
  };
  return [
    ...(args === null ? [] : [action("runWith", Play, () => undefined, { tool: of, asks: true })]),
    action("open", FlaskConical, entry.run),
    action("copy", Copy, () => void copy()),
    ...(access === undefined || isSettled(access)
      ? []
      : effects.map(([effect, icon]) => action(effect, icon, () => set(access, effect), { current: access.effect === effect }))),
  ];
}
