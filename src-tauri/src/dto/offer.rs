//! What servers offer beside tools: resources, templates, prompts, completion, subscriptions and tasks.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::Diagnostic;

/// A resource as its server describes it. JSON is kept as the text that was sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ResourceView {
    /// Where it is, for reading it.
    pub uri: String,
    /// Its name; its address where it has none.
    pub name: String,
    /// A name to show.
    pub title: Option<String>,
    /// What it is, in the server's words.
    pub description: Option<String>,
    /// What kind of data it is, as the server says.
    pub mime_type: Option<String>,
    /// Its size in bytes, where the server says one.
    pub size: Option<i64>,
    /// Whom it is for and how much it matters, as JSON text.
    pub annotations: Option<String>,
    /// The whole description, as JSON text.
    pub raw: String,
    /// Oddities in the description.
    pub diagnostics: Vec<Diagnostic>,
}

/// A family of resources as its server describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TemplateView {
    /// The template of their addresses (RFC 6570).
    pub uri_template: String,
    /// Its name; the template where it has none.
    pub name: String,
    /// A name to show.
    pub title: Option<String>,
    /// What they are, in the server's words.
    pub description: Option<String>,
    /// What kind of data they are, as the server says.
    pub mime_type: Option<String>,
    /// Whom they are for and how much they matter, as JSON text.
    pub annotations: Option<String>,
    /// The whole description, as JSON text.
    pub raw: String,
    /// Oddities in the description.
    pub diagnostics: Vec<Diagnostic>,
    /// The names in the template that can be filled in, in its order; none where it cannot be read.
    pub variables: Vec<String>,
}

/// A skill that a server brings along, as it describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct SkillView {
    /// The address of its `SKILL.md`.
    pub uri: String,
    /// Its name.
    pub name: String,
    /// What it is for, in the server's words.
    pub description: String,
    /// Of how many files it consists; none where the server makes them up as it goes.
    pub files: Option<u32>,
    /// Oddities in the description.
    pub diagnostics: Vec<Diagnostic>,
}

/// All resources and templates of a server, and its skills.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct ResourceList {
    /// The resources, in the server's order.
    pub resources: Vec<ResourceView>,
    /// The templates, in the server's order.
    pub templates: Vec<TemplateView>,
    /// The skills, in the server's order.
    pub skills: Vec<SkillView>,
    /// Oddities in the lists.
    pub diagnostics: Vec<Diagnostic>,
}

/// One argument of a prompt; its value is text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PromptArgument {
    /// Its name.
    pub name: String,
    /// A name to show.
    pub title: Option<String>,
    /// What it is, in the server's words.
    pub description: Option<String>,
    /// Whether the prompt needs it.
    pub required: bool,
}

/// A prompt as its server describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct PromptView {
    /// The name to ask for it by.
    pub name: String,
    /// A name to show.
    pub title: Option<String>,
    /// What it is, in the server's words.
    pub description: Option<String>,
    /// What can be filled in.
    pub arguments: Vec<PromptArgument>,
    /// The whole description, as JSON text.
    pub raw: String,
    /// Oddities in the description.
    pub diagnostics: Vec<Diagnostic>,
}

/// All prompts of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct PromptList {
    /// The prompts, in the server's order.
    pub prompts: Vec<PromptView>,
    /// Oddities in the list.
    pub diagnostics: Vec<Diagnostic>,
}

/// What values are wanted for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum CompletionReference {
    /// An argument of a prompt.
    Prompt {
        /// The prompt.
        name: String,
    },
    /// A variable of a template.
    Template {
        /// The template.
        uri_template: String,
    },
}

/// The values that a server proposes for an argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    /// The values, best first; at most 100.
    pub values: Vec<String>,
    /// How many there are in all, where the server says so.
    pub total: Option<i64>,
    /// Whether there are more.
    pub has_more: bool,
}

/// A resource whose changes are told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionView {
    /// Where it is.
    pub uri: String,
    /// Since when, in milliseconds of Unix time.
    pub since: i64,
    /// How often it changed since then.
    pub updates: i64,
    /// When it changed last, in milliseconds of Unix time.
    pub last_update: Option<i64>,
}

/// A call that its server works on in the background.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TaskView {
    /// The name that the server gave it.
    pub task_id: String,
    /// The tool that was called; empty where that is not known.
    pub tool: String,
    /// `working`, `input_required`, `completed`, `failed`, `cancelled` or `other`.
    pub status: String,
    /// How it stands, in the server's words.
    pub status_message: Option<String>,
    /// When it began, in milliseconds of Unix time.
    pub created_at: i64,
    /// When it was heard of last, in milliseconds of Unix time.
    pub updated_at: i64,
    /// How often the server wants to be asked for it.
    pub poll_interval_ms: Option<i64>,
    /// How long the server keeps it.
    pub ttl_ms: Option<i64>,
}
