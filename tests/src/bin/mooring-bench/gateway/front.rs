//! The client for all subjects: JSON-RPC over stdio or HTTP.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use bytes::Bytes;
use memchr::memmem;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use tokio::process::Command;

use crate::echo::answer::{id, number};
use crate::figures::Row;
use crate::floor::http;
use crate::floor::stdio::{self, FloorClient, FloorConnection};
use crate::load::{INITIALIZE, INITIALIZED, Load};
use crate::workers;

/// How long a subject may take to start.
const START_TIMEOUT: Duration = Duration::from_secs(40);
/// How long one load may take.
const LOAD_TIMEOUT: Duration = Duration::from_mins(3);
/// The answer to every successful call.
const ANSWER: &[u8] = b"ahoy";

/// A connection for calls.
#[derive(Clone)]
pub(crate) enum Front {
    Stdio(FloorClient),
    Http { client: reqwest::Client, url: String },
}

/// A running subject that answers calls.
pub(crate) struct OpenFront {
    pub(crate) front: Front,
    /// The process behind stdio.
    process: Option<FloorConnection>,
    /// The time from the start to the first answer.
    pub(crate) first_answer: Duration,
    /// The number of loads so far. Each uses its own range of ids.
    loads: usize,
}

impl OpenFront {
    /// Starts a program that speaks MCP over stdio.
    pub(crate) async fn stdio(command: Command) -> anyhow::Result<Self> {
        let begun = Instant::now();
        let connection = tokio::time::timeout(START_TIMEOUT, stdio::connect(command))
            .await
            .context("it did not start in time")??;
        let first_answer = begun.elapsed();
        let front = Front::Stdio(connection.client());
        let open = Self { front, process: Some(connection), first_answer, loads: 0 };
        open.until_ready().await?;
        Ok(open)
    }

    /// Connects to a URL, and waits until a server listens there.
    pub(crate) async fn http(url: &str, token: Option<&str>) -> anyhow::Result<Self> {
        let begun = Instant::now();
        let mut headers = HeaderMap::new();
        if let Some(token) = token {
            headers.insert(AUTHORIZATION, HeaderValue::from_str(&format!("Bearer {token}"))?);
        }
        let opening = http::client(headers.clone())?;
        let opened = loop {
            match http::send(&opening, url, INITIALIZE.to_owned()).await {
                Ok(opened) => break opened,
                Err(_) if begun.elapsed() < START_TIMEOUT => {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                Err(error) => return Err(error),
            }
        };
        let session = HeaderName::from_static("mcp-session-id");
        if let Some(value) = opened.headers().get(&session) {
            headers.insert(session, value.clone());
        }
        opened.bytes().await?;
        let client = http::client(headers)?;
        http::send(&client, url, INITIALIZED.to_owned()).await?.bytes().await?;
        let front = Front::Http { client, url: url.to_owned() };
        let open = Self { front, process: None, first_answer: begun.elapsed(), loads: 0 };
        open.until_ready().await?;
        Ok(open)
    }

    /// The program's process id.
    pub(crate) fn pid(&self) -> Option<u32> {
        self.process.as_ref().and_then(FloorConnection::pid)
    }

    async fn until_ready(&self) -> anyhow::Result<()> {
        let begun = Instant::now();
        let mut number = 1;
        while let Err(error) = echo(&self.front, number).await {
            ensure!(begun.elapsed() < START_TIMEOUT, "{error:#}");
            tokio::time::sleep(Duration::from_millis(100)).await;
            number += 1;
        }
        Ok(())
    }

    /// Calls `echo` this many times with this concurrency.
    pub(crate) async fn measure(&mut self, calls: usize, concurrency: usize) -> anyhow::Result<Row> {
        self.loads += 1;
        let (front, base) = (self.front.clone(), self.loads * 1_000_000);
        let load = Load { calls, concurrency, bytes: None };
        let measured = workers::measure(&load, move |number| {
            let front = front.clone();
            async move { echo(&front, base + number).await.is_ok() }
        });
        tokio::time::timeout(LOAD_TIMEOUT, measured).await.context("the calls did not end in time")?
    }
}

impl Front {
    /// Sends a request and returns its answer.
    pub(crate) async fn call(&self, number: usize, message: String) -> anyhow::Result<Bytes> {
        match self {
            Self::Stdio(client) => client.call(number, Bytes::from(message)).await,
            Self::Http { client, url } => Ok(http::send(client, url, message).await?.bytes().await?),
        }
    }
}

/// Calls `echo` and checks that the answer is the server's.
async fn echo(front: &Front, number_of_call: usize) -> anyhow::Result<()> {
    let request = Load { calls: 1, concurrency: 1, bytes: None }.request();
    let answer = front.call(number_of_call, format!("{}{number_of_call}{}", request.0, request.1)).await?;
    let is_own = id(&answer).map(number) == Some(number_of_call);
    ensure!(is_own && memmem::find(&answer, ANSWER).is_some(), "{}", String::from_utf8_lossy(&answer));
    Ok(())
}

/// Builds a command without the system's proxy variables.
pub(crate) fn command(
    program: &std::path::Path,
    arguments: &[String],
    env: &HashMap<&str, String>,
) -> Command {
    let mut command = Command::from(crate::reliability::command(program));
    command.args(arguments).envs(env).kill_on_drop(true);
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        command.env_remove(name);
    }
    command
}
