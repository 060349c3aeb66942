//! Providers of models, as they are entered and shown, and the routing table.

use std::fmt;

use mooring_base::server_id::ServerId;
use mooring_words::{Sentence, StoredSentence};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::dollars::Dollars;

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
    /// The word in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::Openai => "openai",
            Self::Ollama => "ollama",
            Self::Gemini => "gemini",
        }
    }

    /// The kind of this name; unknown ones are treated as `OpenAI`-compatible.
    pub fn from_name(name: &str) -> Self {
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
    /// The price of tokens read. `None` if it is not known.
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
    pub fn with_id(id: &str) -> Self {
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
    /// Its key. `None` to leave it as it is, or if none is needed. A stored key is forgotten if the kind or
    /// origin changes.
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
    /// Whether a key is stored for it.
    pub has_key: bool,
    /// Its models.
    pub models: Vec<Model>,
    /// When it last answered, in milliseconds of Unix time.
    pub answered_ms: Option<i64>,
    /// Why it did not answer when it was last asked.
    pub problem: Option<StoredSentence>,
}

/// Result of asking a provider for its models.
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
    /// The server. `None` if the rule is for all servers.
    pub server: Option<ServerId>,
    /// The text that a model hint must contain. `None` if any hint, or none, matches.
    pub hint: Option<String>,
    /// The provider. `None` for the practice model.
    pub provider: Option<i64>,
    /// The model; of the practice model an empty text.
    pub model: String,
}
