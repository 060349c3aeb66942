//! Models that answer servers' sampling requests.

use std::fmt;

use mooring_host::KeptSentence as Sentence;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// How a provider is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// Anthropic's Messages API.
    Anthropic,
    /// `OpenAI`'s chat completions, which many others speak: Azure, `OpenRouter`, LM Studio, llama.cpp, vLLM.
    Openai,
    /// Ollama's chat API.
    Ollama,
    /// Google's Gemini API.
    Gemini,
}

/// A provider as it is entered.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProviderInput {
    /// The person's name for it.
    pub name: String,
    /// How it is spoken to.
    pub kind: ProviderKind,
    /// Where it is.
    pub base_url: String,
    /// Its key; none: as before, or no key is needed. It is sealed and never comes back.
    pub key: Option<String>,
    /// Forget the key that is kept.
    pub forget_key: bool,
    /// The models that may be used, in the person's order.
    pub models: Vec<ModelInput>,
}

impl fmt::Debug for ProviderInput {
    /// The key is not shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderInput")
            .field("name", &self.name)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

/// A model that may be used. Prices are in dollars for a million tokens; cost, speed and intelligence from 0 to 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ModelInput {
    /// As the provider names it.
    pub id: String,
    /// Dollars for a million tokens read, as decimal text; none: not known.
    pub input_price: Option<String>,
    /// Dollars for a million tokens written.
    pub output_price: Option<String>,
    /// It takes images.
    pub images: bool,
    /// It takes audio.
    pub audio: bool,
    /// It takes tools.
    pub tools: bool,
    /// How cheap it is, in percent.
    pub cheap: u8,
    /// How fast it is, in percent.
    pub fast: u8,
    /// How capable it is, in percent.
    pub capable: u8,
}

/// A provider that is set up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProviderView {
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
    pub models: Vec<ModelInput>,
    /// When it last answered, in milliseconds of Unix time.
    pub used_at: Option<i64>,
    /// Why it did not answer when it was last asked.
    pub problem: Option<Sentence>,
}

/// What a try of a provider found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProviderCheck {
    /// The models that it lists.
    pub models: Vec<String>,
    /// Why it does not answer.
    pub problem: Option<Sentence>,
    /// How long it took, in milliseconds.
    pub took_ms: u32,
}

/// One line of the routing table; the first that fits decides, before hints and priorities.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RouteRule {
    /// For which server; none: for all.
    pub server: Option<i64>,
    /// For hints with this text in them; none: whatever is hinted.
    pub hint: Option<String>,
    /// The provider; none: the practice model.
    pub provider: Option<i64>,
    /// The model; of the practice model an empty text.
    pub model: String,
}

/// Sampling for one server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SamplingPolicy {
    /// The server.
    pub server: i64,
    /// It may ask at all. Off until the person switches it on.
    pub enabled: bool,
    /// Requests per minute at most.
    pub requests_per_minute: Option<u32>,
    /// Tokens a day at most, read and written.
    pub tokens_per_day: Option<u32>,
    /// Dollars a day at most, as decimal text.
    pub cost_per_day: Option<String>,
}

/// Sampling for one server, with what it has used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SamplingPolicyView {
    /// What is set.
    pub policy: SamplingPolicy,
    /// The server's name.
    pub server_name: String,
    /// Tokens since midnight.
    pub tokens_today: u32,
    /// Dollars since midnight.
    pub cost_today: f64,
    /// Requests since midnight.
    pub requests_today: u32,
    /// What the person no longer wants to be asked.
    pub standing: Vec<StandingAnswer>,
}

/// A look at a server's sampling that is left out because the person said so; `forget_sampling` takes it back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct StandingAnswer {
    /// Its row.
    pub id: i64,
    /// Which of the two looks.
    pub look: SamplingLook,
    /// The provider's name; none: the practice model.
    pub provider_name: Option<String>,
    /// The model; of the practice model an empty text.
    pub model: String,
    /// Yes, or no.
    pub allow: bool,
    /// Until when, in milliseconds of Unix time; none: until it is taken back.
    pub until: Option<i64>,
    /// It ends with the application.
    pub session: bool,
}

/// One of the two looks at what a model is asked and says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SamplingLook {
    /// At what is asked.
    Request,
    /// At what the model says.
    Answer,
}

/// Everything about models.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ModelsView {
    /// The providers. The practice model is always there and not among them.
    pub providers: Vec<ProviderView>,
    /// The routing table, in order.
    pub routes: Vec<RouteRule>,
    /// Every saved server.
    pub servers: Vec<SamplingPolicyView>,
}
