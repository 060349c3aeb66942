//! Providers of models, as input and as views, and the rules of the routing table.

use std::fmt;

use mooring_base::server_id::ServerId;
use mooring_words::{Sentence, StoredSentence};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::dollars::Dollars;

/// The API of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// Anthropic's Messages API.
    Anthropic,
    /// `OpenAI`'s chat completions, which many other providers support.
    Openai,
    /// Ollama's chat API.
    Ollama,
    /// Google's Gemini API.
    Gemini,
}

impl ProviderKind {
    /// The name in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::Openai => "openai",
            Self::Ollama => "ollama",
            Self::Gemini => "gemini",
        }
    }

    /// The kind with this name. Unknown names count as `OpenAI`-compatible.
    pub fn from_name(name: &str) -> Self {
        match name {
            "anthropic" => Self::Anthropic,
            "ollama" => Self::Ollama,
            "gemini" => Self::Gemini,
            _ => Self::Openai,
        }
    }
}

/// A model that can be used. Prices are for a million tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Model {
    /// The provider's name for the model.
    pub id: String,
    /// The price of tokens that are read. `None` if it is not known.
    #[serde(default)]
    pub input_price: Option<Dollars>,
    /// The price of tokens that are written. `None` if it is not known.
    #[serde(default)]
    pub output_price: Option<Dollars>,
    /// Whether the model accepts images.
    #[serde(default)]
    pub images: bool,
    /// Whether the model accepts audio.
    #[serde(default)]
    pub audio: bool,
    /// Whether the model accepts tools.
    #[serde(default)]
    pub tools: bool,
    /// The person's rating of the model's price, 0 (expensive) to 100 (cheap).
    #[serde(default)]
    pub cheap: u8,
    /// The person's rating of the model's speed, 0 to 100.
    #[serde(default)]
    pub fast: u8,
    /// The person's rating of the model's capability, 0 to 100.
    #[serde(default)]
    pub capable: u8,
}

impl Model {
    /// Creates a model of which only the id is known.
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

/// A provider as the person enters it.
#[derive(Clone)]
pub struct NewProvider {
    /// The person's name for it.
    pub name: String,
    /// The provider's API.
    pub kind: ProviderKind,
    /// The base URL of the API.
    pub base_url: String,
    /// The API key. `None` keeps the saved one, or means that none is needed. A saved key is deleted if the
    /// kind or origin changes.
    pub key: Option<SecretString>,
    /// Whether to delete the saved key.
    pub forget_key: bool,
    /// The provider's models, in the person's order.
    pub models: Vec<Model>,
}

impl fmt::Debug for NewProvider {
    /// Leaves out the key.
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
    /// The provider's row.
    pub id: i64,
    /// The person's name for it.
    pub name: String,
    /// The provider's API.
    pub kind: ProviderKind,
    /// The base URL of the API.
    pub base_url: String,
    /// Whether a key is stored for the provider.
    pub has_key: bool,
    /// The provider's models.
    pub models: Vec<Model>,
    /// When the provider last answered, in milliseconds since the Unix epoch.
    pub answered_ms: Option<i64>,
    /// Why the provider did not answer the last check.
    pub problem: Option<StoredSentence>,
}

/// The result of asking a provider for its models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderCheck {
    /// The models that the provider lists, or why it does not answer.
    pub models: Result<Vec<String>, Sentence>,
    /// How long the test took.
    pub took: std::time::Duration,
}

/// One rule of the routing table. The first matching rule decides. Rules come before hints and priorities.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RouteRule {
    /// The server. `None` if the rule is for all servers.
    pub server: Option<ServerId>,
    /// The text that a model hint must contain. `None` if any hint, or none, matches.
    pub hint: Option<String>,
    /// The provider. `None` for the practice model.
    pub provider: Option<i64>,
    /// The model. Empty for the practice model.
    pub model: String,
}
