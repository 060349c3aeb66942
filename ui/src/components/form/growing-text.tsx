import type { ComponentProps } from "react";
import { Textarea } from "@/components/input";
import { cx } from "@/lib/cx";

/** Text beyond this is not measured: the box has long been as tall as it gets. */
const MEASURED = 8_000;
const heights = { line: "min-h-7.5!", lines: "min-h-13.5!", tall: "min-h-23!" } as const;

interface GrowingTextProps extends ComponentProps<"textarea"> {
  value: string;
  code?: boolean;
  /** How much room it has when empty. */
  room?: keyof typeof heights;
}

/**
 * A box that grows with its text up to a limit. A hidden copy of the text gives the height, because WebKit
 * does not size fields by their content.
 */
export function GrowingText({ value, code = false, room = "line", className, ...rest }: GrowingTextProps) {
  return (
    <div className="grid">
      <div
        aria-hidden
        // Whoever wrote it: no words of ours.
        data-theirs
        className={cx(
          "pointer-events-none invisible max-h-72 overflow-hidden border px-2.25 py-[4.5px] whitespace-pre-wrap wrap-any [grid-area:1/1]",
          code && "mono leading-[19px]",
          heights[room],
        )}
      >
        {value.slice(0, MEASURED)}
        {/* A last, empty line has a height too. */}
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
