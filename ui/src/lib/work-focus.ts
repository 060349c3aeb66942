// Moves the focus in the Workbench. Opening something means using it, so its first field gets the focus, or its Run
// button.
import { useNavigate } from "@tanstack/react-router";
import { firstField } from "./first-field";
import { KeyedStore, useKeyed } from "./keyed-store";

type Kind = "tool" | "resource" | "template" | "prompt";

interface Wanted {
  readonly server: number;
  readonly kind: Kind;
  readonly name: string;
  /** Whether it was selected in the tree, where it is already visible. */
  readonly inTree: boolean;
  readonly at: number;
}

/** How long to wait for something to open. */
const PATIENCE_MS = 10_000;
/** How often, and how many times, to check whether an overlay is gone. */
const [PAUSE_MS, TIMES] = [30, 30];

const store = new KeyedStore<Wanted>();

/** Makes the Workbench focus this item once it is shown. */
export function fillInNext(server: number, kind: Kind, name: string, inTree = false): void {
  store.set("next", { server, kind, name, inTree, at: Date.now() });
}

/** The item to focus next, if there is one. */
export function useNext(): Wanted | undefined {
  return useKeyed(store, "next");
}

/** Takes the request. True if it is still valid. */
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

/** The Run button, unless it may destroy something, because a double press must not run that. */
const RUN = "[data-run]:not(:disabled)";

/** Focuses the next field or button once no overlay is open. Stops if the person presses something else first. */
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
  // A key held down is the one that opened it.
  const onKeyDown = ({ repeat }: KeyboardEvent) => !repeat && stop();
  addEventListener("pointerdown", stop, true);
  addEventListener("keydown", onKeyDown, true);
}

function focusWork(): void {
  const column = document.querySelector<HTMLElement>("[data-work]");
  // A question has its own key.
  const asks = column?.querySelector("[data-question-in-place]") != null;
  const field = column === null || asks ? null : firstField(column);
  (field ?? (asks ? column : (document.querySelector<HTMLElement>(RUN) ?? column)))?.focus();
}
