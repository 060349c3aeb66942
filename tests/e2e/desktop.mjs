// The real window in its own environment: a display (Xvfb), a session bus, private folders and WebKitWebDriver, which
// all end together.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Display } from "./display.mjs";
import { ended, firstWords } from "./programs.mjs";
import { isReady, Session, until } from "./webdriver.mjs";

const SCREEN = { width: 1280, height: 900 };
/** How many of the last lines of output are saved for an error report. */
const KEPT_LINES = 200;
/** How long the application may take to end its servers and itself. */
const ENDING_MS = 15_000;
/** After this time a second press on the close button counts as a separate press. */
const SECOND_PRESS_MS = 1_500;
/** Linux truncates process names to this length. */
const LONGEST_NAME = 15;

/** The path of a built binary, as set by `cargo xtask`. */
export function binary(name) {
  const directory = process.env.MOORING_BIN_DIR;
  if (!directory) throw new Error("MOORING_BIN_DIR is not set: run this through `cargo xtask`");
  return join(directory, name);
}

/** A file of the real servers that `cargo xtask` installs. */
export function installed(...path) {
  const directory = process.env.MOORING_SERVERS;
  if (!directory) throw new Error("MOORING_SERVERS is not set: run this through `cargo xtask`");
  const file = join(directory, ...path);
  if (!existsSync(file)) throw new Error(`${file} doesn’t exist: run this through \`cargo xtask test\``);
  return file;
}

/** The program of server-everything. */
export const everything = () => installed("npm/node_modules/@modelcontextprotocol/server-everything/dist/index.js");

/** The folder for pictures. Created if missing. */
export function pictures() {
  const directory = process.env.MOORING_SCREENSHOTS ?? join(process.cwd(), "target/screenshots");
  mkdirSync(directory, { recursive: true });
  return directory;
}

/** A free port on the loopback interface. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

function terminate(pid) {
  try {
    process.kill(pid, "SIGTERM");
  } catch (error) {
    if (error.code !== "ESRCH") throw error; // it has already ended
  }
}

/** A session bus that doesn't start services automatically. */
class Bus {
  static async open() {
    const args = [`--config-file=${join(import.meta.dirname, "bus.conf")}`, "--nofork", "--print-address=1"];
    const daemon = spawn("dbus-daemon", args, { stdio: ["ignore", "pipe", "ignore"] });
    const address = await firstWords(daemon, daemon.stdout, "dbus-daemon");
    return new Bus(daemon, { DBUS_SESSION_BUS_ADDRESS: address });
  }

  constructor(daemon, env) {
    this.daemon = daemon;
    this.env = env;
  }

  close() {
    return ended(this.daemon);
  }
}

/** The application under test. Each instance runs one application at a time. `restart` keeps its data. */
export class Desktop {
  /** Opens the window. `env` adds variables to its environment, or removes them if they are undefined. */
  static async start(options = {}) {
    const desktop = await Desktop.prepare(options);
    try {
      await desktop.#open();
    } catch (error) {
      await desktop.close();
      throw new Error(`${error.message}\n${desktop.output()}`, { cause: error });
    }
    return desktop;
  }

  /**
   * Prepares the display, bus and private folders without a window: `program` and `env` say how to open one. Set
   * `shownWhole` to false for a program whose window has more than a page: its pictures come from the driver.
   */
  static async prepare({ program = binary("mooring-desktop"), args = [], env = {}, screen = SCREEN, shownWhole = true } = {}) {
    const desktop = new Desktop(mkdtempSync(join(tmpdir(), "mooring-window-")), program, args);
    desktop.shownWhole = shownWhole;
    try {
      desktop.display = await Display.open(desktop.directory, screen);
      desktop.bus = await Bus.open();
    } catch (error) {
      await desktop.close();
      throw error;
    }
    desktop.env = { ...desktop.#environment(), ...desktop.display.env, ...desktop.bus.env, ...env };
    return desktop;
  }

  constructor(directory, program, args) {
    this.directory = directory;
    this.program = program;
    this.args = args;
    this.lines = [];
    /** Receives all output of the window and its driver. */
    this.onOutput = undefined;
  }

  /** Mooring's data folder. */
  get home() {
    return join(this.directory, "mooring");
  }

  #environment() {
    const env = { ...process.env };
    // The window decides how to draw.
    delete env.WEBKIT_DISABLE_DMABUF_RENDERER;
    delete env.WEBKIT_DISABLE_COMPOSITING_MODE;
    delete env.WAYLAND_DISPLAY;
    const own = (name) => {
      const path = join(this.directory, name);
      mkdirSync(path, { mode: 0o700, recursive: true });
      return path;
    };
    return Object.assign(env, {
      GDK_BACKEND: "x11",
      LANG: "C.UTF-8",
      LC_ALL: "C.UTF-8",
      LANGUAGE: "en",
      MOORING_HOME: this.home,
      TAURI_WEBVIEW_AUTOMATION: "true",
      XDG_CACHE_HOME: own("cache"),
      XDG_CONFIG_HOME: own("config"),
      XDG_DATA_HOME: own("data"),
      XDG_RUNTIME_DIR: own("runtime"),
      XDG_STATE_HOME: own("state"),
    });
  }

  async #open() {
    const port = await freePort();
    const base = `http://127.0.0.1:${port}`;
    const options = { env: this.env, stdio: ["ignore", "pipe", "pipe"] };
    this.driver = spawn("WebKitWebDriver", [`--port=${port}`], options);
    this.driver.on("error", (error) => this.lines.push(error.message));
    for (const stream of [this.driver.stdout, this.driver.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => this.#keep(text));
    }
    await until(() => isReady(base), "WebKitWebDriver");
    this.session = await Session.start(base, this.program, this.args);
    if (this.shownWhole) this.session.display = this.display;
  }

  #keep(text) {
    this.onOutput?.(text);
    this.lines.push(...text.split("\n").filter(Boolean));
    this.lines.splice(0, Math.max(0, this.lines.length - KEPT_LINES));
  }

  /** The last lines of output of the window and its driver. */
  output() {
    return this.lines.join("\n");
  }

  /** The ids of this instance's running processes whose (truncated) names start with `name`. */
  processes(name) {
    return readdirSync("/proc").filter((pid) => {
      if (!/^\d+$/.test(pid)) return false;
      try {
        const belongs = () => readFileSync(`/proc/${pid}/environ`, "latin1").includes(this.directory);
        return readFileSync(`/proc/${pid}/comm`, "latin1").startsWith(name.slice(0, LONGEST_NAME)) && belongs();
      } catch {
        return false; // it ended meanwhile, or belongs to another user
      }
    });
  }

  /** The processes of the program in the window. */
  #own() {
    return this.processes(basename(this.program));
  }

  /** Waits until the application has ended. */
  async ended() {
    await this.#ended();
    this.session = undefined; // it ended with the window
  }

  #ended() {
    return until(() => this.#own().length === 0, "the application to end", ENDING_MS);
  }

  #display(verb) {
    const options = { env: this.env, encoding: "utf8", timeout: 10_000 };
    const asked = spawnSync("python3", [join(import.meta.dirname, "windows.py"), verb], options);
    if (asked.status !== 0) throw new Error(`${verb} at the display: ${asked.stderr || asked.error?.message}`);
    return asked.stdout;
  }

  /** The windows on the display, as a window manager sees them: `{title, class, marked, focused}`. */
  windows() {
    return this.#display("look")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  }

  /** Gives the window the focus, or takes it away. */
  lookAt(yes) {
    this.#display(yes ? "focus" : "blur");
  }

  /** Presses the window's close button. */
  pressClose() {
    this.#display("close");
  }

  /** Closes the window and waits until the application has ended. A second press quits if the first one asked. */
  async closeWindow() {
    this.pressClose();
    await setTimeout(SECOND_PRESS_MS);
    if (this.#own().length > 0 && this.windows().length > 0) this.pressClose();
    await this.ended();
  }

  /** Asks the application to end, as the system does, and waits, because it keeps the data folder until then. */
  async #stop() {
    this.session = undefined;
    try {
      for (const pid of this.#own()) terminate(Number(pid));
      await this.#ended();
    } finally {
      if (this.driver) await ended(this.driver);
      this.driver = undefined;
    }
    // Test builds check their log for calls without a verdict.
    const found = this.lines.filter((line) => line.includes("left without a verdict"));
    if (found.length > 0) throw new Error(found.join("\n"));
  }

  /** Restarts the application with the same data. */
  async restart() {
    await this.#stop();
    await this.#open();
  }

  /** Ends everything and deletes the data. */
  async close() {
    try {
      await this.#stop();
    } finally {
      await this.bus?.close();
      await this.display?.close(); // also ends what is still shown on it
      rmSync(this.directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    }
  }
}
