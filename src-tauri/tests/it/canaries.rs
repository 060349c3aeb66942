//! Sends secrets through every command of the window, and searches every answer for them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mooring_oauth::{AuthorizationUrl, Browser, BrowserFuture, Error as SignInError};
use mooring_testkit::canary::{Encoding, Hit, Scanner};
use mooring_testkit::models::{EVENTS, FakeProvider, ProviderReply};
use mooring_testkit::oauth::{OAuthScript, follow_redirects, serve};
use mooring_testkit::{http, scripted_server_path};
use mooring_words::say;
use serde_json::{Value, json};

use crate::support::{TestApp, channel_argument, invoke};

const HOST: u32 = 1;
const CALL: u32 = 2;
const TAIL: u32 = 3;
const CHECKS: u32 = 4;
/// Longer than anything here takes on a busy machine.
const TIMEOUT: Duration = Duration::from_mins(1);

/// A value that is not secret. Finding it shows that every answer is searched.
const DECOY: &str = "decoy-5b/d0+91c7-e2f4";
const ACCESS: &str = "canary-access-3d/9e+71.a04c~55";
const REFRESH: &str = "canary-refresh-8b/11+f6.29d0~77";
const CODE: &str = "canary-code-0c/5a+d8.e471~13";
const VENDOR: &str = "canary-vendor-a9/6\"2 f+0c88";
const ID_TOKEN: &str = "canary-id-token-41d7e09cb3f2";
const ENV: &str = "canary-env-d2/7+\"4 ü 81c0e5";
const HEADER: &str = "canary-header-f0/93+ab 5c\"1d7";
const PASSPHRASE: &str = "canary passphrase 9\"5/e+3 b07d";

const KEY: &str = "canary-provider-7d/1f+0a\"4e82b\\c6d9~05";
const NEXT_KEY: &str = "canary-next-key-91/3c+d7\"0e55a2~f8";
const ENTERED: &str = "canary-entered-b3/9c+\"7 ü 1f52e8";
const PIN: &str = "canary-pin-64d0/8a+93c1~2e";

/// A browser whose person approves at once.
struct CanaryBrowser;

impl Browser for CanaryBrowser {
    fn open<'a>(&'a self, url: &'a AuthorizationUrl) -> BrowserFuture<'a> {
        Box::pin(async move {
            let page = follow_redirects(url.as_url().as_str()).await;
            page.map(|_| ())
                .map_err(|error| SignInError::Aborted(say!("no page: {why}", why = error.to_string())))
        })
    }
}

fn agreeing() -> Arc<dyn Browser> {
    Arc::new(CanaryBrowser)
}

/// Every answer to the window, with the command that it answers.
struct Transcript {
    running: TestApp,
    told: Vec<(String, String)>,
}

impl Transcript {
    /// Follows events and the log, and creates a vault, as the window does at its start.
    fn begin(&mut self) {
        self.ask("watch_host", json!({ "channel": channel_argument(HOST) }));
        let filter = json!({ "source": null, "direction": null, "method": null, "kinds": [], "statuses": [], "text": null });
        let args = json!({ "filter": filter, "followId": "tail", "channel": channel_argument(TAIL) });
        self.ask("follow_log", args);
        self.ask("create_vault", json!({ "choice": { "mode": "passphrase", "passphrase": PASSPHRASE } }));
    }

    fn ask(&mut self, command: &str, args: Value) -> Value {
        let answer = self.running.invoke(command, args).unwrap_or_else(|error| {
            self.told.push((format!("error of {command}"), error.to_string()));
            error
        });
        self.told.push((format!("answer to {command}"), answer.to_string()));
        answer
    }

    fn add(&mut self, server: &Value) -> i64 {
        let mut whole = json!({
            "transport": "stdio", "command": null, "args": [], "env": {}, "cwd": null, "url": null,
            "headers": {}, "timeoutMs": null, "era": "auto", "secrets": [],
        });
        let members = server.as_object().unwrap().clone();
        whole.as_object_mut().unwrap().extend(members);
        self.ask("add_server", json!({ "server": whole }))["id"].as_i64().unwrap()
    }

    fn until(&mut self, what: &str, id: i64, states: &[&str]) -> Value {
        self.until_that(what, id, |server| states.iter().any(|state| server["state"] == *state))
    }

    fn until_that(&mut self, what: &str, id: i64, is_so: impl Fn(&Value) -> bool) -> Value {
        let start = Instant::now();
        loop {
            let servers = self.ask("list_servers", json!({}));
            let server = servers.as_array().unwrap().iter().find(|server| server["id"] == id).unwrap();
            if is_so(server) {
                return server.clone();
            }
            assert!(start.elapsed() < TIMEOUT, "{what}: {server}");
            self.listen();
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Collects the messages that the channels have received so far.
    fn listen(&mut self) {
        for (channel, message) in self.running.every_message() {
            let name = if channel == HOST { "event" } else { "channel" };
            self.told.push((name.to_owned(), message.to_string()));
            if channel == TAIL {
                self.running.invoke("ack_log", json!({ "followId": "tail" })).unwrap();
            }
        }
    }

    fn call(&mut self, id: i64, text: &str) {
        let args = json!({
            "id": id, "callId": text, "tool": "echo", "arguments": json!({ "text": text }).to_string(), "sealed": [],
            "channel": channel_argument(CALL),
        });
        assert_eq!(self.ask("call_tool", args)["status"], "ok");
        self.listen();
    }

    /// Runs every reading command for every server and every row.
    fn read_all(&mut self, servers: &[i64]) {
        for command in [
            "app_info",
            "get_settings",
            "list_servers",
            "list_loads",
            "list_accounts",
            "list_secrets",
            "get_vault",
            "log_facets",
        ] {
            self.ask(command, json!({}));
        }
        for id in servers {
            for refresh in [false, true] {
                for command in ["list_tools", "list_resources", "list_prompts"] {
                    self.ask(command, json!({ "id": id, "refresh": refresh }));
                }
            }
            for command in [
                "get_server",
                "get_load_hour",
                "server_bundle",
                "list_subscriptions",
                "list_tasks",
                "get_sign_in",
            ] {
                self.ask(command, json!({ "id": id }));
            }
        }
        let import = json!({ "mcpServers": { "new": { "command": DECOY, "env": { "A_TOKEN": "x" } } } });
        self.ask("check_import", json!({ "text": import.to_string(), "values": [] }));
        self.save_and_export_profile(servers);
        let doctor = json!({ "id": null, "callId": "doctor", "channel": channel_argument(CHECKS) });
        self.ask("run_doctor", doctor);
        self.ask("check_command", json!({ "command": DECOY }));
        let filter = json!({ "source": null, "direction": null, "method": null, "kinds": [], "statuses": [], "text": null });
        let page =
            self.ask("log_page", json!({ "filter": filter, "before": null, "after": null, "limit": 500 }));
        for row in page["rows"].as_array().unwrap().clone() {
            self.ask("log_entry", json!({ "id": row["id"] }));
        }
    }
}

impl Transcript {
    /// Saves a profile of these servers, and reads it as a file, which goes to other machines.
    fn save_and_export_profile(&mut self, servers: &[i64]) {
        let name = format!("Profile {}", self.told.len());
        let servers: Vec<Value> = servers.iter().map(|id| json!({ "server": id, "name": "" })).collect();
        let profile =
            json!({ "name": name, "servers": servers, "hidden": [], "folders": null, "project": null });
        let id = self.ask("save_profile", json!({ "id": null, "profile": profile }))["id"].clone();
        self.ask("list_profiles", json!({}));
        let file = self.ask("export_profile", json!({ "id": id }));
        self.ask("review_profile", json!({ "text": file }));
    }
}

fn secret(place: &str, name: &str, value: &str) -> Value {
    json!({ "place": place, "name": name, "value": value, "entered": false })
}

// Requirements: AUTH-42, SEC-19.
#[test]
fn the_window_is_answered_nothing_that_is_secret() {
    let home = tempfile::tempdir().unwrap();
    let mark = |kind: &str, mark: &str| (kind.to_owned(), mark.to_owned());
    let script = OAuthScript {
        rotates: true,
        id_token: Some(format!(r#"{{"iss":"$ISSUER","sub":"u-1","jti":"{ID_TOKEN}","nonce":"$NONCE"}}"#)),
        vendor: vec![mark("vendor_key", VENDOR)],
        prefixes: vec![mark("access", ACCESS), mark("refresh", REFRESH), mark("code", CODE)],
        ..OAuthScript::default()
    };
    let server = tauri::async_runtime::block_on(serve(script));
    let web = tauri::async_runtime::block_on(http::serve(http::HttpScript::json()));
    let running = TestApp::with_browser(home.path(), agreeing);
    let mut window = Transcript { running, told: Vec::new() };
    window.begin();

    let program = scripted_server_path();
    let local = window.add(&json!({
        "name": "local", "command": program, "args": ["ok"], "env": { "PLAIN": DECOY },
        "secrets": [secret("env", "SERVICE_KEY", ENV)],
    }));
    let remote = window.add(&json!({
        "name": "remote", "transport": "http", "url": web.url, "secrets": [secret("header", "X-Key", HEADER)],
    }));
    let berth = window.add(&json!({ "name": "berth", "transport": "http", "url": server.resource() }));
    window.until("a server that asks for a login", berth, &["sign_in_needed"]);
    let input = json!({
        "way": "browser", "clientId": null, "clientSecret": null, "redirect": null, "pkceUnannounced": false, "withoutResource": false,
        "another": false, "language": "en",
    });
    window.ask("begin_sign_in", json!({ "id": berth, "input": input }));
    for id in [local, remote, berth] {
        window.until("servers that work", id, &["ready", "degraded"]);
        window.call(id, DECOY);
    }
    server.expire_access_tokens();
    window.call(berth, "renewed");
    // The secrets must reach their destinations, or their absence elsewhere would prove nothing.
    assert!(web.requests().iter().any(|request| request.header("x-key") == Some(HEADER)));
    assert_eq!(server.refresh_count(), 1);
    window.read_all(&[local, remote, berth]);

    // Error messages don't contain secrets either.
    window.ask("unlock_vault", json!({ "passphrase": format!("{PASSPHRASE}!") }));
    window.ask("create_vault", json!({ "choice": { "mode": "passphrase", "passphrase": PASSPHRASE } }));
    let twice = json!({
        "name": "local", "transport": "stdio", "command": program, "args": ["ok"], "env": { "SERVICE_KEY": "x" },
        "cwd": null, "url": null, "headers": {}, "timeoutMs": null, "era": "auto",
        "secrets": [secret("env", "SERVICE_KEY", ENV)],
    });
    window.ask("update_server", json!({ "id": local, "server": twice }));
    let next = json!({ "mode": "passphrase", "passphrase": format!("{PASSPHRASE}!") });
    window.ask("rekey_vault", json!({ "choice": next }));
    let account = window.ask("list_accounts", json!({}))[0]["id"].clone();
    window.ask("refresh_account", json!({ "id": account }));
    window.ask("sign_out", json!({ "id": account }));
    window.ask("start_over_vault", json!({}));
    window.until("a value that is to be entered again", local, &["failed"]);
    window.read_all(&[local, remote, berth]);
    window.ask("stop_follow", json!({ "followId": "tail" }));
    window.listen();
    let Transcript { running, told } = window;
    running.close();

    let shown = |path: &str, name: &str| -> Vec<(String, String)> {
        let requests = server.requests_to(path).into_iter();
        let values = requests.filter_map(|request| request.parameter(name).map(str::to_owned));
        values.map(|value| (name.to_owned(), value)).collect()
    };
    let made = [shown("/token", "code_verifier"), shown("/authorize", "state")].concat();
    assert!(made.len() >= 2, "{made:?}");
    let known = [
        ("access token", ACCESS),
        ("refresh token", REFRESH),
        ("authorization code", CODE),
        ("vendor field", VENDOR),
        ("id_token", ID_TOKEN),
        ("variable", ENV),
        ("header", HEADER),
        ("passphrase", PASSPHRASE),
    ];
    let known = known.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let scanner = Scanner::new(known.into_iter().chain(made));
    let hits: Vec<String> = told
        .iter()
        .flat_map(|(place, text)| scanner.scan(place, text.as_bytes()))
        .map(|hit: Hit| hit.to_string())
        .collect();
    assert!(hits.is_empty(), "{hits:#?}");
    assert!(told.iter().any(|(at, text)| at == "answer to run_doctor" && text.contains("[passed]")));

    let decoy = Scanner::new([("decoy", DECOY)]);
    for place in [
        "answer to list_servers",
        "answer to log_page",
        "answer to log_entry",
        "answer to check_import",
        "channel",
    ] {
        let seen =
            told.iter().any(|(at, text)| at == place && !decoy.scan(place, text.as_bytes()).is_empty());
        assert!(seen, "{place}");
    }
    let (planted, missed) = scanner.self_test();
    assert!(missed.is_empty() && planted == scanner.len() * Encoding::ALL.len() * 5, "{missed:?}");
    if std::env::var_os("MOORING_FIGURES").is_some() {
        let figures = format!(
            "canaries in the window: {} secrets x {} answers, events and errors x {} encodings: {} hits; control {planted}/{planted}\n",
            scanner.len(),
            told.len(),
            Encoding::ALL.len(),
            hits.len()
        );
        std::io::Write::write_all(&mut std::io::stderr(), figures.as_bytes()).unwrap();
    }
}

impl Transcript {
    /// Makes a server ask this during a call, and accepts each question with this content. Returns the
    /// outcome of the call.
    fn ask_during_call(&mut self, id: i64, method: &str, params: &Value, yes: &[Option<Value>]) -> Value {
        let arguments = json!({ "method": method, "params": params, "quiet": true }).to_string();
        let args = json!({
            "id": id, "callId": method, "tool": "ask", "arguments": arguments, "sealed": [], "channel": channel_argument(CALL),
        });
        let window = self.running.window.clone();
        let call = std::thread::spawn(move || invoke(&window, "call_tool", args));
        for content in yes {
            self.accept_question(content.as_ref());
        }
        let ended = call.join().unwrap().unwrap_or_else(|error| error);
        self.told.push(("answer to call_tool".to_owned(), ended.to_string()));
        self.listen();
        ended
    }

    /// Accepts the waiting question, once it is complete.
    fn accept_question(&mut self, content: Option<&Value>) {
        let start = Instant::now();
        let question = loop {
            assert!(start.elapsed() < TIMEOUT, "nothing waits");
            self.listen();
            let inbox = self.ask("list_inbox", json!({}));
            let waiting = inbox["waiting"].as_array().unwrap().first().cloned();
            match waiting.filter(|waiting| waiting["question"]["streaming"] != true) {
                Some(waiting) => break waiting,
                None => std::thread::sleep(Duration::from_millis(20)),
            }
        };
        let id = &question["id"];
        let opening = self.ask("open_interaction", json!({ "id": id }));
        if let Some(content) = content {
            self.ask("save_draft", json!({ "id": id, "draft": content.to_string() }));
            self.ask("check_form", json!({ "id": id, "content": content.to_string() }));
            let odd = json!({ "id": id, "content": json!({ "password": 5, "other": ENTERED }).to_string() });
            self.ask("check_form", odd);
            self.ask("list_inbox", json!({}));
        }
        let answered = |action: &str| {
            let answer = json!({
                "action": action, "content": content.map(Value::to_string), "remember": "once",
            });
            loop {
                assert!(start.elapsed() < TIMEOUT, "{question}");
                let args = json!({ "id": id, "nonce": opening["nonce"], "answer": answer });
                match self.running.invoke("answer_interaction", args) {
                    Err(error) if error["code"] == "too_early" => {
                        std::thread::sleep(Duration::from_millis(20));
                    }
                    told => return told,
                }
            }
        };
        let mut told = vec![answered("accept")];
        // A model's failed answer can't be accepted, so the server gets a refusal.
        if told[0].is_err() {
            told.push(answered("decline"));
            assert!(told[1].is_ok(), "{told:?}");
        }
        for told in told {
            let told = told.unwrap_or_else(|error| error);
            self.told.push(("answer to answer_interaction".to_owned(), told.to_string()));
        }
    }
}

fn provider(url: &str, key: Option<&str>) -> Value {
    let model = json!({
        "id": "m", "inputPrice": null, "outputPrice": null, "images": false, "audio": false, "tools": true,
        "cheap": 0, "fast": 0, "capable": 0,
    });
    json!({ "name": "harbour", "kind": "openai", "baseUrl": url, "key": key, "forgetKey": false, "models": [model] })
}

// Requirements: ELIC-20, SAMP-15, SEC-19, SEC-21.
#[test]
fn provider_key_and_entered_secrets_never_reach_the_window() {
    let home = tempfile::tempdir().unwrap();
    let mut window = Transcript { running: TestApp::at(home.path()), told: Vec::new() };
    use tauri::async_runtime::block_on;
    let elsewhere = block_on(FakeProvider::new(&[ProviderReply::Status(200, &[], String::new())]));
    let replay =
        |head: &str, body: &Value| ProviderReply::Replay(format!("HTTP/1.1 {head}\n\n{body}").into_bytes());
    let refused = |key: &str| {
        let head = format!("401 No\nx-key: {key}\nwww-authenticate: Bearer {key}");
        replay(&head, &json!({ "error": { "message": format!("Incorrect API key provided: {key}") } }))
    };
    let away = replay(&format!("307 No\nlocation: {}/x", elsewhere.url), &Value::Null);
    let spoken = |text: &str| {
        let choice = json!({ "delta": { "content": text }, "finish_reason": "stop" });
        ProviderReply::Stream(
            EVENTS,
            format!("data: {}\n\ndata: [DONE]\n\n", json!({ "choices": [choice] })).into_bytes(),
        )
    };
    let listed = replay("200 OK", &json!({ "data": [{ "id": KEY }, { "id": DECOY }] }));
    let fake = block_on(FakeProvider::new(&[listed]));
    let url = fake.url.clone();

    window.begin();
    let program = scripted_server_path();
    let id = window.add(&json!({ "name": "asker", "command": program, "args": ["ok"] }));
    let before = window.until("a server", id, &["ready", "degraded"]);
    let policy = json!({
        "server": id, "enabled": true, "requestsPerMinute": null, "tokensPerDay": null, "costPerDay": null,
    });
    window.ask("set_sampling", json!({ "policy": policy }));
    // A server of the session era learns of it when it restarts.
    window.until_that("a server that may ask", id, |server| {
        server["state"] == "ready" && server["pid"].is_i64() && server["pid"] != before["pid"]
    });

    // The key is entered, tested, refused and changed.
    let check = window.ask("check_provider", json!({ "id": null, "provider": provider(&url, Some(KEY)) }));
    assert_eq!(check["models"].as_array().unwrap().len(), 2, "{check}");
    let saved = window.ask("save_provider", json!({ "id": null, "provider": provider(&url, Some(KEY)) }));
    assert_eq!(saved["hasKey"], true, "{saved}");
    let row = &saved["id"];
    for says in [refused(KEY), away.clone()] {
        fake.set_replies(&[says]);
        window.ask("check_provider", json!({ "id": row, "provider": provider(&url, None) }));
        window.ask("list_models", json!({}));
    }
    for bad in [provider(&url, Some(&format!("{KEY}\nb"))), provider("http://example.org", Some(KEY)), {
        let mut bad = provider(&url, Some(KEY));
        bad["models"][0]["inputPrice"] = "dear".into();
        bad
    }] {
        let told = window.ask("save_provider", json!({ "id": row, "provider": bad }));
        assert!(told["code"].is_string(), "{told}");
    }

    let asked = json!({
        "messages": [{ "role": "user", "content": { "type": "text", "text": DECOY } }], "maxTokens": 100,
    });
    let says = [refused(KEY), away, spoken(&format!("The key is {KEY}.")), spoken("Paris")];
    for says in says {
        fake.set_replies(&[says]);
        window.ask_during_call(id, "sampling/createMessage", &asked, &[None, None]);
        assert_eq!(fake.last_request().header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    }
    assert!(elsewhere.requests().is_empty());
    let changed =
        window.ask("save_provider", json!({ "id": row, "provider": provider(&url, Some(NEXT_KEY)) }));
    assert_eq!(changed["hasKey"], true, "{changed}");
    fake.set_replies(&[refused(NEXT_KEY)]);
    window.ask_during_call(id, "sampling/createMessage", &asked, &[None, None]);
    assert_eq!(fake.last_request().header("authorization"), Some(format!("Bearer {NEXT_KEY}").as_str()));

    // A form that asks for secrets.
    let fields = json!({
        "name": { "type": "string" },
        "password": { "type": "string" },
        "door": { "type": "string", "title": "Your PIN" },
    });
    let form = json!({ "message": "Who?", "requestedSchema": { "type": "object", "properties": fields } });
    let entered = json!({ "name": DECOY, "password": ENTERED, "door": PIN });
    let ended = window.ask_during_call(id, "elicitation/create", &form, &[Some(entered.clone())]);
    let result: Value = serde_json::from_str(ended["result"].as_str().unwrap_or_default())
        .unwrap_or_else(|_| ended["result"].clone());
    let told: Value =
        serde_json::from_str(result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{ended}")))
            .unwrap();
    // The server received the values as entered.
    assert_eq!(told, json!({ "action": "accept", "bytes": entered.to_string().len() }));

    // A server that learned the keys in some other way and returns them, while they are in use, changed and
    // removed.
    for _ in 0..2 {
        for key in [KEY, NEXT_KEY] {
            let args = json!({
                "id": id, "callId": "leak", "tool": "echo", "arguments": json!({ "text": key }).to_string(), "sealed": [],
                "channel": channel_argument(CALL),
            });
            // The person may see what a server says. Only the saved data is searched.
            assert_eq!(window.running.invoke("call_tool", args).unwrap()["status"], "ok");
        }
        window.running.every_message();
        window.ask("remove_provider", json!({ "id": row }));
    }
    window.ask("check_provider", json!({ "id": row, "provider": provider(&url, None) }));
    window.ask("list_models", json!({}));
    window.ask("list_decisions", json!({ "limit": 100 }));
    window.read_all(&[id]);
    window.ask("stop_follow", json!({ "followId": "tail" }));
    window.listen();
    let Transcript { running, told } = window;
    running.close();

    let known = [
        ("key", KEY),
        ("next key", NEXT_KEY),
        ("entered", ENTERED),
        ("pin", PIN),
        ("passphrase", PASSPHRASE),
    ];
    let scanner = Scanner::new(known);
    let hits: Vec<String> = told
        .iter()
        .flat_map(|(place, text)| scanner.scan(place, text.as_bytes()))
        .chain(scanner.scan_folder("profile", home.path()).0)
        .map(|hit: Hit| hit.to_string())
        .collect();
    assert!(hits.is_empty(), "{hits:#?}");
    let decoy = Scanner::new([("decoy", DECOY)]);
    for place in ["answer to list_inbox", "answer to check_provider", "answer to log_entry", "channel"] {
        let seen =
            told.iter().any(|(at, text)| at == place && !decoy.scan(place, text.as_bytes()).is_empty());
        assert!(seen, "{place}");
    }
    let (planted, missed) = scanner.self_test();
    assert!(missed.is_empty() && planted == scanner.len() * Encoding::ALL.len() * 5, "{missed:?}");
}
