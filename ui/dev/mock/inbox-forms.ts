// Forms that servers ask for: one as they are, one with every field that there is.
import type { FormField } from "@/ipc/bindings/FormField";
import type { FormInput } from "@/ipc/bindings/FormInput";
import type { InteractionQuestion } from "@/ipc/bindings/InteractionQuestion";

type Form = Extract<InteractionQuestion, { kind: "form" }>;

const text: FormInput = { kind: "text", minLength: null, maxLength: null, pattern: null, format: null };

/** A field; for tests as well. */
export function field(name: string, input: FormInput, rest: Partial<FormField> = {}): FormField {
  return { name, title: null, description: null, required: false, nullable: false, looksSecret: false, default: null, input, ...rest };
}

const levels = [
  { value: "info", title: "Everything" },
  { value: "warn", title: "What may need you" },
  { value: "page", title: "Only what wakes you up" },
];
const berths = ["north-1", "north-2", "east-4"].map((value) => ({ value, title: null }));

export const signUp: Form = {
  kind: "form",
  message: "Who is to be told when the harbour lights fail? The watch list is changed at once.",
  fields: [
    field(
      "name",
      { ...text, minLength: 2, maxLength: 40 },
      { title: "Name of the watch", description: "As it stands on the roster.", required: true },
    ),
    field("email", { ...text, format: "email" }, { title: "Where to write to", required: true }),
    field("level", { kind: "one", choices: levels }, { title: "How much", default: '"warn"' }),
    field("nights", { kind: "number", integer: true, minimum: 1, maximum: 31 }, { title: "For how many nights", default: "7" }),
    field("call", { kind: "boolean" }, { title: "Call as well", description: "By telephone, between 22:00 and 06:00.", default: "false" }),
  ],
  oddities: [],
};

export const everyField: Form = {
  kind: "form",
  message: "One field of every type that the protocol knows.",
  fields: [
    field("plain", text, { title: "Plain text", description: "Anything goes." }),
    field(
      "callsign",
      { ...text, pattern: "^[A-Z]{2}[0-9]{3}$", minLength: 5, maxLength: 5 },
      { title: "Call sign", description: "Two capital letters and three digits.", required: true },
    ),
    field("email", { ...text, format: "email" }, { title: "E-mail" }),
    field("page", { ...text, format: "uri" }, { title: "Web page" }),
    field("day", { ...text, format: "date" }, { title: "Day of arrival" }),
    field("moment", { ...text, format: "date-time" }, { title: "Moment of arrival" }),
    field("draught", { kind: "number", integer: false, minimum: 0.5, maximum: 12.5 }, { title: "Draught in metres" }),
    field("crew", { kind: "number", integer: true, minimum: 1, maximum: null }, { title: "Crew", default: "3" }),
    field("insured", { kind: "boolean" }, { title: "Insured", required: true }),
    field("berth", { kind: "one", choices: berths }, { description: "Untitled choices and no title of its own." }),
    field("level", { kind: "one", choices: levels }, { title: "Level", required: true }),
    field(
      "needs",
      {
        kind: "some",
        choices: [
          { value: "water", title: "Fresh water" },
          { value: "power", title: "Shore power" },
          { value: "fuel", title: "Diesel" },
          { value: "crane", title: "Crane" },
        ],
        minItems: 1,
        maxItems: 2,
      },
      { title: "What you need", description: "One or two of them." },
    ),
    field("api_key", text, { title: "API key of the harbour", description: "So that we can act for you.", looksSecret: true }),
  ],
  oddities: [],
};
