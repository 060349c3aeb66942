// Summarises a message in one line: a few words of ours, its subject, and the beginning of its content.
import type { LogRow } from "@/ipc/bindings/LogRow";
import { isAnswer } from "../list/describe";
import { at, type CutJson, flat, isObject, list, object, readCut, spaced, unfolded, word, words } from "./cut-json";

export interface FrameWords {
  /** The key of our words. Null if the message says enough. */
  readonly say: Say | null;
  /** The count in our words, or a percentage. */
  readonly count?: number;
  /** The subject: a tool, a URI, a protocol version. */
  readonly name: string;
  /** The content, as far as the text goes. */
  readonly theirs: string;
}

export type Say =
  | keyof typeof REQUEST_WORDS
  | (typeof LISTS)[keyof typeof LISTS]["say"]
  | "asksPerson"
  | "needsAnswer"
  | "background"
  | "speaks"
  | "messages"
  | "suggestions"
  | "accepted"
  | "declined"
  | "dismissed"
  | "image"
  | "audio"
  | "link"
  | "data"
  | "empty"
  | "done"
  | "answered"
  | "initialized"
  | "cancels"
  | "progress"
  | "progressing"
  | "log"
  | "changedTools"
  | "changedResources"
  | "changedPrompts"
  | "changedFolders"
  | "changedResource"
  | "task"
  | "following"
  | "linkDone";

type Part = Partial<FrameWords>;
type Read = (part: unknown, json: CutJson) => Part;

/** More text than fits in any line. */
const LONGEST = 2_000;
const NOTIFICATION = "notifications/";

/** Summarises a message from its text or the beginning of it. Null if it isn't a JSON object. */
export function frameWords(row: LogRow, text: string): FrameWords | null {
  const json = readCut(text);
  if (json === null || !isObject(json.value) || Array.isArray(json.value)) return null;
  const words = isAnswer(row) ? answer(row, json) : request(row, json);
  const { say = null, name = row.subject ?? "", theirs = "" } = words;
  return { ...words, say, name, theirs: theirs.slice(0, LONGEST).replaceAll(/\s+/g, " ").trim() };
}

// Requests and notifications

const REQUEST_WORDS = {
  starts: "initialize",
  discovers: "server/discover",
  pings: "ping",
  listsTools: "tools/list",
  listsResources: "resources/list",
  listsTemplates: "resources/templates/list",
  listsPrompts: "prompts/list",
  listsFolders: "roots/list",
  listsTasks: "tasks/list",
  calls: "tools/call",
  reads: "resources/read",
  follows: "resources/subscribe",
  unfollows: "resources/unsubscribe",
  listens: "subscriptions/listen",
  prompts: "prompts/get",
  suggests: "completion/complete",
  setsLevel: "logging/setLevel",
  asksYou: "elicitation/create",
  asksModel: "sampling/createMessage",
  asksTask: "tasks/get",
  asksTaskResult: "tasks/result",
  answersTask: "tasks/update",
  cancelsTask: "tasks/cancel",
} as const;

const REQUESTS = new Map(Object.entries(REQUEST_WORDS).map(([say, method]): [string, Say] => [method, say as keyof typeof REQUEST_WORDS]));

/** How to show a request's parameters. Others are shown in full. */
const PARAMS: Partial<Record<Say, Read>> = {
  starts: (params) => ({
    name: word(params, "protocolVersion"),
    theirs: spaced(word(params, "clientInfo", "name"), word(params, "clientInfo", "version")),
  }),
  calls: (params, json) => ({ theirs: flat(at(params, "arguments"), json) }),
  prompts: (params, json) => ({ theirs: flat(at(params, "arguments"), json) }),
  reads: (params) => about(params, "uri"),
  follows: (params) => about(params, "uri"),
  unfollows: (params) => about(params, "uri"),
  listens: (params, json) => ({ theirs: flat(at(params, "notifications"), json) }),
  suggests: (params) => ({ name: word(params, "argument", "name"), theirs: word(params, "argument", "value") }),
  setsLevel: (params) => ({ name: word(params, "level") }),
  asksYou: (params) => ({ theirs: word(params, "message") }),
  asksModel: (params, json) => content(at(list(at(params, "messages")).at(-1), "content"), json),
};

// A Map, because a server chooses its methods' names, and `constructor` must not match.
const NOTIFICATIONS = new Map<string, Read>(
  Object.entries<Read>({
    initialized: () => ({ say: "initialized" }),
    cancelled: (params) => ({ say: "cancels", theirs: word(params, "reason") }),
    progress,
    message: (params, json) => ({ say: "log", name: word(params, "level"), theirs: logged(params, json) }),
    "tools/list_changed": () => ({ say: "changedTools" }),
    "resources/list_changed": () => ({ say: "changedResources" }),
    "prompts/list_changed": () => ({ say: "changedPrompts" }),
    "roots/list_changed": () => ({ say: "changedFolders" }),
    "resources/updated": (params) => ({ say: "changedResource", ...about(params, "uri") }),
    "subscriptions/acknowledged": (params, json) => ({ say: "following", theirs: flat(at(params, "notifications"), json) }),
    "elicitation/complete": () => ({ say: "linkDone" }),
    tasks: (params) => ({ say: "task", theirs: taskState(params) }),
    "tasks/status": (params) => ({ say: "task", theirs: taskState(params) }),
  }),
);

function request({ method, subject, direction }: LogRow, json: CutJson): Part {
  const params = at(json.value, "params");
  if (method === null) return { theirs: flat(json.value, json) };
  const noted = method.startsWith(NOTIFICATION) ? NOTIFICATIONS.get(method.slice(NOTIFICATION.length)) : undefined;
  if (noted) return noted(params, json);
  const say = REQUESTS.get(method);
  if (say === "asksYou" && direction !== "in") return { say: "asksPerson", ...PARAMS.asksYou?.(params, json) };
  if (say === undefined) return { name: spaced(method, subject ?? ""), theirs: flat(params, json) };
  return { say, ...PARAMS[say]?.(params, json) };
}

function progress(params: unknown): Part {
  const [done, total] = [at(params, "progress"), at(params, "total")];
  const theirs = word(params, "message");
  if (typeof done !== "number" || typeof total !== "number" || total <= 0) return { say: "progressing", theirs };
  return { say: "progress", count: Math.round((100 * done) / total), theirs };
}

function logged(params: unknown, json: CutJson): string {
  const logger = word(params, "logger");
  const data = unfolded(flat(at(params, "data"), json));
  return logger === "" ? data : `${logger}: ${data}`;
}

// Answers

/** Lists: the member with their items in the result, and their names. */
const LISTS = {
  "tools/list": { member: "tools", say: "tools" },
  "resources/list": { member: "resources", say: "resources" },
  "resources/templates/list": { member: "resourceTemplates", say: "templates" },
  "prompts/list": { member: "prompts", say: "promptList" },
  "roots/list": { member: "roots", say: "folders" },
  "tasks/list": { member: "tasks", say: "taskList" },
} as const;

export const isListed = (method: string | null): method is keyof typeof LISTS => method !== null && Object.hasOwn(LISTS, method);

const RESULTS = new Map<string, Read>(
  Object.entries<Read>({
    initialize: (result) => ({
      say: "speaks",
      name: word(result, "protocolVersion"),
      theirs: Object.keys(object(at(result, "capabilities"))).join(", "),
    }),
    "server/discover": (result) => ({
      say: "speaks",
      name: words(at(result, "supportedVersions")).join(", "),
      theirs: Object.keys(object(at(result, "capabilities"))).join(", "),
    }),
    "tools/call": called,
    "tasks/result": called,
    "resources/read": read,
    "prompts/get": prompted,
    "completion/complete": (result, json) => {
      const values = at(result, "completion", "values");
      return { ...counted("suggestions", values, json), theirs: words(values).join(", ") };
    },
    "elicitation/create": elicited,
    "sampling/createMessage": (result, json) => ({ name: word(result, "model"), ...content(at(result, "content"), json) }),
    "tasks/get": (result) => ({ say: "task", theirs: taskState(result) }),
    "tasks/cancel": (result) => ({ say: "task", theirs: taskState(result) }),
  }),
);

function answer({ method }: LogRow, json: CutJson): Part {
  const error = at(json.value, "error");
  if (error !== undefined) return { theirs: word(error, "message") || flat(error, json) };
  const result = at(json.value, "result");
  const kind = at(result, "resultType");
  if (kind === "input_required") return { say: "needsAnswer", theirs: question(result) };
  if (method === "tools/call" && (kind === "task" || isObject(at(result, "task")))) return { say: "background", theirs: taskState(result) };
  if (isListed(method)) return listed(LISTS[method], result, json);
  const told = method === null ? undefined : RESULTS.get(method)?.(result, json);
  if (told && (told.say || told.theirs)) return told;
  const whole = isObject(result) && !json.isCut(result);
  const theirs = told && !whole ? "" : flat(result, json);
  if (theirs !== "") return { theirs };
  return { say: whole ? "done" : "answered" };
}

function listed({ member, say }: (typeof LISTS)[keyof typeof LISTS], result: unknown, json: CutJson): Part {
  const items = at(result, member);
  const names = (Array.isArray(items) ? items : []).map((item) => word(item, "name") || word(item, "uri") || word(item, "taskId"));
  const more = word(result, "nextCursor") !== "" || !isWhole(items, json);
  const theirs = [...names.filter((name) => name !== ""), ...(more ? ["…"] : [])].join(", ");
  return { ...counted(say, items, json), theirs };
}

/** The count is only known if the text contains the whole list. */
function counted(say: Say, items: unknown, json: CutJson): Part {
  return Array.isArray(items) && isWhole(items, json) ? { say, count: items.length } : { say };
}

const isWhole = (value: unknown, json: CutJson): boolean => isObject(value) && !json.isCut(value);

function called(result: unknown, json: CutJson): Part {
  const shown = content(at(result, "content"), json);
  const structured = flat(at(result, "structuredContent"), json);
  return structured !== "" && (shown.say === "empty" || (!shown.say && !shown.theirs)) ? { theirs: structured } : shown;
}

function read(result: unknown): Part {
  const first = list(at(result, "contents"))[0];
  const text = word(first, "text");
  if (text !== "" || first === undefined) return { theirs: unfolded(text) };
  return at(first, "blob") === undefined ? { theirs: word(first, "mimeType") } : { say: "data", theirs: word(first, "mimeType") };
}

function prompted(result: unknown, json: CutJson): Part {
  const messages = at(result, "messages");
  const { theirs = "" } = content(at(list(messages)[0], "content"), json);
  return isWhole(messages, json) ? { ...counted("messages", messages, json), theirs } : { theirs };
}

function elicited(result: unknown, json: CutJson): Part {
  const said = { accept: "accepted", decline: "declined", cancel: "dismissed" } as const;
  const action = word(result, "action");
  if (action !== "accept" && action !== "decline" && action !== "cancel") return {};
  return { say: said[action], theirs: flat(at(result, "content"), json) };
}

/** The first question that an answer asks. */
const question = (result: unknown): string =>
  Object.values(object(at(result, "inputRequests")))
    .map((one) => word(one, "params", "message"))
    .find((message) => message !== "") ?? "";

const taskState = (result: unknown): string => {
  const task = isObject(at(result, "task")) ? at(result, "task") : result;
  return [word(task, "status"), word(task, "statusMessage")].filter((part) => part !== "").join(": ");
};

/** Content blocks: the first text, or the type of the first block. */
function content(given: unknown, json: CutJson): Part {
  if (given === undefined) return {};
  const blocks = list(given);
  const text = blocks.map((block) => word(block, "text") || word(block, "resource", "text")).find((found) => found !== "");
  if (text !== undefined) return { theirs: unfolded(text) };
  const first = blocks[0];
  if (first === undefined) return isWhole(given, json) ? { say: "empty" } : {};
  const type = word(first, "type");
  if (type === "image" || type === "audio") return { say: type, theirs: word(first, "mimeType") };
  if (type === "resource_link") return { say: "link", theirs: word(first, "uri") };
  return { theirs: word(first, "resource", "uri") };
}

/** The value of a member, if the row doesn't name the subject. */
const about = (params: unknown, member: string): Part => {
  const name = word(params, member);
  return name === "" ? {} : { name };
};
