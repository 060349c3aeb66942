// The types of the mock backend's handlers: every command of the table, with its arguments, stream and result.
import type { Commands } from "@/ipc/bindings/commands";

/** The arguments of a command. */
export type Args<K extends keyof Commands> = Commands[K]["args"];

type Message<K extends keyof Commands> = Commands[K] extends { stream: infer M } ? M : never;

export type Handlers = {
  readonly [K in keyof Commands]: (args: Args<K>, on: (message: Message<K>) => void) => Promise<Commands[K]["ret"]>;
};
