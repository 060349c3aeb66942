// The values that a configuration asks for: what the person entered, and what is still missing.
import type { ImportEntry } from "@/ipc/bindings/ImportEntry";
import type { ImportInput } from "@/ipc/bindings/ImportInput";
import type { ImportValue } from "@/ipc/bindings/ImportValue";

/** What asks for values: a server of a configuration, a bundle, or an entry of a registry. */
export type Asking = Pick<ImportEntry, "name" | "inputs">;

/** The entered values, by the names of the entry and of its input. */
export type ImportValues = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** What a field shows: the entered value, or else the default. */
export const shownValue = (entry: Asking, input: ImportInput, values: ImportValues): string =>
  values.get(entry.name)?.get(input.key) ?? input.default ?? "";

export const withValue = (values: ImportValues, entry: Asking, key: string, value: string): ImportValues =>
  new Map(values).set(entry.name, new Map(values.get(entry.name)).set(key, value));

/** Whether a server can't be saved before this field has a value. */
export const isMissing = (entry: Asking, input: ImportInput, values: ImportValues): boolean =>
  input.required && shownValue(entry, input, values).trim() === "";

/** Whether a value of these entries is missing or wrong. */
export const needsValues = (entries: readonly Asking[], values: ImportValues): boolean =>
  entries.some((entry) => entry.inputs.some((input) => input.problem !== null || isMissing(entry, input, values)));

/** The entered values of these entries. */
export const enteredValues = (entries: readonly Asking[], values: ImportValues): ImportValue[] =>
  entries.flatMap((entry) =>
    entry.inputs.flatMap(({ key }) => {
      const value = values.get(entry.name)?.get(key);
      return value === undefined ? [] : [{ entry: entry.name, key, value }];
    }),
  );

/** The entered values that a preview shows. Secrets stay here until they are saved. */
export const previewValues = (entries: readonly Asking[], values: ImportValues): ImportValue[] => {
  const secrets = new Set(entries.flatMap(({ name, inputs }) => inputs.filter(({ secret }) => secret).map(({ key }) => `${name}\n${key}`)));
  return enteredValues(entries, values).filter(({ entry, key }) => !secrets.has(`${entry}\n${key}`));
};
