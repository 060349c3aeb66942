//! The kinds of questions: what each one shows, what is saved of it, what an answer to it contains, and what remembers
//! the answer. A new kind is added here.

use mooring_base::server_id::ServerId;
use mooring_forms::Form;
use mooring_policy::{ToolClaims, ToolScopes};
use mooring_words::{Sentence, say};
use serde::{Deserialize, Serialize};
use ts_rs::TS;
use url::Url;

use crate::error::AnswerError;
use crate::interactions::answers::ExpectedContent;
use crate::request::EditValidator;
use crate::view::{AddressView, DecisionView, InteractionFolder, SamplingAnswer, SamplingReview};

/// The kind of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(rename = "DecisionKind")]
pub enum InteractionKind {
    /// A form.
    Form,
    /// A URL to be opened.
    Url,
    /// Whether a tool may run.
    Tool,
    /// Whether a model may be asked.
    Sampling,
    /// Whether a model's answer may be sent.
    SamplingAnswer,
    /// Whether folders may be shared.
    Roots,
    /// Whether an app may use the servers.
    App,
}

impl InteractionKind {
    /// All kinds.
    pub const ALL: &'static [Self] =
        &[Self::Form, Self::Url, Self::Tool, Self::Sampling, Self::SamplingAnswer, Self::Roots, Self::App];

    /// The name in the database and in the settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Form => "form",
            Self::Url => "url",
            Self::Tool => "tool",
            Self::Sampling => "sampling",
            Self::SamplingAnswer => "sampling_answer",
            Self::Roots => "roots",
            Self::App => "app",
        }
    }

    /// The kind of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == name)
    }

    /// The method of requests that lead to such a question.
    pub fn method(self) -> &'static str {
        match self {
            Self::Form | Self::Url => "elicitation/create",
            // An app's first request may use another method, so questions about apps are not found by method.
            Self::Tool | Self::App => "tools/call",
            Self::Sampling | Self::SamplingAnswer => "sampling/createMessage",
            Self::Roots => "roots/list",
        }
    }
}

/// What remembers a decision, by the number that the database has of it.
pub fn remembered_by(decision: &DecisionView, number: i64) -> Option<RememberedBy> {
    match decision.kind {
        InteractionKind::Tool => Some(RememberedBy::Rule { id: number }),
        InteractionKind::Sampling | InteractionKind::SamplingAnswer => {
            Some(RememberedBy::Model { id: number })
        }
        InteractionKind::Roots => {
            decision.server.map(|server| RememberedBy::Folders { server, answer: number })
        }
        InteractionKind::Form | InteractionKind::Url | InteractionKind::App => None,
    }
}

/// What remembers an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum RememberedBy {
    /// A rule. `remove_rule` removes it, and `restore_rule` undoes that.
    Rule {
        /// Its number.
        id: i64,
    },
    /// The decision for a server and a model. `forget_sampling` removes it.
    Model {
        /// Its number.
        id: i64,
    },
    /// What a server may know of the folders for every server. `forget_roots_answer` removes it.
    Folders {
        /// The server.
        server: ServerId,
        /// The answer's number.
        answer: i64,
    },
}

/// The content of a question.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum InteractionQuestion {
    /// A form (`elicitation/create`, mode `form`).
    Form {
        /// The server's message.
        message: String,
        /// The form to fill in.
        #[serde(flatten)]
        form: Form,
    },
    /// A URL to open (`elicitation/create`, mode `url`).
    Url {
        /// The server's message.
        message: String,
        /// The inspected URL.
        address: AddressView,
        /// Whether the person accepted the URL, so that it is being opened or waits for completion.
        opened: bool,
        /// Why the URL could not be opened. The person can go there themselves, retry or cancel.
        problem: Option<Sentence>,
    },
    /// Whether this tool may run.
    Tool {
        /// The tool's name.
        tool: String,
        /// The server's title for it.
        title: Option<String>,
        /// The server's description of it.
        description: Option<String>,
        /// Whether title or description are cut.
        cut: bool,
        /// The arguments that will be sent, as JSON text.
        arguments: String,
        /// The tool's effects according to the server.
        hints: ToolClaims,
        /// Why the person is asked: a rule, or the lack of one.
        reason: Sentence,
        /// The number of that rule.
        rule: Option<i64>,
        /// Whether the person has reviewed the tool's definition before.
        reviewed: bool,
        /// The hash of the tool's definition, if it is known. If the definition changes, the call doesn't
        /// run, whatever the answer is.
        definition: Option<String>,
        /// Whether the calling app has no key. A yes then only counts for this call.
        keyless: bool,
        /// How far a remembered yes can reach.
        scopes: ToolScopes,
    },
    /// Whether a model may be asked (`sampling/createMessage`). The first of two reviews.
    Sampling(SamplingReview),
    /// Whether the server may have the model's answer. The second review.
    SamplingAnswer(SamplingAnswer),
    /// Whether the server may know these folders (`roots/list`).
    Roots {
        /// The folders that are granted to every server.
        folders: Vec<InteractionFolder>,
    },
    /// Whether this app may use the servers.
    App {
        /// The name that the app claims.
        app: String,
        /// The path of the app's program, if the system knows it.
        program: Option<String>,
        /// Whether it is a terminal, for the command line in it, instead of an app. A yes counts until it
        /// closes, or always for the program.
        is_terminal: bool,
    },
}

impl InteractionQuestion {
    /// The kind of the question.
    pub fn kind(&self) -> InteractionKind {
        match self {
            Self::Form { .. } => InteractionKind::Form,
            Self::Url { .. } => InteractionKind::Url,
            Self::Tool { .. } => InteractionKind::Tool,
            Self::Sampling(_) => InteractionKind::Sampling,
            Self::SamplingAnswer(_) => InteractionKind::SamplingAnswer,
            Self::Roots { .. } => InteractionKind::Roots,
            Self::App { .. } => InteractionKind::App,
        }
    }

    /// What is saved of it beside its kind: a tool's name, a URL's host, a model, or an app's name.
    pub(crate) fn subject(&self) -> Option<String> {
        match self {
            Self::Url { address, .. } => Some(address.host.clone()),
            Self::Tool { tool, .. } => Some(tool.clone()),
            Self::Sampling(review) => review.route.as_ref().map(|route| route.model.clone()),
            Self::SamplingAnswer(answer) => Some(answer.model.clone()),
            Self::App { app, .. } => Some(app.clone()),
            Self::Form { .. } | Self::Roots { .. } => None,
        }
    }

    /// The content that an answer must have. `validator` checks content that the person may edit.
    pub(crate) fn expected_content(&self, validator: Option<&EditValidator>) -> ExpectedContent {
        match self {
            Self::Form { form, .. } => ExpectedContent::Form(form.clone()),
            Self::Sampling(_) | Self::SamplingAnswer(_) => ExpectedContent::Edited(validator.cloned()),
            Self::Tool { scopes, .. } => ExpectedContent::Scope(scopes.clone()),
            Self::Url { .. } | Self::Roots { .. } | Self::App { .. } => ExpectedContent::Nothing,
        }
    }

    /// Whether the person can accept it as it is now.
    pub(crate) fn check_acceptable(&self) -> Result<(), AnswerError> {
        match self {
            Self::Url { address, .. } => match &address.blocked {
                Some(why) => Err(AnswerError::invalid(why.clone())),
                None if Url::parse(&address.url).is_err() => {
                    Err(AnswerError::invalid(say!("it isn’t a URL")))
                }
                None => Ok(()),
            },
            Self::SamplingAnswer(shown) if shown.streaming => Err(AnswerError::TooEarly),
            Self::SamplingAnswer(shown) if shown.problem.is_some() => {
                Err(AnswerError::invalid(say!("there is no answer to send")))
            }
            Self::Form { .. }
            | Self::Tool { .. }
            | Self::Sampling(_)
            | Self::SamplingAnswer(_)
            | Self::Roots { .. }
            | Self::App { .. } => Ok(()),
        }
    }
}
