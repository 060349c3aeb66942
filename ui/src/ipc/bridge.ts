// Typed commands and streams over the transport. All other code uses only this file.
import { send } from "@/ipc/transport";
import { sentenceFrom } from "@/lib/sentence";
import type { IpcCode } from "./bindings/IpcCode";
import type { Sentence } from "./bindings/Sentence";
import type { Commands } from "./bindings/commands";

type Name = keyof Commands;
type Args<K extends Name> = Commands[K]["args"];
type Ret<K extends Name> = Commands[K]["ret"];
type StreamName = { [K in Name]: Commands[K] extends { stream: unknown } ? K : never }[Name];
type Message<K extends StreamName> = Commands[K] extends { stream: infer M } ? M : never;

/** The codes of failures. `ipc` means that it never reached the backend. */
export type Code = IpcCode | "ipc";

/** A failed command: `code` for the program, `said` for the person, `details` as evidence. */
export class IpcError extends Error {
  readonly code: Code;
  readonly said: Sentence;
  readonly details: unknown;

  constructor(code: Code, said: Sentence | string, details: unknown) {
    const sentence = typeof said === "string" ? { code: "{quoted}", params: { quoted: said }, text: said } : said;
    super(sentence.text);
    this.name = "IpcError";
    this.code = code;
    this.said = sentence;
    this.details = details;
  }

  /** Converts anything thrown to an `IpcError`. */
  static from(thrown: unknown): IpcError {
    if (thrown instanceof IpcError) return thrown;
    if (typeof thrown === "object" && thrown !== null && "code" in thrown && "message" in thrown) {
      return new IpcError(
        // Only the backend throws these, and its codes are in the bindings.
        String(thrown.code) as Code,
        sentenceFrom(thrown.message) ?? String(thrown.message),
        "details" in thrown ? thrown.details : null,
      );
    }
    // A call that never reached the backend (a wrong argument, a missing permission) is rejected with plain text.
    if (typeof thrown === "string") return new IpcError("ipc", thrown, null);
    return new IpcError("internal", thrown instanceof Error ? thrown.message : String(thrown), null);
  }
}

/** Runs a command and waits for its result. Only rejects with `IpcError`. */
export async function call<K extends Name>(name: K, args: Args<K>): Promise<Ret<K>> {
  try {
    return (await send(name, args)) as Ret<K>;
  } catch (error) {
    throw IpcError.from(error);
  }
}

/** Runs a streaming command. `onMessage` gets each message in order until the command ends. */
export async function stream<K extends StreamName>(name: K, args: Args<K>, onMessage: (message: Message<K>) => void): Promise<Ret<K>> {
  try {
    return (await send(name, args, (message) => onMessage(message as Message<K>))) as Ret<K>;
  } catch (error) {
    throw IpcError.from(error);
  }
}
