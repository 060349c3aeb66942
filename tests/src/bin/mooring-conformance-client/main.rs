//! A client for the official conformance suite. It connects like Mooring, negotiates the protocol version,
//! and uses everything that the server offers once. `cargo xtask conformance` runs the suite with it. To run
//! it manually: `conformance client --command target/debug/mooring-conformance-client --scenario initialize`.
//!
//! The suite sets the scenario's name and sometimes, in `MCP_CONFORMANCE_CONTEXT`, which tools to call. The
//! name only decides what a person would decide: whether to open a listed skill. The client never checks
//! which protocol version is tested.
#![expect(clippy::print_stderr, reason = "the suite keeps what is printed beside its findings")]

mod arguments;
mod handler;
mod user;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use futures_util::future::join_all;
use mooring_mcp::{
    CallOptions, Client, ClientOptions, ConnectError, NoTap, ServerTarget, SkillFiles, Tool, http_client,
};
use mooring_network::Network;
use serde_json::Value;
use serde_json::value::to_raw_value;
use url::Url;

use crate::handler::AgreeingHandler;
use crate::user::TestUser;

/// The longest time of a run. The suite has no time limit of its own.
const RUN_TIMEOUT: Duration = Duration::from_secs(25);
/// How long a server may be silent.
const IDLE_TIMEOUT: Duration = Duration::from_secs(15);

#[tokio::main]
async fn main() -> ExitCode {
    let run = tokio::time::timeout(RUN_TIMEOUT, run());
    match run.await.map_err(anyhow::Error::from).flatten() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> anyhow::Result<()> {
    let url = std::env::args().nth(1).context("usage: mooring-conformance-client URL")?;
    let url: Url = url.parse()?;
    let guest = TestUser::new(&url, &context()?).await?;
    let mut options =
        ClientOptions::new("mooring", env!("CARGO_PKG_VERSION"), http_client("mooring", &Network::direct()));
    options.deadlines.idle = IDLE_TIMEOUT;
    let client = connect(&guest, &url, options).await?;
    eprintln!("{}", client.handshake().reason);
    if client.handshake().offers("tools") {
        tools(&client, &guest).await?;
    }
    skills(&client).await?;
    if client.handshake().offers("resources") {
        for resource in client.list_resources().await?.items {
            eprintln!("{:?}", client.read_resource(&resource.uri, CallOptions::default()).await);
        }
    }
    if client.handshake().offers("prompts") {
        for prompt in client.list_prompts().await?.items {
            let arguments = to_raw_value(&arguments::for_prompt(&prompt))?;
            eprintln!(
                "{:?}",
                client.get_prompt(&prompt.name, Some(&arguments), CallOptions::default()).await
            );
        }
    }
    client.shutdown().await;
    Ok(())
}

/// Connects, and signs in as often as needed.
async fn connect(guest: &TestUser, url: &Url, options: ClientOptions) -> anyhow::Result<Client> {
    loop {
        let before = guest.sign_in_count();
        let options = ClientOptions { access: Some(guest.authorizer().await), ..options.clone() };
        let target = ServerTarget::Http { url: url.clone(), headers: Vec::new() };
        match Client::connect(target, options, Arc::new(AgreeingHandler), Arc::new(NoTap)).await {
            Err(ConnectError::SignIn { .. }) => guest.sign_in(before).await?,
            connected => return Ok(connected?),
        }
    }
}

/// Calls the tools in the context, or all listed tools, in parallel.
async fn tools(client: &Client, guest: &TestUser) -> anyhow::Result<()> {
    let listed = guest.ask(async || client.list_tools().await).await?;
    for odd in &listed.diagnostics {
        eprintln!("{odd}");
    }
    let chosen = context()?.get("toolCalls").and_then(Value::as_array).cloned();
    let calls: Vec<(String, Value)> = match chosen {
        Some(chosen) => chosen
            .iter()
            .filter_map(|call| Some((call.get("name")?.as_str()?.to_owned(), call.get("arguments")?.clone())))
            .collect(),
        None => listed
            .items
            .iter()
            .map(|tool: &Tool| (tool.name.clone(), arguments::for_tool(tool, &listed.items)))
            .collect(),
    };
    let calls = calls.iter().map(async |(name, arguments)| {
        let arguments = to_raw_value(arguments)?;
        let call = async || client.call_tool(name, Some(&arguments), CallOptions::default()).await;
        eprintln!("{name}: {:?}", guest.ask(call).await);
        anyhow::Ok(())
    });
    join_all(calls).await.into_iter().collect()
}

/// Opens each skill and then its other files, unless the scenario only needs the list. Skips a skill whose
/// content doesn't match its description.
async fn skills(client: &Client) -> anyhow::Result<()> {
    let listed = match client.list_skills().await {
        Ok(listed) => listed,
        Err(mooring_mcp::SkillError::NotOffered) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_else(|_| String::new());
    if scenario.ends_with("no-prefetch") {
        return Ok(());
    }
    for skill in &listed.items {
        let files = match &skill.files {
            SkillFiles::Listed(files) => files.as_slice(),
            SkillFiles::Dynamic => &[],
        };
        let others = files.iter().map(|file| file.uri.as_str()).filter(|uri| *uri != skill.uri);
        for uri in std::iter::once(skill.uri.as_str()).chain(others) {
            if let Err(error) = client.read_skill_file(skill, uri, CallOptions::default()).await {
                eprintln!("{}: {error}", skill.name);
                break;
            }
        }
    }
    Ok(())
}

/// The suite's instructions, if there are any.
fn context() -> anyhow::Result<Value> {
    match std::env::var("MCP_CONFORMANCE_CONTEXT") {
        Ok(text) => serde_json::from_str(&text).context("MCP_CONFORMANCE_CONTEXT is not JSON"),
        Err(_) => Ok(Value::Null),
    }
}
