// What all fields of a form share: the draft, its problems, and functions to change it. Also the components that
// contain each other (a group has fields that may be groups), so that their modules don't import each other.
import { type ComponentType, createContext, useContext } from "react";
import { type JsonNode, type Path, pathKey } from "@/lib/schema/json";
import type { Field } from "@/lib/schema/model";
import { isError, type Problem } from "@/lib/schema/check";
import type { Draft } from "./draft";

/** The ids that connect a control with its label, hint and error. */
export interface Wiring {
  readonly id: string;
  /** The id of the label. Without it, `aria-label` is the name. */
  readonly "aria-labelledby": string | undefined;
  readonly "aria-label": string | undefined;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": true | undefined;
  readonly "aria-required": true | undefined;
}

/** The attributes that name a group of controls. */
export const naming = ({ "aria-labelledby": labelledBy, "aria-label": label, "aria-describedby": describedBy }: Wiring) => ({
  "aria-labelledby": labelledBy,
  "aria-label": label,
  "aria-describedby": describedBy,
});

export interface FieldViewProps {
  field: Field;
  path: Path;
  /** The member's name or the item's number. */
  name: string;
  required: boolean;
  value: JsonNode | undefined;
  /** In a list or a map, where nothing can be left out. */
  item?: boolean;
  /** The context shows the name. */
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

/** The messages about a field, most important first. */
export interface About {
  readonly title?: string;
  readonly description?: string;
  readonly defaultValue?: JsonNode;
  readonly examples?: readonly JsonNode[];
  readonly deprecated: boolean;
}

export interface FormShared {
  /** The server that the labels and descriptions come from. */
  readonly server: string;
  readonly draft: Draft;
  /** The problems by path key. */
  readonly problems: ReadonlyMap<string, readonly Problem[]>;
  /** The patterns that the host does not check. */
  readonly unchecked: ReadonlySet<string>;
  readonly change: (edit: (draft: Draft) => Draft) => void;
  /** Groups start collapsed, because there are very many fields. */
  readonly folded: boolean;
  /**
   * A server asks the person, who may not know it: labels are the server's titles, choices are shown in full, and
   * fields only contain what is visible.
   */
  readonly asked: boolean;
  /** The values of untouched fields that show nothing: null, or an empty value. By path key. */
  readonly unfilled: ReadonlyMap<string, JsonNode> | undefined;
  /** Values can be read and copied, but not changed any more. */
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

/** The id of the control at a path. */
export function fieldId(path: Path): string {
  return `field-${encodeURIComponent(pathKey(path))}`;
}

/** Whether there are problems at or inside a path. */
export function hasProblemsWithin(problems: FormShared["problems"], path: Path): boolean {
  const prefix = pathKey(path).slice(0, -1);
  for (const [key, list] of problems) if (key.startsWith(prefix) && list.some(isError)) return true;
  return false;
}

/** Focuses the first control with a problem, or the nearest existing group around it, and shows it. */
export function focusProblem(problems: readonly Problem[]): void {
  const [first] = problems.flatMap((problem) => fieldNearest(problem) ?? []).toSorted(inDocument);
  if (first === undefined) return;
  const control = first.matches("input, textarea, button") ? first : first.querySelector<HTMLElement>("input, textarea, button");
  (control ?? first).focus({ preventScroll: true });
  // With the name above and the problem below.
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
