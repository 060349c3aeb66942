// A scripted backend in the page itself, for `npm run dev:mock` and the unit tests. It never reaches a production build.
// `?scene=` chooses what there is: usual, empty, many, long, slow, offers (a demo server
// with resources, prompts and tasks that move), unread (its resources cannot be listed), or a startup failure code such as database_newer;
// inbox, inbox_… are what mock/inbox-questions.ts knows; vault_… and sign_in_… are what mock/vault.ts and mock/sign-in.ts know. `?pace=` is the time of a sign-in's step in ms.
import { activityCommands, withJournal } from "./mock-activity";
import type { Handlers } from "./mock/handlers";
import { Host } from "./mock/host";
import { type Scene, sceneOf } from "./mock/scenes";

// The choice is taken out of the address, where the router would read it as its own, and kept for reloads.
const given = globalThis.location?.search ?? "";
if (given !== "") {
  sessionStorage.setItem("mock", given);
  history.replaceState(null, "", location.pathname + location.hash);
}
const asked = new URLSearchParams(given || (sessionStorage.getItem("mock") ?? ""));
let scene = sceneOf(asked.get("scene"));
let host = new Host(scene, asked);

/** Starts over with another scene; for tests. Gives the host, to look into it. */
export function reset(next: Scene): Host {
  host.close();
  scene = next;
  host = new Host(next, new URLSearchParams("pace=0"));
  return host;
}

/** Stands in for the window's transport. */
export function send(
  name: string,
  args: Record<string, unknown>,
  onMessage: (message: unknown) => void = () => undefined,
): Promise<unknown> {
  // `?log=` chooses the long journal of mock-activity.ts instead of the host's own.
  const handlers: Handlers = asked.has("log") ? Object.assign(Object.create(host), withJournal(host, activityCommands)) : host;
  const handler = handlers[name as keyof Handlers] as ((args: object, on: typeof onMessage) => Promise<unknown>) | undefined;
  if (!handler) return Promise.reject({ code: "unknown_command", message: `no such command: ${name}`, details: null });
  const refusal = host.refusal(name);
  if (refusal) return Promise.reject(refusal);
  return handler(args, onMessage);
}
