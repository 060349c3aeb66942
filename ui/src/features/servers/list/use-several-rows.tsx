import { type ReactNode, useState } from "react";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { useShortcut } from "@/lib/shortcuts";
import { focusChosenRow } from "../focus";
import { fitting, useSeveral, type Verb } from "../several";
import { ApproveDialog } from "./approve-dialog";
import { SeveralBar } from "./several-bar";
import { type Picked, usePicked } from "./use-picked";

/** Where keys mean the selection. */
export const ROWS = "[data-server-rows]";
const BAR = "[data-several]";
const isFocusIn = (part: string) => document.activeElement?.closest(part) != null;
/** Where the focus is once what had it is gone. */
const isFocusNowhere = () => document.activeElement === null || document.activeElement === document.body;

interface SeveralRows {
  readonly picked: Picked;
  /** What stands below the list while something is selected, and what asks before something is done. */
  readonly bar: ReactNode;
  /** Does with those that are selected what a key means for one server; false where it means that one: none are, or the focus is elsewhere. */
  readonly act: (verb: Verb | "toggle") => boolean;
}

/** Several servers of the list at a time: selecting them by keys, and what is done with them. */
export function useSeveralRows({
  shown,
  chosen,
  enabled,
  onGone,
  onBack,
}: {
  shown: readonly ServerView[];
  /** The server whose details are open. */
  chosen: ServerView | undefined;
  /** The list is in sight. */
  enabled: boolean;
  /** One of these was removed; the others are about to be. */
  onGone: (server: ServerView, all: readonly ServerView[]) => void;
  /** The one whose details were open was brought back. */
  onBack: (id: number) => void;
}): SeveralRows {
  const picked = usePicked(shown, chosen?.id ?? null);
  const { busy, act } = useSeveral();
  const [approves, setApproves] = useState(false);
  const isAny = enabled && picked.servers.length > 0;
  // What is selected later is not asked about by itself.
  if (approves && !isAny) setApproves(false);

  const clear = () => {
    // The bar goes, and the keyboard with it.
    if (isFocusIn(BAR)) focusChosenRow();
    picked.clear();
  };
  useShortcut("escape", clear, { enabled: isAny });
  useShortcut("mod+a", picked.all, { enabled: enabled && shown.length > 0, rests: true, within: ROWS });
  useShortcut("x", () => chosen && picked.toggle(chosen.id), { enabled, within: ROWS });
  useShortcut("space", () => chosen && picked.toggle(chosen.id), { enabled, within: ROWS });

  const run = async (verb: Verb) => {
    const servers = fitting(verb, picked.servers);
    const held = isFocusIn(BAR);
    const failed = await act(verb, servers, {
      done: (server) => verb === "remove" && onGone(server, servers),
      back: (restored) => verb === "remove" && chosen && restored.includes(chosen.id) && onBack(chosen.id),
    });
    // What was selected meanwhile stays so, and who went elsewhere stays there.
    picked.drop(picked.servers.filter((server) => !failed.includes(server)).map(({ id }) => id));
    if (held && (isFocusIn(BAR) || isFocusNowhere())) focusChosenRow();
  };

  return {
    picked,
    act: (verb) => {
      if (!isAny || !(isFocusIn(ROWS) || isFocusIn(BAR))) return false;
      if (!busy) void run(verb !== "toggle" ? verb : fitting("start", picked.servers).length > 0 ? "start" : "stop");
      return true;
    },
    bar: isAny && (
      <>
        <SeveralBar
          servers={picked.servers}
          busy={busy}
          onAct={(verb) => void run(verb)}
          onApprove={() => setApproves(true)}
          onClear={clear}
        />
        {approves && (
          <ApproveDialog
            servers={picked.servers}
            onDone={() => {
              setApproves(false);
              clear();
            }}
            onClose={() => setApproves(false)}
          />
        )}
      </>
    ),
  };
}
