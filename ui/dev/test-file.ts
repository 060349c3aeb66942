// Test files run one after another in one process. Each starts with fresh modules of ours and cleans up after itself.
import { afterAll, vi } from "vitest";

// A module's state lasts as long as the window. React and other packages stay loaded. A load that the end of the last
// file interrupted is repeated.
vi.resetModules();

/** Wraps a function to record its calls and results. */
const noted = <F extends (...args: never[]) => unknown>(original: F, note: (args: Parameters<F>, result: ReturnType<F>) => void): F =>
  new Proxy(original, {
    apply(target, self, args: Parameters<F>) {
      const result = Reflect.apply(target, self, args) as ReturnType<F>;
      note(args, result);
      return result;
    },
  });

const { setTimeout, setInterval, addEventListener } = globalThis;

const timers: WeakRef<object>[] = [];
const noteTimer = (_: unknown, timer: unknown) => void timers.push(new WeakRef(timer as object));
globalThis.setTimeout = noted(setTimeout, noteTimer);
globalThis.setInterval = noted(setInterval, noteTimer);

const listeners: Parameters<typeof addEventListener>[] = [];
const hasPage = "document" in globalThis;
if (hasPage) globalThis.addEventListener = noted(addEventListener, (args) => void listeners.push(args));

afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  for (const timer of timers) clearTimeout(timer.deref() as never);
  for (const [type, listener, options] of listeners) removeEventListener(type, listener, options);
  Object.assign(globalThis, { setTimeout, setInterval }, hasPage && { addEventListener });
});
