//! Requests to a registry: bounded in size and time, without redirects to other hosts.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt as _;
use mooring_network::{Network, NetworkClient, certificate_problem};
use mooring_words::{Sentence, io_error_sentence, say};
use reqwest::header::{ACCEPT, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Response, StatusCode};
use serde_json::Value;
use url::Url;

use crate::base::RegistryBase;
use crate::entry::{EntryPage, FetchedEntry, read_entry, read_page};
use crate::error::{RegistryError, RegistryErrorCode};
use crate::limits::FetchLimits;

/// The longest pause that a registry can ask for.
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// The pause before a request is repeated.
const PAUSE: Duration = Duration::from_millis(500);
/// Maximum number of versions of an entry that are shown.
const MAX_VERSIONS: usize = 500;

/// Sends requests to registries. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct RegistryClient {
    client: NetworkClient,
    pub(crate) limits: FetchLimits,
}

/// A page with its size in bytes.
pub(crate) struct FetchedPage {
    pub(crate) page: EntryPage,
    pub(crate) bytes: usize,
}

impl RegistryClient {
    pub(crate) fn new(name: &str, network: &Network, limits: FetchLimits) -> Self {
        let name = name.to_owned();
        let client = NetworkClient::new(network, move |builder| {
            builder.user_agent(&name).redirect(same_host_policy()).connect_timeout(Duration::from_secs(10))
        });
        Self { client, limits }
    }

    /// Fetches a page of the newest versions.
    pub(crate) async fn page(
        &self,
        base: &RegistryBase,
        cursor: Option<&str>,
        since: Option<&str>,
    ) -> Result<FetchedPage, RegistryError> {
        let mut url = base.servers(&[]);
        {
            let mut query = url.query_pairs_mut();
            query.append_pair("version", "latest");
            query.append_pair("limit", &self.limits.page_entries.to_string());
            if let Some(cursor) = cursor {
                query.append_pair("cursor", cursor);
            }
            if let Some(since) = since {
                query.append_pair("updated_since", since).append_pair("include_deleted", "true");
            }
        }
        let body = self.fetch(url).await?;
        let page = read_page(&body, &self.limits).map_err(|error| not_json(&body, &error))?;
        Ok(FetchedPage { page, bytes: body.len() })
    }

    /// Fetches all versions of an entry, newest first.
    pub(crate) async fn versions(
        &self,
        base: &RegistryBase,
        name: &str,
    ) -> Result<Vec<FetchedEntry>, RegistryError> {
        let body = self.fetch(base.servers(&[name, "versions"])).await?;
        let page = read_page(&body, &self.limits).map_err(|error| not_json(&body, &error))?;
        // An entry of another name has nothing to do with this one.
        let mut versions: Vec<_> =
            page.entries.into_iter().map(|(entry, _)| entry).filter(|entry| entry.row.name == name).collect();
        versions.sort_by_key(|entry| std::cmp::Reverse(entry.row.published_at_us));
        versions.truncate(MAX_VERSIONS);
        if versions.is_empty() { Err(RegistryError::not_found(name)) } else { Ok(versions) }
    }

    /// Fetches one version of an entry.
    pub(crate) async fn version(
        &self,
        base: &RegistryBase,
        name: &str,
        version: &str,
    ) -> Result<FetchedEntry, RegistryError> {
        let body = self.fetch(base.servers(&[name, "versions", version])).await?;
        let text = String::from_utf8_lossy(&body);
        let entry = (body.len() <= self.limits.entry_bytes).then(|| read_entry(&text)).flatten();
        let Some(entry) = entry else {
            return Err(RegistryError::not_a_registry(say!("the entry can’t be understood")));
        };
        if entry.row.name != name || (entry.row.version != version && version != "latest") {
            let (name, version) = (entry.row.name, entry.row.version);
            return Err(RegistryError::not_a_registry(say!(
                "it sent {name} {version} instead",
                name,
                version
            )));
        }
        Ok(entry)
    }

    /// Fetches a URL, again if the registry only fails for the moment.
    async fn fetch(&self, url: Url) -> Result<Bytes, RegistryError> {
        let mut left = self.limits.retries;
        loop {
            let pause = match self.fetch_once(url.clone()).await {
                Ok(body) => return Ok(body),
                Err(Failed { error, pause: Some(pause) }) if left > 0 => {
                    tracing::debug!(%error, "a request to the registry is repeated");
                    pause
                }
                Err(Failed { error, .. }) => return Err(error),
            };
            left -= 1;
            tokio::time::sleep(pause).await;
        }
    }

    async fn fetch_once(&self, url: Url) -> Result<Bytes, Failed> {
        let unsent = |error: reqwest::Error| Failed { pause: Some(PAUSE), error: connection_error(&error) };
        let client = self.client.get().map_err(|error| Failed::from(connection_error(&error)))?;
        let exchange = async {
            let sent = client.get(url).header(ACCEPT, "application/json").send();
            let response = sent.await.map_err(unsent)?;
            if !response.status().is_success() {
                return Err(status_error(&response));
            }
            read_body(response, self.limits.page_bytes).await
        };
        let seconds = self.limits.request_time.as_secs();
        let late = || {
            RegistryError::unreachable(say!(
                "it gave no complete answer within {seconds} s",
                seconds = seconds
            ))
        };
        let done = tokio::time::timeout(self.limits.request_time, exchange).await;
        done.unwrap_or_else(|_| Err(late().into()))
    }
}

/// A request that failed.
struct Failed {
    error: RegistryError,
    /// After which time it may succeed.
    pause: Option<Duration>,
}

impl From<RegistryError> for Failed {
    fn from(error: RegistryError) -> Self {
        Self { error, pause: None }
    }
}

/// Follows redirects within a host only: the person knows which host is contacted.
fn same_host_policy() -> Policy {
    Policy::custom(|attempt| {
        let from = attempt.previous().last();
        let is_same = from.is_some_and(|from| from.origin() == attempt.url().origin());
        if is_same && attempt.previous().len() <= 3 { attempt.follow() } else { attempt.stop() }
    })
}

fn status_error(response: &Response) -> Failed {
    let status = response.status();
    let error = match status {
        StatusCode::NOT_FOUND => RegistryError::new(
            RegistryErrorCode::NotFound,
            say!("the registry doesn’t have this (HTTP status 404)"),
        ),
        status if status.is_redirection() => RegistryError::not_a_registry(say!("it leads to another URL")),
        status => RegistryError::status(status.as_u16()),
    };
    let is_passing = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
    let asked = response.headers().get(RETRY_AFTER).and_then(|after| after.to_str().ok()?.parse().ok());
    let pause = asked.map_or(PAUSE, Duration::from_secs);
    // A registry that asks for more time gets it: the person tries again later.
    Failed { error, pause: Some(pause).filter(|pause| is_passing && *pause <= MAX_PAUSE) }
}

async fn read_body(response: Response, limit: usize) -> Result<Bytes, Failed> {
    let too_large = || {
        let sentence = say!("an answer of the registry is larger than {limit} MiB", limit = limit >> 20);
        RegistryError::too_large(sentence)
    };
    let announced = response.content_length().and_then(|length| usize::try_from(length).ok());
    if announced.is_some_and(|length| length > limit) {
        return Err(too_large().into());
    }
    let mut stream = response.bytes_stream();
    let mut body = BytesMut::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|error| Failed { pause: Some(PAUSE), error: connection_error(&error) })?;
        if body.len() + chunk.len() > limit {
            return Err(too_large().into());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

fn connection_error(error: &reqwest::Error) -> RegistryError {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let text = cause.to_string();
    if let Some(reason) = certificate_problem(&text) {
        return RegistryError::unreachable(say!("its certificate isn’t accepted: {reason}", reason));
    }
    if error.is_timeout() {
        return RegistryError::unreachable(say!("no connection within {seconds} s", seconds = 10_u32));
    }
    RegistryError::unreachable(cause.downcast_ref().map_or_else(|| Sentence::quoted(text), io_error_sentence))
}

fn not_json(body: &[u8], error: &serde_json::Error) -> RegistryError {
    let begin = body.trim_ascii_start();
    let reason = if begin.starts_with(b"<") {
        say!("it is a web page, not JSON")
    } else if serde_json::from_slice::<Value>(body).is_ok() {
        say!("it has no list of servers")
    } else {
        say!("it isn’t JSON: {error}", error = error.to_string())
    };
    RegistryError::not_a_registry(reason)
}
