//! `mooring login`, `logout` and `accounts`, with a real keyring daemon on a bus of its own.

#![cfg(target_os = "linux")]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use mooring_testkit::oauth::{OAuthReply, OAuthScript, follow_redirects, redirected, serve};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{CommandOutput, TestHome};

/// Longer than anything here takes on a busy machine.
const AMPLE: Duration = Duration::from_mins(1);

/// A session bus with an unlocked keyring, and what programs need to know to find it.
pub(crate) struct Keyring {
    processes: Vec<Child>,
    address: String,
    home: TempDir,
}

impl Keyring {
    pub(crate) fn start() -> Self {
        let config = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/e2e/bus.conf");
        let mut bus = program("dbus-daemon");
        bus.arg(format!("--config-file={}", config.display())).args(["--nofork", "--print-address=1"]);
        let mut bus = bus.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut address = String::new();
        BufReader::new(bus.stdout.take().unwrap()).read_line(&mut address).unwrap();
        let home = tempfile::tempdir().unwrap();
        let mut keyring = Self { processes: vec![bus], address: address.trim().to_owned(), home };
        let mut daemon = program("gnome-keyring-daemon");
        keyring.configure(&mut daemon);
        daemon.args(["--foreground", "--unlock", "--components=secrets"]).stdin(Stdio::piped());
        let mut daemon = daemon.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        daemon.stdin.take().unwrap().write_all(b"a password").unwrap();
        keyring.processes.push(daemon);
        let deadline = Instant::now() + AMPLE;
        while !keyring.is_there() {
            assert!(Instant::now() < deadline, "no keyring");
            std::thread::sleep(Duration::from_millis(20));
        }
        keyring
    }

    /// Where it keeps its files.
    pub(crate) fn home(&self) -> &std::path::Path {
        self.home.path()
    }

    /// Shows a program the way to this keyring, and to no other.
    pub(crate) fn configure(&self, command: &mut Command) {
        command
            .env("DBUS_SESSION_BUS_ADDRESS", &self.address)
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY");
        for name in ["XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "HOME"] {
            command.env(name, self.home.path());
        }
    }

    fn is_there(&self) -> bool {
        let mut asked = program("dbus-send");
        self.configure(&mut asked);
        asked.args(["--session", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus"]);
        asked.args(["org.freedesktop.DBus.NameHasOwner", "string:org.freedesktop.secrets"]);
        String::from_utf8_lossy(&asked.output().unwrap().stdout).contains("true")
    }

    pub(crate) fn run(&self, place: &TestHome, words: &[&str]) -> CommandOutput {
        let mut command = place.command(words);
        self.configure(&mut command);
        command.output().unwrap().into()
    }
}

impl Drop for Keyring {
    fn drop(&mut self) {
        for process in &mut self.processes {
            let _ended = process.kill();
            let _reaped = process.wait();
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the test's own processes, none of them a server")]
fn program(name: &str) -> Command {
    Command::new(name)
}

fn result(ran: &CommandOutput) -> Value {
    assert_eq!(ran.exit, 0, "{ran:?}");
    serde_json::from_str::<Value>(&ran.out).unwrap()["result"].clone()
}

/// Signs in and plays the browser; the login in JSON.
async fn signed_in(keyring: &Keyring, place: &TestHome, words: &[&str]) -> Value {
    let mut login = place.command(&[&["login", "--no-browser", "--json"], words].concat());
    keyring.configure(&mut login);
    let mut login = login.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(login.stderr.take().unwrap()).lines();
    let address = told.find_map(|line| {
        let line = line.unwrap();
        line.trim().starts_with("http").then(|| line.trim().to_owned())
    });
    follow_redirects(&address.unwrap()).await.unwrap();
    let mut out = String::new();
    login.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    let steps: Vec<String> = told.map(Result::unwrap).collect();
    assert!(login.wait().unwrap().success(), "{steps:?}");
    serde_json::from_str::<Value>(&out).unwrap()["result"].clone()
}

// Requirements: AUTH-42, AUTH-43, AUTH-44.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sign_in_without_a_browser_calls_a_tool_and_signs_out() {
    let keyring = Keyring::start();
    let place = TestHome::new();
    let server = serve(OAuthScript { rotates: true, ..OAuthScript::default() }).await;
    let url = server.resource();

    let refused = keyring.run(&place, &["call", "echo", r#"{"text":"x"}"#, "--url", &url]);
    assert_eq!(refused.exit, 6, "{refused:?}");
    assert!(refused.err.contains("mooring login"), "{refused:?}");

    let account = signed_in(&keyring, &place, &["--url", &url]).await;
    assert_eq!((&account["issuer"], &account["state"]), (&server.issuer().into(), &"active".into()));

    let called = keyring.run(&place, &["call", "echo", r#"{"text":"x"}"#, "--url", &url, "--json"]);
    assert_eq!(called.exit, 0, "{called:?}");
    server.expire_access_tokens();
    let called = keyring.run(&place, &["call", "echo", r#"{"text":"x"}"#, "--url", &url, "--json"]);
    assert_eq!(called.exit, 0, "{called:?}");
    assert_eq!((server.refresh_count(), server.reused_count()), (1, 0));

    let accounts = result(&keyring.run(&place, &["accounts", "--json"]));
    assert_eq!(accounts.as_array().map(Vec::len), Some(1));
    assert!(keyring.run(&place, &["accounts"]).out.contains(&url));
    let id = accounts[0]["id"].to_string();
    let renewed = result(&keyring.run(&place, &["accounts", "--refresh", &id, "--json"]));
    assert_eq!((&renewed["id"], server.refresh_count()), (&accounts[0]["id"], 2));
    let forgotten = keyring.run(&place, &["accounts", "--forget", &id]);
    assert!(forgotten.exit == 2 && forgotten.err.contains("Sign out first"), "{forgotten:?}");
    let out = result(&keyring.run(&place, &["logout", &id, "--json"]));
    assert_eq!((&out["revoked"], &out["problem"]), (&true.into(), &Value::Null));
    assert!(!server.revoked_tokens().is_empty());
    assert_eq!(result(&keyring.run(&place, &["logout", "--all", "--json"])), Value::Array(Vec::new()));
    assert_eq!(result(&keyring.run(&place, &["accounts", "--json"])), Value::Array(Vec::new()));
    assert_eq!(keyring.run(&place, &["tools", "--url", &url]).exit, 6);
    assert_eq!(keyring.run(&place, &["logout", &id]).exit, 2);
}

// Requirements: AUTH-36.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_login_asks_for_what_the_last_call_was_refused_for() {
    let keyring = Keyring::start();
    let place = TestHome::new();
    let server = serve(OAuthScript::default()).await;
    let url = server.resource();
    signed_in(&keyring, &place, &["--url", &url, "--scope", "read"]).await;
    let challenge = r#"Bearer error="insufficient_scope", scope="write""#.to_owned();
    let headers = vec![("www-authenticate".to_owned(), challenge)];
    server.reply_once("/mcp", OAuthReply::Raw { status: 403, headers, body: String::new() });
    let refused = keyring.run(&place, &["tools", "--url", &url, "--json"]);
    assert_eq!(refused.exit, 6, "{refused:?}");
    assert!(refused.json()["error"]["message"].as_str().unwrap().ends_with(": write"), "{refused:?}");
    let account = signed_in(&keyring, &place, &["--url", &url]).await;
    assert_eq!(account["scopes_asked"], serde_json::json!(["read", "write"]));
}

// Requirements: SEC-19.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_account_is_chosen_for_a_command_and_told() {
    let keyring = Keyring::start();
    let place = TestHome::new();
    let server = serve(OAuthScript::default()).await;
    let url = server.resource();
    let first = signed_in(&keyring, &place, &["--url", &url]).await["id"].to_string();
    let alone = keyring.run(&place, &["tools", "--url", &url]);
    assert!(alone.exit == 0 && !alone.err.contains("login"), "{alone:?}");
    let second = signed_in(&keyring, &place, &["--url", &url, "--another"]).await["id"].to_string();
    for id in [&first, &second] {
        let ran = keyring.run(&place, &["tools", "--url", &url, "--account", id]);
        assert!(
            ran.exit == 0 && ran.err.contains(&format!("Signed in as account {id} (login {id}).")),
            "{ran:?}"
        );
    }
    let ran = keyring.run(&place, &["tools", "--url", &url]);
    assert!(ran.exit == 0 && ran.err.contains("as account "), "{ran:?}");
    let ran = keyring.run(&place, &["tools", "--url", &url, "--account", "999", "--json"]);
    assert_eq!(ran.error(), (2, "no_such_login".to_owned()), "{ran:?}");
    let by_hand = ["tools", "--url", &url, "--header", "Authorization: Bearer wrong", "--json"];
    let ran = keyring.run(&place, &by_hand);
    assert_eq!(ran.exit, 6, "{ran:?}");
    assert!(ran.json()["error"]["next"].as_str().unwrap().contains("Authorization header"), "{ran:?}");
    let ran = keyring.run(&place, &[&by_hand[..], &["--account", &first]].concat());
    assert_eq!(ran.error(), (2, "usage".to_owned()), "{ran:?}");
}

// Requirements: AUTH-15, AUTH-23, AUTH-26.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sign_in_that_stops_names_the_option_that_lets_it_go_on() {
    const METADATA: &str = "/.well-known/oauth-authorization-server";
    let keyring = Keyring::start();
    let place = TestHome::new();
    let server = serve(OAuthScript::default()).await;
    let url = server.resource();
    let without = |field: &str| {
        let mut metadata = server.metadata();
        metadata.as_object_mut().unwrap().remove(field);
        server.reply_always(METADATA, 200, &[("content-type", "application/json")], &metadata.to_string());
    };
    let next = |ran: &CommandOutput| ran.json()["error"]["next"].as_str().unwrap_or_default().to_owned();
    without("code_challenge_methods_supported");
    let ran = keyring.run(&place, &["login", "--url", &url, "--no-browser", "--json"]);
    assert!(ran.exit == 3 && next(&ran).contains("--allow-silent-pkce"), "{ran:?}");
    assert!(server.requests_to("/register").is_empty());
    signed_in(&keyring, &place, &["--url", &url, "--allow-silent-pkce"]).await;

    without("registration_endpoint");
    let ran = keyring.run(
        &place,
        &["login", "--url", &url, "--another", "--client-id", "mine", "--redirect", "https://x/"],
    );
    assert_eq!(ran.exit, 2, "{ran:?}");
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let redirect = format!("http://localhost:{port}/callback");
    signed_in(&keyring, &place, &["--url", &url, "--client-id", "mine", "--redirect", &redirect]).await;
    let asked = server.requests_to("/authorize");
    assert_eq!(asked.last().unwrap().parameter("redirect_uri"), Some(redirect.as_str()));
}

// Requirements: SEC-16.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn url_is_passed_to_the_browser_as_one_argument_without_a_shell() {
    use std::os::unix::fs::PermissionsExt as _;
    let keyring = Keyring::start();
    let place = TestHome::new();
    let server = serve(OAuthScript::default()).await;
    let (bin, opened) = (place.folder().join("bin"), place.folder().join("opened"));
    std::fs::create_dir(&bin).unwrap();
    // The one program that opens addresses here, and the only one that is found at all.
    let browser = bin.join("xdg-open");
    std::fs::write(
        &browser,
        format!("#!/bin/sh\nprintf '%s\\n' \"$#\" \"$@\" end > '{}'\n", opened.display()),
    )
    .unwrap();
    std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut login = place.command(&["login", "--url", &server.resource(), "--json"]);
    keyring.configure(&mut login);
    let mut login = login.env("PATH", &bin).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let deadline = Instant::now() + AMPLE;
    let told = loop {
        let told = std::fs::read_to_string(&opened).unwrap_or_default();
        if told.ends_with("end\n") {
            break told;
        }
        assert!(Instant::now() < deadline, "nothing was opened");
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!((lines.len(), lines[0]), (3, "1"), "{told}");
    // With what a shell would have taken apart.
    assert!(lines[1].starts_with(&server.issuer()) && lines[1].matches('&').count() >= 4, "{told}");
    follow_redirects(lines[1]).await.unwrap();
    let mut out = String::new();
    login.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert!(login.wait().unwrap().success(), "{out}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_browser_ends_at_the_port_that_is_forwarded() {
    let keyring = Keyring::start();
    let place = TestHome::new();
    let server = serve(OAuthScript::default()).await;
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port().to_string();
    let taken = keyring.run(&place, &["login", &server.resource(), "--print-url", "--port", &port]);
    assert!(
        taken.exit != 0 && taken.err.contains(&format!("the redirect port {port} isn’t available")),
        "{taken:?}"
    );
    drop(free);
    // The second time its client is registered already, at that port.
    for _ in 0..2 {
        let mut login = place.command(&["login", &server.resource(), "--print-url", "--port", &port]);
        keyring.configure(&mut login);
        let mut login = login.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut told = BufReader::new(login.stderr.take().unwrap()).lines().map(Result::unwrap);
        let address = told.find(|line| line.starts_with("http")).unwrap();
        let last = redirected(&address).await.unwrap().unwrap();
        assert!(last.starts_with(&format!("http://127.0.0.1:{port}/")), "{last}");
        redirected(&last).await.unwrap();
        assert!(login.wait().unwrap().success());
    }
    for wrong in [&["--port", "0"][..], &["--port", "70000"], &["--port", "x"]] {
        let ran = place.run(&[&["login", &server.resource()], wrong].concat());
        assert_eq!((ran.exit, &*ran.out), (2, ""), "{wrong:?}: {ran:?}");
    }
}

// As over SSH: the browser on the other computer ends at a page that it can't open.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_url_of_another_computers_browser_can_be_pasted() {
    let keyring = Keyring::start();
    let place = TestHome::new();
    let server = serve(OAuthScript::default()).await;
    let mut login = place.command(&["login", &server.resource(), "--print-url", "--json"]);
    keyring.configure(&mut login);
    login.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut login = login.spawn().unwrap();
    let mut told = BufReader::new(login.stderr.take().unwrap()).lines().map(Result::unwrap);
    let address = told.find(|line| line.starts_with("http")).unwrap();
    let last = redirected(&address).await.unwrap().unwrap();
    let mut typed = login.stdin.take().unwrap();
    let (bare, query) = last.split_once('?').unwrap();
    for wrong in ["hello", "http://127.0.0.1:1/callback?code=x", bare, &last.replace("http://", "https://")] {
        writeln!(typed, "{wrong}").unwrap();
        let said = told.find(|line| line.contains("isn’t where the sign-in ends")).unwrap();
        assert!(said.contains(bare), "{wrong}: {said}");
    }
    // An answer to another question is passed over by the sign-in itself.
    let state = query.split('&').find(|pair| pair.starts_with("state=")).unwrap();
    writeln!(typed, "{}", last.replace(state, "state=other")).unwrap();
    writeln!(typed, "{last}").unwrap();
    let mut out = String::new();
    login.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert!(login.wait().unwrap().success(), "{out}");
    let account = serde_json::from_str::<Value>(&out).unwrap()["result"].clone();
    assert_eq!(account["state"], "active", "{out}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sign_in_without_a_keychain_sends_nothing_and_says_why() {
    let place = TestHome::new();
    let server = serve(OAuthScript::default()).await;
    let mut login = place.command(&["login", "--url", &server.resource(), "--no-browser"]);
    login.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere").env("XDG_RUNTIME_DIR", place.folder());
    let ran: CommandOutput = login.output().unwrap().into();
    // As `mooring vault` does.
    assert_eq!(ran.exit, 7, "{ran:?}");
    assert!(ran.err.contains("keychain") || ran.err.contains("keyring"), "{ran:?}");
    // And what to do about it.
    assert!(ran.err.contains("mooring vault rekey --to passphrase"), "{ran:?}");
    assert!(server.requests_to("/register").is_empty() && server.requests_to("/authorize").is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn empty_file_is_no_client_secret() {
    let place = TestHome::new();
    let server = serve(OAuthScript::default()).await;
    let words = ["login", "--url", &server.resource(), "--client-id", "mine", "--no-browser", "--json"];
    for (name, text) in [("empty", ""), ("blank", " \n\n")] {
        std::fs::write(place.folder().join(name), text).unwrap();
        let ran = place.run(&[&words[..], &["--client-secret-file", name]].concat());
        assert_eq!(ran.error(), (2, "usage".to_owned()), "{ran:?}");
        assert_eq!(ran.json()["error"]["message"], format!("empty: {name}"));
    }
    let ran = place.run(&[&words[..], &["--client-secret-file", "missing"]].concat());
    assert_eq!(ran.error(), (2, "usage".to_owned()), "{ran:?}");
    assert!(server.requests_to("/register").is_empty() && server.requests_to("/authorize").is_empty());
}
