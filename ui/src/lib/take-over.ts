// Whether the take-over dialog is open. It is above any screen, because the first server changes the screen.
import { KeyedStore, useKeyed } from "./keyed-store";

const open = new KeyedStore<true>();
const KEY = "open";

export const showTakeOver = (): void => open.set(KEY, true);
export const closeTakeOver = (): void => open.delete(KEY);
export const useTakeOverOpen = (): boolean => useKeyed(open, KEY) === true;
