// A server that asks in a form for what looks like a secret, and never repeats the answer.

import { createInterface } from "node:readline";

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const fields = { password: { type: "string", title: "Password" }, harbour: { type: "string", title: "Harbour" } };
const params = {
  mode: "form",
  message: "Say the password.",
  requestedSchema: { type: "object", properties: fields, required: ["password"] },
};
const answers = {
  initialize: () => ({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "asking", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "ask", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }] }),
  ping: () => ({}),
};
let call;
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, result } = JSON.parse(line);
  if (method === "tools/call") {
    call = id;
    send({ id: "form", method: "elicitation/create", params });
  } else if (id === "form") {
    send({ id: call, result: { content: [{ type: "text", text: `It has ${result.content.password.length} characters.` }] } });
  } else if (method !== undefined && id !== undefined) {
    send(answers[method] ? { id, result: answers[method]() } : { id, error: { code: -32601, message: "not known" } });
  }
});
