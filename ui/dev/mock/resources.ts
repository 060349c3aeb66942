// Resources and templates, what reading them gives, and what completing their variables offers.
import type { CallOutcome } from "@/ipc/bindings/CallOutcome";
import type { Completion } from "@/ipc/bindings/Completion";
import type { ResourceList } from "@/ipc/bindings/ResourceList";
import type { ResourceView } from "@/ipc/bindings/ResourceView";
import type { TemplateView } from "@/ipc/bindings/TemplateView";
import { picture, wav } from "./workbench";
import { say } from "./say";

interface Spec {
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  size?: number;
  annotations?: object;
}

function resource(spec: Spec, diagnostics: ResourceView["diagnostics"] = []): ResourceView {
  const { uri, name, title = null, description = null, mimeType = null, size = null, annotations } = spec;
  return {
    uri,
    name,
    title,
    description,
    mimeType,
    size,
    annotations: annotations === undefined ? null : JSON.stringify(annotations),
    raw: JSON.stringify(spec),
    diagnostics,
  };
}

function template(spec: { uriTemplate: string; name: string; title?: string; description?: string; mimeType?: string }): TemplateView {
  const { uriTemplate, name, title = null, description = null, mimeType = null } = spec;
  const variables = [...uriTemplate.matchAll(/\{[?&#+./;]?([^}]+)\}/g)]
    .flatMap((match) => (match[1] ?? "").split(","))
    .map((text) => text.replace(/\*$/, ""));
  return { uriTemplate, name, title, description, mimeType, annotations: null, raw: JSON.stringify(spec), diagnostics: [], variables };
}

const GUIDE = `# Harbour guide

Call on **channel 12** before you pass the breakwater, and keep the green light to starboard.

1. Reduce speed to 4 knots at the outer buoy.
2. Wait for the berth you were given; \`book_berth\` tells its number.
3. Make fast bow first when the wind is over 20 kn.

> The tide gate closes one hour after high water.

\`\`\`sh
mooring call book_berth '{"ship":"Fair Wind"}' --server demo
\`\`\`

See the [chart](demo://harbour/chart.svg) and <!-- the old one is gone --> the notice of today.
`;
const RUST = `//! Lights of the harbour.
use std::time::Duration;

/// A light with its rhythm.
#[derive(Debug)]
pub struct Light {
    name: String,
    period: Duration, // one whole turn
}

impl Light {
    pub fn new(name: &str, seconds: u64) -> Self {
        Self { name: name.to_owned(), period: Duration::from_secs(seconds) }
    }
}
`;
const YAML = `# Tide gate
gate:
  name: "North gate"
  opens_before_high_water: 2h
  closes_after: 1h
  manned: true
  berths: [12, 14, 17]
`;
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 80">
  <!-- the breakwater -->
  <path d="M10 70 L60 20 L110 70" fill="none" stroke="#0b6e75"/>
  <text x="12" y="14">Harbour</text>
</svg>
`;

/** What the weather is at this moment: it changes with every update. */
let readings = 0;
const weather = () => {
  readings += 1;
  return JSON.stringify(
    {
      station: "Mole 3",
      wind: { knots: 9 + ((readings * 7) % 14), from: "SW" },
      visibility_nm: 6 - (readings % 3),
      fog: readings % 4 === 0,
      reading: readings,
    },
    null,
    2,
  );
};

const demo: ResourceView[] = [
  resource({
    uri: "demo://harbour/guide",
    name: "guide",
    title: "Harbour guide",
    description: "How to come in at night, and whom to call.",
    mimeType: "text/markdown",
    size: 2_148,
    annotations: { audience: ["user", "assistant"], priority: 0.9, lastModified: "2026-11-18T09:30:00Z" },
  }),
  resource({
    uri: "demo://harbour/weather",
    name: "weather",
    title: "Weather at the mole",
    description: "Wind and visibility, renewed every few seconds.",
    mimeType: "application/json",
    annotations: { audience: ["assistant"], priority: 0.7 },
  }),
  resource({ uri: "demo://harbour/notice", name: "notice", title: "Notice to mariners", mimeType: "text/plain", size: 412 }),
  resource({ uri: "demo://harbour/lighthouse.png", name: "lighthouse", title: "The lighthouse at dusk", mimeType: "image/png" }),
  resource({ uri: "demo://harbour/horn.wav", name: "fog horn", mimeType: "audio/wav", size: 8_044 }),
  resource({ uri: "demo://harbour/chart.svg", name: "chart.svg", mimeType: "image/svg+xml" }),
  resource({ uri: "demo://harbour/src/lights.rs", name: "lights.rs", mimeType: "text/plain" }),
  resource({ uri: "demo://harbour/gate.yaml", name: "gate.yaml", mimeType: "application/yaml" }),
  resource({
    uri: "demo://harbour/plan.bin",
    name: "plan.bin",
    description: "The soundings as the instrument wrote them.",
    mimeType: "application/octet-stream",
    size: 5_000,
  }),
  resource({
    uri: "demo://harbour/soundings.tar",
    name: "soundings.tar",
    description: "Everything since 1970.",
    mimeType: "application/x-tar",
    size: 2_147_483_648,
  }),
  resource({ uri: "demo://harbour/", name: "harbour", title: "Everything about the harbour", mimeType: "inode/directory" }),
  resource({ uri: "demo://harbour/atlantis", name: "atlantis", description: "Listed, but not there any more." }),
  resource({ uri: "demo://harbour/odd", name: "odd \u202Etxt.exe", mimeType: "text/plain" }, [
    { code: "wrong_type", path: "resources[12].size", message: say("is not a number") },
  ]),
];

const folders = ["charts", "logs", "crew", "cargo", "tides"];
const kinds = [
  ["md", "text/markdown"],
  ["json", "application/json"],
  ["png", "image/png"],
  ["csv", "text/csv"],
  ["rs", "text/x-rust"],
  ["txt", "text/plain"],
] as const;
const files = (count: number): ResourceView[] =>
  Array.from({ length: count }, (_, index) => {
    const [end, mimeType] = kinds[index % kinds.length] ?? kinds[0];
    const name = `${folders[index % folders.length] ?? "x"}/${String(index + 1).padStart(4, "0")}.${end}`;
    return resource({ uri: `file:///home/ana/projects/${name}`, name, mimeType, size: 200 + index * 37 });
  });

/** The resources and templates of a server, by its name. */
export function resourcesOf(name: string): ResourceList {
  const none = { resources: [], templates: [], skills: [], diagnostics: [] };
  if (name.startsWith("demo")) {
    return {
      resources: demo,
      templates: [
        template({
          uriTemplate: "demo://berths/{city}{?from,to}",
          name: "berths-of-city",
          title: "Berths of one harbour",
          description: "The berths of a city as JSON, also between two days.",
          mimeType: "application/json",
        }),
        template({
          uriTemplate: "demo://{owner}/{repo}/contents/{+path}",
          name: "file-of-repository",
          description: "A file of a repository.",
          mimeType: "text/plain",
        }),
      ],
      skills: [
        {
          uri: "demo://skills/night-entry/SKILL.md",
          name: "night-entry",
          description: "How to come into the harbour at night: lights, channel, whom to call.",
          files: 3,
          diagnostics: [],
        },
        {
          uri: "demo://skills/weather-window/SKILL.md",
          name: "weather-window",
          description: "Find the hours in which a passage is safe.",
          files: null,
          diagnostics: [{ code: "unmatched", path: "skills[1].uri", message: say("does not end in the skill's name") }],
        },
      ],
      diagnostics: [],
    };
  }
  if (name === "filesystem") return { ...none, resources: files(640) };
  if (name === "postgres-prod")
    return {
      ...none,
      templates: [
        template({
          uriTemplate: "table://{schema}/{name}",
          name: "table",
          title: "A table",
          description: "The columns and the first rows of a table.",
          mimeType: "application/json",
        }),
      ],
    };
  return none;
}

const encoder = new TextEncoder();

function done(contents: readonly object[], elapsedMs: number): CallOutcome {
  const text = JSON.stringify({ contents });
  return { status: "ok", result: text, error: null, diagnostics: [], elapsedMs, bytes: encoder.encode(text).length };
}

function bytes(length: number): string {
  const all = Uint8Array.from({ length }, (_, index) =>
    index < 16 ? "SOUNDINGS v2 \u0000\u0001\u0002".charCodeAt(index) : (index * 7 + (index >> 5)) % 256,
  );
  return btoa(String.fromCharCode(...all));
}

/** Reads a resource. */
export function readResource(uri: string): CallOutcome {
  const at = (rest: object) => ({ uri, ...rest });
  if (uri.startsWith("file:")) return done([at({ mimeType: "text/plain", text: `The contents of ${uri}\n` })], 3.1);
  if (uri.startsWith("table:"))
    return done(
      [
        at({
          mimeType: "application/json",
          text: JSON.stringify({
            columns: ["id", "city", "berths"],
            rows: [
              [1, "Rotterdam", 412],
              [2, "Singapore", 388],
            ],
          }),
        }),
      ],
      22,
    );
  if (uri.startsWith("demo://berths/"))
    return done(
      [
        at({
          mimeType: "application/json",
          text: JSON.stringify({
            city: decodeURIComponent(uri.slice(14).split("?")[0] ?? ""),
            berths: 412,
            free: [12, 14, 17],
            by_night: true,
          }),
        }),
      ],
      4.2,
    );
  switch (uri) {
    case "demo://harbour/guide":
      return done([at({ mimeType: "text/markdown", text: GUIDE })], 2.4);
    case "demo://harbour/weather":
      return done([at({ mimeType: "application/json", text: weather() })], 6.2);
    case "demo://harbour/notice":
      return done(
        [
          at({
            mimeType: "text/plain",
            text: "NOTICE 14/26\n\nThe fairway buoy No. 7 is out of position. Dredging at berths 20 to 24 until Friday; pass at dead slow.\n",
          }),
        ],
        1.2,
      );
    case "demo://harbour/lighthouse.png":
      return done([at({ mimeType: "image/png", blob: picture() })], 31);
    case "demo://harbour/horn.wav":
      return done([at({ mimeType: "audio/wav", blob: wav() })], 9);
    case "demo://harbour/chart.svg":
      return done([at({ mimeType: "image/svg+xml", blob: btoa(SVG) })], 2);
    case "demo://harbour/src/lights.rs":
      return done([at({ mimeType: "text/plain", text: RUST })], 1.4);
    case "demo://harbour/gate.yaml":
      return done([at({ mimeType: "application/yaml", text: YAML })], 1.1);
    case "demo://harbour/plan.bin":
      return done([at({ mimeType: "application/octet-stream", blob: bytes(5_000) })], 8);
    case "demo://harbour/":
      return done(
        [
          { uri: "demo://harbour/notice", mimeType: "text/plain", text: "Dredging until Friday." },
          { uri: "demo://harbour/gate.yaml", mimeType: "application/yaml", text: YAML },
          { uri: "demo://harbour/stamp", mimeType: "application/octet-stream", blob: bytes(48) },
          { uri: "demo://harbour/wrong" },
        ],
        5,
      );
    case "demo://harbour/odd":
      return done([], 1);
    default:
      return {
        status: "rpc_error",
        result: null,
        error: {
          code: "rpc",
          message: `no such resource: ${uri}`,
          said: null,
          rpcCode: -32_002,
          data: JSON.stringify({ uri }),
          next: null,
          evidence: null,
        },
        diagnostics: [],
        elapsedMs: 2.2,
        bytes: 0,
      };
  }
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
