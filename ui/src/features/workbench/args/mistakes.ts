// Finds mistakes in the JSON view: syntax errors, or values that don't match the schema.
import type { TFunction } from "i18next";
import type { Mistake } from "@/components/code-editor";
import { at, type JsonNode, type Path } from "@/lib/schema/json";
import { parseJson } from "@/lib/schema/parse";
import type { Problem } from "@/lib/schema/check";
import { visibleLine } from "@/lib/untrusted";
import type { Draft } from "@/components/form/draft";
import { problemText } from "@/components/form/hints";
import { jsonErrorReason } from "@/components/form/json-error";

/** The line and column of an offset. Columns count characters, as in editors. */
function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  return { line, column: Array.from(before.slice(before.lastIndexOf("\n") + 1)).length + 1 };
}

/** How many characters of the first line to mark. */
function lengthOf(text: string, from: number, to: number): number {
  return Math.max(1, Array.from(text.slice(from, to).split("\n", 1)[0] ?? "").length);
}

/** The mistakes for the JSON editor. */
export function editorMistakes(draft: Draft, problems: readonly Problem[], t: TFunction<"form">): Mistake[] {
  if (draft.error?.kind === "syntax") {
    const { error } = draft.error;
    return [
      { ...placeOf(draft.text, error.offset), length: lengthOf(draft.text, error.offset, error.end), message: jsonErrorReason(error, t) },
    ];
  }
  if (draft.error !== null) return [{ line: 1, column: 1, message: t("json.notObject") }];
  const parsed = parseJson(draft.text);
  if (!parsed.ok) return [];
  return problems.slice(0, 50).map((problem) => {
    const place = nearest(parsed.node, problem.path);
    const name = problem.path.at(-1);
    const missing = problem.code === "required" && typeof name === "string";
    return {
      ...placeOf(draft.text, place.from),
      length: lengthOf(draft.text, place.from, place.to),
      severity: "warning",
      message: missing ? t("problem.missing", { name: visibleLine(name) }) : problemText(problem, t),
    };
  });
}

/** The node at the path, or its nearest existing parent. */
function nearest(root: JsonNode, path: Path): JsonNode {
  for (let length = path.length; length > 0; length -= 1) {
    const node = at(root, path.slice(0, length));
    if (node !== undefined) return node;
  }
  return root;
}
