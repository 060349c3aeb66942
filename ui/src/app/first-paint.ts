// The first frame is the outline in index.html. It is removed when the real page is drawn. The backend gets the time of
// both.
import type { QueryClient } from "@tanstack/react-query";
import { call } from "@/ipc/bridge";
import { servers } from "@/ipc/queries";

const nextFrames = () =>
  new Promise<void>((done) => {
    requestAnimationFrame(() => requestAnimationFrame(() => done()));
  });

/** Resolves when our page is drawn. The outline is removed before that is painted. */
const drawn = (root: Element, outline: Element | null) =>
  new Promise<void>((done) => {
    const look = () => {
      if (root.childElementCount === 0) return;
      watch.disconnect();
      outline?.remove();
      done();
    };
    const watch = new MutationObserver(look);
    watch.observe(root, { childList: true });
    look();
  });

/** Reports when a phase was reached. */
const tell = (phase: "paint" | "interactive", at: number) =>
  call("first_paint", { phase, ago: Math.max(0, Math.round(performance.now() - at)) });

/** Removes the outline in time and reports `paint`, then `interactive`. Ignores failed reports. */
export function reportFirstPaint(root: Element, client: QueryClient): void {
  const report = async () => {
    await drawn(root, document.getElementById("shell"));
    await nextFrames();
    // Marked by index.html, if the webview reports its paint times.
    await tell("paint", performance.getEntriesByName("first-frame")[0]?.startTime ?? performance.now());
    await client.ensureQueryData(servers());
    await nextFrames();
    await tell("interactive", performance.now());
  };
  report().catch(() => undefined);
}
