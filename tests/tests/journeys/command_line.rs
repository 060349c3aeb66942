//! Runs `mooring`, and finds the servers for it.

use std::fmt;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The folder of the real servers.
pub(crate) fn servers() -> PathBuf {
    let Some(folder) = std::env::var_os("MOORING_SERVERS").map(PathBuf::from) else {
        panic!("the real servers are not installed (MOORING_SERVERS is not set): run `cargo xtask test`");
    };
    assert!(folder.is_dir(), "{} doesn’t exist: run `cargo xtask test`", folder.display());
    folder
}

/// A program installed by npm.
pub(crate) fn npm(name: &str) -> String {
    let path = servers().join("npm/node_modules/.bin").join(name);
    assert!(path.exists(), "{} doesn’t exist: run `cargo xtask test`", path.display());
    text(&path)
}

/// The script of an old version of server-everything.
pub(crate) fn old_everything(version: &str) -> String {
    let package = servers().join("old/node_modules").join(format!("server-everything-{version}"));
    let path = package.join("dist/index.js");
    assert!(path.exists(), "{} doesn’t exist: run `cargo xtask test`", path.display());
    text(&path)
}

/// The Python interpreter with the Python servers.
pub(crate) fn python() -> String {
    python_in("venv")
}

/// The Python interpreter with the SDK of 2025.
pub(crate) fn python_of_2025() -> String {
    python_in("venv-2025")
}

fn python_in(environment: &str) -> String {
    let path = servers().join(environment).join("bin/python");
    assert!(path.exists(), "{} doesn’t exist: run `cargo xtask test`", path.display());
    text(&path)
}

/// One of our scripts, next to the packages that it imports.
pub(crate) fn script(name: &str) -> String {
    let path = servers().join("npm").join(name);
    assert!(path.exists(), "{} doesn’t exist: run `cargo xtask test`", path.display());
    text(&path)
}

/// A server that prints its URL and listens there. Dropping this ends it.
pub(crate) struct ListeningServer {
    child: Child,
    pub(crate) url: String,
}

impl Drop for ListeningServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl ListeningServer {
    /// A server that listens at this URL, or is about to.
    pub(crate) fn from_child(child: Child, url: String) -> Self {
        Self { child, url }
    }

    /// Waits until the server ends by itself.
    pub(crate) fn wait_for_exit(mut self) {
        let _ = self.child.wait();
    }

    pub(crate) fn start(program: &str, arguments: &[&str]) -> Self {
        let mut command = Command::new(program);
        let mut child = command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut listening = Self::from_child(child, String::new());
        listening.url = lines
            .map_while(Result::ok)
            .find(|line| line.starts_with("http://"))
            .unwrap_or_else(|| panic!("{program} {arguments:?} does not listen"));
        listening
    }
}

/// A binary of this workspace.
pub(crate) fn binary(package: &str, name: &str) -> PathBuf {
    let built = std::env::var_os("MOORING_BIN_DIR")
        .map(|folder| PathBuf::from(folder).join(format!("{name}{}", std::env::consts::EXE_SUFFIX)));
    built.unwrap_or_else(|| mooring_testkit::binary_path(package, name))
}

/// The demo server.
pub(crate) fn demo() -> String {
    text(&binary("mooring-demo-server", "mooring-demo-server"))
}

/// The scripted server.
pub(crate) fn scripted() -> String {
    text(&mooring_testkit::scripted_server_path())
}

/// Converts a path to text.
pub(crate) fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// A person with their own data folder and working directory.
pub(crate) struct CommandLineUser {
    folder: TempDir,
    path: Option<String>,
}

/// The result of a command.
pub(crate) struct CommandOutput {
    pub(crate) code: i32,
    /// The output, parsed as JSON.
    pub(crate) json: Value,
    stdout: String,
    stderr: String,
}

impl fmt::Display for CommandOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, stdout, stderr, .. } = self;
        write!(f, "exit code {code}\nstandard output: {stdout}\nstandard error: {stderr}")
    }
}

impl CommandLineUser {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        Self { folder, path: None }
    }

    /// The working directory of commands.
    pub(crate) fn directory(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// Prepends a folder to the PATH, like an activated virtual environment.
    pub(crate) fn prepend_path(&mut self, folder: &str) {
        let path = std::env::var("PATH").unwrap_or_default();
        self.path = Some(format!("{folder}:{path}"));
    }

    /// Prepares a `mooring` command.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary("mooring-cli", "mooring"));
        command
            .args(arguments)
            .env("MOORING_HOME", self.folder.path().join("home"))
            .env_remove("RUST_LOG")
            .current_dir(self.directory())
            .stdin(Stdio::null());
        if let Some(path) = &self.path {
            command.env("PATH", path);
        }
        command
    }

    /// Runs `mooring` with these arguments and waits until it ends.
    pub(crate) fn run(&self, arguments: &[&str]) -> CommandOutput {
        CommandOutput::from(self.command(arguments).output().unwrap())
    }

    /// Runs `mooring`, which must succeed, and returns the JSON object that it prints.
    pub(crate) fn run_ok(&self, arguments: &[&str]) -> Value {
        let ran = self.run(arguments);
        assert_eq!(ran.code, 0, "mooring {}: {ran}", arguments.join(" "));
        assert_eq!(ran.json["ok"], true, "{ran}");
        ran.json
    }

    /// Checks in the log that every tool call has a verdict before it.
    pub(crate) fn assert_every_call_had_a_verdict(&self) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let calls = runtime.block_on(async {
            let store = mooring_store::Store::open(&self.folder.path().join("home")).await.unwrap();
            let calls = store.log().calls_without_verdict(0..i64::MAX).await.unwrap();
            store.close().await;
            calls
        });
        assert_eq!(calls, Vec::<i64>::new(), "these rows of the log are calls without a verdict");
    }

    /// Calls a tool of an ad hoc target and returns the server's result.
    pub(crate) fn call(&self, tool: &str, arguments: Value, target: &[&str]) -> Value {
        let arguments = arguments.to_string();
        let mut words = vec!["call", tool, &arguments, "--json"];
        words.extend_from_slice(target);
        self.run_ok(&words)["result"].clone()
    }
}

impl From<Output> for CommandOutput {
    fn from(output: Output) -> Self {
        let stdout = String::from_utf8(output.stdout).unwrap();
        Self {
            code: output.status.code().unwrap_or(-1),
            json: serde_json::from_str(&stdout).unwrap_or_default(),
            stdout,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// The names of the tools in a printed list.
pub(crate) fn names(listed: &Value) -> Vec<String> {
    let tools = listed["result"]["tools"].as_array().unwrap_or_else(|| panic!("no tools: {listed}"));
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

/// The text of the first content block.
pub(crate) fn first_text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {result}"))
}
