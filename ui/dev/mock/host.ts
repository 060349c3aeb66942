// The scripted backend: a list of servers that start, stop and fail believably, a journal, settings.
import type { FailureCode } from "@/ipc/bindings/FailureCode";
import type { AppInfo } from "@/ipc/bindings/AppInfo";
import type { CallEvent } from "@/ipc/bindings/CallEvent";
import type { CallOutcome } from "@/ipc/bindings/CallOutcome";
import type { HostEvent } from "@/ipc/bindings/HostEvent";
import type { InstallOutcome } from "@/ipc/bindings/InstallOutcome";
import type { LogBatch } from "@/ipc/bindings/LogBatch";
import type { Opened } from "@/ipc/bindings/Opened";
import type { ServerTrial } from "@/ipc/bindings/ServerTrial";
import type { ServerInput } from "@/ipc/bindings/ServerInput";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { Settings } from "@/ipc/bindings/Settings";
import type { SecretView } from "@/ipc/bindings/SecretView";
import { blocked } from "@/lib/vault";
import { askFor } from "./asking-tools";
import { Calls } from "./calls";
import { checkValue } from "./checks";
import { reviewCommand } from "./command-review";
import { appInfo, DATABASE_BYTES, searched, usualSettings } from "./app-info";
import { Apps } from "./apps";
import { Accounts, longAccounts, usualAccounts } from "./accounts";
import { Certificates } from "./certificates";
import { readConfig, withSecrets } from "./import";
import type { Args, Handlers } from "./handlers";
import { ownIcons } from "./icons";
import { Inbox } from "./inbox";
import { install, offerFor } from "./install";
import { linkView } from "./link";
import { Journal } from "./journal";
import { Live } from "./live";
import { Models } from "./models";
import { callTool, cancelled, complete, expand, getPrompt, promptsOf, readResource, resourcesOf, toolsOf } from "./offers";
import { Policies } from "./policies";
import { failures } from "./recorded";
import { Roots } from "./roots";
import type { Scene } from "./scenes";
import { ServerSettings } from "./server-settings";
import { secretsOf, SecretVariables } from "./secrets";
import { ready, serversOf, stdio, stopped } from "./servers";
import { SignIns } from "./sign-in";
import { said, say } from "./say";
import { refusalOf } from "./startup";
import { Trust } from "./trust";
import { Vault } from "./vault";

const wait = (ms: number) =>
  new Promise<void>((done) => {
    setTimeout(done, ms);
  });

const missing = (command: string) => said(failures.command_not_found.message.code, { name: command });

export class Host extends ServerSettings implements Handlers {
  servers: ServerView[];
  readonly journal: Journal;
  /** Every command that was sent, for tests. */
  readonly sent: { name: string; args: unknown }[] = [];
  private readonly scene: Scene;
  private settings: Settings;
  private readonly certificates: Certificates;
  private readonly watchers = new Set<(event: HostEvent) => void>();
  private readonly removed = new Map<number, ServerView>();
  private readonly calls = new Map<string, AbortController>();
  /** What changes by itself; it rests in tests, which move it themselves. */
  readonly live = new Live((event) => this.tell(event));

  readonly saved = new Calls();
  readonly accounts: Accounts;
  readonly signIns: SignIns;
  readonly vault: Vault;
  readonly inbox: Inbox;
  readonly roots: Roots;
  readonly trust: Trust;
  readonly policies: Policies;
  readonly models: Models;
  readonly apps: Apps;
  /** How long a step takes that a person would see. */
  private readonly pace: number;

  constructor(scene: Scene, asked: URLSearchParams) {
    super(scene);
    this.scene = scene;
    this.pace = Number(asked.get("pace") ?? 700);
    const none = scene === "empty" || scene === "vault_none";
    this.accounts = new Accounts(none ? [] : scene === "long" ? longAccounts() : usualAccounts(), () => this.tell({ kind: "accounts" }));
    this.signIns = new SignIns(
      () => (scene === "sign_in_vault" && this.vault.view.state === "open" ? "usual" : scene),
      this.pace,
      (id) => this.tell({ kind: "sign_in", id }),
    );
    this.vault = new Vault(scene, this.pace, () => this.tell({ kind: "vault" }));
    this.inbox = new Inbox(scene, (event) => this.tell(event));
    this.certificates = new Certificates(scene, () => this.tell({ kind: "settings" }));
    this.roots = new Roots(scene, () => this.tell({ kind: "roots" }));
    this.trust = new Trust(scene, (id) => this.approved(id));
    this.apps = new Apps(scene, () => this.tell({ kind: "apps" }));
    this.policies = new Policies(scene, () => this.tell({ kind: "rules" }));
    this.models = new Models(
      scene,
      this.pace,
      () => this.servers,
      () => this.tell({ kind: "models" }),
    );
    this.servers = serversOf(scene).map((server) => (server.toolCount === null ? server : { ...server, ...this.counts(server.name) }));
    if (scene === "offers") {
      this.live.seed(10);
      // Tests move things themselves.
      if (asked.has("scene")) this.live.start();
    }
    this.journal = new Journal(scene === "empty" ? 0 : Number(asked.get("rows") ?? 1200), Number(asked.get("feed") ?? 2), (rows) =>
      this.tell({ kind: "log", rows, bytes: DATABASE_BYTES }),
    );
    this.settings = { ...usualSettings(asked), ...(scene === "apps_http" ? { appsPort: 7912 } : {}) };
  }

  close(): void {
    this.inbox.close();
    this.live.close();
    this.signIns.close();
    this.journal.close();
    this.watchers.clear();
  }

  /** What every command is refused with, if the scene says so. */
  refusal(name: string): unknown {
    return refusalOf(this.scene, this.restored !== undefined, name);
  }

  protected tell(event: HostEvent): void {
    for (const watcher of this.watchers) watcher(event);
  }

  /** What becomes of a server. */
  change(id: number, part: Partial<ServerView>): ServerView {
    const server = this.find(id);
    const next = { ...server, ...part, since: Date.now() };
    this.servers = this.servers.map((item) => (item.id === id ? next : item));
    this.tell({ kind: "server", id });
    return next;
  }

  /** A server whose changes were all looked at is what it was before. */
  private approved(id: number): void {
    this.tell({ kind: "trust", id });
    if (this.find(id).changed && !this.trust.pending(id)) this.change(id, { changed: false });
  }

  protected find(id: number): ServerView {
    const server = this.servers.find((item) => item.id === id);
    // oxlint-disable-next-line no-throw-literal -- the real transport rejects with plain objects as well
    if (!server) throw { code: "no_such_server", message: `no such server: ${id}`, details: null };
    return server;
  }

  /** Ends a server's connection, for tests. */
  fail(id: number, code: FailureCode): void {
    const state = code === "vault_locked" ? "locked" : "failed";
    this.change(id, { state, failure: { code, message: say("the mock says so"), next: null, evidence: null } });
  }

  private async begin(id: number): Promise<void> {
    this.change(id, { state: "starting", failure: null, attempt: 0, instances: [] });
    await wait(900);
    const server = this.servers.find((item) => item.id === id);
    if (!server || server.state !== "starting") return;
    if (server.command !== null && /missing|nope/.test(server.command)) {
      this.change(id, { state: "failed", failure: { ...failures.command_not_found, message: missing(server.command) } });
    } else {
      this.change(id, { ...ready(server, toolsOf(server.name, 6).tools.length), ...this.counts(server.name) });
      this.tell({ kind: "tools", id });
      this.tell({ kind: "trust", id });
    }
  }

  /** Sealed values go in and never come out again. */
  private seal(input: ServerInput, before: ServerInput["secrets"]): ServerInput["secrets"] {
    const { state, message } = this.vault.view;
    // oxlint-disable-next-line no-throw-literal
    if (state !== "open" && state !== "closed" && input.secrets.some((secret) => secret.value !== null))
      throw { code: "vault_locked", message, details: null };
    return input.secrets.map(({ place, name, value }) => ({
      place,
      name,
      value: null,
      entered: value !== null || before.some((item) => item.place === place && item.name === name && item.entered),
    }));
  }

  private counts(name: string): Pick<ServerView, "resourceCount" | "promptCount"> {
    const { resources, templates } = resourcesOf(name);
    return { resourceCount: resources.length + templates.length, promptCount: promptsOf(name).prompts.length };
  }

  private insert(input: ServerInput): ServerView {
    // oxlint-disable-next-line no-throw-literal
    if (this.servers.some((item) => item.name === input.name))
      throw { code: "name_taken", message: `a server with this name exists: ${input.name}`, details: null };
    const server = stopped(Math.max(0, ...this.servers.map((item) => item.id), ...this.removed.keys()) + 1, {
      ...input,
      secrets: this.seal(input, []),
    });
    this.servers = [...this.servers, server];
    this.tell({ kind: "servers" });
    void this.begin(server.id);
    return this.find(server.id);
  }

  app_info = async (): Promise<AppInfo> => appInfo(this.scene, this.journal.rows.length);
  list_certificates = async () => [...this.certificates.list];
  read_certificates = async () => [...(await this.certificates.read())];
  add_certificates = async ({ ders }: Args<"add_certificates">) => this.certificates.add(ders);
  remove_certificate = async ({ fingerprint }: Args<"remove_certificate">) => this.certificates.remove(fingerprint);
  get_network_problem = async () => this.certificates.problem;
  settle_network = async ({ take }: Args<"settle_network">) => this.certificates.settle(take);
  get_settings = async () => this.settings;
  set_settings = async ({ settings }: Args<"set_settings">) => {
    this.settings = settings;
    this.tell({ kind: "settings" });
    return settings;
  };
  get_notices = async () =>
    this.scene === "empty" ? null : "adler2 2.0.1\n  0BSD OR MIT OR Apache-2.0\n  https://github.com/oyvindln/adler2\n";
  open_data_folder = async () => null;
  /** What took the place of data that could not be opened: a backup, or nothing. */
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
  /** A later start of the application is given something to open, for tests. */
  open: (opened: Opened) => void = () => undefined;
  watch_opened = async (_: Args<"watch_opened">, on: (opened: Opened) => void) => {
    this.open = on;
    if (this.scene === "first_close" || this.scene === "first_close_no_tray") {
      const { tray } = await this.get_background();
      setTimeout(() => on({ kind: "close_question", tray }), 100);
    }
    return null;
  };

  list_servers = async () => {
    if (this.scene === "slow") await wait(60_000);
    return this.servers.map(this.reviewed);
  };
  get_server = async ({ id }: Args<"get_server">) => this.reviewed(this.find(id));
  private readonly reviewed = (server: ServerView): ServerView => ({ ...server, review: this.trust.counts(server) });
  server_icons = async ({ id }: Args<"server_icons">) => JSON.stringify({ icons: ownIcons[this.find(id).name] ?? [] });
  add_server = async ({ server }: Args<"add_server">) => this.insert(server);
  add_demo_server = async () => this.insert(stdio("demo", "mooring-demo-server"));
  update_server = async ({ id, server }: Args<"update_server">) => {
    this.change(id, { ...server, secrets: this.seal(server, this.find(id).secrets) });
    void this.begin(id);
    return this.find(id);
  };
  remove_server = async ({ id }: Args<"remove_server">) => {
    this.removed.set(id, this.find(id));
    this.servers = this.servers.filter((item) => item.id !== id);
    this.tell({ kind: "servers" });
    return null;
  };
  restore_server = async ({ id }: Args<"restore_server">) => {
    const server = this.removed.get(id);
    if (server) this.servers = [...this.servers, server].toSorted((a, b) => a.id - b.id);
    this.removed.delete(id);
    this.tell({ kind: "servers" });
    return this.find(id);
  };
  start_server = async ({ id }: Args<"start_server">) => {
    void this.begin(id);
    return null;
  };
  /** As if another process had added one of the servers. */
  addedElsewhere(id: number, name: string): void {
    this.tell({ kind: "server_added_elsewhere", id, name });
  }

  stop_server = async ({ id }: Args<"stop_server">) => {
    this.change(id, { state: "stopped", failure: null, pid: null, toolCount: null, instances: [] });
    return null;
  };
  restart_server = async ({ id }: Args<"restart_server">) => {
    void this.begin(id);
    return null;
  };

  try_server = async ({ id, callId, server }: Args<"try_server">): Promise<ServerTrial | null> => {
    this.sent.push({ name: "try_server", args: { id, server } });
    const controller = new AbortController();
    this.calls.set(callId, controller);
    await Promise.race([
      wait(this.pace),
      new Promise<void>((done) => {
        controller.signal.addEventListener("abort", () => done());
      }),
    ]);
    this.calls.delete(callId);
    if (controller.signal.aborted) return null;
    const nothing = { title: null, version: null, revision: null, toolCount: null, connectMs: null, stderrTail: [] };
    if (server.command !== null && /missing|nope/.test(server.command))
      return { ...nothing, failure: { ...failures.command_not_found, message: missing(server.command) } };
    const { serverTitle, serverVersion, revision, toolCount, connectMs } = ready(stopped(0, server), 6);
    return { ...nothing, failure: null, title: serverTitle, version: serverVersion, revision, toolCount, connectMs };
  };

  install_offer = async ({ id }: Args<"install_offer">) => offerFor(this.find(id), this.scene);
  install_program = async (args: Args<"install_program">, on: (output: string) => void): Promise<InstallOutcome> => {
    this.sent.push({ name: "install_program", args });
    const controller = new AbortController();
    this.calls.set(args.callId, controller);
    const outcome = await install(this.scene, this.pace, controller.signal, on);
    this.calls.delete(args.callId);
    if (outcome.status === "installed") void this.begin(args.id);
    return outcome;
  };

  list_inbox = async () => {
    if (this.scene === "slow") await wait(60_000);
    return this.inbox.view();
  };
  open_interaction = async ({ id }: Args<"open_interaction">) => this.inbox.open(id);
  inspect_link = async ({ url }: Args<"inspect_link">) => linkView(url);
  open_link = async (args: Args<"open_link">) => {
    this.sent.push({ name: "open_link", args });
    return null;
  };
  answer_interaction = async ({ id, nonce, answer }: Args<"answer_interaction">) => {
    this.sent.push({ name: "answer_interaction", args: { id, nonce, answer } });
    if (this.scene === "inbox_slow") await wait(60_000);
    return this.inbox.answer(id, nonce, answer);
  };
  save_draft = async ({ id, draft }: Args<"save_draft">) => this.inbox.draft(id, draft);
  check_form = async ({ id, content }: Args<"check_form">) => this.inbox.check(id, content);
  retry_interaction = async ({ id }: Args<"retry_interaction">) => this.inbox.retry(id);
  list_decisions = async ({ limit }: Args<"list_decisions">) => this.inbox.decisions.slice(0, limit);
  find_decisions = async ({ filter, before, limit }: Args<"find_decisions">) => this.inbox.find(filter, before, limit);
  decision_events = async ({ id }: Args<"decision_events">) => this.inbox.events(id);
  put_off_interaction = async ({ id, minutes }: Args<"put_off_interaction">) =>
    this.inbox.putOff(id, { until: minutes === null ? null : Date.now() + minutes * 60_000 });
  bring_back_interaction = async ({ id }: Args<"bring_back_interaction">) => this.inbox.putOff(id, null);
  lift_silence = async ({ server }: Args<"lift_silence">) => this.inbox.lift((item) => item.app === null && item.server === server);
  lift_app_silence = async ({ app }: Args<"lift_app_silence">) => this.inbox.lift((item) => item.app === app);
  remove_rule = async ({ id }: Args<"remove_rule">) => {
    this.inbox.removeRule(id);
    return this.policies.remove(id);
  };
  restore_rule = async ({ id }: Args<"restore_rule">) => {
    this.inbox.restoreRule(id);
    return this.policies.restore(id);
  };
  list_tool_access = async ({ id }: Args<"list_tool_access">) => {
    const { tools } = await this.list_tools({ id, refresh: false });
    // Where something changed, what is reviewed has tools of its own.
    const server = this.find(id);
    const reviewed = server.changed ? this.trust.of(server).items.filter((item) => item.kind === "tool") : [];
    return this.policies.accessOf(id, [...tools, ...reviewed], this.journal.rows);
  };
  list_rules = async () => this.policies.list(this.servers);
  save_rule = async ({ id, rule }: Args<"save_rule">) => this.policies.save(id, rule);
  simulate_rule = async ({ id, rule }: Args<"simulate_rule">) => {
    await wait(40);
    return this.policies.simulate(id, rule, this.servers);
  };
  review_command = async ({ command, args, env }: Args<"review_command">) => reviewCommand(command, args, env);

  list_roots = async () => this.roots.list;
  server_roots = async ({ server }: Args<"server_roots">) => this.roots.of(server);
  add_root = async ({ server, path, name, wide }: Args<"add_root">) => this.roots.add(server, path, name, wide);
  rename_root = async ({ id, name }: Args<"rename_root">) => this.roots.rename(id, name);
  remove_root = async ({ id }: Args<"remove_root">) => this.roots.remove(id);
  restore_root = async ({ id }: Args<"restore_root">) => this.roots.restore(id);
  share_roots = async ({ server, shared }: Args<"share_roots">) => this.roots.share(server, shared);
  forget_roots_answer = async (answer: Args<"forget_roots_answer">) => {
    this.inbox.forget({ by: "folders", ...answer });
    return this.roots.share(answer.server, null);
  };
  pick_folder = async () => this.roots.picks;

  list_models = async () => this.models.view();
  save_provider = async ({ id, provider }: Args<"save_provider">) => {
    this.sent.push({ name: "save_provider", args: { id, provider } });
    return this.models.save(id, provider);
  };
  remove_provider = async ({ id }: Args<"remove_provider">) => this.models.remove(id);
  check_provider = async ({ provider }: Args<"check_provider">) => this.models.check(provider);
  set_routes = async ({ routes }: Args<"set_routes">) => this.models.route(routes);
  set_sampling = async ({ policy }: Args<"set_sampling">) => this.models.allow(policy);
  forget_sampling = async ({ id }: Args<"forget_sampling">) => {
    this.inbox.forget({ by: "model", id });
    return this.models.forget(id);
  };

  list_accounts = async () => this.accounts.list;
  refresh_account = async ({ id }: Args<"refresh_account">) => this.accounts.refresh(id, this.pace);
  sign_out = async ({ id }: Args<"sign_out">) => this.accounts.signOut(id, this.pace);
  sign_out_all = async () => Promise.all(this.accounts.list.map((item) => this.accounts.signOut(item.id, this.pace)));
  forget_account = async ({ id }: Args<"forget_account">) => {
    this.accounts.forget(id);
    return null;
  };
  choose_account = async ({ server, account }: Args<"choose_account">) => {
    this.accounts.choose(server, account);
    return null;
  };
  begin_sign_in = async ({ id, input }: Args<"begin_sign_in">) => {
    this.sent.push({ name: "begin_sign_in", args: { id, input } });
    const server = this.find(id);
    return this.signIns.begin(id, server.url ?? "", input, () => {
      void this.begin(id);
      return this.accounts.add(server);
    });
  };
  cancel_sign_in = async ({ id }: Args<"cancel_sign_in">) => this.signIns.cancel(id);
  get_sign_in = async ({ id }: Args<"get_sign_in">) => this.signIns.views.get(id) ?? null;
  reopen_browser = async ({ id }: Args<"reopen_browser">) => {
    this.sent.push({ name: "reopen_browser", args: { id } });
    return null;
  };
  readonly secretVariables = new SecretVariables();
  list_secret_variables = this.secretVariables.names;
  set_secret_variable = this.secretVariables.set;
  remove_secret_variable = this.secretVariables.remove;
  list_secrets = async (): Promise<SecretView[]> => secretsOf(this.servers);
  get_vault = async () => this.vault.view;
  open_vault = async () => this.vault.open();
  unlock_vault = async ({ passphrase }: Args<"unlock_vault">) => {
    const view = await this.vault.unlock(passphrase);
    for (const server of this.servers) if (server.state === "locked") void this.begin(server.id);
    this.apps.unseal();
    return view;
  };
  create_vault = async ({ choice }: Args<"create_vault">) => this.vault.settle(choice);
  rekey_vault = async ({ choice }: Args<"rekey_vault">) => this.vault.settle(choice);
  start_over_vault = async () => {
    this.accounts.clear();
    for (const server of this.servers)
      if (server.secrets.length > 0) this.change(server.id, { secrets: server.secrets.map((secret) => ({ ...secret, entered: false })) });
    return this.vault.startOver();
  };

  check_command = async ({ command }: Args<"check_command">) => {
    await wait(30);
    const found = /^(npx|uvx|node|python3|docker|bun|deno|mooring-demo-server)$/.test(command)
      ? `/home/ana/.local/share/mise/shims/${command}`
      : command.startsWith("/usr/bin/")
        ? command
        : null;
    return { path: found, problem: found === null ? missing(command) : null, searched };
  };
  check_import = async ({ text }: Args<"check_import">) => {
    const preview = readConfig(
      text,
      this.servers.map((item) => item.name),
    );
    const stays = blocked(this.vault.view) && preview.entries.some((entry) => entry.sealed.length > 0);
    return { ...preview, plain: stays ? this.vault.view.message : null };
  };
  import_servers = async ({ text, names }: Args<"import_servers">) =>
    readConfig(text, []).entries.flatMap((entry) =>
      entry.server && names.includes(entry.name) ? [this.insert(blocked(this.vault.view) ? entry.server : withSecrets(entry.server))] : [],
    );

  list_tools = async ({ id }: Args<"list_tools">) => {
    await wait(60);
    const server = this.find(id);
    if (server.toolCount === null)
      return Promise.reject({ code: "not_connected", message: `${server.name} isn’t connected`, details: null });
    return toolsOf(server.name, server.toolCount);
  };
  list_resources = async ({ id }: Args<"list_resources">) => {
    await wait(80);
    if (this.scene === "unread")
      return Promise.reject({ code: "request", message: "the server answered with an error: -32603 out of memory", details: null });
    return resourcesOf(this.find(id).name);
  };
  list_prompts = async ({ id }: Args<"list_prompts">) => {
    await wait(70);
    return promptsOf(this.find(id).name);
  };
  expand_template = async ({ uriTemplate, values }: Args<"expand_template">) => expand(uriTemplate, values);
  complete_argument = async ({ argument, value, context }: Args<"complete_argument">) => {
    await wait(120);
    return complete(argument, value, context);
  };
  subscribe_resource = async ({ id, uri }: Args<"subscribe_resource">) => {
    await wait(40);
    this.live.follow(id, uri);
    return null;
  };
  unsubscribe_resource = async ({ id, uri }: Args<"unsubscribe_resource">) => {
    this.live.unfollow(id, uri);
    return null;
  };
  list_subscriptions = async ({ id }: Args<"list_subscriptions">) => this.live.subscriptionsOf(id);
  list_tasks = async ({ id }: Args<"list_tasks">) => this.live.tasksOf(id);
  cancel_task = async ({ id, taskId }: Args<"cancel_task">) => {
    await wait(60);
    this.live.cancel(id, taskId);
    return null;
  };

  call_tool = ({ id, callId, tool, arguments: written, sealed }: Args<"call_tool">, on: (event: CallEvent) => void) => {
    const text = this.secretVariables.fill(written, sealed);
    if (tool === "draw_chart") this.live.add(id, tool);
    return this.ask(id, callId, "tools/call", tool, text, async (signal) => {
      await askFor(this.inbox, id, tool, callId, signal);
      return callTool(tool, text, on, signal);
    });
  };
  check_value = async ({ schema, value }: Args<"check_value">) => checkValue(schema, value);
  read_resource = ({ id, callId, uri }: Args<"read_resource">) =>
    this.ask(id, callId, "resources/read", uri, JSON.stringify({ uri }), async () => {
      await wait(90);
      return readResource(uri);
    });
  get_prompt = ({ id, callId, prompt, arguments: text, sealed }: Args<"get_prompt">) =>
    this.ask(id, callId, "prompts/get", prompt, text, async () => {
      await wait(60);
      return getPrompt(prompt, this.secretVariables.fill(text, sealed));
    });

  private async ask(
    id: number,
    callId: string,
    method: string,
    subject: string,
    body: string,
    work: (signal: AbortSignal) => Promise<CallOutcome>,
  ): Promise<CallOutcome> {
    const controller = new AbortController();
    this.calls.set(callId, controller);
    const { name } = this.find(id);
    this.journal.append({ kind: "frame", direction: "out", serverId: id, source: name, method, subject, body });
    const stop = new Promise<typeof cancelled>((done) => {
      controller.signal.addEventListener("abort", () => done(cancelled));
    });
    const outcome = await Promise.race([work(controller.signal), stop]);
    this.calls.delete(callId);
    this.journal.append({
      kind: "frame",
      direction: "in",
      serverId: id,
      source: name,
      method,
      subject,
      status: outcome.status === "ok" ? "ok" : "error",
      durationUs: outcome.elapsedMs * 1000,
      body: outcome.result ?? "",
    });
    return outcome;
  }

  cancel_call = async ({ callId }: Args<"cancel_call">) => {
    this.calls.get(callId)?.abort();
    return this.calls.has(callId);
  };

  list_logged_calls = async ({ item, before, limit }: Args<"list_logged_calls">) => this.saved.page(item, before, limit);
  get_logged_call = async ({ id }: Args<"get_logged_call">) => this.saved.content(id);
  list_saved_calls = async () => this.saved.saved;
  save_call = async ({ call }: Args<"save_call">) => this.saved.save(call);
  rename_saved_call = async ({ id, name }: Args<"rename_saved_call">) => this.saved.rename(id, name);
  remove_saved_call = async ({ id }: Args<"remove_saved_call">) => this.saved.remove(id);
  restore_saved_call = async ({ id }: Args<"restore_saved_call">) => this.saved.restore(id);
  save_file = async ({ name, content, base64 }: Args<"save_file">) => {
    this.saved.files.set(name, { content, base64 });
    return `/home/ana/${name}`;
  };

  log_page = async ({ filter, before, after, limit }: Args<"log_page">) => this.journal.page(filter, before, after, limit);
  log_count = async ({ filter }: Args<"log_count">) => this.journal.count(filter);
  log_entry = async ({ id }: Args<"log_entry">) => this.journal.rows[id - 1] ?? null;
  count_old_events = async ({ days }: Args<"count_old_events">) =>
    this.journal.rows.filter(({ at }) => at / 1_000 < Date.now() - days * 24 * 3_600_000).length;
  clear_log = async () => this.journal.rows.splice(0).length;
  log_facets = async () => this.journal.facets();
  follow_log = async ({ filter, followId }: Args<"follow_log">, on: (batch: LogBatch) => void) => {
    this.journal.follow(followId, filter, on);
    return null;
  };
  ack_log = async ({ followId }: Args<"ack_log">) => {
    this.journal.ack(followId);
    return null;
  };
  stop_follow = async ({ followId }: Args<"stop_follow">) => {
    this.journal.stop(followId);
    return null;
  };
}
