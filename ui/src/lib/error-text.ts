// What a failed command says to the person: our words where we know the code, else the backend's.
import i18next from "i18next";
import { IpcError } from "@/ipc/bridge";

const known = ["name_taken", "server_not_found", "not_connected", "demo_missing", "folder", "disk_full", "read_only"] as const;

/** One sentence about a failure. */
export function errorText(thrown: unknown): string {
  const error = IpcError.from(thrown);
  const code = known.find((item) => item === error.code);
  return code === undefined ? error.message : i18next.t(`error.${code}`, { ns: "common" });
}

/** The field of a form that the backend found fault with, if it named one. */
export function errorField(thrown: unknown): string | null {
  const { code, details } = IpcError.from(thrown);
  if (code === "name_taken") return "name";
  if (typeof details !== "object" || details === null || !("field" in details)) return null;
  return typeof details.field === "string" ? details.field : null;
}
