// Texts for mistakes in JSON, with their place.
import type { TFunction } from "i18next";
import type { JsonError } from "@/lib/schema/parse";
import { visibleLine } from "@/lib/untrusted";

/** The mistake, without its place. */
export function jsonErrorReason(error: JsonError, t: TFunction<"form">): string {
  return t(`json.${error.code}`, { found: visibleLine(error.found.replaceAll(/^"|"$/g, "")) });
}

/** The mistake and its place. */
export function jsonErrorText(error: JsonError, t: TFunction<"form">): string {
  return t("json.at", { line: error.line, column: error.column, reason: jsonErrorReason(error, t) });
}
