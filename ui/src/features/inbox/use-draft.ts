// Keeps what was entered at the host, a moment after the last change and when the person goes elsewhere.
import { useEffect, useEffectEvent, useRef } from "react";
import { call } from "@/ipc/bridge";

const RESTS_MS = 500;

export function useDraft(id: number, draft: string, live: boolean): void {
  /** What the host has, or began with; and what is entered now. */
  const kept = useRef(draft);
  const entered = useRef(draft);
  const keep = useEffectEvent(() => {
    const now = entered.current;
    if (!live || kept.current === now) return;
    kept.current = now;
    // A question that was answered meanwhile keeps no draft; nothing is lost by it.
    call("save_draft", { id, draft: now }).catch(() => undefined);
  });
  useEffect(() => {
    entered.current = draft;
    const timer = setTimeout(() => keep(), RESTS_MS);
    return () => clearTimeout(timer);
  }, [draft]);
  useEffect(() => () => keep(), []);
}
