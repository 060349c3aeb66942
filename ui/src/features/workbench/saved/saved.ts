// The person's saved calls and favourites: running, removing and marking them.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import type { SavedCall } from "@/ipc/bindings/SavedCall";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { savedCalls } from "@/ipc/queries";
import { takeSavedCall, useAskedSavedCall } from "@/lib/saved-calls";
import { toast } from "@/lib/toasts";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";
import { fillIn, runOrFillIn } from "../begin";
import type { Target } from "../target";
import { isConnected } from "../tree/tree-rows";
import { sealArguments, useVariables } from "../variables/variables";

export const targetOf = ({ kind, item }: SavedCall): Target => ({ kind, name: item });

/** Whether a saved call belongs to this item. */
export const isOf = (call: SavedCall, server: number, { kind, name }: Target): boolean =>
  call.serverId === server && call.kind === kind && call.item === name;

const requestOf = (call: SavedCall, { id, name }: ServerView) => ({ server: { id, name }, target: targetOf(call), args: call.arguments });

/** Restores a saved call in the form. */
export function fillInSaved(call: SavedCall, server: ServerView): void {
  fillIn(requestOf(call, server), call.withheld);
}

/** Runs a saved call. If its server isn't connected or something wasn't saved, only restores it in the form. */
export function useRunSaved(): (call: SavedCall, server: ServerView) => void {
  const client = useQueryClient();
  const variables = useVariables();
  return (call, server) => {
    fillInSaved(call, server);
    const request = requestOf(call, server);
    if (isConnected(server.state) && call.withheld.length === 0)
      void runOrFillIn(client, { ...request, ...sealArguments(request.args, variables) }, []);
  };
}

/** Runs the saved call that was requested elsewhere. */
export function useRunAsked(servers: readonly ServerView[]): void {
  const asked = useAskedSavedCall();
  const { data: saved } = useQuery(savedCalls());
  const run = useRunSaved();
  useEffect(() => {
    if (asked === undefined || saved === undefined) return;
    const id = takeSavedCall();
    const call = saved.find((item) => item.id === id);
    const server = servers.find((item) => item.id === call?.serverId);
    if (call !== undefined && server !== undefined) run(call, server);
  });
}

/** Removes a saved call or a favourite, with an undo. */
export function useRemoveSaved(): (call: SavedCall) => void {
  const { t } = useTranslation("workbench");
  const { run } = useCommand();
  return ({ id, name, item }) =>
    void run(
      "remove_saved_call",
      { id },
      {
        done: () =>
          void toast({
            text: name === null ? t("favourite.removed", { name: visibleLine(item) }) : t("saved.removed", { name }),
            undo: () => void run("restore_saved_call", { id }),
          }),
      },
    );
}

/** Whether an item is a favourite, and a function to toggle that. */
export function useFavourite(server: number, target: Target): { favourite: boolean; toggle: () => void } {
  const { data: saved = [] } = useQuery(savedCalls());
  const { run } = useCommand();
  const remove = useRemoveSaved();
  const mine = saved.find((call) => call.name === null && isOf(call, server, target));
  const add = () =>
    void run("save_call", { call: { serverId: server, kind: target.kind, item: target.name, name: null, arguments: "{}" } });
  return { favourite: mine !== undefined, toggle: () => (mine === undefined ? add() : remove(mine)) };
}
