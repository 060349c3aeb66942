// Saved calls, past calls of the log, and files that results were saved as.
import type { Item } from "@/ipc/bindings/Item";
import type { LoggedCall } from "@/ipc/bindings/LoggedCall";
import type { LoggedCallContent } from "@/ipc/bindings/LoggedCallContent";
import type { LoggedCallPage } from "@/ipc/bindings/LoggedCallPage";
import type { NewSavedCall } from "@/ipc/bindings/NewSavedCall";
import type { SavedCall } from "@/ipc/bindings/SavedCall";
import { looksSecret } from "@/lib/secrets";

interface Past {
  readonly item: Item;
  readonly call: LoggedCall;
  readonly content: LoggedCallContent;
}

export class Calls {
  saved: SavedCall[] = [];
  /** What the log has, newest first. */
  past: Past[] = [];
  /** What was saved as files, by name. */
  readonly files = new Map<string, { content: string; base64: boolean }>();
  private readonly removed = new Map<number, SavedCall>();
  private lastId = 0;

  page(item: Item, before: number | null, limit: number): LoggedCallPage {
    const all = this.past.filter(
      (entry) =>
        entry.item.serverId === item.serverId &&
        entry.item.kind === item.kind &&
        entry.item.name === item.name &&
        (before === null || entry.call.id < before),
    );
    const calls = all.slice(0, limit).map((entry) => entry.call);
    return { calls, next: all.length > limit ? (calls.at(-1)?.id ?? null) : null };
  }

  content(id: number): LoggedCallContent | null {
    return this.past.find((entry) => entry.call.id === id)?.content ?? null;
  }

  save({ arguments: text, ...call }: NewSavedCall): SavedCall {
    const all = Object.entries(JSON.parse(text) as Record<string, unknown>);
    const secret = ([name, value]: [string, unknown]) => looksSecret(name, typeof value === "string" ? value : "");
    const withheld = all.filter(secret).map(([name]) => name);
    const kept = withheld.length === 0 ? text : JSON.stringify(Object.fromEntries(all.filter((entry) => !secret(entry))));
    const same = this.saved.find(
      (other) => other.serverId === call.serverId && other.kind === call.kind && other.item === call.item && other.name === call.name,
    );
    const saved = { ...call, id: same?.id ?? (this.lastId += 1), arguments: kept, withheld };
    this.saved = same === undefined ? [...this.saved, saved] : this.saved.map((other) => (other === same ? saved : other));
    return saved;
  }

  rename(id: number, name: string): null {
    this.saved = this.saved.map((call) => (call.id === id ? { ...call, name } : call));
    return null;
  }

  remove(id: number): null {
    const call = this.saved.find((other) => other.id === id);
    if (call !== undefined) this.removed.set(id, call);
    this.saved = this.saved.filter((other) => other.id !== id);
    return null;
  }

  restore(id: number): null {
    const call = this.removed.get(id);
    if (call !== undefined) this.saved = [...this.saved, call].toSorted((left, right) => left.id - right.id);
    return null;
  }
}
