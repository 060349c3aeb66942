// Saves entered values at the host, a moment after the last change and when the person leaves.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef } from "react";
import { call } from "@/ipc/bridge";
import { inbox } from "@/ipc/queries";

const RESTS_MS = 500;

export function useDraft(id: number, draft: string, live: boolean): void {
  const client = useQueryClient();
  /** The saved or initial draft, and the current one. */
  const kept = useRef(draft);
  const entered = useRef(draft);
  const keep = useEffectEvent(() => {
    const now = entered.current;
    if (!live || kept.current === now) return;
    kept.current = now;
    // The host doesn't announce drafts, so update the question here for the next time it is opened.
    const know = () =>
      client.setQueryData(
        inbox().queryKey,
        (known) => known && { ...known, waiting: known.waiting.map((item) => (item.id === id ? { ...item, draft: now } : item)) },
      );
    know();
    // Again, in case the list was read in between. An answered question has no draft any more, which is fine.
    call("save_draft", { id, draft: now }).then(
      () => kept.current === now && know(),
      () => undefined,
    );
  });
  useEffect(() => {
    entered.current = draft;
    const timer = setTimeout(() => keep(), RESTS_MS);
    return () => clearTimeout(timer);
  }, [draft]);
  useEffect(() => () => keep(), []);
}
