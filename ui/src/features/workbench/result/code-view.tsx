import { useState } from "react";
import { UntrustedText } from "@/components/their-voice";
import { type Language, type Token, tokensOf } from "@/lib/highlight";
import { headLines } from "./rows";
import { Shortened } from "./shortened";
import { VirtualText } from "./virtual-text";

/** How many lines are drawn and highlighted at first. One click shows a longer text, without highlighting. */
const LINES = 400;
const CHARACTERS = 24_000;

const colours: Record<Token["kind"], string | undefined> = {
  plain: undefined,
  comment: "text-fg-3",
  string: "text-ok",
  number: "text-wait",
  keyword: "text-accent",
  name: "text-info",
};

/** A foreign program, markup or document, highlighted. */
export function CodeView({ text, language, label }: { text: string; language: Language; label: string }) {
  const [all, setAll] = useState(false);
  const head = headLines(text, LINES, CHARACTERS);
  if (all) return <VirtualText text={text} label={label} mono className="h-[max(220px,calc(100cqh-8.5rem))] py-2" />;
  return (
    <>
      <pre
        // It may scroll, so it must be reachable with the keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        aria-label={label}
        className="selectable inset-focus m-0 max-h-[max(220px,calc(100cqh-8.5rem))] overflow-auto px-3 py-2.5 leading-[19px] whitespace-pre-wrap wrap-any"
      >
        {tokensOf(head, language).map((token, index) => (
          <span key={index} className={colours[token.kind]}>
            <UntrustedText text={token.text} />
          </span>
        ))}
      </pre>
      <Shortened head={head} text={text} onAll={() => setAll(true)} />
    </>
  );
}
