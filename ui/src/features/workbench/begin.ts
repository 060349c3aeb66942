// Starts a call and shows it, or restores its arguments if some of them weren't saved.
import type { QueryClient } from "@tanstack/react-query";
import i18next from "i18next";
import { expansion } from "@/ipc/queries";
import { errorText } from "@/lib/error-text";
import { toast } from "@/lib/toasts";
import { restoreArguments } from "./args/drafts";
import { recordOf, restoreTexts, textsOf } from "./args/texts";
import { setWithheld } from "./args/withheld";
import { keepCall } from "./open-calls";
import { type Run, type RunRequest, startRun } from "./runs";
import { followLatest, showTab } from "./selection";
import { escapeArguments, sealArguments, type Variable } from "./variables/variables";

export function begin(request: RunRequest): void {
  setWithheld(request.server.id, request.target, []);
  keepCall(request.server.id, request.target, false);
  startRun(request);
  followLatest(request.server.id, request.target);
  showTab("result");
}

/** Restores arguments in the form. `withheld` are those that weren't saved. */
export function fillIn({ server, target, args }: RunRequest, withheld: readonly string[] = []): void {
  if (target.kind === "tool") restoreArguments(server.id, target.name, args);
  else restoreTexts(server.id, target, args);
  setWithheld(server.id, target, withheld);
  keepCall(server.id, target, true);
  showTab("arguments");
}

/** The arguments of a call as written in the form. */
export const formArguments = ({ args, typed }: Pick<Run, "args" | "typed">): string => typed ?? escapeArguments(args);

/** Repeats a call with the current values of its secrets. */
export function runAgain(client: QueryClient, server: RunRequest["server"], run: Run, variables: readonly Variable[]): Promise<void> {
  const { target, args, typed, uri, logged } = run;
  const sent = typed === undefined ? { args } : sealArguments(typed, variables);
  return runOrFillIn(client, { server, target, uri, ...sent }, logged?.withheld ?? []);
}

/** Runs a call with the arguments that were sent. Arguments that weren't saved must be entered first. */
export async function runOrFillIn(client: QueryClient, request: RunRequest, withheld: readonly string[]): Promise<void> {
  const { server, target, args, uri, sealed = [] } = request;
  if (withheld.length > 0) return fillIn({ ...request, args: escapeArguments(args) }, withheld);
  if (target.kind !== "template" || uri != null) return begin(request);
  // URIs are shown, and are in other programs' logs.
  if (sealed.length > 0) return void toast({ tone: "bad", text: i18next.t("variables.noAddress", { ns: "workbench" }) });
  try {
    begin({ server, target, args, uri: await client.fetchQuery(expansion(target.name, recordOf(textsOf(args) ?? new Map()))) });
  } catch (error) {
    toast({ tone: "bad", text: errorText(error) });
  }
}
