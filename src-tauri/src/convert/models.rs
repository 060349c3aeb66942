//! Models, and who may ask them.

use mooring_host as host;

use crate::dto::{
    IpcError, ModelInput, ModelsView, ProviderCheck, ProviderInput, ProviderKind, ProviderView, RouteRule,
    SamplingLook, SamplingPolicy, SamplingPolicyView, StandingAnswer,
};

impl From<host::ModelsView> for ModelsView {
    fn from(view: host::ModelsView) -> Self {
        let host::ModelsView { providers, routes, servers } = view;
        Self {
            providers: providers.into_iter().map(Into::into).collect(),
            routes: routes.into_iter().map(Into::into).collect(),
            servers: servers.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<ProviderKind> for host::ProviderKind {
    fn from(kind: ProviderKind) -> Self {
        match kind {
            ProviderKind::Anthropic => Self::Anthropic,
            ProviderKind::Openai => Self::Openai,
            ProviderKind::Ollama => Self::Ollama,
            ProviderKind::Gemini => Self::Gemini,
        }
    }
}

impl From<host::ProviderKind> for ProviderKind {
    fn from(kind: host::ProviderKind) -> Self {
        match kind {
            host::ProviderKind::Anthropic => Self::Anthropic,
            host::ProviderKind::Openai => Self::Openai,
            host::ProviderKind::Ollama => Self::Ollama,
            host::ProviderKind::Gemini => Self::Gemini,
        }
    }
}

/// An amount of dollars as it was typed; an empty one is none.
#[expect(clippy::result_large_err, reason = "every conversion here fails with it")]
fn dollars(field: &'static str, text: Option<String>) -> Result<Option<host::Dollars>, IpcError> {
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return Ok(None) };
    match host::Dollars::parse(&text) {
        Some(dollars) => Ok(Some(dollars)),
        None => Err(host::HostError::InvalidSetting {
            field,
            message: host::say!("not an amount of dollars with up to six places: {text}", text),
        }
        .into()),
    }
}

impl TryFrom<ModelInput> for host::Model {
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

impl From<host::Model> for ModelInput {
    fn from(model: host::Model) -> Self {
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

impl TryFrom<ProviderInput> for host::NewProvider {
    type Error = IpcError;

    fn try_from(provider: ProviderInput) -> Result<Self, IpcError> {
        let ProviderInput { name, kind, base_url, key, forget_key, models } = provider;
        let models = models.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?;
        Ok(Self { name, kind: kind.into(), base_url, key: key.map(Into::into), forget_key, models })
    }
}

impl From<host::Provider> for ProviderView {
    fn from(provider: host::Provider) -> Self {
        Self {
            id: provider.id,
            name: provider.name,
            kind: provider.kind.into(),
            base_url: provider.base_url,
            has_key: provider.has_key,
            models: provider.models.into_iter().map(Into::into).collect(),
            used_at: provider.answered_ms,
            problem: provider.problem.map(Into::into),
        }
    }
}

impl From<host::ProviderCheck> for ProviderCheck {
    fn from(check: host::ProviderCheck) -> Self {
        let took_ms = u32::try_from(check.took.as_millis()).unwrap_or(u32::MAX);
        match check.models {
            Ok(models) => Self { models, problem: None, took_ms },
            Err(problem) => Self { models: Vec::new(), problem: Some(problem.into()), took_ms },
        }
    }
}

impl From<host::RouteRule> for RouteRule {
    fn from(route: host::RouteRule) -> Self {
        let host::RouteRule { server, hint, provider, model } = route;
        Self { server: server.map(|server| server.0), hint, provider, model }
    }
}

impl From<RouteRule> for host::RouteRule {
    fn from(route: RouteRule) -> Self {
        let RouteRule { server, hint, provider, model } = route;
        Self { server: server.map(host::ServerId), hint, provider, model }
    }
}

impl TryFrom<SamplingPolicy> for host::SamplingPolicy {
    type Error = IpcError;

    fn try_from(policy: SamplingPolicy) -> Result<Self, IpcError> {
        let SamplingPolicy { server: _, enabled, requests_per_minute, tokens_per_day, cost_per_day } = policy;
        let cost_per_day = dollars("costPerDay", cost_per_day)?;
        Ok(Self { enabled, budget: host::Budget { requests_per_minute, tokens_per_day, cost_per_day } })
    }
}

impl From<host::SamplingPolicyView> for SamplingPolicyView {
    fn from(view: host::SamplingPolicyView) -> Self {
        let host::SamplingPolicy { enabled, budget } = view.policy;
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
            standing: view.standing.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<host::StandingAnswer> for StandingAnswer {
    fn from(answer: host::StandingAnswer) -> Self {
        Self {
            id: answer.id,
            look: match answer.look {
                host::SamplingLook::Request => SamplingLook::Request,
                host::SamplingLook::Answer => SamplingLook::Answer,
            },
            provider_name: answer.provider_name,
            model: answer.model,
            allow: answer.allow,
            until: answer.until_ms,
            session: answer.session,
        }
    }
}
