// A form's initial values, the answer from its values, and the draft that is saved.
import { type Draft, newDraft, typePart } from "@/components/form/draft";
import { isChecklist } from "@/components/form/hints";
import type { FormField } from "@/ipc/bindings/FormField";
import { fits } from "@/lib/schema/fit";
import { jsonArray, jsonNull, type JsonNode, jsonObject, type JsonObject, jsonString, member, pathKey, stringify } from "@/lib/schema/json";
import { concrete, type ObjectField, type Property } from "@/lib/schema/model";
import { parseJson } from "@/lib/schema/parse";

/** The server's form and the page's form, with the same fields in the same order. */
export interface Asked {
  readonly fields: readonly FormField[];
  readonly root: ObjectField;
}

/** The initial values: the saved draft, or the server's defaults if they are valid. */
export function firstDraft({ fields, root }: Asked, kept: string | null): Draft {
  const before = kept === null ? null : parseJson(kept);
  let draft = newDraft({ kind: "none", reason: "absent" });
  fields.forEach(({ name, looksSecret, default: proposal }, index) => {
    // Secrets are never saved, and a default for a secret isn't the person's secret.
    if (looksSecret) return;
    // If a draft has no value for a field, the person cleared it.
    const last = before?.ok === true ? member(before.node, name) : undefined;
    const text = before === null ? proposal : last?.kind === "string" ? last.value : null;
    if (text === null) return;
    const parsed = parseJson(text);
    const field = root.properties[index]?.field;
    if (before !== null || (parsed.ok && field !== undefined && fits(field, parsed.node))) draft = typePart(draft, [name], text);
  });
  return draft;
}

/** The answer for a field's value. Undefined leaves the field out. */
function answerOf({ field, required }: Property, proposal: string | null, value: JsonNode | undefined): JsonNode | undefined {
  const kind = concrete(field);
  const mustBe = required && !kind.nullable;
  const isEmpty =
    value === undefined ||
    (value.kind === "string" && value.value === "" && kind.kind === "string") ||
    // Choosing none of several is different from no answer. An empty list is no answer, unless the field is required.
    (value.kind === "array" &&
      value.items.length === 0 &&
      kind.kind === "array" &&
      ((kind.minItems ?? 0) > 0 || !isChecklist(kind, Infinity)));
  if (!isEmpty) return value;
  // An empty text is an answer if the field is required, or if it is the server's default.
  if (kind.kind === "string" && (mustBe || proposal === '""')) return jsonString("");
  if (kind.kind === "array" && (kind.minItems ?? 0) === 0 && (mustBe || (proposal === "[]" && !isChecklist(kind, Infinity))))
    return jsonArray([]);
  return required && kind.nullable ? jsonNull : undefined;
}

/** The answer. Fields without a value are left out, or null if they are required and nullable. */
export function answerIn({ fields, root }: Asked, { value }: Draft): JsonObject {
  return jsonObject(
    root.properties.flatMap((property, index) => {
      const { looksSecret = false, default: proposal = null } = fields[index] ?? {};
      const answer = answerOf(property, looksSecret ? null : proposal, member(value, property.name));
      return answer === undefined ? [] : [{ key: property.name, value: answer }];
    }),
  );
}

/** The names of fields with a secret as their answer. An empty answer isn't a secret. */
export function secretsIn({ fields }: Asked, answer: JsonObject): ReadonlySet<string> {
  const holds = (value: JsonNode | undefined) =>
    value !== undefined && value.kind !== "null" && !(value.kind === "string" && value.value === "");
  return new Set(fields.flatMap(({ name, looksSecret }) => (looksSecret && holds(member(answer, name)) ? [name] : [])));
}

/** The answer as JSON text, exactly as it is sent. Null while a part of it is invalid. */
export function contentOf(asked: Asked, draft: Draft): string | null {
  return [...draft.parts.values()].some((part) => part.error !== null) ? null : stringify(answerIn(asked, draft));
}

/** What is sent as null or empty for fields without a value, by path key. */
export function unfilledIn({ root }: Asked, answer: JsonObject): ReadonlyMap<string, JsonNode> {
  return new Map(
    root.properties.flatMap(({ name, field }) => {
      const value = member(answer, name);
      const kind = concrete(field);
      const isEmpty =
        value?.kind === "null" ||
        (value?.kind === "array" && value.items.length === 0) ||
        // Whether a pattern accepts an empty text is not known here.
        (value?.kind === "string" && value.value === "" && kind.kind === "string" && kind.patterns.length === 0);
      return value !== undefined && isEmpty ? [[pathKey([name]), value] as const] : [];
    }),
  );
}

/** The draft to save, as JSON text by name. Values that look like secrets are left out. */
export function draftOf({ fields }: Asked, { value, parts }: Draft): string {
  const members = fields.flatMap(({ name, looksSecret }) => {
    const part = parts.get(pathKey([name]));
    const own = member(value, name);
    const text = part !== undefined && part.error !== null ? part.text : own === undefined ? null : stringify(own);
    return looksSecret || text === null ? [] : [{ key: name, value: jsonString(text) }];
  });
  return stringify(jsonObject(members));
}
