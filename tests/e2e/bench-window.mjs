// `cargo xtask bench`, the rows that need the window: how soon it shows, what it weighs, whether it keeps up.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { binary, Desktop } from "./desktop.mjs";
import { until } from "./webdriver.mjs";

const STARTS = 7;
const GOAL = { paintMs: 600, gapMs: 50 };
const FEED = { rate: 10_000, seconds: 10 };

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

function row(name, value, unit, goal, note = "") {
  const reached = goal === undefined ? "" : value <= goal ? `goal ${goal}: reached` : `goal ${goal}: MISSED`;
  console.log(`${name.padEnd(34)}${String(Math.round(value)).padStart(8)} ${unit.padEnd(6)}${reached}${note && `  ${note}`}`);
  return goal === undefined || value <= goal;
}

/** Starts the window as a person does and resolves once it says that it is interactive. */
async function open(desktop) {
  const child = spawn(desktop.program, [], {
    env: { ...desktop.env, MOORING_TIMINGS: "1", TAURI_WEBVIEW_AUTOMATION: undefined },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const times = {};
  for await (const line of createInterface({ input: child.stderr })) {
    const [, what, time] = /^mooring: (first paint|interactive) (\d+) ms$/.exec(line) ?? [];
    if (what) times[what] = Number(time);
    if (times.interactive !== undefined) return { child, times };
  }
  throw new Error("the window ended before it was interactive");
}

async function close(child) {
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  await gone;
}

/** Proportional set size of a process and all its descendants, in MiB; shared pages count by their share. */
function memory(root) {
  const parents = new Map();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
      parents.set(Number(pid), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
    } catch {
      // It ended meanwhile.
    }
  }
  const belongs = (pid) => pid === root || (parents.has(pid) && belongs(parents.get(pid)));
  const sizes = [...parents.keys()].filter(belongs).map((pid) => {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "latin1");
    return Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)[1]) / 1024;
  });
  return { total: sizes.reduce((sum, size) => sum + size, 0), processes: sizes.length };
}

async function start(wanted) {
  const desktop = await Desktop.prepare();
  let passed = true;
  try {
    const first = await open(desktop);
    await close(first.child);
    const paints = [];
    const interactives = [];
    for (let count = 0; count < STARTS; count += 1) {
      const { child, times } = await open(desktop);
      paints.push(times["first paint"]);
      interactives.push(times.interactive);
      if (count === STARTS - 1 && wanted.has("window-memory")) {
        const { total, processes } = memory(child.pid);
        row("memory, all processes (PSS)", total, "MiB", undefined, `${processes} processes`);
      }
      await close(child);
    }
    if (wanted.has("window-start")) {
      const spread = `of ${STARTS}: ${Math.min(...paints)} to ${Math.max(...paints)}`;
      row("first paint, first start", first.times["first paint"], "ms");
      passed &&= row("first paint, warm, median", median(paints), "ms", GOAL.paintMs, spread);
      row("interactive, warm, median", median(interactives), "ms");
    }
  } finally {
    await desktop.close();
  }
  return passed;
}

// Runs in the page for `ms` and answers the longest times between two frames.
const FRAME_GAPS = `
const [ms, done] = arguments;
const gaps = [];
const began = performance.now();
let last = began;
const frame = () => {
  const now = performance.now();
  gaps.push(now - last);
  last = now;
  if (now - began < ms) requestAnimationFrame(frame);
  else done({ longest: Math.max(...gaps), frames: gaps.length, over: gaps.filter((gap) => gap > 50).length });
};
requestAnimationFrame(frame);
`;

async function liveFeed() {
  const desktop = await Desktop.start();
  try {
    const { session } = desktop;
    await (await session.byRole("link", /^Activity/)).click();
    await session.byRole("heading", "Activity");
    const { rate, seconds } = FEED;
    const args = ["feed", "--home", desktop.home, "--rate", String(rate), "--seconds", String(seconds)];
    const feed = spawn(binary("mooring-bench"), args, { stdio: ["ignore", "pipe", "inherit"] });
    let written = "";
    feed.stdout.on("data", (text) => (written += text));
    const gone = once(feed, "exit");
    await until(() => session.execute("return document.querySelectorAll('[role=row]').length > 3"), "the first rows");
    const idle = await session.executeAsync(FRAME_GAPS, (seconds - 2) * 1000);
    const [code] = await gone;
    if (code !== 0) throw new Error(`the feed ended with ${code}`);
    console.log(`feed: ${written.trim()}`);
    return row(`live feed ${rate}/s, longest frame gap`, idle.longest, "ms", GOAL.gapMs, `${idle.frames} frames, ${idle.over} over 50 ms`);
  } catch (error) {
    throw new Error(`${error.message}\n${desktop.output()}`, { cause: error });
  } finally {
    await desktop.close();
  }
}

const wanted = new Set(process.argv.slice(2));
let passed = true;
if (wanted.has("window-start") || wanted.has("window-memory")) passed = (await start(wanted)) && passed;
if (wanted.has("live-feed")) passed = (await liveFeed()) && passed;
process.exitCode = passed ? 0 : 1;
