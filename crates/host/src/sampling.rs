//! What servers want a model to say (`sampling/createMessage`): who may ask, which model is asked, and what it may take.
//!
//! `request` reads what is asked, `route` chooses a model, `budget` counts, `exchange` asks a provider in the form that
//! `anthropic`, `openai`, `ollama` and `gemini` write, `practice` is the model that is none, `rounds` counts those of
//! a loop with tools, and `desk` is the path of one request with the person's two looks at it. What is
//! asked and answered is kept in the log, as all that a server says and is told, and nowhere else.

mod anthropic;
pub(crate) mod budget;
pub(crate) mod desk;
mod entry;
pub(crate) mod exchange;
mod fault;
mod gemini;
mod models;
mod ollama;
mod openai;
mod pieces;
mod practice;
mod reply;
pub(crate) mod request;
pub(crate) mod rounds;
mod route;

use std::fmt;

use mooring_words::{KeptSentence, Sentence};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use ts_rs::TS;

pub use budget::{Budget, Dollars};
pub(crate) use models::Models;
pub(crate) use request::SamplingRequest;

use mooring_base::server_id::ServerId;
use reply::Reply;

/// How a provider is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// Anthropic's Messages API.
    Anthropic,
    /// `OpenAI`'s chat completions, which many others speak.
    Openai,
    /// Ollama's chat API.
    Ollama,
    /// Google's Gemini API.
    Gemini,
}

impl ProviderKind {
    /// As it is kept.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::Openai => "openai",
            Self::Ollama => "ollama",
            Self::Gemini => "gemini",
        }
    }

    fn from_name(name: &str) -> Self {
        match name {
            "anthropic" => Self::Anthropic,
            "ollama" => Self::Ollama,
            "gemini" => Self::Gemini,
            _ => Self::Openai,
        }
    }
}

/// A model that may be asked. Prices are for a million tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Model {
    /// As the provider names it.
    pub id: String,
    /// For tokens read; none: not known.
    #[serde(default)]
    pub input_price: Option<Dollars>,
    /// For tokens written.
    #[serde(default)]
    pub output_price: Option<Dollars>,
    /// It takes images.
    #[serde(default)]
    pub images: bool,
    /// It takes audio.
    #[serde(default)]
    pub audio: bool,
    /// It takes tools.
    #[serde(default)]
    pub tools: bool,
    /// How cheap it is, in percent.
    #[serde(default)]
    pub cheap: u8,
    /// How fast it is, in percent.
    #[serde(default)]
    pub fast: u8,
    /// How capable it is, in percent.
    #[serde(default)]
    pub capable: u8,
}

impl Model {
    /// One of which nothing else is known.
    pub fn named(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            input_price: None,
            output_price: None,
            images: false,
            audio: false,
            tools: false,
            cheap: 0,
            fast: 0,
            capable: 0,
        }
    }
}

/// A provider as it is entered.
#[derive(Clone)]
pub struct NewProvider {
    /// The person's name for it.
    pub name: String,
    /// How it is spoken to.
    pub kind: ProviderKind,
    /// Where it is.
    pub base_url: String,
    /// Its key; none: as before, or no key is needed. Of another origin than before the key is forgotten.
    pub key: Option<SecretString>,
    /// Forget the key that is kept.
    pub forget_key: bool,
    /// Its models, in the person's order.
    pub models: Vec<Model>,
}

impl fmt::Debug for NewProvider {
    /// The key is not shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewProvider")
            .field("name", &self.name)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

/// A provider that is set up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    /// Its row.
    pub id: i64,
    /// The person's name for it.
    pub name: String,
    /// How it is spoken to.
    pub kind: ProviderKind,
    /// Where it is.
    pub base_url: String,
    /// A key is sealed for it.
    pub has_key: bool,
    /// Its models.
    pub models: Vec<Model>,
    /// When it last answered, in milliseconds of Unix time.
    pub answered_ms: Option<i64>,
    /// Why it did not answer when it was last asked.
    pub problem: Option<KeptSentence>,
}

/// What a try of a provider found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderCheck {
    /// The models that it lists, or why it does not answer.
    pub models: Result<Vec<String>, Sentence>,
    /// How long it took.
    pub took: std::time::Duration,
}

/// One line of the routing table; the first that fits decides, before hints and priorities.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RouteRule {
    /// For which server; none: for all.
    pub server: Option<ServerId>,
    /// For hints with this text in them; none: whatever is hinted.
    pub hint: Option<String>,
    /// The provider; none: the practice model.
    pub provider: Option<i64>,
    /// The model; of the practice model an empty text.
    pub model: String,
}

/// Sampling for one server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SamplingPolicy {
    /// It may ask at all (SAMP-16).
    pub enabled: bool,
    /// What it may use.
    pub budget: Budget,
}

/// Sampling for one server, with what it has used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SamplingPolicyView {
    /// The server.
    pub server: ServerId,
    /// Its name.
    pub server_name: String,
    /// What is set.
    pub policy: SamplingPolicy,
    /// Tokens since midnight (UTC).
    pub tokens_today: u64,
    /// Dollars since midnight (UTC).
    pub cost_today: Dollars,
    /// Requests since midnight (UTC).
    pub requests_today: u64,
    /// What the person no longer wants to be asked.
    pub standing: Vec<StandingAnswer>,
}

/// One of the two looks at what a model is asked and says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SamplingLook {
    /// At what is asked.
    Request,
    /// At what the model says.
    Answer,
}

impl SamplingLook {
    fn as_str(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Answer => "answer",
        }
    }
}

/// A look that is left out because the person said so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct StandingAnswer {
    /// Its number.
    pub id: i64,
    /// Which look.
    pub look: SamplingLook,
    /// The provider's name; none: the practice model.
    pub provider_name: Option<String>,
    /// The model.
    pub model: String,
    /// Yes, or no.
    pub allow: bool,
    /// Until when, in milliseconds of Unix time; none: until it is taken back.
    #[serde(rename = "until")]
    pub until_ms: Option<i64>,
    /// It ends with the application.
    pub session: bool,
}

/// Everything about models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelsView {
    /// The providers. The practice model is always there and not among them.
    pub providers: Vec<Provider>,
    /// The routing table, in order.
    pub routes: Vec<RouteRule>,
    /// Every saved server.
    pub servers: Vec<SamplingPolicyView>,
}

/// The result for a server. Up to 2025-06-18 its content is one block; `several` says that the server takes more than one,
/// which it does where tools or rounds are known (SAMP-09).
pub(crate) fn result(reply: &Reply, content: &[Value], several: bool) -> Box<RawValue> {
    let content = match content {
        [one] => one.clone(),
        all if several => Value::Array(all.to_vec()),
        all => only_one(all),
    };
    let mut result = json!({
        "role": "assistant",
        "content": content,
        "model": reply.model.as_deref().unwrap_or("unknown"),
    });
    if let Some(reason) = &reply.stop_reason {
        result["stopReason"] = reason.as_str().into();
    }
    // A JSON value can always be written.
    to_raw_value(&result).unwrap_or_default()
}

/// The texts as one, or the first block where there is none.
fn only_one(content: &[Value]) -> Value {
    let texts: Vec<&str> = content.iter().filter_map(|block| block.get("text")?.as_str()).collect();
    match content.first() {
        Some(first) if texts.is_empty() => first.clone(),
        _ => json!({ "type": "text", "text": texts.join("\n") }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: SAMP-09.
    #[test]
    fn content_is_one_block_or_several_as_the_server_takes_it() {
        let reply = Reply::of("m");
        let read = |content: &[Value], several| {
            let result: Value = serde_json::from_str(result(&reply, content, several).get()).unwrap();
            result["content"].clone()
        };
        let text = |text: &str| json!({ "type": "text", "text": text });
        let image = json!({ "type": "image", "data": "", "mimeType": "image/png" });
        assert_eq!(read(&[text("a")], false), text("a"));
        assert_eq!(read(&[text("a")], true), text("a"));
        assert_eq!(read(&[text("a"), image.clone()], true), json!([text("a"), image]));
        assert_eq!(read(&[text("a"), image.clone(), text("b")], false), text("a\nb"));
        assert_eq!(read(&[image.clone(), image.clone()], false), image);
    }
}
