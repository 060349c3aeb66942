import { TextCursorInput } from "lucide-react";
import { useContext } from "react";
import { cx } from "@/lib/cx";
import { JsonAction } from "@/lib/json-action";
import { Icon } from "./icon";

/** An action on a value. Visible while its row is hovered or focused. */
export function JsonActionButton({
  json,
  name,
  depth,
  stop = false,
  className,
}: {
  json: () => string;
  name: string | null;
  /** In a tree: the depth. */
  depth?: number;
  /** Whether the Tab key reaches it. */
  stop?: boolean;
  className?: string;
}) {
  const action = useContext(JsonAction);
  if (action === null) return null;
  const label = action.label(name);
  return (
    <button
      type="button"
      {...(depth === undefined ? {} : { "data-fold": depth + 1, "data-leaf": true })}
      tabIndex={stop ? 0 : -1}
      aria-label={label}
      title={label}
      onClick={() => action.act(json())}
      className={cx(
        "ml-1 inline-grid size-4.5 shrink-0 place-items-center rounded-xs align-[-4px] text-fg-3 opacity-0 group-hover/line:opacity-100 hover:bg-hover hover:text-fg focus-visible:opacity-100",
        className,
      )}
    >
      <Icon of={TextCursorInput} size={12} />
    </button>
  );
}
