// What is filled in next in the Workbench. Whoever opens something there means to use it: the keyboard goes where one
// types next, to its first field, else to what runs it.
import { useNavigate } from "@tanstack/react-router";
import { firstField } from "./first-field";
import { KeyedStore, useKeyed } from "./keyed-store";

type Kind = "tool" | "resource" | "template" | "prompt";

interface Wanted {
  readonly server: number;
  readonly kind: Kind;
  readonly name: string;
  /** It was chosen in the tree, which shows it already. */
  readonly inTree: boolean;
  readonly at: number;
}

/** What could not be opened by then is not waited for any longer. */
const PATIENCE_MS = 10_000;
/** The page is looked at this often, and this many times, until nothing floats above it any more. */
const [PAUSE_MS, TIMES] = [30, 30];

const store = new KeyedStore<Wanted>();

/** Has the Workbench put the keyboard into this once it is shown. */
export function fillInNext(server: number, kind: Kind, name: string, inTree = false): void {
  store.set("next", { server, kind, name, inTree, at: Date.now() });
}

/** What is to be filled in next; undefined where nothing is. */
export function useNext(): Wanted | undefined {
  return useKeyed(store, "next");
}

/** Takes it over. True where it is still meant. */
export function takeNext(): boolean {
  const at = store.get("next")?.at;
  store.delete("next");
  return at !== undefined && Date.now() - at < PATIENCE_MS;
}

/** Opens something in the Workbench, to use it. */
export function useOpenWork(): (server: number, kind: Kind, name: string) => void {
  const navigate = useNavigate();
  return (server, kind, name) => {
    fillInNext(server, kind, name);
    void navigate({ to: "/workbench", search: { server, [kind]: name } });
  };
}

/** What runs what is open, unless it may destroy something: that is not to lie under a key that is pressed twice. */
const RUN = "[data-run]:not(:disabled)";

/** Puts the keyboard where one types or decides next, once nothing floats above the page any more. A person who presses something else first has the keyboard there. */
export function enterWork(): void {
  let times = TIMES;
  const timer = setInterval(() => {
    const covered = document.querySelector("[role=dialog],[role=menu]") !== null;
    if (covered && times-- > 0) return;
    stop();
    if (!covered) focusWork();
  }, PAUSE_MS);
  const stop = () => {
    clearInterval(timer);
    removeEventListener("pointerdown", stop, true);
    removeEventListener("keydown", onKeyDown, true);
  };
  // A key that is still held is the one that opened it.
  const onKeyDown = ({ repeat }: KeyboardEvent) => !repeat && stop();
  addEventListener("pointerdown", stop, true);
  addEventListener("keydown", onKeyDown, true);
}

function focusWork(): void {
  const column = document.querySelector<HTMLElement>("[data-work]");
  // What is asked is entered by its own key.
  const asks = column?.querySelector("[data-question-in-place]") != null;
  const field = column === null || asks ? null : firstField(column);
  (field ?? (asks ? column : (document.querySelector<HTMLElement>(RUN) ?? column)))?.focus();
}
