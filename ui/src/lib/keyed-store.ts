// State that outlives its screen: a value per key, stored outside of React while the window runs.
import { useSyncExternalStore } from "react";

export class KeyedStore<V> {
  private readonly values = new Map<string, V>();
  private readonly listeners = new Set<() => void>();

  get(key: string): V | undefined {
    return this.values.get(key);
  }

  /** Every key with its value. */
  entries(): IterableIterator<[string, V]> {
    return this.values.entries();
  }

  set(key: string, value: V): void {
    if (Object.is(this.values.get(key), value)) return;
    this.values.set(key, value);
    for (const listener of this.listeners) listener();
  }

  /** Removes a value. */
  delete(key: string): void {
    if (!this.values.delete(key)) return;
    for (const listener of this.listeners) listener();
  }

  /** Removes all values. */
  clear(): void {
    this.values.clear();
    for (const listener of this.listeners) listener();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
}

/** The current value of a key. */
export function useKeyed<V>(store: KeyedStore<V>, key: string): V | undefined {
  return useSyncExternalStore(store.subscribe, () => store.get(key));
}
