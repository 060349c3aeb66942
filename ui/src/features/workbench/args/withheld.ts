// The arguments of an item that must be entered again, because they weren't saved with a call.
import { KeyedStore, useKeyed } from "@/lib/keyed-store";
import { type Target, targetKey } from "../target";

const names = new KeyedStore<readonly string[]>();
const none: readonly string[] = [];

export function useWithheld(server: number, target: Target): readonly string[] {
  return useKeyed(names, targetKey(server, target)) ?? none;
}

export function setWithheld(server: number, target: Target, withheld: readonly string[]): void {
  if (withheld.length === 0) names.delete(targetKey(server, target));
  else names.set(targetKey(server, target), withheld);
}
