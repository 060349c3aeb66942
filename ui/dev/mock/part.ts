// A part of the mock backend. Its arrow functions are commands. The rest is for tests and other parts.
import type { HostEvent } from "@/ipc/bindings/HostEvent";
import type { Sentence } from "@/ipc/bindings/Sentence";
import type { ServerInput } from "@/ipc/bindings/ServerInput";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { Handlers } from "./handlers";
import type { Scene } from "./scenes";

/** The backend of a part. */
export abstract class World {
  readonly scene: Scene;
  /** The parameters in the page's URL. */
  readonly asked: URLSearchParams;
  /** The time of a visible step, in milliseconds. */
  readonly pace: number;
  /** Sent commands, except those that only read. For tests. */
  readonly sent: { name: string; args: unknown }[] = [];

  constructor(scene: Scene, asked: URLSearchParams) {
    this.scene = scene;
    this.asked = asked;
    this.pace = Number(asked.get("pace") ?? 700);
  }

  abstract servers: ServerView[];
  abstract tell(event: HostEvent): void;
  abstract find(id: number): ServerView;
  abstract change(id: number, part: Partial<ServerView>): ServerView;
  abstract insert(server: ServerInput): ServerView;
  abstract cancellable<T>(callId: string, cancelled: T, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

export class Part {
  protected readonly host: World;
  protected readonly scene: Scene;

  constructor(host: World) {
    this.host = host;
    this.scene = host.scene;
  }
}

export type CommandsOf<P> = Pick<P, keyof P & keyof Handlers>;

export const commandsOf = (part: Part) => Object.fromEntries(Object.entries(part).filter(([, value]) => typeof value === "function"));

export const wait = (ms: number) =>
  new Promise<void>((done) => {
    setTimeout(done, ms);
  });

/** Fails a command with an object, as the real transport does. */
export function refuse(code: string, message: string | Sentence, details: unknown = null): never {
  // oxlint-disable-next-line no-throw-literal
  throw { code, message, details };
}

/** The items that were removed from a list and can be restored in place. */
export class Removed<T extends { readonly id: number }> {
  private readonly items = new Map<number, T>();

  take(list: readonly T[], id: number): T[] {
    const gone = list.find((item) => item.id === id);
    if (gone) this.items.set(id, gone);
    return list.filter((item) => item.id !== id);
  }

  restore(list: readonly T[], id: number): T[] {
    const back = this.items.get(id);
    this.items.delete(id);
    return back ? [...list, back].toSorted((a, b) => a.id - b.id) : [...list];
  }

  /** An id that no item has or had. */
  nextId(list: readonly T[]): number {
    return Math.max(0, ...list.map(({ id }) => id), ...this.items.keys()) + 1;
  }
}
