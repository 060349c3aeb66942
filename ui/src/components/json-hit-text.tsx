import { headOf, LongText } from "./long-text";
import { UntrustedText } from "./their-voice";
import type { TextHit } from "./json-hits";

/** How much text before a hit is drawn with it. More is drawn on request. */
const NEAR = 24_000;
const CONTEXT = 2_000;

/** Foreign text of any length with a highlighted hit, or just the text. */
export function HitText({ text, hit }: { text: string; hit: TextHit | null }) {
  if (hit === null) return <LongText text={text} inline />;
  const [at, end] = [hit.offset, hit.offset + hit.length];
  const from = at <= NEAR ? 0 : headOf(text, at - CONTEXT).length;
  return (
    <>
      {from > 0 && <LongText key="far" text={text.slice(0, from)} inline />}
      {at > from && <LongText key="before" text={text.slice(from, at)} inline />}
      <HitMark key="hit" text={text.slice(at, end)} />
      {end < text.length && <LongText key="after" text={text.slice(end)} inline />}
    </>
  );
}

/** The current hit. Other matches are marked too. */
function HitMark({ text }: { text: string }) {
  return (
    <span data-hit className="rounded-xs outline-2 outline-warn">
      <UntrustedText text={text} />
    </span>
  );
}
