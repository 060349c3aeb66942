/**
 * Regular expressions from a server, matched in linear time: a hostile pattern
 * such as `(a+)+$` must not freeze the window, so the engine's backtracking
 * matcher is never given one. What this reader does not know (look-around,
 * back-references) is shown to the person but not checked.
 */

/** How much matching may still cost. Shared by all that is checked at once. */
export interface Steps {
  left: number;
}

/** A pattern as written, and a test for it when it can be checked. */
export interface Pattern {
  readonly source: string;
  readonly test: ((text: string, steps?: Steps) => boolean) | null;
}

const MAX_SOURCE = 1_000;
const MAX_STATES = 4_000;
/** Of one schema: a few bytes of text can ask for thousands of states, thousands of times. */
const MAX_ALL_STATES = 20_000;

/** What one look at a value may cost in all its patterns. */
export const newSteps = (): Steps => ({ left: 1_000_000 });

type Tree =
  | { readonly op: "char"; readonly matches: (char: string) => boolean }
  | { readonly op: "start" | "end" | "edge" | "inside" }
  | { readonly op: "all" | "any"; readonly parts: readonly Tree[] }
  | { readonly op: "repeat"; readonly part: Tree; readonly min: number; readonly max: number };

class Unknown extends Error {}

/** The patterns of one schema. Each is measured at once and only built when it is first tested. */
export class Patterns {
  private left = MAX_ALL_STATES;
  private readonly known = new Map<string, Pattern>();

  /** Reads a pattern; one that is too large, one too many or beyond the reader is kept without a test. */
  read(source: string): Pattern {
    const known = this.known.get(source);
    if (known !== undefined) return known;
    const bare = betweenSlashes(source);
    const states = bare === null ? null : statesOf(bare);
    const fits = bare !== null && states !== null && states <= this.left;
    if (fits) this.left -= states;
    const pattern: Pattern = { source, test: fits ? lazily(bare) : null };
    this.known.set(source, pattern);
    return pattern;
  }
}

/**
 * What stands between the slashes of a programming language. Where they may as well be part of the text that is
 * wanted, or flags stand behind them, it is not checked.
 */
function betweenSlashes(source: string): string | null {
  const found = /^\/(.*)\/([a-z]*)$/s.exec(source);
  if (found === null) return source;
  const [, inner = "", flags = ""] = found;
  const anchored = inner.startsWith("^") || /(?<!\\)\$$/.test(inner);
  return anchored && /^[gyuv]*$/.test(flags) ? inner : null;
}

function lazily(source: string): NonNullable<Pattern["test"]> {
  let program: Program | null = null;
  return (text, steps = newSteps()) => {
    program ??= assemble(new Parser(source).parse());
    return run(program, text, steps);
  };
}

/** How many states the pattern takes; null when it cannot be checked. */
function statesOf(source: string): number | null {
  if (source.length > MAX_SOURCE) return null;
  try {
    const { states, work } = measure(new Parser(source).parse());
    // Written so that what is not a number is refused too.
    return states < MAX_STATES && work <= 4 * MAX_STATES ? states + 1 : null;
  } catch (error) {
    if (error instanceof Unknown || error instanceof SyntaxError) return null;
    throw error;
  }
}

interface Size {
  readonly states: number;
  /** Parts visited while building; repetitions of nothing have no states but take time. */
  readonly work: number;
}

function measure(tree: Tree): Size {
  switch (tree.op) {
    case "all":
    case "any": {
      let [states, work] = [tree.op === "any" ? 1 : 0, 1];
      for (const part of tree.parts) {
        const inner = measure(part);
        states += inner.states;
        work += inner.work;
      }
      return { states, work };
    }
    case "repeat": {
      const inner = measure(tree.part);
      const optional = tree.max === Infinity ? 1 : tree.max - tree.min;
      return { states: optional * (1 + inner.states) + tree.min * inner.states, work: 1 + (optional + tree.min) * inner.work };
    }
    default:
      return { states: 1, work: 1 };
  }
}

class Parser {
  private index = 0;
  private readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  parse(): Tree {
    const tree = this.alternatives(0);
    if (this.index < this.source.length) throw new Unknown();
    return tree;
  }

  private alternatives(depth: number): Tree {
    if (depth > 60) throw new Unknown();
    const parts = [this.sequence(depth)];
    while (this.source[this.index] === "|") {
      this.index += 1;
      parts.push(this.sequence(depth));
    }
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { op: "any", parts };
  }

  private sequence(depth: number): Tree {
    const parts: Tree[] = [];
    for (;;) {
      const char = this.source[this.index];
      if (char === undefined || char === "|" || char === ")") break;
      parts.push(this.quantified(this.atom(depth)));
    }
    return { op: "all", parts };
  }

  private atom(depth: number): Tree {
    const char = String.fromCodePoint(this.source.codePointAt(this.index) ?? 0);
    this.index += char.length;
    switch (char) {
      case "^":
        return { op: "start" };
      case "$":
        return { op: "end" };
      case "(":
        return this.group(depth);
      case "[":
        return this.set();
      case "\\":
        return this.escape();
      case ".":
        return { op: "char", matches: (other) => !/[\n\r\u2028\u2029]/.test(other) };
      case "*":
      case "+":
      case "?":
        throw new Unknown();
      default:
        return { op: "char", matches: (other) => other === char };
    }
  }

  private group(depth: number): Tree {
    if (this.source[this.index] === "?") {
      const opening = /^\?(?::|<[A-Za-z_$][\w$]*>)/.exec(this.source.slice(this.index))?.[0];
      if (opening === undefined) throw new Unknown();
      this.index += opening.length;
    }
    const inner = this.alternatives(depth + 1);
    if (this.source[this.index] !== ")") throw new Unknown();
    this.index += 1;
    return inner;
  }

  private set(): Tree {
    const from = this.index - 1;
    let end = this.index;
    if (this.source[end] === "^") end += 1;
    while (this.source[end] !== "]") {
      // Elsewhere a class by its name, as in `[[:alpha:]]`.
      if (this.source.startsWith("[:", end)) throw new Unknown();
      if (end >= this.source.length) throw new Unknown();
      end += this.source[end] === "\\" ? 2 : 1;
    }
    this.index = end + 1;
    return one(this.source.slice(from, this.index));
  }

  private escape(): Tree {
    const rest = this.source.slice(this.index);
    if (rest.startsWith("b") || rest.startsWith("B")) {
      this.index += 1;
      return { op: rest.startsWith("b") ? "edge" : "inside" };
    }
    const known = /^(?:[dDwWsStrnvf0]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]+\}|[pP]\{[\w=]+\}|c[A-Za-z])/.exec(rest)?.[0];
    if (known !== undefined) {
      this.index += known.length;
      return one(`\\${known}`);
    }
    const char = String.fromCodePoint(rest.codePointAt(0) ?? 0);
    if (rest === "" || /^[\w]$/.test(char)) throw new Unknown();
    this.index += char.length;
    return { op: "char", matches: (other) => other === char };
  }

  private quantified(part: Tree): Tree {
    const found = /^(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})/.exec(this.source.slice(this.index));
    if (found === null) return part;
    this.index += found[0].length;
    if (this.source[this.index] === "?") this.index += 1;
    if (/^[*+?]/.test(this.source.slice(this.index, this.index + 1))) throw new Unknown();
    const sign = found[0][0];
    if (sign === "*") return { op: "repeat", part, min: 0, max: Infinity };
    if (sign === "+") return { op: "repeat", part, min: 1, max: Infinity };
    if (sign === "?") return { op: "repeat", part, min: 0, max: 1 };
    const min = Number(found[1]);
    const open = found[2] !== undefined && (found[3] ?? "") === "";
    const max = open ? Infinity : Number(found[3] ?? found[1]);
    if (max < min) throw new Unknown();
    return { op: "repeat", part, min, max };
  }
}

/** A set or escape for one character: the engine's own matcher is safe on a single one. */
function one(source: string): Tree {
  const test = new RegExp(`^${source}$`, "u");
  return { op: "char", matches: (char) => test.test(char) };
}

type Step =
  | { readonly op: "char"; readonly matches: (char: string) => boolean; readonly next: number }
  | { readonly op: "split"; readonly next: readonly number[] }
  | { readonly op: "start" | "end" | "edge" | "inside"; readonly next: number }
  | { readonly op: "match" };

interface Program {
  readonly steps: readonly Step[];
  readonly start: number;
}

function assemble(tree: Tree): Program {
  const steps: Step[] = [];
  const add = (step: Step): number => {
    steps.push(step);
    return steps.length - 1;
  };
  // Built from the end, so that every step knows where it leads.
  const build = (part: Tree, next: number): number => {
    switch (part.op) {
      case "char":
        return add({ op: "char", matches: part.matches, next });
      case "all":
        return part.parts.reduceRight((after, inner) => build(inner, after), next);
      case "any":
        return add({ op: "split", next: part.parts.map((inner) => build(inner, next)) });
      case "repeat": {
        let entry = next;
        if (part.max === Infinity) {
          const loop = add({ op: "split", next: [] });
          steps[loop] = { op: "split", next: [build(part.part, loop), next] };
          entry = loop;
        } else {
          for (let count = part.min; count < part.max; count += 1) {
            entry = add({ op: "split", next: [build(part.part, entry), next] });
          }
        }
        for (let count = 0; count < part.min; count += 1) entry = build(part.part, entry);
        return entry;
      }
      default:
        return add({ op: part.op, next });
    }
  };
  const match = add({ op: "match" });
  return { steps, start: build(tree, match) };
}

function run(program: Program, text: string, steps: Steps): boolean {
  // Too long to say: what cannot be checked is not called wrong.
  if (text.length > steps.left) return true;
  const chars = Array.from(text);
  let current = new Set<number>();
  for (let index = 0; index <= chars.length; index += 1) {
    // The pattern may begin anywhere, as JSON Schema's are not anchored.
    const open = [...current, program.start];
    const reached = new Set<number>();
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (reached.has(next)) continue;
      reached.add(next);
      const step = program.steps[next];
      if (step === undefined || step.op === "char") continue;
      if (step.op === "match") return true;
      if (step.op === "split") open.push(...step.next);
      else if (holds(step.op, chars, index)) open.push(step.next);
    }
    const char = chars[index];
    if (char === undefined) return false;
    current = new Set();
    for (const position of reached) {
      const step = program.steps[position];
      if (step?.op === "char" && step.matches(char)) current.add(step.next);
    }
    steps.left -= reached.size;
    if (steps.left < 0) return true;
  }
  return false;
}

function holds(op: "start" | "end" | "edge" | "inside", chars: readonly string[], index: number): boolean {
  if (op === "start") return index === 0;
  if (op === "end") return index === chars.length;
  const word = (char: string | undefined) => char !== undefined && /^\w$/.test(char);
  const edge = word(chars[index - 1]) !== word(chars[index]);
  return op === "edge" ? edge : !edge;
}
