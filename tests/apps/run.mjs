// Tests real apps from npm, each in its own home folder and without an account. They are connected with the commands of
// docs/apps.md, without a window. Then they list Mooring's tools, call one with a scripted model, and are disconnected.
// Run by `cargo xtask apps`. The arguments name apps. Without any, all are tested.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Model } from "./model.mjs";

const { MOORING_BIN_DIR: built, MOORING_APPS: installed } = process.env;
const WORD = "fair-wind-7";
const PROMPT = "Call the tool echo of the server mooring, and say what it answers.";
/** How long an app may take to list or call tools, in milliseconds. */
const LIMIT = 120_000;

/** Each app: its file as a person has it, its settings for the model, and its commands to list and call tools. */
const apps = {
  "claude-code": {
    program: "claude",
    file: ".claude.json",
    text: () => `{\n  "hasCompletedOnboarding": true,\n  "theme": "dark"\n}\n`,
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "scripted",
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    }),
    list: ["mcp", "list"],
    call: ["--print", PROMPT, "--allowedTools", "mcp__mooring"],
  },
  codex: {
    program: "codex",
    file: ".codex/config.toml",
    text: (url) =>
      `# mine\nmodel = "scripted"\nmodel_provider = "scripted"\napproval_policy = "never"\n\n[model_providers.scripted]\nname = "Scripted"\nbase_url = "${url}/v1"\nwire_api = "responses"\n`,
    env: () => ({}),
    // It doesn't pass its variables to servers, so they can't get the passphrase from it.
    servesFirst: true,
    list: ["mcp", "list"],
    call: ["exec", "--skip-git-repo-check", PROMPT],
  },
  opencode: {
    program: "opencode",
    file: ".config/opencode/opencode.json",
    text: (url) =>
      `${JSON.stringify(
        {
          $schema: "https://opencode.ai/config.json",
          autoupdate: false,
          model: "scripted/scripted",
          small_model: "scripted/scripted",
          provider: {
            scripted: {
              npm: "@ai-sdk/openai-compatible",
              name: "Scripted",
              options: { baseURL: `${url}/v1`, apiKey: "scripted" },
              models: { scripted: { name: "Scripted", limit: { context: 100_000, output: 10_000 } } },
            },
          },
        },
        null,
        2,
      )}\n`,
    env: () => ({}),
    list: ["mcp", "list"],
    call: ["run", PROMPT],
  },
  "gemini-cli": {
    program: "gemini",
    file: ".gemini/settings.json",
    text: () => `{\n  "security": { "auth": { "selectedType": "gemini-api-key" } },\n  "general": { "disableAutoUpdate": true }\n}\n`,
    env: (url) => ({ GEMINI_API_KEY: "scripted", GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: "true" }),
    list: ["mcp", "list"],
    call: ["--prompt", PROMPT, "--approval-mode", "yolo", "--model", "gemini-2.5-flash"],
  },
  "copilot-cli": {
    program: "copilot",
    file: ".copilot/mcp-config.json",
    text: () => `{\n  "mcpServers": {}\n}\n`,
    env: (url) => ({
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_TYPE: "openai",
      COPILOT_PROVIDER_API_KEY: "scripted",
      COPILOT_MODEL: "scripted",
      COPILOT_AUTO_UPDATE: "false",
    }),
    list: ["mcp", "list"],
    call: ["--prompt", PROMPT, "--allow-all-tools"],
  },
};

async function run(program, words, env, cwd) {
  const child = spawn(program, words, { env, cwd, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (err += text));
  const over = new AbortController();
  const late = setTimeout(LIMIT, "late", { signal: over.signal }).then(
    () => process.kill(-child.pid, "SIGKILL"),
    () => {},
  );
  const [code] = await once(child, "close");
  over.abort();
  await late;
  return { code, out, err, said: `${out}\n${err}` };
}

/** Ends what still runs with this data folder: the gateway that a bridge started, and leftovers of an app. */
async function endGateway(data) {
  if (process.platform !== "linux") return;
  const isOurs = (pid) => {
    try {
      return ["environ", "cmdline"].some((name) => readFileSync(`/proc/${pid}/${name}`, "utf8").includes(data));
    } catch {
      // The process has just ended, or belongs to another user.
      return false;
    }
  };
  for (const signal of ["SIGTERM", "SIGTERM", "SIGKILL"]) {
    const left = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid && isOurs(name));
    if (left.length === 0) return;
    left.forEach((pid) => {
      try {
        process.kill(Number(pid), signal);
      } catch {
        // It ended first.
      }
    });
    await setTimeout(2_000);
  }
}

function check(is, what, evidence) {
  if (!is) throw new Error(`${what}\n${String(evidence).trim().slice(-2000)}`);
}

async function tryOut(id, app) {
  const folder = mkdtempSync(join(tmpdir(), "app-home-"));
  const [home, data, work] = ["home", "data", "work"].map((name) => join(folder, name));
  [home, data, work].forEach((path) => mkdirSync(path, { mode: 0o700 }));
  const model = await Model.start("echo", { text: WORD });
  const steps = [];
  let serve = null;
  const step = async (name, does) => {
    const begun = performance.now();
    const note = await does();
    steps.push(`${name} ${((performance.now() - begun) / 1000).toFixed(1)} s${note ? ` (${note})` : ""}`);
  };
  try {
    writeFileSync(join(folder, "passphrase"), "correct horse battery staple");
    const env = {
      PATH: `${built}:${process.env.PATH}`,
      HOME: home,
      SHELL: "/bin/sh",
      LANG: "C.UTF-8",
      TERM: "dumb",
      NO_COLOR: "1",
      CI: "1",
      MOORING_HOME: data,
      MOORING_PASSPHRASE_FILE: join(folder, "passphrase"),
    };
    const mooring = async (...words) => {
      const done = await run("mooring", words, env, work);
      check(done.code === 0, `mooring ${words.join(" ")}: exit code ${done.code}`, done.said);
      return done;
    };
    const theirs = (words) => run(join(installed, "node_modules/.bin", app.program), words, { ...env, ...app.env(model.url) }, work);
    const file = join(home, app.file);
    const before = app.text(model.url);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, before);

    await step("connect", async () => {
      await mooring("vault", "rekey", "--to", "passphrase", "--passphrase-file", join(folder, "passphrase"));
      await mooring("add", "demo", "--", join(built, "mooring-demo-server"));
      await mooring("trust", "demo", "--approve", "--yes");
      await mooring("connect", id, "--yes");
      await mooring("apps", "set", id, "--level", "app-asks");
    });
    const connected = readFileSync(file, "utf8");
    if (app.servesFirst) {
      serve = spawn("mooring", ["serve"], { env, cwd: work, stdio: ["ignore", "ignore", "pipe"] });
      const said = await Promise.race([once(serve.stderr, "data"), once(serve, "exit")]);
      check(/Apps can use the servers/.test(said[0]), "mooring serve", said[0]);
    }
    await step("list", async () => {
      const listed = await theirs(app.list);
      check(listed.code === 0 && /mooring/.test(listed.said), "its list of servers", listed.said);
      return /connected|enabled|ready|✓|✔/i.exec(listed.said)?.[0].toLowerCase();
    });
    await step("call", async () => {
      const called = await theirs(app.call);
      const seen = `called ${model.called}, of ${[...model.tools].join(" ")}; asked ${[...model.paths].join(", ")}`;
      check(model.called !== null, "the model was offered no tool", `${seen}\n${called.said}`);
      check(model.result?.includes(WORD), "the model got no result", `${seen}: ${model.result}\n${called.said}`);
      const logged = await mooring("logs", "--app", id, "--method", "tools/call", "--json");
      check(logged.out.includes(WORD), "the log has no such call", logged.out);
      return model.called;
    });
    await step("disconnect", async () => {
      const now = readFileSync(file, "utf8");
      await mooring("disconnect", id, "--yes");
      const after = readFileSync(file, "utf8");
      if (now === connected) check(after === before, "the file isn’t what it was", after);
      check(!after.includes("mooring"), "the entry is still there", after);
      return now === connected ? "as before, to the byte" : "its own changes stayed";
    });
    console.log(`ok   ${id}: ${steps.join(", ")}`);
    return true;
  } catch (error) {
    console.log(`FAIL ${id}: ${[...steps, error.message].join(", ")}`);
    return false;
  } finally {
    model.close();
    serve?.kill();
    await endGateway(data);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 500 });
  }
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((id) => !(id in apps));
if (unknown.length > 0) {
  console.error(`no such app here: ${unknown.join(", ")}; there are ${Object.keys(apps).join(", ")}`);
  process.exit(2);
}
let passed = true;
for (const [id, app] of Object.entries(apps).filter(([id]) => wanted.length === 0 || wanted.includes(id))) {
  passed = (await tryOut(id, app)) && passed;
}
process.exit(passed ? 0 : 1);
