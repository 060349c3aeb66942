// The text of a failed command: our own if the code is known, otherwise the backend's in the same language.
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

/** A failure in one sentence. */
export function errorText(thrown: unknown): string {
  const error = IpcError.from(thrown);
  return ours(error) ?? wholeSentence(error.said);
}

interface Explained {
  readonly why?: string;
  readonly evidence?: string;
}

/** A failure for a notice: our text explains, and a server's text is evidence. */
export function errorWords(thrown: unknown): Explained {
  const error = IpcError.from(thrown);
  return error.code === "request" ? { evidence: sentence(error.said) } : { why: errorText(error) };
}

/** The form field that the backend rejected, if it named one. */
export function errorField(thrown: unknown): string | null {
  const { code, details } = IpcError.from(thrown);
  if (code === "name_taken") return "name";
  if (typeof details !== "object" || details === null || !("field" in details)) return null;
  return typeof details.field === "string" ? details.field : null;
}

const shut: ReadonlySet<Code> = new Set(["vault_locked", "vault_unavailable", "vault_waiting"]);

/** Whether a command failed because the vault isn’t open, also during a refresh or a sign-in. */
export function wantsVault(thrown: unknown): boolean {
  const { code, details } = IpcError.from(thrown);
  if (code === "sign_in") return typeof details === "object" && details !== null && "code" in details && details.code === "vault";
  return shut.has(code);
}
