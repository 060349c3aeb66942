// Differences between desktops: the names of the modifier keys.
export const isMac = /Mac|iPhone|iPad/.test(navigator.platform || navigator.userAgent);

const mac: Record<string, string> = {
  pageup: "⇞",
  pagedown: "⇟",
  mod: "⌘",
  shift: "⇧",
  alt: "⌥",
  enter: "↵",
  backspace: "⌫",
  escape: "Esc",
  space: "Space",
  left: "←",
  right: "→",
};
const other: Record<string, string> = {
  pageup: "PgUp",
  pagedown: "PgDn",
  mod: "Ctrl",
  shift: "Shift",
  alt: "Alt",
  enter: "↵",
  backspace: "⌫",
  escape: "Esc",
  space: "Space",
  left: "←",
  right: "→",
};

const spoken: Record<string, string> = {
  pageup: "PageUp",
  pagedown: "PageDown",
  mod: isMac ? "Meta" : "Control",
  shift: "Shift",
  alt: "Alt",
  enter: "Enter",
  backspace: "Backspace",
  escape: "Escape",
  space: "Space",
};

/** The keys of a shortcut. The last may be + itself. */
const keysOf = (shortcut: string): string[] => shortcut.split(/\+(?=.)/);

/** The shortcut in the format of `aria-keyshortcuts`. */
export function ariaKeys(shortcut: string): string {
  return keysOf(shortcut)
    .map((key) => spoken[key] ?? key.toUpperCase())
    .join("+");
}

/** The keys of a shortcut such as `mod+k`, as printed on this keyboard. */
export function keyLabels(shortcut: string): string[] {
  const names = isMac ? mac : other;
  return keysOf(shortcut).map((key) => names[key] ?? (key.length === 1 ? key.toUpperCase() : key));
}
