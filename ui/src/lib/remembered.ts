// Small preferences of this window (sizes, last tab), in the page's storage. Never data, never secrets.
const prefix = "mooring.";

/** A saved value. Null if there is none or storage is off. */
export function recall(key: string): string | null {
  try {
    return localStorage.getItem(prefix + key);
  } catch {
    return null; // storage may be denied, and then the default applies
  }
}

/** Saves a value for the next start. */
export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(prefix + key, value);
  } catch {
    // storage may be denied or full, and nothing depends on it
  }
}
