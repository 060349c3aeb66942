// A saved call that the Workbench should run, requested from elsewhere.
import { KeyedStore, useKeyed } from "./keyed-store";

const asked = new KeyedStore<number>();

/** Makes the Workbench run a saved call as soon as it is shown. */
export function askSavedCall(id: number): void {
  asked.set("call", id);
}

/** The saved call to run, if there is one. */
export function useAskedSavedCall(): number | undefined {
  return useKeyed(asked, "call");
}

/** Takes the request, so that no one else runs it. */
export function takeSavedCall(): number | undefined {
  const id = asked.get("call");
  asked.delete("call");
  return id;
}
