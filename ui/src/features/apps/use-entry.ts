// Mooring's entry for an app: without a key, or with a new one that isn't shown again.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { AppSnippetFormat } from "@/ipc/bindings/AppSnippetFormat";
import type { IpcError } from "@/ipc/bridge";
import { appSnippet } from "@/ipc/queries";
import { useCommand } from "@/lib/use-command";

export interface Entry {
  readonly format: AppSnippetFormat;
  readonly setFormat: (format: AppSnippetFormat) => void;
  readonly text: string | undefined;
  /** Whether the text has a key. */
  readonly keyed: boolean;
  /** Why there is no entry. */
  readonly unread: Error | null;
  /** Why no key was created. */
  readonly notMade: IpcError | null;
  readonly busy: boolean;
  /** Creates a key, and the text with it. */
  readonly create: () => void;
  /** Removes the text with the key. */
  readonly finish: () => void;
}

export function useEntry(id: string): Entry {
  const [format, setFormat] = useState<AppSnippetFormat>("json");
  const [made, setMade] = useState<{ id: string; text: string } | null>(null);
  const query = useQuery({ ...appSnippet(id, format), placeholderData: (before) => before });
  const { busy, error, run, clear } = useCommand({ failure: "shown", vault: true });
  /** The app of the last failure. */
  const [tried, setTried] = useState(id);
  const keyed = made !== null && made.id === id;
  return {
    format,
    setFormat,
    text: keyed ? made.text : query.data,
    keyed,
    unread: query.error,
    notMade: tried === id ? error : null,
    busy,
    create: () => {
      setTried(id);
      void run("create_app_entry", { id, format }, { done: (text) => setMade({ id, text }) });
    },
    finish: () => {
      setMade(null);
      clear();
    },
  };
}
