// Forms that servers ask for: one as they are, one with every field that there is.
import type { FormField } from "@/ipc/bindings/FormField";
import type { FormInput } from "@/ipc/bindings/FormInput";
import { question } from "./recorded";

/** A field; for tests as well. */
export function field(name: string, input: FormInput, rest: Partial<FormField> = {}): FormField {
  return { name, title: null, description: null, required: false, nullable: false, looksSecret: false, default: null, input, ...rest };
}

export const signUp = question("signUp", "form");
export const everyField = question("everyField", "form");

/** What a task asks before it goes on. */
export const berths = {
  ...signUp,
  message: "Which of the two free berths do you want?",
  oddities: [],
  fields: [
    field(
      "berth",
      {
        kind: "one",
        choices: [
          { value: "north", title: "North pier" },
          { value: "south", title: "South pier" },
        ],
      },
      { title: "Berth", required: true },
    ),
  ],
};
