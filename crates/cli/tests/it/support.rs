//! Running the command in a home of its own.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use mooring_connections::{ConnectOptions, Target};
use mooring_host::{Host, HostOptions};
use mooring_policy::PinApproval;
use mooring_testkit::scripted_server_path;
use mooring_vault::VaultOptions;
use serde_json::Value;

/// A home and a working directory.
pub(crate) struct TestHome {
    folder: tempfile::TempDir,
}

/// What the command did.
#[derive(Debug)]
pub(crate) struct CommandOutput {
    pub(crate) exit: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl TestHome {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// What the window works with, on the same home: for what only a window can do.
    pub(crate) async fn host(&self) -> Host {
        Host::open(self.options()).await.unwrap()
    }

    /// Approves all that the only saved server has, whose name this is.
    pub(crate) async fn approve(&self, name: &str) {
        let host = self.host().await;
        let id = host.servers()[0].id;
        let target = Target::Saved { name: name.to_owned() };
        let connection = host.connect(target, ConnectOptions::default()).await.unwrap();
        connection.tools(true).await.unwrap();
        let pins = host.trust(id).await.unwrap().items.into_iter();
        let pins: Vec<PinApproval> =
            pins.map(|pin| PinApproval { kind: pin.kind, name: pin.name, hash: pin.hash }).collect();
        assert!(!pins.is_empty());
        host.approve_trust(id, &pins).await.unwrap();
        connection.close().await;
        host.shutdown().await;
    }

    pub(crate) fn options(&self) -> HostOptions {
        HostOptions {
            home: self.home(),
            supervise: false,
            has_person: false,
            journal: true,
            demo_server: None,
            client_name: "test",
            client_version: "0",
            vault: VaultOptions::default,
            browser: mooring_accounts::system_browser,
            clock: mooring_base::clock::Clock::system(),
        }
    }

    /// The command, ready to be run.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        #[expect(clippy::disallowed_methods, reason = "the command under test is a process")]
        let mut command = Command::new(env!("CARGO_BIN_EXE_mooring"));
        command.args(words).env("MOORING_HOME", self.home()).current_dir(self.folder());
        command.env_remove("RUST_LOG").stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, words: &[&str]) -> CommandOutput {
        self.command(words).output().unwrap().into()
    }

    /// A new key of an app.
    pub(crate) fn app_key(&self, app: &str) -> String {
        let added = self.run(&["apps", "add", app, "--json"]).ok().json();
        let entry: Value = serde_json::from_str(added["result"]["entry"].as_str().unwrap()).unwrap();
        entry["mcpServers"]["mooring"]["env"]["MOORING_APP_KEY"].as_str().unwrap().to_owned()
    }

    /// Runs the command against the scripted server in a mode.
    pub(crate) fn run_on(&self, words: &[&str], mode: &[&str]) -> CommandOutput {
        let server = scripted_server_path().display().to_string();
        self.run(&[words, &["--", &server], mode].concat())
    }

    pub(crate) fn run_with_input(&self, words: &[&str], input: &str) -> CommandOutput {
        let mut command = self.command(words);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap().into()
    }
}

impl From<Output> for CommandOutput {
    fn from(output: Output) -> Self {
        Self {
            exit: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl CommandOutput {
    /// The one JSON object on standard output; what it says of success is what the exit code says.
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.out.trim_end().lines().count(), 1, "{self:?}");
        let json: Value = serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"));
        if let Some(ok) = json.get("ok") {
            assert_eq!(*ok, self.exit == 0, "{self:?}");
        }
        json
    }

    /// The exit code and the kind of the error of `--json`.
    pub(crate) fn error(&self) -> (i32, String) {
        let json = self.json();
        assert_eq!(json["ok"], false, "{self:?}");
        (self.exit, json["error"]["kind"].as_str().unwrap().to_owned())
    }

    pub(crate) fn ok(self) -> Self {
        assert_eq!(self.exit, 0, "{self:?}");
        self
    }
}
