// Test files share a process, one after the other. Each starts with modules of ours that no other has used, and what it began ends with it.
import { afterAll, vi } from "vitest";

// What is kept in a module lasts as long as the window; React and other packages stay loaded. A load that the last file's end broke off
// is begun again.
vi.resetModules();

/** The same function, which notes what it was called with and gave. */
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
