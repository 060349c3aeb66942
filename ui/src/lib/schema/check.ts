/** What the host says is wrong with a value, at the places of that value. */
import type { SchemaCheck } from "@/ipc/bindings/SchemaCheck";
import type { SchemaProblem } from "@/ipc/bindings/SchemaProblem";
import type { SchemaProblemCode } from "@/ipc/bindings/SchemaProblemCode";
import { at, type JsonNode, type Path } from "./json";

export interface Problem {
  readonly path: Path;
  /** `said`: the host says it in words. */
  readonly code: SchemaProblemCode | "invalidJson" | "said";
  /** What the message names: a limit, a type, a format, a position; or the message. */
  readonly detail: string | null;
}

/** A note does not keep a value from being sent: servers often take a name that their schema does not know. */
export const isError = (problem: Problem): boolean => problem.code !== "unknownProperty";

/** The problems of a value. */
export function problemsIn(check: SchemaCheck, value: JsonNode): Problem[] {
  return check.problems.map(({ at: pointer, code, detail }: SchemaProblem) => ({ path: pathTo(pointer, value), code, detail }));
}

/** The steps of a JSON Pointer (RFC 6901): what a number is depends on where it leads to. */
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
