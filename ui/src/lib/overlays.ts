// The open overlay of the window. Only one at a time, so that Esc always closes the visible one.
import { useSyncExternalStore } from "react";

/** `doctor`: the checks. `vault`: the available actions. `vault_key`: another key or place. `vault_over`: starting over. */
export type Overlay = "palette" | "profiles" | "shortcuts" | "doctor" | "vault" | "vault_key" | "vault_over" | null;

let current: Overlay = null;
let checkedServer: number | null = null;
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

/** Opens the checks of a server, or of Mooring itself. */
export function showDoctor(server: number | null): void {
  checkedServer = server;
  showOverlay("doctor");
}

/** Called when the vault was opened: closes the dialog and runs what waited. */
export function vaultOpened(): void {
  const next = afterVault;
  showOverlay(null);
  next?.();
}

const listen = (changed: () => void) => {
  listeners.add(changed);
  return () => listeners.delete(changed);
};

/** The open overlay. */
export const useOverlay = (): Overlay => useSyncExternalStore(listen, () => current);

/** The server whose checks are shown. Null for those of Mooring itself. */
export const useCheckedServer = (): number | null => useSyncExternalStore(listen, () => checkedServer);
