//! A host with its log, in a temporary folder.

use std::time::{Duration, Instant};

use anyhow::ensure;
use mooring_calls::{CallStatus, ToolCall};
use mooring_connections::{ConnectOptions, Connection, Permit, Target};
use mooring_host::{Host, HostOptions};
use mooring_mcp::EraChoice;
use mooring_policy::Caller;
use serde_json::value::RawValue;
use tempfile::TempDir;

pub(crate) struct BenchHost {
    pub(crate) host: Host,
    home: TempDir,
}

impl BenchHost {
    pub(crate) async fn new() -> anyhow::Result<Self> {
        let home = tempfile::tempdir()?;
        let host = Host::open(HostOptions {
            home: home.path().to_owned(),
            supervise: false,
            has_person: false,
            journal: true,
            demo_server: None,
            client_name: "mooring-bench",
            client_version: env!("CARGO_PKG_VERSION"),
            vault: mooring_vault::VaultOptions::default,
            browser: mooring_accounts::system_browser,
            clock: mooring_base::clock::Clock::system(),
        })
        .await?;
        Ok(Self { host, home })
    }

    /// Connects to this program as a server with these arguments.
    pub(crate) async fn server(&self, words: &[&str]) -> anyhow::Result<Connection> {
        let target = Target::Command {
            program: std::env::current_exe()?.display().to_string(),
            args: words.iter().map(|word| (*word).to_owned()).collect(),
            env: [].into(),
            cwd: self.home.path().to_owned(),
        };
        self.connect(target).await
    }

    pub(crate) async fn connect(&self, target: Target) -> anyhow::Result<Connection> {
        let options = ConnectOptions { era: EraChoice::Auto, ..ConnectOptions::default() };
        Ok(self.host.connect(target, options).await?)
    }
}

/// A tool call with its own time limit.
pub(crate) fn call(tool: &str, arguments: &str, limit: Duration) -> anyhow::Result<ToolCall> {
    Ok(ToolCall {
        request: None,
        tool: tool.to_owned(),
        arguments: Some(RawValue::from_string(arguments.to_owned())?),
        caller: Caller::CommandLine,
        idle: Some(limit),
        total: Some(limit),
    })
}

/// Permission for this many calls of the tool `echo`.
pub(crate) async fn echoes(connection: &Connection, calls: usize) -> anyhow::Result<Permit> {
    let call = call("echo", "{\"text\":\"ahoy\"}", Duration::from_mins(1))?;
    Ok(connection.permit(call, calls as u64).await?)
}

/// Calls `echo` repeatedly with a pause in between. Returns how long each call took.
pub(crate) async fn time_calls(
    permit: &Permit,
    calls: usize,
    pause: Duration,
) -> anyhow::Result<Vec<Duration>> {
    let mut latencies = Vec::with_capacity(calls);
    for _ in 0..calls {
        let begun = Instant::now();
        let outcome = permit.call_without_progress().await?;
        ensure!(outcome.status == CallStatus::Ok, "a healthy server's call failed: {:?}", outcome.error);
        latencies.push(begun.elapsed());
        tokio::time::sleep(pause).await;
    }
    latencies.sort_unstable();
    Ok(latencies)
}

/// The 99th percentile of sorted times, in milliseconds.
pub(crate) fn p99(sorted: &[Duration]) -> f64 {
    let index = (sorted.len() * 99 / 100).min(sorted.len().saturating_sub(1));
    sorted.get(index).copied().unwrap_or_default().as_secs_f64() * 1000.0
}
