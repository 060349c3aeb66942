// A mock backend in the page itself, for `npm run dev:mock` and the unit tests. It is never part of a production build.
// `?scene=` selects the data: usual, empty, many, long, slow, offers (a demo server with resources, prompts and tasks),
// unread (its resources cannot be listed), or a startup error code such as database_newer. mock/inbox-questions.ts
// lists inbox and inbox_…, and mock/vault.ts and mock/sign-in.ts list vault_… and sign_in_…. `?pace=` is the time of a
// sign-in step in ms. `?log=long|empty|failing` uses the long log of mock/story.ts, and `?feed=10000` adds that many of
// its rows per second.
import type { Handlers } from "./mock/handlers";
import { type Host, openHost } from "./mock/host";
import { commandsOf } from "./mock/part";
import { type Scene, sceneOf } from "./mock/scenes";
import { storyJournal } from "./mock/story";

// The parameters are removed from the URL, because the router would read them, and are saved for reloads.
const given = globalThis.location?.search ?? "";
if (given !== "") {
  sessionStorage.setItem("mock", given);
  history.replaceState(null, "", location.pathname + location.hash);
}
const asked = new URLSearchParams(given || (globalThis.sessionStorage?.getItem("mock") ?? ""));
let host = openHost(sceneOf(asked.get("scene")), asked);
if (asked.has("log")) tellStory(host, 1_204_318, Number(asked.get("feed") ?? 1), asked.get("log"));

/** Gives the host a log with this many rows, and a feed at `rate`. */
export function tellStory(host: Host, history: number, rate: number, mode: string | null): void {
  const journal = storyJournal(host, mode === "empty" ? 0 : history, rate, mode);
  const { app_info } = host;
  Object.assign(host, commandsOf(journal), { app_info: async () => ({ ...(await app_info()), logRows: journal.total }) });
}

/** Restarts with another scene, for tests. Returns the host. */
export function reset(next: Scene): Host {
  host.close();
  host = openHost(next, new URLSearchParams("pace=0"));
  return host;
}

/** Commands that only read. Tests don't look for them. */
const reads = /^(?:app|check|count|find|first|follow|get|inspect|list|log|plan|review|server|watch)_/;

/** Replaces the window's transport. */
export function send(
  name: string,
  args: Record<string, unknown>,
  onMessage: (message: unknown) => void = () => undefined,
): Promise<unknown> {
  const handlers: Handlers = host;
  const handler = handlers[name as keyof Handlers] as ((args: object, on: typeof onMessage) => Promise<unknown>) | undefined;
  if (!handler) return Promise.reject({ code: "unknown_command", message: `no such command: ${name}`, details: null });
  if (!reads.test(name)) host.sent.push({ name, args });
  const refusal = host.refusal(name);
  return refusal ? Promise.reject(refusal) : handler(args, onMessage);
}
