// The host's results for the configurations in tests and pictures.
import type { ImportEntry } from "@/ipc/bindings/ImportEntry";
import type { ImportInput } from "@/ipc/bindings/ImportInput";
import type { ImportPreview } from "@/ipc/bindings/ImportPreview";
import type { ImportValue } from "@/ipc/bindings/ImportValue";
import type { ServerInput } from "@/ipc/bindings/ServerInput";
import recorded from "./configurations.json";
import { said, say } from "./say";
import { stdio } from "./servers";

/** An entry without the usual values of itself and its server. */
type Entry = Partial<Omit<ImportEntry, "server" | "inputs">> & {
  name: string;
  line: number;
  column: number;
  server?: Partial<ServerInput>;
  inputs?: Input[];
};
/** An input without the usual values, and the secret that its value becomes. */
type Input = Partial<ImportInput> & { key: string; fills?: string };
type Recorded = Partial<Record<string, { error: ImportPreview["error"]; entries: Entry[]; readAs?: ImportPreview["read_as"] }>>;
const unknown: NonNullable<Recorded[string]> = { error: { message: say("not recorded"), line: 1, column: 1 }, entries: [] };

/** Entries and errors of a configuration. */
export function readConfig(text: string, names: readonly string[], values: readonly ImportValue[] = []): ImportPreview {
  const {
    error,
    entries,
    readAs = said("a configuration in {format}", { format: "JSON" }),
  } = (recorded as unknown as Recorded)[text] ?? unknown;
  const usual = { off: false, alternative: false, notes: [], incomplete: false, sealed: [], problem: null };
  const whole = ({ server, inputs = [], ...entry }: Entry): ImportEntry => {
    const asked = inputs.map((input) =>
      wholeInput(
        input,
        values.find(({ entry: of, key }) => of === entry.name && key === input.key),
      ),
    );
    const given = new Map(
      asked.flatMap(({ text, name, input }) =>
        input.problem === null && text !== "" ? [[input.key, text] as const, [name, text] as const] : [],
      ),
    );
    const used = server === undefined ? null : { ...stdio(entry.name, ""), command: null, ...server };
    return {
      ...usual,
      ...entry,
      inputs: asked.map(({ input }) => input),
      exists: names.includes(entry.name),
      server: used && filled(used, given),
    };
  };
  return { entries: entries.map(whole), error, plain: null, read_as: readAs };
}

/** An input, and its value: the entered one, or its default. */
export function wholeInput({ fills, ...input }: Input, value: ImportValue | undefined) {
  const usual = { title: null, description: null, kind: "text" as const, secret: false, exposed: false, required: false, repeated: false };
  const more = { default: null, example: null, choices: [], problem: null };
  const whole: ImportInput = { ...usual, ...more, ...input };
  const text = value?.value ?? whole.default ?? "";
  const isRelative = whole.kind === "folder" && text !== "" && !text.startsWith("/");
  const problem = isRelative ? said("the value of {name} must be a full path", { name: input.key }) : null;
  return { text, name: fills ?? input.key, input: { ...whole, problem } };
}

/** A server with values in place of its placeholders. A secret has the name of its value. */
function filled(server: ServerInput, values: ReadonlyMap<string, string>): ServerInput {
  const fill = (text: string) => text.replaceAll(/\$\{(?:input:|env:)?([^}]+)\}/g, (written, key: string) => values.get(key) ?? written);
  const secrets = server.secrets.map((secret) => {
    const value = values.get(secret.name);
    return value === undefined ? secret : { ...secret, value, entered: true };
  });
  return { ...server, args: server.args.map(fill), url: server.url === null ? null : fill(server.url), secrets };
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
