import { Tabs as Radix } from "radix-ui";
import { type ReactNode, useEffect, useRef } from "react";
import { cx } from "@/lib/cx";

interface Tab<V extends string> {
  value: V;
  label: ReactNode;
  content: ReactNode;
}

/** Underlined tabs over panels that scroll on their own. `after` sits at the right end of the strip. */
export function Tabs<V extends string>({ value, onChange, tabs, label, after, className }: {
  value: V;
  onChange: (value: V) => void;
  tabs: readonly Tab<V>[];
  label: string;
  after?: ReactNode;
  className?: string;
}) {
  const strip = useRef<HTMLDivElement>(null);
  // In a narrow pane the strip scrolls; the open tab stays in sight.
  useEffect(() => strip.current?.querySelector(`[data-value="${value}"]`)?.scrollIntoView({ block: "nearest", inline: "nearest" }), [value]);
  return (
    <Radix.Root value={value} onValueChange={(next) => onChange(next as V)} className={cx("flex min-h-0 flex-1 flex-col", className)}>
      <div className={cx("flex shrink-0 items-center border-b border-line", after !== undefined && "pr-4")}>
        <Radix.List ref={strip} aria-label={label} className="flex min-w-0 flex-1 gap-0.5 overflow-x-auto px-3 [scrollbar-width:none]">
          {tabs.map((tab) => (
            <Radix.Trigger
              key={tab.value}
              value={tab.value}
              data-value={tab.value}
              className="inset-focus -mb-px shrink-0 border-b-2 border-transparent px-2 pt-2.25 pb-2 font-medium whitespace-nowrap text-fg-2 transition-colors hover:text-fg data-[state=active]:border-accent data-[state=active]:text-fg"
            >
              {tab.label}
            </Radix.Trigger>
          ))}
        </Radix.List>
        {after}
      </div>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} className="inset-focus min-h-0 flex-1 overflow-y-auto">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
