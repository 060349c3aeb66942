// Servers' offers and the results of using them, recorded from the host. Where they depend on the input, single words
// are replaced.
import type { CallEvent } from "@/ipc/bindings/CallEvent";
import type { CallOutcome } from "@/ipc/bindings/CallOutcome";
import type { PromptList } from "@/ipc/bindings/PromptList";
import type { ResourceList } from "@/ipc/bindings/ResourceList";
import type { ResourceView } from "@/ipc/bindings/ResourceView";
import type { ToolList } from "@/ipc/bindings/ToolList";
import type { Args } from "./handlers";
import { Part, refuse, wait } from "./part";
import { demo, failedCalls, harbour, postgres, type RecordedServer } from "./recorded";

const both: Pick<RecordedServer, "tools" | "resources" | "prompts"> = {
  tools: { tools: [...demo.tools.tools, ...harbour.tools.tools], diagnostics: harbour.tools.diagnostics },
  resources: { ...harbour.resources, resources: [...demo.resources.resources, ...harbour.resources.resources] },
  prompts: { ...harbour.prompts, prompts: [...demo.prompts.prompts, ...harbour.prompts.prompts] },
};
const recorded = (name: string) => (name.startsWith("demo") ? both : name === "postgres-prod" ? postgres : null);
const all = [demo, harbour, postgres];
const calls = all.flatMap((server) => server.calls);
const reads = all.flatMap((server) => server.reads);
const gets = all.flatMap((server) => server.gets);
const pick = <T>(list: readonly T[], is: (one: T) => boolean): T => {
  const found = list.find(is);
  if (!found) throw new Error("not recorded");
  return found;
};

const verbs = ["get", "create", "update", "list", "delete", "search", "merge"];
const things = ["issue", "pull_request", "repository", "branch", "file", "release"];

/** A server's tools, by its name. Without a recording, `count` tools. */
export function toolsOf(name: string, count: number): ToolList {
  const like = pick(postgres.tools.tools, (tool) => tool.name === "drop_table");
  const numbered = (index: number) => ({
    ...like,
    name: `${verbs[index % verbs.length]}_${things[index % things.length]}${index >= 24 ? `_${index}` : ""}`,
    description: "Works on one thing. Requires write access.",
    ...(index % 5 === 0 ? {} : { annotations: null }),
    ...(index === 17 ? { inputSchema: null, diagnostics: postgres.tools.tools.flatMap((tool) => tool.diagnostics) } : {}),
  });
  return recorded(name)?.tools ?? { tools: Array.from({ length: count }, (_, index) => numbered(index)), diagnostics: [] };
}

const folders = ["charts", "logs", "crew", "cargo", "tides"];
const kinds = ["md text/markdown", "json application/json", "png image/png", "csv text/csv", "rs text/x-rust", "txt text/plain"];

function file(index: number): ResourceView {
  const [end, mimeType = ""] = kinds[index % kinds.length]!.split(" ");
  const name = `${folders[index % folders.length]}/${String(index + 1).padStart(4, "0")}.${end}`;
  const like = pick(demo.resources.resources, (resource) => resource.name === "notice");
  return { ...like, uri: `file:///home/ana/projects/${name}`, name, mimeType, title: null, description: null, size: 200 + index * 37 };
}

/** A server's resources and templates, by its name. */
export function resourcesOf(name: string): ResourceList {
  const resources = name === "filesystem" ? Array.from({ length: 640 }, (_, index) => file(index)) : [];
  return recorded(name)?.resources ?? { resources, templates: [], skills: [], diagnostics: [] };
}

/** A server's prompts, by its name. */
export const promptsOf = (name: string): PromptList => recorded(name)?.prompts ?? { prompts: [], diagnostics: [] };

const inside = (text: string) => JSON.stringify(text).slice(1, -1);

/** The same outcome with a text replaced. */
const reworded = (outcome: CallOutcome, from: string, to: string): CallOutcome => ({
  ...outcome,
  result: outcome.result?.replaceAll(inside(from), inside(to)) ?? null,
});

const call = (tool: string) => pick(calls, (one) => one.tool === tool);
const failed = (tool: string) => pick(failedCalls, (one) => one.tool === tool).outcome;

/** The outcome of a cancelled call. */
export const cancelled: CallOutcome = {
  ...failed("never"),
  status: "cancelled",
  error: { code: "cancelled", message: "you cancelled the call", said: null, rpcCode: null, data: null, next: null, evidence: null },
};

/** The errors of the failing tools. */
function failure(kind: unknown): CallOutcome {
  if (kind === "timeout") return failed("never");
  if (kind === "closed") return failed("crash");
  if (kind === "protocol_error") return pick(calls, (one) => one.arguments.includes(kind)).outcome;
  if (kind !== "too_large") return call("fail").outcome;
  const cut = failed("huge");
  // Some answers are unreadable. Their beginning is next to the error.
  const evidence = `{"jsonrpc":"2.0","id":7,"result":${cut.result}`;
  return { ...cut, result: null, bytes: 0, error: cut.error && { ...cut.error, evidence } };
}

/** Calls a tool. */
export async function callTool(tool: string, argumentsText: string, on: (event: CallEvent) => void): Promise<CallOutcome> {
  const args = JSON.parse(argumentsText) as Record<string, unknown>;
  if (tool === "progress" || tool === "draw_chart") return haul(tool === "draw_chart" ? 16 : Number(args["seconds"] ?? 10), on);
  const known = calls.find((one) => one.tool === tool && one.arguments === argumentsText) ?? calls.find((one) => one.tool === tool);
  for (const event of known?.events ?? []) on(event);
  await wait(90);
  if (tool === "fail" || tool === "break") return failure(args["kind"]);
  if (tool === "add") return reworded(call("add").outcome, "42", String(Number(args["a"]) + Number(args["b"])));
  if (tool === "echo") return reworded(call("echo").outcome, "Ahoy!", String(args["text"] ?? ""));
  return known?.outcome ?? reworded(call("echo").outcome, "Ahoy!", `${tool} did its work.`);
}

/** Four steps a second. */
async function haul(seconds: number, on: (event: CallEvent) => void): Promise<CallOutcome> {
  const { events, outcome } = call("progress");
  const total = Math.max(1, Math.round(seconds * 4));
  for (const event of events) if (event.kind === "log") on(event);
  for (let progress = 0; progress <= total; progress += 1) {
    on({ kind: "progress", progress, total, message: `${progress} of ${total} fathoms hauled in` });
    if (progress < total) await wait(250);
  }
  return reworded(outcome, "4 fathoms are on deck after 1 s", `${total} fathoms are on deck after ${seconds} s`);
}

/** The current weather, which changes with every update. */
let readings = 0;

/** Reads a resource. Generated content is adjusted to the URI. */
export function readResource(uri: string): CallOutcome {
  const like = (other: string) => reworded(pick(reads, (one) => one.uri === other).outcome, other, uri);
  if (uri.startsWith("file:")) return reworded(like("harbour://notice"), "NOTICE TO MARINERS", `The contents of ${uri}`);
  if (uri.startsWith("demo://berths/"))
    return reworded(like("demo://berths/Hamburg"), "Hamburg", decodeURIComponent(uri.slice(14).split("?")[0] ?? ""));
  const known = reads.find((one) => one.uri === uri)?.outcome;
  if (uri === "demo://harbour/weather" && known) {
    readings += 1;
    return reworded(known, '\\"reading\\": 1', `\\"reading\\": ${readings}`);
  }
  const gone = pick(reads, (one) => one.uri === "demo://harbour/atlantis").outcome;
  return known ?? { ...gone, error: gone.error && { ...gone.error, message: `no such resource: ${uri}`, data: JSON.stringify({ uri }) } };
}

/** Gets a prompt. */
export function getPrompt(name: string, argumentsText: string): CallOutcome {
  const known = gets.find((one) => one.prompt === name)?.outcome;
  if (!known) return failed("error");
  const { tone = "brief", from = "Rotterdam", to = "青岛", ...rest } = JSON.parse(argumentsText) as Record<string, string>;
  const filled = Object.entries(rest).reduce((outcome, [key, value]) => reworded(outcome, `{${key}}`, value), known);
  return reworded(reworded(reworded(filled, "brief", tone), "Rotterdam", from), "青岛", to);
}

const ports = ["Valparaíso", "Tromsø", "Mombasa", "Πειραιάς", "Roscoff"];
/** The completions of arguments. */
const values: Record<string, readonly string[]> = {
  city: ["Rotterdam", "Rostock", "Singapore", "青岛 Qingdao", "Hamburg", "Santos", ...ports, "Rosario"],
  from: ["Rotterdam", "Rostock", "Singapore", "Hamburg", "Santos"],
  to: ["青岛 Qingdao", ...ports],
  tone: ["brief", "thorough", "cheerful"],
};

export class Offers extends Part {
  list_tools = async ({ id }: Args<"list_tools">): Promise<ToolList> => {
    await wait(60);
    const { name, toolCount } = this.host.find(id);
    return toolCount === null ? refuse("not_connected", `${name} isn’t connected`) : toolsOf(name, toolCount);
  };
  list_resources = async ({ id }: Args<"list_resources">) => {
    await wait(80);
    if (this.host.scene === "unread") refuse("request", "the server answered with an error: -32603 out of memory");
    return resourcesOf(this.host.find(id).name);
  };
  list_prompts = async ({ id }: Args<"list_prompts">) => {
    await wait(70);
    return promptsOf(this.host.find(id).name);
  };
  /** Other arguments' values narrow it down. */
  complete_argument = async ({ argument, value, context }: Args<"complete_argument">) => {
    await wait(120);
    const taken = Object.values(context);
    const found = (values[argument] ?? []).filter((text) => text.toLowerCase().includes(value.toLowerCase()) && !taken.includes(text));
    return { values: found, total: found.length, hasMore: false };
  };
  /** Only as far as the recorded templates need it. */
  expand_template = async ({ uriTemplate, values: given }: Args<"expand_template">) =>
    uriTemplate.replaceAll(/\{([?+]?)([^}]+)\}/g, (_, query: string, names: string) => {
      const set = names.split(",").flatMap((name) => (given[name] === undefined ? [] : [[name, encodeURIComponent(given[name])] as const]));
      if (query !== "?") return set.map(([, value]) => value).join(",");
      return set.length === 0 ? "" : `?${set.map((pair) => pair.join("=")).join("&")}`;
    });
}
