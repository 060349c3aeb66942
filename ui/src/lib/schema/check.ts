/** The host's problems with a value, by the paths of the value. */
import type { SchemaCheck } from "@/ipc/bindings/SchemaCheck";
import type { SchemaProblem } from "@/ipc/bindings/SchemaProblem";
import type { SchemaProblemCode } from "@/ipc/bindings/SchemaProblemCode";
import { at, type JsonNode, type Path } from "./json";

export interface Problem {
  readonly path: Path;
  /** `said`: the host provides the text. */
  readonly code: SchemaProblemCode | "invalidJson" | "said";
  /** A part of the message: a limit, a type, a format, a position. Or the message itself. */
  readonly detail: string | null;
}

/** A note doesn't prevent sending, because servers often accept names that their schema doesn't list. */
export const isError = (problem: Problem): boolean => problem.code !== "unknownProperty";

/** The problems of a value. */
export function problemsIn(check: SchemaCheck, value: JsonNode): Problem[] {
  return check.problems.map(({ at: pointer, code, detail }: SchemaProblem) => ({ path: pathTo(pointer, value), code, detail }));
}

/** The path of a JSON Pointer (RFC 6901). Whether a number is an index depends on the value. */
function pathTo(pointer: string, value: JsonNode): Path {
  const path: (string | number)[] = [];
  let here: JsonNode | undefined = value;
  for (const part of pointer.split("/").slice(1)) {
    const step = here?.kind === "array" ? Number(part) : part.replaceAll("~1", "/").replaceAll("~0", "~");
    path.push(step);
    here = at(here, [step]);
  }
  return path;
}

/** The JSON Pointer of a path. */
export function pointerTo(path: Path): string {
  return path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
