import { Search } from "lucide-react";
import { type RefObject, useEffect, useEffectEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { SearchInput } from "@/components/input";
import { Kbd } from "@/components/kbd";
import { composing } from "@/lib/composing";

const PAUSE = 200;

/** The text filter. What is typed counts after a short pause, or at once with Enter. */
export function TextFilter({ value, onChange, inputRef, onLeave }: {
  value: string;
  onChange: (text: string) => void;
  inputRef: RefObject<HTMLInputElement | null>;
  /** Down or Enter: on to the results. */
  onLeave: () => void;
}) {
  const { t } = useTranslation("activity");
  const [draft, setDraft] = useState(value);
  const [known, setKnown] = useState(value);
  const [sent, setSent] = useState(value);
  // A link, Back or "clear" changed the filter from outside; our own change coming back is no news.
  if (value !== known) {
    setKnown(value);
    if (value !== sent) setDraft(value);
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
