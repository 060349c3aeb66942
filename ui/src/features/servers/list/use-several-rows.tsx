import { type ReactNode, useState } from "react";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { useShortcut } from "@/lib/shortcuts";
import { focusChosenRow } from "../focus";
import { fitting, useSeveral, type Verb } from "../several";
import { ApproveDialog } from "./approve-dialog";
import { SeveralBar } from "./several-bar";
import { type Picked, usePicked } from "./use-picked";

/** The element in which keys apply to the selection. */
export const ROWS = "[data-server-rows]";
const BAR = "[data-several]";
const isFocusIn = (part: string) => document.activeElement?.closest(part) != null;
/** Whether the focus is nowhere, because the focused element is gone. */
const isFocusNowhere = () => document.activeElement === null || document.activeElement === document.body;

interface SeveralRows {
  readonly picked: Picked;
  /** The bar below the list while something is selected, and its dialog. */
  readonly bar: ReactNode;
  /** Applies a key to the selection. False if nothing is selected or the focus is elsewhere. */
  readonly act: (verb: Verb | "toggle") => boolean;
}

/** Selects several servers of the list with the keyboard, and acts on them. */
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
  /** Whether the list is visible. */
  enabled: boolean;
  /** Called when one of these was removed. The others are about to be. */
  onGone: (server: ServerView, all: readonly ServerView[]) => void;
  /** Called when the server with open details was restored. */
  onBack: (id: number) => void;
}): SeveralRows {
  const picked = usePicked(shown, chosen?.id ?? null);
  const { busy, act } = useSeveral();
  const [approves, setApproves] = useState(false);
  const isAny = enabled && picked.servers.length > 0;
  // A later selection doesn't reopen the dialog.
  if (approves && !isAny) setApproves(false);

  const clear = () => {
    // The bar disappears, and the focus with it.
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
    // Servers that were selected meanwhile stay selected, and the focus only moves if it is still here.
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
