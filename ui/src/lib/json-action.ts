// What can be done with a single value of JSON that is shown, beside reading it.
import { createContext } from "react";

export interface JsonActionOf {
  /** What it does, with the name of the value where it has one. */
  readonly label: (name: string | null) => string;
  /** Gets the value's exact JSON text. */
  readonly act: (json: string) => void;
}

/** Null where there is nothing to do. */
export const JsonAction = createContext<JsonActionOf | null>(null);
