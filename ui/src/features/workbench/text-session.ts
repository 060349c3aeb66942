// A resource, template or prompt in the Workbench: its values, missing ones, and requesting it.
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { gapsOf, type TextFieldSpec, textFieldId } from "./args/text-form";
import { argumentsText, revealGaps, type Texts, useTexts } from "./args/texts";
import { runOrFillIn } from "./begin";
import { cancelRun, type Run, useRuns } from "./runs";
import { showTab } from "./selection";
import type { Target } from "./target";
import { isConnected } from "./tree/tree-rows";
import { sealArguments, useVariables, type Variable } from "./variables/variables";

export interface TextSession {
  readonly values: Texts;
  /** The missing values, after an attempt. */
  readonly missing: readonly string[];
  readonly running: Run | undefined;
  readonly connected: boolean;
  /** Requests it. If values are missing, shows them first, unless `anyway` is set. */
  readonly run: (anyway?: boolean) => void;
  readonly cancel: () => void;
}

export function useTextSession(server: ServerView, target: Target, fields: readonly TextFieldSpec[]): TextSession {
  const { values, revealed } = useTexts(server.id, target);
  const client = useQueryClient();
  const variables = useVariables();
  const running = useRuns(server.id, target).find((run) => run.state !== "done");
  const connected = isConnected(server.state);
  const gaps = gapsOf(fields, values);
  const run = (anyway = false) => {
    if (!connected || running !== undefined) return;
    if (gaps.length > 0 && !anyway) {
      revealGaps(server.id, target);
      showTab("arguments");
      focusText(target, gaps[0]);
      return;
    }
    void send(
      client,
      server,
      target,
      values,
      fields.map((field) => field.name),
      variables,
    );
  };
  return { values, missing: revealed ? gaps : [], running, connected, run, cancel: () => running && cancelRun(running.id) };
}

function send(
  client: QueryClient,
  { id, name }: ServerView,
  target: Target,
  values: Texts,
  names: readonly string[],
  variables: readonly Variable[],
): Promise<void> {
  return runOrFillIn(client, { server: { id, name }, target, ...sealArguments(argumentsText(values, names), variables) }, []);
}

/** Focuses the field of a value. */
export function focusText(target: Target, name: string | undefined): void {
  if (name === undefined) return;
  // After the missing values are drawn.
  setTimeout(() => {
    const box = document.getElementById(textFieldId(target, name));
    box?.scrollIntoView({ block: "center" });
    box?.focus();
  }, 60);
}
