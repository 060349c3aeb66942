// A model on the loopback interface that calls the tool whose name ends with a given word, and then repeats the tool's
// result. It supports the APIs that apps use: Messages (Anthropic), Responses and Chat Completions (OpenAI), and
// generateContent (Gemini), each as a whole or streamed.

import { once } from "node:events";
import { createServer } from "node:http";

/** The result of a tool as text, wherever a request contains it. */
function answered(body) {
  const texts = [];
  const visit = (value, isResult) => {
    if (typeof value === "string") {
      if (isResult) texts.push(value);
    } else if (Array.isArray(value)) value.forEach((item) => visit(item, isResult));
    else if (value !== null && typeof value === "object") {
      const is =
        isResult ||
        value.type === "tool_result" ||
        value.type === "function_call_output" ||
        value.role === "tool" ||
        "functionResponse" in value;
      for (const [name, part] of Object.entries(value)) {
        visit(part, is && !["type", "role", "call_id", "tool_call_id", "tool_use_id", "id", "name"].includes(name));
      }
    }
  };
  visit(body.messages ?? body.input ?? body.contents ?? [], false);
  return texts.length > 0 ? texts.join(" ") : null;
}

/** The names of the tools in a request, with their namespaces. */
function toolNames(body) {
  const names = [];
  for (const tool of body.tools ?? []) {
    if (tool.functionDeclarations) names.push(...tool.functionDeclarations.map((one) => ({ name: one.name })));
    else if (tool.type === "namespace") names.push(...tool.tools.map((one) => ({ name: one.name, namespace: tool.name })));
    else names.push({ name: tool.function?.name ?? tool.name });
  }
  return names.filter((tool) => tool.name !== undefined);
}

const CALL = "call_1";
const event = (data, name) => `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

const services = {
  messages(model, { text, tool, args }) {
    const block = tool ? { type: "tool_use", id: "toolu_1", name: tool.name, input: args } : { type: "text", text };
    const whole = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model,
      content: [block],
      stop_reason: tool ? "tool_use" : "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    const empty = tool ? { ...block, input: {} } : { ...block, text: "" };
    const delta = tool ? { type: "input_json_delta", partial_json: JSON.stringify(args) } : { type: "text_delta", text };
    const stream = [
      { type: "message_start", message: { ...whole, content: [], stop_reason: null } },
      { type: "content_block_start", index: 0, content_block: empty },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: whole.stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } },
      { type: "message_stop" },
    ];
    return { whole, stream: stream.map((part) => event(part, part.type)).join("") };
  },
  responses(model, { text, tool, args }) {
    const item = tool
      ? {
          type: "function_call",
          id: "fc_1",
          call_id: CALL,
          name: tool.name,
          ...(tool.namespace === undefined ? {} : { namespace: tool.namespace }),
          arguments: JSON.stringify(args),
          status: "completed",
        }
      : { type: "message", id: "m_1", role: "assistant", status: "completed", content: [{ type: "output_text", text, annotations: [] }] };
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    const whole = { id: "resp_1", object: "response", created_at: 1, model, status: "completed", output: [item], usage };
    const stream = [
      { type: "response.created", response: { ...whole, status: "in_progress", output: [] } },
      { type: "response.output_item.added", output_index: 0, item: { ...item, status: "in_progress" } },
      ...(tool ? [] : [{ type: "response.output_text.delta", item_id: "m_1", output_index: 0, content_index: 0, delta: text }]),
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: whole },
    ];
    return { whole, stream: stream.map((part, at) => event({ ...part, sequence_number: at }, part.type)).join("") };
  },
  completions(model, { text, tool, args }) {
    const call = tool && { index: 0, id: CALL, type: "function", function: { name: tool.name, arguments: JSON.stringify(args) } };
    const message = { role: "assistant", content: tool ? null : text, ...(tool ? { tool_calls: [call] } : {}) };
    const finish_reason = tool ? "tool_calls" : "stop";
    const about = { id: "c_1", created: 1, model };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const whole = { ...about, object: "chat.completion", choices: [{ index: 0, message, finish_reason }], usage };
    const chunk = (delta, finish) => ({ ...about, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] });
    const stream = [chunk(message, null), { ...chunk({}, finish_reason), usage }].map((part) => event(part)).join("");
    return { whole, stream: `${stream}data: [DONE]\n\n` };
  },
  gemini(model, { text, tool, args }) {
    const part = tool ? { functionCall: { name: tool.name, args } } : { text };
    const whole = {
      candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      modelVersion: model,
    };
    return { whole, stream: event(whole) };
  },
};

function serviceOf(path) {
  if (path.includes("/messages")) return "messages";
  if (path.includes("/responses")) return "responses";
  if (path.includes("/chat/completions")) return "completions";
  return /:(stream)?[gG]enerateContent/.test(path) ? "gemini" : null;
}

/** The running model. `asked` has the requests. */
export class Model {
  static async start(ending, args) {
    const model = new Model(ending, args);
    model.server.listen(0, "127.0.0.1");
    await once(model.server, "listening");
    return model;
  }

  constructor(ending, args) {
    /** The names of all tools that requests have offered. */
    this.tools = new Set();
    /** The name of the tool that it called. */
    this.called = null;
    /** The tool's result. */
    this.result = null;
    this.paths = new Set();
    this.server = createServer((request, response) => {
      let text = "";
      request.setEncoding("utf8").on("data", (part) => (text += part));
      request.on("end", () => {
        this.paths.add(`${request.method} ${request.url}`);
        const service = serviceOf(request.url);
        const send = (status, type, body) => response.writeHead(status, { "content-type": type }).end(body);
        if (service === null) {
          // Lists of models, token counts, telemetry.
          const lists = { object: "list", data: [{ id: "scripted", object: "model" }], models: [] };
          return send(200, "application/json", JSON.stringify(lists));
        }
        const body = JSON.parse(text === "" ? "{}" : text);
        const names = toolNames(body);
        names.forEach((tool) => this.tools.add(tool.name));
        const result = answered(body);
        const tool = names.find((one) => one.name.endsWith(ending));
        if (result !== null && this.called !== null) this.result ??= result;
        const calls = result === null && tool !== undefined;
        if (calls) this.called = tool.name;
        const answer = services[service]("scripted", calls ? { tool, args } : { text: `It said: ${result ?? "nothing yet"}` });
        const streams = body.stream === true || request.url.includes("streamGenerateContent");
        if (streams) send(200, "text/event-stream", answer.stream);
        else send(200, "application/json", JSON.stringify(answer.whole));
      });
    });
  }

  get url() {
    return `http://127.0.0.1:${this.server.address().port}`;
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }
}
