import { useState } from "react";
import { UntrustedText } from "@/components/their-voice";
import { cx } from "@/lib/cx";
import { headLines } from "./rows";
import { Shortened } from "./shortened";
import { VirtualText } from "./virtual-text";

const LINES = 200;
const CHARACTERS = 24_000;

/** Foreign text with its white space. Shows the beginning, and everything on request. Only visible rows are drawn. */
export function TextView({ text, label, mono }: { text: string; label: string; mono: boolean }) {
  const [all, setAll] = useState(false);
  const head = headLines(text, LINES, CHARACTERS);
  if (all) return <VirtualText text={text} label={label} mono={mono} className="h-[max(220px,calc(100cqh-8.5rem))] py-2" />;
  return (
    <>
      <div className={cx("selectable px-3 py-2.5 whitespace-pre-wrap wrap-any", mono && "mono leading-[19px]")}>
        <UntrustedText text={head} />
      </div>
      <Shortened head={head} text={text} onAll={() => setAll(true)} />
    </>
  );
}
