// What a failed command says to the person: our words where we know the code, else the backend's.
import i18next from "i18next";
import { IpcError } from "@/ipc/bridge";
import { visible } from "./untrusted";

const known = ["name_taken", "server_not_found", "not_connected", "demo_missing", "folder", "disk_full", "read_only"] as const;

/** Failures whose message may be a server's own words. */
const theirs: ReadonlySet<string> = new Set(["request", "connect"]);

const ours = (error: IpcError): string | null => {
  const code = known.find((item) => item === error.code);
  return code === undefined ? null : i18next.t(`error.${code}`, { ns: "common" });
};

/** One sentence about a failure. */
export function errorText(thrown: unknown): string {
  const error = IpcError.from(thrown);
  return ours(error) ?? visible(error.message);
}

interface Explained {
  readonly why?: string;
  readonly evidence?: string;
}

/** A sentence of the backend for a notice: in English it explains, beside another language it is evidence. */
export function backendWords(message: string, language: string | undefined = i18next.language): Explained {
  return language === "en" ? { why: visible(message) } : { evidence: message };
}

/** A failure for a notice: our words explain; a server's words, or those in another language, are evidence. */
export function errorWords(thrown: unknown): Explained {
  const error = IpcError.from(thrown);
  const why = ours(error);
  if (why !== null) return { why };
  return theirs.has(error.code) ? { evidence: error.message } : backendWords(error.message);
}

/** The field of a form that the backend found fault with, if it named one. */
export function errorField(thrown: unknown): string | null {
  const { code, details } = IpcError.from(thrown);
  if (code === "name_taken") return "name";
  if (typeof details !== "object" || details === null || !("field" in details)) return null;
  return typeof details.field === "string" ? details.field : null;
}
