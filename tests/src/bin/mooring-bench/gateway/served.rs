//! A data folder whose servers every app may call, and `mooring serve` running on it.

use std::collections::{BTreeMap, HashMap};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::Context as _;
use mooring_app_key::{AppKey, VARIABLE};
use mooring_base::server_id::ServerId;
use mooring_bridge::{AppHello, BridgeError, Connected, Hello};
use mooring_definitions::{EraOverride, NewServer, StartRule, Transport};
use mooring_host::{Host, HostOptions};
use mooring_policy::{Decision, NewRule, PinApproval, PinState};
use mooring_server_state::StateName;
use mooring_settings::Settings;
use mooring_vault::VaultOptions;
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::sync::Mutex;

use super::front::{OpenFront, command};

/// How long a server may take to connect.
const READY_TIMEOUT: Duration = Duration::from_mins(1);
/// The measured app. It is the only one, at the socket and over HTTP.
pub(crate) const APP: &str = "App";

/// The folder and its supervisor. Dropping this ends the supervisor.
pub(crate) struct ServedFolder {
    home: TempDir,
    mooring: PathBuf,
    supervisor: Child,
    port: u16,
    token: String,
    /// The apps' keys by name.
    keys: Mutex<HashMap<String, AppKey>>,
    other_token: String,
}

impl ServedFolder {
    /// Starts the supervisor. Each of the `servers` has a name and the arguments of this program that start
    /// it.
    pub(crate) async fn new(mooring: &Path, servers: &[(String, Vec<String>)]) -> anyhow::Result<Self> {
        let home = tempfile::tempdir()?;
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let [token, other_token] = prepare(home.path(), servers, port).await?;
        let env = environment(home.path());
        let supervisor = command(mooring, &["serve".to_owned(), "--idle=0".to_owned()], &env)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let keys = Mutex::default();
        let served = Self { home, mooring: mooring.to_owned(), supervisor, port, token, other_token, keys };
        served.until_served().await?;
        Ok(served)
    }

    async fn until_served(&self) -> anyhow::Result<()> {
        let listening = async {
            while tokio::net::TcpStream::connect(("127.0.0.1", self.port)).await.is_err() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(READY_TIMEOUT, listening).await.context("`mooring serve` does not listen")
    }

    /// The command that an app starts to use one server.
    pub(crate) async fn bridge(&self, app: &str, server: &str) -> anyhow::Result<Command> {
        let words = ["bridge", "--app", app, "--server", server].map(str::to_owned);
        let mut env = environment(self.home.path());
        env.insert(VARIABLE, self.key(app).await?.to_text());
        Ok(command(&self.mooring, &words, &env))
    }

    /// Connects an app without a bridge. It can use all servers.
    pub(crate) async fn connect(&self, app: &str) -> anyhow::Result<Connected> {
        let key = self.key(app).await?;
        Ok(connect_with(self.home.path(), app, &key).await?)
    }

    /// The key of an app. Created on first use.
    pub(crate) async fn key(&self, app: &str) -> anyhow::Result<AppKey> {
        let mut keys = self.keys.lock().await;
        if let Some(key) = keys.get(app) {
            return Ok(key.clone());
        }
        let key = self.add_app(app).await?;
        keys.insert(app.to_owned(), key.clone());
        Ok(key)
    }

    /// Adds an app and returns its key.
    async fn add_app(&self, app: &str) -> anyhow::Result<AppKey> {
        let words = ["apps", "add", app, "--json"].map(str::to_owned);
        let added = command(&self.mooring, &words, &environment(self.home.path())).output().await?;
        let added: serde_json::Value = serde_json::from_slice(&added.stdout)?;
        let entry = added["result"]["entry"].as_str().context("`mooring apps add` gave no entry")?;
        let entry: serde_json::Value = serde_json::from_str(entry)?;
        let key = entry["mcpServers"]["mooring"]["env"][VARIABLE].as_str();
        key.and_then(AppKey::parse).context("the entry has no key")
    }

    /// Connects an app over HTTP.
    pub(crate) async fn http(&self, server: &str) -> anyhow::Result<OpenFront> {
        let url = format!("http://127.0.0.1:{}/mcp/{server}", self.port);
        OpenFront::http(&url, Some(&self.token)).await
    }

    /// The data folder.
    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    /// The address where apps connect over HTTP.
    pub(crate) fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port).into()
    }

    /// An HTTP request with this body and the right or a wrong token.
    pub(crate) fn request(&self, is_right: bool, body: &str) -> String {
        self.post(is_right, body.len(), body)
    }

    /// An HTTP request with this body and the other app's token.
    pub(crate) fn other_request(&self, body: &str) -> String {
        post(&self.other_token, body.len(), body)
    }

    /// An HTTP request with this content length.
    pub(crate) fn post(&self, is_right: bool, length: usize, body: &str) -> String {
        post(if is_right { &self.token } else { "wrong" }, length, body)
    }

    /// The supervisor's process id.
    pub(crate) fn pid(&self) -> anyhow::Result<u32> {
        self.supervisor.id().context("the supervisor has ended")
    }
}

/// Connects as the app with this key.
pub(crate) async fn connect_with(home: &Path, app: &str, key: &AppKey) -> Result<Connected, BridgeError> {
    let hello = Hello::App(AppHello { app: app.to_owned(), server: None, key: Some(key.public()) });
    mooring_bridge::connect(home, &hello, Some(key)).await
}

fn post(token: &str, length: usize, body: &str) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

fn environment(home: &Path) -> HashMap<&'static str, String> {
    [("MOORING_HOME", home.display().to_string())].into()
}

/// Adds the servers, approves what they offer, and lets apps call them. Returns the HTTP tokens of two apps.
async fn prepare(home: &Path, servers: &[(String, Vec<String>)], port: u16) -> anyhow::Result<[String; 2]> {
    let host = Host::open(HostOptions {
        home: home.to_owned(),
        supervise: true,
        has_person: true,
        journal: true,
        demo_server: None,
        client_name: "mooring-bench",
        client_version: env!("CARGO_PKG_VERSION"),
        vault: VaultOptions::default,
        browser: mooring_accounts::system_browser,
        clock: mooring_base::clock::Clock::system(),
    })
    .await?;
    for (name, words) in servers {
        let id = host.add_server(new_server(name, words)?).await?.id;
        tokio::time::timeout(READY_TIMEOUT, until_ready(&host, id))
            .await
            .context("a server is not ready")??;
        let_apps_call(&host, id).await?;
    }
    host.set_settings(Settings { apps_port: port.into(), ..host.settings() }).await?;
    let tokens = [host.create_app_token(APP).await?, host.create_app_token("Other HTTP app").await?];
    host.shutdown().await;
    Ok(tokens)
}

fn new_server(name: &str, words: &[String]) -> anyhow::Result<NewServer> {
    Ok(NewServer {
        name: name.to_owned(),
        transport: Transport::Stdio,
        command: Some(std::env::current_exe()?.display().to_string()),
        args: words.to_vec(),
        env: BTreeMap::new(),
        cwd: None,
        url: None,
        headers: BTreeMap::new(),
        timeout: None,
        era: EraOverride::Auto,
        secrets: Vec::new(),
        start: StartRule::WithMooring,
    })
}

async fn until_ready(host: &Host, id: ServerId) -> anyhow::Result<()> {
    while host.server(id)?.connection.state != StateName::Ready {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

async fn let_apps_call(host: &Host, id: ServerId) -> anyhow::Result<()> {
    // Definitions must be loaded before they can be approved.
    host.tools(id, false).await?;
    let items = host.trust(id).await?.items;
    let new = items.into_iter().filter(|item| item.state == PinState::New);
    let approvals: Vec<PinApproval> =
        new.map(|item| PinApproval { kind: item.kind, name: item.name, hash: item.hash }).collect();
    host.approve_trust(id, &approvals).await?;
    let rule = NewRule {
        effect: Decision::Allow,
        server: Some(id),
        tool: None,
        caller: None,
        destructive_only: false,
        arguments: Vec::new(),
        expires_ms: None,
    };
    host.save_rule(None, rule).await?;
    Ok(())
}
