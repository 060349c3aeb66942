//! The official SDK's client, used as in its documentation.

use anyhow::Context as _;
use rmcp::model::CallToolRequestParams;
use rmcp::service::RunningService;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{RoleClient, ServiceExt as _};

use crate::figures::Row;
use crate::load::Load;
use crate::workers;

/// Measures the load over stdio.
pub(crate) fn stdio(load: &Load) -> anyhow::Result<Row> {
    runtime()?.block_on(async {
        #[expect(clippy::disallowed_methods, reason = "the SDK starts its own servers")]
        let mut command = tokio::process::Command::new(std::env::current_exe()?);
        command.arg("echo-stdio");
        let client = ().serve(TokioChildProcess::new(command)?).await?;
        measure(client, load).await
    })
}

/// Measures the load over HTTP.
pub(crate) fn http(url: &str, load: &Load) -> anyhow::Result<Row> {
    runtime()?.block_on(async {
        let client = ().serve(StreamableHttpClientTransport::from_uri(url)).await?;
        measure(client, load).await
    })
}

fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread().enable_all().build()?)
}

async fn measure(client: RunningService<RoleClient, ()>, load: &Load) -> anyhow::Result<Row> {
    let arguments = serde_json::from_str::<serde_json::Value>(&load.arguments())?;
    let arguments = arguments.as_object().context("arguments are an object")?.clone();
    let (peer, tool) = (client.peer().clone(), load.tool());
    let row = workers::measure(load, move |_| {
        let request = CallToolRequestParams::new(tool).with_arguments(arguments.clone());
        let peer = peer.clone();
        async move { peer.call_tool(request).await.is_ok() }
    })
    .await?;
    client.cancel().await?;
    Ok(row)
}
