import { JsonText } from "@/components/code-block";
import { LongText } from "@/components/long-text";
import { indentJson } from "@/lib/json-tokens";

/** Longer JSON isn't highlighted and is shown in steps, because highlighting would make the window stutter. */
const COLOURED = 40_000;

/** JSON of any length, formatted. All of it can be shown. */
export function LongJson({ text }: { text: string }) {
  const laidOut = indentJson(text);
  return laidOut.length > COLOURED ? <LongText text={laidOut} inline /> : <JsonText text={laidOut} />;
}
