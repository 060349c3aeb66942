//! Commands that work through a running Mooring: no server is started twice, and the commands have no more
//! rights than without it.

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};

use mooring_gateway::{Gateway, take_over};
use mooring_host::{Host, HostOptions};
use mooring_inbox::{InteractionAnswer, InteractionQuestion, Remember};
use mooring_testkit::eventually;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::serve::{LIMIT, spawn};
use crate::support::{CommandOutput, TestHome};
use crate::typed::{demo_server, place_with_demo};

/// A home whose demo server is run by a service.
pub(crate) async fn served() -> (TestHome, Child) {
    let place = place_with_demo();
    let service = spawn(&place, &["serve"]);
    until_served(&place).await;
    (place, service)
}

async fn until_served(place: &TestHome) {
    let socket = place.home().join("gateway.sock");
    eventually("it serves", LIMIT, || UnixStream::connect(&socket).is_ok()).await;
}

pub(crate) async fn end(place: &TestHome, mut service: Child) {
    take_over(&place.home()).await;
    service.wait().unwrap();
}

pub(crate) fn pid(place: &TestHome, words: &[&str]) -> u64 {
    let probed = place.run(&[&["probe", "demo", "--json"], words].concat()).ok().json();
    probed["result"]["pid"].as_u64().unwrap()
}

/// Runs lines in a terminal of their own.
fn in_a_terminal(place: &TestHome, lines: &[&str]) -> Command {
    let mooring = place.command(&[]);
    let program = mooring.get_program().to_str().unwrap();
    let script: Vec<String> =
        lines.iter().map(|line| format!("'{program}' {line}; echo \"exit $?\"")).collect();
    #[expect(clippy::disallowed_methods, reason = "the command under test is a process")]
    let mut command = Command::new("setsid");
    command.args(["--wait", "sh", "-c", &script.join("\n")]);
    for (name, value) in mooring.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.current_dir(place.folder()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn the_background_is_offered_from_the_second_slow_command_on() {
    let place = TestHome::new();
    place.run(&["add", "slow", "--", "sh", "-c", &format!("sleep 1.1; exec {}", demo_server())]).ok();
    let offers = || place.run(&["tools", "slow"]).ok().err.contains("mooring serve --background");
    assert_eq!([offers(), offers(), offers()], [false, true, false]);
}

#[tokio::test]
async fn commands_use_the_server_that_runs() {
    let (place, service) = served().await;
    let running = pid(&place, &[]);
    assert_eq!(pid(&place, &[]), running);
    assert_ne!(pid(&place, &["--alone"]), running);
    assert_ne!(pid(&place, &["--era", "session"]), running);

    // Each kind of command prints what it prints with `--alone`. The tools depend on what the server may ask.
    let alone = ["--alone"];
    for line in [
        &["tools", "demo", "echo"][..],
        &["resources", "demo"],
        &["templates", "demo"],
        &["prompts", "demo"],
        &["read", "demo", "harbour://guide"],
        &["prompt", "demo", "explain_guide"],
        &["call", "demo", "echo", "text=a"],
        &["call", "demo", "fail"],
        &["call", "demo", "nothing"],
        &["read", "demo", "harbour://nothing"],
    ] {
        let through = place.run(line);
        let own = place.run(&[line, &alone].concat());
        assert_eq!((through.exit, &through.out), (own.exit, &own.out), "{line:?}");
        assert_eq!(through.err, own.err, "{line:?}");
        let json = |words: &[&str]| {
            let mut json = place.run(&[line, &["--json"], words].concat()).json();
            // With `--alone`, a call uses the era in which its tool can ask.
            for own in ["elapsed_ms", "reason", "revision", "era"] {
                json.as_object_mut().unwrap().remove(own);
            }
            if let Some(result) = json.get_mut("result").and_then(Value::as_object_mut) {
                result.retain(|key, _| !["resultType", "ttlMs", "cacheScope"].contains(&key.as_str()));
            }
            json
        };
        assert_eq!(json(&[]), json(&alone), "{line:?}");
    }
    let logged = place.run(&["logs", "demo", "--json", "--limit", "500"]).ok().out;
    assert!(logged.contains("tools/call") && logged.contains("command_line"), "{logged}");
    end(&place, service).await;
    // Without the service, commands start what they need.
    assert!(place.run(&["call", "demo", "echo", "text=a"]).ok().out.contains('a'));
}

#[tokio::test]
async fn questions_are_answered_as_the_command_says() {
    let (place, service) = served().await;
    let file = place.folder().join("answers.json");
    std::fs::write(&file, r#"[{"action":"decline"}]"#).unwrap();
    let written = format!("@{}", file.display());
    for (elicit, said) in [("accept-defaults", "accepted"), ("decline", "declined"), (&written, "declined")] {
        let line = ["call", "demo", "ask_at_once", "forms=1", "--elicit", elicit];
        let asked = place.run(&line).ok();
        assert!(asked.err.contains("asked: ") && asked.err.contains(said), "{elicit}: {asked:?}");
        assert_eq!(asked.out, place.run(&[&line[..], &["--alone"]].concat()).ok().out, "{elicit}");
    }
    let wrong = place.run(&["call", "demo", "echo", "text=a", "--elicit", "maybe"]);
    assert_eq!(wrong.exit, 2, "{wrong:?}");
    end(&place, service).await;
}

#[tokio::test]
async fn what_nobody_answers_is_refused_and_said() {
    let (place, service) = served().await;
    let asked = place.run(&["call", "demo", "ask_at_once", "forms=1"]);
    assert!(asked.err.contains("nobody is there to ask: --elicit"), "{asked:?}");
    end(&place, service).await;
}

#[tokio::test]
async fn what_is_stopped_or_unknown_there_is_the_commands_own() {
    let (place, service) = served().await;
    let unknown = place.run(&["tools", "demoo"]);
    assert!(unknown.exit == 2 && unknown.err.contains("Did you mean demo?"), "{unknown:?}");
    place.run(&["disable", "demo"]).ok();
    // A command that arrives while the server stops may find it gone.
    let process = || place.run(&["probe", "demo", "--json"]).json()["result"]["pid"].as_u64();
    let is_started_anew = || process().zip(process()).is_some_and(|(one, other)| one != other);
    eventually("it is started for each command", LIMIT, is_started_anew).await;
    end(&place, service).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_keeps_a_server_away_is_said_as_without_mooring() {
    let locked = mooring_testkit::oauth::serve(mooring_testkit::oauth::OAuthScript::default()).await;
    let (place, service) = served().await;
    for (name, words) in [
        ("gone", &["no-such-program"][..]),
        ("ends", &["--", "sh", "-c", "echo telling >&2; exit 3"]),
        ("far", &["http://127.0.0.1:9/mcp"]),
        ("locked", &[&*locked.resource()]),
    ] {
        place.run(&[&["add", name], words].concat()).ok();
        for line in [&["tools", name][..], &["call", name, "echo"]] {
            let said = |words: &[&str]| place.run(&[line, &["--json"], words].concat());
            let alone = said(&["--alone"]);
            // The service may not have noticed the change yet.
            let is_same = || said(&[]).error() == alone.error();
            eventually("it says the same", LIMIT, is_same).await;
            assert_eq!(said(&[]).json()["error"]["next"], alone.json()["error"]["next"], "{line:?}");
        }
    }
    end(&place, service).await;
}

#[tokio::test]
async fn an_interrupt_cancels_the_call_where_it_runs() {
    let (place, service) = served().await;
    let mut call = spawn(&place, &["call", "demo", "progress", "seconds=60"]);
    let logged = |method: &str| {
        let logged = place.run(&["logs", "--json", "--method", method]).json();
        logged["result"].as_array().is_some_and(|rows| !rows.is_empty())
    };
    eventually("the call runs", LIMIT, || logged("notifications/progress")).await;
    let pid = rustix::process::Pid::from_raw(i32::try_from(call.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(call.wait().unwrap().code(), Some(130));
    eventually("the server is told", LIMIT, || logged("notifications/cancelled")).await;
    end(&place, service).await;
}

/// A window's host with its gateway.
async fn window(place: &TestHome) -> (Host, JoinSet<()>) {
    let options = HostOptions { supervise: true, has_person: true, ..place.options() };
    let host = Host::open(options).await.unwrap();
    let gateway = Gateway::listen(host.home()).unwrap();
    let mut serving = JoinSet::new();
    serving.spawn(gateway.serve(host.clone()));
    (host, serving)
}

/// Answers the waiting question about a terminal.
async fn answer(host: &Host, answer: InteractionAnswer) {
    let is_asked = || !host.inbox().waiting.is_empty();
    eventually("it is asked", LIMIT, is_asked).await;
    let asked = host.inbox().waiting[0].clone();
    let InteractionQuestion::App { is_terminal: true, program: Some(_), .. } = asked.question else {
        panic!("{asked:?}");
    };
    let opening = host.open_interaction(asked.id).unwrap();
    tokio::time::sleep(opening.armed_in).await;
    host.answer_interaction(asked.id, &opening.nonce, answer).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_is_asked_about_once() {
    let place = place_with_demo();
    let (host, serving) = window(&place).await;
    let lines = ["call demo echo text=first", "call demo echo text=second"];
    let said = |command: std::process::Child| -> CommandOutput { command.wait_with_output().unwrap().into() };
    let yes = |remember| InteractionAnswer::Accept { content: None, remember };

    // Allowed until the terminal closes: its second command isn't asked about, but those of another terminal
    // are.
    let terminal = in_a_terminal(&place, &lines).spawn().unwrap();
    answer(&host, yes(Remember::Session)).await;
    let ran = said(terminal);
    assert_eq!(ran.out, "first\nexit 0\nsecond\nexit 0\n", "{ran:?}");
    assert_eq!(ran.err.matches("Mooring asks in its window").count(), 1, "{ran:?}");

    let terminal = in_a_terminal(&place, &lines).spawn().unwrap();
    answer(&host, InteractionAnswer::Decline { remember: Remember::Once }).await;
    let ran = said(terminal);
    assert_eq!(ran.out, "exit 7\nexit 7\n", "{ran:?}");
    assert!(ran.err.contains("isn’t allowed") && ran.err.contains("--alone"), "{ran:?}");

    // Allowed always, until the person takes it back.
    let terminal = in_a_terminal(&place, &lines[..1]).spawn().unwrap();
    answer(&host, yes(Remember::Always)).await;
    assert_eq!(said(terminal).out, "first\nexit 0\n");
    let ran = said(in_a_terminal(&place, &lines).spawn().unwrap());
    assert_eq!(ran.out, "first\nexit 0\nsecond\nexit 0\n", "{ran:?}");
    let [program] = &*host.allowed_terminals() else { panic!("{:?}", host.allowed_terminals()) };
    assert!(host.forget_terminal(program).await.unwrap());
    let terminal = in_a_terminal(&place, &["tools demo"]).spawn().unwrap();
    answer(&host, InteractionAnswer::Cancel).await;
    assert_eq!(said(terminal).out, "exit 7\n");

    drop(serving);
    host.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_without_an_answer_waits_in_the_window() {
    let place = place_with_demo();
    let (host, serving) = window(&place).await;
    let terminal = in_a_terminal(&place, &["call demo ask_at_once forms=1"]).spawn().unwrap();
    answer(&host, InteractionAnswer::Accept { content: None, remember: Remember::Session }).await;
    let is_asked = || {
        let waiting = host.inbox().waiting;
        waiting.first().is_some_and(|view| matches!(view.question, InteractionQuestion::Form { .. }))
    };
    eventually("the form waits", LIMIT, is_asked).await;
    let asked = host.inbox().waiting[0].clone();
    let opening = host.open_interaction(asked.id).unwrap();
    let declined = InteractionAnswer::Decline { remember: Remember::Once };
    // Gives the command time to notice that a question waits; it checks at intervals.
    tokio::time::sleep(std::time::Duration::from_millis(700)).await;
    host.answer_interaction(asked.id, &opening.nonce, declined).await.unwrap();
    let ran: CommandOutput = terminal.wait_with_output().unwrap().into();
    assert!(ran.out.contains(r#"{"decline":1}"#), "{ran:?}");
    assert!(ran.err.contains("A question waits for you in Mooring’s window."), "{ran:?}");
    drop(serving);
    host.shutdown().await;
}

/// A program that sends arbitrary messages to the socket.
struct Speaker {
    socket: UnixStream,
    welcome: Value,
}

impl Speaker {
    fn new(place: &TestHome, version: &str) -> Self {
        let mut socket = UnixStream::connect(place.home().join("gateway.sock")).unwrap();
        socket.set_read_timeout(Some(LIMIT)).unwrap();
        let hello = json!({"mooring": 1, "command": {"version": version}});
        socket.write_all(format!("{hello}\n").as_bytes()).unwrap();
        let mut welcome = String::new();
        while !welcome.ends_with('\n') {
            let mut byte = [0];
            socket.read_exact(&mut byte).unwrap();
            welcome.push(char::from(byte[0]));
        }
        Self { socket, welcome: serde_json::from_str(&welcome).unwrap() }
    }

    /// Sends a message and returns the answer; null if the connection was closed.
    fn say(&mut self, said: &Value) -> Value {
        let text = said.to_string();
        self.socket.write_all(&u32::try_from(text.len()).unwrap().to_be_bytes()).unwrap();
        self.socket.write_all(text.as_bytes()).unwrap();
        let mut length = [0; 4];
        if self.socket.read_exact(&mut length).is_err() {
            return Value::Null;
        }
        let mut answer = vec![0; usize::try_from(u32::from_be_bytes(length)).unwrap()];
        self.socket.read_exact(&mut answer).unwrap();
        serde_json::from_slice(&answer).unwrap()
    }
}

/// Sends these messages and returns the answers, starting with the welcome.
fn speak(place: &TestHome, version: &str, says: &[Value]) -> Vec<Value> {
    let mut speaker = Speaker::new(place, version);
    let mut heard = vec![speaker.welcome.clone()];
    for said in says {
        heard.push(speaker.say(said));
        if heard.last() == Some(&Value::Null) {
            break;
        }
    }
    heard
}

/// A program that connected before the vault was open can't use what the vault protects.
#[tokio::test(flavor = "multi_thread")]
async fn who_comes_before_the_vault_is_open_has_to_prove_it() {
    let place = place_with_demo();
    with_passphrase(&place);
    place.run(&["add", "plain", &crate::typed::demo_server()]).ok();
    let options = HostOptions { supervise: true, has_person: false, ..place.options() };
    let host = Host::open(options).await.unwrap();
    let gateway = Gateway::listen(host.home()).unwrap();
    let mut serving = JoinSet::new();
    let served = host.clone();
    serving.spawn(async move { gateway.serve_until_idle(served, None).await });

    let open = json!({"Open": {"server": "plain", "answers": {"forms": null, "sampling": null}}});
    let list = json!({"List": {"kind": "tools", "refresh": false}});
    let mut early = Speaker::new(&place, env!("CARGO_PKG_VERSION"));
    let opened = tokio::task::block_in_place(|| early.say(&open));
    assert!(opened.get("Opened").is_some(), "{opened}");
    let listed = tokio::task::block_in_place(|| early.say(&list));
    assert!(listed.get("Listing").is_some(), "{listed}");
    host.unlock_vault("correct horse battery".to_owned().into()).await.unwrap();
    let refused = tokio::task::block_in_place(|| early.say(&list));
    assert_eq!(refused["Failed"]["kind"], "unproven", "{refused}");
    let asked = tokio::task::block_in_place(|| early.say(&open));
    assert!(asked.get("Prove").is_some(), "{asked}");

    drop(serving);
    host.shutdown().await;
}

fn open() -> Value {
    json!({"Open": {"server": "demo", "answers": {"forms": null, "sampling": null}}})
}

/// Encrypts with a passphrase and returns its file, for the service.
fn with_passphrase(place: &TestHome) -> String {
    let file = place.folder().join("passphrase").display().to_string();
    std::fs::write(&file, "correct horse battery").unwrap();
    place.run(&["vault", "rekey", "--to", "passphrase", "--passphrase-file", &file]).ok();
    std::fs::write(place.folder().join("value"), "hush").unwrap();
    let mut set = place.command(&["set", "demo", "--secret-env", "TOKEN=@value"]);
    CommandOutput::from(set.env("MOORING_PASSPHRASE_FILE", &file).output().unwrap()).ok();
    file
}

#[tokio::test]
async fn without_a_window_the_vaults_key_is_proven() {
    let place = place_with_demo();
    let file = with_passphrase(&place);
    let mut service = place.command(&["serve"]);
    let service = service.env("MOORING_PASSPHRASE_FILE", &file).spawn().unwrap();
    until_served(&place).await;
    let is_open = || speak(&place, env!("CARGO_PKG_VERSION"), &[open()])[1].get("Prove").is_some();
    eventually("the vault is open there", LIMIT, is_open).await;

    // A program that can't open the vault can't use anything, whatever it sends.
    let version = env!("CARGO_PKG_VERSION");
    let heard = speak(&place, version, &[open(), json!({"Proof": "AAAA"})]);
    assert!(heard[1]["Prove"].is_string(), "{heard:?}");
    assert_eq!(heard[2]["Failed"]["kind"], "unproven", "{heard:?}");
    let call = json!({"Do": {"what": {"Tool": ["echo", {"text": "x"}]}, "timeout": null}});
    assert_eq!(speak(&place, version, std::slice::from_ref(&call))[1], Value::Null);
    let heard = speak(&place, version, &[open(), call]);
    assert_eq!(heard[2], Value::Null, "{heard:?}");
    // Each connection gets a new challenge, so a proof can't be used again.
    assert_ne!(speak(&place, version, &[open()])[1]["Prove"], speak(&place, version, &[open()])[1]["Prove"]);

    // A command that can open the vault is let in, and its terminal with it.
    let lines = ["call demo echo text=a", "probe demo --json"];
    let mut terminal = in_a_terminal(&place, &lines);
    let ran: CommandOutput = terminal.env("MOORING_PASSPHRASE_FILE", &file).output().unwrap().into();
    assert!(ran.out.starts_with("a\nexit 0\n") && ran.out.ends_with("exit 0\n"), "{ran:?}");
    let first = in_a_terminal(&place, &["probe demo --json"]).env("MOORING_PASSPHRASE_FILE", &file).output();
    let first: CommandOutput = first.unwrap().into();
    let of =
        |text: &str| text.split("\"pid\":").nth(1).map(|rest| rest.split(',').next().unwrap().to_owned());
    assert_eq!(of(&first.out), of(&ran.out), "the server that runs: {first:?} {ran:?}");
    end(&place, service).await;
}

#[tokio::test]
async fn another_version_is_said_and_never_used() {
    let (place, service) = served().await;
    let heard = speak(&place, "0.0.1", &[]);
    let refused = heard[0]["refused"].as_str().unwrap();
    assert!(refused.contains("0.0.1") && refused.contains(env!("CARGO_PKG_VERSION")), "{refused}");
    end(&place, service).await;
}

#[tokio::test]
async fn a_service_goes_on_in_the_background_until_it_is_stopped() {
    let place = place_with_demo();
    let stop = || place.run(&["serve", "--stop"]);
    let nothing = stop();
    assert!(nothing.exit == 2 && nothing.err.contains("isn’t running"), "{nothing:?}");
    for said in ["--stop", "runs already"] {
        let started = place.run(&["serve", "--background"]).ok();
        assert!(started.err.contains(said), "{started:?}");
    }
    assert_eq!(pid(&place, &[]), pid(&place, &[]));
    stop().ok();
    eventually("it ends", LIMIT, || stop().exit == 2).await;
}
