// Whether the apps' own servers are being taken over: over whatever screen is shown, since the first server changes that.
import { KeyedStore, useKeyed } from "./keyed-store";

const open = new KeyedStore<true>();
const KEY = "open";

export const showTakeOver = (): void => open.set(KEY, true);
export const closeTakeOver = (): void => open.delete(KEY);
export const useTakeOverOpen = (): boolean => useKeyed(open, KEY) === true;
