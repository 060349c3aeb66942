//! HTTP requests to model providers: bounded, streamed, and cancelled when their future is dropped.
//!
//! The client follows no redirects and decompresses nothing. A key is only sent in one header, which is
//! marked as sensitive, and only to the URL that the person has set up.

use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt as _;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue};
use mooring_base::excerpt;
use mooring_models::{
    ModelError, ProviderKind, Reply, SamplingRequest, StreamDecoder, is_azure, join_path, provider_request,
};
use mooring_network::{Network, NetworkClient};
use mooring_recorder::Mask;
use reqwest::redirect::Policy;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use url::Url;
use zeroize::Zeroizing;

use crate::provider_error::{connection_error, error_from_response};
use crate::reply_stream::ReplyStream;

/// Maximum number of bytes of responses other than answers, such as errors or lists of models.
const MOST_BODY: usize = 1 << 20;
/// Maximum number of bytes of a provider's text that an error message repeats.
const MAX_ERROR_BYTES: usize = 500;
/// Maximum number of models in a list.
const MOST_MODELS: usize = 1_000;
/// Deadline for connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Deadline for a list of models.
const LIST_TIMEOUT: Duration = Duration::from_secs(20);
/// The shortest time between two updates about a growing answer.
const UPDATE_INTERVAL: Duration = Duration::from_millis(50);
/// Shorter keys are not redacted in answers. People who run a model locally use words such as `ollama` as
/// keys.
const MIN_MASKED_KEY: usize = 16;

/// Time limits of one answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timeouts {
    /// The longest time without any byte. It includes the time to load the model.
    pub(crate) idle: Duration,
    /// The longest time for the whole answer.
    pub(crate) total: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { idle: Duration::from_mins(2), total: Duration::from_mins(10) }
    }
}

/// A provider's URL and key.
#[derive(Clone)]
pub(crate) struct ProviderEndpoint {
    pub(crate) kind: ProviderKind,
    pub(crate) base: Url,
    pub(crate) key: Option<SecretString>,
}

/// Creates the client for all providers.
pub(crate) fn build_client(name: &str, network: &Network) -> NetworkClient {
    build_client_with_timeout(name, network, CONNECT_TIMEOUT)
}

fn build_client_with_timeout(name: &str, network: &Network, connect: Duration) -> NetworkClient {
    let name = name.to_owned();
    NetworkClient::new(network, move |builder| {
        builder.user_agent(&name).redirect(Policy::none()).connect_timeout(connect)
    })
}

impl ProviderEndpoint {
    fn build_headers(&self) -> Result<HeaderMap, ModelError> {
        let mut headers = HeaderMap::new();
        if self.kind == ProviderKind::Anthropic {
            headers
                .insert(HeaderName::from_static("anthropic-version"), HeaderValue::from_static("2023-06-01"));
        }
        let Some(key) = &self.key else { return Ok(headers) };
        let (name, value) = match self.kind {
            ProviderKind::Anthropic => ("x-api-key", Zeroizing::new(key.expose_secret().to_owned())),
            ProviderKind::Gemini => ("x-goog-api-key", Zeroizing::new(key.expose_secret().to_owned())),
            ProviderKind::Openai if is_azure(&self.base) => {
                ("api-key", Zeroizing::new(key.expose_secret().to_owned()))
            }
            ProviderKind::Openai | ProviderKind::Ollama => {
                (AUTHORIZATION.as_str(), Zeroizing::new(format!("Bearer {}", key.expose_secret())))
            }
        };
        let name = HeaderName::from_bytes(name.as_bytes());
        let value = HeaderValue::from_str(&value);
        let (Ok(name), Ok(mut value)) = (name, value) else {
            return Err(ModelError::Unauthorized("the key can’t be sent in a header".to_owned()));
        };
        value.set_sensitive(true);
        headers.insert(name, value);
        Ok(headers)
    }

    /// A mask that redacts the key in any encoding.
    fn key_mask(&self) -> Mask {
        Mask::for_value(self.key.as_ref().map(ExposeSecret::expose_secret).unwrap_or_default())
    }

    /// A mask that redacts the key in the model's answers. `None` if the key is too short.
    fn answer_mask(&self) -> Option<Mask> {
        let key = self.key.as_ref().filter(|key| key.expose_secret().trim().len() >= MIN_MASKED_KEY);
        key.map(|_| self.key_mask())
    }

    /// Masks the key in an error message.
    fn mask_error(&self, error: ModelError) -> ModelError {
        let mask = self.key_mask();
        // Redact before truncating: a truncated key would not be found.
        let words = |text: String| excerpt::truncate(mask.redact(text).trim().to_owned(), MAX_ERROR_BYTES);
        match error {
            ModelError::Unauthorized(said) => ModelError::Unauthorized(words(said)),
            ModelError::Forbidden(said) => ModelError::Forbidden(words(said)),
            ModelError::NotFound(said) => ModelError::NotFound(words(said)),
            ModelError::RateLimited { after, message: said } => {
                ModelError::RateLimited { after, message: words(said) }
            }
            ModelError::Overloaded(said) => ModelError::Overloaded(words(said)),
            ModelError::Rejected(said) => ModelError::Rejected(words(said)),
            ModelError::Status { status, message: said } => {
                ModelError::Status { status, message: words(said) }
            }
            ModelError::Blocked(said) => ModelError::Blocked(words(said)),
            ModelError::Malformed(said) => ModelError::Malformed(words(said)),
            ModelError::Unreachable(said) => ModelError::Unreachable(words(said)),
            other => other,
        }
    }

    /// Asks `model`. Calls `grown` with the reply as it arrives.
    pub(crate) async fn ask(
        &self,
        client: &NetworkClient,
        patience: Timeouts,
        model: &str,
        request: &SamplingRequest,
        grown: &mut (dyn FnMut(Reply) + Send),
    ) -> Result<Reply, ModelError> {
        let exchange = self.ask_with_fallbacks(client, patience.idle, model, request, grown);
        let answered = tokio::time::timeout(patience.total, exchange).await;
        answered.unwrap_or(Err(ModelError::TimedOut)).map_err(|error| self.mask_error(error))
    }

    /// Asks a model, and retries without a temperature or stop sequences if the model rejects these
    /// (SAMP-07).
    async fn ask_with_fallbacks(
        &self,
        client: &NetworkClient,
        idle: Duration,
        model: &str,
        request: &SamplingRequest,
        grown: &mut (dyn FnMut(Reply) + Send),
    ) -> Result<Reply, ModelError> {
        let mut request = request.clone();
        loop {
            let answered = self.ask_once(client, idle, model, &request, grown).await;
            match &answered {
                Err(ModelError::Rejected(said))
                    if request.temperature.is_some() && mentions_temperature(said) =>
                {
                    request.temperature = None;
                }
                Err(ModelError::Rejected(said))
                    if !request.stop_sequences.is_empty() && mentions_stop_sequences(said) =>
                {
                    request.stop_sequences.clear();
                }
                _ => return answered,
            }
        }
    }

    async fn ask_once(
        &self,
        client: &NetworkClient,
        idle: Duration,
        model: &str,
        request: &SamplingRequest,
        grown: &mut (dyn FnMut(Reply) + Send),
    ) -> Result<Reply, ModelError> {
        let (url, body, mut reading) = provider_request(self.kind, &self.base, model, request)?;
        let sent = client
            .get()
            .map_err(connection_error)?
            .post(url)
            .headers(self.build_headers()?)
            .header(CONTENT_TYPE, "application/json")
            .body(body.to_string())
            .send();
        let response = tokio::time::timeout(idle, sent).await.map_err(|_| ModelError::TimedOut)?;
        let response = check_status(response.map_err(connection_error)?, idle).await?;
        let mask = self.answer_mask();
        let masked = |reply: &Reply| {
            mask.as_ref()
                .map_or_else(|| reply.clone(), |mask| reply.map_texts(&|text| mask.redact(text.to_owned())))
        };
        let mut pieces = ReplyStream::new(response, self.kind == ProviderKind::Ollama);
        let mut reply = Reply::default();
        let mut last_update = None::<Instant>;
        let read = loop {
            let last = match pieces.next_piece(idle).await {
                Ok(None) => break Ok(()),
                Ok(Some(piece)) => decode_piece(&mut *reading, &mut reply, &piece),
                Err(error) => Err(error),
            };
            match last {
                Ok(true) => break Ok(()),
                Ok(false) => {}
                Err(error) => break Err(error),
            }
            if last_update.is_none_or(|at| at.elapsed() >= UPDATE_INTERVAL) {
                last_update = Some(Instant::now());
                grown(masked(&reply));
            }
        };
        grown(masked(&reply));
        read?;
        masked(&reply).check_complete(request)
    }

    /// Requests the provider's list of models.
    pub(crate) async fn list_models(&self, client: &NetworkClient) -> Result<Vec<String>, ModelError> {
        let (path, list, name) = match self.kind {
            ProviderKind::Anthropic => ("v1/models", "data", "id"),
            ProviderKind::Openai => ("models", "data", "id"),
            ProviderKind::Ollama => ("api/tags", "models", "name"),
            ProviderKind::Gemini => ("v1beta/models", "models", "name"),
        };
        let exchange = async {
            let mut url = join_path(&self.base, path);
            // Without this, these two providers only list a few models.
            match self.kind {
                ProviderKind::Anthropic => url.set_query(Some("limit=1000")),
                ProviderKind::Gemini => url.set_query(Some("pageSize=1000")),
                ProviderKind::Openai | ProviderKind::Ollama => {}
            }
            let sent =
                client.get().map_err(connection_error)?.get(url).headers(self.build_headers()?).send().await;
            let response = check_status(sent.map_err(connection_error)?, LIST_TIMEOUT).await?;
            let body = read_body(response).await?;
            let body: Value =
                serde_json::from_slice(&body).map_err(|error| ModelError::Malformed(error.to_string()))?;
            let Some(models) = body.get(list).and_then(Value::as_array) else {
                return Err(ModelError::Malformed(format!("no {list}")));
            };
            let names = models.iter().filter_map(|model| model.get(name)?.as_str());
            let names = names.map(|name| name.strip_prefix("models/").unwrap_or(name));
            let mask = self.answer_mask();
            let masked = |name: &str| match &mask {
                Some(mask) => mask.redact(name.to_owned()),
                None => name.to_owned(),
            };
            Ok(names.take(MOST_MODELS).map(|name| excerpt::truncate(masked(name), 256)).collect())
        };
        let listed = tokio::time::timeout(LIST_TIMEOUT, exchange).await;
        listed.unwrap_or(Err(ModelError::TimedOut)).map_err(|error| self.mask_error(error))
    }
}

/// Decodes one event or line. True if it was the last.
fn decode_piece(reading: &mut dyn StreamDecoder, reply: &mut Reply, piece: &str) -> Result<bool, ModelError> {
    match piece.trim() {
        "" => Ok(false),
        "[DONE]" => reading.finish(reply).map(|()| true),
        piece => {
            let piece =
                serde_json::from_str(piece).map_err(|error| ModelError::Malformed(error.to_string()))?;
            reading.decode(reply, &piece)
        }
    }
}

fn mentions_temperature(message: &str) -> bool {
    message.contains("temperature")
}

fn mentions_stop_sequences(message: &str) -> bool {
    ["'stop'", "`stop`", "\"stop\"", "stop_sequences", "stopSequences"]
        .iter()
        .any(|name| message.contains(name))
}

/// Returns the response if its status is 2xx, or else the error in it.
async fn check_status(response: reqwest::Response, idle: Duration) -> Result<reqwest::Response, ModelError> {
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    let headers = response.headers().clone();
    let body = tokio::time::timeout(idle, read_body(response)).await.unwrap_or(Err(ModelError::TimedOut));
    Err(error_from_response(status.as_u16(), &headers, &body.unwrap_or_default()))
}

async fn read_body(response: reqwest::Response) -> Result<Bytes, ModelError> {
    let mut stream = response.bytes_stream();
    let mut body = BytesMut::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(connection_error)?;
        if body.len() + chunk.len() > MOST_BODY {
            return Err(ModelError::TooLong);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

#[cfg(test)]
mod tests;
