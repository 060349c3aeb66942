// Saved calls, past calls in the log, and results saved as files.
import type { Item } from "@/ipc/bindings/Item";
import type { LoggedCall } from "@/ipc/bindings/LoggedCall";
import type { LoggedCallContent } from "@/ipc/bindings/LoggedCallContent";
import type { NewSavedCall } from "@/ipc/bindings/NewSavedCall";
import type { SavedCall } from "@/ipc/bindings/SavedCall";
import type { Args } from "./handlers";
import { Part, Removed } from "./part";

export class Calls extends Part {
  saved: SavedCall[] = [];
  /** The logged calls, newest first. */
  past: { readonly item: Item; readonly call: LoggedCall; readonly content: LoggedCallContent }[] = [];
  /** The saved files by name. */
  readonly files = new Map<string, { content: string; base64: boolean }>();
  private readonly removed = new Removed<SavedCall>();

  private set(saved: SavedCall[]): null {
    this.saved = saved;
    return null;
  }

  /** Saves a call, and replaces the one with its name. Leaves out withheld arguments. */
  save(call: NewSavedCall, withheld: string[] = []): SavedCall {
    const keyOf = ({ serverId, kind, item, name }: NewSavedCall) => JSON.stringify([serverId, kind, item, name]);
    const id = this.saved.find((other) => keyOf(other) === keyOf(call))?.id ?? this.removed.nextId(this.saved);
    const saved = { ...call, id, withheld };
    this.set([...this.saved.filter((other) => other.id !== id), saved]);
    return saved;
  }

  list_saved_calls = async () => this.saved;
  save_call = async ({ call }: Args<"save_call">) => this.save(call);
  rename_saved_call = async ({ id, name }: Args<"rename_saved_call">) =>
    this.set(this.saved.map((call) => (call.id === id ? { ...call, name } : call)));
  remove_saved_call = async ({ id }: Args<"remove_saved_call">) => this.set(this.removed.take(this.saved, id));
  restore_saved_call = async ({ id }: Args<"restore_saved_call">) => this.set(this.removed.restore(this.saved, id));

  list_logged_calls = async ({ item, before, limit }: Args<"list_logged_calls">) => {
    const { serverId, kind, name } = item;
    const all = this.past
      .filter(({ item: of }) => of.serverId === serverId && of.kind === kind && of.name === name)
      .map(({ call }) => call)
      .filter(({ id }) => before === null || id < before);
    const calls = all.slice(0, limit);
    return { calls, next: all.length > limit ? (calls.at(-1)?.id ?? null) : null };
  };
  get_logged_call = async ({ id }: Args<"get_logged_call">) => this.past.find(({ call }) => call.id === id)?.content ?? null;
  save_file = async ({ name, content, base64 }: Args<"save_file">) => {
    this.files.set(name, { content, base64 });
    return `/home/ana/${name}`;
  };
}
