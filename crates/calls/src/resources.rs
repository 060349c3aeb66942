//! Views and requests for resources: lists, reads and subscriptions.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mooring_mcp::{Diagnostic, RawJson, Resource, ResourceTemplate, Skill};
use mooring_policy::Caller;
use serde::Serialize;
use ts_rs::TS;

/// All resources and resource templates of a connection, and the skills among the resources.
#[derive(Debug, Clone, Serialize, TS)]
pub struct ResourceList {
    /// The resources, in the server's order.
    pub resources: Vec<Resource>,
    /// The templates, in the server's order.
    pub templates: Vec<ResourceTemplate>,
    /// The skills that the server offers (SEP-2640), in its order.
    pub skills: Vec<Skill>,
    /// `{"resources":[…]}` of all pages together, each resource as the server sent it.
    #[serde(skip)]
    pub raw: RawJson,
    /// `{"resourceTemplates":[…]}` of all pages together, each template as the server sent it.
    #[serde(skip)]
    pub raw_templates: RawJson,
    /// `{"skills":[…]}` of all pages together, each skill as the server sent it.
    #[serde(skip)]
    pub raw_skills: RawJson,
    /// Problems of the lists themselves.
    pub diagnostics: Vec<Diagnostic>,
}

/// A request to read a resource.
#[derive(Clone)]
pub struct ResourceRead {
    /// The resource's URI.
    pub uri: String,
    /// The template that expanded to the URI. `None` if the URI was given directly.
    pub template: Option<String>,
    /// Who makes the request.
    pub caller: Caller,
    /// The front end's name for the request. Questions that belong to it carry the name.
    pub request: Option<Arc<str>>,
    /// How long the server may be silent. `None` uses the server's setting or the global one.
    pub idle: Option<Duration>,
    /// How long the request may take in all. `None` uses the global setting.
    pub total: Option<Duration>,
}

impl fmt::Debug for ResourceRead {
    /// Shows only the size of the URI, because it may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResourceRead")
            .field("uri", &self.uri.len())
            .field("caller", &self.caller)
            .finish_non_exhaustive()
    }
}

/// A resource that is subscribed to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionView {
    /// The resource's URI.
    pub uri: String,
    /// When it was subscribed to, in milliseconds since the Unix epoch.
    #[serde(rename = "since")]
    pub since_ms: i64,
    /// How often it has changed since then.
    pub updates: u64,
    /// When it last changed, in milliseconds since the Unix epoch.
    #[serde(rename = "lastUpdate")]
    pub last_update_ms: Option<i64>,
}
