// The differences between two configurations of a server, without the values of secrets.
import { newServer } from "@/ipc/bindings/defaults";
import type { ServerInput } from "@/ipc/bindings/ServerInput";
import { looksSecret } from "@/lib/secrets";
import { shownAddressOf } from "@/lib/server-address";

/** Fields that are compared in their own way. */
const COMPARED_OTHERWISE = ["transport", "command", "args", "env", "url", "headers", "secrets"] as const;

type PlainField = Exclude<keyof ServerInput, (typeof COMPARED_OTHERWISE)[number]>;
type Scalar = string | number | boolean | null;
type Part = PlainField | "command" | "url";

const plainFields = (Object.keys(newServer) as (keyof ServerInput)[]).filter(
  (field): field is PlainField => !(COMPARED_OTHERWISE as readonly string[]).includes(field),
);

/** A changed part, or a variable or header with this name. Null if it is absent. */
export type Change =
  | { readonly part: Part; readonly before: string | null; readonly after: string | null }
  | { readonly part: "value"; readonly name: string; readonly before: string | null; readonly after: string | null }
  /** The change of a value that is not shown. */
  | { readonly part: "hidden"; readonly name: string; readonly what: "added" | "removed" | "replaced" | "sealed" | "unsealed" };

type Held = { readonly sealed: false; readonly value: string } | { readonly sealed: true; readonly fresh: boolean };

/** Every variable or header with its value, or whether a new value replaces the encrypted one. */
const heldBy = ({ env, headers, secrets }: ServerInput): ReadonlyMap<string, Held> =>
  new Map<string, Held>([
    ...Object.entries({ ...env, ...headers }).map(([name, value]) => [name, { sealed: false, value: value ?? "" }] as const),
    ...secrets.map(({ name, value }) => [name, { sealed: true, fresh: value !== null }] as const),
  ]);

function valueChange(name: string, before: Held | undefined, after: Held | undefined): Change | null {
  const shown = (held: Held | undefined) => held === undefined || (!held.sealed && !looksSecret(name, held.value));
  if (before?.sealed === false && after?.sealed === false && before.value === after.value) return null;
  if (before?.sealed === true && after?.sealed === true && !after.fresh) return null;
  if (shown(before) && shown(after))
    return {
      part: "value",
      name,
      before: before?.sealed === false ? before.value : null,
      after: after?.sealed === false ? after.value : null,
    };
  if (before === undefined) return { part: "hidden", name, what: "added" };
  if (after === undefined) return { part: "hidden", name, what: "removed" };
  return { part: "hidden", name, what: before.sealed === after.sealed ? "replaced" : after.sealed ? "sealed" : "unsealed" };
}

/** In the order of the form. Times are in milliseconds, eras are codes. */
export function changesOf(before: ServerInput, after: ServerInput): readonly Change[] {
  // A list or a map is compared in its own way, and doesn't compile here.
  const text = (value: ServerInput[PlainField] & Scalar) => (value === null ? null : String(value));
  const plain = (part: PlainField): Change[] =>
    before[part] === after[part] ? [] : [{ part, before: text(before[part]), after: text(after[part]) }];
  const address = after.transport === "stdio" ? "command" : "url";
  const [was, is] = [heldBy(before), heldBy(after)];
  const isMoved = before.command !== after.command || before.url !== after.url || before.args.join("\0") !== after.args.join("\0");
  return [
    ...(isMoved ? [{ part: address, before: shownAddressOf(before), after: shownAddressOf(after) } as const] : []),
    ...plain("name"),
    ...[...new Set([...was.keys(), ...is.keys()])].flatMap((name) => valueChange(name, was.get(name), is.get(name)) ?? []),
    ...plainFields.filter((field) => field !== "name").flatMap((field) => plain(field)),
  ];
}
