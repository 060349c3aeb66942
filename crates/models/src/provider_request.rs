//! Builds the HTTP request for a provider of any kind.

use serde_json::Value;
use url::Url;

use crate::dialect::StreamDecoder;
use crate::error::ModelError;
use crate::provider::ProviderKind;
use crate::request::SamplingRequest;
use crate::{anthropic, gemini, ollama, openai};

/// The URL, the JSON body, and the decoder of the streamed answer.
pub type ProviderRequest = (Url, Value, Box<dyn StreamDecoder>);

/// Builds the request for a provider of this kind.
pub fn provider_request(
    kind: ProviderKind,
    base: &Url,
    model: &str,
    request: &SamplingRequest,
) -> Result<ProviderRequest, ModelError> {
    match kind {
        ProviderKind::Anthropic => anthropic::build_request(base, model, request),
        ProviderKind::Openai => openai::build_request(base, model, request),
        ProviderKind::Ollama => ollama::build_request(base, model, request),
        ProviderKind::Gemini => gemini::build_request(base, model, request),
    }
}
