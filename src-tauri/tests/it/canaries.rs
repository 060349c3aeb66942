//! Secrets go through everything that the window may ask for, and are looked for in everything that it is answered.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mooring_host::{AuthorizationUrl, Browser, BrowserFuture, SignInError, say};
use mooring_testkit::canary::{Encoding, Hit, Scanner};
use mooring_testkit::oauth::{Script, follow, serve};
use mooring_testkit::{http, scripted_server_path};
use serde_json::{Value, json};

use crate::support::{Running, channel_argument};

const HOST: u32 = 1;
const CALL: u32 = 2;
const TAIL: u32 = 3;
/// Longer than anything here takes on a busy machine.
const AMPLE: Duration = Duration::from_mins(1);

/// What stands in plain sight on purpose, to see that each answer is looked at.
const DECOY: &str = "decoy-5b/d0+91c7-e2f4";
const ACCESS: &str = "canary-access-3d/9e+71.a04c~55";
const REFRESH: &str = "canary-refresh-8b/11+f6.29d0~77";
const CODE: &str = "canary-code-0c/5a+d8.e471~13";
const VENDOR: &str = "canary-vendor-a9/6\"2 f+0c88";
const ID_TOKEN: &str = "canary-id-token-41d7e09cb3f2";
const ENV: &str = "canary-env-d2/7+\"4 ü 81c0e5";
const HEADER: &str = "canary-header-f0/93+ab 5c\"1d7";
const PASSPHRASE: &str = "canary passphrase 9\"5/e+3 b07d";

/// A person who agrees at once.
struct Agreeing;

impl Browser for Agreeing {
    fn open<'a>(&'a self, url: &'a AuthorizationUrl) -> BrowserFuture<'a> {
        Box::pin(async move {
            let page = follow(url.as_url().as_str()).await;
            page.map(|_| ())
                .map_err(|error| SignInError::Ended(say!("no page: {why}", why = error.to_string())))
        })
    }
}

fn agreeing() -> Arc<dyn Browser> {
    Arc::new(Agreeing)
}

/// Everything that the window was answered, by what it had asked.
struct Answers {
    running: Running,
    told: Vec<(String, String)>,
}

impl Answers {
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

    fn until(&mut self, what: &str, id: i64, states: &[&str]) {
        let start = Instant::now();
        loop {
            let servers = self.ask("list_servers", json!({}));
            let server = servers.as_array().unwrap().iter().find(|server| server["id"] == id).unwrap();
            if states.iter().any(|state| server["state"] == *state) {
                return;
            }
            assert!(start.elapsed() < AMPLE, "{what}: {server}");
            self.listen();
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Takes in what has come through the channels so far.
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
            "id": id, "callId": text, "tool": "echo", "arguments": json!({ "text": text }).to_string(),
            "channel": channel_argument(CALL),
        });
        assert_eq!(self.ask("call_tool", args)["status"], "ok");
        self.listen();
    }

    /// Every command that reads, for every server and every row.
    fn read_all(&mut self, servers: &[i64]) {
        for command in [
            "app_info",
            "get_settings",
            "list_servers",
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
            for command in ["list_subscriptions", "list_tasks", "get_sign_in"] {
                self.ask(command, json!({ "id": id }));
            }
        }
        let import = json!({ "mcpServers": { "new": { "command": DECOY, "env": { "A_TOKEN": "x" } } } });
        self.ask("check_import", json!({ "text": import.to_string() }));
        self.ask("check_command", json!({ "command": DECOY }));
        let filter = json!({ "source": null, "direction": null, "method": null, "kinds": [], "text": null });
        let page =
            self.ask("log_page", json!({ "filter": filter, "before": null, "after": null, "limit": 500 }));
        for row in page["rows"].as_array().unwrap().clone() {
            self.ask("log_entry", json!({ "id": row["id"] }));
        }
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
    let script = Script {
        rotates: true,
        id_token: Some(format!(r#"{{"iss":"$ISSUER","sub":"u-1","jti":"{ID_TOKEN}","nonce":"$NONCE"}}"#)),
        vendor: vec![mark("vendor_key", VENDOR)],
        marks: vec![mark("access", ACCESS), mark("refresh", REFRESH), mark("code", CODE)],
        ..Script::default()
    };
    let server = tauri::async_runtime::block_on(serve(script));
    let web = tauri::async_runtime::block_on(http::serve(http::Script::json()));
    let running = Running::with_browser(home.path(), agreeing);
    let mut window = Answers { running, told: Vec::new() };
    window.ask("watch_host", json!({ "channel": channel_argument(HOST) }));
    let filter = json!({ "source": null, "direction": null, "method": null, "kinds": [], "text": null });
    let args = json!({ "filter": filter, "followId": "tail", "channel": channel_argument(TAIL) });
    window.ask("follow_log", args);
    window.ask("create_vault", json!({ "choice": { "mode": "passphrase", "passphrase": PASSPHRASE } }));

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
        "way": "browser", "clientId": null, "clientSecret": null, "redirect": null, "pkceUnannounced": false,
        "another": false, "language": "en",
    });
    window.ask("begin_sign_in", json!({ "id": berth, "input": input }));
    for id in [local, remote, berth] {
        window.until("servers that work", id, &["ready", "degraded"]);
        window.call(id, DECOY);
    }
    server.expire();
    window.call(berth, "renewed");
    // They reach whom they are for, or their absence elsewhere means nothing.
    assert!(web.requests().iter().any(|request| request.header("x-key") == Some(HEADER)));
    assert_eq!(server.refreshed(), 1);
    window.read_all(&[local, remote, berth]);

    // What goes wrong is told without it as well.
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
    let Answers { running, told } = window;
    running.close();

    let shown = |path: &str, name: &str| -> Vec<(String, String)> {
        let requests = server.received(path).into_iter();
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
    let (planted, missed) = scanner.control();
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
