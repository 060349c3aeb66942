// The first frame is the outline in index.html. It goes when the real frame stands in its place, and the backend
// is told when each was on screen.
import type { QueryClient } from "@tanstack/react-query";
import { call } from "@/ipc/bridge";
import { servers } from "@/ipc/queries";

const nextFrames = () =>
  new Promise<void>((done) => {
    requestAnimationFrame(() => requestAnimationFrame(() => done()));
  });

/** Resolves when something of ours stands in the page; the outline is gone before that is painted. */
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

/** Tells that a phase was reached at a moment of this page. */
const tell = (phase: "paint" | "interactive", at: number) =>
  call("first_paint", { phase, ago: Math.max(0, Math.round(performance.now() - at)) });

/** Takes the outline away in time and reports `paint`, then `interactive`. A report that fails changes nothing for the person. */
export function reportFirstPaint(root: Element, client: QueryClient): void {
  const report = async () => {
    await drawn(root, document.getElementById("shell"));
    await nextFrames();
    // Marked by index.html, where the webview tells when it has painted.
    await tell("paint", performance.getEntriesByName("first-frame")[0]?.startTime ?? performance.now());
    await client.ensureQueryData(servers());
    await nextFrames();
    await tell("interactive", performance.now());
  };
  report().catch(() => undefined);
}
