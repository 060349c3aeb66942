// Part of `cargo xtask package --check`: tests a package that is installed in a clean root. Starts the application as its
// desktop entry says, then by name, and runs the command line. `MOORING_BIN_DIR` has programs that enter the root.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { demonstrate, report, say } from "./demonstration.mjs";
import { binary, Desktop } from "./desktop.mjs";
import { mooring, mooringOk } from "./person.mjs";
import { until } from "./webdriver.mjs";

/** A cold start reads everything from disk. */
const SHOWN_MS = 60_000;
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
  const [server] = desktop.processes("mooring-demo-");
  assert.equal(program(server), join(programs, "mooring-demo-server"), "another demo server than the installed one");
  const [page] = desktop.processes("WebKitWebProces");
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
  // The programs of an AppImage aren't on anyone's PATH.
  const server = join(kind === "appimage" ? programs.slice(root.length) : "", "mooring-demo-server");
  const listed = JSON.parse(mooringOk(desktop, "tools", "--json", "--", server));
  const names = listed.result.tools.map(({ name }) => name);
  assert.ok(listed.ok && names.includes("add"), JSON.stringify(listed));
  say("command line", `${stdout.trim()} lists ${names.length} tools of mooring-demo-server`);
}

// In sequence, because the first failure says most.
(await step("from the desktop entry", await Desktop.prepare(), fromTheEntry)) &&
  (await step("in the window", await Desktop.start(), byItsName)) &&
  (await step("on the command line", await Desktop.prepare(), onTheCommandLine));
