//! How a provider is asked, whatever it speaks.

use serde_json::Value;
use url::Url;

use crate::dialect::Reading;
use crate::fault::ModelError;
use crate::provider::ProviderKind;
use crate::request::SamplingRequest;
use crate::{anthropic, gemini, ollama, openai};

/// Where a request goes, its body, and how the answer is read.
pub type Exchange = (Url, Value, Box<dyn Reading>);

/// How a provider of this kind at this address is asked.
pub fn exchange(
    kind: ProviderKind,
    base: &Url,
    model: &str,
    request: &SamplingRequest,
) -> Result<Exchange, ModelError> {
    match kind {
        ProviderKind::Anthropic => anthropic::exchange(base, model, request),
        ProviderKind::Openai => openai::exchange(base, model, request),
        ProviderKind::Ollama => ollama::exchange(base, model, request),
        ProviderKind::Gemini => gemini::exchange(base, model, request),
    }
}
