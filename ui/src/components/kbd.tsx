import { cx } from "@/lib/cx";
import { isMac, keyLabels } from "@/lib/platform";

/**
 * A shortcut as keys: `mod+k` is ⌘K or Ctrl K. `bare` is for use inside a filled button. Only read aloud if it is the
 * content itself (`spoken`), so that it is never part of a button's name.
 */
export function Kbd({
  keys,
  bare = false,
  spoken = false,
  className,
}: {
  keys: string;
  bare?: boolean;
  spoken?: boolean;
  className?: string;
}) {
  return (
    <kbd
      aria-hidden={!spoken || undefined}
      className={cx(
        "inline-block rounded-xs px-1 py-0.5 font-ui! text-xs! leading-none! font-medium whitespace-nowrap",
        !bare && "border border-b-2 border-line bg-surface text-fg-3",
        className,
      )}
    >
      {keyLabels(keys).join(isMac ? "" : " ")}
    </kbd>
  );
}
