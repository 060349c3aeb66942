import { Search } from "lucide-react";
import { type RefObject, useEffect, useEffectEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { SearchInput } from "@/components/input";
import { Kbd } from "@/components/kbd";
import type { LogFacets } from "@/ipc/bindings/LogFacets";
import { composing } from "@/lib/composing";
import type { ActivitySearch, ChangeSearch } from "../search";
import { isTyping, readQuery, withQuery } from "./query-words";

const PAUSE = 200;

/** The typed text, parsed into filters and text. */
type Query = ReturnType<typeof readQuery>;

const partsOf = ({ app, server, method, outcome, kind }: ActivitySearch) => [app, server, method, outcome, kind];

/** Whether the filters are the result of applying this query to the previous ones. */
function cameOf(search: ActivitySearch, before: ActivitySearch, { parts, text }: Query): boolean {
  const wanted = partsOf(withQuery(before, parts, text));
  return (search.text ?? "") === text && partsOf(search).every((part, index) => part === wanted[index]);
}

/** The text filter, which also accepts other filters. Applies after a pause, on Enter or on leaving the field. */
export function TextFilter({
  search,
  facets,
  onChange,
  inputRef,
  onLeave,
}: {
  search: ActivitySearch;
  /** The available filter values. */
  facets: LogFacets;
  onChange: ChangeSearch;
  inputRef: RefObject<HTMLInputElement | null>;
  /** Down or Enter moves on to the results. */
  onLeave: () => void;
}) {
  const { t } = useTranslation("activity");
  const value = search.text ?? "";
  const [draft, setDraft] = useState(value);
  const [known, setKnown] = useState(search);
  const [sent, setSent] = useState<Query | null>(null);
  // A link, Back or "clear" changed the filters, so the typed text is outdated. Our own change coming back doesn't
  // count.
  if (search !== known) {
    setKnown(search);
    const own = sent !== null && cameOf(search, known, sent);
    if (!own) setDraft(value);
    setSent(null);
  }
  const commit = (text: string) => {
    const wanted = text.trim() === "" ? "" : text;
    if (wanted === value) return;
    const query = readQuery(wanted, facets);
    setSent(query);
    if (query.text !== text) setDraft(query.text);
    onChange((now) => withQuery(now, query.parts, query.text));
  };
  // An unfinished filter doesn't apply yet.
  const settle = useEffectEvent((text: string) => {
    if (!isTyping(text)) commit(text);
  });
  useEffect(() => {
    const timer = setTimeout(() => settle(draft), PAUSE);
    return () => clearTimeout(timer);
  }, [draft]);
  return (
    <SearchInput
      ref={inputRef}
      icon={Search}
      hint={draft === "" ? <Kbd keys="/" /> : undefined}
      value={draft}
      aria-label={t("filter.text")}
      placeholder={t("filter.placeholder")}
      onChange={(event) => setDraft(event.target.value)}
      onBlur={() => commit(draft)}
      onKeyDown={(event) => {
        if (composing(event.nativeEvent)) return;
        if (event.key === "Escape") {
          event.preventDefault();
          if (draft === "") onLeave();
          else setDraft("");
        } else if (event.key === "Enter" || event.key === "ArrowDown") {
          event.preventDefault();
          commit(draft);
          onLeave();
        }
      }}
      className="max-w-105 min-w-20 flex-1"
    />
  );
}
