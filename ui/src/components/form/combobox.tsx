import { Check, ChevronDown, Search } from "lucide-react";
import { Popover } from "radix-ui";
import { type KeyboardEvent, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import { SearchInput } from "@/components/input";
import { composing } from "@/lib/composing";
import { cx } from "@/lib/cx";
import { match, nearest, words } from "@/lib/fuzzy";
import type { Wiring } from "./form-context";

const SHOWN = 100;

/** A choice of very many values: a list with a search. */
export function Combobox({
  id,
  labels,
  at,
  placeholder,
  clearable,
  disabled,
  onPick,
  // A button that is named by its label and can't be required.
  "aria-labelledby": labelledBy,
  "aria-required": _required,
  ...aria
}: Wiring & {
  labels: readonly string[];
  /** The index of the chosen value, or -1. */
  at: number;
  placeholder: string;
  clearable: boolean;
  disabled: boolean;
  /** Null leaves the value out. */
  onPick: (index: number | null) => void;
}) {
  const { t } = useTranslation("form");
  const [open, setOpen] = useState(false);
  const [query, setQuery] = useState("");
  const [cursor, setCursor] = useState(0);
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const asked = words(query);
  const all = labels.map((label, index) => ({ label, index }));
  const found = all.flatMap((item) => {
    const hit = match(asked, item.label);
    return hit === null ? [] : [{ ...item, hit }];
  });
  const sorted = asked.length === 0 ? all : nearest(found, ({ hit }) => hit).toSorted((left, right) => right.hit.score - left.hit.score);
  const shown = sorted.slice(0, SHOWN);
  const choose = (index: number | null) => {
    onPick(index);
    setOpen(false);
  };
  const move = (to: number) => {
    const next = Math.min(shown.length - 1, Math.max(0, to));
    setCursor(next);
    list.current?.children[next]?.scrollIntoView({ block: "nearest" });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (composing(event.nativeEvent)) return;
    const moves: Record<string, () => void> = {
      ArrowDown: () => move(cursor + 1),
      ArrowUp: () => move(cursor - 1),
      Enter: () => {
        const picked = shown[cursor];
        if (picked !== undefined) choose(picked.index);
      },
    };
    const act = moves[event.key];
    if (act === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  return (
    <Popover.Root
      open={open}
      onOpenChange={(next) => {
        setOpen(next);
        setQuery("");
        setCursor(0);
      }}
    >
      <Popover.Trigger
        id={id}
        {...aria}
        disabled={disabled}
        className="inline-flex h-7.5 w-full max-w-80 min-w-0 items-center justify-between gap-2 rounded-s border border-line-strong bg-raised pr-2 pl-2.25 transition-colors hover:bg-hover aria-invalid:border-bad"
      >
        <span className={cx("min-w-0 truncate", at < 0 && "text-fg-3")}>{labels[at] ?? placeholder}</span>
        <Icon of={ChevronDown} className="shrink-0 text-fg-3" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          data-modal="true"
          aria-label={aria["aria-label"]}
          aria-labelledby={labelledBy}
          className="z-50 flex max-h-80 w-(--radix-popover-trigger-width) min-w-56 flex-col overflow-hidden rounded-m border border-line bg-raised shadow-float data-[state=open]:animate-in"
        >
          <SearchInput
            icon={Search}
            value={query}
            role="combobox"
            aria-expanded
            aria-controls={listId}
            aria-activedescendant={shown[cursor] === undefined ? undefined : `${listId}-${shown[cursor].index}`}
            aria-label={t("field.searchValues")}
            placeholder={t("field.searchValues")}
            onChange={(event) => {
              setQuery(event.target.value);
              setCursor(0);
            }}
            onKeyDown={onKeyDown}
            className="m-1 shrink-0"
          />
          <div
            ref={list}
            id={listId}
            role="listbox"
            aria-label={aria["aria-label"]}
            aria-labelledby={labelledBy}
            className="min-h-0 flex-1 overflow-y-auto p-1 pt-0"
          >
            {shown.map(({ label, index }, position) => (
              // The search box holds the focus and hears the keys.
              // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
              <div
                key={index}
                id={`${listId}-${index}`}
                role="option"
                aria-selected={index === at}
                onClick={() => choose(index)}
                onPointerMove={() => setCursor(position)}
                className={cx("relative flex h-7 items-center rounded-s pr-2 pl-7", position === cursor && "bg-hover")}
              >
                {index === at && <Icon of={Check} className="absolute left-2 text-accent" />}
                <span className="truncate">{label.trim() === "" ? t("field.blank") : label}</span>
              </div>
            ))}
            {sorted.length > SHOWN && (
              <p className="m-0 px-2 py-1.5 text-sm text-fg-3">{t("field.moreValues", { count: sorted.length - SHOWN })}</p>
            )}
            {sorted.length === 0 && <p className="m-0 px-2 py-1.5 text-fg-2">{t("field.noValues")}</p>}
          </div>
          {clearable && at >= 0 && (
            <button
              type="button"
              onClick={() => choose(null)}
              className="inset-focus h-8 shrink-0 border-t border-line px-3 text-left text-fg-2 hover:bg-hover"
            >
              {t("field.leaveOut")}
            </button>
          )}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
