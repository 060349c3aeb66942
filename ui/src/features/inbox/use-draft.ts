// Keeps what was entered at the host, a moment after the last change and when the person goes elsewhere.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef } from "react";
import { call } from "@/ipc/bridge";
import { inbox } from "@/ipc/queries";

const RESTS_MS = 500;

export function useDraft(id: number, draft: string, live: boolean): void {
  const client = useQueryClient();
  /** What the host has, or began with; and what is entered now. */
  const kept = useRef(draft);
  const entered = useRef(draft);
  const keep = useEffectEvent(() => {
    const now = entered.current;
    if (!live || kept.current === now) return;
    kept.current = now;
    // The host tells nobody of a draft: the question that comes back begins with what is known here.
    const know = () =>
      client.setQueryData(
        inbox().queryKey,
        (known) => known && { ...known, waiting: known.waiting.map((item) => (item.id === id ? { ...item, draft: now } : item)) },
      );
    know();
    // Once more, should the list have been read between the two. A question that was answered meanwhile keeps no draft; nothing is lost by it.
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
