import { JsonText } from "@/components/code-block";
import { LongText } from "@/components/long-text";
import { indentJson } from "@/lib/json-tokens";

/** Longer JSON comes without colours and step by step, with how much is left: colouring it would make the window stutter. */
const COLOURED = 40_000;

/** JSON of any length, laid out. None of it is out of reach. */
export function LongJson({ text }: { text: string }) {
  const laidOut = indentJson(text);
  return laidOut.length > COLOURED ? <LongText text={laidOut} inline /> : <JsonText text={laidOut} />;
}
