// A scripted backend in the page itself, for `npm run dev:mock` and the unit tests. It never reaches a production build.
// `?scene=` chooses what there is: usual, empty, many, long, slow, offers (a demo server
// with resources, prompts and tasks), unread (its resources cannot be listed), or a startup failure code such as database_newer;
// inbox, inbox_… are what mock/inbox-questions.ts knows; vault_… and sign_in_… are what mock/vault.ts and mock/sign-in.ts know. `?pace=` is the time of a sign-in's step in ms.
// `?log=long|empty|failing` has the long journal of mock/story.ts, `?feed=10000` so many of its rows per second.
import type { Handlers } from "./mock/handlers";
import { type Host, openHost } from "./mock/host";
import { commandsOf } from "./mock/part";
import { type Scene, sceneOf } from "./mock/scenes";
import { storyJournal } from "./mock/story";

// The choice is taken out of the address, where the router would read it as its own, and kept for reloads.
const given = globalThis.location?.search ?? "";
if (given !== "") {
  sessionStorage.setItem("mock", given);
  history.replaceState(null, "", location.pathname + location.hash);
}
const asked = new URLSearchParams(given || (globalThis.sessionStorage?.getItem("mock") ?? ""));
let host = openHost(sceneOf(asked.get("scene")), asked);
if (asked.has("log")) tellStory(host, 1_204_318, Number(asked.get("feed") ?? 1), asked.get("log"));

/** Gives the host a journal of so many rows, with a feed at `rate`. */
export function tellStory(host: Host, history: number, rate: number, mode: string | null): void {
  const journal = storyJournal(host, mode === "empty" ? 0 : history, rate, mode);
  const { app_info } = host;
  Object.assign(host, commandsOf(journal), { app_info: async () => ({ ...(await app_info()), logRows: journal.total }) });
}

/** Starts over with another scene; for tests. Gives the host, to look into it. */
export function reset(next: Scene): Host {
  host.close();
  host = openHost(next, new URLSearchParams("pace=0"));
  return host;
}

/** What only reads is not among the commands that a test looks for. */
const reads = /^(?:app|check|count|find|first|follow|get|inspect|list|log|plan|review|server|watch)_/;

/** Stands in for the window's transport. */
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
