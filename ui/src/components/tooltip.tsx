import { Tooltip as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { Kbd } from "./kbd";

export const TooltipProvider = Radix.Provider;

/** A short hint on hover and focus. It never contains essential information. */
export function Tooltip({
  text,
  keys,
  side = "bottom",
  children,
}: {
  text: ReactNode;
  keys?: string;
  side?: "top" | "right" | "bottom" | "left";
  children: ReactNode;
}) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="z-50 flex max-w-90 items-center gap-2 rounded-s border border-line bg-raised px-2 py-1 text-sm wrap-any text-fg shadow-float data-[state=delayed-open]:animate-in"
        >
          {text}
          {keys && <Kbd keys={keys} />}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
