//! The minimal client over HTTP. It uses the same HTTP library as the other clients and nothing else.

use anyhow::ensure;
use bytes::Bytes;
use reqwest::header::HeaderMap;
use reqwest::{Client, Response};

use crate::echo::answer::{id, number};
use crate::figures::Row;
use crate::load::{INITIALIZE, INITIALIZED, Load};
use crate::workers;

/// Measures the load.
pub(crate) fn measure(url: &str, load: &Load) -> anyhow::Result<Row> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let client = client(HeaderMap::new())?;
        connect(&client, url).await?;
        let (url, request) = (url.to_owned(), load.request());
        workers::measure(load, move |number_of_call| {
            let (client, url, request) = (client.clone(), url.clone(), request.clone());
            async move {
                let message = format!("{}{number_of_call}{}", request.0, request.1);
                let answer = post(&client, &url, message).await;
                answer.is_ok_and(|answer| id(&answer).map(number) == Some(number_of_call))
            }
        })
        .await
    })
}

/// Builds the client that all connections share. Every request has these `headers`.
pub(crate) fn client(headers: HeaderMap) -> anyhow::Result<Client> {
    Ok(Client::builder().default_headers(headers).no_proxy().tcp_nodelay(true).build()?)
}

/// Initializes the session with the echo server. The client has all of the connection's state.
pub(crate) async fn connect(client: &Client, url: &str) -> anyhow::Result<()> {
    post(client, url, INITIALIZE.to_owned()).await?;
    post(client, url, INITIALIZED.to_owned()).await?;
    Ok(())
}

async fn post(client: &Client, url: &str, message: String) -> anyhow::Result<Bytes> {
    Ok(send(client, url, message).await?.bytes().await?)
}

/// Sends a message. Fails if the status isn't a success.
pub(crate) async fn send(client: &Client, url: &str, message: String) -> anyhow::Result<Response> {
    let answer = client
        .post(url)
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2025-11-25")
        .body(message)
        .send()
        .await?;
    ensure!(answer.status().is_success(), "the server answered {}", answer.status());
    Ok(answer)
}
