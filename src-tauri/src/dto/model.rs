//! Models that answer servers' sampling requests, where amounts of dollars are what a person types.

use std::fmt;

use mooring_errors::HostError;
use mooring_models as models;
use mooring_models::{ApprovalView, Budget, Dollars, Model, NewProvider, Provider, ProviderKind, RouteRule};
use mooring_words::{Sentence, StoredSentence, say};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::IpcError;

/// A provider as it is entered.
#[derive(Clone, PartialEq, Eq, Deserialize, TS)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
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
    pub problem: Option<StoredSentence>,
}

/// What a try of a provider found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProviderCheck {
    /// The models that it lists.
    pub models: Vec<String>,
    /// Why it does not answer.
    pub problem: Option<Sentence>,
    /// How long it took, in milliseconds.
    pub took_ms: u32,
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
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
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
    pub standing: Vec<ApprovalView>,
}

/// Everything about models.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct ModelsView {
    /// The providers. The practice model is always there and not among them.
    pub providers: Vec<ProviderView>,
    /// The routing table, in order.
    pub routes: Vec<RouteRule>,
    /// Every saved server.
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

/// An amount of dollars as it was typed; an empty one is none.
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
