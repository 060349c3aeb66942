import { Search } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import { Kbd } from "@/components/kbd";
import { composing } from "@/lib/composing";
import type { Entry } from "./entry";
import { PaletteRow } from "./palette-row";
import { rank } from "./rank";
import { recentChoices, rememberChoice } from "./recents";
import { useEntries } from "./use-entries";

const PAGE = 8;

/** The field, and below it what it finds. The field keeps the focus; arrows choose. */
export function PaletteBox({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation("palette");
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState(0);
  const [recent] = useState(recentChoices);
  const listRef = useRef<HTMLDivElement>(null);
  const id = useId();
  // Never deferred: Enter must run what the words on screen say.
  const sections = rank(useEntries(typed), typed, recent);
  const hits = sections.flatMap((section) => section.hits);
  const active = Math.min(chosen, hits.length - 1);
  const idOf = (index: number) => `${id}-${index}`;

  useEffect(() => {
    const option = listRef.current?.querySelector<HTMLElement>("[aria-selected=true]");
    // The first option brings its heading along.
    if (active === 0) listRef.current?.scrollTo({ top: 0 });
    else option?.scrollIntoView({ block: "nearest" });
  }, [active]);

  const run = (entry: Entry) => {
    if (entry.group !== "search") rememberChoice(entry.id);
    onDone();
    entry.run();
  };
  const step = (by: number) => {
    if (hits.length > 0) setChosen((active + by + hits.length) % hits.length);
  };
  const jump = (by: number) => setChosen(Math.max(0, Math.min(hits.length - 1, active + by)));
  const moves: Record<string, () => void> = {
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    PageDown: () => jump(PAGE),
    PageUp: () => jump(-PAGE),
    Enter: () => {
      const hit = hits[active];
      if (hit) run(hit.entry);
    },
  };
  const chords: Record<string, () => void> = { n: () => step(1), j: () => step(1), p: () => step(-1) };
  const onKeyDown = (event: KeyboardEvent) => {
    if (composing(event.nativeEvent)) return;
    const act = event.ctrlKey && !event.altKey ? chords[event.key] : moves[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };

  return (
    <>
      <div className="relative flex h-12 shrink-0 items-center border-b border-line">
        <Icon of={Search} size={16} className="pointer-events-none absolute left-4 text-fg-3" />
        <input
          // The palette is opened to type into it.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          role="combobox"
          aria-expanded
          aria-controls={`${id}-list`}
          aria-activedescendant={hits.length > 0 ? idOf(active) : undefined}
          aria-autocomplete="list"
          aria-label={t("title")}
          placeholder={t("placeholder")}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setChosen(0);
            listRef.current?.scrollTo({ top: 0 });
          }}
          onKeyDown={onKeyDown}
          className="h-full w-full bg-transparent pr-4 pl-11 text-lg outline-none"
        />
      </div>
      <div
        ref={listRef}
        id={`${id}-list`}
        role="listbox"
        aria-label={t("results")}
        className="min-h-0 flex-1 scroll-py-1.5 overflow-y-auto px-1.5 pb-1.5"
      >
        {sections.map((section) => (
          <div key={section.group} role="group" aria-labelledby={`${id}-${section.group}`}>
            <div id={`${id}-${section.group}`} role="presentation" className="px-2.5 pt-2.5 pb-1 text-xs font-semibold text-fg-3">
              {t(`group.${section.group}`)}
            </div>
            {section.hits.map((hit, index) => {
              const here = section.first + index;
              return (
                <PaletteRow
                  key={hit.entry.id}
                  id={idOf(here)}
                  hit={hit}
                  active={here === active}
                  onPoint={() => setChosen(here)}
                  onRun={() => run(hit.entry)}
                />
              );
            })}
          </div>
        ))}
      </div>
      <footer aria-hidden className="flex h-8 shrink-0 items-center gap-4 border-t border-line bg-sunken px-4 text-xs text-fg-3">
        <span className="flex items-center gap-1">
          <Kbd keys="↑" />
          <Kbd keys="↓" />
          {t("hint.choose")}
        </span>
        <span className="flex items-center gap-1">
          <Kbd keys="enter" />
          {t("hint.run")}
        </span>
        <span className="flex items-center gap-1">
          <Kbd keys="escape" />
          {t("hint.close")}
        </span>
      </footer>
    </>
  );
}
