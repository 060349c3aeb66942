// What a form of a server begins with, what is answered with what stands in it, and what of it is kept for later.
import { type Draft, newDraft, typePart } from "@/components/form/draft";
import { isChecklist } from "@/components/form/hints";
import type { FormField } from "@/ipc/bindings/FormField";
import { fits } from "@/lib/schema/fit";
import { jsonArray, jsonNull, type JsonNode, jsonObject, type JsonObject, jsonString, member, pathKey, stringify } from "@/lib/schema/json";
import { concrete, type ObjectField, type Property } from "@/lib/schema/model";
import { parseJson } from "@/lib/schema/parse";

/** The form as it is asked for, and as the page has it: of the same fields in the same order. */
export interface Asked {
  readonly fields: readonly FormField[];
  readonly root: ObjectField;
}

/** What the form begins with: what was kept of an earlier look, else the server's proposals where they fit. */
export function firstDraft({ fields, root }: Asked, kept: string | null): Draft {
  const before = kept === null ? null : parseJson(kept);
  let draft = newDraft({ kind: "none", reason: "absent" });
  fields.forEach(({ name, looksSecret, default: proposal }, index) => {
    // Secrets are never kept, and a proposal for a secret is no secret of the person.
    if (looksSecret) return;
    // A draft that leaves a field out says that it was emptied.
    const last = before?.ok === true ? member(before.node, name) : undefined;
    const text = before === null ? proposal : last?.kind === "string" ? last.value : null;
    if (text === null) return;
    const parsed = parseJson(text);
    const field = root.properties[index]?.field;
    if (before !== null || (parsed.ok && field !== undefined && fits(field, parsed.node))) draft = typePart(draft, [name], text);
  });
  return draft;
}

/** What is answered with what stands in a field; undefined: nothing, the field is left out. */
function answerOf({ field, required }: Property, proposal: string | null, value: JsonNode | undefined): JsonNode | undefined {
  const kind = concrete(field);
  const mustBe = required && !kind.nullable;
  const isEmpty =
    value === undefined ||
    (value.kind === "string" && value.value === "" && kind.kind === "string") ||
    // None of several choices is another answer than no answer; a list without an entry is none, unless it has to be there.
    (value.kind === "array" &&
      value.items.length === 0 &&
      kind.kind === "array" &&
      ((kind.minItems ?? 0) > 0 || !isChecklist(kind, Infinity)));
  if (!isEmpty) return value;
  // Empty is what has to be there, and what the server proposes.
  if (kind.kind === "string" && (mustBe || proposal === '""')) return jsonString("");
  if (kind.kind === "array" && (kind.minItems ?? 0) === 0 && (mustBe || (proposal === "[]" && !isChecklist(kind, Infinity))))
    return jsonArray([]);
  return required && kind.nullable ? jsonNull : undefined;
}

/** The answer: what has none is left out, or null where it has to stand there and may be that. */
export function answerIn({ fields, root }: Asked, { value }: Draft): JsonObject {
  return jsonObject(
    root.properties.flatMap((property, index) => {
      const { looksSecret = false, default: proposal = null } = fields[index] ?? {};
      const answer = answerOf(property, looksSecret ? null : proposal, member(value, property.name));
      return answer === undefined ? [] : [{ key: property.name, value: answer }];
    }),
  );
}

/** The fields whose answer is a secret, by name. An empty one is none. */
export function secretsIn({ fields }: Asked, answer: JsonObject): ReadonlySet<string> {
  const holds = (value: JsonNode | undefined) =>
    value !== undefined && value.kind !== "null" && !(value.kind === "string" && value.value === "");
  return new Set(fields.flatMap(({ name, looksSecret }) => (looksSecret && holds(member(answer, name)) ? [name] : [])));
}

/** The answer as JSON text, exactly as it leaves; null while a part of it cannot be read. */
export function contentOf(asked: Asked, draft: Draft): string | null {
  return [...draft.parts.values()].some((part) => part.error !== null) ? null : stringify(answerIn(asked, draft));
}

/** What goes out as null or empty where nothing stands in the field, by path key. */
export function unfilledIn({ root }: Asked, answer: JsonObject): ReadonlyMap<string, JsonNode> {
  return new Map(
    root.properties.flatMap(({ name, field }) => {
      const value = member(answer, name);
      const kind = concrete(field);
      const isEmpty =
        value?.kind === "null" ||
        (value?.kind === "array" && value.items.length === 0) ||
        // Whether a pattern takes an empty text cannot be told here.
        (value?.kind === "string" && value.value === "" && kind.kind === "string" && kind.patterns.length === 0);
      return value !== undefined && isEmpty ? [[pathKey([name]), value] as const] : [];
    }),
  );
}

/** What may be kept for later, as JSON text by name: all but what looks like a secret. */
export function draftOf({ fields }: Asked, { value, parts }: Draft): string {
  const members = fields.flatMap(({ name, looksSecret }) => {
    const part = parts.get(pathKey([name]));
    const own = member(value, name);
    const text = part !== undefined && part.error !== null ? part.text : own === undefined ? null : stringify(own);
    return looksSecret || text === null ? [] : [{ key: name, value: jsonString(text) }];
  });
  return stringify(jsonObject(members));
}
