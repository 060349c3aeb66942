// The rows of `cargo xtask bench` that need the window: its start, its memory, and whether it keeps up.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { runTool, serverId } from "./asking.mjs";
import { binary, Desktop } from "./desktop.mjs";
import { address, goTo, mooringOk, openTool, run, startDemo, toolIsOpen, words } from "./person.mjs";
import { until } from "./webdriver.mjs";

const STARTS = 7;
const GOAL = { paintMs: 600, gapMs: 50, movesPerSecond: 4, pageMiB: 350, switchMs: 100, runningMs: 300, idleSwitches: 5 };
/** How long the idle page is measured, in milliseconds. */
const WATCHED_MS = 3_000;
/** How long the page rests after a long session, because garbage is collected late. */
const RESTED_MS = 60_000;
/** How long the hidden window settles, and how often and how long it is watched, in milliseconds. */
const SETTLED_MS = 10_000;
const IDLE_ROUNDS = 3;
const IDLE_MS = 30_000;
/** Processor time in `/proc` is counted in hundredths of a second. */
const TICK_MS = 10;
/** The highest rate of events that the log accepts, and the rate of one busy server. */
const FEEDS = [
  { rate: 10_000, seconds: 10 },
  { rate: 500, seconds: 20 },
];
/** The size of a long session, and the screens that it visits. */
const LONG = { servers: 17, switches: 3_000, events: 10_500, results: 500 };
const PLACES = ["activity", "servers", "inbox", "workbench", "apps", "accounts", "models", "policies", "safety", "settings"];
const RESULTS = ["structured", "long_text", "image", "audio", "link"];
/** The smallest share of the requested rate that counts. The last rows are committed after the feed's time. */
const ACHIEVED = 0.98;
/** The list counts as live if it shows a newer row at least this often. */
const STALE_MS = 500;

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Prints a figure and returns whether it met its goal, which is an upper limit unless `least` is set. */
function row(name, value, unit, goal, note = "", { least = false } = {}) {
  const good = goal === undefined || (least ? value >= goal : value <= goal);
  const reached = goal === undefined ? "" : `goal ${least ? "at least " : ""}${goal}: ${good ? "reached" : "MISSED"}`;
  console.log(`${name.padEnd(34)}${String(Math.round(value)).padStart(8)} ${unit.padEnd(6)}${reached}${note && `  ${note}`}`);
  return good;
}

/** The context switches of each thread of a process so far. */
function contextSwitches(pid) {
  const threads = new Map();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    let status;
    try {
      status = readFileSync(`/proc/${pid}/task/${thread}/status`, "latin1");
    } catch {
      // The thread ended meanwhile.
      continue;
    }
    const counts = [...status.matchAll(/ctxt_switches:\s+(\d+)/g)].map(([, count]) => Number(count));
    threads.set(
      thread,
      counts.reduce((sum, count) => sum + count, 0),
    );
  }
  return threads;
}

/** The switches between two readings. Those of threads that ended meanwhile are unknown. */
function countSince(before, after) {
  return [...after].reduce((sum, [thread, count]) => sum + count - (before.get(thread) ?? 0), 0);
}

/** Starts the window as a person does, and resolves once it is interactive. */
async function open(desktop, ...args) {
  const child = spawn(desktop.program, args, {
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

/** Ends the window, and any login shell that it has started, so that they don't slow down the next start. */
async function close(desktop, child) {
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  await gone;
  await until(() => {
    const left = desktop.processes("");
    for (const pid of left) spawnSync("kill", ["-KILL", pid]);
    return left.length === 0;
  }, "everything that the window started to end");
}

/** The proportional set size of a process and all its descendants, in MiB. Shared pages count by their share. */
function memory(root) {
  const parents = new Map();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
      parents.set(Number(pid), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
    } catch {
      // The process ended meanwhile.
    }
  }
  const belongs = (pid) => pid === root || (parents.has(pid) && belongs(parents.get(pid)));
  const sizes = [...parents.keys()].filter(belongs).map((pid) => {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "latin1");
    return Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)[1]) / 1024;
  });
  return { total: sizes.reduce((sum, size) => sum + size, 0), processes: sizes.length };
}

async function start() {
  const desktop = await Desktop.prepare();
  let passed = true;
  try {
    const first = await open(desktop);
    await close(desktop, first.child);
    const paints = [];
    const interactives = [];
    for (let count = 0; count < STARTS; count += 1) {
      const { child, times } = await open(desktop);
      paints.push(times["first paint"]);
      interactives.push(times.interactive);
      if (count === STARTS - 1) {
        const { total, processes } = memory(child.pid);
        row("memory, all processes (PSS)", total, "MiB", undefined, `${processes} processes`);
      }
      await close(desktop, child);
    }
    const spread = `of ${STARTS}: ${Math.min(...paints)} to ${Math.max(...paints)}`;
    row("first paint, first start", first.times["first paint"], "ms");
    passed &&= row("first paint, warm, median", median(paints), "ms", GOAL.paintMs, spread);
    row("interactive, warm, median", median(interactives), "ms");
  } finally {
    await desktop.close();
  }
  return passed;
}

// The id of the newest row on screen, or 0.
const NEWEST = `Math.max(0, ...[...document.querySelectorAll('[role=row][id^=event-]')].map((row) => Number(row.id.slice(6))))`;

// Runs in the page for `ms`. Returns the longest time between two frames, and the progress of the newest row.
const WATCH = `
const [ms, done] = arguments;
const gaps = [];
const began = performance.now();
let last = began;
let looked = began;
const feed = { first: ${NEWEST}, newest: 0, steps: 0, stale: 0, moved: began };
feed.newest = feed.first;
const look = (now) => {
  looked = now;
  const newest = ${NEWEST};
  feed.stale = Math.max(feed.stale, now - feed.moved);
  if (newest <= feed.newest) return;
  feed.newest = newest;
  feed.moved = now;
  feed.steps += 1;
};
const frame = () => {
  const now = performance.now();
  gaps.push(now - last);
  last = now;
  if (now - looked >= 40) look(now);
  if (now - began < ms) requestAnimationFrame(frame);
  else done({ longest: Math.max(...gaps), frames: gaps.length, over: gaps.filter((gap) => gap > 50).length, feed });
};
requestAnimationFrame(frame);
`;

/** A busy log in the list of Activity: new events are shown, and no frame is delayed. */
async function liveFeed({ rate, seconds }) {
  const desktop = await Desktop.start();
  try {
    const { session } = desktop;
    await (await session.byRole("link", /^Activity/)).click();
    await session.byRole("heading", "Activity");
    const events = writeEvents(desktop, rate, seconds);
    await until(() => session.execute("return document.querySelectorAll('[role=row]').length > 3"), "the first rows");
    const ms = (seconds - 2) * 1000;
    const { longest, frames, over, feed: shown } = await session.executeAsync(WATCH, ms);
    const { rows, rows_per_second: achieved } = await events;
    // The last event is on screen in the end.
    const listed = spawnSync(binary("mooring"), ["logs", "--json", "--limit", "1"], { env: desktop.env, encoding: "utf8" });
    const [{ id, rpc_id: number }] = JSON.parse(listed.stdout).result;
    if (number !== String(rows - 1)) throw new Error(`the newest row of the log is ${number}, not the last of the feed`);
    await until(async () => (await session.execute(`return ${NEWEST}`)) === id, "the last row of the feed");
    const moved = ((shown.newest - shown.first) / ms) * 1000;
    return [
      row(`live feed ${rate}/s, rows written`, achieved, "/s", rate * ACHIEVED, "", { least: true }),
      row(`live feed ${rate}/s, newest row shown`, moved, "/s", rate * ACHIEVED * (1 - STALE_MS / ms), `${shown.steps} steps`, {
        least: true,
      }),
      row(`live feed ${rate}/s, times it moved on`, shown.steps / (ms / 1000), "/s", GOAL.movesPerSecond, "", { least: true }),
      row(`live feed ${rate}/s, longest without newer`, shown.stale, "ms", STALE_MS),
      row(`live feed ${rate}/s, longest frame gap`, longest, "ms", GOAL.gapMs, `${frames} frames, ${over} over 50 ms`),
    ].every(Boolean);
  } catch (error) {
    throw new Error(`${error.message}\n${desktop.output()}`, { cause: error });
  } finally {
    await desktop.close();
  }
}

/** Writes `rate` events per second to the log of a running window. Resolves when all are written. */
async function writeEvents(desktop, rate, seconds) {
  const args = ["feed", "--home", desktop.home, "--rate", String(rate), "--seconds", String(seconds)];
  const feed = spawn(binary("mooring-bench"), args, { stdio: ["ignore", "pipe", "inherit"] });
  let written = "";
  feed.stdout.on("data", (text) => (written += text));
  const [code] = await once(feed, "exit");
  if (code !== 0) throw new Error(`the feed ended with ${code}`);
  const report = JSON.parse(written);
  if (report.rows !== rate * seconds) throw new Error(`the feed wrote ${report.rows} of ${rate * seconds} rows`);
  return report;
}

/** Runs `work` in a window with the demo server. An error includes the window's output. */
async function withDemo(work) {
  const desktop = await Desktop.start();
  try {
    await desktop.session.resize(1280, 800);
    await startDemo(desktop.session);
    return await work(desktop, desktop.session);
  } catch (error) {
    throw new Error(`${error.message}\n${desktop.output()}`, { cause: error });
  } finally {
    await desktop.close();
  }
}

// Visits `places` in turn, `count` times, from within the page, so that the driver's own work doesn't count. Returns
// the times until each screen was complete and two frames were drawn, by place.
const SWITCH = `
const [places, count, done] = arguments;
const times = Object.fromEntries(places.map(([, label]) => [label, []]));
const frame = () => new Promise(requestAnimationFrame);
const go = async () => {
  for (let number = 0; number < count; number += 1) {
    const [hash, label] = places[number % places.length];
    const began = performance.now();
    location.hash = hash;
    while (document.querySelector("main")?.getAttribute("aria-label") !== label) await frame();
    await frame();
    await frame();
    times[label].push(performance.now() - began);
  }
  return times;
};
go().then(done, (error) => done({ error: String(error) }));
`;

/** This quantile of the values. */
const quantile = (values, share) => values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];

/** A long session: how fast screens change, and the page's memory after many screens, events and results. */
function longSession() {
  return withDemo(async (desktop, session) => {
    const weigh = () => {
      const sizes = desktop.processes("WebKitWebProcess").map((pid) => {
        const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "latin1");
        return Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)[1]) / 1024;
      });
      return sizes.reduce((sum, size) => sum + size, 0);
    };
    let peak = 0;
    const look = () => (peak = Math.max(peak, weigh()));
    const t = words("en");
    const places = PLACES.map((place) => [`/${place}`, t(`${place}:place`)]);
    for (let number = 2; number <= LONG.servers; number += 1)
      mooringOk(desktop, "add", `pier-${number}`, "--", binary("mooring-demo-server"));
    await session.shows(`${LONG.servers}/${LONG.servers}`, { timeout: 60_000 });
    for (const place of PLACES) await goTo(session, place);
    row("long session, page at first", weigh(), "MiB", undefined, `${LONG.servers} servers`);

    // Activity shows the events as they come, while all screens are visited.
    const events = writeEvents(desktop, LONG.events / 10, 10);
    const times = {};
    const AT_ONCE = 120;
    for (let count = 0; count < LONG.switches; count += AT_ONCE) {
      const taken = await session.executeAsync(SWITCH, places, AT_ONCE);
      if (taken.error) throw new Error(taken.error);
      for (const [place, values] of Object.entries(taken)) (times[place] ??= []).push(...values);
      look();
    }
    await events;
    row("long session, page after screens", weigh(), "MiB", undefined, `${LONG.switches} switches, ${LONG.events} events`);
    const reached = Object.entries(times).map(([place, values]) =>
      row(
        `switch to ${place}, 95 of 100`,
        quantile(values, 0.95),
        "ms",
        GOAL.switchMs,
        `median ${Math.round(median(values))}, most ${Math.round(Math.max(...values))}`,
      ),
    );

    await goTo(session, "workbench");
    for (let count = 0; count < LONG.results; count += 1) {
      const tool = RESULTS[count % RESULTS.length];
      await address(session, `/workbench?server=${serverId(desktop)}&tool=${tool}`);
      await toolIsOpen(session, tool);
      await run(session);
      if (count % 25 === 0) look();
    }
    row("long session, page after results", weigh(), "MiB", undefined, `${LONG.results} results`);
    look();
    await sleep(RESTED_MS);
    row("long session, page at most (PSS)", peak, "MiB");
    return [...reached, row("long session, page after a rest", weigh(), "MiB", GOAL.pageMiB, `${RESTED_MS / 1000} s later`)].every(Boolean);
  });
}

/** The processor time of the page's processes and all their threads, in milliseconds. */
function processorTime(desktop) {
  const times = desktop.processes("WebKitWebProcess").map((pid) => {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [user, system] = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11, 13)
      .map(Number);
    return (user + system) * TICK_MS;
  });
  return times.reduce((sum, time) => sum + time, 0);
}

/** What the hidden window costs while nothing happens. The processes of its page are not counted. */
async function idleWindow() {
  const desktop = await Desktop.prepare();
  try {
    const { child } = await open(desktop, "--hidden");
    const counts = [];
    await sleep(SETTLED_MS);
    for (let round = 0; round < IDLE_ROUNDS; round += 1) {
      const before = contextSwitches(child.pid);
      await sleep(IDLE_MS);
      counts.push(countSince(before, contextSwitches(child.pid)) / (IDLE_MS / 1000));
    }
    await close(desktop, child);
    const note = `a second, ${Math.min(...counts).toFixed(1)} to ${Math.max(...counts).toFixed(1)}`;
    return row("hidden window, context switches", median(counts), "", GOAL.idleSwitches, note);
  } finally {
    await desktop.close();
  }
}

/** The page's processor time while a call waits with the focus in its question, compared with an idle page. */
function waitingCall() {
  return withDemo(async (desktop, session) => {
    const watch = async () => {
      // Wait until everything is drawn and garbage is collected.
      await sleep(2 * WATCHED_MS);
      const before = processorTime(desktop);
      await sleep(WATCHED_MS);
      return processorTime(desktop) - before;
    };
    await goTo(session, "workbench");
    await openTool(session, "register_ship");
    const note = `of ${WATCHED_MS} ms`;
    row("processor, page at rest", await watch(), "ms", undefined, note);
    await runTool({ session, server: serverId(desktop) }, "register_ship");
    await session.byCss("[data-question-in-place] input", { timeout: 30_000 });
    await session.execute("document.querySelector('[data-question-in-place] input').focus()");
    desktop.lookAt(true);
    const looked = row("processor, call that waits", await watch(), "ms", GOAL.runningMs, note);
    desktop.lookAt(false);
    row("processor, call, window behind", await watch(), "ms", undefined, note);
    return looked;
  });
}

const wanted = new Set(process.argv.slice(2));
let passed = true;
if (wanted.has("window-start")) passed = (await start()) && passed;
if (wanted.has("window-memory")) passed = (await longSession()) && passed;
if (wanted.has("waiting-call")) passed = (await waitingCall()) && passed;
if (wanted.has("idle-window")) passed = (await idleWindow()) && passed;
if (wanted.has("live-feed")) for (const feed of FEEDS) passed = (await liveFeed(feed)) && passed;
process.exitCode = passed ? 0 : 1;
