// Which tools of the servers an app gets, and why it doesn't get the others, counted in the same way everywhere.
import { useQueries, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { AppCost } from "@/ipc/bindings/AppCost";
import type { AppOff } from "@/ipc/bindings/AppOff";
import type { AppView } from "@/ipc/bindings/AppView";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { appCost, servers, tools, trust } from "@/ipc/queries";

/** `off`: turned off for this app. `leftOut`: unusable for any app. `waits`: not approved. */
export type ToolStanding = "got" | "off" | "leftOut" | "waits";

export interface AppTool {
  readonly name: string;
  /** The tokens of the tool. Null if not counted. */
  readonly tokens: number | null;
  readonly standing: ToolStanding;
}

/** A server, and its known tools. */
export interface AppServer {
  readonly server: ServerView;
  readonly on: boolean;
  readonly tools: readonly AppTool[];
  /** The tokens of the server and its instructions for this app. Null if it costs nothing. */
  readonly cost: AppCost["servers"][number] | null;
}

/** Whether its tools are known. */
export const offersNow = ({ state }: ServerView): boolean => state === "ready" || state === "degraded";

/** Whether a tool of a server, or without a tool the server, is turned off for an app. */
export const isOff = (off: readonly AppOff[], server: number, tool: string | null): boolean =>
  off.some((one) => one.server === server && one.tool === tool);

export function toolStanding({ approved, leftOut, off }: { approved: boolean; leftOut: boolean; off: boolean }): ToolStanding {
  if (!approved) return "waits";
  if (leftOut) return "leftOut";
  return off ? "off" : "got";
}

/** How many tools have each status. */
export function tally(found: readonly { standing: ToolStanding }[]): Record<ToolStanding, number> {
  const counts = { got: 0, off: 0, leftOut: 0, waits: 0 };
  for (const { standing } of found) counts[standing] += 1;
  return counts;
}

/** The text for how many tools an app doesn't get, and why. */
export function useLess() {
  const { t } = useTranslation("apps");
  return (counts: Record<ToolStanding, number>, of: readonly Exclude<ToolStanding, "got">[]): string[] =>
    of.filter((standing) => counts[standing] > 0).map((standing) => t(`counts.${standing}`, { count: counts[standing] }));
}

/** How many tools an app gets. Counted tools are approved and usable. */
export const gotIn = ({ off }: Pick<AppView, "off">, { servers: counted }: AppCost): number =>
  counted
    .filter(({ server }) => !isOff(off, server, null))
    .reduce((sum, { server, tools: found }) => sum + found.filter(({ name }) => !isOff(off, server, name)).length, 0);

/** The servers and their tools, as an app gets them. */
export function useAppTools({ id, off }: Pick<AppView, "id" | "off">) {
  const { data: saved = [], isPending } = useQuery(servers());
  const { data: cost, error } = useQuery(appCost(id));
  const running = saved.filter(offersNow);
  const lists = useQueries({ queries: running.map((server) => tools(server.id)) });
  const costOf = (server: number) => cost?.servers.find((one) => one.server === server) ?? null;
  // Something can only be left out if more tools are approved than apps get.
  const doubtful = cost ? running.filter((server) => server.review.approvedTools > (costOf(server.id)?.tools.length ?? 0)) : [];
  const reads = useQueries({ queries: doubtful.map((server) => trust(server.id)) });
  const isLeftOut = (server: number, tool: string) =>
    reads[doubtful.findIndex((one) => one.id === server)]?.data?.items.some(
      (pin) => pin.kind === "tool" && pin.name === tool && pin.state === "approved" && pin.forApps?.leftOut === true,
    ) === true;
  const found = saved.map((server): AppServer => {
    const on = !isOff(off, server.id, null);
    const ofServer = costOf(server.id);
    const costs = new Map(ofServer?.tools.map(({ name, tokens }) => [name, tokens]));
    const listed = lists[running.findIndex((one) => one.id === server.id)]?.data?.tools ?? [];
    const standing = (name: string) => {
      const leftOut = !costs.has(name) && isLeftOut(server.id, name);
      // Without a count, nothing is known about approvals.
      return toolStanding({ approved: !cost || leftOut || costs.has(name), leftOut, off: !on || isOff(off, server.id, name) });
    };
    const all = listed.map(({ name }) => ({ name, tokens: costs.get(name) ?? null, standing: standing(name) }));
    return { server, on, tools: all, cost: ofServer };
  });
  const pending = isPending || (cost === undefined && error === null) || lists.some((list) => list.isPending);
  return { found, cost, pending };
}
