// The places where a value of a result can be used: arguments of open calls and of the server's other offers.
import type { QueryClient } from "@tanstack/react-query";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { prompts, resources, servers, tools } from "@/ipc/queries";
import { setAt } from "@/components/form/draft";
import { fieldId } from "@/components/form/form-context";
import { jsonNumber, jsonString, type JsonNode, stringify } from "@/lib/schema/json";
import { concrete, type Field, type FormModel } from "@/lib/schema/model";
import { changeDraft } from "../args/drafts";
import { textFieldId } from "../args/text-form";
import { setText } from "../args/texts";
import { type OpenCall, openCall } from "../open-calls";
import { templateFields } from "../resource/template-fields";
import { modelOf } from "../session";
import { type Target, targetKey } from "../target";
import { escapeText, escapeValue } from "../variables/variables";

/** The most places that aren't open. */
const MOST = 200;

export interface Place {
  readonly key: string;
  readonly server: ServerView;
  readonly target: Target;
  /** Its arguments, required ones first. */
  readonly names: readonly string[];
  /** Set for a tool. */
  readonly model: FormModel | null;
}

const requiredFirst = (list: readonly { readonly name: string; readonly required: boolean }[]): string[] =>
  list.toSorted((one, other) => Number(other.required) - Number(one.required)).map(({ name }) => name);

/** An item that may have arguments. They are only parsed when shown, because a schema can be large. */
interface Offer extends Pick<Place, "key" | "server" | "target"> {
  readonly read: () => Pick<Place, "names" | "model">;
}

/** The known offers of a server. */
function offersOf(client: QueryClient, server: ServerView): Offer[] {
  const offer = (target: Target, read: Offer["read"]): Offer => ({ key: targetKey(server.id, target), server, target, read });
  return [
    ...(client.getQueryData(tools(server.id).queryKey)?.tools ?? []).map((tool) =>
      offer({ kind: "tool", name: tool.name }, () => {
        const model = modelOf(tool.inputSchema);
        const root = model.kind === "form" ? concrete(model.root) : null;
        return { names: root?.kind === "object" ? requiredFirst(root.properties) : [], model };
      }),
    ),
    ...(client.getQueryData(prompts(server.id).queryKey)?.prompts ?? []).map((prompt) =>
      offer({ kind: "prompt", name: prompt.name }, () => ({ names: requiredFirst(prompt.arguments), model: null })),
    ),
    ...(client.getQueryData(resources(server.id).queryKey)?.templates ?? []).map((template) =>
      offer({ kind: "template", name: template.uriTemplate }, () => ({ names: requiredFirst(templateFields(template)), model: null })),
    ),
  ];
}

/** The first offers that have arguments. */
function placesIn(offers: readonly Offer[], most = offers.length): Place[] {
  const places: Place[] = [];
  for (const { read, ...offer } of offers) {
    if (places.length >= most) break;
    const { names: all, model } = read();
    const names = all.filter((name) => name !== "");
    if (names.length > 0) places.push({ ...offer, names, model });
  }
  return places;
}

/** The places for a value from `server`: other open calls, the call itself, and items that aren't open. */
export function placesFor(client: QueryClient, calls: readonly OpenCall[], server: number, target: Target): Place[] {
  const all = client.getQueryData(servers().queryKey) ?? [];
  const here = targetKey(server, target);
  const order = calls.map((call) => targetKey(call.server, call.target));
  const wanted = new Set([server, ...calls.map((call) => call.server)]);
  const offers = all.filter(({ id }) => wanted.has(id)).flatMap((one) => offersOf(client, one));
  const open = order.filter((key) => key !== here).flatMap((key) => offers.find((offer) => offer.key === key) ?? []);
  const itself = offers.filter(({ key }) => key === here);
  const others = offers.filter((offer) => offer.server.id === server && offer.key !== here && !order.includes(offer.key));
  return [...placesIn([...open, ...itself]), ...placesIn(others, MOST)];
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const textOf = (value: JsonNode): string => (value.kind === "string" ? value.value : stringify(value));

/** Converts a value for a field: a number to a text if a text is expected, and the other way round. */
export function fitted(value: JsonNode, field: Field | undefined): JsonNode {
  const kind = field === undefined ? undefined : concrete(field).kind;
  if (kind === "string" && value.kind !== "string" && value.kind !== "null") return jsonString(textOf(value));
  if (kind === "number" && value.kind === "string" && NUMBER.test(value.value.trim())) return jsonNumber(value.value.trim());
  return value;
}

/** Sets an argument to a value, to be sent literally. False if the arguments are invalid JSON. */
export function putValue({ server, target, model }: Place, name: string, value: JsonNode): boolean {
  openCall(server.id, target);
  if (target.kind !== "tool" || model === null) {
    setText(server.id, target, name, escapeText(textOf(value)));
    return true;
  }
  const root = model.kind === "form" ? concrete(model.root) : null;
  const field = root?.kind === "object" ? root.properties.find((property) => property.name === name)?.field : undefined;
  return changeDraft(server.id, target.name, model, (draft) => setAt(draft, [name], escapeValue(fitted(value, field)))).error === null;
}

/** The id of an argument's control. */
export const controlId = ({ target }: Place, name: string): string =>
  target.kind === "tool" ? fieldId([name]) : textFieldId(target, name);
