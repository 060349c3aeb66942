// Part of `cargo xtask package --check`: tests a package that is installed in a clean root. Starts the application as its
// desktop entry says, then by name, and runs the command line. `MOORING_BIN_DIR` has programs that enter the root.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { demonstrate, report, say } from "./demonstration.mjs";
import { binary, Desktop } from "./desktop.mjs";
import { DrivenApp, said } from "./driven.mjs";
import { mooring, mooringOk } from "./person.mjs";
import { takeOver } from "./take-over.mjs";
import { until } from "./webdriver.mjs";

/** A cold start reads everything from disk. */
const SHOWN_MS = 60_000;
/** Where the check puts the file of the AppImage, seen from inside. */
const IMAGE = "/opt/Mooring.AppImage";
/** What the window's libraries need in an AppImage, and no other program may get. */
const OF_THE_IMAGE = /^(APPDIR|APPIMAGE|ARGV0|OWD|LD_|GDK_|GIO_|GSETTINGS_|GST_|GTK_)/;

const [kind, entry] = process.argv.slice(2);
/** The installed programs and their system, seen from outside. */
const { MOORING_INSTALLED: programs, MOORING_ROOT: root } = process.env;
const name = `package-${kind}`;
const program = (pid) => readlinkSync(`/proc/${pid}/exe`);

/** Runs `work` and ends its environment. An error names the step. */
async function step(what, desktop, work) {
  try {
    await work(desktop);
  } catch (error) {
    error.message = `${what}: ${error.message}`;
    await report(error, desktop, name);
  } finally {
    await desktop.close();
  }
  return process.exitCode === undefined;
}

async function fromTheEntry(desktop) {
  const value = (key) => readFileSync(entry, "utf8").match(new RegExp(`^${key}=(.*)$`, "m"))?.[1];
  assert.deepEqual(desktop.processes("mooring-desktop"), []);
  const [command, ...rest] = value("Exec").split(" ");
  assert.deepEqual(rest, ["%u"], "what the entry is opened with");
  // As if clicked: without the variable that enables automation.
  const { TAURI_WEBVIEW_AUTOMATION: _driven, ...env } = desktop.env;
  const began = performance.now();
  spawn(binary(command), { env, stdio: ["ignore", "ignore", "inherit"] });
  const window = await until(() => desktop.windows()[0], "a window on the display", SHOWN_MS);
  const shown = Math.round(performance.now() - began);
  const [started] = desktop.processes("mooring-desktop");
  assert.equal(program(started), join(programs, "mooring-desktop"), "another program than the installed one");
  assert.equal(window.title, value("Name"), "the window's title");
  assert.ok(
    window.class.includes(value("StartupWMClass")),
    `the entry is of windows of the class ${value("StartupWMClass")}, this one is of ${window.class}`,
  );
  assert.match(value("MimeType"), /x-scheme-handler\/mooring;/);
  say("desktop entry", `${value("Exec")} opened the window "${window.title}" after ${shown} ms`);
  say("libraries", `${librariesOf(started).length} are of the clean root`);
  await desktop.closeWindow();
  say("close button", "ended the application");
}

/** The libraries in a process. Fails if one is of this system. */
function librariesOf(pid) {
  const maps = readFileSync(`/proc/${pid}/maps`, "utf8").split("\n");
  const all = [...new Set(maps.map((line) => line.split(/\s+/).slice(5).join(" ")).filter((path) => /\.so(\.|$)/.test(path)))];
  assert.deepEqual(
    all.filter((path) => !path.startsWith(root)),
    [],
    "libraries of this system",
  );
  if (kind === "appimage") {
    const own = all.filter((path) => path.startsWith(join(programs, "..")));
    const has = (start) => own.some((path) => path.includes(`/${start}`));
    assert.ok(has("libwebkit2gtk") && has("libgtk-3") && !has("libwayland") && !has("libc.so"), own.join("\n"));
  }
  return all;
}

async function byItsName(desktop) {
  await demonstrate(desktop.session, name);
  const [server] = desktop.processes("mooring-demo-server");
  assert.equal(program(server), join(programs, "mooring-demo-server"), "another demo server than the installed one");
  const [page] = desktop.processes("WebKitWebProcess");
  librariesOf(page);
  const inherited = readFileSync(`/proc/${server}/environ`, "utf8").split("\0");
  assert.deepEqual(
    inherited.filter((variable) => OF_THE_IMAGE.test(variable) || variable.includes("AppDir")),
    [],
    "what a server inherits",
  );
  assert.ok(!readlinkSync(`/proc/${server}/cwd`).startsWith(join(programs, "..")), "a server in the application's folder");
  say("servers", `inherit ${inherited.length - 1} variables, none of the package`);
  const played = await desktop.session.executeAsync(PLAY, SILENCE);
  assert.equal(played, "loadedmetadata");
  say("sounds", "can be played");
}

/** Runs in the page: loads a sound. */
const PLAY = `
const [source, done] = arguments;
const sound = new Audio(source);
for (const name of ["loadedmetadata", "error"]) sound.addEventListener(name, () => done(name));
sound.load();
`;

/** A tenth of a second, as a WAV file (RIFF: PCM, one channel, 8000 samples of one byte a second). */
const SILENCE = (() => {
  const samples = Buffer.alloc(800, 128);
  const header = Buffer.alloc(44);
  header.write("RIFF", 0);
  header.writeUInt32LE(36 + samples.length, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(8000, 24);
  header.writeUInt32LE(8000, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write("data", 36);
  header.writeUInt32LE(samples.length, 40);
  return `data:audio/wav;base64,${Buffer.concat([header, samples]).toString("base64")}`;
})();

async function onTheCommandLine(desktop) {
  const { code, stdout, stderr } = mooring(desktop, "--version");
  assert.equal(code, 0, stderr);
  const listed = JSON.parse(mooringOk(desktop, "tools", "--json", "--", server()));
  const names = listed.result.tools.map(({ name }) => name);
  assert.ok(listed.ok && names.includes("add"), JSON.stringify(listed));
  say("command line", `${stdout.trim()} lists ${names.length} tools of mooring-demo-server`);
}

/** The files of three apps, with a server each. In the clean root, the demo server is the only program for one. */
const APPS = {
  "Claude Code": [".claude.json", (server) => ({ numStartups: 7, mcpServers: { harbour: server } })],
  Cursor: [".cursor/mcp.json", (server) => ({ mcpServers: { tides: server } })],
  "VS Code": [".config/Code/User/mcp.json", (server) => ({ servers: { pier: { type: "stdio", ...server } } })],
};

/** The first minute: the apps' servers are taken over, and an app calls a tool through the entry in its file. */
async function firstMinute(desktop) {
  const { session } = desktop;
  const began = performance.now();
  await session.shows("Claude Code has 1 server");
  await takeOver(session, 3, { press: async (element) => (await element).click() });
  const [file] = APPS["Claude Code"];
  const { mooring } = JSON.parse(readFileSync(join(desktop.env.HOME, file), "utf8")).mcpServers;
  const start = kind === "appimage" ? [IMAGE, "mooring"] : ["/usr/bin/mooring"];
  assert.deepEqual([mooring.command, ...mooring.args].slice(0, start.length + 1), [...start, "bridge"]);
  const app = await DrivenApp.open(desktop, { ...mooring, command: "chroot", args: [root, mooring.command, ...mooring.args] });
  try {
    const listed = (await app.run("tools")).map(({ name }) => name);
    for (const server of ["harbour", "tides", "pier"]) assert.ok(listed.includes(`${server}__add`), `${server}: ${listed}`);
    assert.equal(said(await app.call("tides__add", { a: 2, b: 3 })), "5");
  } finally {
    await app.close();
  }
  say("first minute", `three apps connected, and a tool called after ${((performance.now() - began) / 1000).toFixed(1)} s`);
}

/** A person's folder with the apps' files. */
function homeWithApps() {
  const home = mkdtempSync(join(tmpdir(), "mooring-person-"));
  for (const [file, content] of Object.values(APPS)) {
    const path = join(home, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(content({ command: server(), args: [] })));
  }
  return home;
}

/** The demo server, seen from inside. The programs of an AppImage aren't on anyone's PATH. */
const server = () => join(kind === "appimage" ? programs.slice(root.length) : "/usr/bin", "mooring-demo-server");

const home = homeWithApps();
process.on("exit", () => rmSync(home, { recursive: true, force: true }));

// In sequence, because the first failure says most.
(await step("from the desktop entry", await Desktop.prepare(), fromTheEntry)) &&
  (await step("in the window", await Desktop.start(), byItsName)) &&
  (await step("on the command line", await Desktop.prepare(), onTheCommandLine)) &&
  (await step("in the first minute", await Desktop.start({ env: { HOME: home, XDG_CONFIG_HOME: join(home, ".config") } }), firstMinute));
