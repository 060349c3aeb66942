// What the host says of a command before it is saved, as its policy said it; of any other it says nothing.
import type { CommandNote } from "@/ipc/bindings/CommandNote";
import type { Sentence } from "@/ipc/bindings/Sentence";
import recorded from "./commands.json";
import { said } from "./say";

type Recorded = Partial<Record<string, readonly (readonly [CommandNote["code"], Omit<Sentence, "text">])[]>>;

/** By the names of its variables, the command and its arguments. */
export const reviewCommand = (command: string, args: readonly string[], env: readonly string[] = []): CommandNote[] =>
  ((recorded as unknown as Recorded)[[...env, command, ...args].join(" ")] ?? []).map(([code, text]) => ({
    code,
    text: said(text.code, text.params),
  }));
