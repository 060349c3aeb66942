// Reads a pasted configuration well enough to show every state of the import view.
import type { ImportEntry } from "@/ipc/bindings/ImportEntry";
import type { ServerInput } from "@/ipc/bindings/ServerInput";
import type { ImportPreview } from "@/ipc/bindings/ImportPreview";
import { looksSecret } from "@/lib/secrets";
import { http, stdio } from "./servers";
import { say } from "./say";

function place(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

const secretNames = (values: Record<string, string>) => Object.keys(values).filter((name) => looksSecret(name, ""));

/** The server as it is saved: what looks secret is sealed. */
export function withSecrets(server: ServerInput): ServerInput {
  const split = (values: Record<string, string | undefined>) => Object.fromEntries(Object.entries(values).filter(([name]) => !looksSecret(name, ""))) as Record<string, string>;
  const sealed = (place: "env" | "header", values: Record<string, string | undefined>) => Object.entries(values).filter(([name]) => looksSecret(name, "")).map(([name, value]) => ({ place, name, value: value ?? null, entered: true }));
  return { ...server, env: split(server.env), headers: split(server.headers), secrets: [...sealed("env", server.env), ...sealed("header", server.headers)] };
}

/** Entries and errors of a configuration. */
export function readConfig(text: string, names: readonly string[]): ImportPreview {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const offset = Number(/position (\d+)/.exec(message)?.[1] ?? text.length);
    return { entries: [], error: { message: say("expected a comma or a closing bracket"), ...place(text, offset) }, plain: null };
  }
  const all = (parsed as { mcpServers?: Record<string, Record<string, unknown>> }).mcpServers ?? {};
  const entries = Object.entries(all).map(([name, entry]): ImportEntry => {
    const at = place(text, Math.max(0, text.indexOf(JSON.stringify(name))));
    const exists = names.includes(name);
    const { command, args = [], env = {}, url, headers = {} } = entry;
    if (typeof command === "string") {
      if (!Array.isArray(args)) return { name, server: null, problem: say("args must be a list of texts"), ...at, exists, sealed: [] };
      return { name, server: { ...stdio(name, command, ...args.map(String)), env: env as Record<string, string> }, problem: null, ...at, exists, sealed: secretNames(env as Record<string, string>) };
    }
    if (typeof url === "string") return { name, server: http(name, url, headers as Record<string, string>), problem: null, ...at, exists, sealed: secretNames(headers as Record<string, string>) };
    return { name, server: null, problem: say("has neither command nor url"), ...at, exists, sealed: [] };
  });
  const none = { message: say("no servers here: expected an object with mcpServers, servers or context_servers"), ...place(text, 0) };
  return { entries, error: entries.length === 0 ? none : null, plain: null };
}
