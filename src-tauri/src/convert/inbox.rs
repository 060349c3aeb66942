//! Questions to the person.

use mooring_host as host;

use crate::dto::{
    AddressView, BudgetLeft, DecisionKind, DecisionOutcome, DecisionView, FormChoice, FormField, FormInput,
    FormMistake, FormOddity, InboxView, InteractionAnswer, InteractionFolder, InteractionOccasion,
    InteractionOpening, InteractionQuestion, InteractionView, Remember, RememberedBy, SamplingAnswer,
    SamplingMessage, SamplingReview, SamplingRoute, SamplingUsage, SilencedServer, ToolHints,
};

impl From<host::InboxView> for InboxView {
    fn from(inbox: host::InboxView) -> Self {
        let host::InboxView { waiting, silenced } = inbox;
        Self {
            waiting: waiting.into_iter().map(Into::into).collect(),
            silenced: silenced.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<host::SilencedServer> for SilencedServer {
    fn from(silenced: host::SilencedServer) -> Self {
        Self {
            server: silenced.server.0,
            name: silenced.name,
            until: silenced.until_ms,
            put_aside: silenced.put_aside,
            reason: silenced.reason.into(),
        }
    }
}

impl From<host::InteractionView> for InteractionView {
    fn from(view: host::InteractionView) -> Self {
        Self {
            id: view.id,
            server: view.server.0,
            server_name: view.server_name,
            transport: view.transport,
            place: view.place,
            account: view.account,
            asked_at: view.asked_ms,
            occasion: view.occasion.into(),
            position: view.position,
            question: view.question.into(),
            draft: view.draft,
        }
    }
}

impl From<host::InteractionOccasion> for InteractionOccasion {
    fn from(occasion: host::InteractionOccasion) -> Self {
        let host::InteractionOccasion { method, subject, caller, is_guess, said } = occasion;
        Self { method, subject, caller, is_guess, said: said.into() }
    }
}

impl From<host::InteractionQuestion> for InteractionQuestion {
    fn from(question: host::InteractionQuestion) -> Self {
        match question {
            host::InteractionQuestion::Form { message, form } => Self::Form {
                message,
                fields: form.fields.into_iter().map(Into::into).collect(),
                oddities: form.oddities.into_iter().map(Into::into).collect(),
            },
            host::InteractionQuestion::Url { message, address, opened, problem } => {
                Self::Url { message, address: address.into(), opened, problem: problem.map(Into::into) }
            }
            host::InteractionQuestion::Tool {
                tool,
                title,
                description,
                cut,
                arguments,
                hints,
                reason,
                reviewed,
            } => Self::Tool {
                tool,
                title,
                description,
                cut,
                arguments,
                hints: hints.into(),
                reason: reason.into(),
                reviewed,
            },
            host::InteractionQuestion::Sampling(review) => Self::Sampling(review.into()),
            host::InteractionQuestion::SamplingAnswer(answer) => Self::SamplingAnswer(answer.into()),
            host::InteractionQuestion::Roots { folders } => {
                Self::Roots { folders: folders.into_iter().map(Into::into).collect() }
            }
        }
    }
}

impl From<host::InteractionFolder> for InteractionFolder {
    fn from(folder: host::InteractionFolder) -> Self {
        let host::InteractionFolder { path, name, problem } = folder;
        Self { path, name, problem: problem.map(Into::into) }
    }
}

impl From<host::ToolClaims> for ToolHints {
    fn from(hints: host::ToolClaims) -> Self {
        let host::ToolClaims { read_only, destructive, idempotent, open_world } = hints;
        Self { read_only, destructive, idempotent, open_world }
    }
}

impl From<host::Oddity> for FormOddity {
    fn from(odd: host::Oddity) -> Self {
        let host::Oddity { path, asked, what } = odd;
        Self { path, asked, what: what.into() }
    }
}

impl From<host::Field> for FormField {
    fn from(field: host::Field) -> Self {
        Self {
            looks_secret: host::asks_for_secret(&field),
            name: field.name,
            title: field.title,
            description: field.description,
            required: field.required,
            nullable: field.nullable,
            default: field.default.map(|default| default.to_string()),
            input: field.kind.into(),
        }
    }
}

impl From<host::FieldKind> for FormInput {
    fn from(kind: host::FieldKind) -> Self {
        let count = |count: Option<u64>| count.map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        let choices = |choices: Vec<host::Choice>| choices.into_iter().map(Into::into).collect();
        match kind {
            host::FieldKind::Text { min, max, pattern, format } => Self::Text {
                min_length: count(min),
                max_length: count(max),
                pattern: pattern.map(|pattern| pattern.as_str().to_owned()),
                format: format.map(|format| format.as_str().to_owned()),
            },
            host::FieldKind::Number { whole, min, max, .. } => Self::Number {
                integer: whole,
                minimum: min.and_then(|min| min.as_f64()),
                maximum: max.and_then(|max| max.as_f64()),
            },
            host::FieldKind::Boolean => Self::Boolean,
            host::FieldKind::One(these) => Self::One { choices: choices(these) },
            host::FieldKind::Several { choices: these, min, max } => {
                Self::Some { choices: choices(these), min_items: count(min), max_items: count(max) }
            }
            host::FieldKind::List { of, min, max, .. } => {
                Self::List { of: Box::new((*of).into()), min_items: count(min), max_items: count(max) }
            }
            host::FieldKind::Either(kinds) => {
                Self::Either { kinds: kinds.into_iter().map(Into::into).collect() }
            }
            host::FieldKind::Any => Self::Any,
        }
    }
}

impl From<host::Choice> for FormChoice {
    fn from(choice: host::Choice) -> Self {
        let host::Choice { value, title } = choice;
        match value {
            serde_json::Value::String(value) => Self { value, title, json: None },
            other => Self { value: other.to_string(), title, json: Some(other.to_string()) },
        }
    }
}

impl From<host::Mistake> for FormMistake {
    fn from(mistake: host::Mistake) -> Self {
        Self { field: mistake.field, message: mistake.what.into() }
    }
}

impl From<host::AddressView> for AddressView {
    fn from(address: host::AddressView) -> Self {
        Self {
            url: address.url,
            before: address.before,
            domain: address.domain,
            after: address.after,
            unicode_host: address.unicode_host,
            blocked: address.blocked.map(Into::into),
            warnings: address.warnings.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<host::SamplingReview> for SamplingReview {
    fn from(review: host::SamplingReview) -> Self {
        Self {
            system: review.system,
            messages: review.messages.into_iter().map(Into::into).collect(),
            max_tokens: review.max_tokens,
            temperature: review.temperature,
            stop_sequences: review.stop_sequences,
            tools: review.tools,
            tool_choice: review.tool_choice,
            context_refused: review.context_refused,
            route: review.route.map(Into::into),
            models: review.models.into_iter().map(Into::into).collect(),
            tokens: review.tokens,
            budget: review.budget.map(Into::into),
            round: review.round,
        }
    }
}

impl From<host::SamplingMessage> for SamplingMessage {
    fn from(message: host::SamplingMessage) -> Self {
        let host::SamplingMessage { role, content } = message;
        Self { role, content }
    }
}

impl From<host::SamplingRoute> for SamplingRoute {
    fn from(route: host::SamplingRoute) -> Self {
        let host::SamplingRoute { provider, provider_name, host, model, reason, cost } = route;
        Self { provider, provider_name, host, model, reason: reason.into(), cost }
    }
}

impl From<host::BudgetLeft> for BudgetLeft {
    fn from(left: host::BudgetLeft) -> Self {
        let host::BudgetLeft { requests, tokens, cost } = left;
        Self { requests, tokens, cost }
    }
}

impl From<host::SamplingAnswer> for SamplingAnswer {
    fn from(answer: host::SamplingAnswer) -> Self {
        Self {
            model: answer.model,
            provider_name: answer.provider_name,
            streaming: answer.streaming,
            content: answer.content,
            stop_reason: answer.stop_reason,
            usage: answer.usage.map(Into::into),
            problem: answer.problem.map(Into::into),
        }
    }
}

impl From<host::SamplingUsage> for SamplingUsage {
    fn from(usage: host::SamplingUsage) -> Self {
        let host::SamplingUsage { input_tokens, output_tokens, cost } = usage;
        Self { input_tokens, output_tokens, cost }
    }
}

impl From<host::InteractionOpening> for InteractionOpening {
    fn from(opening: host::InteractionOpening) -> Self {
        // Rounded up: an answer after that time counts.
        let armed_in = opening.armed_in.as_micros().div_ceil(1_000);
        Self { nonce: opening.nonce, armed_in: u32::try_from(armed_in).unwrap_or(u32::MAX) }
    }
}

impl From<InteractionAnswer> for host::InteractionAnswer {
    fn from(answer: InteractionAnswer) -> Self {
        match answer {
            InteractionAnswer::Accept { content, remember } => {
                Self::Accept { content, remember: remember.into() }
            }
            InteractionAnswer::Decline { remember } => Self::Decline { remember: remember.into() },
            InteractionAnswer::Cancel => Self::Cancel,
        }
    }
}

impl From<Remember> for host::Remember {
    fn from(remember: Remember) -> Self {
        match remember {
            Remember::Once => Self::Once,
            Remember::Session => Self::Session,
            Remember::Hour => Self::Hour,
            Remember::Always => Self::Always,
        }
    }
}

impl From<host::DecisionView> for DecisionView {
    fn from(decision: host::DecisionView) -> Self {
        Self {
            id: decision.id,
            server: decision.server.map(|server| server.0),
            server_name: decision.server_name,
            kind: match decision.kind {
                host::InteractionKind::Form => DecisionKind::Form,
                host::InteractionKind::Url => DecisionKind::Url,
                host::InteractionKind::Tool => DecisionKind::Tool,
                host::InteractionKind::Sampling => DecisionKind::Sampling,
                host::InteractionKind::SamplingAnswer => DecisionKind::SamplingAnswer,
                host::InteractionKind::Roots => DecisionKind::Roots,
            },
            subject: decision.subject,
            outcome: match decision.outcome {
                host::InteractionOutcome::Accepted => DecisionOutcome::Accepted,
                host::InteractionOutcome::Declined => DecisionOutcome::Declined,
                host::InteractionOutcome::Cancelled => DecisionOutcome::Cancelled,
                host::InteractionOutcome::Withdrawn => DecisionOutcome::Withdrawn,
                // What still waits is no decision, and never listed as one.
                host::InteractionOutcome::Expired | host::InteractionOutcome::Waiting => {
                    DecisionOutcome::Expired
                }
                host::InteractionOutcome::PutAside => DecisionOutcome::PutAside,
            },
            reason: decision.reason.map(Into::into),
            asked_at: decision.asked_ms,
            decided_at: decision.decided_ms,
            remembered: decision.remembered.map(|by| match by {
                host::RememberedBy::Rule(id) => RememberedBy::Rule { id },
                host::RememberedBy::Model(id) => RememberedBy::Model { id },
                host::RememberedBy::Folders { server, answer } => {
                    RememberedBy::Folders { server: server.0, answer }
                }
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_crosses_with_its_default_as_json_text() {
        let field = host::Field {
            name: "token".to_owned(),
            title: None,
            description: None,
            required: true,
            nullable: false,
            kind: host::FieldKind::Boolean,
            default: Some(true.into()),
        };
        let text = host::FieldKind::Text { min: None, max: None, pattern: None, format: None };
        let asks = host::Field { kind: text, default: Some("x\"y".into()), ..field.clone() };
        let (field, asks) = (FormField::from(field), FormField::from(asks));
        assert!(!field.looks_secret && field.required && asks.looks_secret);
        assert_eq!(field.default.as_deref(), Some("true"));
        assert_eq!(asks.default.as_deref(), Some(r#""x\"y""#));
        assert_eq!(field.input, FormInput::Boolean);
    }

    #[test]
    fn a_choice_crosses_with_its_type() {
        let choice = |value: serde_json::Value| FormChoice::from(host::Choice { value, title: None });
        assert_eq!((choice("1".into()).value.as_str(), choice("1".into()).json), ("1", None));
        assert_eq!(choice(1.into()).json.as_deref(), Some("1"));
    }
}
