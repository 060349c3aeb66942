import type { ComponentProps } from "react";
import { Textarea } from "@/components/input";
import { cx } from "@/lib/cx";

/** Longer text isn't measured, because the box has reached its maximum height. */
const MEASURED = 8_000;
const heights = { line: "min-h-7.5!", lines: "min-h-13.5!", tall: "min-h-23!" } as const;

interface GrowingTextProps extends ComponentProps<"textarea"> {
  value: string;
  code?: boolean;
  /** Its height when empty. */
  room?: keyof typeof heights;
}

/**
 * A text field that grows with its text up to a limit. A hidden copy of the text sets the height, because WebKit can't
 * size fields by their content.
 */
export function GrowingText({ value, code = false, room = "line", className, ...rest }: GrowingTextProps) {
  return (
    <div className="grid">
      <div
        aria-hidden
        // Never our own text, but the person's or a server's.
        data-theirs
        className={cx(
          "pointer-events-none invisible max-h-72 overflow-hidden border px-2.25 py-[4.5px] whitespace-pre-wrap wrap-any [grid-area:1/1]",
          code && "mono leading-[19px]",
          heights[room],
        )}
      >
        {value.slice(0, MEASURED)}
        {/* An empty last line needs a height too. */}
        {"\u00a0"}
      </div>
      <Textarea
        {...rest}
        value={value}
        code={code}
        rows={1}
        className={cx("resize-none! py-[4.5px]! leading-[19px]! [grid-area:1/1]", heights[room], className)}
      />
    </div>
  );
}
