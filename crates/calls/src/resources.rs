//! Resources as a front end sees them: what is listed, what is read, what is watched.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mooring_mcp::{Diagnostic, RawJson, Resource, ResourceTemplate, Skill};
use mooring_policy::Caller;
use serde::Serialize;
use ts_rs::TS;

/// All resources and resource templates of a connection, and the skills that are made of resources.
#[derive(Debug, Clone, Serialize, TS)]
pub struct ResourceList {
    /// The resources, in the server's order.
    pub resources: Vec<Resource>,
    /// The templates, in the server's order.
    pub templates: Vec<ResourceTemplate>,
    /// The skills that the server brings along (SEP-2640), in its order.
    pub skills: Vec<Skill>,
    /// `{"resources":[…]}` gathered over all pages, each resource as sent.
    #[serde(skip)]
    pub raw: RawJson,
    /// `{"resourceTemplates":[…]}` gathered over all pages, each template as sent.
    #[serde(skip)]
    pub raw_templates: RawJson,
    /// `{"skills":[…]}` gathered over all pages, each skill as sent.
    #[serde(skip)]
    pub raw_skills: RawJson,
    /// Oddities of the lists themselves.
    pub diagnostics: Vec<Diagnostic>,
}

/// A resource that a person or a program wants read.
#[derive(Clone)]
pub struct ResourceRead {
    /// Where it is.
    pub uri: String,
    /// The template that it was made of; none: it was named as it is.
    pub template: Option<String>,
    /// Who asks.
    pub caller: Caller,
    /// The front end's name for it, which comes back with the questions that belong to it.
    pub request: Option<Arc<str>>,
    /// How long it may be silent, when it differs from the server's or the settings' value.
    pub idle: Option<Duration>,
    /// How long it may take altogether, when it differs from the settings.
    pub total: Option<Duration>,
}

impl fmt::Debug for ResourceRead {
    /// An address may hold secrets: only its size is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResourceRead")
            .field("uri", &self.uri.len())
            .field("caller", &self.caller)
            .finish_non_exhaustive()
    }
}

/// A resource whose changes are told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionView {
    /// Where it is.
    pub uri: String,
    /// Since when it is watched, in milliseconds since the Unix epoch.
    #[serde(rename = "since")]
    pub since_ms: i64,
    /// How often it changed since then.
    pub updates: u64,
    /// When it changed last.
    #[serde(rename = "lastUpdate")]
    pub last_update_ms: Option<i64>,
}
