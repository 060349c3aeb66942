// The mock backend's validation of a form: the few rules that tests and pictures need.
import type { FormField } from "@/ipc/bindings/FormField";
import type { FormMistake } from "@/ipc/bindings/FormMistake";
import { said } from "./say";

export function checkForm(fields: readonly FormField[], content: string): FormMistake[] {
  const values = JSON.parse(content) as Record<string, unknown>;
  return fields.flatMap(({ name, required, input }): FormMistake[] => {
    const value = values[name];
    if (value === undefined) return required ? [{ field: name, message: said("is required") }] : [];
    if (input.kind === "text" && input.pattern !== null && typeof value === "string" && !new RegExp(input.pattern, "u").test(value))
      return [{ field: name, message: said("doesn’t match {pattern}", { pattern: input.pattern }) }];
    if (input.kind === "text" && input.format === "email" && typeof value === "string" && !value.includes("@"))
      return [{ field: name, message: said("isn’t an email address") }];
    return [];
  });
}
