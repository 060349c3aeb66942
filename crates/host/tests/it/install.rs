//! Installs a missing program with the person's consent, using shell scripts as installers. Each test runs in
//! its own process, because the search path applies to a whole process.

use std::collections::BTreeMap;
use std::fs;
use std::future::pending;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use mooring_base::server_id::ServerId;
use mooring_connections::{ConnectOptions, Target};
use mooring_host::{Host, InstallOutcome, InstallStatus};
use mooring_server_state::StateName;
use mooring_testkit::{is_alive, scripted_server_path};
use tokio::sync::{oneshot, watch};

use crate::support::{LIMIT, stdio, until_state, window};

const SCENARIO: &str = "MOORING_TEST_INSTALL_SCENARIO";

/// Runs a scenario in which `pipx` is this script and the only installer. `$BIN` is the only folder of the
/// search path, and `$HOME` is empty.
#[expect(clippy::disallowed_methods, reason = "it is this program once more")]
fn run(scenario: &str, pipx: &str) {
    let place = tempfile::tempdir().unwrap();
    let (bin, home) = (place.path().join("bin"), place.path().join("home"));
    fs::create_dir(&bin).unwrap();
    fs::create_dir(&home).unwrap();
    // The login shell needs this for the tests.
    symlink("/usr/bin/printenv", bin.join("printenv")).unwrap();
    write_program(&bin.join("server"), &format!("exec {} ok", scripted_server_path().display()));
    write_program(&bin.join("pipx"), &format!("BIN={}\nPATH=/usr/bin:/bin\n{pipx}", bin.display()));
    let shell = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/login-shell.sh");
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "install::scenario", "--nocapture", "--test-threads=1"])
        .env(SCENARIO, scenario)
        .env("PATH", &bin)
        .env("HOME", &home)
        .env("SHELL", shell)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains(&format!("ran {scenario}")), "{said}");
}

fn write_program(path: &Path, script: &str) {
    fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn servers_start_once_what_they_lacked_is_installed() {
    run("installs", "echo installing \"$@\" in $PWD; cp $BIN/server $BIN/uvx");
}

#[test]
fn failed_installer_is_reported_with_its_output() {
    run("fails", "printf '\\033[31mno such package\\033[0m\\n' >&2; exit 7");
}

#[test]
fn program_that_an_installer_puts_off_the_path_is_named() {
    run("off_path", "mkdir -p ~/.local/bin; cp $BIN/server ~/.local/bin/uvx");
}

#[test]
fn program_that_an_installer_did_not_bring_is_not_found() {
    run("not_found", "echo already installed");
}

#[test]
fn cancelled_installer_ends_and_only_one_runs_at_once() {
    run("cancelled", "sleep 1000 & echo $! $$; wait");
}

#[test]
fn command_line_names_the_command_that_installs() {
    run("command_line", "");
}

#[test]
fn only_the_command_that_is_offered_is_run() {
    run("other_command", "touch $BIN/ran");
}

/// Runs the scenario that this process was started for.
#[tokio::test]
async fn scenario() {
    let Some(scenario) = std::env::var_os(SCENARIO) else { return };
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    match scenario.to_str().unwrap() {
        "installs" => installs(&host).await,
        "fails" => fails(&host).await,
        "off_path" => off_path(&host).await,
        "not_found" => not_found(&host).await,
        "cancelled" => cancelled(&host).await,
        "other_command" => other_command(&host).await,
        "command_line" => command_line(&host).await,
        other => panic!("no such scenario: {other}"),
    }
    host.shutdown().await;
    println!("ran {}", scenario.display());
}

/// Adds a server that fails because this command is missing.
async fn failed(host: &Host, name: &str, command: &str) -> ServerId {
    let id = host.add_server(stdio(name, command, &["ok"])).await.unwrap().id;
    until_state(host, id, StateName::Failed).await;
    id
}

async fn offered(host: &Host, id: ServerId) -> Vec<String> {
    host.install_offer(id).await.unwrap().unwrap().command.unwrap().line
}

async fn install(host: &Host, id: ServerId) -> (InstallOutcome, String) {
    let output = watch::Sender::default();
    let line = offered(host, id).await;
    let outcome = tokio::time::timeout(LIMIT, host.install(id, &line, &output, pending())).await;
    let text = output.borrow().clone();
    (outcome.unwrap().unwrap(), text)
}

async fn installs(host: &Host) {
    let one = failed(host, "one", "uvx").await;
    let other = failed(host, "other", "uvx").await;
    let unknown = failed(host, "unknown", "no-such-program").await;
    let stopped = failed(host, "stopped", "uvx").await;
    host.stop(stopped).await.unwrap();
    assert_eq!(host.install_offer(unknown).await.unwrap(), None);
    assert_eq!(host.install_offer(stopped).await.unwrap(), None);
    let (outcome, output) = install(host, one).await;
    assert_eq!(outcome.status, InstallStatus::Installed);
    assert!(outcome.path.unwrap().ends_with("/bin/uvx"));
    assert_eq!(output, format!("installing install uv in {}\n", std::env::var("HOME").unwrap()));
    until_state(host, one, StateName::Ready).await;
    until_state(host, other, StateName::Ready).await;
    assert_eq!(host.server(unknown).unwrap().connection.state, StateName::Failed);
    assert_eq!(host.server(stopped).unwrap().connection.state, StateName::Stopped);
    assert_eq!(host.install_offer(one).await.unwrap(), None);
}

async fn fails(host: &Host) {
    let id = failed(host, "one", "uvx").await;
    let (outcome, output) = install(host, id).await;
    assert_eq!((outcome.status, outcome.path), (InstallStatus::Failed, None));
    assert_eq!((outcome.message.as_deref(), &*output), (Some("exit code 7"), "no such package\n"));
    assert_eq!(host.server(id).unwrap().connection.state, StateName::Failed);
}

async fn off_path(host: &Host) {
    let id = failed(host, "one", "uvx").await;
    let outcome = install(host, id).await.0;
    let path = format!("{}/.local/bin/uvx", std::env::var("HOME").unwrap());
    assert_eq!((outcome.status, outcome.path), (InstallStatus::OffPath, Some(path)));
    assert_eq!(host.server(id).unwrap().connection.state, StateName::Failed);
}

async fn not_found(host: &Host) {
    let id = failed(host, "one", "uvx").await;
    assert_eq!(
        install(host, id).await.0,
        InstallOutcome { status: InstallStatus::NotFound, message: None, path: None }
    );
}

async fn cancelled(host: &Host) {
    let id = failed(host, "one", "uvx").await;
    let line = offered(host, id).await;
    let output = watch::Sender::default();
    let mut printed = output.subscribe();
    let (cancel, cancelled) = oneshot::channel::<()>();
    let running = host.install(id, &line, &output, async { cancelled.await.unwrap() });
    let meanwhile = async {
        printed.wait_for(|text| text.ends_with('\n')).await.unwrap();
        let second = host.install(id, &line, &watch::Sender::default(), pending()).await.unwrap();
        assert_eq!(second.message.as_deref(), Some("another installation is running"));
        cancel.send(()).unwrap();
    };
    let (outcome, ()) = tokio::join!(running, meanwhile);
    assert_eq!(outcome.unwrap().status, InstallStatus::Cancelled);
    for pid in output.borrow().split_whitespace() {
        assert!(!is_alive(pid.parse().unwrap()), "{pid}");
    }
}

async fn command_line(host: &Host) {
    let target = |program: &str| Target::Command {
        program: program.to_owned(),
        args: Vec::new(),
        env: BTreeMap::new(),
        cwd: host.home().to_owned(),
    };
    let next = async |program| {
        let error = host.connect(target(program), ConnectOptions::default()).await.unwrap_err();
        error.next_step().unwrap().to_string()
    };
    let said = next("uvx").await;
    assert!(said.starts_with("Install uv: /") && said.ends_with("/bin/pipx install uv"), "{said}");
    assert_eq!(next("npx").await, "Install Node.js, or give the full path.");
}

async fn other_command(host: &Host) {
    let id = failed(host, "one", "uvx").await;
    let line = offered(host, id).await;
    let [pipx, verb, uv] = &line[..] else { panic!("{line:?}") };
    let pipx = Path::new(pipx);
    assert!(pipx.is_absolute() && (&**verb, &**uv) == ("install", "uv"), "{line:?}");
    let ran = pipx.with_file_name("ran");
    let path = pipx.display().to_string();
    for other in [vec![], vec![path.clone()], vec![path.clone(), "install".to_owned(), "x".to_owned()]] {
        let outcome = host.install(id, &other, &watch::Sender::default(), pending()).await.unwrap();
        assert_eq!(outcome.message.as_deref(), Some("the command has changed since it was shown"));
    }
    // The installer is not chosen by the server's command line.
    for command in ["uvx --with x", "/no/such/uvx", "./uvx", "uvx;id"] {
        let id = failed(host, command, command).await;
        assert_eq!(host.install_offer(id).await.unwrap(), None, "{command}");
        let outcome = host.install(id, &line, &watch::Sender::default(), pending()).await.unwrap();
        assert_eq!(outcome.status, InstallStatus::Failed, "{command}");
    }
    // Nor by the variables that it declares.
    let mut server = stdio("declares", "uvx", &["ok"]);
    server.env.insert("PATH".to_owned(), "/no/such/folder".to_owned());
    let declares = host.add_server(server).await.unwrap().id;
    until_state(host, declares, StateName::Failed).await;
    assert_eq!(offered(host, declares).await, line);
    assert!(!ran.exists());
    install(host, id).await;
    assert!(ran.exists());
}
