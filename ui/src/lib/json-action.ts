// An action on a single displayed JSON value.
import { createContext } from "react";

export interface JsonActionOf {
  /** The label, with the value's name if it has one. */
  readonly label: (name: string | null) => string;
  /** Called with the value's exact JSON text. */
  readonly act: (json: string) => void;
}

/** Null if there is no action. */
export const JsonAction = createContext<JsonActionOf | null>(null);
