// The demonstration of `cargo xtask run --headless`: the real window, the demo server, one call and one picture.

import { demonstrate, report, say } from "./demonstration.mjs";
import { Desktop } from "./desktop.mjs";

const began = performance.now();
const desktop = await Desktop.start();
try {
  say("window", `open after ${((performance.now() - began) / 1000).toFixed(1)} s, on a virtual display`);
  await demonstrate(desktop.session, "headless-run");
} catch (error) {
  await report(error, desktop, "headless-run");
} finally {
  await desktop.close();
}
