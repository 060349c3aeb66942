// Reads a pasted configuration well enough to show every state of the import view.
import type { ImportEntry } from "@/ipc/bindings/ImportEntry";
import type { Sentence } from "@/ipc/bindings/Sentence";
import type { ServerInput } from "@/ipc/bindings/ServerInput";
import type { ImportPreview } from "@/ipc/bindings/ImportPreview";
import { looksSecret } from "@/lib/secrets";
import { http, stdio } from "./servers";
import { said, say } from "./say";

function place(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

const placeholder = /\$\{[^}]*\}/;
const filledIn = (values: Record<string, string | undefined>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => !placeholder.test(value ?? ""))) as Record<string, string>;

/** The server with what only stands for a value to be entered. */
function leaveOpen(server: ServerInput): ServerInput {
  const open = (place: "env" | "header", values: Record<string, string | undefined>) =>
    Object.keys(values)
      .filter((name) => placeholder.test(values[name] ?? ""))
      .map((name) => ({ place, name, value: null, entered: false }));
  return {
    ...server,
    env: filledIn(server.env),
    headers: filledIn(server.headers),
    secrets: [...open("env", server.env), ...open("header", server.headers)],
  };
}

const secretNames = (values: Record<string, string>) => Object.keys(values).filter((name) => looksSecret(name, ""));

/** The server as it is saved: what looks secret is sealed. */
export function withSecrets(server: ServerInput): ServerInput {
  const split = (values: Record<string, string | undefined>) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => !looksSecret(name, ""))) as Record<string, string>;
  const sealed = (place: "env" | "header", values: Record<string, string | undefined>) =>
    Object.entries(values)
      .filter(([name]) => looksSecret(name, ""))
      .map(([name, value]) => ({ place, name, value: value ?? null, entered: true }));
  return {
    ...server,
    env: split(server.env),
    headers: split(server.headers),
    secrets: [...server.secrets, ...sealed("env", server.env), ...sealed("header", server.headers)],
  };
}

const known = new Set(["command", "args", "env", "url", "headers", "disabled", "type", "cwd"]);

/** What was changed or left out when an entry was read, and what to look out for. */
function notesOf(entry: Record<string, unknown>, words: readonly string[]): Sentence[] {
  const others = Object.entries(entry).filter(([name]) => !known.has(name));
  return [
    ...words.flatMap((word, index) =>
      placeholder.test(word)
        ? [
            said("argument {number} contains {placeholder}, which is passed on unchanged", {
              number: String(index + 1),
              placeholder: placeholder.exec(word)?.[0] ?? "",
            }),
          ]
        : [],
    ),
    ...words.flatMap((word, index) =>
      word.startsWith("/home/ana/notes")
        ? [said("argument {number} becomes the full path {path}", { number: String(index + 1), path: word })]
        : [],
    ),
    ...others.map(([name, value]) => {
      if (name === "alwaysAllow") return said("{name} isn’t imported: rules under Policies decide which tools run or ask first", { name });
      if (name === "oauth")
        return said("{name} isn’t imported: sign in with its client ID {id}", {
          name,
          id: String((value as { clientId?: string }).clientId),
        });
      return said("{name} isn’t imported", { name });
    }),
    ...words
      .filter((word) => entry["cwd"] === undefined && word.startsWith("./"))
      .map((path) => said("{path} is searched for in the server’s own folder: enter the full path, or choose a working folder", { path })),
  ];
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
    const { command, args = [], env = {}, url, headers = {}, disabled } = entry;
    const common = {
      name,
      ...place(text, Math.max(0, text.indexOf(JSON.stringify(name)))),
      exists: names.includes(name),
      off: disabled === true,
      notes: [],
      incomplete: false,
      sealed: [],
    };
    const bad = (problem: string) => ({ ...common, server: null, problem: say(problem) });
    const good = (server: ServerInput, values: Record<string, string>) => ({
      ...common,
      server: leaveOpen(server),
      problem: null,
      sealed: secretNames(filledIn(values)),
    });
    if (typeof command === "string") {
      if (!Array.isArray(args)) return bad("args must be a list of texts");
      const [program = "", ...first] = command.split(" ");
      const words = [...first, ...args.map(String)].map((word) => word.replace(/^~(?=\/)/, "/home/ana"));
      const notes = [
        ...(first.length > 0 ? [said("the command line is split into its program and its arguments")] : []),
        ...notesOf(entry, words),
      ];
      return {
        ...good({ ...stdio(name, program, ...words), env: env as Record<string, string> }, env as Record<string, string>),
        notes,
        incomplete: words.some((word) => placeholder.test(word)),
      };
    }
    if (typeof url === "string") {
      const open = [...new URL(url).searchParams.keys()].find((key) => looksSecret(key, ""));
      const notes = [
        ...notesOf(entry, []),
        ...(open === undefined
          ? []
          : [
              said("{name} in the URL looks like a secret, and the URL isn’t encrypted: use a header if the server takes one", {
                name: open,
              }),
            ]),
      ];
      return { ...good(http(name, url, headers as Record<string, string>), headers as Record<string, string>), notes };
    }
    return bad("has neither command nor url");
  });
  const none = { message: say("no servers here: expected an object with mcpServers, servers or context_servers"), ...place(text, 0) };
  return { entries, error: entries.length === 0 ? none : null, plain: null };
}
