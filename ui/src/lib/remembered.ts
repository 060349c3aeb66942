// Small conveniences of this window (sizes, last tab), kept in the page's storage. Never data, never secrets.
const prefix = "mooring.";

/** A remembered value, or null when there is none or storage is off. */
export function recall(key: string): string | null {
  try {
    return localStorage.getItem(prefix + key);
  } catch {
    return null; // storage can be denied; the default is then used
  }
}

/** Remembers a value for the next start. */
export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(prefix + key, value);
  } catch {
    // storage can be denied or full; nothing depends on it
  }
}
