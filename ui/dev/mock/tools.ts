// Tools and what calling them gives.
import type { CallEvent } from "@/ipc/bindings/CallEvent";
import type { CallOutcome } from "@/ipc/bindings/CallOutcome";
import type { ToolList } from "@/ipc/bindings/ToolList";
import type { ToolView } from "@/ipc/bindings/ToolView";
import { workbenchCall } from "./workbench";
import { workbenchTools } from "./workbench-tools";
import { say } from "./say";

interface Spec {
  name: string;
  title?: string;
  description?: string;
  inputSchema?: object;
  outputSchema?: object;
  annotations?: object;
}

function tool(spec: Spec, diagnostics: ToolView["diagnostics"] = []): ToolView {
  const text = (part: object | undefined) => (part === undefined ? null : JSON.stringify(part));
  return {
    name: spec.name,
    title: spec.title ?? null,
    description: spec.description ?? null,
    inputSchema: text(spec.inputSchema),
    outputSchema: text(spec.outputSchema),
    annotations: text(spec.annotations),
    raw: JSON.stringify(spec),
    diagnostics,
  };
}

const none = { type: "object", properties: {} };

const demo: ToolView[] = [
  tool({
    name: "echo",
    title: "Echo",
    description: "Gives back the text it gets.",
    inputSchema: { type: "object", properties: { text: { type: "string", description: "What to give back" } }, required: ["text"] },
    annotations: { readOnlyHint: true },
  }),
  tool({
    name: "add",
    title: "Add two numbers",
    description: "Adds a and b.",
    inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number", default: 1 } }, required: ["a", "b"] },
    outputSchema: { type: "object", properties: { sum: { type: "number" } } },
  }),
  tool({
    name: "count_slowly",
    title: "Count slowly",
    description: "Counts to ten, a second each, and reports progress.",
    inputSchema: {
      type: "object",
      properties: { steps: { type: "integer", minimum: 1, maximum: 60, default: 10, description: "How many steps" } },
    },
  }),
  tool({ name: "fail", description: "Always fails, to show how a failure looks.", inputSchema: none }),
  tool({ name: "picture", description: "Returns a small image.", inputSchema: none }),
  tool({ name: "sound", description: "Returns a short tone.", inputSchema: none }),
  tool({
    name: "berths",
    description: "Berths per city, as structured output.",
    inputSchema: {
      type: "object",
      properties: {
        city: { type: "string", enum: ["Rotterdam", "Singapore", "青岛 Qingdao"] },
        row_limit: { type: "integer", minimum: 1, maximum: 1000, default: 100 },
        since: { type: "string", format: "date" },
        open: { type: "boolean" },
        tags: { type: "array", items: { type: "string" } },
        contact: {
          type: "object",
          properties: { name: { type: "string" }, email: { type: "string", format: "email" } },
          required: ["name"],
        },
      },
    },
    outputSchema: { type: "object" },
  }),
  tool({ name: "link", description: "Returns a link to a resource.", inputSchema: none }),
];

const postgres: ToolView[] = [
  tool({
    name: "query",
    description: "Run a read-only SQL query and return the rows.",
    inputSchema: {
      type: "object",
      properties: {
        sql: { type: "string", description: "The query" },
        row_limit: { type: "integer", minimum: 1, maximum: 1000, default: 100 },
        format: { type: "string", enum: ["table", "json", "csv"], default: "table" },
      },
      required: ["sql"],
    },
    annotations: { readOnlyHint: true },
  }),
  tool({
    name: "explain",
    description: "Show the plan of a query.",
    inputSchema: {
      type: "object",
      properties: { sql: { type: "string" }, analyze: { type: "boolean", default: false } },
      required: ["sql"],
    },
  }),
  tool({ name: "list_tables", description: "Tables with their sizes.", inputSchema: none }),
];

function numbered(count: number, verbs: readonly string[]): ToolView[] {
  return Array.from({ length: count }, (_, index) =>
    tool(
      {
        name: `${verbs[index % verbs.length] ?? "do"}_${["issue", "pull_request", "repository", "branch", "file", "release"][index % 6] ?? "thing"}${index >= 24 ? `_${index}` : ""}`,
        description: "Works on one thing. Requires write access.",
        inputSchema: {
          type: "object",
          properties: { owner: { type: "string" }, repo: { type: "string" }, title: { type: "string" } },
          required: ["owner", "repo"],
        },
        ...(index % 5 === 0 ? { annotations: { destructiveHint: true, openWorldHint: true } } : {}),
      },
      index === 17
        ? [{ code: "missing_schema", path: "tools[17].inputSchema", message: say("missing; the tool is shown and takes any object") }]
        : [],
    ),
  );
}

/** The tools of a server, by its name. */
export function toolsOf(name: string, count: number): ToolList {
  const tools =
    workbenchTools(name) ??
    (name.startsWith("demo")
      ? demo
      : name === "postgres-prod"
        ? postgres
        : numbered(count, ["get", "create", "update", "list", "delete", "search", "merge"]));
  return { tools, diagnostics: [] };
}

const png = "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAYAAADED76LAAAAGklEQVR4nGPwOVTzHx9mIKRgVMGogmFqBQBBVs6ByPcYagAAAABJRU5ErkJggg==";
const wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

function outcome(result: object, elapsedMs: number): CallOutcome {
  const text = JSON.stringify(result);
  const toolError = "isError" in result && result.isError === true;
  return { status: toolError ? "tool_error" : "ok", result: text, error: null, diagnostics: [], elapsedMs, bytes: text.length };
}

/** The end of a call that was cancelled. */
export const cancelled: CallOutcome = {
  status: "cancelled",
  result: null,
  error: { code: "cancelled", message: "you cancelled the call", said: null, rpcCode: null, data: null, next: null, evidence: null },
  diagnostics: [],
  elapsedMs: 1_240,
  bytes: 0,
};

/** Calls a tool. */
export async function callTool(
  name: string,
  argumentsText: string,
  on: (event: CallEvent) => void,
  signal: AbortSignal,
): Promise<CallOutcome> {
  const began = performance.now();
  const known = workbenchCall(name, argumentsText, on, signal);
  if (known !== null) return known;
  const args = JSON.parse(argumentsText) as Record<string, unknown>;
  const text = (value: string) => outcome({ content: [{ type: "text", text: value }] }, performance.now() - began);
  const wait = (ms: number) =>
    new Promise<void>((done) => {
      setTimeout(done, ms);
    });
  await wait(40);
  switch (name) {
    case "echo":
      return text(String(args["text"] ?? ""));
    case "add":
      return outcome(
        {
          content: [{ type: "text", text: String(Number(args["a"]) + Number(args["b"])) }],
          structuredContent: { sum: Number(args["a"]) + Number(args["b"]) },
        },
        3,
      );
    case "count_slowly": {
      const steps = Number(args["steps"] ?? 10);
      for (let step = 1; step <= steps; step += 1) {
        await wait(1000);
        if (signal.aborted) return { ...cancelled, elapsedMs: performance.now() - began };
        on({ kind: "progress", progress: step, total: steps, message: `counted to ${step}` });
        if (step % 3 === 0) on({ kind: "log", level: "info", logger: "counter", data: JSON.stringify({ step }) });
      }
      return text(`Counted to ${steps}.`);
    }
    case "fail":
      return outcome({ content: [{ type: "text", text: "The lamp is broken: no current on line 14" }], isError: true }, 12);
    case "picture":
      return outcome(
        {
          content: [
            { type: "text", text: "The harbour at night" },
            { type: "image", mimeType: "image/png", data: png },
          ],
        },
        8,
      );
    case "sound":
      return outcome({ content: [{ type: "audio", mimeType: "audio/wav", data: wav }] }, 8);
    case "link":
      return outcome(
        {
          content: [
            { type: "resource_link", uri: "demo://harbour/lamps.csv", name: "lamps.csv", mimeType: "text/csv", description: "All lamps" },
            { type: "text", text: "See https://example.com/lamps and file:///etc/passwd" },
          ],
        },
        5,
      );
    case "query":
    case "berths": {
      const rows = [
        ["Rotterdam", 412],
        ["Singapore", 388],
        ["青岛 Qingdao", 301],
        ["Hamburg", 276],
        ["Santos", 154],
      ].map(([city, berths]) => ({ city, berths }));
      return outcome({ content: [{ type: "text", text: JSON.stringify(rows) }], structuredContent: { rows, total: 5 } }, 184);
    }
    default:
      return text(`${name} did its work.`);
  }
}
