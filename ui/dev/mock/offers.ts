// What servers offer and what using it brings, as the host said it. Where that depends on what is asked, single words are replaced.
import type { CallEvent } from "@/ipc/bindings/CallEvent";
import type { CallOutcome } from "@/ipc/bindings/CallOutcome";
import type { Completion } from "@/ipc/bindings/Completion";
import type { PromptList } from "@/ipc/bindings/PromptList";
import type { ResourceList } from "@/ipc/bindings/ResourceList";
import type { ResourceView } from "@/ipc/bindings/ResourceView";
import type { ToolList } from "@/ipc/bindings/ToolList";
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

/** The tools of a server, by its name; so many where nothing is recorded of it. */
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
const kinds = [
  ["md", "text/markdown"],
  ["json", "application/json"],
  ["png", "image/png"],
  ["csv", "text/csv"],
  ["rs", "text/x-rust"],
  ["txt", "text/plain"],
] as const;

function file(index: number): ResourceView {
  const [end, mimeType] = kinds[index % kinds.length] ?? kinds[0];
  const name = `${folders[index % folders.length]}/${String(index + 1).padStart(4, "0")}.${end}`;
  const like = pick(demo.resources.resources, (resource) => resource.name === "notice");
  return { ...like, uri: `file:///home/ana/projects/${name}`, name, mimeType, title: null, description: null, size: 200 + index * 37 };
}

/** The resources and templates of a server, by its name. */
export function resourcesOf(name: string): ResourceList {
  const resources = name === "filesystem" ? Array.from({ length: 640 }, (_, index) => file(index)) : [];
  return recorded(name)?.resources ?? { resources, templates: [], skills: [], diagnostics: [] };
}

/** The prompts of a server, by its name. */
export const promptsOf = (name: string): PromptList => recorded(name)?.prompts ?? { prompts: [], diagnostics: [] };

const inside = (text: string) => JSON.stringify(text).slice(1, -1);

/** The same with other words. */
const reworded = (outcome: CallOutcome, from: string, to: string): CallOutcome => ({
  ...outcome,
  result: outcome.result?.replaceAll(inside(from), inside(to)) ?? null,
});

const call = (tool: string) => pick(calls, (one) => one.tool === tool);
const failed = (tool: string) => pick(failedCalls, (one) => one.tool === tool).outcome;

/** The end of a call that was cancelled. */
export const cancelled: CallOutcome = {
  ...failed("never"),
  status: "cancelled",
  error: { code: "cancelled", message: "you cancelled the call", said: null, rpcCode: null, data: null, next: null, evidence: null },
};

const wait = (ms: number) =>
  new Promise<void>((done) => {
    setTimeout(done, ms);
  });

/** Calls a tool. */
export async function callTool(
  tool: string,
  argumentsText: string,
  on: (event: CallEvent) => void,
  signal: AbortSignal,
): Promise<CallOutcome> {
  const args = JSON.parse(argumentsText) as Record<string, unknown>;
  if (tool === "progress" || tool === "draw_chart") return haul(tool === "draw_chart" ? 16 : Number(args["seconds"] ?? 10), on, signal);
  const known = calls.find((one) => one.tool === tool && one.arguments === argumentsText) ?? calls.find((one) => one.tool === tool);
  for (const event of known?.events ?? []) on(event);
  await wait(90);
  if (tool === "fail" || tool === "break") return failure(args["kind"]);
  if (tool === "add") return reworded(call("add").outcome, "42", String(Number(args["a"]) + Number(args["b"])));
  if (tool === "echo" || !known)
    return reworded(call("echo").outcome, "Ahoy!", known ? String(args["text"] ?? "") : `${tool} did its work.`);
  return known.outcome;
}

function failure(kind: unknown): CallOutcome {
  const kinds: Record<string, string> = { timeout: "never", closed: "crash" };
  if (kind === "protocol_error") return pick(calls, (one) => one.arguments.includes(kind)).outcome;
  if (kind !== "too_large") return typeof kind === "string" && kinds[kind] ? failed(kinds[kind]) : call("fail").outcome;
  const cut = failed("huge");
  // Of some answers nothing can be read, and the beginning stands beside the error.
  return {
    ...cut,
    result: null,
    bytes: 0,
    error: cut.error && { ...cut.error, evidence: `{"jsonrpc":"2.0","id":7,"result":${cut.result}` },
  };
}

/** Four steps a second. */
async function haul(seconds: number, on: (event: CallEvent) => void, signal: AbortSignal): Promise<CallOutcome> {
  const { events, outcome } = call("progress");
  const steps = Math.max(1, Math.round(seconds * 4));
  for (const event of events) if (event.kind === "log") on(event);
  for (let step = 0; step <= steps; step += 1) {
    on({ kind: "progress", progress: step, total: steps, message: `${step} of ${steps} fathoms hauled in` });
    if (step < steps) await wait(250);
    if (signal.aborted) return cancelled;
  }
  return reworded(outcome, "4 fathoms are on deck after 1 s", `${steps} fathoms are on deck after ${seconds} s`);
}

/** What the weather is at this moment: it changes with every update. */
let readings = 0;

/** Reads a resource; of what is made up from its address, another address will do. */
export function readResource(uri: string): CallOutcome {
  const like = (other: string) => reworded(pick(reads, (one) => one.uri === other).outcome, other, uri);
  if (uri.startsWith("file:")) return reworded(like("harbour://notice"), "NOTICE TO MARINERS", `The contents of ${uri}`);
  if (uri.startsWith("table:")) return like("table://harbour/berth");
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

const values: Record<string, readonly string[]> = {
  city: [
    "Rotterdam",
    "Rostock",
    "Singapore",
    "青岛 Qingdao",
    "Hamburg",
    "Santos",
    "Valparaíso",
    "Tromsø",
    "Mombasa",
    "Πειραιάς",
    "Roscoff",
    "Rosario",
  ],
  from: ["Rotterdam", "Rostock", "Singapore", "Hamburg", "Santos"],
  to: ["青岛 Qingdao", "Valparaíso", "Tromsø", "Mombasa", "Πειραιάς", "Roscoff"],
  tone: ["brief", "thorough", "cheerful"],
  owner: ["modelcontextprotocol", "mooring", "rust-lang"],
  repo: ["servers", "specification", "typescript-sdk", "python-sdk"],
  schema: ["harbour", "public", "audit"],
  name: ["berth", "booking", "captain", "cargo", "city"],
  path: Array.from({ length: 340 }, (_, index) => `src/part-${String(index).padStart(3, "0")}.rs`),
};
/** What completing an argument offers; what was chosen for others narrows it down. */
export function complete(argument: string, value: string, context: Record<string, string>): Completion {
  const found = (values[argument] ?? []).filter(
    (text) => text.toLowerCase().includes(value.toLowerCase()) && !Object.values(context).includes(text),
  );
  return { values: found.slice(0, 100), total: found.length, hasMore: found.length > 100 };
}

/** RFC 6570 as far as the templates above need it. */
export function expand(uriTemplate: string, given: Record<string, string>): string {
  if (/\{[^}]*(?:\{|$)/.test(uriTemplate)) {
    // oxlint-disable-next-line no-throw-literal -- the real transport rejects with plain objects as well
    throw { code: "invalid_template", message: "an expression is not closed", details: null };
  }
  return uriTemplate.replaceAll(/\{([?&#+./;]?)([^}]+)\}/g, (_, operator: string, names: string) => {
    const set = names.split(",").filter((name) => given[name] !== undefined);
    const written = (name: string) =>
      operator === "+" || operator === "#" ? encodeURI(given[name] ?? "") : encodeURIComponent(given[name] ?? "");
    if (operator === "?" || operator === "&")
      return set.length === 0 ? "" : operator + set.map((name) => `${name}=${written(name)}`).join("&");
    return (operator === "+" ? "" : set.length === 0 ? "" : operator) + set.map(written).join(",");
  });
}
