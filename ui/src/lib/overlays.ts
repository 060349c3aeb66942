// The open overlay of the window. Only one at a time, so that Esc always closes the visible one.
import { useSyncExternalStore } from "react";

/** `vault`: the available actions. `vault_key`: another key or place. `vault_over`: starting over. */
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

/** Asks to open the vault, and then calls `then`. Dropped if the person does something else. */
export function showVault(then: () => void): void {
  showOverlay("vault");
  afterVault = then;
}

/** Called when the vault was opened: closes the dialog and runs what waited. */
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
