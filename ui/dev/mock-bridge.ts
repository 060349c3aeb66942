// A scripted backend in the page itself, for `npm run dev:mock` and the unit tests. It never reaches a production build.
// `?scene=` chooses what there is: usual, empty, many, long, slow, or a startup failure code such as database_newer.
import type { Commands } from "@/ipc/bindings/commands";
import { Host, type Scene } from "./mock/host";

type Handlers = { [K in keyof Commands]: (args: never, onMessage: (message: unknown) => void) => Promise<Commands[K]["ret"]> };

const asked = new URLSearchParams(globalThis.location?.search ?? "");
let scene: Scene = asked.get("scene") ?? "usual";
let host = new Host(scene, asked);

/** Starts over with another scene; for tests. Gives the host, to look into it. */
export function reset(next: Scene): Host {
  host.close();
  scene = next;
  host = new Host(next, new URLSearchParams());
  return host;
}

/** Stands in for the window's transport. */
export function send(name: string, args: Record<string, unknown>, onMessage: (message: unknown) => void = () => undefined): Promise<unknown> {
  const handlers: Handlers = host;
  const handler: ((args: never, onMessage: (message: unknown) => void) => Promise<unknown>) | undefined = handlers[name as keyof Commands];
  if (!handler) return Promise.reject({ code: "unknown_command", message: `no such command: ${name}`, details: null });
  const refusal = host.refusal(name);
  if (refusal) return Promise.reject(refusal);
  return handler(args as never, onMessage);
}
