// The open reviews of all servers, and their approval, which can be undone.
import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { uses } from "@/lib/app-standing";
import type { AppView } from "@/ipc/bindings/AppView";
import type { PinView } from "@/ipc/bindings/PinView";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { ToolHints } from "@/ipc/bindings/ToolHints";
import type { TrustView } from "@/ipc/bindings/TrustView";
import type { IpcError } from "@/ipc/bridge";
import { apps, servers, trust } from "@/ipc/queries";
import { errorText } from "./error-text";
import { formatList } from "./format";
import { type JsonMember, membersOf, rootOf, unlessBroken } from "./json-scan";
import { toast } from "./toasts";
import { readHints } from "./tool-claims";
import { quotedLine } from "./untrusted";
import { useCommand } from "./use-command";

/** An item of a server, or its command or URL. */
export interface Reviewable {
  readonly server: ServerView;
  readonly pin: PinView;
  /** The server's claims about a tool's effects. */
  readonly hints: ToolHints;
}

type Approvable = Pick<Reviewable, "server" | "pin">;

/** Whether there is something to approve. */
export const isOpen = (pin: PinView): boolean => pin.state === "new" || pin.state === "changed";

/** Whether it can be approved together with others. Changed, hidden or truncated content is reviewed separately. */
export const isPlain = (pin: PinView): boolean => pin.state === "new" && pin.hidden.length === 0 && pin.whole === null;

const SILENT: ToolHints = { readOnly: null, destructive: null, idempotent: null, openWorld: null };

/** Cached claims of definitions, while they are shown. */
const hintsRead = new WeakMap<PinView, ToolHints>();

/** The claims about effects in a tool's definition, which is JSON text. */
function hintsOf(pin: PinView): ToolHints {
  const known = hintsRead.get(pin);
  if (known !== undefined) return known;
  const hints = readHintsOf(pin);
  hintsRead.set(pin, hints);
  return hints;
}

function readHintsOf({ kind, now }: PinView): ToolHints {
  if (kind !== "tool") return SILENT;
  const members: JsonMember[] = unlessBroken(() => [...membersOf(now, rootOf(now))], []);
  const annotations = members.find(({ key }) => key === "annotations");
  return annotations === undefined ? SILENT : readHints(now.slice(annotations.value.start, annotations.value.end));
}

/** Whether a server runs or would run. A server that the person stopped offers nothing. */
const offers = ({ state }: ServerView): boolean => state !== "stopped";

/** Whether it will be ready, or fail, without the person. */
export const isUnderWay = (state: ServerView["state"]): boolean => state === "starting" || state === "reconnecting";

/** Everything of servers that can be approved. Nothing is loaded unless `wanted`. */
export function useReviewables(wanted = true) {
  const list = useQuery({ ...servers(), enabled: wanted });
  const offering = (list.data ?? []).filter(offers);
  const reads = useQueries({ queries: offering.map(({ id }) => ({ ...trust(id), enabled: wanted })) });
  const items = offering.flatMap((server, index): Reviewable[] => {
    const data = reads[index]?.data;
    if (!data) return [];
    // A new definition is what the person has just entered.
    const pins = data.definition.state === "changed" ? [data.definition, ...data.items] : data.items;
    return pins.filter((pin) => pin.state !== "gone").map((pin) => ({ server, pin, hints: hintsOf(pin) }));
  });
  return {
    items,
    /** The servers that may offer more than is known now. */
    unread: offering.filter(
      ({ state, toolCount }, index) => isUnderWay(state) || (state === "ready" && (toolCount === null || reads[index]?.isFetching)),
    ),
    pending: list.isPending || reads.some((read) => read.isPending),
    error: list.error ?? reads.find((read) => read.error !== null)?.error ?? null,
    again: () => void Promise.all([list.refetch(), ...reads.map((read) => read.refetch())]),
  };
}

/** How many items wait for a review, of servers that offer something. */
export const waitingIn = (list: readonly ServerView[]): number =>
  list.filter(offers).reduce((sum, { review }) => sum + review.new + review.changed + (review.blocked ? 1 : 0), 0);

/** Whether the person's settings hide it from the app. */
export const isOffFor = (app: Pick<AppView, "seesPrompts" | "seesResources" | "off">, { server, pin }: Approvable): boolean =>
  (!app.seesPrompts && pin.kind === "prompt") ||
  (!app.seesResources && pin.kind === "template") ||
  app.off.some((off) => off.server === server.id && (off.tool === null || (pin.kind === "tool" && off.tool === pin.name)));

/** How many tools apps gain, and which app gains the most. The app connected last is first. */
function gainOf(approved: readonly Approvable[], list: readonly AppView[]) {
  const tools = approved.filter(({ server, pin }) => pin.kind === "tool" && pin.forApps?.leftOut !== true && offers(server));
  const using = list.filter(uses).toSorted((one, other) => (other.connectedAt ?? 0) - (one.connectedAt ?? 0));
  const gains = using.map((app) => ({ app, count: tools.filter((tool) => !isOffFor(app, tool)).length }));
  const count = Math.max(0, ...gains.map((gain) => gain.count));
  return { count, apps: gains.filter((gain) => gain.count === count).map(({ app }) => quotedLine(app.title)) };
}

/** Approves items of several servers, with a message and undo. */
export function useApprovals() {
  const { t, i18n } = useTranslation("trust");
  const client = useQueryClient();
  const { busy, error, run } = useCommand({ failure: "shown", vault: true });
  const undoing = useCommand({ vault: true });
  /** Resolves to whether all of it was approved. It continues if the person leaves. */
  const approve = async (items: readonly Approvable[]): Promise<boolean> => {
    const given = [...Map.groupBy(items, ({ server }) => server.id)].map(([server, of]) => ({ server, approvals: approvalsOf(of) }));
    const done: typeof given = [];
    for (const one of given) {
      let approved = false;
      const took = (view: TrustView) => {
        approved = true;
        client.setQueryData(trust(one.server).queryKey, view);
      };
      // oxlint-disable-next-line no-await-in-loop -- One after the other: each may ask for the vault.
      await run("approve_trust", one, { done: took, failed: said });
      if (!approved) break;
      done.push(one);
    }
    const undone = done
      .map(({ server, approvals }) => ({ server, approvals: approvals.filter(({ kind }) => kind !== "server") }))
      .filter(({ approvals }) => approvals.length > 0);
    const approved = items.filter((item) => done.some(({ server }) => server === item.server.id));
    if (approved.length > 0) {
      const gain = gainOf(approved, await client.fetchQuery(apps()).catch(() => []));
      toast({
        text:
          gain.count > 0
            ? t("gained", { count: gain.count, apps: formatList(gain.apps, i18n.language) })
            : t("approved", { count: approved.length }),
        ...(undone.length > 0 ? { undo: () => undone.forEach((back) => void undoing.run("withdraw_trust", back)) } : {}),
      });
    }
    return done.length === given.length;
  };
  return { busy, error, approve };
}

const approvalsOf = (items: readonly Approvable[]) => items.map(({ pin: { kind, name, hash } }) => ({ kind, name, hash }));

/** A failure that the calling component doesn't show itself. */
const said = (error: IpcError) => {
  if (error.code !== "definition_changed") toast({ text: errorText(error), tone: "bad" });
};
