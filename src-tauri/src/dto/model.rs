//! Models that answer servers' sampling requests. Amounts of dollars are the text that the person typed.

use std::fmt;

use mooring_errors::HostError;
use mooring_models as models;
use mooring_models::{ApprovalView, Budget, Dollars, Model, NewProvider, Provider, ProviderKind, RouteRule};
use mooring_words::{Sentence, StoredSentence, say};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::IpcError;

/// A provider as entered in the form.
#[derive(Clone, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProviderInput {
    /// The person's name for the provider.
    pub name: String,
    /// The provider's API.
    pub kind: ProviderKind,
    /// The base URL of the API.
    pub base_url: String,
    /// The API key. `None` keeps the saved key, or uses no key. It is encrypted and never sent back to the
    /// window.
    pub key: Option<String>,
    /// Removes the saved key.
    pub forget_key: bool,
    /// The models that may be used, in the person's order.
    pub models: Vec<ModelInput>,
}

impl fmt::Debug for ProviderInput {
    /// Leaves out the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderInput")
            .field("name", &self.name)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

/// A model that may be used. Prices are in dollars per million tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ModelInput {
    /// The provider's name for the model.
    pub id: String,
    /// Dollars per million input tokens, as decimal text. `None` if unknown.
    pub input_price: Option<String>,
    /// Dollars per million output tokens, as decimal text. `None` if unknown.
    pub output_price: Option<String>,
    /// Whether the model accepts images.
    pub images: bool,
    /// Whether the model accepts audio.
    pub audio: bool,
    /// Whether the model accepts tools.
    pub tools: bool,
    /// The person's rating of the model's price, 0 (expensive) to 100 (cheap).
    pub cheap: u8,
    /// The person's rating of the model's speed, 0 to 100.
    pub fast: u8,
    /// The person's rating of the model's capability, 0 to 100.
    pub capable: u8,
}

/// A saved provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProviderView {
    /// The id of the provider's row.
    pub id: i64,
    /// The person's name for the provider.
    pub name: String,
    /// The provider's API.
    pub kind: ProviderKind,
    /// The base URL of the API.
    pub base_url: String,
    /// Whether an encrypted key is saved.
    pub has_key: bool,
    /// The models that may be used.
    pub models: Vec<ModelInput>,
    /// When the provider last answered, in milliseconds since the Unix epoch.
    pub used_at: Option<i64>,
    /// Why the last request failed.
    pub problem: Option<StoredSentence>,
}

/// The result of testing a provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProviderCheck {
    /// The ids of the provider's models.
    pub models: Vec<String>,
    /// Why the test failed.
    pub problem: Option<Sentence>,
    /// How long the test took, in milliseconds.
    pub took_ms: u32,
}

/// Whether a server may use sampling, and its budget.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SamplingPolicy {
    /// The server's id.
    pub server: i64,
    /// Whether the server may ask models at all. Off until the person turns it on.
    pub enabled: bool,
    /// The most requests per minute.
    pub requests_per_minute: Option<u32>,
    /// The most tokens per day, input and output together.
    pub tokens_per_day: Option<u32>,
    /// The most dollars per day, as decimal text.
    pub cost_per_day: Option<String>,
}

/// A server's sampling policy and what it has used.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SamplingPolicyView {
    /// The saved policy.
    pub policy: SamplingPolicy,
    /// The server's name.
    pub server_name: String,
    /// The tokens used since midnight.
    pub tokens_today: u32,
    /// The dollars spent since midnight.
    pub cost_today: f64,
    /// The requests since midnight.
    pub requests_today: u32,
    /// The approvals that apply without asking the person.
    pub standing: Vec<ApprovalView>,
}

/// Everything that the models screen shows.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct ModelsView {
    /// The providers, without the built-in practice model.
    pub providers: Vec<ProviderView>,
    /// The routing table, in order.
    pub routes: Vec<RouteRule>,
    /// The policies of all saved servers.
    pub servers: Vec<SamplingPolicyView>,
}

impl From<models::ModelsView> for ModelsView {
    fn from(view: models::ModelsView) -> Self {
        let models::ModelsView { providers, routes, servers } = view;
        Self {
            providers: providers.into_iter().map(Into::into).collect(),
            routes,
            servers: servers.into_iter().map(Into::into).collect(),
        }
    }
}

/// Parses an amount of dollars. An empty text means no amount.
fn dollars(field: &'static str, text: Option<String>) -> Result<Option<Dollars>, IpcError> {
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return Ok(None) };
    match Dollars::parse(&text) {
        Some(dollars) => Ok(Some(dollars)),
        None => Err(HostError::InvalidSetting {
            field,
            message: say!("not an amount of dollars with up to six places: {text}", text),
        }
        .into()),
    }
}

impl TryFrom<ModelInput> for Model {
    type Error = IpcError;

    fn try_from(model: ModelInput) -> Result<Self, IpcError> {
        Ok(Self {
            id: model.id,
            input_price: dollars("inputPrice", model.input_price)?,
            output_price: dollars("outputPrice", model.output_price)?,
            images: model.images,
            audio: model.audio,
            tools: model.tools,
            cheap: model.cheap,
            fast: model.fast,
            capable: model.capable,
        })
    }
}

impl From<Model> for ModelInput {
    fn from(model: Model) -> Self {
        Self {
            id: model.id,
            input_price: model.input_price.map(|price| price.to_string()),
            output_price: model.output_price.map(|price| price.to_string()),
            images: model.images,
            audio: model.audio,
            tools: model.tools,
            cheap: model.cheap,
            fast: model.fast,
            capable: model.capable,
        }
    }
}

impl TryFrom<ProviderInput> for NewProvider {
    type Error = IpcError;

    fn try_from(provider: ProviderInput) -> Result<Self, IpcError> {
        let ProviderInput { name, kind, base_url, key, forget_key, models } = provider;
        let models = models.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?;
        Ok(Self { name, kind, base_url, key: key.map(Into::into), forget_key, models })
    }
}

impl From<Provider> for ProviderView {
    fn from(provider: Provider) -> Self {
        Self {
            id: provider.id,
            name: provider.name,
            kind: provider.kind,
            base_url: provider.base_url,
            has_key: provider.has_key,
            models: provider.models.into_iter().map(Into::into).collect(),
            used_at: provider.answered_ms,
            problem: provider.problem,
        }
    }
}

impl From<models::ProviderCheck> for ProviderCheck {
    fn from(check: models::ProviderCheck) -> Self {
        let took_ms = u32::try_from(check.took.as_millis()).unwrap_or(u32::MAX);
        match check.models {
            Ok(models) => Self { models, problem: None, took_ms },
            Err(problem) => Self { models: Vec::new(), problem: Some(problem), took_ms },
        }
    }
}

impl TryFrom<SamplingPolicy> for models::SamplingPolicy {
    type Error = IpcError;

    fn try_from(policy: SamplingPolicy) -> Result<Self, IpcError> {
        let SamplingPolicy { server: _, enabled, requests_per_minute, tokens_per_day, cost_per_day } = policy;
        let cost_per_day = dollars("costPerDay", cost_per_day)?;
        Ok(Self { enabled, budget: Budget { requests_per_minute, tokens_per_day, cost_per_day } })
    }
}

impl From<models::SamplingPolicyView> for SamplingPolicyView {
    fn from(view: models::SamplingPolicyView) -> Self {
        let models::SamplingPolicy { enabled, budget } = view.policy;
        let whole = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        Self {
            policy: SamplingPolicy {
                server: view.server.0,
                enabled,
                requests_per_minute: budget.requests_per_minute,
                tokens_per_day: budget.tokens_per_day,
                cost_per_day: budget.cost_per_day.map(|cost| cost.to_string()),
            },
            server_name: view.server_name,
            tokens_today: whole(view.tokens_today),
            cost_today: view.cost_today.as_f64(),
            requests_today: whole(view.requests_today),
            standing: view.approvals,
        }
    }
}
