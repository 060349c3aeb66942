// Which window-wide overlay is open. One at a time, so that Esc always closes what is seen.
import { useSyncExternalStore } from "react";

/** `vault`: what can be done about it now; `vault_key`: another key or place for it; `vault_over`: starting over. */
export type Overlay = "palette" | "shortcuts" | "vault" | "vault_key" | "vault_over" | null;

let current: Overlay = null;
let afterVault: (() => void) | null = null;
const listeners = new Set<() => void>();

/** Opens an overlay, or closes the open one with null. */
export function showOverlay(next: Overlay): void {
  afterVault = null;
  if (next === current) return;
  current = next;
  for (const listener of listeners) listener();
}

/** Asks for what opens the vault; once it is open, `then` goes on. Dropped when the person does something else. */
export function showVault(then: () => void): void {
  showOverlay("vault");
  afterVault = then;
}

/** The vault was opened as it was asked for: closes the question and goes on with what waited. */
export function vaultOpened(): void {
  const next = afterVault;
  showOverlay(null);
  next?.();
}

/** The open overlay. */
export function useOverlay(): Overlay {
  return useSyncExternalStore(
    (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    () => current,
  );
}
