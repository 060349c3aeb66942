// Servers' forms: a typical one, one with every kind of field, and those of the demo server's tools.
import type { FormField } from "@/ipc/bindings/FormField";
import type { FormInput } from "@/ipc/bindings/FormInput";
import { question } from "./recorded";

/** A field of a form, also for tests. */
export function field(name: string, input: FormInput, rest: Partial<FormField> = {}): FormField {
  return { name, title: null, description: null, required: false, nullable: false, looksSecret: false, default: null, input, ...rest };
}

export const signUp = question("signUp", "form");
export const everyField = question("everyField", "form");

const form = (message: string, ...fields: FormField[]) => ({ ...signUp, message, oddities: [], fields });
const oneOf = (...choices: (readonly [value: string, title: string])[]): FormInput => ({
  kind: "one",
  choices: choices.map(([value, title]) => ({ value, title })),
});
const piers = oneOf(["north", "North pier"], ["south", "South pier"]);
const shipName: FormInput = { kind: "text", minLength: 1, maxLength: 40, pattern: null, format: null };

/** The question of a task that waits for input. */
export const berths = form("Which of the two free berths do you want?", field("berth", piers, { title: "Berth", required: true }));

/** The form by the tool that asks it. */
export const askedBack: Readonly<Record<string, typeof signUp>> = {
  register_ship: everyField,
  reserve_berth: form(
    "Who is coming in, and when?",
    field("ship", shipName, { title: "Name of your ship", required: true }),
    field("day", oneOf(["today", "Today"], ["tomorrow", "Tomorrow"]), { title: "Day", required: true, default: '"today"' }),
  ),
};
