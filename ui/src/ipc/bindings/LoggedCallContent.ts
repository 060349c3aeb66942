import type { CallArguments } from "./CallArguments";
import type { LoggedError } from "./LoggedError";
import type { Sentence } from "./Sentence";
export type LoggedCallContent = { arguments: CallArguments, result: string | null, error: LoggedError | null, said: Sentence | null, };
