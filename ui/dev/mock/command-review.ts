// The host's warnings about commands before they are saved, recorded from its policy. Other commands have none.
import type { CommandNote } from "@/ipc/bindings/CommandNote";
import type { Sentence } from "@/ipc/bindings/Sentence";
import recorded from "./commands.json";
import { said } from "./say";

type Recorded = Partial<Record<string, readonly (readonly [CommandNote["code"], Omit<Sentence, "text">])[]>>;

/** By the names of the variables, the command and its arguments. */
export const reviewCommand = (command: string, args: readonly string[], env: readonly string[] = []): CommandNote[] =>
  ((recorded as unknown as Recorded)[[...env, command, ...args].join(" ")] ?? []).map(([code, text]) => ({
    code,
    text: said(text.code, text.params),
  }));
