// Applies an action to several servers: each one that it fits, with one message and one undo.
import { useTranslation } from "react-i18next";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { IpcError } from "@/ipc/bridge";
import { errorText } from "@/lib/error-text";
import { formatList } from "@/lib/format";
import { betweenSentences } from "@/lib/sentence";
import { toast } from "@/lib/toasts";
import { quotedLine, visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";
import { running, useFailureText } from "./actions";

export const verbs = ["start", "stop", "restart", "remove"] as const;
export type Verb = (typeof verbs)[number];

const commands = { start: "start_server", stop: "stop_server", restart: "restart_server", remove: "remove_server" } as const;
/** The command that undoes an action. A restart can't be undone. */
const undoes = { start: "stop_server", stop: "start_server", restart: null, remove: "restore_server" } as const;

/** How many names a message lists for the same error. */
const NAMES = 6;

/** The servers that the action applies to. */
export function fitting(verb: Verb, servers: readonly ServerView[]): readonly ServerView[] {
  if (verb === "remove") return servers;
  return servers.filter((server) => running(server) === (verb !== "start"));
}

interface Failed {
  readonly server: ServerView;
  readonly error: IpcError;
}

interface Then {
  /** Called after the action on this server. */
  readonly done: (server: ServerView) => void;
  /** Called after it was undone for these, if this screen is still open. */
  readonly back: (ids: readonly number[]) => void;
}

export function useSeveral() {
  const { t, i18n } = useTranslation(["servers", "trust"]);
  const { busy, run } = useCommand({ failure: "shown" });
  const undoing = useCommand({ failure: useFailureText() });

  const namesOf = (servers: readonly ServerView[]) => {
    const names = servers.slice(0, NAMES).map(({ name }) => quotedLine(name));
    const rest = servers.length - names.length;
    return formatList(rest > 0 ? [...names, t("trust:banner.more", { count: rest })] : names, i18n.language);
  };

  /** Shows what was done, and for failures the names and reasons, grouped by reason. */
  const say = (verb: Verb, done: readonly ServerView[], failed: readonly Failed[], undo?: () => void) => {
    const [first] = done;
    const parts = [
      first &&
        (done.length === 1
          ? t(`several.one.${verb}`, { name: visibleLine(first.name) })
          : t(`several.done.${verb}`, { count: done.length })),
      ...[...Map.groupBy(failed, ({ error }) => errorText(error))].map(
        ([reason, of]) =>
          `${t(`several.failed.${verb}`, { list: namesOf(of.map(({ server }) => server)) })}${betweenSentences(i18n.language)}${reason}`,
      ),
    ].filter((part) => part !== undefined);
    // If another part follows, the first one is a sentence.
    const text = parts.length > 1 && first ? [`${parts[0]}${t("several.stop")}`, ...parts.slice(1)] : parts;
    toast({
      text: text.join(betweenSentences(i18n.language)),
      ...(failed.length > 0 && { tone: "bad" as const }),
      ...(undo && first && { undo }),
    });
  };

  /** Runs the action for all servers in parallel. Returns those that failed. */
  const act = async (verb: Verb, servers: readonly ServerView[], then?: Then): Promise<readonly ServerView[]> => {
    const done: ServerView[] = [];
    const failed: Failed[] = [];
    await Promise.all(
      servers.map((server) =>
        run(
          commands[verb],
          { id: server.id },
          {
            done: () => {
              done.push(server);
              then?.done(server);
            },
            failed: (error) => void failed.push({ server, error }),
          },
        ),
      ),
    );
    const undone = undoes[verb];
    const undo = async (command: NonNullable<typeof undone>) => {
      const ids = await Promise.all(done.map(async ({ id }) => ((await undoing.run(command, { id })) === undefined ? [] : [id])));
      then?.back(ids.flat());
    };
    say(verb, done, failed, undone === null ? undefined : () => void undo(undone));
    return failed.map(({ server }) => server);
  };

  return { busy, act };
}
