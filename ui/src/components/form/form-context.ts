// What every field of a form shares: the draft, its problems, the ways to change it, and the parts that contain
// each other (a group holds fields that may be groups), handed down here so that no module needs another's module.
import { type ComponentType, createContext, useContext } from "react";
import { type JsonNode, type Path, pathKey } from "@/lib/schema/json";
import type { Field } from "@/lib/schema/model";
import { isError, type Problem } from "@/lib/schema/check";
import type { Draft } from "./draft";

/** How a control is tied to its label, hint and error. */
export interface Wiring {
  readonly id: string;
  /** Where its label stands; none: `aria-label` is its name. */
  readonly "aria-labelledby": string | undefined;
  readonly "aria-label": string | undefined;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": true | undefined;
  readonly "aria-required": true | undefined;
}

/** The part of it that says what a group of controls is. */
export const naming = ({ "aria-labelledby": labelledBy, "aria-label": label, "aria-describedby": describedBy }: Wiring) => ({
  "aria-labelledby": labelledBy,
  "aria-label": label,
  "aria-describedby": describedBy,
});

export interface FieldViewProps {
  field: Field;
  path: Path;
  /** The member's name, or the item's number. */
  name: string;
  required: boolean;
  value: JsonNode | undefined;
  /** In a list or a map, where nothing can be left out. */
  item?: boolean;
  /** The surroundings show the name. */
  nameless?: boolean;
}

export interface BodyProps {
  field: Exclude<Field, { kind: "ref" }>;
  path: Path;
  name: string;
  required: boolean;
  /** In a list or a map, where nothing can be left out. */
  item: boolean;
  value: JsonNode | undefined;
  wiring: Wiring;
  onChange: (value: JsonNode | undefined) => void;
}

/** What is said about a field, nearest words first. */
export interface About {
  readonly title?: string;
  readonly description?: string;
  readonly defaultValue?: JsonNode;
  readonly examples?: readonly JsonNode[];
  readonly deprecated: boolean;
}

export interface FormShared {
  /** Whose words the labels and descriptions are. */
  readonly server: string;
  readonly draft: Draft;
  /** By path key. */
  readonly problems: ReadonlyMap<string, readonly Problem[]>;
  /** Patterns that the host does not check. */
  readonly unchecked: ReadonlySet<string>;
  readonly change: (edit: (draft: Draft) => Draft) => void;
  /** Groups begin folded: there are very many fields. */
  readonly folded: boolean;
  /**
   * A server asks the person, who may not know it: labels are the server's titles, every choice is there to its end, and
   * fields hold nothing but what can be seen.
   */
  readonly asked: boolean;
  /** What is sent where a field is left as it is and shows nothing: null, or what is empty; by path key. */
  readonly unfilled: ReadonlyMap<string, JsonNode> | undefined;
  /** What was entered can be read and copied, and not changed any more. */
  readonly disabled: boolean;
  readonly View: ComponentType<FieldViewProps>;
  readonly Body: ComponentType<BodyProps>;
}

export const FormContext = createContext<FormShared | null>(null);

/** The form around this field. */
export function useForm(): FormShared {
  const shared = useContext(FormContext);
  if (shared === null) throw new Error("a field outside a form");
  return shared;
}

/** The id of the control at a path, to bring it into view. */
export function fieldId(path: Path): string {
  return `field-${encodeURIComponent(pathKey(path))}`;
}

/** Whether there are problems at or inside a path. */
export function hasProblemsWithin(problems: FormShared["problems"], path: Path): boolean {
  const prefix = pathKey(path).slice(0, -1);
  for (const [key, list] of problems) if (key.startsWith(prefix) && list.some(isError)) return true;
  return false;
}

/** Takes the keyboard to the first control with a problem, or into the nearest group around it that is there, and shows it. */
export function focusProblem(problems: readonly Problem[]): void {
  const [first] = problems.flatMap((problem) => fieldNearest(problem) ?? []).toSorted(inDocument);
  if (first === undefined) return;
  const control = first.matches("input, textarea, button") ? first : first.querySelector<HTMLElement>("input, textarea, button");
  (control ?? first).focus({ preventScroll: true });
  // With its name above and what is wrong below.
  (first.closest("[data-field]") ?? first).scrollIntoView({ block: "center" });
}

function fieldNearest({ path }: Problem): HTMLElement | null {
  for (let length = path.length; length > 0; length -= 1) {
    const element = document.getElementById(fieldId(path.slice(0, length)));
    if (element !== null) return element;
  }
  return null;
}

const inDocument = (one: Node, other: Node): number =>
  one === other ? 0 : (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0 ? -1 : 1;
