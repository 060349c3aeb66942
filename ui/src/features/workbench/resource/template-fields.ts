// Converts the variables of a URI template (RFC 6570) to fields.
import type { TemplateView } from "@/ipc/bindings/TemplateView";
import type { TextFieldSpec } from "../args/text-form";

/** The names in `{?…}`, `{&…}` and `{#…}`, which are optional. */
function optionalNames(uriTemplate: string): ReadonlySet<string> {
  const names = [...uriTemplate.matchAll(/\{([?&#])([^{}]{1,2000})\}/g)].flatMap((match) => (match[2] ?? "").split(","));
  return new Set(names.map((name) => name.replace(/(?:\*|:\d{1,4})$/, "").trim()));
}

/** A field for each variable. Optional ones may stay empty. */
export function templateFields({ uriTemplate, variables }: TemplateView): TextFieldSpec[] {
  const optional = optionalNames(uriTemplate);
  return [...new Set(variables)].map((name) => ({ name, title: null, description: null, required: !optional.has(name) }));
}
