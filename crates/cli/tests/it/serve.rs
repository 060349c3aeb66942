//! `mooring serve`: however many start, one serves, and it gives up what a window wants.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::ops::RangeFrom;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use mooring_host::{Host, HostOptions};
use mooring_testkit::{eventually, scripted_server_path};
use serde_json::{Value, json};

use crate::support::{CommandOutput, TestHome};

/// Longer than anything here takes on a busy machine.
const LIMIT: Duration = Duration::from_mins(1);

fn spawn(place: &TestHome, words: &[&str]) -> Child {
    spawned(place.command(words))
}

fn spawned(mut command: Command) -> Child {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// An app at its bridge.
struct App {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl App {
    fn start(place: &TestHome) -> Self {
        let home = place.home();
        let mut command = place.command(&["bridge", "--app", "test", "--home", home.to_str().unwrap()]);
        // As an app has it. Whom it starts is told.
        command.env_remove("MOORING_HOME");
        let mut child = spawned(command);
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, to, from }
    }

    fn ping(&mut self, id: u32) {
        writeln!(self.to, "{}", json!({"jsonrpc": "2.0", "id": id, "method": "ping"})).unwrap();
    }

    /// The answer to a ping.
    fn hear(&mut self, id: u32) {
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(answer, json!({"jsonrpc": "2.0", "id": id, "result": {}}));
    }

    /// What comes of a request; notifications are passed over.
    fn ask(&mut self, id: u32, method: &str, params: &Value) -> Value {
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

    /// Asks for its tools until it sees these two, or does not.
    fn until_seen(&mut self, ids: &mut RangeFrom<u32>, echo: bool, add: bool) {
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

    fn close(self) {
        drop(self.to);
        assert!(self.child.wait_with_output().unwrap().status.success());
    }
}

fn ended(child: Child) -> CommandOutput {
    child.wait_with_output().unwrap().into()
}

/// A window's host on the same data folder.
async fn window(place: &TestHome) -> Host {
    mooring_gateway::take_over(&place.home()).await;
    let options = HostOptions { supervise: true, has_person: true, ..place.options() };
    Host::open(options).await.unwrap()
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
    // Beside a window none begins.
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
    let (mut app, mut ids) = (App::start(&place), 1..);
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
    // Nobody is there to be asked.
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
    // All are at the one that holds the folder: with it they lose their gateway, and are heard by the next.
    let mut gateway = tokio::task::JoinSet::new();
    let host = window(&place).await;
    gateway.spawn(mooring_gateway::Gateway::listen(host.home()).unwrap().serve(host.clone()));
    let heard = tokio::task::spawn_blocking(move || {
        for app in &mut apps {
            app.ping(2);
            // What changed meanwhile is told to apps that were initialized, and these were not.
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
