//! The measured subjects: the servers themselves, the gateway, and popular proxies.

use std::collections::HashMap;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, ensure};
use serde::Serialize;
use tokio::process::{Child, Command};

use super::front::{OpenFront, command};
use super::served::{APP, ServedFolder};
use crate::table::Programs;

/// The name of the server behind all subjects in the gateway's folder.
pub(crate) const SERVER: &str = "echo";

/// The transport of the server behind a subject. Its calls are compared with direct calls over this
/// transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behind {
    Stdio,
    Http,
}

/// The role of a subject in the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Role {
    /// The server itself.
    Direct,
    Ours,
    Peer,
}

/// A measured subject.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    pub(crate) role: Role,
    pub(crate) behind: Behind,
    /// Whether apps reach it over HTTP. Otherwise they use stdio.
    pub(crate) is_http: bool,
    /// The connection, or why it can't be measured.
    pub(crate) open: Result<OpenFront, String>,
    /// The process that listens, for a subject over HTTP.
    _listener: Option<Child>,
}

/// The installed proxies.
struct Proxies<'a> {
    programs: &'a Programs,
    folder: Option<PathBuf>,
    echo_url: &'a str,
}

/// Starts all subjects. `echo_url` is the server over HTTP.
pub(crate) async fn start(programs: &Programs, served: &ServedFolder, echo_url: &str) -> Vec<Subject> {
    let folder = std::env::var_os("MOORING_PROXIES").map(PathBuf::from);
    let proxies = Proxies { programs, folder, echo_url };
    let own = programs.own.display().to_string();
    let no_env = HashMap::new();
    let direct = command(&programs.own, &["echo-stdio".to_owned()], &no_env);
    let mut subjects = vec![
        proxies.stdio("mcp-remote (npm)", Behind::Http).await,
        proxies.stdio("mcp-proxy (PyPI)", Behind::Http).await,
        proxies.stdio("FastMCP", Behind::Stdio).await,
        subject(
            "Mooring",
            Role::Ours,
            Behind::Stdio,
            false,
            match served.bridge(APP, SERVER).await {
                Ok(bridge) => OpenFront::stdio(bridge).await,
                Err(error) => Err(error),
            },
        ),
        subject("direct, stdio", Role::Direct, Behind::Stdio, false, OpenFront::stdio(direct).await),
    ];
    for name in ["mcp-proxy (npm)", "supergateway (npm)", "mcp-proxy (PyPI)", "FastMCP"] {
        subjects.push(proxies.http(name, &own).await);
    }
    subjects.push(subject("Mooring", Role::Ours, Behind::Stdio, true, served.http(SERVER).await));
    let direct = OpenFront::http(echo_url, None).await;
    subjects.push(subject("direct, HTTP", Role::Direct, Behind::Http, true, direct));
    subjects
}

fn subject(
    name: &'static str,
    role: Role,
    behind: Behind,
    is_http: bool,
    open: anyhow::Result<OpenFront>,
) -> Subject {
    let open = open.map_err(|error| format!("{error:#}"));
    Subject { name, role, behind, is_http, open, _listener: None }
}

impl Proxies<'_> {
    /// Starts a peer over stdio.
    async fn stdio(&self, name: &'static str, behind: Behind) -> Subject {
        let open = match self.command(name, None) {
            Ok(mut command) => {
                command.stderr(Stdio::null());
                OpenFront::stdio(command).await
            }
            Err(error) => Err(error),
        };
        subject(name, Role::Peer, behind, false, open)
    }

    /// Starts a peer over HTTP.
    async fn http(&self, name: &'static str, own: &str) -> Subject {
        let (open, listener) = match self.listen(name, own) {
            Ok((url, listener)) => (OpenFront::http(&url, None).await, Some(listener)),
            Err(error) => (Err(error), None),
        };
        Subject { _listener: listener, ..subject(name, Role::Peer, Behind::Stdio, true, open) }
    }

    fn listen(&self, name: &str, own: &str) -> anyhow::Result<(String, Child)> {
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let mut command = self.command(name, Some((port, own)))?;
        let listener = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        Ok((format!("http://127.0.0.1:{port}/mcp"), listener))
    }

    /// The command that starts a peer. With `listens` it is an HTTP peer on this port, in front of this
    /// program.
    fn command(&self, name: &str, listens: Option<(u16, &str)>) -> anyhow::Result<Command> {
        let folder =
            self.folder.as_deref().context("not installed: `cargo xtask bench gateway` brings it")?;
        let port = listens.map(|(port, _)| port.to_string()).unwrap_or_default();
        let own = listens.map_or_else(String::new, |(_, own)| own.to_owned());
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let node = |package: &str| folder.join("node_modules/.bin").join(package);
        let (program, arguments) = match (name, listens) {
            ("mcp-remote (npm)", None) => {
                (node("mcp-remote"), words(&[self.echo_url, "--transport", "http-only"]))
            }
            ("mcp-proxy (npm)", Some(_)) => (
                node("mcp-proxy"),
                words(&[
                    "--host",
                    "127.0.0.1",
                    "--port",
                    &port,
                    "--server",
                    "stream",
                    "--",
                    &own,
                    "echo-stdio",
                ]),
            ),
            ("supergateway (npm)", Some(_)) => {
                let server = format!("{own} echo-stdio");
                let to = ["--stdio", &server, "--outputTransport", "streamableHttp", "--stateful"];
                let listens = ["--port", &port, "--logLevel", "none"];
                (node("supergateway"), words(&[&to[..], &listens[..]].concat()))
            }
            ("mcp-proxy (PyPI)", None) => (
                folder.join("venv/bin/mcp-proxy"),
                words(&["--transport", "streamablehttp", "--log-level", "ERROR", self.echo_url]),
            ),
            ("mcp-proxy (PyPI)", Some(_)) => (
                folder.join("venv/bin/mcp-proxy"),
                words(&["--port", &port, "--log-level", "ERROR", "--", &own, "echo-stdio"]),
            ),
            _ => {
                let servers = self.programs.servers.as_ref().context("FastMCP is not installed")?;
                let script = folder.join("fastmcp_proxy.py").display().to_string();
                let echo = self.programs.own.display().to_string();
                (servers.join("venv/bin/python"), words(&[&script, &port, &echo, "echo-stdio"]))
            }
        };
        ensure!(program.is_file(), "not installed");
        let env = [("MCP_REMOTE_CONFIG_DIR", config(folder))].into();
        Ok(command(&program, &arguments, &env))
    }
}

/// Where mcp-remote writes its data.
fn config(folder: &Path) -> String {
    folder.join("config").display().to_string()
}
