//! Prepares a data folder for the official conformance suite: the suite's server in each era and in both,
//! with everything approved, and an app that may call it. `mooring serve` then runs on this folder.
//!
//! The command line can't do this, because a person must review what a server offers.
#![expect(clippy::print_stdout, reason = "what `cargo xtask conformance` has to know")]

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use mooring_base::server_id::ServerId;
use mooring_definitions::{EraOverride, NewServer, StartRule, Transport};
use mooring_host::{Host, HostOptions};
use mooring_models::SamplingPolicy;
use mooring_policy::{AppLevel, PinApproval, PinState};
use mooring_server_state::StateName;
use mooring_settings::Settings;
use serde_json::json;

/// The suite's name as an app.
const APP: &str = "Conformance";
/// The eras of the server, which are also the names of the three servers.
const ERAS: [&str; 3] = [SESSION, "stateless", BOTH];
const SESSION: &str = "session";
const BOTH: &str = "both";
/// How long a server may take to start.
const START_TIMEOUT: Duration = Duration::from_secs(30);

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [home, node, script] = words.as_slice() else {
        bail!("usage: mooring-conformance-gateway FOLDER NODE SCRIPT");
    };
    let host = Host::open(HostOptions {
        home: PathBuf::from(home),
        supervise: true,
        has_person: false,
        journal: true,
        demo_server: None,
        client_name: "mooring",
        client_version: env!("CARGO_PKG_VERSION"),
        vault: mooring_vault::VaultOptions::default,
        browser: mooring_accounts::system_browser,
        clock: mooring_base::clock::Clock::system(),
    })
    .await?;
    let prepared = prepare(&host, node, script).await;
    host.shutdown().await;
    println!("{}", prepared?);
    Ok(())
}

/// Returns the port and the token for the suite, as JSON.
async fn prepare(host: &Host, node: &str, script: &str) -> anyhow::Result<serde_json::Value> {
    for era in ERAS {
        let id = host.add_server(suite_server(era, node, script)).await?.id;
        until_ready(host, id).await?;
        if era == SESSION {
            // A session server gets one set of capabilities for all apps and the person, and it only includes
            // sampling if that is enabled. Other servers get each app's capabilities.
            let policy = SamplingPolicy { enabled: true, ..SamplingPolicy::default() };
            host.set_sampling(id, policy).await?;
            host.restart(id).await?;
            until_ready(host, id).await?;
        }
        if era == BOTH {
            until_tried(host, id).await?;
        }
        approve(host, id).await?;
    }
    host.set_app_level(APP, Some(AppLevel::AppAsks)).await?;
    let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
    host.set_settings(Settings { apps_port: port.into(), ..host.settings() }).await?;
    Ok(json!({"port": port, "token": host.create_app_token(APP).await?}))
}

fn suite_server(era: &str, node: &str, script: &str) -> NewServer {
    NewServer {
        name: era.to_owned(),
        transport: Transport::Stdio,
        command: Some(node.to_owned()),
        args: [script, "stdio", era].map(str::to_owned).to_vec(),
        env: BTreeMap::new(),
        cwd: None,
        url: None,
        headers: BTreeMap::new(),
        timeout: None,
        era: EraOverride::Auto,
        secrets: Vec::new(),
        start: StartRule::WithMooring,
    }
}

async fn until_ready(host: &Host, id: ServerId) -> anyhow::Result<()> {
    let mut events = host.events();
    let ready = async {
        loop {
            match host.server(id)?.connection.state {
                StateName::Ready => return Ok(()),
                StateName::Failed => bail!("the server failed: {:?}", host.server(id)?.connection.failure),
                // A lagging receiver checks again, which is all that is needed.
                _ => drop(events.recv().await),
            }
        }
    };
    tokio::time::timeout(START_TIMEOUT, ready).await.context("the server did not start")?
}

/// Waits until the host knows that the server also supports sessions.
async fn until_tried(host: &Host, id: ServerId) -> anyhow::Result<()> {
    let mut events = host.events();
    let tried = async {
        while host.remembered(id).await?.needs_session_trial() {
            // A lagging receiver checks again, which is all that is needed.
            drop(events.recv().await);
        }
        anyhow::Ok(())
    };
    tokio::time::timeout(START_TIMEOUT, tried).await.context("the server was not tried in a session")??;
    ensure!(host.remembered(id).await?.speaks_session(), "the server speaks no session");
    Ok(())
}

/// Approves everything that the server offers.
async fn approve(host: &Host, id: ServerId) -> anyhow::Result<()> {
    // Definitions must be loaded before they can be approved.
    host.tools(id, false).await?;
    host.prompts(id, false).await?;
    host.resources(id, false).await?;
    let items = host.trust(id).await?.items;
    let new = items.into_iter().filter(|item| item.state == PinState::New);
    let approvals: Vec<PinApproval> =
        new.map(|item| PinApproval { kind: item.kind, name: item.name, hash: item.hash }).collect();
    ensure!(!approvals.is_empty(), "the server offers nothing");
    host.approve_trust(id, &approvals).await?;
    Ok(())
}
