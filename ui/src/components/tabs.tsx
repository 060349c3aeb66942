import { Check, ChevronDown, type LucideIcon } from "lucide-react";
import { Tabs as Radix } from "radix-ui";
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import { Icon } from "./icon";
import { Menu } from "./menu";
import { Tooltip } from "./tooltip";

interface Tab<V extends string> {
  value: V;
  label: ReactNode;
  /** The label as text, if the label isn't just text. */
  name?: string;
  /** Replaces the label if there is no room for it. */
  icon?: LucideIcon;
  /** Something in the tab waits for the person, shown as an icon and as text. */
  mark?: { icon: LucideIcon; className: string; text: string } | undefined;
  content: ReactNode;
}

const nameOf = ({ name, label, value, mark }: Tab<string>): string => {
  const words = name ?? (typeof label === "string" ? label : value);
  return mark ? `${words} ${mark.text}` : words;
};

/** An icon and, if there is room, the label. Without an icon the label stays in place to be measured. */
function IconLabel({ tab, worded }: { tab: Tab<string>; worded: boolean }) {
  const content = (
    <span className="relative flex h-5 items-center overflow-hidden">
      {tab.icon && <Icon of={tab.icon} size={16} className="shrink-0" />}
      <span data-worded={worded} className="pl-1.5 data-[worded=false]:invisible data-[worded=false]:absolute">
        {tab.label}
      </span>
      {tab.mark && <Icon of={tab.mark.icon} size={12} className={cx("ml-1.5 shrink-0", tab.mark.className)} />}
    </span>
  );
  return worded ? content : <Tooltip text={nameOf(tab)}>{content}</Tooltip>;
}

/** The strip's padding and the largest gap between two tabs (px). */
const [PADDING, GAP] = [24, 2];

/** How many of the first tabs have room for their labels, besides the open one. All before layout. */
function wordsIn(strip: HTMLElement): number {
  if (strip.clientWidth === 0) return Number.POSITIVE_INFINITY;
  const tabs = [...strip.querySelectorAll<HTMLElement>("[role=tab]")].map((tab) => {
    const label = tab.querySelector<HTMLElement>("[data-worded]");
    const words = label?.offsetWidth ?? 0;
    const bare = tab.offsetWidth - (label?.dataset["worded"] === "false" ? 0 : words);
    return { bare, words, isOpen: tab.dataset["state"] === "active" };
  });
  // One additional px each, because widths are rounded.
  const least = tabs.reduce((sum, { bare, words, isOpen }) => sum + bare + GAP + 1 + (isOpen ? words : 0), PADDING);
  let used = least;
  const full = tabs.findIndex(({ words, isOpen }) => {
    used += isOpen ? 0 : words;
    return used > strip.clientWidth;
  });
  return full < 0 ? tabs.length : full;
}

/** The ends of the strip that fade because there is more beyond them. */
const fades = {
  "false-false": "",
  "true-false": "[mask-image:linear-gradient(to_right,transparent,black_36px)]",
  "false-true": "[mask-image:linear-gradient(to_left,transparent,black_36px)]",
  "true-true": "[mask-image:linear-gradient(to_right,transparent,black_36px,black_calc(100%-36px),transparent)]",
} as const;

/** Keeps the open tab visible. Returns how many tabs have labels, and whether any are hidden on either side. */
function useRoom(strip: RefObject<HTMLDivElement | null>, value: string): { words: number; before: boolean; after: boolean } {
  const [words, setWords] = useState(Number.POSITIVE_INFINITY);
  const [hidden, setHidden] = useState({ before: false, after: false });
  useLayoutEffect(() => {
    const element = strip.current;
    if (!element) return;
    const fit = () => setWords(wordsIn(element));
    fit();
    element.querySelector(`[data-value="${value}"]`)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [strip, value]);
  useEffect(() => {
    const element = strip.current;
    if (!element) return;
    const look = () => {
      const before = element.scrollLeft > 1;
      const after = element.scrollLeft + element.clientWidth < element.scrollWidth - 1;
      setHidden((now) => (now.before === before && now.after === after ? now : { before, after }));
    };
    look();
    // Changing sizes in this frame would lose notifications of the observer. Labels are removed first, because
    // otherwise the menu would flash.
    const fit = () => {
      flushSync(() => setWords(wordsIn(element)));
      // The menu next to the strip takes some of its width.
      element.querySelector("[data-state=active]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
      look();
    };
    const size = new ResizeObserver(() => requestAnimationFrame(fit));
    const watch = () => {
      for (const watched of [element, ...element.children]) size.observe(watched);
    };
    watch();
    // Tabs appear and disappear with a server's offers.
    const parts = new MutationObserver(watch);
    parts.observe(element, { childList: true });
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      size.disconnect();
      parts.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [strip]);
  return { words, ...hidden };
}

/**
 * Underlined tabs above panels that scroll separately. `after` is at the right end of the strip. If tabs have icons,
 * the open one and as many of the first ones as fit show their labels. Focusing a tab with the keyboard opens it.
 */
export function Tabs<V extends string>({
  value,
  onChange,
  tabs,
  label,
  after,
  className,
  panel,
}: {
  value: V;
  onChange: (value: V) => void;
  tabs: readonly Tab<V>[];
  label: string;
  after?: ReactNode;
  className?: string;
  /** The class of the panels. */
  panel?: string;
}) {
  const { t } = useTranslation();
  const strip = useRef<HTMLDivElement>(null);
  const { words, before, after: beyond } = useRoom(strip, value);
  // In a narrow pane the strip scrolls, and a menu lists all tabs.
  const narrow = before || beyond;
  return (
    <Radix.Root value={value} onValueChange={(next) => onChange(next as V)} className={cx("flex min-h-0 flex-1 flex-col", className)}>
      <div className={cx("flex shrink-0 items-center border-b border-line", after !== undefined && "pr-4")}>
        <Radix.List
          ref={strip}
          aria-label={label}
          className={cx(
            "flex min-w-0 flex-1 scroll-px-9 gap-0.5 overflow-x-auto px-3 [scrollbar-width:none]",
            fades[`${before}-${beyond}`],
          )}
        >
          {tabs.map((tab, index) => (
            <Radix.Trigger
              key={tab.value}
              value={tab.value}
              data-value={tab.value}
              {...(tab.icon ? { "aria-label": nameOf(tab) } : {})}
              className="group/tab inset-focus -mb-px shrink-0 border-b-2 border-transparent px-2 pt-2.25 pb-2 font-medium whitespace-nowrap text-fg-2 transition-colors hover:text-fg data-[state=active]:border-accent data-[state=active]:text-fg"
            >
              {tab.icon ? <IconLabel tab={tab} worded={index < words || tab.value === value} /> : tab.label}
            </Radix.Trigger>
          ))}
        </Radix.List>
        {narrow && (
          <Menu
            items={tabs.map((tab) => ({
              label: nameOf(tab),
              ...(tab.value === value ? { icon: Check } : {}),
              onSelect: () => onChange(tab.value),
            }))}
          >
            <button
              type="button"
              aria-label={t("allTabs")}
              className="inset-focus mx-1 inline-flex size-7 shrink-0 items-center justify-center rounded-s text-fg-2 transition-colors hover:bg-hover hover:text-fg data-[state=open]:bg-hover"
            >
              <Icon of={ChevronDown} />
            </button>
          </Menu>
        )}
        {after}
      </div>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} className={cx("inset-focus relative min-h-0 flex-1 overflow-y-auto", panel)}>
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
