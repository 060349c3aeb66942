import { headOf, LongText } from "./long-text";
import { UntrustedText } from "./their-voice";
import type { TextHit } from "./json-hits";

/** So much in front of a hit is laid out with it; what stands further in front, as far as it is asked for. */
const NEAR = 24_000;
const CONTEXT = 2_000;

/** Somebody else's text of any length in which one hit stands out; without one, the text. */
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

/** The hit that was gone to, among the others that are marked. */
function HitMark({ text }: { text: string }) {
  return (
    <span data-hit className="rounded-xs outline-2 outline-warn">
      <UntrustedText text={text} />
    </span>
  );
}
