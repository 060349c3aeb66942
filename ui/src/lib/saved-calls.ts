// A saved call that is to be run in the Workbench, asked for from elsewhere.
import { KeyedStore, useKeyed } from "./keyed-store";

const asked = new KeyedStore<number>();

/** Has the Workbench run a saved call as soon as it is shown. */
export function askSavedCall(id: number): void {
  asked.set("call", id);
}

/** The saved call that is to be run; undefined when there is none. */
export function useAskedSavedCall(): number | undefined {
  return useKeyed(asked, "call");
}

/** Takes it over: nobody else runs it then. */
export function takeSavedCall(): number | undefined {
  const id = asked.get("call");
  asked.delete("call");
  return id;
}
