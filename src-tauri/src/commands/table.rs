// The one list of commands that the window may call: their names, arguments, results and streams, what of the window
// each of them reads, and what it changes.
//
// The handler list, the permissions (in `build.rs`, which includes this file) and the TypeScript
// map are made from it. It is a macro so that each of them can take from it what it needs.
//
// `reads` and `changes` name topics of `topic.rs`, where the argument in parentheses says of which server. The page
// reads again what a command has changed. What changes without a command is announced as an event.
macro_rules! command_table {
    ($expand:ident) => {
        $expand! {
            about {
                /// The application, its data and its limits.
                app_info() -> AppInfo, reads [App];
                /// What the person has set.
                get_settings() -> Settings, reads [Settings];
                /// Saves what the person has set; answers with what is in force.
                set_settings(settings: Settings) -> Settings, changes [Settings, App];
                /// The certificates of authorities that are trusted besides the system's.
                list_certificates() -> Vec<CertificateView>, reads [Settings];
                /// The certificates in a file, whose bytes come as base64. Nothing is trusted by it.
                read_certificates(file: String) -> Vec<CertificateView>;
                /// Trusts certificates, each the `der` of a view.
                add_certificates(ders: Vec<String>) -> (), changes [Settings];
                /// Trusts a certificate no longer; `add_certificates` undoes it.
                remove_certificate(fingerprint: String) -> (), changes [Settings];
                /// That the database says something else of the network than what counts.
                get_network_problem() -> Option<NetworkProblem>, reads [Settings];
                /// Takes what the database says of the network, as the problem of this hash showed it, or has it say
                /// what counts.
                settle_network(hash: String, take: bool) -> (), changes [Settings];
                /// The licences of what the application is made of; none where it was installed without them.
                get_notices() -> Option<String>, reads [App];
                /// Shows the data directory in the system's file browser.
                open_data_folder() -> ();
                /// Puts the backup that was made then in the place of data that cannot be opened, and empty data
                /// where none is named. What is there is kept in a folder.
                restore_data(backup_us: Option<i64>) -> ();
                /// Announces changes until the window is gone.
                watch_host() -> (), streams HostEvent;
                /// Sends the page what starts of the application are to open, until the window is gone.
                watch_opened() -> (), streams Opened;
                /// The window tells how its start went, each step so many milliseconds after it was reached;
                /// printed when `MOORING_TIMINGS=1`. Saved servers start once it is interactive.
                first_paint(phase: PaintPhase, ago: u32) -> ();
            }
            background {
                /// What this desktop offers for running in the background.
                get_background() -> BackgroundView, reads [App];
                /// Has the application start at login, hidden, or no longer.
                set_start_at_login(on: bool) -> BackgroundView, changes [App];
                /// The person's answer when the window is closed for the first time: it is saved and followed.
                answer_close(answer: CloseAnswer) -> (), changes [Settings];
                /// Ends everything.
                quit() -> ();
                /// Stops every server until `resume_servers` or the person starts it again.
                pause_servers() -> (), changes [Servers, App];
                /// Starts the servers that were paused.
                resume_servers() -> (), changes [Servers, App];
            }
            servers {
                /// All saved servers.
                list_servers() -> Vec<ServerView>, reads [Servers];
                /// One saved server.
                get_server(id: i64) -> ServerView, reads [Servers(id)];
                /// The icons that a server gave itself, by the hash in its view, as `{"icons":[…]}`; none: it has others
                /// by now.
                server_icons(id: i64, icons: String) -> Option<String>;
                /// Whether icons that a server names by URL are loaded from there: the person's consent.
                set_loads_icons(id: i64, loads: bool) -> (), changes [Servers(id), Icons(id)];
                /// Saves for whom a server gets an instance.
                set_instance_rule(id: i64, rule: InstanceRule) -> (), changes [Servers(id)];
                /// Ends an instance of a server, and the calls that run there. The next call of its app starts another.
                end_instance(id: i64, number: u64) -> (), changes [Servers(id)];
                /// The icon at a URL that a server names, as a `data:` URL; none: it may not or could not be loaded.
                load_icon(id: i64, src: String) -> Option<String>, reads [Icons(id)];
                /// Saves a server and starts it.
                add_server(server: NewServer) -> ServerView, changes [Servers];
                /// Saves the demo server that comes with the application and starts it.
                add_demo_server() -> ServerView, changes [Servers];
                /// Changes a server; a running one is started again.
                update_server(id: i64, server: NewServer) -> ServerView, changes [Servers(id), Secrets, Subscriptions(id)];
                /// Stops and removes a server; `restore_server` undoes it.
                remove_server(id: i64) -> (), changes [Servers, SavedCalls];
                /// Brings a removed server back.
                restore_server(id: i64) -> ServerView, changes [Servers, SavedCalls];
                /// Starts a stopped server.
                start_server(id: i64) -> (), changes [Servers(id)];
                /// Stops a server; it stays stopped until it is started again.
                stop_server(id: i64) -> (), changes [Servers(id)];
                /// Stops a server and starts it again.
                restart_server(id: i64) -> (), changes [Servers(id)];
                /// Connects to a server as it is entered, without saving it, and says how that went; none:
                /// `cancel_call` cancelled it. A saved server `id` lends it its saved secrets and login.
                try_server(id: Option<i64>, call_id: String, server: NewServer) -> Option<ServerTrial>;
                /// How the program can be installed that a server failed for.
                install_offer(id: i64) -> Option<InstallOffer>, reads [Servers(id)];
                /// Installs it with the command that was shown and agreed to, unless another one is offered by now;
                /// `cancel_call` cancels it. Sends the end of what it printed, again and again.
                install_program(id: i64, call_id: String, line: Vec<String>) -> InstallOutcome, streams String;
                /// Looks a command up on the login shell's search path.
                check_command(command: String, path: Option<String>) -> CommandCheck;
                /// Reads a pasted configuration without saving anything.
                check_import(text: String) -> ImportPreview;
                /// Saves the named entries of a pasted configuration and starts them.
                import_servers(text: String, names: Vec<String>) -> Vec<ServerView>, changes [Servers];
            }
            accounts {
                /// Every login, those in force first.
                list_accounts() -> Vec<Account>, reads [Accounts];
                /// Renews a login's token now.
                refresh_account(id: i64) -> Account, changes [Accounts];
                /// Gives a login's tokens back to the authorization server and forgets them here, for every server
                /// that uses them.
                sign_out(id: i64) -> SignOutResult, changes [Accounts];
                /// The same for every login.
                sign_out_all() -> Vec<SignOutResult>, changes [Accounts];
                /// Removes a login that is over from the list.
                forget_account(id: i64) -> (), changes [Accounts];
                /// Has a server use this login of those it may; none: it is asked for nobody. A running server is
                /// started again.
                choose_account(server: i64, account: Option<i64>) -> (), changes [Accounts];
                /// Begins to sign in to a saved server: the person's click. What comes of it is announced, and read
                /// by `get_sign_in`.
                begin_sign_in(id: i64, input: SignInInput) -> SignInAttempt, changes [SignIn(id)];
                /// Gives a sign-in up; false when there is none under way.
                cancel_sign_in(id: i64) -> bool, changes [SignIn(id)];
                /// The sign-in to a server that is under way, or the last one.
                get_sign_in(id: i64) -> Option<SignInAttempt>, reads [SignIn(id)];
                /// Opens the browser once more for a sign-in that awaits it.
                reopen_browser(id: i64) -> ();
                /// Every sealed value of a server, by server.
                list_secrets() -> Vec<SecretView>, reads [Secrets];
                /// The names of the secrets that calls of the Workbench may carry.
                list_secret_variables() -> Vec<String>, reads [Secrets];
                /// Encrypts such a secret, in place of the one of this name.
                set_secret_variable(name: String, value: String) -> (), changes [Secrets, Vault];
                /// Removes it.
                remove_secret_variable(name: String) -> (), changes [Secrets, Vault];
            }
            apps {
                /// Other apps that are known: how each stands, and what it may do and sees.
                list_apps() -> Vec<AppView>, reads [Apps, Servers];
                /// What apps do now: those that are connected, or have a call running.
                app_activity() -> Vec<AppActivityView>, reads [AppActivity];
                /// Cancels a call of an app, by its number; false where it runs no more.
                cancel_app_call(call: i64) -> bool, changes [AppActivity];
                /// What connecting an app would change in its file; none: it is connected. `renew`: it gets another key all
                /// the same.
                plan_connect_app(id: String, renew: bool, replaces: Vec<String>) -> Option<AppPlan>;
                /// Connects an app by the change whose `hash` was shown; fails with `app_file_changed` where it would be
                /// another one by now.
                connect_app(id: String, hash: String, replaces: Vec<String>) -> AppView, changes [Apps];
                /// What disconnecting an app would change in its file.
                plan_disconnect_app(id: String) -> AppUndo;
                /// Disconnects an app by the change whose `hash` was shown; fails with `app_file_changed`.
                disconnect_app(id: String, hash: String) -> AppUndone, changes [Apps];
                /// Saves how the calls of an app are allowed; no `level` is the app's default.
                set_app_level(id: String, level: Option<AppLevel>) -> (), changes [Apps];
                /// Saves which servers and tools an app does not see.
                set_app_off(id: String, off: Vec<AppOff>) -> (), changes [Apps];
                /// Saves whether an app sees prompts and resources.
                set_app_offers(id: String, prompts: bool, resources: bool) -> (), changes [Apps];
                /// Saves which tools an app gets beside a search.
                set_app_pinned(id: String, pinned: Vec<PinnedTool>) -> (), changes [Apps];
                /// Saves how an app gets the tools.
                set_app_tool_list(id: String, tool_list: AppToolList) -> (), changes [Apps];
                /// Saves how long the name of a tool may be for an app; no `longest` is what the app is known to take.
                set_app_longest_name(id: String, longest: Option<u8>) -> (), changes [Apps];
                /// The entry of Mooring as text to copy, for an app of this name.
                app_snippet(id: String, format: AppSnippetFormat) -> String;
                /// The same with a new key, by which the app is known from now on. It can't be had again.
                create_app_entry(id: String, format: AppSnippetFormat) -> String, changes [Apps];
                /// Forgets by what an app was known: its key, or that its name was allowed.
                remove_app_key(id: String) -> (), changes [Apps];
                /// The terminals whose command line may always use the servers: their programs, by their paths.
                list_terminals() -> Vec<String>, reads [Apps];
                /// Asks again about the command line of terminals of this program.
                forget_terminal(program: String) -> (), changes [Apps];
                /// What an app pays in tokens for what it gets of the servers; none where apps can't connect.
                app_cost(id: String) -> Option<AppCost>, reads [Apps, Servers, Tools, Trust];
                /// The token by which an app is known over HTTP, without the token itself; none: it has none.
                get_app_token(id: String) -> Option<AppTokenView>, reads [Apps];
                /// Makes a token for an app, in the place of the one that it had. Only its hash is saved, so that
                /// it can't be had again.
                create_app_token(id: String) -> String, changes [Apps];
                /// Takes an app's token away. Its sessions over HTTP end.
                revoke_app_token(id: String) -> (), changes [Apps];
                /// The servers in an app's own file. Nothing is saved.
                check_app_import(id: String) -> AppImportPreview;
                /// Saves the named servers of an app's own file, as they were shown under `hash`, and starts them.
                import_app_servers(id: String, hash: String, names: Vec<String>) -> Vec<ServerView>, changes [Servers, Apps];
            }
            vault {
                /// Where the vault stands.
                get_vault() -> VaultView, reads [Vault];
                /// Opens it, or tries again.
                open_vault() -> VaultView, changes [Vault, Accounts, Secrets];
                /// Unwraps the key with the person's passphrase; fails with `wrong_passphrase`.
                unlock_vault(passphrase: String) -> VaultView, changes [Vault, Accounts, Secrets];
                /// Makes the first key where the person wants it.
                create_vault(choice: VaultChoice) -> VaultView, changes [Vault, Accounts, Secrets];
                /// Makes a new key where the person wants it and seals everything under it.
                rekey_vault(choice: VaultChoice) -> VaultView, changes [Vault, Accounts, Secrets];
                /// Gives up the key and everything sealed: every login and secret is gone.
                start_over_vault() -> VaultView, changes [Vault, Accounts, Secrets];
            }
            inbox {
                /// What waits for the person.
                list_inbox() -> InboxView, reads [Inbox];
                /// The person looks at this question now: gives the nonce that one answer takes.
                open_interaction(id: i64) -> InteractionOpening;
                /// Answers a question. Fails with `too_early`, `wrong_nonce`, `not_waiting` or `invalid_answer`.
                answer_interaction(id: i64, nonce: String, answer: InteractionAnswer) -> DecisionView, changes [Inbox, Decisions];
                /// Keeps what was entered so far, as JSON text.
                save_draft(id: i64, draft: String) -> ();
                /// What is wrong with the values of a form, as JSON text.
                check_form(id: i64, content: String) -> Vec<Mistake>;
                /// Asks the model once more, after it could not answer; or opens an address once more that was agreed
                /// to.
                retry_interaction(id: i64, nonce: String) -> (), changes [Inbox, Decisions];
                /// Says what a link in a server's text leads to. Nothing fetches it.
                inspect_link(url: String) -> AddressView;
                /// Opens such a link in the browser: the person's click, after the address was shown.
                open_link(url: String) -> ();
                /// How the last questions were decided, newest first.
                list_decisions(limit: u32) -> Vec<DecisionView>, reads [Decisions];
                /// A page of the decisions that fit, newest first: those before the decision with this row.
                find_decisions(filter: DecisionQuery, before: Option<i64>, limit: u32) -> Vec<DecisionView>, reads [Decisions];
                /// What the log has of a decision.
                decision_events(id: i64) -> DecisionEvents;
                /// Hides a question for so many minutes; none: until Mooring quits.
                put_off_interaction(id: i64, minutes: Option<u32>) -> (), changes [Inbox];
                /// Shows a question again that was put off.
                bring_back_interaction(id: i64) -> (), changes [Inbox];
                /// Lets a server ask again.
                lift_silence(server: i64) -> (), changes [Inbox];
                /// Lets the calls of an app be asked about again.
                lift_app_silence(app: String) -> (), changes [Inbox];
            }
            policy {
                /// Every rule in force, the most specific first.
                list_rules() -> Vec<RuleView>, reads [Rules];
                /// What the rules say of each tool of a running server, and when it was last called.
                list_tool_access(id: i64) -> Vec<ToolAccess>, reads [Rules, Tools(id), Trust(id), Servers(id)];
                /// Makes a rule, or changes one.
                save_rule(id: Option<i64>, rule: NewRule) -> RuleView, changes [Rules];
                /// Takes a rule back; `restore_rule` undoes it.
                remove_rule(id: i64) -> (), changes [Rules, Decisions];
                /// Brings a rule back.
                restore_rule(id: i64) -> RuleView, changes [Rules, Decisions];
                /// What a rule, new or changed, would have decided for calls that were made.
                simulate_rule(id: Option<i64>, rule: NewRule) -> Simulation;
                /// What of a server was approved, and what changed since.
                get_trust(server: i64) -> TrustView, reads [Trust(server)];
                /// Approves things as they were shown; fails with `definition_changed`.
                approve_trust(server: i64, approvals: Vec<PinApproval>) -> TrustView, changes [Trust(server), Servers(server)];
                /// Undoes approvals that were given last of a server; what has changed since stays as it is.
                withdraw_trust(server: i64, approvals: Vec<PinApproval>) -> TrustView, changes [Trust(server), Servers(server)];
                /// What to look out for in a command before it is saved: shells, downloads, more rights, secrets in
                /// arguments. `env` are the names of its variables.
                review_command(command: String, args: Vec<String>, env: Vec<String>) -> Vec<CommandNote>;
            }
            roots {
                /// Every folder that is granted.
                list_roots() -> Vec<RootView>, reads [Roots];
                /// The folders of one server.
                server_roots(server: i64) -> ServerRoots, reads [Roots(server)];
                /// Grants a folder; `wide` is the second yes that a home or a root directory takes. Fails with
                /// `root_too_wide` or `root_unusable`.
                add_root(server: Option<i64>, path: String, name: Option<String>, wide: bool) -> RootView, changes [Roots];
                /// Gives a folder another name.
                rename_root(id: i64, name: Option<String>) -> RootView, changes [Roots];
                /// Takes a folder back; `restore_root` undoes it.
                remove_root(id: i64) -> (), changes [Roots];
                /// Grants it again.
                restore_root(id: i64) -> RootView, changes [Roots];
                /// Whether a server is told of the folders that are for every server.
                share_roots(server: i64, shared: bool) -> (), changes [Roots(server)];
                /// Forgets an answer to a server that asked for them.
                forget_roots_answer(server: i64, answer: i64) -> (), changes [Roots(server), Decisions];
                /// Has the person choose a folder with the system's picker; none: they gave up.
                pick_folder() -> Option<String>;
            }
            models {
                /// Providers, routes and budgets.
                list_models() -> ModelsView, reads [Models];
                /// Sets a provider up, or changes it.
                save_provider(id: Option<i64>, provider: ProviderInput) -> ProviderView, changes [Models];
                /// Removes a provider with its key.
                remove_provider(id: i64) -> (), changes [Models];
                /// Asks a provider for its models: the person's click.
                check_provider(id: Option<i64>, provider: ProviderInput) -> ProviderCheck;
                /// Saves the routing table.
                set_routes(routes: Vec<RouteRule>) -> ModelsView, changes [Models];
                /// Lets a server ask models, within a budget, or not.
                set_sampling(policy: SamplingPolicy) -> ModelsView, changes [Models];
                /// Has the person asked again.
                forget_sampling(id: i64) -> ModelsView, changes [Models, Decisions];
            }
            tools {
                /// A server's tools; asks the server again when `refresh` is set.
                list_tools(id: i64, refresh: bool) -> Arc<ToolList>, reads [Tools(id)];
                /// Calls a tool. `arguments` is the text of a JSON object, passed on unchanged but for the places of secret
                /// variables.
                call_tool(id: i64, call_id: String, tool: String, arguments: String, sealed: Vec<SealedPlace>) -> CallOutcome, streams CallEvent;
                /// What is wrong with a value by a JSON Schema, both as JSON text. `chosen` are the alternatives that the person chose: by the JSON Pointer of a value, the number of the schema in its `oneOf` or `anyOf`.
                check_value(schema: String, value: String, chosen: BTreeMap<String, u32>) -> SchemaCheck;
                /// Cancels a running call; false when there is none of that name.
                cancel_call(call_id: String) -> bool;
            }
            offers {
                /// A server's resources and templates; asks the server again when `refresh` is set.
                list_resources(id: i64, refresh: bool) -> Arc<ResourceList>, reads [Resources(id)];
                /// A server's prompts; asks the server again when `refresh` is set.
                list_prompts(id: i64, refresh: bool) -> Arc<PromptList>, reads [Prompts(id)];
                /// Reads a resource; `cancel_call` cancels it. `template` is the one that its address was made of.
                /// The result is `{"contents":[…]}` as it was sent.
                read_resource(id: i64, call_id: String, uri: String, template: Option<String>) -> CallOutcome, streams CallEvent;
                /// Has a prompt filled in; `cancel_call` cancels it. `arguments` is the text of a JSON object of
                /// texts; the result is `{"messages":[…]}` as it was sent.
                get_prompt(id: i64, call_id: String, prompt: String, arguments: String, sealed: Vec<SealedPlace>) -> CallOutcome, streams CallEvent;
                /// The address that a template makes of these values; fails with `invalid_template`.
                expand_template(uri_template: String, values: BTreeMap<String, String>) -> String;
                /// Values for an argument that begin as `value` does; `context` are those that are filled in already.
                /// A server without completion proposes none.
                complete_argument(id: i64, reference: CompletionReference, argument: String, value: String, context: BTreeMap<String, String>) -> Completion;
                /// Has changes of a resource announced.
                subscribe_resource(id: i64, uri: String) -> (), changes [Subscriptions(id)];
                /// Takes `subscribe_resource` back.
                unsubscribe_resource(id: i64, uri: String) -> (), changes [Subscriptions(id)];
                /// The resources whose changes are announced.
                list_subscriptions(id: i64) -> Vec<SubscriptionView>, reads [Subscriptions(id)];
                /// The calls that a server works on in the background.
                list_tasks(id: i64) -> Vec<TaskView>, reads [Tasks(id)];
                /// Asks a server to give a task up.
                cancel_task(id: i64, task_id: String) -> (), changes [Tasks(id)];
            }
            calls {
                /// Past calls of an item that the log has, newest first, before its row `before`.
                list_logged_calls(item: Item, before: Option<i64>, limit: u32) -> LoggedCallPage;
                /// What was sent and received in one of them.
                get_logged_call(id: i64, answer: Option<i64>) -> Option<LoggedCallContent>;
                /// Saved calls and favourites, in the order in which they were saved.
                list_saved_calls() -> Vec<SavedCall>, reads [SavedCalls];
                /// Saves a call under a name, or an item as a favourite. What looks like a secret isn't saved.
                save_call(call: NewSavedCall) -> SavedCall, changes [SavedCalls];
                /// Renames a saved call; fails with `not_saved` where another of its item has the name.
                rename_saved_call(id: i64, name: String) -> (), changes [SavedCalls];
                /// Removes a saved call or a favourite; `restore_saved_call` undoes it.
                remove_saved_call(id: i64) -> (), changes [SavedCalls];
                /// Brings it back.
                restore_saved_call(id: i64) -> (), changes [SavedCalls];
                /// Saves a result as a file where the person chooses; none: they gave up. The bytes of one that isn't text come as base64.
                save_file(name: String, content: String, base64: bool) -> Option<String>;
            }
            log {
                /// Past rows, newest first, between the row ids `after` and `before`; with `after` alone, those that
                /// follow it.
                log_page(filter: LogQuery, before: Option<i64>, after: Option<i64>, limit: u32) -> LogPage;
                /// How many rows match.
                log_count(filter: LogQuery) -> i64, reads [Log];
                /// One row with its body.
                log_entry(id: i64) -> Option<LogEntry>;
                /// What the journal can be filtered by.
                log_facets() -> LogFacets, reads [Log];
                /// Sends new rows as they are committed: one batch, and the next after `ack_log`.
                follow_log(filter: LogQuery, follow_id: String) -> (), streams LogBatch;
                /// The last batch was taken in.
                ack_log(follow_id: String) -> ();
                /// How many events are older than so many days.
                count_old_events(days: u32) -> i64;
                /// Deletes the whole log; how many rows it had.
                clear_log() -> u64, changes [Log, App];
                /// Ends a `follow_log`.
                stop_follow(follow_id: String) -> ();
            }
        }
    };
}
