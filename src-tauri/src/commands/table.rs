// The list of all commands that the window can call: their names, arguments, results and streams, and the
// topics that each of them reads and changes.
//
// The handler list, the permissions (in `build.rs`, which includes this file) and the TypeScript map are
// generated from it. It is a macro, so that each of them can use the parts that it needs.
//
// `reads` and `changes` name topics of `topic.rs`. The argument in parentheses is the server. The page
// reloads the topics that a command has changed. Changes without a command are announced as events.
macro_rules! command_table {
    ($expand:ident) => {
        $expand! {
            about {
                /// The application, its data and its limits.
                app_info() -> AppInfo, reads [App];
                /// The person's settings.
                get_settings() -> Settings, reads [Settings];
                /// Saves the person's settings. Returns the settings in force.
                set_settings(settings: Settings) -> Settings, changes [Settings, App, Catalog];
                /// The authorities' certificates that are trusted besides the system's.
                list_certificates() -> Vec<CertificateView>, reads [Settings];
                /// Reads the certificates in a file, whose bytes are base64. Trusts none of them.
                read_certificates(file: String) -> Vec<CertificateView>;
                /// Trusts certificates, each by the `der` of its view.
                add_certificates(ders: Vec<String>) -> (), changes [Settings];
                /// Stops trusting a certificate. `add_certificates` undoes it.
                remove_certificate(fingerprint: String) -> (), changes [Settings];
                /// Reports if the network settings in the database differ from those in force.
                get_network_problem() -> Option<NetworkProblem>, reads [Settings];
                /// Uses the network settings in the database (`take`), as shown in the problem with this
                /// hash, or overwrites them with those in force.
                settle_network(hash: String, take: bool) -> (), changes [Settings];
                /// The licences of the application's dependencies. `None` if they were not installed with it.
                get_notices() -> Option<String>, reads [App];
                /// Shows the data folder in the system's file browser.
                open_data_folder() -> ();
                /// Replaces data that cannot be opened with a backup, named by its time, or with empty data.
                /// Moves the old data into a folder.
                restore_data(backup_us: Option<i64>) -> ();
                /// Announces changes until the window is gone.
                watch_host() -> (), streams HostEvent;
                /// Sends the page what later starts should open, until the window is gone.
                watch_opened() -> (), streams Opened;
                /// Reports a step of the window's start, which was reached `ago` milliseconds ago. Printed if
                /// `MOORING_TIMINGS=1`. Saved servers start once the window is interactive.
                first_paint(phase: PaintPhase, ago: u32) -> ();
            }
            background {
                /// What this desktop supports for running in the background.
                get_background() -> BackgroundView, reads [App];
                /// Turns starting at login (hidden) on or off.
                set_start_at_login(on: bool) -> BackgroundView, changes [App];
                /// Saves the person's answer to the first close of the window, and acts on it.
                answer_close(answer: CloseAnswer) -> (), changes [Settings];
                /// Ends everything.
                quit() -> ();
                /// Stops every server, until `resume_servers` or until the person starts it again.
                pause_servers() -> (), changes [Servers, App];
                /// Starts the paused servers.
                resume_servers() -> (), changes [Servers, App];
            }
            servers {
                /// All saved servers.
                list_servers() -> Vec<ServerView>, reads [Servers];
                /// What each local server that runs costs now.
                list_loads() -> Vec<ServerLoad>;
                /// What a local server cost in the last hour, oldest first.
                get_load_hour(id: i64) -> Vec<LoadPoint>;
                /// One saved server.
                get_server(id: i64) -> ServerView, reads [Servers(id)];
                /// The icons in a server's own definition, by the hash in its view, as `{"icons":[…]}`.
                /// `None` if they have changed.
                server_icons(id: i64, icons: String) -> Option<String>;
                /// Saves whether icons are loaded from the URLs that a server names. This needs the person's
                /// consent.
                set_loads_icons(id: i64, loads: bool) -> (), changes [Servers(id), Icons(id)];
                /// Saves which callers get their own instance of a server.
                set_instance_rule(id: i64, rule: InstanceRule) -> (), changes [Servers(id)];
                /// Ends an instance of a server and its running calls. The app's next call starts another
                /// one.
                end_instance(id: i64, number: u64) -> (), changes [Servers(id)];
                /// The icon at a URL that a server names, as a `data:` URL. `None` if it may not or could not
                /// be loaded.
                load_icon(id: i64, src: String) -> Option<String>, reads [Icons(id)];
                /// Saves a server and starts it.
                add_server(server: NewServer) -> ServerView, changes [Servers];
                /// Saves the bundled demo server and starts it.
                add_demo_server() -> ServerView, changes [Servers];
                /// Changes a server, and restarts it if it is running.
                update_server(id: i64, server: NewServer) -> ServerView, changes [Servers(id), Secrets, Subscriptions(id)];
                /// Stops and removes a server; `restore_server` undoes it.
                remove_server(id: i64) -> (), changes [Servers, SavedCalls];
                /// Restores a removed server.
                restore_server(id: i64) -> ServerView, changes [Servers, SavedCalls];
                /// Starts a stopped server.
                start_server(id: i64) -> (), changes [Servers(id)];
                /// Stops a server; it stays stopped until it is started again.
                stop_server(id: i64) -> (), changes [Servers(id)];
                /// Lets a server that starts on first use sleep now. `false` if it is used.
                let_server_sleep(id: i64) -> bool, changes [Servers(id)];
                /// Stops a server and starts it again.
                restart_server(id: i64) -> (), changes [Servers(id)];
                /// Connects to a server as entered, without saving it, and reports the result. `None` if
                /// `cancel_call` cancelled it. Uses the saved secrets and account of the saved server `id`.
                try_server(id: Option<i64>, call_id: String, server: NewServer) -> Option<ServerTrial>;
                /// How to install the program that a failed server needs.
                install_offer(id: i64) -> Option<InstallOffer>, reads [Servers(id)];
                /// Installs the program with the command that the person approved. Fails if the command has
                /// changed. `cancel_call` cancels it. Sends the end of the output repeatedly.
                install_program(id: i64, call_id: String, line: Vec<String>) -> InstallOutcome, streams String;
                /// Looks a command up in the login shell's search path.
                check_command(command: String, path: Option<String>) -> CommandCheck;
                /// Parses a pasted configuration without saving anything, and checks the values that it asks for.
                check_import(text: String, values: Vec<ImportValue>) -> ImportPreview;
                /// Saves the named entries of a pasted configuration with the values that they ask for, and starts
                /// them.
                import_servers(text: String, names: Vec<String>, values: Vec<ImportValue>) -> Vec<ServerView>, changes [Servers];
            }
            catalog {
                /// The state of the copy of the registry. Contacts no registry.
                get_catalog() -> CatalogState, reads [Catalog];
                /// Brings the copy up to date: always, or if the catalog was `opened` and the copy is older than an
                /// hour. `None` if `cancel_call` cancelled it.
                refresh_catalog(opened: bool, call_id: String) -> Option<CatalogState>, streams SyncProgress, changes [Catalog];
                /// Searches the copy for entries with all words of a text.
                search_catalog(text: String, offset: u32, limit: u32) -> CatalogFoundView, reads [Catalog, Servers];
                /// An entry of the copy, or a version of it that the registry is asked for.
                get_catalog_entry(name: String, version: Option<String>) -> CatalogEntryView, reads [Catalog, Servers];
                /// Asks the registry for all versions of an entry, newest first.
                list_catalog_versions(name: String) -> Vec<CatalogVersion>;
                /// The servers that came from the catalog, with their newer versions.
                list_catalog_servers() -> Vec<CatalogServerView>, reads [Catalog, Servers];
                /// Saves the server of one package or URL of an entry, whose `server.json` is `text`.
                add_from_catalog(source: CatalogSource, text: String, package: String, name: Option<String>, values: Vec<ImportValue>) -> Vec<ServerView>, changes [Servers, Catalog];
                /// What a version of its entry would change about a server.
                review_catalog_update(id: i64, version: Option<String>, values: Vec<ImportValue>) -> CatalogUpdateReview;
                /// Brings a server to a version of its entry. `shown` is the definition that was reviewed.
                update_from_catalog(id: i64, version: String, values: Vec<ImportValue>, shown: NewServer) -> ServerView, changes [Servers(id), Secrets, Catalog];
            }
            bundles {
                /// Lets the person choose a bundle with the system's dialog. `None` if they cancel.
                pick_bundle() -> Option<String>;
                /// Lets the person choose a file with the system's dialog. `None` if they cancel.
                pick_file() -> Option<String>;
                /// Reads a bundle's file, and checks the values that were entered for it. Unpacks and saves
                /// nothing.
                read_bundle(path: String, choice: BundleChoice, values: Vec<ImportValue>) -> BundleReview;
                /// Unpacks the bundle whose review has this hash, and saves its server. `None` if `cancel_call`
                /// cancelled it.
                add_bundle(call_id: String, path: String, sha256: String, choice: BundleChoice, values: Vec<ImportValue>) -> Option<BundleAdded>, streams BundleProgress, changes [Servers, Secrets];
                /// The bundle that a server came from.
                server_bundle(id: i64) -> Option<ServerBundleView>, reads [Servers(id)];
                /// Brings a server back to the earlier version of its bundle with this hash in its view.
                roll_back_bundle(id: i64, hash: String) -> ServerView, changes [Servers(id), Secrets, Subscriptions(id)];
            }
            doctor {
                /// Checks a saved server, or Mooring itself, step by step. Sends each check, and returns the
                /// report as a text without secrets. `None` if `cancel_call` cancelled it.
                run_doctor(id: Option<i64>, call_id: String) -> Option<String>, streams Check;
            }
            accounts {
                /// All accounts, those in use first.
                list_accounts() -> Vec<Account>, reads [Accounts];
                /// Refreshes an account's token now.
                refresh_account(id: i64) -> Account, changes [Accounts];
                /// Revokes an account's tokens at the authorization server and deletes them here, for every
                /// server that uses them.
                sign_out(id: i64) -> SignOutResult, changes [Accounts];
                /// Signs out of every account.
                sign_out_all() -> Vec<SignOutResult>, changes [Accounts];
                /// Removes a signed-out account from the list.
                forget_account(id: i64) -> (), changes [Accounts];
                /// Chooses which of its accounts a server uses, or none. A running server is restarted.
                choose_account(server: i64, account: Option<i64>) -> (), changes [Accounts];
                /// Starts signing in to a saved server, when the person clicks. Its progress is announced and
                /// read with `get_sign_in`.
                begin_sign_in(id: i64, input: SignInInput) -> SignInAttempt, changes [SignIn(id)];
                /// Cancels a sign-in. Returns false if none is running.
                cancel_sign_in(id: i64) -> bool, changes [SignIn(id)];
                /// The current or last sign-in to a server.
                get_sign_in(id: i64) -> Option<SignInAttempt>, reads [SignIn(id)];
                /// Opens the browser again for a waiting sign-in.
                reopen_browser(id: i64) -> ();
                /// The encrypted values of all servers, by server.
                list_secrets() -> Vec<SecretView>, reads [Secrets];
                /// The names of the secrets that the Workbench can use in calls.
                list_secret_variables() -> Vec<String>, reads [Secrets];
                /// Encrypts a Workbench secret, and replaces the one with this name.
                set_secret_variable(name: String, value: String) -> (), changes [Secrets, Vault];
                /// Removes a Workbench secret.
                remove_secret_variable(name: String) -> (), changes [Secrets, Vault];
            }
            apps {
                /// All known apps, with their states and permissions.
                list_apps() -> Vec<AppView>, reads [Apps, Servers];
                /// The current activity of apps that are connected or have a running call.
                app_activity() -> Vec<AppActivityView>, reads [AppActivity];
                /// Cancels a call of an app, by its number. Returns false if it is not running any more.
                cancel_app_call(call: i64) -> bool, changes [AppActivity];
                /// The change of an app's file that would connect it. `None` if it is already connected,
                /// unless `renew` asks for a new key.
                plan_connect_app(id: String, renew: bool, replaces: Vec<String>) -> Option<AppPlan>;
                /// Connects an app with the change whose `hash` was shown. Fails with `app_file_changed` if
                /// the change would be different now.
                connect_app(id: String, hash: String, replaces: Vec<String>) -> AppView, changes [Apps];
                /// The change of an app's file that would disconnect it.
                plan_disconnect_app(id: String) -> AppUndo;
                /// Disconnects an app with the change whose `hash` was shown. Fails with `app_file_changed`.
                disconnect_app(id: String, hash: String) -> AppUndone, changes [Apps];
                /// Saves how the calls of an app are approved. Without `level` it is the app's default.
                set_app_level(id: String, level: Option<AppLevel>) -> (), changes [Apps];
                /// Saves which servers and tools an app doesn't see.
                set_app_off(id: String, off: Vec<AppOff>) -> (), changes [Apps];
                /// Saves whether an app sees prompts and resources.
                set_app_offers(id: String, prompts: bool, resources: bool) -> (), changes [Apps];
                /// Saves which tools an app gets besides a search.
                set_app_pinned(id: String, pinned: Vec<PinnedTool>) -> (), changes [Apps];
                /// Saves how an app gets the tools.
                set_app_tool_list(id: String, tool_list: AppToolList) -> (), changes [Apps];
                /// Saves the longest tool name for an app. Without `longest` it is the app's known limit.
                set_app_longest_name(id: String, longest: Option<u8>) -> (), changes [Apps];
                /// The text of Mooring's entry to copy into the configuration of an app with this name.
                app_snippet(id: String, format: AppSnippetFormat) -> String;
                /// The entry with a new key, which identifies the app from now on. The key can't be shown
                /// again.
                create_app_entry(id: String, format: AppSnippetFormat) -> String, changes [Apps];
                /// Removes what identifies an app: its key, or the permission for its name.
                remove_app_key(id: String) -> (), changes [Apps];
                /// The terminals whose command line may always use the servers, as the paths of their
                /// programs.
                list_terminals() -> Vec<String>, reads [Apps];
                /// Asks again when the command line in a terminal of this program wants to use the servers.
                forget_terminal(program: String) -> (), changes [Apps];
                /// How many tokens an app needs for what it gets of the servers. `None` if apps can't connect
                /// on this system.
                app_cost(id: String) -> Option<AppCost>, reads [Apps, Servers, Tools, Trust];
                /// The token that identifies an app over HTTP, without its value. `None` if it has no token.
                get_app_token(id: String) -> Option<AppTokenView>, reads [Apps];
                /// Creates a token for an app, and replaces the old one. Only its hash is saved, so it can't
                /// be shown again.
                create_app_token(id: String) -> String, changes [Apps];
                /// Revokes an app's token. Ends its sessions over HTTP.
                revoke_app_token(id: String) -> (), changes [Apps];
                /// The servers in an app's configuration file or a project's folder, with the values that they ask
                /// for. Saves nothing.
                check_app_import(place: ImportPlace, values: Vec<ImportValue>) -> AppImportPreview;
                /// Saves the named servers of an app's configuration file or a project's folder, as shown under
                /// `hash`, with the values that they ask for, and starts them.
                import_app_servers(place: ImportPlace, hash: String, names: Vec<String>, values: Vec<ImportValue>, start: StartRule) -> Vec<ServerView>, changes [Servers, Apps];
            }
            vault {
                /// The state of the vault.
                get_vault() -> VaultView, reads [Vault];
                /// Opens the vault, or tries again.
                open_vault() -> VaultView, changes [Vault, Accounts, Secrets];
                /// Decrypts the vault's key with the person's passphrase. Fails with `wrong_passphrase`.
                unlock_vault(passphrase: String) -> VaultView, changes [Vault, Accounts, Secrets];
                /// Creates the first key and saves it where the person wants it.
                create_vault(choice: VaultChoice) -> VaultView, changes [Vault, Accounts, Secrets];
                /// Creates a new key, saves it where the person wants it, and encrypts everything with it.
                rekey_vault(choice: VaultChoice) -> VaultView, changes [Vault, Accounts, Secrets];
                /// Deletes the key and all encrypted data: every account and secret is lost.
                start_over_vault() -> VaultView, changes [Vault, Accounts, Secrets];
            }
            inbox {
                /// The questions that wait for the person.
                list_inbox() -> InboxView, reads [Inbox];
                /// Opens a question for the person. Returns a nonce that is valid for one answer.
                open_interaction(id: i64) -> InteractionOpening;
                /// Answers a question. Fails with `too_early`, `wrong_nonce`, `not_waiting` or `invalid_answer`.
                answer_interaction(id: i64, nonce: String, answer: InteractionAnswer) -> DecisionView, changes [Inbox, Decisions];
                /// Saves the values entered so far, as JSON text.
                save_draft(id: i64, draft: String) -> ();
                /// The mistakes in a form's values, which are JSON text.
                check_form(id: i64, content: String) -> Vec<Mistake>;
                /// Asks the model again after it failed, or opens an approved URL again.
                retry_interaction(id: i64, nonce: String) -> (), changes [Inbox, Decisions];
                /// Describes where a link in a server's text leads. Loads nothing.
                inspect_link(url: String) -> AddressView;
                /// Opens such a link in the browser, after the person saw the URL and clicked.
                open_link(url: String) -> ();
                /// The latest decisions, newest first.
                list_decisions(limit: u32) -> Vec<DecisionView>, reads [Decisions];
                /// A page of the matching decisions, newest first: those before the decision with the row id
                /// `before`.
                find_decisions(filter: DecisionQuery, before: Option<i64>, limit: u32) -> Vec<DecisionView>, reads [Decisions];
                /// The log's events of a decision.
                decision_events(id: i64) -> DecisionEvents;
                /// Hides a question for a number of minutes. Without `minutes`, until Mooring quits.
                put_off_interaction(id: i64, minutes: Option<u32>) -> (), changes [Inbox];
                /// Shows a question again that was put off.
                bring_back_interaction(id: i64) -> (), changes [Inbox];
                /// Lets a muted server ask again.
                lift_silence(server: i64) -> (), changes [Inbox];
                /// Lets the calls of a muted app ask again.
                lift_app_silence(app: String) -> (), changes [Inbox];
            }
            policy {
                /// All rules in force, the most specific first.
                list_rules() -> Vec<RuleView>, reads [Rules];
                /// What the rules decide for each tool of a running server, and when each tool was last
                /// called.
                list_tool_access(id: i64) -> Vec<ToolAccess>, reads [Rules, Tools(id), Trust(id), Servers(id)];
                /// Creates or changes a rule.
                save_rule(id: Option<i64>, rule: NewRule) -> RuleView, changes [Rules];
                /// Removes a rule. `restore_rule` undoes it.
                remove_rule(id: i64) -> (), changes [Rules, Decisions];
                /// Restores a removed rule.
                restore_rule(id: i64) -> RuleView, changes [Rules, Decisions];
                /// What a new or changed rule would have decided for past calls.
                simulate_rule(id: Option<i64>, rule: NewRule) -> Simulation;
                /// What is approved of a server, and what has changed since.
                get_trust(server: i64) -> TrustView, reads [Trust(server)];
                /// Approves definitions as they were shown. Fails with `definition_changed`.
                approve_trust(server: i64, approvals: Vec<PinApproval>) -> TrustView, changes [Trust(server), Servers(server)];
                /// Undoes the last approvals of a server. Keeps later changes.
                withdraw_trust(server: i64, approvals: Vec<PinApproval>) -> TrustView, changes [Trust(server), Servers(server)];
                /// Warns about a command before it is saved: shells, downloads, elevated rights, secrets in
                /// arguments. `env` are the names of its variables.
                review_command(command: String, args: Vec<String>, env: Vec<String>) -> Vec<CommandNote>;
            }
            roots {
                /// All granted folders.
                list_roots() -> Vec<RootView>, reads [Roots];
                /// The folders of a server.
                server_roots(server: i64) -> ServerRoots, reads [Roots(server)];
                /// Grants a folder. `wide` is the second confirmation that a home or root directory needs.
                /// Fails with `root_too_wide` or `root_unusable`.
                add_root(server: Option<i64>, path: String, name: Option<String>, wide: bool) -> RootView, changes [Roots];
                /// Renames a folder.
                rename_root(id: i64, name: Option<String>) -> RootView, changes [Roots];
                /// Revokes a folder. `restore_root` undoes it.
                remove_root(id: i64) -> (), changes [Roots];
                /// Grants a revoked folder again.
                restore_root(id: i64) -> RootView, changes [Roots];
                /// Saves whether a server gets the folders that are for every server.
                share_roots(server: i64, shared: bool) -> (), changes [Roots(server)];
                /// Deletes the answer to a server that asked for folders.
                forget_roots_answer(server: i64, answer: i64) -> (), changes [Roots(server), Decisions];
                /// Lets the person choose a folder with the system's dialog. `None` if they cancel.
                pick_folder() -> Option<String>;
            }
            profiles {
                /// All profiles, compared with the servers that are saved.
                list_profiles() -> Vec<ProfileView>, reads [Profiles];
                /// Saves a profile: a new one, or another content of the one with this id.
                save_profile(id: Option<i64>, profile: NewProfile) -> ProfileView, changes [Profiles];
                /// Removes a profile. `restore_profile` undoes it.
                remove_profile(id: i64) -> RemovedProfile, changes [Profiles];
                /// Saves a removed profile again.
                restore_profile(removed: RemovedProfile) -> (), changes [Profiles];
                /// Uses a profile, or none. Returns the one that was in use.
                use_profile(id: Option<i64>) -> Option<i64>, changes [Profiles];
                /// A profile as the text of a file, without secrets.
                export_profile(id: i64) -> String;
                /// Compares the text of a profile's file with what is here. Saves nothing.
                review_profile(text: String) -> ProfileReview;
                /// Saves the profile of a file as the person decided. It is not in use then.
                import_profile(text: String, choice: ProfileImportChoice) -> ProfileView, changes [Profiles];
            }
            models {
                /// Providers, routes and budgets.
                list_models() -> ModelsView, reads [Models];
                /// Adds or changes a provider.
                save_provider(id: Option<i64>, provider: ProviderInput) -> ProviderView, changes [Models];
                /// Removes a provider and its key.
                remove_provider(id: i64) -> (), changes [Models];
                /// Asks a provider for its models, when the person clicks.
                check_provider(id: Option<i64>, provider: ProviderInput) -> ProviderCheck;
                /// Saves the routing table.
                set_routes(routes: Vec<RouteRule>) -> ModelsView, changes [Models];
                /// Saves whether a server may ask models, and its budget.
                set_sampling(policy: SamplingPolicy) -> ModelsView, changes [Models];
                /// Removes a sampling approval, so that the person is asked again.
                forget_sampling(id: i64) -> ModelsView, changes [Models, Decisions];
            }
            tools {
                /// A server's tools. Asks the server again if `refresh` is set.
                list_tools(id: i64, refresh: bool) -> Arc<ToolList>, reads [Tools(id)];
                /// Calls a tool. `arguments` is the text of a JSON object. It is sent unchanged, except that
                /// secrets are filled in.
                call_tool(id: i64, call_id: String, tool: String, arguments: String, sealed: Vec<SealedPlace>) -> CallOutcome, streams CallEvent;
                /// Validates a value with a JSON Schema, both as JSON text. `chosen` maps the JSON Pointer of
                /// a value to the index of the `oneOf` or `anyOf` schema that the person chose.
                check_value(schema: String, value: String, chosen: BTreeMap<String, u32>) -> SchemaCheck;
                /// Cancels a running call. Returns false if no call has this id.
                cancel_call(call_id: String) -> bool;
            }
            offers {
                /// A server's resources and templates. Asks the server again if `refresh` is set.
                list_resources(id: i64, refresh: bool) -> Arc<ResourceList>, reads [Resources(id)];
                /// A server's prompts. Asks the server again if `refresh` is set.
                list_prompts(id: i64, refresh: bool) -> Arc<PromptList>, reads [Prompts(id)];
                /// Reads a resource. `cancel_call` cancels it. `template` is the template that the URI comes
                /// from. The result is `{"contents":[…]}`, unchanged.
                read_resource(id: i64, call_id: String, uri: String, template: Option<String>) -> CallOutcome, streams CallEvent;
                /// Gets a prompt with its arguments filled in. `cancel_call` cancels it. `arguments` is the
                /// text of a JSON object of strings. The result is `{"messages":[…]}`, unchanged.
                get_prompt(id: i64, call_id: String, prompt: String, arguments: String, sealed: Vec<SealedPlace>) -> CallOutcome, streams CallEvent;
                /// Expands a URI template with these values. Fails with `invalid_template`.
                expand_template(uri_template: String, values: BTreeMap<String, String>) -> String;
                /// Values for an argument that start with `value`. `context` has the values of other
                /// arguments. Empty if the server doesn't support completion.
                complete_argument(id: i64, reference: CompletionReference, argument: String, value: String, context: BTreeMap<String, String>) -> Completion;
                /// Subscribes to changes of a resource.
                subscribe_resource(id: i64, uri: String) -> (), changes [Subscriptions(id)];
                /// Unsubscribes from changes of a resource.
                unsubscribe_resource(id: i64, uri: String) -> (), changes [Subscriptions(id)];
                /// The resources with a subscription.
                list_subscriptions(id: i64) -> Vec<SubscriptionView>, reads [Subscriptions(id)];
                /// A server's background tasks.
                list_tasks(id: i64) -> Vec<TaskView>, reads [Tasks(id)];
                /// Asks a server to cancel a task.
                cancel_task(id: i64, task_id: String) -> (), changes [Tasks(id)];
            }
            calls {
                /// The logged calls of an item, newest first, before the row `before`.
                list_logged_calls(item: Item, before: Option<i64>, limit: u32) -> LoggedCallPage;
                /// The request and the answer of a logged call.
                get_logged_call(id: i64, answer: Option<i64>) -> Option<LoggedCallContent>;
                /// Saved calls and favourites, in the order in which they were saved.
                list_saved_calls() -> Vec<SavedCall>, reads [SavedCalls];
                /// Saves a call under a name, or an item as a favourite. Values that look like secrets are
                /// left out.
                save_call(call: NewSavedCall) -> SavedCall, changes [SavedCalls];
                /// Renames a saved call. Fails with `not_saved` if another call of its item has this name.
                rename_saved_call(id: i64, name: String) -> (), changes [SavedCalls];
                /// Removes a saved call or a favourite; `restore_saved_call` undoes it.
                remove_saved_call(id: i64) -> (), changes [SavedCalls];
                /// Restores a removed saved call or favourite.
                restore_saved_call(id: i64) -> (), changes [SavedCalls];
                /// Saves a result as a file that the person chooses. `None` if they cancel. Binary content is
                /// base64.
                save_file(name: String, content: String, base64: bool) -> Option<String>;
            }
            log {
                /// A page of rows, newest first, between the row ids `after` and `before`. With `after`
                /// alone, the rows that follow it.
                log_page(filter: LogQuery, before: Option<i64>, after: Option<i64>, limit: u32) -> LogPage;
                /// How many rows match.
                log_count(filter: LogQuery) -> i64, reads [Log];
                /// A row with its body.
                log_entry(id: i64) -> Option<LogEntry>;
                /// The values that the log can be filtered by.
                log_facets() -> LogFacets, reads [Log];
                /// Sends new rows as they are committed: one batch, and the next after each `ack_log`.
                follow_log(filter: LogQuery, follow_id: String) -> (), streams LogBatch;
                /// Acknowledges the last batch.
                ack_log(follow_id: String) -> ();
                /// How many events are older than this number of days.
                count_old_events(days: u32) -> i64;
                /// Deletes the whole log. Returns how many rows it had.
                clear_log() -> u64, changes [Log, App];
                /// Ends a `follow_log`.
                stop_follow(follow_id: String) -> ();
            }
        }
    };
}
