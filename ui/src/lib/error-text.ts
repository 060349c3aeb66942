// What a failed command says to the person: our words where we know the code, else the backend's in the same language.
import i18next from "i18next";
import { type Code, IpcError } from "@/ipc/bridge";
import { sentence, wholeSentence } from "./sentence";

const known = [
  "name_taken",
  "server_not_found",
  "not_connected",
  "demo_missing",
  "disk_full",
  "read_only",
] as const satisfies readonly Code[];

const ours = (error: IpcError): string | null => {
  const code = known.find((item) => item === error.code);
  return code === undefined ? null : i18next.t(`error.${code}`, { ns: "common" });
};

/** One sentence about a failure. */
export function errorText(thrown: unknown): string {
  const error = IpcError.from(thrown);
  return ours(error) ?? wholeSentence(error.said);
}

interface Explained {
  readonly why?: string;
  readonly evidence?: string;
}

/** A failure for a notice: our words explain; where a server's words stand in them they are evidence. */
export function errorWords(thrown: unknown): Explained {
  const error = IpcError.from(thrown);
  return error.code === "request" ? { evidence: sentence(error.said) } : { why: errorText(error) };
}

/** The field of a form that the backend found fault with, if it named one. */
export function errorField(thrown: unknown): string | null {
  const { code, details } = IpcError.from(thrown);
  if (code === "name_taken") return "name";
  if (typeof details !== "object" || details === null || !("field" in details)) return null;
  return typeof details.field === "string" ? details.field : null;
}

const shut: ReadonlySet<Code> = new Set(["vault_locked", "vault_unavailable", "vault_waiting"]);

/** A command was refused because the vault isn’t open, be it found out while renewing or signing in. */
export function wantsVault(thrown: unknown): boolean {
  const { code, details } = IpcError.from(thrown);
  if (code === "sign_in") return typeof details === "object" && details !== null && "code" in details && details.code === "vault";
  return shut.has(code);
}
