//! The memory of idle connections: resident memory per connection to the echo server.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use mooring_connections::Target;
use mooring_mcp::{
    Client, ClientHandler, ClientOptions, Diagnostic, HttpClient, NoTap, Notification,
    ServerTarget as EngineTarget, http_client,
};
use mooring_network::Network;
use mooring_process::{SearchPath, SpawnOptions};
use reqwest::header::HeaderMap;
use rmcp::ServiceExt as _;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use serde::{Deserialize, Serialize};

use crate::floor;
use crate::reliability::{BenchHost, anonymous_memory, command};

/// Connections made before the measurement, so that one-time allocations don't count.
const WARM_UP_CONNECTIONS: usize = 20;
/// How many connections are measured.
const COUNTED_CONNECTIONS: usize = 100;
/// How long to wait until startup memory is freed.
const SETTLE: Duration = Duration::from_millis(500);

/// Arguments of one measurement.
#[derive(Debug, Clone, Args)]
pub(crate) struct IdleArguments {
    /// Which client to measure.
    #[arg(long)]
    pub(crate) who: IdleClient,
    /// The echo server's URL. Without it, each connection has its own process.
    #[arg(long)]
    pub(crate) url: Option<String>,
}

/// The measured client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum IdleClient {
    Floor,
    Rmcp,
    /// Our client without a host.
    Engine,
    /// Our client with its host and its log.
    Mooring,
}

/// The result of the measurement.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct IdleRow {
    /// Memory of this process per connection, in KiB.
    pub(crate) kib: f64,
}

/// Measures the memory of idle connections.
pub(crate) fn measure(wanted: &IdleArguments) -> anyhow::Result<IdleRow> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let own = std::env::current_exe()?;
    let url = wanted.url.as_deref();
    runtime.block_on(async {
        match wanted.who {
            IdleClient::Floor => match url {
                None => measure_each(|| floor::stdio::connect(floor::stdio::echo(&own))).await,
                Some(url) => {
                    let client = floor::http::client(HeaderMap::new())?;
                    measure_each(|| floor::http::connect(&client, url)).await
                }
            },
            IdleClient::Rmcp => match url {
                None => {
                    measure_each(async || {
                        let mut echo = tokio::process::Command::from(command(&own));
                        echo.arg("echo-stdio");
                        Ok(().serve(TokioChildProcess::new(echo)?).await?)
                    })
                    .await
                }
                Some(url) => {
                    measure_each(async || Ok(().serve(StreamableHttpClientTransport::from_uri(url)).await?))
                        .await
                }
            },
            IdleClient::Engine => {
                let client = http_client("mooring-bench/0", &Network::direct());
                measure_each(|| connect_client(&own, url, &client)).await
            }
            IdleClient::Mooring => {
                let place = BenchHost::new().await?;
                let row = measure_each(|| place.connect(target(&own, url))).await?;
                place.host.shutdown().await;
                Ok(row)
            }
        }
    })
}

/// Connects our client. It ignores all messages and answers no questions.
async fn connect_client(own: &Path, url: Option<&str>, http: &HttpClient) -> anyhow::Result<Client> {
    let target = match url {
        Some(url) => EngineTarget::Http { url: url.parse()?, headers: Vec::new() },
        None => EngineTarget::Stdio(SpawnOptions {
            program: own.to_owned(),
            args: vec!["echo-stdio".to_owned()],
            env: [].into(),
            cwd: std::env::temp_dir(),
            search: SearchPath::from_environment(),
        }),
    };
    let options = ClientOptions::new("mooring-bench", env!("CARGO_PKG_VERSION"), http.clone());
    Ok(Client::connect(target, options, Arc::new(IgnoringHandler), Arc::new(NoTap)).await?)
}

/// Ignores all messages.
struct IgnoringHandler;

impl ClientHandler for IgnoringHandler {
    fn notify(&self, _: Notification) {}

    fn diagnose(&self, _: Diagnostic) {}
}

fn target(own: &Path, url: Option<&str>) -> Target {
    match url {
        Some(url) => Target::Url { url: url.to_owned(), headers: [].into() },
        None => Target::Command {
            program: own.display().to_string(),
            args: vec!["echo-stdio".to_owned()],
            env: [].into(),
            cwd: std::env::temp_dir(),
        },
    }
}

/// Makes the connections, the measured ones all at once, keeps them open, and compares the memory before and
/// after.
async fn measure_each<C, F: Future<Output = anyhow::Result<C>>>(
    connect: impl Fn() -> F,
) -> anyhow::Result<IdleRow> {
    let first = futures_util::future::try_join_all((0..WARM_UP_CONNECTIONS).map(|_| connect())).await?;
    tokio::time::sleep(SETTLE).await;
    let before = anonymous_memory();
    let counted = futures_util::future::try_join_all((0..COUNTED_CONNECTIONS).map(|_| connect())).await?;
    tokio::time::sleep(SETTLE).await;
    let more = anonymous_memory().checked_sub(before).context("there is less memory in use than before")?;
    drop((first, counted));
    #[expect(clippy::cast_precision_loss, reason = "an amount of memory for people to read")]
    Ok(IdleRow { kib: more as f64 / COUNTED_CONNECTIONS as f64 })
}
