//! `mooring serve`: only one of several services serves, and it gives way to a window.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::ops::RangeFrom;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use mooring_errors::ErrorCode;
use mooring_host::{Host, HostOptions};
use mooring_testkit::{eventually, scripted_server_path};
use serde_json::{Value, json};

use crate::support::{CommandOutput, TestHome};

/// Longer than anything here takes, even on a busy machine.
pub(crate) const LIMIT: Duration = Duration::from_mins(1);

pub(crate) fn spawn(place: &TestHome, words: &[&str]) -> Child {
    spawned(place.command(words))
}

fn spawned(mut command: Command) -> Child {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// An app at its bridge.
pub(crate) struct App {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl App {
    pub(crate) fn start(place: &TestHome) -> Self {
        Self::start_with(place, &[])
    }

    /// Starts the app's bridge with additional variables.
    pub(crate) fn start_with(place: &TestHome, variables: &[(&str, String)]) -> Self {
        let home = place.home();
        let mut command = place.command(&["bridge", "--app", "test", "--home", home.to_str().unwrap()]);
        // The data folder is an argument, because apps don't pass on the variable.
        command.env_remove("MOORING_HOME").envs(variables.iter().map(|(name, value)| (name, value)));
        let mut child = spawned(command);
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, to, from }
    }

    fn ping(&mut self, id: u32) {
        writeln!(self.to, "{}", json!({"jsonrpc": "2.0", "id": id, "method": "ping"})).unwrap();
    }

    /// Reads the answer to a ping.
    fn hear(&mut self, id: u32) {
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(answer, json!({"jsonrpc": "2.0", "id": id, "result": {}}));
    }

    /// Sends a request and returns its result. Notifications are skipped.
    pub(crate) fn ask(&mut self, id: u32, method: &str, params: &Value) -> Value {
        writeln!(self.to, "{}", json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
            .unwrap();
        loop {
            let mut line = String::new();
            self.from.read_line(&mut line).unwrap();
            let message: Value =
                serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
            if message["id"] == id {
                return message["result"].clone();
            }
        }
    }

    /// Lists the tools until each of these two is there or missing as expected.
    pub(crate) fn until_seen(&mut self, ids: &mut RangeFrom<u32>, echo: bool, add: bool) {
        let until = Instant::now() + LIMIT;
        loop {
            let listed = self.ask(ids.next().unwrap(), "tools/list", &json!({}));
            let has =
                |name: &str| listed["tools"].as_array().unwrap().iter().any(|tool| tool["name"] == name);
            if (has("mine__echo"), has("mine__add")) == (echo, add) {
                return;
            }
            assert!(Instant::now() < until, "{listed}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    pub(crate) fn close(self) {
        drop(self.to);
        assert!(self.child.wait_with_output().unwrap().status.success());
    }
}

fn ended(child: Child) -> CommandOutput {
    child.wait_with_output().unwrap().into()
}

/// A window's host on the same data folder.
async fn window(place: &TestHome) -> Host {
    let options = HostOptions { supervise: true, has_person: true, ..place.options() };
    let until = Instant::now() + LIMIT;
    loop {
        mooring_gateway::take_over(&place.home()).await;
        match Host::open(options.clone()).await {
            Ok(host) => return host,
            // A service that an app has just started may have been faster. It is asked to give way once it
            // listens.
            Err(error) if error.code() == ErrorCode::AlreadyOpen && Instant::now() < until => {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            Err(error) => panic!("{error:?}"),
        }
    }
}

#[tokio::test]
async fn of_many_services_one_serves_until_a_window_wants_the_folder() {
    let place = TestHome::new();
    let mut services: Vec<_> = (0..5).map(|_| spawn(&place, &["serve"])).collect();
    let mut refused = Vec::new();
    let one_is_left = || {
        let has_ended = |child: &mut Child| child.try_wait().unwrap().is_some();
        refused.extend(services.extract_if(.., has_ended));
        services.len() == 1
    };
    eventually("one service is left", LIMIT, one_is_left).await;
    for output in refused.into_iter().map(ended) {
        assert_ne!(output.exit, 0, "{output:?}");
        assert!(output.err.contains("Apps can use the servers already."), "{output:?}");
    }
    let mut app = App::start(&place);
    app.ping(1);
    app.hear(1);

    let host = window(&place).await;
    let output = ended(services.remove(0));
    assert_eq!(output.exit, 0, "{output:?}");
    assert!(output.err.contains("window goes on with the servers"), "{output:?}");
    // Next to a window, no service starts.
    let output = place.run(&["serve"]);
    assert_ne!(output.exit, 0, "{output:?}");
    assert!(output.err.contains("Apps can use the servers already."), "{output:?}");
    host.shutdown().await;
    app.close();
}

#[tokio::test]
async fn what_is_set_up_at_a_terminal_reaches_a_running_app() {
    let place = TestHome::new();
    let server = scripted_server_path().display().to_string();
    place.run(&["add", "mine", "--", &server, "ok"]).ok();
    let (mut app, mut ids) = (App::start_with(&place, &[("MOORING_APP_KEY", place.app_key("test"))]), 1..);
    let opening = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    app.ask(ids.next().unwrap(), "initialize", &opening);
    app.until_seen(&mut ids, false, false);
    place.run(&["trust", "mine", "--approve", "--yes"]).ok();
    app.until_seen(&mut ids, true, true);

    let mut call = |app: &mut App| {
        let params = json!({"name": "mine__echo", "arguments": {"text": "x"}});
        app.ask(ids.next().unwrap(), "tools/call", &params)
    };
    // There is no terminal to ask on.
    assert_eq!(call(&mut app)["isError"], true);
    let set = |settings: &[&str]| place.run(&[&["apps", "set", "test"], settings].concat()).ok().out;
    let shown = set(&["--level", "app-asks", "--prompts", "off"]);
    assert!(shown.contains("the app asks") && shown.contains("all prompts"), "{shown}");
    let until = Instant::now() + LIMIT;
    while call(&mut app)["content"][0]["text"] != "x" {
        assert!(Instant::now() < until, "it is not allowed");
        std::thread::sleep(Duration::from_millis(50));
    }
    set(&["--off", "mine:echo"]);
    app.until_seen(&mut ids, false, true);
    set(&["--off", "mine", "--on", "mine:echo"]);
    app.until_seen(&mut ids, false, false);
    set(&["--on", "mine", "--tool-list", "search", "--pin", "mine:echo"]);
    app.until_seen(&mut ids, true, false);
    app.close();
    mooring_gateway::take_over(&place.home()).await;
}

/// Variables that an app may have set for itself or to attack others.
const VARIABLES_OF_AN_APP: [&str; 34] = [
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "PIP_CERT",
    "CURL_CA_BUNDLE",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "BASH_ENV",
    "ENV",
    "ZDOTDIR",
    "NODE_OPTIONS",
    "PYTHONPATH",
    "PYTHONHOME",
    "PERL5LIB",
    "GIT_CONFIG_GLOBAL",
    "npm_config_registry",
    "UV_INDEX_URL",
    "APPDIR",
    "APPIMAGE",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_DATA_DIRS",
    "RUST_LOG",
    "GITHUB_TOKEN",
    "MOORING_PROCESS_TREE",
    "SSH_AUTH_SOCK",
];

#[tokio::test]
async fn a_service_has_nothing_of_the_app_that_starts_it() {
    let place = TestHome::new();
    let server = scripted_server_path().display().to_string();
    place.run(&["add", "mine", "--", &server, "ok"]).ok();
    place.run(&["trust", "mine", "--approve", "--yes"]).ok();
    // A program from the app's PATH would leave a file there.
    let evil = place.folder().join("evil");
    let (program, ran) = (evil.join("sh"), place.folder().join("ran"));
    std::fs::create_dir(&evil).unwrap();
    let touch = format!("#!/bin/sh\n: > {}\n", ran.display());
    for name in ["sh", "bash", ".profile", ".bash_profile", ".bashrc", ".zshenv"] {
        std::fs::write(evil.join(name), &touch).unwrap();
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(evil.join(name), executable).unwrap();
    }
    let path = format!("{}:/usr/bin:/bin", evil.display());
    let mut variables = VARIABLES_OF_AN_APP.map(|name| (name, evil.display().to_string())).to_vec();
    variables.extend([("PATH", path), ("SHELL", program.display().to_string())]);
    variables.extend([("HOME", evil.display().to_string()), ("LANG", "C.UTF-8".to_owned())]);
    let key = place.app_key("test");
    variables.push(("MOORING_APP_KEY", key.clone()));
    let mut app = App::start_with(&place, &variables);
    let opening = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    app.ask(1, "initialize", &opening);
    let mut ids = 2..;
    let mut call = |app: &mut App| {
        let params = json!({"name": "mine__surroundings", "arguments": {}});
        app.ask(ids.next().unwrap(), "tools/call", &params)
    };
    place.run(&["apps", "set", "test", "--level", "app-asks"]).ok();
    let until = Instant::now() + LIMIT;
    let surroundings: Value = loop {
        let result = call(&mut app);
        if result["isError"] != true && !result.is_null() {
            break serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        }
        assert!(Instant::now() < until, "{result}");
        std::thread::sleep(Duration::from_millis(50));
    };
    let environment = surroundings["environment"].as_object().unwrap();
    assert_eq!(environment["LANG"], "C.UTF-8", "it is the session's");
    let evil = evil.to_str().unwrap();
    let of_app = |text: &str| text.contains(evil) || text.contains(&key);
    assert!(!environment.values().any(|value| of_app(value.as_str().unwrap())), "{environment:#?}");
    // The service is the parent of the server's parent. Only root can read its environment.
    let parent = |pid: u64| -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        stat.rsplit_once(") ").unwrap().1.split(' ').nth(1).unwrap().parse().unwrap()
    };
    let service = parent(parent(surroundings["pid"].as_u64().unwrap()));
    if let Ok(environment) = std::fs::read(format!("/proc/{service}/environ")) {
        let environment = String::from_utf8_lossy(&environment).replace('\0', "\n");
        assert!(environment.contains("MOORING_HOME=") && !of_app(&environment), "{environment}");
    }
    assert!(!ran.exists(), "a program of the app's has run");
    app.close();
    mooring_gateway::take_over(&place.home()).await;
}

#[test]
fn a_data_folder_that_others_can_fill_is_used_by_nobody() {
    use std::os::unix::fs::PermissionsExt as _;

    let place = TestHome::new();
    place.run(&["list"]).ok();
    let open = place.folder().join("open");
    std::fs::create_dir(&open).unwrap();
    std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o777)).unwrap();
    let inside = open.join("inside");
    for (home, said) in [
        ("home", "the data folder has to be an absolute path: home"),
        (open.to_str().unwrap(), "another user owns this or can write to it"),
        (inside.to_str().unwrap(), "another user owns this or can write to it"),
    ] {
        for words in
            [&["list"][..], &["serve"], &["bridge", "--app", "x"], &["bridge", "--app", "x", "--home", home]]
        {
            let output: CommandOutput =
                place.command(words).env("MOORING_HOME", home).output().unwrap().into();
            assert!(output.exit != 0 && output.err.contains(said), "{words:?} {home}: {output:?}");
        }
    }
    assert!(!inside.exists() && std::fs::read_dir(&open).unwrap().next().is_none());
    // A folder that others could only read is closed to them.
    std::fs::set_permissions(place.home(), std::fs::Permissions::from_mode(0o755)).unwrap();
    place.run(&["list"]).ok();
    assert_eq!(place.home().metadata().unwrap().permissions().mode() & 0o777, 0o700);
}

#[tokio::test]
async fn a_port_that_is_chosen_at_the_start_is_kept() {
    let place = TestHome::new();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let service = spawn(&place, &["serve", "--port", &port]);
    let answers = || TcpStream::connect(format!("127.0.0.1:{port}")).is_ok();
    eventually("apps can connect over HTTP", LIMIT, answers).await;
    let refused = place.run(&["serve", "--port", "0"]);
    assert!(refused.err.contains("Choose the port in Settings"), "{refused:?}");
    mooring_gateway::take_over(&place.home()).await;
    let output = ended(service);
    assert!(output.err.contains(&format!("Over HTTP: http://127.0.0.1:{port}/mcp")), "{output:?}");
    let token = place.run(&["apps", "token", "editor", "--json"]).ok().json();
    assert_eq!(token["result"]["url"], format!("http://127.0.0.1:{port}/mcp"));
    let long = place.run(&["serve", "--port", "65536", "--json"]);
    assert_eq!(long.error(), (2, "usage".to_owned()));
}

#[tokio::test]
async fn apps_that_start_at_once_share_one_service() {
    let place = TestHome::new();
    let mut apps: Vec<_> = (0..5).map(|_| App::start(&place)).collect();
    for app in &mut apps {
        app.ping(1);
    }
    for app in &mut apps {
        app.hear(1);
    }
    // All apps use the service that holds the folder. When it gives way they lose their gateway, and the next
    // one answers them.
    let mut gateway = tokio::task::JoinSet::new();
    let host = window(&place).await;
    gateway.spawn(mooring_gateway::Gateway::listen(host.home()).unwrap().serve(host.clone()));
    let heard = tokio::task::spawn_blocking(move || {
        for app in &mut apps {
            app.ping(2);
            // Only initialized apps get change notifications, and these were not initialized.
            app.hear(2);
        }
        apps
    });
    for app in heard.await.unwrap() {
        app.close();
    }
    gateway.shutdown().await;
    host.shutdown().await;
}
