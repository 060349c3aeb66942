//! One exchange with a provider of models: over HTTP, bounded, streamed, and dropped with whoever waits for it.
//!
//! It follows no redirect and decompresses nothing. A key goes into one header, marked as secret, and only to the place
//! that the person has set up.

use std::pin::Pin;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt as _};
use http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, HeaderName, HeaderValue};
use mooring_words::{Sentence, say};
use reqwest::redirect::Policy;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value, json};
use sse_stream::SseStream;
use url::{Host, Url};
use zeroize::Zeroizing;

use super::request::{SIGNATURE, SamplingRequest};
use super::{ProviderKind, anthropic, gemini, ollama, openai};
use crate::excerpt;

/// Most bytes of an answer.
const MOST_ANSWER: usize = 4 << 20;
/// Most bytes that an answer may come in: each piece of it is wrapped.
const MOST_STREAM: usize = 64 << 20;
/// Most bytes of anything else, such as an error or a list of models.
const MOST_BODY: usize = 1 << 20;
/// Most blocks of an answer.
const MOST_BLOCKS: usize = 256;
/// Bytes of a provider's words that are repeated.
const WORDS: usize = 500;
/// Most models of a list.
const MOST_MODELS: usize = 1_000;
/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(10);
/// How long a list may take.
const LIST: Duration = Duration::from_secs(20);

/// How long an answer may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// Without a sign: a model may have to be loaded first.
    pub(crate) idle: Duration,
    /// Altogether.
    pub(crate) total: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { idle: Duration::from_mins(2), total: Duration::from_mins(10) }
    }
}

/// Where a provider is, and what lets us in.
#[derive(Clone)]
pub(crate) struct Door {
    pub(crate) kind: ProviderKind,
    pub(crate) base: Url,
    pub(crate) key: Option<SecretString>,
}

/// What a provider said of one model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) input: u64,
    pub(crate) output: u64,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ModelError {
    /// The key is missing or wrong.
    Unauthorized(String),
    /// There is no such model, or nothing at this address.
    NotFound(String),
    /// Too many requests.
    Limited { after: Option<Duration>, said: String },
    /// It has too much to do.
    Overloaded(String),
    /// It does not take this request.
    Rejected(String),
    /// Another status.
    Status { status: u16, said: String },
    /// The model, or what watches it, does not want to answer.
    Blocked(String),
    /// The answer is not in the provider's format.
    Malformed(String),
    /// The answer ended before its end.
    Cut,
    /// The answer is too long.
    TooLong,
    /// It has more tokens than were allowed (SAMP-05).
    OverLimit { most: u32, written: u64 },
    /// Nothing came for too long.
    Late,
    /// It was not reached.
    Unreachable(String),
    /// It has no way to be asked this.
    CannotCarry(Sentence),
}

impl ModelError {
    /// In words of ours, with the provider's as a value.
    pub(crate) fn sentence(&self) -> Sentence {
        match self {
            Self::Unauthorized(said) => say!("the provider did not accept the key: {said}", said),
            Self::NotFound(said) => say!("the provider has no such model or address: {said}", said),
            Self::Limited { after: Some(after), said } => say!(
                "the provider takes no more requests for {seconds} s: {said}",
                seconds = after.as_secs(),
                said
            ),
            Self::Limited { after: None, said } => {
                say!("the provider takes no more requests for now: {said}", said)
            }
            Self::Overloaded(said) => say!("the provider has too much to do: {said}", said),
            Self::Rejected(said) => say!("the provider does not take this request: {said}", said),
            Self::Status { status, said } => {
                say!("the provider answered with HTTP status {status}: {said}", status = *status, said)
            }
            Self::Blocked(said) => say!("the model declined to answer: {said}", said),
            Self::Malformed(said) => say!("the provider's answer cannot be read: {said}", said),
            Self::Cut => say!("the answer ended before its end"),
            Self::TooLong => {
                say!("the model's answer is longer than {limit} MiB", limit = MOST_ANSWER >> 20)
            }
            Self::OverLimit { most, written } => say!(
                "the model wrote {written} tokens, and the server allowed {most}",
                written = *written,
                most = *most
            ),
            Self::Late => say!("the provider did not answer in time"),
            Self::Unreachable(why) => say!("the provider was not reached: {why}", why),
            Self::CannotCarry(what) => what.clone(),
        }
    }
}

/// An answer, as far as it has come.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reply {
    /// The model that speaks, as the provider names it.
    pub(crate) model: Option<String>,
    blocks: Vec<Said>,
    /// In the protocol's words.
    pub(crate) stop_reason: Option<String>,
    pub(crate) usage: Option<Usage>,
    bytes: usize,
}

#[derive(Debug, Clone)]
enum Said {
    Text(String),
    Image { data: String, mime: String },
    Use { id: String, name: String, input: String, signature: Option<String> },
}

impl Reply {
    /// Nothing yet, of this model.
    pub(super) fn of(model: &str) -> Self {
        Self { model: Some(model.to_owned()), ..Self::default() }
    }

    fn count(&mut self, bytes: usize) -> Result<(), ModelError> {
        self.bytes = self.bytes.saturating_add(bytes);
        let fits = self.bytes <= MOST_ANSWER && self.blocks.len() <= MOST_BLOCKS;
        if fits { Ok(()) } else { Err(ModelError::TooLong) }
    }

    /// Goes on with a text.
    pub(super) fn text(&mut self, more: &str) -> Result<(), ModelError> {
        if more.is_empty() {
            return Ok(());
        }
        match self.blocks.last_mut() {
            Some(Said::Text(text)) => text.push_str(more),
            _ => self.blocks.push(Said::Text(more.to_owned())),
        }
        self.count(more.len())
    }

    /// Adds a picture.
    pub(super) fn image(&mut self, data: &str, mime: &str) -> Result<(), ModelError> {
        self.blocks.push(Said::Image { data: data.to_owned(), mime: mime.to_owned() });
        self.count(data.len() + mime.len())
    }

    /// Begins the use of a tool; the place of its arguments.
    pub(super) fn use_tool(
        &mut self,
        id: Option<&str>,
        name: &str,
        signature: Option<&str>,
    ) -> Result<usize, ModelError> {
        let place = self.blocks.len();
        let id = id.filter(|id| !id.is_empty()).map_or_else(|| format!("call_{}", place + 1), str::to_owned);
        let signature = signature.map(str::to_owned);
        let bytes = id.len() + name.len() + signature.as_ref().map_or(0, String::len);
        self.blocks.push(Said::Use { id, name: name.to_owned(), input: String::new(), signature });
        self.count(bytes)?;
        Ok(place)
    }

    /// Goes on with the arguments of the use at `place`: JSON text.
    pub(super) fn arguments(&mut self, place: usize, more: &str) -> Result<(), ModelError> {
        match self.blocks.get_mut(place) {
            Some(Said::Use { input, .. }) => input.push_str(more),
            _ => return Err(ModelError::Malformed("arguments of no tool".to_owned())),
        }
        self.count(more.len())
    }

    /// Whether a tool is used.
    pub(super) fn uses_tools(&self) -> bool {
        self.blocks.iter().any(|said| matches!(said, Said::Use { .. }))
    }

    /// The content blocks as the protocol writes them. Arguments that are still coming are shown as none.
    pub(crate) fn content(&self) -> Vec<Value> {
        self.blocks.iter().map(|said| said.block().unwrap_or_else(|_| said.unfinished())).collect()
    }

    /// Looks whether everything has come that belongs to an answer.
    fn finished(mut self, request: &SamplingRequest) -> Result<Self, ModelError> {
        for said in &self.blocks {
            said.block()?;
        }
        if self.stop_reason.is_none() {
            return Err(ModelError::Cut);
        }
        if self.blocks.is_empty() {
            self.blocks.push(Said::Text(String::new()));
        }
        match self.usage {
            Some(usage) if usage.output > u64::from(request.max_tokens) => {
                Err(ModelError::OverLimit { most: request.max_tokens, written: usage.output })
            }
            _ => Ok(self),
        }
    }
}

impl Said {
    fn block(&self) -> Result<Value, ModelError> {
        Ok(match self {
            Self::Text(text) => json!({ "type": "text", "text": text }),
            Self::Image { data, mime } => json!({ "type": "image", "data": data, "mimeType": mime }),
            Self::Use { id, name, input, signature } => {
                let input: Map<String, Value> = if input.trim().is_empty() {
                    Map::new()
                } else {
                    serde_json::from_str(input)
                        .map_err(|error| ModelError::Malformed(format!("arguments of {name}: {error}")))?
                };
                let mut block = json!({ "type": "tool_use", "id": id, "name": name, "input": input });
                if let (Some(signature), Some(block)) = (signature, block.as_object_mut()) {
                    block.insert("_meta".to_owned(), json!({ SIGNATURE: signature }));
                }
                block
            }
        })
    }

    fn unfinished(&self) -> Value {
        match self {
            Self::Use { id, name, .. } => json!({ "type": "tool_use", "id": id, "name": name, "input": {} }),
            _ => Value::Null,
        }
    }
}

/// A provider's stream, piece by piece.
pub(super) trait Reading: Send {
    /// Takes in one piece; whether it was the last.
    fn take(&mut self, reply: &mut Reply, piece: &Value) -> Result<bool, ModelError>;
}

/// The client of all providers.
pub(crate) fn client(name: &str) -> reqwest::Result<reqwest::Client> {
    reqwest::Client::builder().user_agent(name).redirect(Policy::none()).connect_timeout(CONNECT).build()
}

/// The address of a provider as the person typed it: https, or http to this machine and to private addresses.
pub(crate) fn base_url(text: &str) -> Result<Url, Sentence> {
    let url = Url::parse(text.trim()).map_err(|_| say!("not an address: {address}", address = text))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(say!("an address must not hold a name or a password"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(say!(
            "the address of a provider has no query and no fragment: {address}",
            address = text
        ));
    }
    let near = match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(ip)) => ip.is_loopback() || ip.is_private() || ip.is_link_local(),
        Some(Host::Ipv6(ip)) => ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local(),
        None => false,
    };
    match url.scheme() {
        "https" if url.has_host() => Ok(url),
        "http" if near => Ok(url),
        _ => Err(say!(
            "the address must be https, or http to this machine or a private address: {address}",
            address = text
        )),
    }
}

/// A path behind the base address.
pub(super) fn under(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    let before = base.path().trim_end_matches('/');
    // The version belongs to the path; somebody who has typed it already need not know that.
    let version = path.split('/').next().unwrap_or_default();
    let before = before.strip_suffix(version).filter(|rest| rest.ends_with('/')).unwrap_or(before);
    let joined = format!("{}/{path}", before.trim_end_matches('/'));
    url.set_path(&joined);
    url
}

impl Door {
    fn headers(&self) -> Result<HeaderMap, ModelError> {
        let mut headers = HeaderMap::new();
        if self.kind == ProviderKind::Anthropic {
            headers
                .insert(HeaderName::from_static("anthropic-version"), HeaderValue::from_static("2023-06-01"));
        }
        let Some(key) = &self.key else { return Ok(headers) };
        let azure = self.base.host_str().is_some_and(|host| host.ends_with(".azure.com"));
        let (name, value) = match self.kind {
            ProviderKind::Anthropic => ("x-api-key", Zeroizing::new(key.expose_secret().to_owned())),
            ProviderKind::Gemini => ("x-goog-api-key", Zeroizing::new(key.expose_secret().to_owned())),
            ProviderKind::Openai if azure => ("api-key", Zeroizing::new(key.expose_secret().to_owned())),
            ProviderKind::Openai | ProviderKind::Ollama => {
                (AUTHORIZATION.as_str(), Zeroizing::new(format!("Bearer {}", key.expose_secret())))
            }
        };
        let name = HeaderName::from_bytes(name.as_bytes());
        let value = HeaderValue::from_str(&value);
        let (Ok(name), Ok(mut value)) = (name, value) else {
            return Err(ModelError::Unauthorized("the key cannot be sent in a header".to_owned()));
        };
        value.set_sensitive(true);
        headers.insert(name, value);
        Ok(headers)
    }

    /// A provider's words without the key, should it repeat it.
    fn words(&self, text: &str) -> String {
        let text = excerpt::start(text.trim().to_owned(), WORDS);
        match &self.key {
            Some(key) if !key.expose_secret().is_empty() => text.replace(key.expose_secret(), "[redacted]"),
            _ => text,
        }
    }

    /// Hides the key in what an error says.
    fn hide(&self, error: ModelError) -> ModelError {
        let words = |said: String| self.words(&said);
        match error {
            ModelError::Unauthorized(said) => ModelError::Unauthorized(words(said)),
            ModelError::NotFound(said) => ModelError::NotFound(words(said)),
            ModelError::Limited { after, said } => ModelError::Limited { after, said: words(said) },
            ModelError::Overloaded(said) => ModelError::Overloaded(words(said)),
            ModelError::Rejected(said) => ModelError::Rejected(words(said)),
            ModelError::Status { status, said } => ModelError::Status { status, said: words(said) },
            ModelError::Blocked(said) => ModelError::Blocked(words(said)),
            ModelError::Malformed(said) => ModelError::Malformed(words(said)),
            ModelError::Unreachable(said) => ModelError::Unreachable(words(said)),
            other => other,
        }
    }

    /// Asks `model`. `grown` hears of the answer as it comes.
    pub(crate) async fn ask(
        &self,
        client: &reqwest::Client,
        patience: Patience,
        model: &str,
        request: &SamplingRequest,
        grown: &mut (dyn FnMut(&Reply) + Send),
    ) -> Result<Reply, ModelError> {
        let exchange = self.exchange(client, patience.idle, model, request, grown);
        let answered = tokio::time::timeout(patience.total, exchange).await;
        answered.unwrap_or(Err(ModelError::Late)).map_err(|error| self.hide(error))
    }

    async fn exchange(
        &self,
        client: &reqwest::Client,
        idle: Duration,
        model: &str,
        request: &SamplingRequest,
        grown: &mut (dyn FnMut(&Reply) + Send),
    ) -> Result<Reply, ModelError> {
        let (url, body, mut reading): (Url, Value, Box<dyn Reading>) = match self.kind {
            ProviderKind::Anthropic => anthropic::exchange(&self.base, model, request)?,
            ProviderKind::Openai => openai::exchange(&self.base, model, request)?,
            ProviderKind::Ollama => ollama::exchange(&self.base, model, request)?,
            ProviderKind::Gemini => gemini::exchange(&self.base, model, request)?,
        };
        let sent = client
            .post(url)
            .headers(self.headers()?)
            .header(CONTENT_TYPE, "application/json")
            .body(body.to_string())
            .send();
        let response = tokio::time::timeout(idle, sent).await.map_err(|_| ModelError::Late)?;
        let response = accepted(response.map_err(unreachable)?, idle).await?;
        let mut pieces = Pieces::new(response, self.kind == ProviderKind::Ollama);
        let mut reply = Reply::default();
        loop {
            let piece = tokio::time::timeout(idle, pieces.next()).await.map_err(|_| ModelError::Late)??;
            let Some(piece) = piece else { break };
            let piece = piece.trim();
            if piece.is_empty() {
                continue;
            }
            if piece == "[DONE]" {
                break;
            }
            let piece: Value =
                serde_json::from_str(piece).map_err(|error| ModelError::Malformed(error.to_string()))?;
            let last = reading.take(&mut reply, &piece)?;
            grown(&reply);
            if last {
                break;
            }
        }
        reply.finished(request)
    }

    /// The models that the provider lists.
    pub(crate) async fn models(&self, client: &reqwest::Client) -> Result<Vec<String>, ModelError> {
        let (path, list, name) = match self.kind {
            ProviderKind::Anthropic => ("v1/models", "data", "id"),
            ProviderKind::Openai => ("models", "data", "id"),
            ProviderKind::Ollama => ("api/tags", "models", "name"),
            ProviderKind::Gemini => ("v1beta/models", "models", "name"),
        };
        let exchange = async {
            let sent = client.get(under(&self.base, path)).headers(self.headers()?).send().await;
            let response = accepted(sent.map_err(unreachable)?, LIST).await?;
            let body = body(response).await?;
            let body: Value =
                serde_json::from_slice(&body).map_err(|error| ModelError::Malformed(error.to_string()))?;
            let Some(models) = body.get(list).and_then(Value::as_array) else {
                return Err(ModelError::Malformed(format!("no {list}")));
            };
            let names = models.iter().filter_map(|model| model.get(name)?.as_str());
            let names = names.map(|name| name.strip_prefix("models/").unwrap_or(name));
            Ok(names.take(MOST_MODELS).map(|name| excerpt::start(name.to_owned(), 256)).collect())
        };
        let listed = tokio::time::timeout(LIST, exchange).await;
        listed.unwrap_or(Err(ModelError::Late)).map_err(|error| self.hide(error))
    }
}

fn unreachable(error: reqwest::Error) -> ModelError {
    if error.is_timeout() {
        return ModelError::Late;
    }
    // The innermost cause says what happened; the address is the person's own and known.
    let error = error.without_url();
    let mut cause: &dyn std::error::Error = &error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    ModelError::Unreachable(cause.to_string())
}

/// The response, if it is an answer; otherwise what its error says.
async fn accepted(response: reqwest::Response, idle: Duration) -> Result<reqwest::Response, ModelError> {
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    let after =
        response.headers().get(RETRY_AFTER).and_then(|after| after.to_str().ok()?.trim().parse().ok());
    let after = after.map(Duration::from_secs);
    let body = tokio::time::timeout(idle, body(response)).await.unwrap_or(Err(ModelError::Late));
    let said = body.map(|body| words_of(&body)).unwrap_or_default();
    Err(by_status(status.as_u16(), after, said))
}

pub(super) fn by_status(status: u16, after: Option<Duration>, said: String) -> ModelError {
    match status {
        401 | 403 => ModelError::Unauthorized(said),
        404 => ModelError::NotFound(said),
        429 => ModelError::Limited { after, said },
        503 | 529 => ModelError::Overloaded(said),
        400 | 413 | 422 => ModelError::Rejected(said),
        status => ModelError::Status { status, said },
    }
}

/// What a body says of an error, in any of the forms that providers have.
fn words_of(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body).into_owned();
    let Ok(value) = serde_json::from_str::<Value>(&text) else { return text };
    let value = value.get(0).cloned().unwrap_or(value);
    error_words(&value).unwrap_or(text)
}

/// The words of an error that came as JSON.
pub(super) fn error_words(value: &Value) -> Option<String> {
    let error = value.get("error").unwrap_or(value);
    let words =
        error.as_str().or_else(|| error.get("message")?.as_str()).or_else(|| value.get("message")?.as_str());
    words.map(str::to_owned)
}

async fn body(response: reqwest::Response) -> Result<Bytes, ModelError> {
    let mut stream = response.bytes_stream();
    let mut body = BytesMut::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(unreachable)?;
        if body.len() + chunk.len() > MOST_BODY {
            return Err(ModelError::TooLong);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

type Chunks = Pin<Box<dyn Stream<Item = Result<Bytes, std::io::Error>> + Send>>;

/// The pieces of a streamed answer: events, or lines.
enum Pieces {
    Events(Pin<Box<dyn Stream<Item = Result<sse_stream::Sse, sse_stream::Error>> + Send>>),
    Lines { chunks: Chunks, buffer: BytesMut },
}

impl Pieces {
    fn new(response: reqwest::Response, lines: bool) -> Self {
        let mut bytes = 0_usize;
        let chunks = response.bytes_stream().map(move |chunk| {
            let chunk = chunk.map_err(|error| std::io::Error::other(error.without_url()))?;
            bytes = bytes.saturating_add(chunk.len());
            let too_long = || std::io::Error::from(std::io::ErrorKind::FileTooLarge);
            if bytes > MOST_STREAM { Err(too_long()) } else { Ok(chunk) }
        });
        if lines {
            Self::Lines { chunks: Box::pin(chunks), buffer: BytesMut::new() }
        } else {
            Self::Events(Box::pin(SseStream::from_bytes_stream(chunks)))
        }
    }

    async fn next(&mut self) -> Result<Option<String>, ModelError> {
        match self {
            Self::Events(events) => match events.next().await {
                None => Ok(None),
                Some(Ok(event)) => Ok(Some(event.data.unwrap_or_default())),
                Some(Err(sse_stream::Error::Body(error))) => Err(lost(error.as_ref())),
                Some(Err(error)) => Err(ModelError::Malformed(error.to_string())),
            },
            Self::Lines { chunks, buffer } => loop {
                if let Some(end) = memchr::memchr(b'\n', buffer) {
                    let line = buffer.split_to(end + 1);
                    return text(&line).map(Some);
                }
                match chunks.next().await {
                    Some(Ok(chunk)) if buffer.len() + chunk.len() > MOST_ANSWER => {
                        return Err(ModelError::TooLong);
                    }
                    Some(Ok(chunk)) => buffer.extend_from_slice(&chunk),
                    Some(Err(error)) => return Err(lost(&error)),
                    None if buffer.is_empty() => return Ok(None),
                    None => return text(&buffer.split()).map(Some),
                }
            },
        }
    }
}

fn text(line: &[u8]) -> Result<String, ModelError> {
    let text = std::str::from_utf8(line).map_err(|error| ModelError::Malformed(error.to_string()))?;
    Ok(text.to_owned())
}

/// A stream that broke was cut, unless we broke it ourselves.
fn lost(error: &(dyn std::error::Error + 'static)) -> ModelError {
    let mut cause = Some(error);
    while let Some(error) = cause {
        let ours = error.downcast_ref::<std::io::Error>();
        if ours.is_some_and(|error| error.kind() == std::io::ErrorKind::FileTooLarge) {
            return ModelError::TooLong;
        }
        cause = error.source();
    }
    ModelError::Cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_is_asked_by_https_or_nearby() {
        for good in [
            "https://api.example",
            "https://api.example/v1/",
            "http://localhost:11434",
            "http://127.0.0.1:1",
            "http://[::1]:1",
            "http://192.168.1.5:8080/v1",
        ] {
            assert!(base_url(good).is_ok(), "{good}");
        }
        for bad in [
            "http://api.example",
            "http://8.8.8.8",
            "ftp://localhost",
            "https://user:pass@api.example",
            "https://api.example?key=1",
            "https://api.example#x",
            "file:///etc/passwd",
            "api.example",
            "",
        ] {
            assert!(base_url(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_path_goes_behind_the_base_once() {
        let under = |base: &str, path: &str| under(&Url::parse(base).unwrap(), path).to_string();
        assert_eq!(under("https://a.example", "v1/messages"), "https://a.example/v1/messages");
        assert_eq!(under("https://a.example/v1/", "v1/messages"), "https://a.example/v1/messages");
        assert_eq!(
            under("https://a.example/x/v1", "chat/completions"),
            "https://a.example/x/v1/chat/completions"
        );
        assert_eq!(under("https://a.example/xv1", "v1/messages"), "https://a.example/xv1/v1/messages");
    }
}
