// Tells the backend once when the first frame is on screen, and once when the servers are listed in it.
import type { QueryClient } from "@tanstack/react-query";
import { call } from "@/ipc/bridge";
import { servers } from "@/ipc/queries";

const nextFrames = () =>
  new Promise<void>((done) => {
    requestAnimationFrame(() => requestAnimationFrame(() => done()));
  });

/** Resolves when something of ours stands in the page. */
const drawn = (root: Element) =>
  new Promise<void>((done) => {
    const look = () => {
      if (root.childElementCount === 0) return;
      watch.disconnect();
      done();
    };
    const watch = new MutationObserver(look);
    watch.observe(root, { childList: true });
    look();
  });

/** Reports `paint`, then `interactive`. A report that fails changes nothing for the person. */
export function reportFirstPaint(root: Element, client: QueryClient): void {
  const report = async () => {
    await drawn(root);
    await nextFrames();
    await call("first_paint", { phase: "paint" });
    await client.ensureQueryData(servers());
    await nextFrames();
    await call("first_paint", { phase: "interactive" });
  };
  report().catch(() => undefined);
}
