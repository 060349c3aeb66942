// The host's results for the configurations in tests and pictures.
import type { ImportEntry } from "@/ipc/bindings/ImportEntry";
import type { ImportPreview } from "@/ipc/bindings/ImportPreview";
import type { ServerInput } from "@/ipc/bindings/ServerInput";
import recorded from "./configurations.json";
import { said, say } from "./say";
import { stdio } from "./servers";

/** An entry without the usual values of itself and its server. */
type Entry = Partial<Omit<ImportEntry, "server">> & { name: string; line: number; column: number; server?: Partial<ServerInput> };
type Recorded = Partial<Record<string, { error: ImportPreview["error"]; entries: Entry[]; readAs?: ImportPreview["read_as"] }>>;
const unknown: NonNullable<Recorded[string]> = { error: { message: say("not recorded"), line: 1, column: 1 }, entries: [] };

/** Entries and errors of a configuration. */
export function readConfig(text: string, names: readonly string[]): ImportPreview {
  const {
    error,
    entries,
    readAs = said("a configuration in {format}", { format: "JSON" }),
  } = (recorded as unknown as Recorded)[text] ?? unknown;
  const usual = { off: false, alternative: false, notes: [], incomplete: false, sealed: [], problem: null };
  const whole = ({ server, ...entry }: Entry): ImportEntry => ({
    ...usual,
    ...entry,
    exists: names.includes(entry.name),
    server: server === undefined ? null : { ...stdio(entry.name, ""), command: null, ...server },
  });
  return { entries: entries.map(whole), error, plain: null, read_as: readAs };
}

/** An entry's server as it is saved: values to encrypt become secrets. */
export function sealed({ server, sealed: names }: ImportEntry): ServerInput | null {
  if (server === null) return null;
  const move = (place: "env" | "header", values: Record<string, string | undefined>) =>
    names.filter((name) => values[name] !== undefined).map((name) => ({ place, name, value: values[name] ?? null, entered: true }));
  const keep = (values: Record<string, string | undefined>) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name))) as Record<string, string>;
  const secrets = [...server.secrets, ...move("env", server.env), ...move("header", server.headers)];
  return { ...server, env: keep(server.env), headers: keep(server.headers), secrets };
}
