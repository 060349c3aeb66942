// The mock backend: servers that start, stop and fail realistically, and the parts with everything else.
import type { Check } from "@/ipc/bindings/Check";
import type { BundleAdded } from "@/ipc/bindings/BundleAdded";
import type { BundleProgress } from "@/ipc/bindings/BundleProgress";
import type { CallEvent } from "@/ipc/bindings/CallEvent";
import type { CallOutcome } from "@/ipc/bindings/CallOutcome";
import type { FailureCode } from "@/ipc/bindings/FailureCode";
import type { HostEvent } from "@/ipc/bindings/HostEvent";
import type { InstallOutcome } from "@/ipc/bindings/InstallOutcome";
import type { Opened } from "@/ipc/bindings/Opened";
import type { ServerInput } from "@/ipc/bindings/ServerInput";
import type { ServerTrial } from "@/ipc/bindings/ServerTrial";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { blocked } from "@/lib/vault";
import { Accounts } from "./accounts";
import { appInfo, searched, usualSettings } from "./app-info";
import { Apps, configAt } from "./apps";
import { Background } from "./background";
import { Bundles, TIDES } from "./bundles";
import { Calls } from "./calls";
import { Catalog } from "./catalog";
import { Certificates } from "./certificates";
import { checkValue } from "./checks";
import { reviewCommand } from "./command-review";
import { checksOf, reportOf } from "./doctor";
import type { Args } from "./handlers";
import { ownIcons, remoteIcons } from "./icons";
import { readConfig, sealed } from "./import";
import { Inbox } from "./inbox";
import { install, offerFor } from "./install";
import { Journal } from "./journal";
import { linkView } from "./link";
import { Live } from "./live";
import { hourOf, loadAt } from "./loads";
import { Models } from "./models";
import { callTool, cancelled, getPrompt, Offers, promptsOf, readResource, resourcesOf, toolsOf } from "./offers";
import { type CommandsOf, commandsOf, Part, refuse, Removed, wait, World } from "./part";
import { Policies } from "./policies";
import { failures } from "./recorded";
import { Profiles } from "./profiles";
import { Roots } from "./roots";
import { said, say } from "./say";
import type { Scene } from "./scenes";
import { SecretVariables } from "./secrets";
import { ready, serversOf, stdio, stopped } from "./servers";
import { SignIns } from "./sign-in";
import { refusalOf } from "./startup";
import { recentRows } from "./story";
import { Trust } from "./trust";
import { Vault } from "./vault";

/** The error for a program that isn't found. */
const missing = (command: string) => ({
  ...failures.command_not_found,
  message: said(failures.command_not_found.message.code, { name: command }),
});
const isMissing = (command: string | null): command is string => command !== null && /missing|nope/.test(command);

const countsOf = (name: string): Pick<ServerView, "resourceCount" | "promptCount"> => {
  const { resources, templates } = resourcesOf(name);
  return { resourceCount: resources.length + templates.length, promptCount: promptsOf(name).prompts.length };
};

class ScriptedHost extends World {
  servers = serversOf(this.scene).map((server) => (server.toolCount === null ? server : { ...server, ...countsOf(server.name) }));
  private settings = { ...usualSettings(this.asked), ...(this.scene === "apps_http" ? { appsPort: 7912 } : {}) };
  private readonly watchers = new Set<(event: HostEvent) => void>();
  private readonly removed = new Removed<ServerView>();
  /** The running commands that can be cancelled. */
  private readonly running = new Map<string, AbortController>();

  readonly accounts = new Accounts(this);
  readonly apps = new Apps(this);
  readonly background = new Background(this);
  readonly bundles = new Bundles(this);
  readonly catalog = new Catalog(this);
  readonly certificates = new Certificates(this);
  readonly inbox = new Inbox(this);
  readonly journal = new Journal(this, recentRows(this.scene === "empty" ? 0 : 1200));
  readonly live = new Live(this);
  readonly models = new Models(this);
  readonly offers = new Offers(this);
  readonly policies = new Policies(this);
  readonly profiles = new Profiles(this);
  readonly roots = new Roots(this);
  readonly saved = new Calls(this);
  readonly secretVariables = new SecretVariables(this);
  readonly signIns = new SignIns(this);
  readonly trust = new Trust(this);
  readonly vault = new Vault(this);

  close(): void {
    this.inbox.close();
    this.signIns.close();
    this.journal.close();
    this.watchers.clear();
  }

  /** The error of every command, if the scene has one. */
  refusal(name: string): unknown {
    return refusalOf(this.scene, this.restored !== undefined, name);
  }

  tell(event: HostEvent): void {
    for (const watcher of this.watchers) watcher(event);
  }

  find(id: number): ServerView {
    return this.servers.find((item) => item.id === id) ?? refuse("no_such_server", `no such server: ${id}`);
  }

  change(id: number, part: Partial<ServerView>): ServerView {
    const next = { ...this.find(id), ...part, since: Date.now() };
    this.servers = this.servers.map((item) => (item.id === id ? next : item));
    this.tell({ kind: "server", id });
    return next;
  }

  /** Ends a server's connection, for tests. */
  fail(id: number, code: FailureCode): void {
    const state = code === "vault_locked" ? "locked" : "failed";
    this.change(id, { state, failure: { code, message: say("the mock says so"), next: null, evidence: null } });
  }

  /** Adds a server as another process would. */
  addedElsewhere(id: number, name: string): void {
    this.tell({ kind: "server_added_elsewhere", id, name });
  }

  appDoes(app: string, what: "lists" | "calls"): void {
    this.apps.does(app, what);
  }

  private put(id: number, part: Partial<ServerView>): null {
    this.change(id, part);
    return null;
  }

  private async begin(id: number): Promise<null> {
    this.change(id, { state: "starting", failure: null, attempt: 0, instances: [] });
    await wait(900);
    const server = this.servers.find((item) => item.id === id);
    if (server?.state !== "starting") return null;
    if (isMissing(server.command)) this.change(id, { state: "failed", failure: missing(server.command) });
    else {
      this.change(id, { ...ready(server, toolsOf(server.name, 6).tools.length), ...countsOf(server.name) });
      this.tell({ kind: "tools", id });
      this.tell({ kind: "trust", id });
    }
    return null;
  }

  private setServers(servers: ServerView[]): null {
    this.servers = servers;
    this.tell({ kind: "servers" });
    return null;
  }

  /** Values are encrypted and never returned. */
  private seal(input: ServerInput, before: ServerInput["secrets"]): ServerInput["secrets"] {
    if (blocked(this.vault.view) && input.secrets.some((secret) => secret.value !== null))
      refuse("vault_locked", this.vault.view.message ?? "");
    return input.secrets.map(({ place, name, value }) => {
      const entered = before.some((item) => item.place === place && item.name === name && item.entered);
      return { place, name, value: null, entered: value !== null || entered };
    });
  }

  insert(input: ServerInput): ServerView {
    if (this.servers.some((item) => item.name === input.name)) refuse("name_taken", `a server with this name exists: ${input.name}`);
    const server = stopped(this.removed.nextId(this.servers), { ...input, secrets: this.seal(input, []) });
    this.setServers([...this.servers, server]);
    void this.begin(server.id);
    return this.find(server.id);
  }

  /** Runs work that can be cancelled by its id. */
  async cancellable<T>(callId: string, stopped: T, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.running.set(callId, controller);
    const stop = new Promise<T>((done) => {
      controller.signal.addEventListener("abort", () => done(stopped));
    });
    const outcome = await Promise.race([work(controller.signal), stop]);
    this.running.delete(callId);
    return outcome;
  }

  app_info = async () => appInfo(this.scene, this.journal.rows.length);
  get_settings = async () => this.settings;
  set_settings = async ({ settings }: Args<"set_settings">) => {
    this.settings = settings;
    this.tell({ kind: "settings" });
    return settings;
  };
  get_notices = async () =>
    this.scene === "empty" ? null : "adler2 2.0.1\n  0BSD OR MIT OR Apache-2.0\n  https://github.com/oyvindln/adler2\n";
  open_data_folder = async () => null;
  /** The replacement of data that could not be opened: a backup, or empty data. */
  restored: number | null | undefined;
  restore_data = async ({ backupUs }: Args<"restore_data">) => {
    this.restored = backupUs;
    return null;
  };
  first_paint = async () => null;
  watch_host = async (_: Args<"watch_host">, on: (event: HostEvent) => void) => {
    this.watchers.add(on);
    if (this.scene === "added_elsewhere") setTimeout(() => this.addedElsewhere(8, "git"), 300);
    return null;
  };
  /** A later start passes something to open, for tests. */
  open: (opened: Opened) => void = () => undefined;
  watch_opened = async (_: Args<"watch_opened">, on: (opened: Opened) => void) => {
    this.open = on;
    const { tray } = await this.background.get_background();
    if (this.scene.startsWith("first_close")) setTimeout(() => on({ kind: "close_question", tray }), 100);
    if (this.scene.startsWith("bundle")) setTimeout(() => on({ kind: "bundle", path: TIDES }), 100);
    return null;
  };
  answer_close = async ({ answer }: Args<"answer_close">) => {
    if (answer !== "cancel") await this.set_settings({ settings: { ...this.settings, whenClosed: answer } });
    return null;
  };
  pause_servers = async () => {
    const running = this.servers.filter(({ state }) => state !== "stopped").map(({ id }) => id);
    this.background.paused = [...this.background.paused, ...running];
    for (const id of running) await this.stop_server({ id });
    this.tell({ kind: "app" });
    return null;
  };
  resume_servers = async () => {
    for (const id of this.background.paused) void this.begin(id);
    this.background.paused = [];
    this.tell({ kind: "app" });
    return null;
  };

  list_servers = async () => {
    if (this.scene === "slow") await wait(60_000);
    return this.servers.map(this.reviewed);
  };
  list_loads = async () => this.servers.filter(({ pid }) => pid !== null).map(({ id }) => ({ id, load: loadAt(id, 0) }));
  get_load_hour = async ({ id }: Args<"get_load_hour">) => hourOf(id);
  get_server = async ({ id }: Args<"get_server">) => this.reviewed(this.find(id));
  private readonly reviewed = (server: ServerView): ServerView => ({ ...server, review: this.trust.counts(server) });
  server_icons = async ({ id }: Args<"server_icons">) => JSON.stringify({ icons: ownIcons[this.find(id).name] ?? [] });
  load_icon = async ({ id, src }: Args<"load_icon">) => (this.find(id).loadsIcons ? (remoteIcons[src] ?? null) : null);
  add_server = async ({ server }: Args<"add_server">) => this.insert(server);
  add_demo_server = async () => this.insert(stdio("demo", "mooring-demo-server"));
  update_server = async ({ id, server }: Args<"update_server">) => {
    this.change(id, { ...server, secrets: this.seal(server, this.find(id).secrets) });
    void this.begin(id);
    return this.find(id);
  };
  remove_server = async ({ id }: Args<"remove_server">) => this.setServers(this.removed.take(this.servers, this.find(id).id));
  restore_server = async ({ id }: Args<"restore_server">) => {
    this.setServers(this.removed.restore(this.servers, id));
    return this.find(id);
  };
  start_server = async ({ id }: Args<"start_server">) => {
    void this.begin(id);
    return null;
  };
  restart_server = this.start_server;
  stop_server = async ({ id }: Args<"stop_server">) =>
    this.put(id, { state: "stopped", failure: null, pid: null, toolCount: null, instances: [] });
  let_server_sleep = async ({ id }: Args<"let_server_sleep">) => {
    if (this.find(id).state === "waiting_for_you") return false;
    this.put(id, { state: "asleep", pid: null });
    return true;
  };
  set_loads_icons = async ({ id, loads }: Args<"set_loads_icons">) => this.put(id, { loadsIcons: loads });
  set_instance_rule = async ({ id, rule }: Args<"set_instance_rule">) => this.put(id, { instanceRule: rule });
  end_instance = async ({ id, number }: Args<"end_instance">) =>
    this.put(id, { instances: this.find(id).instances.filter((one) => one.number !== number) });
  try_server = async ({ callId, server }: Args<"try_server">) =>
    this.cancellable<ServerTrial | null>(callId, null, async () => {
      await wait(this.pace);
      const nothing = { title: null, version: null, revision: null, toolCount: null, connectMs: null, stderrTail: [] };
      if (isMissing(server.command)) return { ...nothing, failure: missing(server.command) };
      const { serverTitle: title, serverVersion: version, revision, toolCount, connectMs } = ready(stopped(0, server), 6);
      return { ...nothing, failure: null, title, version, revision, toolCount, connectMs };
    });
  run_doctor = async ({ id, callId }: Args<"run_doctor">, on: (check: Check) => void) =>
    this.cancellable<string | null>(callId, null, async () => {
      const checks = checksOf(id === null ? null : this.find(id));
      for (const check of checks) {
        await wait(this.pace / 5);
        on(check);
      }
      return reportOf(checks);
    });
  install_offer = async ({ id }: Args<"install_offer">) => offerFor(this.find(id), this.scene);
  install_program = async ({ id, callId }: Args<"install_program">, on: (output: string) => void) => {
    const outcome = await this.cancellable<InstallOutcome>(callId, { status: "cancelled", message: null, path: null }, () =>
      install(this.scene, this.pace, on),
    );
    if (outcome.status === "installed") void this.begin(id);
    return outcome;
  };

  inspect_link = async ({ url }: Args<"inspect_link">) => linkView(url);
  open_link = async () => null;
  reopen_browser = async () => null;
  remove_rule = async ({ id }: Args<"remove_rule">) => {
    this.inbox.removeRule(id);
    return this.policies.remove(id);
  };
  restore_rule = async ({ id }: Args<"restore_rule">) => {
    this.inbox.restoreRule(id);
    return this.policies.restore(id);
  };
  list_tool_access = async ({ id }: Args<"list_tool_access">) => {
    const { tools } = await this.offers.list_tools({ id, refresh: false });
    // After a change, what is reviewed has its own tools.
    const server = this.find(id);
    const reviewed = server.changed ? this.trust.of(server).items.filter((item) => item.kind === "tool") : [];
    const calls = this.journal.rows.filter((row) => row.serverId === id && row.method === "tools/call" && row.direction === "out");
    return [...tools, ...reviewed].map(({ name }) => {
      const at = calls.findLast((row) => row.subject === name)?.at;
      return this.policies.access(id, name, at === undefined ? null : at / 1_000);
    });
  };
  review_command = async ({ command, args, env }: Args<"review_command">) => reviewCommand(command, args, env);
  forget_roots_answer = async (answer: Args<"forget_roots_answer">) => {
    this.inbox.forget({ by: "folders", ...answer });
    return this.roots.share(answer.server, null);
  };
  forget_sampling = async ({ id }: Args<"forget_sampling">) => {
    this.inbox.forget({ by: "model", id });
    return this.models.forget(id);
  };

  begin_sign_in = async ({ id, input }: Args<"begin_sign_in">) => {
    const server = this.find(id);
    const scene = this.scene === "sign_in_vault" && this.vault.view.state === "open" ? "usual" : this.scene;
    return this.signIns.begin(id, server.url ?? "", scene, input, () => {
      void this.begin(id);
      return this.accounts.add(server);
    });
  };
  unlock_vault = async ({ passphrase }: Args<"unlock_vault">) => {
    const view = await this.vault.unlock(passphrase);
    for (const server of this.servers) if (server.state === "locked") void this.begin(server.id);
    this.apps.unseal();
    return view;
  };
  start_over_vault = async () => {
    this.accounts.clear();
    for (const { id, secrets } of this.servers)
      if (secrets.length > 0) this.change(id, { secrets: secrets.map((secret) => ({ ...secret, entered: false })) });
    return this.vault.startOver();
  };

  check_command = async ({ command }: Args<"check_command">) => {
    await wait(30);
    const known = /^(npx|uvx|node|python3|docker|bun|deno|mooring-demo-server)$/.test(command);
    const path = known ? `${searched[0]}/${command}` : command.startsWith("/usr/bin/") ? command : null;
    return { path, problem: path === null ? missing(command).message : null, searched };
  };
  check_import = async ({ text, values }: Args<"check_import">) => {
    const names = this.servers.map((item) => item.name);
    const preview = this.catalog.preview(text, values) ?? readConfig(text, names, values);
    const stays = blocked(this.vault.view) && preview.entries.some((entry) => entry.sealed.length > 0);
    return { ...preview, plain: stays ? this.vault.view.message : null };
  };
  import_servers = async ({ text, names, values }: Args<"import_servers">) =>
    readConfig(text, [], values).entries.flatMap((entry) => {
      const server = blocked(this.vault.view) ? entry.server : sealed(entry);
      return server && names.includes(entry.name) ? [this.insert(server)] : [];
    });
  add_bundle = async ({ callId, path, choice, values }: Args<"add_bundle">, on: (progress: BundleProgress) => void) =>
    this.cancellable<BundleAdded | null>(callId, null, async (signal) => {
      const total = 212;
      for (let done = 0; done < total && !signal.aborted; done += 53) {
        await wait(this.scene === "bundle_slow" && done > 0 ? 60_000 : this.pace / 4);
        on({ done, total });
      }
      if (signal.aborted) return null;
      const { server, name } = this.bundles.review(path, choice, values);
      if (server === null) return refuse("bundle", "not for this system");
      const { TIDE_TOKEN: _, ...env } = server.env;
      const secrets = [{ place: "env" as const, name: "TIDE_TOKEN", value: "t", entered: true }];
      const input = { ...server, env, secrets, name: choice.name ?? name };
      const saved =
        choice.update === null ? this.insert(input) : this.change(choice.update, { ...input, name: this.find(choice.update).name });
      this.bundles.cameFrom(saved.id);
      return { kind: choice.update === null ? "added" : "updated", server: this.find(saved.id) };
    });
  check_app_import = async ({ place, values }: Args<"check_app_import">) => ({
    hash: "shown",
    preview: await this.check_import({ text: configAt(place), values }),
  });
  import_app_servers = async ({ place, names, values, start }: Args<"import_app_servers">) => {
    const added = await this.import_servers({ text: configAt(place), names, values });
    return added.map((server) => {
      this.put(server.id, { start });
      return { ...server, start };
    });
  };

  call_tool = ({ id, callId, tool, arguments: written, sealed: places }: Args<"call_tool">, on: (event: CallEvent) => void) => {
    const text = this.secretVariables.fill(written, places);
    if (tool === "draw_chart") this.live.add(id);
    return this.ask(id, callId, "tools/call", tool, text, async (signal) => {
      await this.inbox.askBack(id, tool, callId, signal);
      return callTool(tool, text, (event) => (signal.aborted ? undefined : on(event)));
    });
  };
  check_value = async ({ schema, value }: Args<"check_value">) => checkValue(schema, value);
  read_resource = ({ id, callId, uri }: Args<"read_resource">) =>
    this.ask(id, callId, "resources/read", uri, JSON.stringify({ uri }), async () => {
      await wait(90);
      return readResource(uri);
    });
  get_prompt = ({ id, callId, prompt, arguments: text, sealed: places }: Args<"get_prompt">) =>
    this.ask(id, callId, "prompts/get", prompt, text, async () => {
      await wait(60);
      return getPrompt(prompt, this.secretVariables.fill(text, places));
    });

  private async ask(
    id: number,
    callId: string,
    method: string,
    subject: string,
    body: string,
    work: (signal: AbortSignal) => Promise<CallOutcome>,
  ): Promise<CallOutcome> {
    const row = { kind: "frame", serverId: id, source: this.find(id).name, method, subject } as const;
    this.journal.append({ ...row, direction: "out", body });
    const outcome = await this.cancellable(callId, cancelled, work);
    const status = outcome.status === "ok" ? "ok" : "error";
    this.journal.append({ ...row, direction: "in", status, durationUs: outcome.elapsedMs * 1000, body: outcome.result ?? "" });
    return outcome;
  }

  cancel_call = async ({ callId }: Args<"cancel_call">) => {
    this.running.get(callId)?.abort();
    return this.running.has(callId);
  };
}

type PartOf<H> = Extract<H[keyof H], Part>;
type Both<U> = (U extends Part ? (commands: CommandsOf<U>) => void : never) extends (commands: infer All) => void ? All : never;

/** The host with the commands of its parts. */
export type Host = ScriptedHost & Both<PartOf<ScriptedHost>>;

export function openHost(scene: Scene, asked: URLSearchParams): Host {
  const host = new ScriptedHost(scene, asked);
  for (const part of Object.values(host)) if (part instanceof Part) Object.assign(host, commandsOf(part));
  return host as Host;
}
