//! Helpers for sign-ins: a protected server, a browser with a person, and keychains.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use mooring_calls::{CallOutcome, ToolCall};
use mooring_connections::Connection;
use mooring_host::{Host, HostOptions};
use mooring_oauth::{AuthorizationUrl, Browser, BrowserFuture, Error as SignInError};
use mooring_policy::Caller;
use mooring_vault::{Keychain, KeychainError, VaultOptions};
use mooring_words::say;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::command_line::{self, CommandLineUser};

/// Longer than anything here takes on a busy machine.
pub(crate) const TIMEOUT: Duration = Duration::from_mins(1);

/// Runs `protected.mjs`: a third-party authorization server and a protected server.
pub(crate) struct ProtectedServer {
    child: Child,
    pub(crate) issuer: String,
    pub(crate) resource: String,
    /// A client for the client credentials grant, with its secret.
    pub(crate) machine: Value,
    control: String,
}

impl Drop for ProtectedServer {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

fn node(script: &str) -> Command {
    let mut node = Command::new("node");
    node.arg(command_line::script(script));
    node
}

impl ProtectedServer {
    pub(crate) fn start(wanted: &Value) -> Self {
        let mut command = node("protected.mjs");
        command.arg(wanted.to_string()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let text = |name: &str| told[name].as_str().unwrap().to_owned();
        Self {
            child,
            issuer: text("issuer"),
            resource: text("resource"),
            control: text("control"),
            machine: told["machine"].clone(),
        }
    }

    /// The events at both servers so far.
    pub(crate) async fn events(&self) -> Value {
        reqwest::get(&self.control).await.unwrap().json().await.unwrap()
    }

    async fn control(&self, what: &str) -> Value {
        let client = reqwest::Client::new();
        client.post(format!("{}/{what}", self.control)).send().await.unwrap().json().await.unwrap()
    }

    /// Sets the lifetime of future tokens, in seconds.
    pub(crate) async fn set_token_lifetime(&self, seconds: u64) {
        self.control(&format!("life/{seconds}")).await;
    }

    /// Makes every token expire now, without notice.
    pub(crate) async fn expire(&self) {
        assert_eq!(self.control("expire").await["alive"], 0);
    }

    /// Ends every session now, without notice: its tokens and refresh tokens.
    pub(crate) async fn end_logins(&self) {
        assert_eq!(self.control("end").await["alive"], 0);
    }

    /// Forgets every client that registered itself.
    pub(crate) async fn forget_clients(&self) {
        self.control("forget").await;
    }

    /// Waits until no token is valid.
    pub(crate) async fn until_expired(&self) {
        let deadline = Instant::now() + TIMEOUT;
        while self.events().await["alive"] != 0 {
            assert!(Instant::now() < deadline, "tokens do not end");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// The HTTP status for each token that was ever issued.
    pub(crate) async fn token_statuses(&self) -> Vec<u64> {
        let answers = self.control("try").await["answers"].clone();
        answers.as_array().unwrap().iter().map(|status| status.as_u64().unwrap()).collect()
    }

    /// All grants of this type.
    pub(crate) async fn grants_of(&self, grant: &str) -> Vec<Value> {
        let seen = self.events().await;
        let granted = seen["granted"].as_array().unwrap().iter();
        granted.filter(|given| given["grant_type"] == grant).cloned().collect()
    }

    /// Registers a client like its developer, with a redirect URI. Returns its id and secret.
    pub(crate) async fn register(&self, method: &str) -> (String, String) {
        let path = mooring_oauth::RedirectAddress::path_for_issuer(&self.issuer);
        let wanted = json!({
            "application_type": "native",
            "grant_types": ["authorization_code", "refresh_token"],
            "redirect_uris": [format!("http://127.0.0.1{path}")],
            "token_endpoint_auth_method": method,
        });
        let asked = reqwest::Client::new().post(format!("{}/reg", self.issuer)).json(&wanted).send();
        let told: Value = asked.await.unwrap().json().await.unwrap();
        let text = |name: &str| told[name].as_str().unwrap_or_else(|| panic!("{told}")).to_owned();
        (text("client_id"), text("client_secret"))
    }
}

/// Opens a URL in a browser and approves everything as this person.
fn browse(address: &str, who: &str) {
    let ran = node("browser.mjs").args([address, who]).output().unwrap();
    let told = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(ran.status.success(), "the browser: {} {}", told(&ran.stdout), told(&ran.stderr));
}

/// Like `browse`, but returns the redirect to our callback instead of following it.
fn browse_up_to(address: &str, who: &str) -> String {
    let ran = node("browser.mjs").args([address, who, "--stop"]).output().unwrap();
    String::from_utf8(ran.stdout).unwrap().trim().to_owned()
}

/// A browser whose user agrees. `brings` changes the response.
pub(crate) struct UserBrowser {
    pub(crate) who: &'static str,
    pub(crate) brings: Option<fn(&str) -> String>,
}

impl Browser for UserBrowser {
    fn open<'a>(&'a self, url: &'a AuthorizationUrl) -> BrowserFuture<'a> {
        let (address, who, brings) = (url.as_url().to_string(), self.who, self.brings);
        Box::pin(async move {
            let browsing = tokio::task::spawn_blocking(move || match brings {
                None => browse(&address, who),
                Some(brings) => {
                    let answer = brings(&browse_up_to(&address, who));
                    // The sign-in handles the page's content.
                    let _page = node("browser.mjs").arg(answer).output();
                }
            });
            browsing.await.map_err(|_| SignInError::Aborted(say!("{quoted}", quoted = "the browser failed")))
        })
    }
}

/// A keychain of files in a folder, so that several processes can use it.
#[derive(Clone)]
struct FileKeychain(PathBuf);

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().unwrap());
/// The variable with the keychain's folder for other processes.
pub(crate) const KEYCHAIN: &str = "MOORING_TEST_KEYCHAIN";
static WRITE_LOCK: Mutex<()> = Mutex::new(());

pub(crate) fn keychain_folder() -> PathBuf {
    std::env::var_os(KEYCHAIN).map_or_else(|| FOLDER.path().to_owned(), PathBuf::from)
}

impl FileKeychain {
    fn path(&self, account: &str) -> PathBuf {
        let mut name = String::new();
        for byte in account.bytes() {
            write!(name, "{byte:02x}").unwrap();
        }
        self.0.join(name)
    }
}

impl Keychain for FileKeychain {
    fn read(&mut self, account: &str) -> Result<Vec<SecretString>, KeychainError> {
        let _turn = WRITE_LOCK.lock().unwrap_or_else(PoisonError::into_inner);
        let text = std::fs::read_to_string(self.path(account)).map_err(|_| KeychainError::NotFound)?;
        Ok(vec![text.into()])
    }

    fn write(&mut self, account: &str, text: &SecretString) -> Result<(), KeychainError> {
        let _turn = WRITE_LOCK.lock().unwrap_or_else(PoisonError::into_inner);
        std::fs::write(self.path(account), text.expose_secret()).unwrap();
        Ok(())
    }

    fn remove(&mut self, account: &str) -> Result<(), KeychainError> {
        let _removed = std::fs::remove_file(self.path(account));
        Ok(())
    }

    fn accounts(&mut self) -> Result<Vec<String>, KeychainError> {
        Ok(Vec::new())
    }
}

fn vault() -> VaultOptions {
    let files = FileKeychain(keychain_folder());
    VaultOptions { keychain: Arc::new(move || Ok(Box::new(files.clone()))), ..VaultOptions::default() }
}

/// Options of a host whose vault uses the test's keychain.
pub(crate) fn options(home: &Path) -> HostOptions {
    HostOptions {
        home: home.to_owned(),
        supervise: false,
        has_person: false,
        journal: true,
        demo_server: None,
        client_name: "journeys",
        client_version: "0",
        vault,
        browser: mooring_accounts::system_browser,
        clock: mooring_base::clock::Clock::system(),
    }
}

pub(crate) async fn open(home: &Path) -> Host {
    Host::open(options(home)).await.unwrap()
}

pub(crate) fn target(url: &str) -> mooring_connections::Target {
    mooring_connections::Target::Url { url: url.to_owned(), headers: BTreeMap::new() }
}

/// Calls a tool and returns the text of its answer.
pub(crate) async fn call(connection: &Connection, tool: &str, arguments: &Value) -> String {
    let call = ToolCall {
        request: None,
        tool: tool.to_owned(),
        arguments: Some(RawValue::from_string(arguments.to_string()).unwrap()),
        caller: Caller::Workbench,
        idle: None,
        total: None,
    };
    let outcome = connection.call_tool(call, Arc::new(|_| {})).await;
    let outcome: CallOutcome = outcome.unwrap_or_else(|error| panic!("{tool}: {error}"));
    let result = outcome.result.unwrap_or_else(|| panic!("{tool}: {:?}", outcome.error));
    let result: Value = serde_json::to_value(&result).unwrap();
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}")).to_owned()
}

/// A session bus with an unlocked keyring, as on a desktop.
pub(crate) struct KeyringSession {
    processes: Vec<Child>,
    address: String,
    home: TempDir,
}

impl Drop for KeyringSession {
    fn drop(&mut self) {
        for process in self.processes.iter_mut().rev() {
            let _ended = process.kill();
            let _reaped = process.wait();
        }
    }
}

impl KeyringSession {
    pub(crate) fn start() -> Self {
        let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("e2e/bus.conf");
        let mut bus = Command::new("dbus-daemon");
        bus.arg(format!("--config-file={}", config.display())).args(["--nofork", "--print-address=1"]);
        let mut bus = bus.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut address = String::new();
        BufReader::new(bus.stdout.take().unwrap()).read_line(&mut address).unwrap();
        let home = tempfile::tempdir().unwrap();
        let mut desktop = Self { processes: vec![bus], address: address.trim().to_owned(), home };
        let mut daemon = Command::new("gnome-keyring-daemon");
        desktop.configure(&mut daemon);
        daemon.args(["--foreground", "--unlock", "--components=secrets"]).stdin(Stdio::piped());
        let mut daemon = daemon.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        daemon.stdin.take().unwrap().write_all(b"a password").unwrap();
        desktop.processes.push(daemon);
        let deadline = Instant::now() + TIMEOUT;
        while !desktop.has_keyring() {
            assert!(Instant::now() < deadline, "no keyring");
            std::thread::sleep(Duration::from_millis(20));
        }
        desktop
    }

    /// Makes a program use only this session bus.
    fn configure(&self, command: &mut Command) {
        command
            .env("DBUS_SESSION_BUS_ADDRESS", &self.address)
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY");
        for name in ["XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "HOME"] {
            command.env(name, self.home.path());
        }
    }

    fn has_keyring(&self) -> bool {
        let mut asked = Command::new("dbus-send");
        self.configure(&mut asked);
        asked.args(["--session", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus"]);
        asked.args(["org.freedesktop.DBus.NameHasOwner", "string:org.freedesktop.secrets"]);
        String::from_utf8_lossy(&asked.output().unwrap().stdout).contains("true")
    }

    /// Runs `mooring`. Returns its exit code and its JSON output.
    pub(crate) fn run(&self, person: &CommandLineUser, words: &[&str]) -> (i32, Value) {
        let mut command = person.command(words);
        self.configure(&mut command);
        let ran = command.output().unwrap();
        let printed = serde_json::from_slice(&ran.stdout).unwrap_or_default();
        (ran.status.code().unwrap_or(-1), printed)
    }

    /// Runs `mooring`, which must succeed. Returns its result.
    pub(crate) fn run_ok(&self, person: &CommandLineUser, words: &[&str]) -> Value {
        let (code, printed) = self.run(person, words);
        assert_eq!(code, 0, "mooring {}: {printed}", words.join(" "));
        printed["result"].clone()
    }

    /// Runs `mooring login --no-browser` and opens the URL that it prints in a browser. Returns the account
    /// and the reported steps.
    pub(crate) fn login(&self, person: &CommandLineUser, words: &[&str]) -> (Value, Vec<String>) {
        let mut login = person.command(&[&["login", "--no-browser", "--json"], words].concat());
        self.configure(&mut login);
        let mut login = login.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut told = Vec::new();
        for line in BufReader::new(login.stderr.take().unwrap()).lines().map_while(Result::ok) {
            if line.trim().starts_with("http") {
                browse(line.trim(), "ada");
            } else {
                told.push(line);
            }
        }
        let mut out = String::new();
        login.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        assert!(login.wait().unwrap().success(), "{out} {told:#?}");
        let printed: Value = serde_json::from_str(&out).unwrap();
        (printed["result"].clone(), told)
    }
}
