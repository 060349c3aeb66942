// Mistakes in JSON text in words, with their place.
import type { TFunction } from "i18next";
import type { JsonError } from "@/lib/schema/parse";
import { visibleLine } from "@/lib/untrusted";

/** What is wrong, without the place. */
export function jsonErrorReason(error: JsonError, t: TFunction<"form">): string {
  return t(`json.${error.code}`, { found: visibleLine(error.found.replaceAll(/^"|"$/g, "")) });
}

/** What is wrong and where. */
export function jsonErrorText(error: JsonError, t: TFunction<"form">): string {
  return t("json.at", { line: error.line, column: error.column, reason: jsonErrorReason(error, t) });
}
