// Definitions of tools for looking at the Workbench without a host: every kind of argument, good and odd.
import type { ToolView } from "@/ipc/bindings/ToolView";
import { say } from "./say";

interface Spec {
  name: string;
  title?: string;
  description?: string;
  inputSchema?: unknown;
  outputSchema?: unknown;
  annotations?: unknown;
}

function tool(spec: Spec, diagnostics: ToolView["diagnostics"] = []): ToolView {
  const text = (part: unknown) => (part === undefined ? null : JSON.stringify(part));
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
const readOnly = { readOnlyHint: true, openWorldHint: false };
const berth = { type: "object", properties: { city: { type: "string" }, berths: { type: "integer" } }, required: ["city", "berths"] };

const postgres: ToolView[] = [
  tool({
    name: "query",
    description: "Run a read-only SQL query and return the rows.",
    annotations: readOnly,
    inputSchema: {
      type: "object",
      properties: {
        sql: { type: "string" },
        row_limit: { type: "integer", minimum: 1, maximum: 1000, default: 100 },
        format: { type: "string", enum: ["table", "json", "csv"], default: "table" },
      },
      required: ["sql"],
    },
    outputSchema: { type: "object", properties: { rows: { type: "array", items: berth } }, required: ["rows"] },
  }),
  tool({
    name: "explain",
    title: "Explain a query",
    description: "Show the plan of a query.",
    inputSchema: {
      type: "object",
      properties: { sql: { type: "string" }, analyze: { type: "boolean", default: false } },
      required: ["sql"],
    },
    annotations: readOnly,
  }),
  tool({ name: "list_tables", description: "Tables with their sizes.", inputSchema: none, annotations: readOnly }),
  tool({
    name: "vacuum",
    description: "Reclaims space. Locks the table while it works.",
    inputSchema: { type: "object", properties: { table: { type: "string" }, full: { type: "boolean" } }, required: ["table", "full"] },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  }),
  tool({
    name: "drop_table",
    description: "Removes a table and everything in it.",
    inputSchema: { type: "object", properties: { table: { type: "string", pattern: "^[a-z_][a-z0-9_.]*$" } }, required: ["table"] },
    annotations: { destructiveHint: true, idempotentHint: true },
  }),
  tool({ name: "legacy_report" }, [{ code: "missing", path: "tools[5].inputSchema", message: say("is missing") }]),
];

const zones = [
  "Africa/Cairo",
  "Africa/Lagos",
  "Africa/Nairobi",
  "America/Argentina/Buenos_Aires",
  "America/Bogota",
  "America/Chicago",
  "America/Denver",
  "America/Los_Angeles",
  "America/Mexico_City",
  "America/New_York",
  "America/Sao_Paulo",
  "America/Toronto",
  "America/Vancouver",
  "Asia/Dubai",
  "Asia/Ho_Chi_Minh",
  "Asia/Hong_Kong",
  "Asia/Jakarta",
  "Asia/Kolkata",
  "Asia/Seoul",
  "Asia/Shanghai",
  "Asia/Singapore",
  "Asia/Tokyo",
  "Australia/Sydney",
  "Europe/Amsterdam",
  "Europe/Berlin",
  "Europe/Lisbon",
  "Europe/London",
  "Europe/Madrid",
  "Europe/Oslo",
  "Europe/Paris",
  "Europe/Rome",
  "Pacific/Auckland",
];
const shape = (kind: string, properties: object, required: string[]) => ({
  title: kind,
  type: "object",
  properties: { kind: { const: kind.toLowerCase() }, ...properties },
  required: ["kind", ...required],
});

const demo: ToolView[] = [
  tool({
    name: "echo",
    title: "Echo",
    description: "Returns the text you send, byte for byte.",
    inputSchema: {
      type: "object",
      properties: { text: { type: "string", description: "Any text; it comes back unchanged.", examples: ["Ahoy!"] } },
      required: ["text"],
    },
    annotations: readOnly,
  }),
  tool({
    name: "add",
    title: "Add two numbers",
    description: "Adds `a` and `b` and returns the sum as text.",
    inputSchema: {
      type: "object",
      properties: { a: { type: "number", description: "The first number." }, b: { type: "number", description: "The second number." } },
      required: ["a", "b"],
    },
    annotations: readOnly,
  }),
  tool({
    name: "progress",
    title: "Slow work with progress",
    description:
      "Hauls in a long mooring line: takes `seconds`, reports progress four times a second, and stops at once when the call is cancelled.",
    inputSchema: {
      type: "object",
      properties: {
        seconds: { type: "number", description: "How long the work takes, in seconds.", default: 10, minimum: 0, maximum: 300 },
      },
    },
    annotations: readOnly,
  }),
  tool({
    name: "fail",
    title: "Fail on purpose",
    description: "Fails, either as a tool error inside a normal result or as a JSON-RPC error, so that you can see the difference.",
    inputSchema: {
      type: "object",
      properties: {
        kind: {
          description: "In which of the ways to fail.",
          oneOf: [
            { const: "tool_error", title: "Tool error" },
            { const: "protocol_error", title: "Protocol error" },
            { const: "timeout", title: "No answer" },
            { const: "closed", title: "Connection ends" },
            { const: "too_large", title: "Answer too large" },
          ],
          default: "tool_error",
        },
        message: { type: "string", minLength: 1, maxLength: 500, default: "the anchor is fouled" },
      },
    },
    annotations: readOnly,
  }),
  tool({
    name: "log",
    title: "Send log messages",
    description: "Sends log notifications at all eight levels.",
    inputSchema: { type: "object", properties: { repeat: { type: "integer", minimum: 1, maximum: 1000, default: 1 } } },
    annotations: readOnly,
  }),
  tool({
    name: "image",
    title: "Paint a lighthouse",
    description: "Returns a PNG picture of a lighthouse, painted for this call.",
    inputSchema: { type: "object", properties: { hour: { enum: ["dawn", "day", "night"], default: "night" } } },
    annotations: readOnly,
  }),
  tool({
    name: "audio",
    title: "Sound the fog horn",
    description: "Returns the sound of a fog horn as a WAV file.",
    inputSchema: { type: "object", properties: { pitch: { type: "number", minimum: 60, maximum: 880, default: 110 } } },
    annotations: readOnly,
  }),
  tool({
    name: "structured",
    title: "Berths per city",
    description: "Returns structured content with an output schema: the berths of each harbour.",
    inputSchema: { type: "object", properties: { rows: { type: "integer", minimum: 0, maximum: 100_000, default: 6 } } },
    outputSchema: {
      type: "object",
      properties: { harbours: { type: "array", items: berth }, totalFree: { type: "integer" } },
      required: ["harbours", "totalFree"],
    },
    annotations: readOnly,
  }),
  tool({
    name: "link",
    title: "Link to the guide",
    description: "Returns a link to the harbour guide, and the guide itself as an embedded resource.",
    inputSchema: none,
    annotations: readOnly,
  }),
  tool({
    name: "long_text",
    title: "Long text",
    description: "Returns as many lines as you like, to see how a long result behaves.",
    inputSchema: { type: "object", properties: { lines: { type: "integer", minimum: 1, maximum: 100_000, default: 400 } } },
    annotations: readOnly,
  }),
  tool({
    name: "draw_chart",
    title: "Draw a chart",
    description: "Draws the chart of a harbour. The server takes the call on as a task and works in the background.",
    inputSchema: { type: "object", properties: { city: { type: "string", default: "Rotterdam" } } },
    annotations: readOnly,
  }),
  tool(
    {
      name: "odd",
      title: "Odd content",
      description: "Content that no specification knows, text that tries to deceive, and kinds that are not shown.",
      inputSchema: none,
      annotations: readOnly,
    },
    [{ code: "wrong_type", path: "tools[10].annotations.title", message: say("is not a string") }],
  ),
  tool({
    name: "book_berth",
    title: "Book a berth",
    description:
      "Books a berth in a harbour that does not exist. It has an argument of every kind: text, choice, date, whole and decimal numbers with limits, a switch, lists, and a nested object.",
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    inputSchema: {
      $defs: {
        Contact: {
          type: "object",
          description: "Whom to call.",
          properties: {
            name: { type: "string", description: "Name of the skipper.", minLength: 1, maxLength: 60 },
            email: { type: ["string", "null"], format: "email", description: "Electronic mail address for the confirmation." },
            vhf_channel: { type: "integer", minimum: 1, maximum: 88, default: 12, description: "Radio channel on which she listens." },
          },
          required: ["name"],
        },
      },
      type: "object",
      properties: {
        ship: {
          type: "string",
          description: "Name of the ship, as painted on her stern.",
          minLength: 2,
          maxLength: 40,
          examples: ["Fair Wind"],
        },
        city: {
          type: "string",
          description: "The harbour to book in.",
          enum: ["青岛", "Rotterdam", "Valparaíso", "Tromsø", "Mombasa", "Πειραιάς"],
          default: "青岛",
        },
        arrival: { type: "string", format: "date", description: "Day of arrival.", examples: ["2026-05-17"] },
        nights: { type: "integer", minimum: 1, maximum: 30, default: 2, description: "How many nights she stays." },
        length_metres: {
          type: "number",
          minimum: 3,
          maximum: 400,
          multipleOf: 0.5,
          default: 12.5,
          description: "Length over all, in metres.",
        },
        shore_power: { type: "boolean", default: true, description: "Whether she needs electricity from the quay." },
        services: {
          type: "array",
          items: { enum: ["pilot", "water", "fuel", "laundry"] },
          maxItems: 4,
          uniqueItems: true,
          description: "Services wanted on arrival.",
        },
        crew: {
          type: "array",
          items: { type: "string", minLength: 1, maxLength: 60 },
          maxItems: 20,
          description: "Names of the crew, the skipper first.",
        },
        contact: { $ref: "#/$defs/Contact", description: "Whom the harbour master may call." },
        second_contact: { $ref: "#/$defs/Contact" },
        remarks: { type: ["string", "null"], maxLength: 2000, description: "Anything else the harbour master should know." },
      },
      required: ["ship", "arrival", "contact"],
    },
  }),
  tool({
    name: "every_schema",
    title: "Everything a schema can say",
    description: "Alternatives, tuples, maps, references to itself, secrets, patterns, and parts that only JSON can hold.",
    inputSchema: {
      $defs: {
        Node: {
          type: "object",
          properties: { label: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/Node" } } },
          required: ["label"],
        },
      },
      type: "object",
      properties: {
        shape: {
          description: "One of three shapes.",
          oneOf: [
            shape("Circle", { radius: { type: "number", exclusiveMinimum: 0 } }, ["radius"]),
            shape("Box", { width: { type: "number" }, height: { type: "number" } }, ["width", "height"]),
            { type: "string", title: "A shape by name" },
          ],
        },
        time_zone: { enum: zones, description: "Where it happens." },
        position: {
          type: "array",
          prefixItems: [
            { type: "number", title: "longitude", minimum: -180, maximum: 180 },
            { type: "number", title: "latitude", minimum: -90, maximum: 90 },
          ],
          items: false,
          minItems: 2,
        },
        labels: { type: "object", additionalProperties: { type: "string" }, description: "Names and values of your own." },
        tree: { $ref: "#/$defs/Node" },
        api_key: { type: "string", format: "password" },
        code: { type: "string", description: "A small program." },
        slug: { type: "string", pattern: "^[a-z0-9]+(-[a-z0-9]+)*$", maxLength: 64 },
        id: { type: "string", format: "uuid" },
        website: { type: ["string", "null"], format: "uri" },
        at: { type: "string", format: "date-time" },
        big: { type: "integer", maximum: 1e21, description: "A number that JavaScript alone would round." },
        anything: { description: "Any JSON value." },
        remote: { $ref: "https://example.com/schema.json" },
        old: { type: "string", deprecated: true, description: "Use `slug` instead." },
      },
      required: ["shape", "position"],
    },
  }),
];

const sizes = {
  oneOf: [
    { const: "s", title: "Small, up to 8 metres" },
    { const: "m", title: "Middle, up to 15 metres", description: "Most ships" },
    { const: "l", title: "Large" },
  ],
};
const optional = (schema: object) => ({ anyOf: [schema, { type: "null" }], default: null });

/** Schemas as generators write them: optional by null, titles beside values, alternatives, references to identifiers. */
const written: ToolView[] = [
  tool({
    name: "every_choice",
    title: "Every kind of choice",
    description: "Values with titles in every way that is in use, optional values, and parts that are described elsewhere.",
    inputSchema: {
      type: "object",
      properties: {
        note: { title: "Note", description: "Left out, or a text.", ...optional({ type: "string" }) },
        nights: { title: "Nights", ...optional({ type: "integer", minimum: 1, maximum: 30 }) },
        size: { title: "Size", description: "By a reference to titled choices.", $ref: "#/$defs/Size" },
        level: { type: "integer", enum: [1, 2, 3], enumNames: ["Low", "Middle", "High"], default: 2 },
        side: { type: "string", enum: ["port", "starboard"], "x-enumNames": ["Port side", "Starboard side"] },
        berth_state: {
          type: "string",
          enum: ["free", "taken"],
          "x-ms-enum": {
            name: "BerthState",
            modelAsString: true,
            values: [
              { value: "free", name: "Free tonight" },
              { value: "taken", name: "Taken" },
            ],
          },
        },
        flag: { type: "string", enum: ["nl", "cn"], options: { enum_titles: ["Netherlands", "中国"] } },
        services: {
          type: "array",
          items: { oneOf: [{ const: "water", title: "Fresh water" }, { const: "power", title: "Shore power" }, { const: "pilot" }] },
          uniqueItems: true,
          description: "Any number of them.",
        },
        sizes: { type: "array", items: { $ref: "#/$defs/Size" } },
        length: {
          description: "A number, a text, or several texts.",
          anyOf: [{ type: "number" }, { type: "string" }, { type: "array", items: { type: "string" } }],
        },
        position: { $ref: "https://example.com/schemas/point" },
        old_name: { not: {} },
      },
      required: ["size", "length"],
      $defs: {
        Size: sizes,
        Point: {
          $id: "https://example.com/schemas/point",
          type: "object",
          description: "By the identifier of a part of this schema.",
          properties: { lat: { type: "number", title: "Latitude" }, lon: { type: "number", title: "Longitude" } },
          required: ["lat", "lon"],
        },
      },
    },
  }),
  tool({
    name: "find_ship",
    title: "Find a ship",
    description: "One set of arguments or another one.",
    inputSchema: {
      type: "object",
      properties: { fleet: { type: "string", description: "Where to look." } },
      oneOf: [
        {
          title: "By call sign",
          properties: { call_sign: { type: "string", pattern: "^[A-Z0-9]{4,7}$" }, name: { not: {} } },
          required: ["call_sign"],
        },
        { title: "By name", properties: { name: { type: "string" }, exact: { type: "boolean", default: false } }, required: ["name"] },
      ],
    },
  }),
];

/** The tools of a server; null where this file has none for it. */
export function workbenchTools(server: string): ToolView[] | null {
  if (server.startsWith("demo")) return [...demo, ...written];
  return server === "postgres-prod" ? postgres : null;
}
