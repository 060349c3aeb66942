// What the tools of the Workbench answer without a host: every kind of result, good and odd.
// Asked first by tools.ts; what it does not know is left to that file.
import type { CallEvent } from "@/ipc/bindings/CallEvent";
import type { CallOutcome } from "@/ipc/bindings/CallOutcome";
import { said, say } from "./say";

export const wav = (): string => {
  const rate = 8_000;
  const length = rate;
  const bytes = new Uint8Array(44 + length);
  const view = new DataView(bytes.buffer);
  const write = (at: number, text: string) => new TextEncoder().encode(text).forEach((byte, index) => view.setUint8(at + index, byte));
  write(0, "RIFF");
  view.setUint32(4, 36 + length, true);
  write(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, rate, true);
  view.setUint16(32, 1, true);
  view.setUint16(34, 8, true);
  write(36, "data");
  view.setUint32(40, length, true);
  for (let index = 0; index < length; index += 1) bytes[44 + index] = 128 + Math.round(90 * Math.sin((index / rate) * 2 * Math.PI * 110));
  return btoa(String.fromCharCode(...bytes));
};

/** A lighthouse at night, drawn by the page where it can draw. */
export function picture(): string {
  const canvas = document.createElement("canvas");
  canvas.width = 480;
  canvas.height = 270;
  const brush = canvas.getContext("2d");
  if (!brush) return "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const sky = brush.createLinearGradient(0, 0, 0, 270);
  sky.addColorStop(0, "#0b1b33");
  sky.addColorStop(1, "#27476b");
  brush.fillStyle = sky;
  brush.fillRect(0, 0, 480, 270);
  brush.fillStyle = "rgba(255,226,140,.28)";
  brush.beginPath();
  brush.moveTo(240, 78);
  brush.lineTo(480, 20);
  brush.lineTo(480, 120);
  brush.fill();
  brush.fillStyle = "#e9eef2";
  brush.beginPath();
  brush.moveTo(226, 90);
  brush.lineTo(254, 90);
  brush.lineTo(266, 220);
  brush.lineTo(214, 220);
  brush.fill();
  brush.fillStyle = "#b3261e";
  brush.fillRect(219, 140, 42, 24);
  brush.fillStyle = "#ffe28c";
  brush.fillRect(230, 70, 20, 18);
  brush.fillStyle = "#0d2338";
  brush.fillRect(0, 220, 480, 50);
  return canvas.toDataURL("image/png").split(",")[1] ?? "";
}

const cities = ["Rotterdam", "Singapore", "青岛 Qingdao", "Hamburg", "Santos", "Valparaíso"];
const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    city: cities[index % cities.length] ?? "",
    berths: 412 - ((index * 37) % 300),
    depth: 11.5 + (index % 7) / 2,
    open_at_night: index % 3 !== 0,
    harbour_master: index % 4 === 0 ? null : `Captain ${index + 1}`,
  }));

function result(value: object, elapsedMs: number, diagnostics: CallOutcome["diagnostics"] = []): CallOutcome {
  const text = JSON.stringify(value);
  return {
    status: "isError" in value && value.isError === true ? "tool_error" : "ok",
    result: text,
    error: null,
    diagnostics,
    elapsedMs,
    bytes: new TextEncoder().encode(text).length,
  };
}
const ended = (status: CallOutcome["status"], error: CallOutcome["error"], elapsedMs: number): CallOutcome => ({
  status,
  result: null,
  error,
  diagnostics: [],
  elapsedMs,
  bytes: 0,
});
const text = (value: string) => ({ content: [{ type: "text", text: value }] });

const cut = said("the answer is larger than the limit of {limit}: it has {size}", { limit: "16 MiB", size: "20.5 MiB" });
const failures: Record<string, CallOutcome> = {
  protocol_error: ended(
    "rpc_error",
    {
      code: "rpc",
      message: "the anchor is fouled",
      said: null,
      rpcCode: -32_603,
      data: '{"hint":"this is what a server\'s own failure looks like"}',
      next: null,
      evidence: null,
    },
    3.1,
  ),
  timeout: ended(
    "timed_out",
    { code: "timeout", message: "no answer within 60 s", said: null, rpcCode: null, data: null, next: null, evidence: null },
    60_000,
  ),
  closed: ended(
    "failed",
    {
      code: "closed",
      message: "the connection ended: the server's process ended (exit code 1)",
      said: null,
      rpcCode: null,
      data: null,
      next: null,
      evidence: null,
    },
    412,
  ),
  too_large: ended(
    "failed",
    {
      code: "too_large",
      message: cut.text,
      said: cut,
      rpcCode: null,
      data: null,
      next: null,
      evidence:
        `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"${"harbour;berth;depth;free\\nRotterdam;B-1;11.5;true\\nSingapore;B-2;12.0;false\\n".repeat(24)}`.slice(
          0,
          1_500,
        ),
    },
    97,
  ),
};

const levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

const odd = {
  content: [
    {
      type: "text",
      text: "Looks fine \u202Eexe.gpj\u202C, and a zero\u200Bwidth space; 👩‍👩‍👧 and العربية stay.\n<img src=x onerror=alert(1)> **not bold** [link](https://example.com)",
    },
    { type: "hologram", depth: 3, frames: [1, 2, 12345678901234567890n.toString()] },
    { type: "image", mimeType: "image/svg+xml", data: btoa('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>') },
    { type: "image", mimeType: "image/tiff", data: "SUkqAAgAAAA=" },
    { type: "image", mimeType: "image/png", data: "bm90IGEgcG5n" },
    { type: "audio", mimeType: "audio/wav", data: "not base64!" },
    {
      type: "text",
      text: '{"compact":true,"rows":[{"id":9007199254740993,"name":"one"}],"nested":{"a":[1,2,3]}}',
      annotations: { audience: ["assistant"], priority: 0.4 },
    },
    { type: "resource", resource: { uri: "demo://harbour/plan.bin", mimeType: "application/octet-stream", blob: "AAECAwQFBgc=" } },
    "not an object",
  ],
};

/** Calls one of the tools; null when this file does not know it. */
export function workbenchCall(
  name: string,
  argumentsText: string,
  on: (event: CallEvent) => void,
  signal: AbortSignal,
): Promise<CallOutcome> | null {
  const args = JSON.parse(argumentsText) as Record<string, unknown>;
  const wait = (ms: number) =>
    new Promise<void>((done) => {
      setTimeout(done, ms);
    });
  const soon = async (outcome: CallOutcome, ms = 90) => {
    await wait(ms);
    return outcome;
  };
  switch (name) {
    case "query": {
      on({ kind: "progress", progress: 4, total: 4, message: "rows sent" });
      on({ kind: "log", level: "info", logger: null, data: '"connection reused (pool 3/8)"' });
      on({ kind: "log", level: "debug", logger: null, data: '"plan: HashAggregate → Seq Scan on berth"' });
      const rows = [
        ["Rotterdam", 412],
        ["Singapore", 388],
        ["青岛 Qingdao", 301],
        ["Hamburg", 276],
        ["Santos", 154],
      ].map(([city, berths]) => ({ city, berths }));
      return soon(result({ content: [{ type: "text", text: JSON.stringify({ rows }) }], structuredContent: { rows } }, 184));
    }
    case "echo":
      return soon(result(text(String(args["text"] ?? "")), 1.4));
    case "add":
      return soon(result(text(String(Number(args["a"]) + Number(args["b"]))), 0.9));
    case "progress":
      return haul(Number(args["seconds"] ?? 10), on, signal, wait);
    case "fail": {
      const kind = String(args["kind"] ?? "tool_error");
      return soon(failures[kind] ?? result({ ...text(String(args["message"] ?? "the anchor is fouled")), isError: true }, 2.2));
    }
    case "log": {
      for (let round = 0; round < Number(args["repeat"] ?? 1); round += 1) {
        for (const level of levels)
          on({ kind: "log", level, logger: "harbour.watch", data: JSON.stringify({ message: "fog on the river", round: round + 1 }) });
      }
      return soon(result(text("Sent the messages."), 5));
    }
    case "image":
      return soon(
        result(
          {
            content: [
              { type: "text", text: "The harbour at night" },
              { type: "image", mimeType: "image/png", data: picture() },
            ],
          },
          31,
        ),
      );
    case "audio":
      return soon(result({ content: [{ type: "audio", mimeType: "audio/wav", data: wav() }] }, 12));
    case "structured": {
      const harbours = rowsOf(Number(args["rows"] ?? 6));
      const structuredContent = { harbours, totalFree: 1_204 };
      return soon(result({ content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent }, 7.5));
    }
    case "link":
      return soon(
        result(
          {
            content: [
              { type: "text", text: "The guide, first as a link and then embedded:" },
              {
                type: "resource_link",
                uri: "demo://harbour/guide",
                name: "guide",
                title: "Harbour guide",
                description: "How to come in at night, and whom to call.",
                mimeType: "text/markdown",
                size: 2_148,
                annotations: { audience: ["user"], priority: 0.9 },
              },
              {
                type: "resource",
                resource: {
                  uri: "demo://harbour/guide",
                  mimeType: "text/markdown",
                  text: "# Harbour guide\n\n1. Call on channel 12.\n2. Keep the green light to starboard.\n",
                },
              },
            ],
          },
          2,
        ),
      );
    case "long_text": {
      const lines = Array.from(
        { length: Number(args["lines"] ?? 400) },
        (_, index) =>
          `${String(Math.floor(index / 60) % 24).padStart(2, "0")}:${String(index % 60).padStart(2, "0")}  entry ${String(index + 1).padStart(6)}  course ${String((index * 37) % 360).padStart(3, "0")}°  wind ${String((index * 7) % 19).padStart(2)} kn`,
      );
      return soon(result(text(`${lines.join("\n")}\n`), 44));
    }
    case "odd":
      return soon(result(odd, 4, [{ code: "wrong_type", path: "content[8]", message: say("is not an object") }]));
    case "draw_chart":
      return haul(16, on, signal, wait);
    case "book_berth":
    case "every_schema":
      return soon(
        result(
          {
            ...text("Accepted."),
            structuredContent: { number: "CN-017", accepted: args, notes: ["The harbour closes at dusk; arrive by daylight."] },
          },
          3.3,
        ),
      );
    default:
      return null;
  }
}

async function haul(
  seconds: number,
  on: (event: CallEvent) => void,
  signal: AbortSignal,
  wait: (ms: number) => Promise<void>,
): Promise<CallOutcome> {
  const steps = Math.max(1, Math.round(seconds * 4));
  on({ kind: "log", level: "info", logger: "winch", data: JSON.stringify({ event: "progress started", seconds }) });
  for (let step = 0; step <= steps; step += 1) {
    on({ kind: "progress", progress: step, total: steps, message: `${step} of ${steps} fathoms hauled in` });
    if (step < steps) await wait(250);
    if (signal.aborted)
      return ended(
        "cancelled",
        { code: "cancelled", message: "you cancelled the call", said: null, rpcCode: null, data: null, next: null, evidence: null },
        step * 250,
      );
  }
  return result(text(`All ${steps} fathoms are on deck after ${seconds} s.`), seconds * 1_000);
}
