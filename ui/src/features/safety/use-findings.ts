// All current findings about servers, rules and apps.
import { queryOptions, useQueries, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useUsage } from "@/features/servers/list/use-usage";
import type { LogFilter } from "@/ipc/bindings/LogFilter";
import { call } from "@/ipc/bridge";
import { apps, commandReview, rules, servers, toolAccess, trust } from "@/ipc/queries";
import { useReviewables } from "@/lib/approvals";
import { useNow } from "@/lib/use-now";
import {
  allowsAll,
  allowsDeleting,
  changed,
  type Finding,
  ofApp,
  plainHttp,
  plainSecrets,
  secretArguments,
  unpinned,
  unreviewed,
  unused,
} from "./findings";

const everything: LogFilter = {
  source: null,
  serverId: null,
  app: null,
  call: null,
  kinds: [],
  direction: null,
  method: null,
  statuses: [],
  minDurationUs: null,
  text: null,
};

/** The time of the oldest event in the log, in milliseconds since the Unix epoch. Null if there is none. */
const logSince = () =>
  queryOptions({
    queryKey: ["log_since"],
    queryFn: async () => {
      const { rows } = await call("log_page", { filter: everything, before: null, after: 0, limit: 1 });
      return rows[0] === undefined ? null : rows[0].at / 1_000;
    },
    staleTime: 60_000,
  });

const MINUTE = 60_000;

export interface Findings {
  readonly findings: readonly Finding[];
  /** Whether some checks are still running. */
  readonly pending: boolean;
  /** Whether all checks have run once. */
  readonly complete: boolean;
  /** Why some checks failed. */
  readonly error: Error | null;
  /** How many servers have unknown tools because they aren't connected. */
  readonly unconnected: number;
  readonly again: () => void;
}

export function useFindings(): Findings {
  const now = useNow(MINUTE);
  const listed = useQuery(servers());
  const known = useQuery(rules());
  const using = useQuery(apps());
  const since = useQuery(logSince());
  const list = listed.data ?? [];
  const local = list.filter(({ transport }) => transport === "stdio");
  const connected = list.filter(({ toolCount }) => toolCount !== null);
  const notes = useQueries({ queries: local.map(({ command, args, env }) => commandReview(command ?? "", args, Object.keys(env))) });
  const access = useQueries({ queries: connected.map(({ id }) => toolAccess(id)) });
  const approvals = useQueries({ queries: list.map(({ id }) => trust(id)) });
  const { items, pending, error, again } = useReviewables();
  const usageOf = useUsage(list);

  const notesOf = (id: number) => notes[local.findIndex((server) => server.id === id)]?.data ?? [];
  const accesses = connected.flatMap((server, index) => {
    const tools = access[index]?.data;
    return tools === undefined ? [] : [{ server, tools }];
  });
  const findings = [
    ...list.flatMap((server, index) => [
      ...plainSecrets(server),
      ...secretArguments(server, notesOf(server.id), approvals[index]?.data),
      ...plainHttp(server),
      ...unpinned(server, notesOf(server.id)),
      ...changed(server, approvals[index]?.data),
      ...unused(
        server,
        { lastUsed: usageOf(server.id).lastUsed, approvedAt: approvals[index]?.data?.definition.approvedAt ?? null },
        since.data ?? null,
        now,
      ),
    ]),
    ...allowsAll(known.data ?? [], now),
    ...allowsDeleting(accesses, items, known.data ?? []),
    ...(using.data ?? []).flatMap((app) => ofApp(app, items)),
    ...unreviewed(items),
  ];
  const reads = [listed, known, using, since, ...notes, ...access, ...approvals];
  const isPending = pending || reads.some((read) => read.isPending);
  const [complete, setComplete] = useState(false);
  if (!isPending && !complete) setComplete(true);
  return {
    findings,
    pending: isPending,
    complete,
    error: error ?? reads.find((read) => read.error !== null)?.error ?? null,
    unconnected: list.length - connected.length,
    again: () => {
      again();
      for (const read of reads) if (read.error !== null) void read.refetch();
    },
  };
}
