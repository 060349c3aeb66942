import { ChevronLeft, Search } from "lucide-react";
import { type KeyboardEvent, type RefObject, useEffect, useId, useImperativeHandle, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import { Kbd } from "@/components/kbd";
import { composing } from "@/lib/composing";
import { type Entry, hasInside, type ToolOf } from "./entry";
import { PaletteRow } from "./palette-row";
import { rank } from "./rank";
import { recentChoices, rememberChoice } from "./recents";
import { RunWith } from "./run-with";
import { useEntries } from "./use-entries";
import { useToolEntries } from "./use-tool-entries";

const PAGE = 8;

interface Level {
  readonly typed: string;
  readonly chosen: number;
}

const START: Level = { typed: "", chosen: 0 };

/** The search field and its results. The field keeps the focus, and arrow keys choose results or open their actions. */
export function PaletteBox({ back, onDone }: { back: RefObject<(() => void) | null>; onDone: () => void }) {
  const { t } = useTranslation("palette");
  const [all, setAll] = useState(START);
  /** The id of the second level's subject, whose texts may change meanwhile. */
  const [about, setAbout] = useState<string | null>(null);
  const [inner, setInner] = useState(START);
  const [asking, setAsking] = useState<ToolOf | null>(null);
  const [history] = useState(recentChoices);
  const listRef = useRef<HTMLDivElement>(null);
  const id = useId();

  const entries = useEntries(all.typed);
  const over = about === null ? null : (entries.find((entry) => entry.id === about) ?? null);
  const ofTool = useToolEntries(over);
  const { typed, chosen } = over === null ? all : inner;
  const change = over === null ? setAll : setInner;
  // Never deferred, because Enter must run what is visible.
  const sections =
    over === null
      ? rank(entries, typed, history)
      : rank(
          (over.inside ?? ofTool).map((entry) => ({ ...entry, title: entry.insideTitle ?? entry.title, group: "action", offered: true })),
          typed,
          [],
          Number.POSITIVE_INFINITY,
        );
  const hits = sections.flatMap((section) => section.hits);
  const active = Math.min(chosen, hits.length - 1);
  const entry = hits[active]?.entry;
  const idOf = (index: number) => `${id}-${index}`;

  const goBack = () => (asking === null ? setAbout(null) : setAsking(null));
  useImperativeHandle<(() => void) | null, (() => void) | null>(back, () => (over === null ? null : goBack));
  useEffect(() => {
    const option = listRef.current?.querySelector<HTMLElement>("[aria-selected=true]");
    // The first option scrolls its heading into view too.
    if (active === 0) listRef.current?.scrollTo({ top: 0 });
    else option?.scrollIntoView({ block: "nearest" });
  }, [active]);

  const enter = (next: Entry) => {
    listRef.current?.scrollTo({ top: 0 });
    setAbout(next.id);
    setInner(START);
  };
  const run = (next: Entry) => {
    if (next.asks === true && next.tool !== undefined) return setAsking(next.tool);
    // An action on a tool counts as a use of the tool.
    const isKnown = entries.some((one) => one.id === next.id);
    if (next.group !== "search") rememberChoice(isKnown || over === null ? next.id : over.id);
    onDone();
    next.run();
  };
  const choose = (next: number) => change({ typed, chosen: next });
  const step = (by: number) => {
    if (hits.length > 0) choose((active + by + hits.length) % hits.length);
  };
  const jump = (by: number) => choose(Math.max(0, Math.min(hits.length - 1, active + by)));
  /** The action of a key. Null for the usual action of a text field. */
  const actOf = (event: KeyboardEvent<HTMLInputElement>): (() => void) | null => {
    const { selectionStart: from, selectionEnd: to, value } = event.currentTarget;
    const isPlain = !event.shiftKey && !event.altKey && !event.metaKey;
    if (event.ctrlKey && !event.altKey) return { n: () => step(1), j: () => step(1), p: () => step(-1) }[event.key] ?? null;
    switch (event.key) {
      case "ArrowDown":
        return () => step(1);
      case "ArrowUp":
        return () => step(-1);
      case "PageDown":
        return () => jump(PAGE);
      case "PageUp":
        return () => jump(-PAGE);
      case "Enter":
        return () => entry && run(entry);
      case "ArrowRight":
        return isPlain && over === null && entry !== undefined && hasInside(entry) && from === value.length ? () => enter(entry) : null;
      case "ArrowLeft":
        return isPlain && over !== null && to === 0 ? goBack : null;
      case "Backspace":
        return over !== null && value === "" ? goBack : null;
      default:
        return null;
    }
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (composing(event.nativeEvent)) return;
    const act = actOf(event);
    if (!act) return;
    event.preventDefault();
    act();
  };
  const label = over === null ? t("title") : t("inside.label", { name: over.title });

  if (asking !== null && over !== null)
    return (
      <>
        <Crumb title={over.title} of={over.subtitle} onBack={goBack} className="h-12 border-b border-line px-3" />
        <RunWith
          of={asking}
          onBack={goBack}
          onDone={() => {
            rememberChoice(over.id);
            onDone();
          }}
        />
      </>
    );
  return (
    <>
      <div className="flex h-12 shrink-0 items-center border-b border-line">
        {over === null ? (
          <Icon of={Search} size={16} className="pointer-events-none ml-4 shrink-0 text-fg-3" />
        ) : (
          <Crumb title={over.title} onBack={goBack} className="max-w-1/2 pl-3" />
        )}
        <input
          // The palette is opened to type into it.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          role="combobox"
          aria-expanded
          aria-controls={`${id}-list`}
          aria-activedescendant={hits.length > 0 ? idOf(active) : undefined}
          aria-autocomplete="list"
          aria-label={label}
          placeholder={over === null ? t("placeholder") : t("inside.placeholder")}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => {
            change({ typed: event.target.value, chosen: 0 });
            listRef.current?.scrollTo({ top: 0 });
          }}
          onKeyDown={onKeyDown}
          className="h-full w-full min-w-0 bg-transparent px-3 text-lg outline-none"
        />
      </div>
      {/* The field has another name, which is only announced on focus. */}
      <p role="status" className="sr-only">
        {over !== null && label}
      </p>
      <div
        ref={listRef}
        id={`${id}-list`}
        role="listbox"
        aria-label={over === null ? t("results") : label}
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
                  opens={over === null && hasInside(hit.entry)}
                  onPoint={() => choose(here)}
                  onRun={() => run(hit.entry)}
                  onEnter={() => enter(hit.entry)}
                />
              );
            })}
          </div>
        ))}
        {hits.length === 0 && <p className="m-0 px-2.5 py-4 text-fg-3">{t("inside.none")}</p>}
      </div>
      <Hints inside={over !== null} opens={entry !== undefined && over === null && hasInside(entry)} />
    </>
  );
}

/** The subject of the second level, and a button to go back. */
function Crumb({
  title,
  of,
  onBack,
  className,
}: {
  title: string;
  /** The parent of the subject. */
  of?: string | undefined;
  onBack: () => void;
  className: string;
}) {
  const { t } = useTranslation("palette");
  return (
    <div className={`flex shrink-0 items-center ${className}`}>
      <button
        type="button"
        tabIndex={-1}
        title={t("hint.back")}
        // The field keeps the focus.
        onMouseDown={(event) => event.preventDefault()}
        onClick={onBack}
        className="flex h-7 min-w-0 items-center gap-1 rounded-s bg-selected pr-2.5 pl-1 font-[560] hover:bg-hover"
      >
        <Icon of={ChevronLeft} className="shrink-0 text-fg-3" />
        <bdi className="min-w-0 truncate">{title}</bdi>
      </button>
      {of !== undefined && <bdi className="ml-2 min-w-0 truncate text-fg-3">{of}</bdi>}
    </div>
  );
}

function Hints({ inside, opens }: { inside: boolean; opens: boolean }) {
  const { t } = useTranslation("palette");
  const hints = [
    { keys: ["↑", "↓"], text: t("hint.choose") },
    { keys: ["enter"], text: t("hint.run") },
    ...(opens ? [{ keys: ["right"], text: t("hint.inside") }] : []),
    inside ? { keys: ["left"], text: t("hint.back") } : { keys: ["escape"], text: t("hint.close") },
  ];
  return (
    <footer aria-hidden className="flex h-8 shrink-0 items-center gap-4 border-t border-line bg-sunken px-4 text-xs text-fg-3">
      {hints.map(({ keys, text }) => (
        <span key={text} className="flex items-center gap-1">
          {keys.map((key) => (
            <Kbd key={key} keys={key} />
          ))}
          {text}
        </span>
      ))}
    </footer>
  );
}
