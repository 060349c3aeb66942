//! The suite's server, alone and behind a gateway with its own data folder.

use std::net::{Ipv4Addr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::Suite;
use crate::binaries::file_name;
use crate::command::{Command, RunningCommand};

/// Prepares the data folder. A binary of the package `mooring-tests`.
const PREPARE: &str = "mooring-conformance-gateway";
/// The cargo arguments that select the programs for these runs.
pub(super) const PROGRAMS: &[&str] = &["--bin", PREPARE, "--bin", "mooring"];
/// The suite's server alone, and behind the gateway: in each era and in both at once.
pub(super) const SERVERS: [&str; 4] = [ALONE, "session", "stateless", "both"];
const ALONE: &str = "alone";
/// How long the gateway may take to start.
const START_TIMEOUT: Duration = Duration::from_secs(30);

/// The running servers and the gateway. Dropping this ends them.
pub(super) struct Served {
    /// The endpoint of the server alone.
    alone: String,
    /// The gateway's port for apps without a token.
    port: u16,
    _running: [RunningCommand; 3],
}

impl Served {
    pub(super) fn start(suite: &Suite<'_>) -> Result<Self> {
        let logs = suite.folder("gateway")?;
        let home = logs.join("home");
        let script = suite.workspace.servers().join("npm/suite.mjs");
        let program = |name: &str| Command::new(suite.workspace.binaries().join(file_name(name)));

        let mut server =
            Command::new(suite.node()).arg(&script).arg("http").start(&logs.join("server.log"))?;
        let alone = server.first_line()?;

        let prepared = program(PREPARE).arg(&home).arg(suite.node()).arg(&script).capture()?;
        let prepared: Value = serde_json::from_str(&prepared).context("what was prepared is not JSON")?;
        let gateway_port = prepared["port"].as_u64().and_then(|port| u16::try_from(port).ok());
        let gateway_port = gateway_port.context("no port was prepared")?;
        let token = prepared["token"].as_str().context("no token was prepared")?;

        let gateway = program("mooring").args(["serve", "--idle", "0"]).env("MOORING_HOME", &home);
        let mut gateway = gateway.start(&logs.join("gateway.log"))?;
        wait_for(gateway_port, &mut gateway)?;

        let proxy = suite.workspace.root.join("tests/conformance/with-token.mjs");
        let proxy = Command::new(suite.node()).arg(proxy).arg(gateway_port.to_string());
        let mut proxy = proxy.env("MOORING_TOKEN", token).start(&logs.join("proxy.log"))?;
        let port = proxy.first_line()?.parse().context("the proxy printed no port")?;
        Ok(Self { alone, port, _running: [proxy, gateway, server] })
    }

    /// The endpoint of a server in [`SERVERS`].
    pub(super) fn url(&self, server: &str) -> String {
        if server == ALONE {
            self.alone.clone()
        } else {
            format!("http://127.0.0.1:{}/mcp/{server}", self.port)
        }
    }
}

fn wait_for(port: u16, gateway: &mut RunningCommand) -> Result<()> {
    let deadline = Instant::now() + START_TIMEOUT;
    while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
        gateway.check_running()?;
        ensure!(Instant::now() < deadline, "the gateway does not listen at its port");
        thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}
