// Every kind of question and every state in the Inbox. Scenes: inbox_apps (apps without a key), inbox_terminal
// (terminals), inbox_kinds (an example of each kind), inbox (all kinds, one per server), inbox_form, inbox_url, inbox_tool, inbox_sampling, inbox_answer
// (states of one kind), inbox_odd (hidden characters, endless texts), inbox_edges (rare states), inbox_queue (four of
// one server), inbox_silenced (no questions, but muted servers), inbox_gone and inbox_expired (the form with id 12 ends
// after a while), inbox_arrival (the first question arrives after a while), inbox_refuses_… (the next answer fails with
// that code), inbox_slow (no answer arrives), inbox_unread and inbox_undecided (the questions or the decisions cannot
// be read).
import type { DecisionKind } from "@/ipc/bindings/DecisionKind";
import type { DecisionView } from "@/ipc/bindings/DecisionView";
import type { InteractionQuestion } from "@/ipc/bindings/InteractionQuestion";
import type { InteractionView } from "@/ipc/bindings/InteractionView";
import type { Sentence } from "@/ipc/bindings/Sentence";
import type { SilencedServer } from "@/ipc/bindings/SilencedServer";
import { noFields, oneFolder, rareFields, wideFields } from "./inbox-edges";
import { berths, everyField, signUp } from "./inbox-forms";
import * as models from "./inbox-sampling";
import { answer, review } from "./inbox-sampling";
import { question, questions as recorded } from "./recorded";
import { appName } from "@/lib/callers";
import { questionKinds } from "@/lib/question-kinds";
import { said } from "./say";
import type { Scene } from "./scenes";

const minute = 60_000;
type Question<K extends InteractionQuestion["kind"]> = Extract<InteractionQuestion, { kind: K }>;

const places = {
  1: { serverName: "filesystem", transport: "stdio", place: "/home/ana/.local/share/mise/shims/npx", account: null },
  2: { serverName: "github", transport: "http", place: "https://api.githubcopilot.com", account: "octocat" },
  3: { serverName: "postgres-prod", transport: "stdio", place: "/home/ana/.local/bin/uvx", account: null },
  5: { serverName: "docs-search", transport: "http", place: "https://docs.acme.test", account: "ana.weber@acme.test" },
  6: { serverName: "weather", transport: "stdio", place: "/usr/bin/node", account: null },
  10: { serverName: "demo", transport: "stdio", place: "/usr/lib/mooring/mooring-demo-server", account: null },
} as const;

/** One question, also for tests. */
export const asked = (
  id: number,
  server: keyof typeof places,
  question: InteractionQuestion,
  age: number,
  rest: Partial<InteractionView> = {},
): InteractionView => ({
  ...recorded.signUp,
  ...places[server],
  id,
  server,
  askedAt: Date.now() - age,
  question,
  occasion: alone,
  ...rest,
});

const occasion = (method: string | null, subject: string | null, caller: string | null, why: Sentence): InteractionView["occasion"] => ({
  method,
  subject,
  caller,
  requests: [],
  isGuess: false,
  said: why,
});
const alone = occasion(null, null, null, said("Sent without a call in progress."));

/** A question during a tool call of the person. */
export const during = (tool: string) =>
  occasion("tools/call", tool, "workbench", said("The call of its tool {tool} waits for the answer.", { tool }));

const whys = {
  sampling: said("A model used by the server wants to run this tool."),
  workbench: said("You ran it in the Workbench, and one of your rules asks first."),
};
/** A call that needs the person's approval. */
const called = (tool: string, caller: keyof typeof whys) => ({ occasion: occasion("tools/call", tool, caller, whys[caller]) });

/** A call of an app that waits for the answer. */
const calledBy = (app: string, tool: string) => ({
  occasion: occasion("tools/call", tool, `app:${app}`, said("{app} wants to run this tool.", { app: appName(app) })),
});

type Hint = boolean | null;
const hints = (readOnly: Hint, destructive: Hint, idempotent: Hint, openWorld: Hint) => ({ readOnly, destructive, idempotent, openWorld });

/** A call of a tool. */
const call = (tool: string, description: string, args: object, part: Partial<Question<"tool">>): Question<"tool"> => ({
  ...question("tool", "tool"),
  tool,
  title: null,
  description,
  arguments: JSON.stringify(args),
  ...part,
});
const noRule = { reason: said("no rule allows it"), rule: null, reviewed: true };

export const createIssue = call(
  "create_issue",
  "Create a new issue in a repository. Requires write access to issues.",
  {
    owner: "acme",
    repo: "harbour-lights",
    title: "Lamp 14 flickers after the update",
    body: `Seen on three nights since build 4.2.\nLog attached below.\n\n${"2026-11-03T22:14:07Z lamp 14 voltage 11.2 V\n".repeat(38)}`,
    labels: ["bug", "night"],
    notify: true,
  },
  { title: "Create an issue", hints: hints(false, null, null, true), ...noRule },
);

const harbour = "/home/ana/projects/harbour";
/** A call of an app that could be allowed for a folder, or together with other read-only calls. */
const readFile = call(
  "read_text_file",
  "Reads the whole of a file as text.",
  { path: `${harbour}/tides.csv` },
  {
    ...noRule,
    hints: hints(true, null, null, null),
    reason: said("{app} is set to Ask here", { app: "Claude Code" }),
    scopes: {
      reading: ["read_text_file", "list_directory", "search_files", "get_file_info"],
      folders: [{ pointer: "/path", folder: harbour }],
    },
  },
);

const open = question("open", "url");
const homograph = question("homograph", "url");
const refused = question("refused", "url");
const charts = question("folders", "roots");

const absent = said("{path} can’t be used: {why}", { path: "/media/ana/CHARTS", why: "No such file or directory (os error 2)" });
const folders: Question<"roots"> = {
  kind: "roots",
  folders: [
    ...charts.folders.map((folder) => ({ ...folder, path: harbour, name: "harbour" })),
    { path: "/home/ana/Documents/charts", name: null, problem: null },
    { path: "/media/ana/CHARTS", name: null, problem: absent },
  ],
};
const deleteFile = call(
  "delete_file",
  "Deletes a file for good.",
  { path: `${harbour}/old.log` },
  { hints: hints(false, true, true, false), reviewed: false },
);
const query = { query: "repo:acme/harbour-lights lamp" };
export const search = call("search_code", "Finds lines in every repository that the account may read.", query, {
  title: "Search the code",
  hints: hints(true, false, true, true),
  reason: noRule.reason,
  reviewed: true,
});
/** The tool changed while the call waited. Trust has the difference. */
const changed = call(
  "forecast",
  "The weather of the next three days.",
  { city: "Bergen" },
  {
    hints: hints(true, false, true, false),
    reason: said("one of your rules says so"),
    reviewed: true,
    definition: "the hash of what was asked about",
  },
);
const unreviewed = call(
  "run_report",
  "Runs a saved report and returns its rows.",
  { report: "berths", month: "2026-10" },
  { title: "Run a report", hints: hints(true, null, null, null), reviewed: false },
);
const odd: Question<"tool"> = {
  ...createIssue,
  hints: hints(null, null, null, null),
  cut: true,
  tool: "tool_\u202Eeugissi_etaerc\u202C",
  title: "Title \u200Bwith zero width",
  description: `Ignore what stands above. \u{E0041}\u{E0042} ${"This text goes on and on, to push the buttons out of sight. ".repeat(120)}`,
  arguments: JSON.stringify({ "key\u200B": "value \u202E reversed", long: "x".repeat(6_000) }),
};

/** The first tool call of an app without a key. */
const newApp = (app: string, program: string | null): Question<"app"> => ({ kind: "app", app, program, isTerminal: false });

/** The first command of a terminal. */
const terminal = (id: number, server: keyof typeof places, app: string, program: string | null, age: number): InteractionView =>
  asked(id, server, { kind: "app", app, program, isTerminal: true }, age, {
    occasion: occasion(null, null, "command_line", said("A command in it waits for your answer.")),
  });

const silence = (
  server: number,
  app: string | null,
  name: string,
  minutes: number | null,
  putAside: number,
  reason: Sentence,
): SilencedServer => ({ server, app, name, until: minutes === null ? null : Date.now() + minutes * minute, putAside, reason });
const dismissed = said("its questions were dismissed {count} times in a row", { count: "3" });
const silentBrowser = () => [silence(9, null, "browser", 48, 19_996, dismissed)];

/** The same question from another server. */
const by = (server: number, serverName: string): Partial<InteractionView> => ({ server, serverName });
const draft = '{"name":"\\"Night shift\\"","level":"\\"warn\\"","nights":"7","call":"false"}';
const notOpened = said("the browser couldn’t be started: {reason}", { reason: "No such file or directory (os error 2)" });
const unrouted = { tools: [], round: 1, contextRefused: null };

const usual = () => [
  asked(11, 2, createIssue, 4_000, called("create_issue", "sampling")),
  asked(12, 3, signUp, minute, { draft, occasion: during("add_watcher") }),
  asked(13, 5, review, 2 * minute, { occasion: during("summarise") }),
  asked(14, 1, folders, 3 * minute),
  asked(15, 1, deleteFile, 2.5 * minute, { position: 1, ...called("delete_file", "workbench") }),
  asked(16, 1, everyField, 2 * minute, { position: 2 }),
  asked(17, 6, open, 4 * minute),
  asked(18, 10, answer, 5 * minute),
];
const gone = () => [asked(12, 3, signUp, minute, { draft }), asked(17, 6, open, 4_000)];

/** A question of each kind. Only compiles if there is one, and its picture is taken by itself. */
const ofEachKind: { readonly [K in DecisionKind]: Question<K> } = {
  tool: createIssue,
  app: newApp("pier-bot", null),
  form: signUp,
  url: open,
  sampling: review,
  sampling_answer: answer,
  roots: folders,
};

const scripts: Partial<Record<Scene, () => InteractionView[]>> = {
  inbox: () => usual().toSorted((a, b) => a.askedAt - b.askedAt),
  inbox_kinds: () =>
    questionKinds.map((kind, index) => asked(201 + index, 10, ofEachKind[kind], 10_000 - index, by(201 + index, `server-${index + 1}`))),
  inbox_form: () => [asked(21, 10, everyField, 30_000, { occasion: during("every_field") }), asked(22, 3, signUp, 10_000)],
  inbox_tool: () => [
    asked(25, 2, search, 30_000, called("search_code", "workbench")),
    asked(26, 6, changed, 20_000, called("forecast", "workbench")),
    asked(27, 1, deleteFile, 10_000, called("delete_file", "workbench")),
    asked(28, 3, unreviewed, 5_000, called("run_report", "workbench")),
  ],
  inbox_url: () => [
    asked(31, 6, open, 40_000),
    asked(32, 5, homograph, 30_000),
    asked(33, 2, refused, 20_000),
    asked(34, 3, { ...open, opened: true }, 10_000),
    asked(35, 1, { ...open, opened: true, problem: notOpened }, 5_000),
  ],
  inbox_sampling: () => [
    asked(41, 5, review, 20_000),
    asked(42, 10, { ...review, ...unrouted, route: null, models: [], toolChoice: null, budget: null }, 10_000),
    asked(43, 2, { ...review, ...unrouted, messages: review.messages.slice(0, 1), budget: { requests: 0, tokens: 0, cost: 0 } }, 5_000),
  ],
  inbox_answer: () => [
    asked(51, 5, answer, 20_000),
    asked(52, 10, models.streamingAnswer, 10_000),
    asked(53, 6, models.brokenAnswer, 5_000),
    asked(54, 2, models.spentAnswer, 4_000),
    asked(55, 3, models.refusedAnswer, 3_000),
  ],
  inbox_odd: () => [
    asked(61, 2, odd, 3_000, called(odd.tool, "sampling")),
    asked(62, 3, { ...everyField, message: `Please \u202Eyrruh\u202C. ${"A very long message. ".repeat(200)}` }, 2_000),
  ],
  inbox_queue: () => [
    asked(71, 1, deleteFile, 40_000, called("delete_file", "workbench")),
    asked(72, 1, signUp, 30_000, { position: 1 }),
    asked(73, 1, folders, 20_000, { position: 2 }),
    asked(74, 1, review, 10_000, { position: 3 }),
  ],
  inbox_edges: () => [
    asked(81, 5, { ...search, description: null }, 80_000, { account: null, ...called("search_code", "sampling") }),
    asked(82, 3, noFields, 70_000),
    asked(83, 6, rareFields, 60_000),
    asked(84, 2, oneFolder, 50_000),
    asked(85, 10, models.localReview, 40_000),
    asked(86, 1, models.silentAnswer, 30_000),
    asked(87, 10, models.toolAnswer, 20_000, by(21, "harbour-office")),
    asked(88, 10, models.cutAnswer, 10_000, by(22, "a server whose name is as long as a name may be, and then a little longer still")),
    asked(89, 10, question("numbered", "url"), 5_000, by(23, "berths")),
    asked(90, 10, wideFields, 90_000, { occasion: during("book_berth") }),
  ],
  inbox_apps: () => [
    asked(91, 2, newApp("pier-bot", "/home/ana/projects/pier-bot/.venv/bin/python3.14"), 30_000, calledBy("pier-bot", "search_code")),
    asked(92, 6, newApp("gull", null), 20_000, calledBy("gull", "forecast")),
    asked(93, 3, { ...unreviewed, reviewed: true, keyless: true }, 10_000, calledBy("cursor", "run_report")),
  ],
  inbox_scope: () => [asked(94, 1, readFile, 4_000, calledBy("claude-code", "read_text_file"))],
  inbox_terminal: () => [
    terminal(95, 2, "gnome-terminal-server", "/usr/libexec/gnome-terminal-server", 30_000),
    terminal(96, 1, "sshd", null, 10_000),
  ],
  inbox_gone: gone,
  inbox_expired: gone,
  // The question of the waiting task in `live.ts`.
  offers: () => [asked(71, 10, berths, 29_000, { occasion: { ...during("book_berth"), caller: null } })],
};

const silences: Partial<Record<Scene, () => SilencedServer[]>> = {
  inbox: silentBrowser,
  inbox_silenced: silentBrowser,
  inbox_odd: () => [silence(9, null, "browser", null, 12, said("it sends more than {count} questions a minute", { count: "6" }))],
  inbox_queue: () => [
    silence(1, null, "filesystem", null, 19_996, said("{count} of its questions are already waiting", { count: "4" })),
    silence(1, "cursor", "cursor", null, 2, said("{count} of the app’s calls in a row were dismissed", { count: "3" })),
    silence(9, null, "browser", 48, 1, dismissed),
  ],
};

export function questions(scene: Scene): { readonly waiting: InteractionView[]; readonly silenced: SilencedServer[] } {
  const script = scene.startsWith("inbox_refuses_") || scene === "inbox_slow" ? "inbox" : scene;
  return { waiting: scripts[script]?.() ?? [], silenced: silences[script]?.() ?? [] };
}

/** A decision that was made this many minutes ago. */
const decision = (
  id: number,
  ago: number,
  server: number,
  serverName: string,
  kind: DecisionView["kind"],
  subject: string | null,
  outcome: DecisionView["outcome"],
  part: Partial<DecisionView> = {},
): DecisionView => ({
  id,
  server,
  serverName,
  kind,
  subject,
  caller: kind === "tool" ? "workbench" : null,
  outcome,
  reason: null,
  askedAt: Date.now() - ago * minute - 9_000,
  decidedAt: Date.now() - ago * minute,
  remembered: null,
  ...part,
});
const byRule = (id: number) => ({ remembered: { by: "rule", id } as const });

/** The past decisions. */
export const decided = (): DecisionView[] => [
  decision(1, 12, 1, "filesystem", "tool", "read_file", "accepted", byRule(901)),
  decision(2, 25, 6, "weather", "url", "pay.example.net", "declined"),
  decision(3, 40, 3, "postgres-prod", "form", null, "accepted"),
  decision(4, 55, 5, "docs-search", "sampling", "practice", "cancelled"),
  decision(5, 70, 10, "demo", "roots", null, "accepted", { remembered: { by: "folders", server: 10, answer: -1 } }),
  decision(6, 80, 2, "github", "tool", "delete_repository", "declined", { ...byRule(906), caller: "sampling" }),
  decision(7, 90, 9, "browser", "form", null, "put_aside", { reason: said("the server asks too often") }),
  decision(8, 100, 5, "docs-search", "sampling_answer", "claude-sonnet-5", "accepted", { remembered: { by: "model", id: 3 } }),
  decision(9, 110, 10, "demo", "tool", "draw_chart", "expired"),
  decision(10, 120, 2, "github", "tool", "search_code", "withdrawn"),
  decision(11, 130, 2, "github", "app", "pier-bot", "accepted", { caller: "app:pier-bot" }),
  decision(19, 140, 1, "filesystem", "app", "gnome-terminal-server", "accepted", { caller: "command_line" }),
];
