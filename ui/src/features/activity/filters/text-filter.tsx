import { Search } from "lucide-react";
import { type RefObject, useEffect, useEffectEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { SearchInput } from "@/components/input";
import { Kbd } from "@/components/kbd";
import { composing } from "@/lib/composing";
import type { ActivitySearch } from "../search";

const PAUSE = 200;

/** The text filter. What is typed counts after a short pause, or at once with Enter or on leaving the field. */
export function TextFilter({
  search,
  onChange,
  inputRef,
  onLeave,
}: {
  search: ActivitySearch;
  onChange: (text: string) => void;
  inputRef: RefObject<HTMLInputElement | null>;
  /** Down or Enter: on to the results. */
  onLeave: () => void;
}) {
  const { t } = useTranslation("activity");
  const value = search.text ?? "";
  const [draft, setDraft] = useState(value);
  const [known, setKnown] = useState(search);
  const [sent, setSent] = useState(value);
  // A link, Back or "clear" changed the filters: what was being typed belonged to those before. Our
  // own change coming back is no news.
  if (search !== known) {
    setKnown(search);
    const own = value === sent && value !== (known.text ?? "");
    if (!own) setDraft(value);
    setSent(value);
  }
  const commit = (text: string) => {
    const wanted = text.trim() === "" ? "" : text;
    if (wanted === value) return;
    setSent(wanted);
    onChange(wanted);
  };
  const settle = useEffectEvent(commit);
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
      className="max-w-105 min-w-30 flex-1"
    />
  );
}
