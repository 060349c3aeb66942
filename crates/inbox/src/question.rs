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
pub fn remembered_by(kind: InteractionKind, server: Option<ServerId>, number: i64) -> Option<RememberedBy> {
    match kind {
        InteractionKind::Tool => Some(RememberedBy::Rule { id: number }),
        InteractionKind::Sampling | InteractionKind::SamplingAnswer => {
            Some(RememberedBy::Model { id: number })
        }
        InteractionKind::Roots => server.map(|server| RememberedBy::Folders { server, answer: number }),
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

    /// The content that an answer must have.
    pub(crate) fn expected_content(&self) -> ExpectedContent {
        match self {
            Self::Form { form, .. } => ExpectedContent::Form(form.clone()),
            Self::Sampling(_) | Self::SamplingAnswer(_) => ExpectedContent::Edited,
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

/// The content that an answer to a question must have.
pub(crate) enum ExpectedContent {
    /// Values of this form.
    Form(Form),
    /// Edited JSON text.
    Edited,
    /// How far the yes reaches, one of these choices.
    Scope(ToolScopes),
    /// No content.
    Nothing,
}

/// A folder that a server would learn about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct InteractionFolder {
    /// The folder's path.
    pub path: String,
    /// The folder's name for the server.
    pub name: Option<String>,
    /// Why the folder can't be sent to the server at the moment. `None` if it can.
    pub problem: Option<Sentence>,
}

/// A URL that a server wants to open. It is inspected before anything fetches it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AddressView {
    /// Exactly the URL that would be opened.
    pub url: String,
    /// The part before the registrable domain: `https://login.`.
    pub before: String,
    /// The registrable domain, or the whole host if there is none.
    pub domain: String,
    /// The part after it.
    pub after: String,
    /// The host in Unicode, if it differs.
    pub unicode_host: Option<String>,
    /// Whether the URL looks as if it leads elsewhere.
    pub misleads: bool,
    /// Why it is never opened. `None` if it may be.
    pub blocked: Option<Sentence>,
    /// Warnings about it.
    pub warnings: Vec<Sentence>,
    /// The host for the list of decisions.
    #[serde(skip)]
    pub(crate) host: String,
}

/// What a server asks a model, and where the prompt would go.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SamplingReview {
    /// The server's system prompt.
    pub system: Option<String>,
    /// The conversation.
    pub messages: Vec<SamplingMessage>,
    /// The most tokens of the answer.
    pub max_tokens: u32,
    /// The sampling temperature.
    pub temperature: Option<f64>,
    /// Texts at which the answer stops.
    pub stop_sequences: Vec<String>,
    /// The tools offered to the model, each as JSON text. They run at the server, not in Mooring.
    pub tools: Vec<String>,
    /// The tool choice: `auto`, `required` or `none`.
    pub tool_choice: Option<String>,
    /// The context that the server asked for and does not get: `thisServer`, `allServers`.
    pub context_refused: Option<String>,
    /// The model that the rules choose. `None` if no model can take the request.
    pub route: Option<SamplingRoute>,
    /// Every model that can take the request.
    pub models: Vec<SamplingRoute>,
    /// The approximate number of tokens in the request.
    pub tokens: u32,
    /// The rest of the server's budget today.
    pub budget: Option<BudgetLeft>,
    /// The number of this round in a loop with tools, from 1.
    pub round: u32,
}

/// A message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct SamplingMessage {
    /// `user` or `assistant`.
    pub role: String,
    /// The content blocks, each as JSON text.
    pub content: Vec<String>,
}

/// A model, and why it was chosen.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SamplingRoute {
    /// The provider's row. `None` for the practice model.
    pub provider: Option<i64>,
    /// The person's name for the provider.
    pub provider_name: String,
    /// The host that receives the prompt. `None` if it stays on this computer.
    pub host: Option<String>,
    /// The model.
    pub model: String,
    /// The rule or the hint that led to this model.
    pub reason: Sentence,
    /// The highest cost in dollars, if it is known.
    pub cost: Option<f64>,
}

/// The rest of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, TS)]
pub struct BudgetLeft {
    /// Requests this minute.
    pub requests: Option<u32>,
    /// Tokens today.
    pub tokens: Option<u64>,
    /// Dollars today.
    pub cost: Option<f64>,
}

/// A model's answer.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SamplingAnswer {
    /// The model, as the provider names it.
    pub model: String,
    /// The person's name for the provider.
    pub provider_name: String,
    /// Whether the answer is still arriving and its texts grow.
    pub streaming: bool,
    /// The content blocks, each as JSON text.
    pub content: Vec<String>,
    /// The protocol's stop reason.
    pub stop_reason: Option<String>,
    /// The tokens read and written, and their cost.
    pub usage: Option<SamplingUsage>,
    /// Why there is no answer. The person can decline or retry.
    pub problem: Option<Sentence>,
}

/// The usage of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SamplingUsage {
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// The cost in dollars, if it is known.
    pub cost: Option<f64>,
}
