//! Questions to the person, and how they were decided. Words of servers are marked as such; nothing here can be answered
//! without the nonce that opening a question gives.

use std::fmt;

use mooring_host::{KeptSentence as Sentence, Transport};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What waits for the person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct InboxView {
    /// The questions, oldest first. Of each server only the first can be answered; the others wait behind it.
    pub waiting: Vec<InteractionView>,
    /// The servers whose questions are put aside, because they ask too much or were dismissed too often.
    pub silenced: Vec<SilencedServer>,
}

/// A server whose questions are cancelled without being shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SilencedServer {
    /// The saved server.
    pub server: i64,
    /// Its name.
    pub name: String,
    /// Until when, in milliseconds of Unix time; none: until the person lifts it.
    pub until: Option<i64>,
    /// How many questions were put aside since the application started.
    pub put_aside: u32,
    /// Why.
    pub reason: Sentence,
}

/// One question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct InteractionView {
    /// Its row.
    pub id: i64,
    /// The saved server that asks.
    pub server: i64,
    /// The person's name for it.
    pub server_name: String,
    /// How it is reached.
    pub transport: Transport,
    /// Where it is: the origin of its address, or its program's path.
    pub place: String,
    /// The login that it is used with, as the account's label or subject.
    pub account: Option<String>,
    /// When it was asked, in milliseconds of Unix time.
    pub asked_at: i64,
    /// What it belongs to.
    pub occasion: InteractionOccasion,
    /// Its place in the queue of its server; 0 can be answered.
    pub position: u32,
    /// What is asked.
    pub question: InteractionQuestion,
    /// What the person has entered so far, as JSON text; secret values are not kept.
    pub draft: Option<String>,
}

/// What a question belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct InteractionOccasion {
    /// The request of ours that waits for the answer; none: the server asks of its own accord, or does not say why.
    pub method: Option<String>,
    /// What that request is about, such as a tool's name.
    pub subject: Option<String>,
    /// Who made it: `workbench`, `command_line`, `sampling`.
    pub caller: Option<String>,
    /// The protocol does not tell: it is what goes on meanwhile, which the question need not be for.
    pub is_guess: bool,
    /// In whose words it can be said.
    pub said: Sentence,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum InteractionQuestion {
    /// A form (`elicitation/create`, mode `form`).
    Form {
        /// The server's words.
        message: String,
        /// The fields, in the server's order.
        fields: Vec<FormField>,
        /// What the server asks for beyond that.
        oddities: Vec<FormOddity>,
    },
    /// An address to be opened (`elicitation/create`, mode `url`).
    Url {
        /// The server's words.
        message: String,
        /// The address, looked at from all sides.
        address: AddressView,
        /// The person agreed to it: it was opened or is being opened, and that it is done is awaited.
        opened: bool,
        /// Why it could not be opened. The person may go there by themselves, try once more, or give it up.
        problem: Option<Sentence>,
    },
    /// May this tool run?
    Tool {
        /// The tool's name.
        tool: String,
        /// The server's title for it.
        title: Option<String>,
        /// The server's description of it.
        description: Option<String>,
        /// Title or description were longer, and stand here cut.
        cut: bool,
        /// The arguments that leave, as JSON text.
        arguments: String,
        /// What the server says of the tool's effects.
        hints: ToolHints,
        /// Why it is asked: the rule, or that there is none.
        reason: Sentence,
        /// Whether its definition was looked at by the person before.
        reviewed: bool,
    },
    /// May a model be asked this (`sampling/createMessage`)? The first of two looks.
    Sampling(SamplingReview),
    /// May the server have this answer of the model? The second look.
    SamplingAnswer(SamplingAnswer),
    /// May the server know of these folders (`roots/list`)?
    Roots {
        /// The folders granted to every server.
        folders: Vec<InteractionFolder>,
    },
}

/// A folder that a server would be told of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct InteractionFolder {
    /// Where it is.
    pub path: String,
    /// The name that goes with it.
    pub name: Option<String>,
    /// Why the server is not told of it now; none: it would be.
    pub problem: Option<Sentence>,
}

/// What a server says of a tool's effects in so many words; none: it says nothing of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolHints {
    /// It changes nothing.
    pub read_only: Option<bool>,
    /// It may destroy something.
    pub destructive: Option<bool>,
    /// A second call changes nothing more.
    pub idempotent: Option<bool>,
    /// It reaches beyond its own world.
    pub open_world: Option<bool>,
}

/// One field of a form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FormField {
    /// The key of its value.
    pub name: String,
    /// The server's title.
    pub title: Option<String>,
    /// The server's description.
    pub description: Option<String>,
    /// It has to be filled in.
    pub required: bool,
    /// It can be answered with null.
    pub nullable: bool,
    /// Its name or description asks for what looks like a secret.
    pub looks_secret: bool,
    /// The value to begin with, as JSON text.
    pub default: Option<String>,
    /// What it takes.
    pub input: FormInput,
}

/// Something that a server asks for and a form cannot say, so that it is not checked here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FormOddity {
    /// Where it stands in the schema. Words of the server.
    pub path: String,
    /// The start of what stands there, as JSON text. Words of the server.
    pub asked: String,
    /// What that means here.
    pub what: Sentence,
}

/// What a field takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[expect(clippy::use_self, reason = "the derive names the type in functions of its own")]
pub enum FormInput {
    /// A text.
    Text {
        /// At least so many characters.
        min_length: Option<u32>,
        /// At most so many characters.
        max_length: Option<u32>,
        /// A regular expression that it has to match.
        pattern: Option<String>,
        /// `email`, `uri`, `date` or `date-time`.
        format: Option<String>,
    },
    /// A number.
    Number {
        /// Without a fraction.
        integer: bool,
        /// At least this.
        minimum: Option<f64>,
        /// At most this.
        maximum: Option<f64>,
    },
    /// Yes or no.
    Boolean,
    /// One of these.
    One {
        /// The choices.
        choices: Vec<FormChoice>,
    },
    /// Some of these.
    Some {
        /// The choices.
        choices: Vec<FormChoice>,
        /// At least so many.
        min_items: Option<u32>,
        /// At most so many.
        max_items: Option<u32>,
    },
    /// Any number of such values.
    List {
        /// What each of them is.
        of: Box<FormInput>,
        /// At least so many.
        min_items: Option<u32>,
        /// At most so many.
        max_items: Option<u32>,
    },
    /// A value of one of these kinds.
    Either {
        /// The kinds.
        kinds: Vec<FormInput>,
    },
    /// Any JSON value.
    Any,
}

/// A choice of a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FormChoice {
    /// What is sent, where it is a text, and otherwise how it is written.
    pub value: String,
    /// What is shown.
    pub title: Option<String>,
    /// What is sent, as JSON text, where it is no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub json: Option<String>,
}

/// What is wrong with an answer to a form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FormMistake {
    /// The field.
    pub field: String,
    /// What is wrong.
    pub message: Sentence,
}

/// An address that a server wants opened, looked at before anything fetches it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AddressView {
    /// Exactly what would be opened.
    pub url: String,
    /// Up to the host: `https://login.`.
    pub before: String,
    /// The registrable domain, or the whole host where there is none.
    pub domain: String,
    /// What follows it.
    pub after: String,
    /// The host in Unicode, where it differs.
    pub unicode_host: Option<String>,
    /// Why it is never opened; none: it may be.
    pub blocked: Option<Sentence>,
    /// What to look out for.
    pub warnings: Vec<Sentence>,
}

/// What a server asks a model, and where it would go.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SamplingReview {
    /// The system prompt that the server wants.
    pub system: Option<String>,
    /// The conversation.
    pub messages: Vec<SamplingMessage>,
    /// The most tokens of the answer.
    pub max_tokens: u32,
    /// How free the answer may be.
    pub temperature: Option<f64>,
    /// Where the answer stops.
    pub stop_sequences: Vec<String>,
    /// The tools offered to the model, each as JSON text. They run at the server, never here.
    pub tools: Vec<String>,
    /// `auto`, `required` or `none`.
    pub tool_choice: Option<String>,
    /// The context that the server wanted and does not get: `thisServer`, `allServers`.
    pub context_refused: Option<String>,
    /// The model that the rules choose; none: there is no model that can take it.
    pub route: Option<SamplingRoute>,
    /// Every model that can take it.
    pub models: Vec<SamplingRoute>,
    /// About how many tokens it has.
    pub tokens: u32,
    /// What is left of the server's budget today.
    pub budget: Option<BudgetLeft>,
    /// Which round of a loop with tools this is, from 1.
    pub round: u32,
}

/// A message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SamplingMessage {
    /// `user` or `assistant`.
    pub role: String,
    /// The content blocks, each as JSON text.
    pub content: Vec<String>,
}

/// A model, and why it was chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SamplingRoute {
    /// The provider's row; none: the practice model.
    pub provider: Option<i64>,
    /// The person's name for the provider.
    pub provider_name: String,
    /// The host that the prompt goes to; none: it stays on this computer.
    pub host: Option<String>,
    /// The model.
    pub model: String,
    /// Which rule or hint led to it.
    pub reason: Sentence,
    /// At most so much, in dollars; none: not known.
    pub cost: Option<f64>,
}

/// What is left of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct BudgetLeft {
    /// Requests this minute.
    pub requests: Option<u32>,
    /// Tokens today.
    pub tokens: Option<u64>,
    /// Dollars today.
    pub cost: Option<f64>,
}

/// What a model answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SamplingAnswer {
    /// The model that spoke, as the provider names it.
    pub model: String,
    /// Through whom.
    pub provider_name: String,
    /// It is still speaking; the texts grow.
    pub streaming: bool,
    /// The content blocks, each as JSON text.
    pub content: Vec<String>,
    /// Why it stopped, in the protocol's word.
    pub stop_reason: Option<String>,
    /// Tokens read and written, and what they cost in dollars.
    pub usage: Option<SamplingUsage>,
    /// Why there is no answer. The person may decline, or try once more.
    pub problem: Option<Sentence>,
}

/// What an answer took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SamplingUsage {
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// Dollars; none: not known.
    pub cost: Option<f64>,
}

/// A question that was opened: what it takes to answer it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct InteractionOpening {
    /// For one answer to this question.
    pub nonce: String,
    /// An accepting answer counts after so many milliseconds.
    pub armed_in: u32,
}

/// An answer of the person.
#[derive(Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum InteractionAnswer {
    /// Yes.
    Accept {
        /// What was entered or edited, as JSON text: the values of a form; of sampling `{system, messages, maxTokens, provider, model}`;
        /// of its answer `{content}`. None: as it is.
        content: Option<String>,
        /// For how long.
        remember: Remember,
    },
    /// No.
    Decline {
        /// For how long.
        remember: Remember,
    },
    /// No answer.
    Cancel,
}

impl fmt::Debug for InteractionAnswer {
    /// What was entered may be anything: it is not shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Accept { .. } => "Accept",
            Self::Decline { .. } => "Decline",
            Self::Cancel => "Cancel",
        })
    }
}

/// For how long an answer counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Remember {
    /// Only this time.
    Once,
    /// Until the application ends.
    Session,
    /// For an hour.
    Hour,
    /// Always; of a no: never again.
    Always,
}

/// How a question was decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct DecisionView {
    /// The question's row.
    pub id: i64,
    /// The saved server, if it is still there.
    pub server: Option<i64>,
    /// Its name at that time.
    pub server_name: String,
    /// What was asked.
    pub kind: DecisionKind,
    /// What it was about: a tool's name, an address's host, a model. Words of others.
    pub subject: Option<String>,
    /// How it ended.
    pub outcome: DecisionOutcome,
    /// Why, where nobody decided.
    pub reason: Option<Sentence>,
    /// When it was asked, in milliseconds of Unix time.
    pub asked_at: i64,
    /// When it was decided.
    pub decided_at: i64,
    /// What remembers it and can be taken back.
    pub remembered: Option<RememberedBy>,
}

/// What remembers an answer, and how it is taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum RememberedBy {
    /// A rule: `remove_rule`, which `restore_rule` undoes.
    Rule {
        /// Its number.
        id: i64,
    },
    /// What stands for a server and a model: `forget_sampling`.
    Model {
        /// Its number.
        id: i64,
    },
    /// What a server may know of the folders for every server: `forget_roots_answer`.
    Folders {
        /// The server.
        server: i64,
        /// The answer's number.
        answer: i64,
    },
}

/// What was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum DecisionKind {
    /// A form.
    Form,
    /// An address.
    Url,
    /// A tool.
    Tool,
    /// A model's words.
    Sampling,
    /// Whether a model's answer may be handed on.
    SamplingAnswer,
    /// Folders.
    Roots,
}

/// How a question ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum DecisionOutcome {
    /// The person said yes.
    Accepted,
    /// The person said no.
    Declined,
    /// The person put it aside.
    Cancelled,
    /// Whoever asked no longer wants to know.
    Withdrawn,
    /// The application ended before it was answered.
    Expired,
    /// It was not shown: the server asks too much.
    PutAside,
}
