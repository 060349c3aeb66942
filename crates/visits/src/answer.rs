//! Information about a server for a command, in the same form whether this process or the running Mooring is
//! connected to it.

use std::time::Duration;

use mooring_calls::{CallOutcome, CallStatus, PromptList, ResourceList, ToolList};
use mooring_faults::Fault;
use mooring_mcp::{Diagnostic, Prompt, RawJson, Resource, ResourceTemplate, Skill, SkillFiles, Tool};
use mooring_server_state::ConnectionView;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// Something odd, and where.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Remark {
    /// A stable word for it.
    pub code: String,
    /// The place of the problem.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// The whole problem as text.
    pub text: String,
}

impl From<&Diagnostic> for Remark {
    fn from(diagnostic: &Diagnostic) -> Self {
        Self {
            code: diagnostic.code.as_str().to_owned(),
            path: diagnostic.path.clone(),
            message: diagnostic.message.to_string(),
            text: diagnostic.to_string(),
        }
    }
}

fn remarks<'a>(diagnostics: impl IntoIterator<Item = &'a Diagnostic>) -> Vec<Remark> {
    diagnostics.into_iter().map(Remark::from).collect()
}

/// One step on the way to a connection.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Step {
    /// The request.
    pub request: String,
    /// Its outcome.
    pub outcome: String,
    /// How long it took, in milliseconds.
    pub elapsed_ms: Option<u64>,
}

/// A limit that the connection has reached.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Limit {
    /// The limit's name.
    pub name: String,
    /// The limit's value.
    pub limit: u64,
    /// The unit.
    pub unit: String,
    /// How often it was reached.
    pub times: u64,
}

/// Facts about a server and the connection to it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ServerFacts {
    /// The transport: `stdio` or `http`.
    pub transport: String,
    /// Whether it is connected, so that the following fields are known.
    pub is_connected: bool,
    /// The name the server gives itself.
    pub name: Option<String>,
    /// The title for people.
    pub title: Option<String>,
    /// The server's version.
    pub version: Option<String>,
    /// The instructions for a model.
    pub instructions: Option<String>,
    /// The protocol revision, such as `2025-11-25`.
    pub revision: Option<String>,
    /// The era, such as `session`.
    pub era: Option<String>,
    /// Why that revision and era were chosen.
    pub reason: Option<String>,
    /// The steps of the negotiation.
    pub steps: Vec<Step>,
    /// The server's capabilities, as sent.
    pub capabilities: Option<Box<RawValue>>,
    /// Oddities in the handshake.
    pub remarks: Vec<Remark>,
    /// The limits that were reached.
    pub limits: Vec<Limit>,
    /// The path of the program that was started.
    pub program: Option<String>,
    /// The process id.
    pub pid: Option<u32>,
    /// From the start to the end of the handshake, in milliseconds.
    pub connect_ms: u64,
    /// Whether an `Authorization` header is configured, so that no login is used.
    pub has_own_authorization: bool,
}

impl ServerFacts {
    /// The facts from a connection's view.
    pub fn new(view: ConnectionView, transport: &str) -> Self {
        let ConnectionView { peer, limits, program, pid, connect_time, .. } = view;
        let limits = limits.iter().map(|reached| Limit {
            name: reached.name.to_owned(),
            limit: reached.limit,
            unit: reached.unit.to_owned(),
            times: reached.times,
        });
        let facts = Self {
            transport: transport.to_owned(),
            limits: limits.collect(),
            program: program.map(|program| program.display().to_string()),
            pid,
            connect_ms: millis(connect_time.unwrap_or_default()),
            ..Self::default()
        };
        let Some(peer) = peer else { return facts };
        let steps = peer.steps.iter().map(|step| Step {
            request: step.request.clone(),
            outcome: step.outcome.to_string(),
            elapsed_ms: step.elapsed.map(millis),
        });
        Self {
            is_connected: true,
            steps: steps.collect(),
            remarks: remarks(&peer.diagnostics),
            name: peer.name,
            title: peer.title,
            version: peer.version,
            instructions: peer.instructions,
            revision: Some(peer.revision),
            era: Some(peer.era),
            reason: Some(peer.reason.to_string()),
            capabilities: Some(peer.capabilities),
            ..facts
        }
    }
}

/// Milliseconds, as many as there are.
pub(crate) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Kinds of items that a server offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemKind {
    /// Tools.
    Tools,
    /// Resources.
    Resources,
    /// Resource templates.
    Templates,
    /// Prompts.
    Prompts,
    /// Skills.
    Skills,
}

/// All items of one kind.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Listing {
    /// The server's answer, gathered over all pages.
    pub raw: Box<RawValue>,
    /// The items, in the server's order.
    pub items: Vec<ListedItem>,
    /// Oddities of the list and of what is in it.
    pub remarks: Vec<Remark>,
}

/// One of them. What is in it are the server's words.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ListedItem {
    /// The item's name or URI.
    pub name: String,
    /// Details of the item: its arguments, or its type.
    pub extra: String,
    /// The size in bytes.
    pub size: Option<u64>,
    /// The description in one line.
    pub about: String,
    /// The whole item as sent.
    pub raw: Box<RawValue>,
}

impl Listing {
    /// The tools.
    pub fn of_tools(list: &ToolList) -> Self {
        let each = list.tools.iter().flat_map(|tool| &tool.diagnostics);
        Self {
            raw: text(&list.raw),
            items: list.tools.iter().map(ListedItem::from).collect(),
            remarks: remarks(list.diagnostics.iter().chain(each)),
        }
    }

    /// The prompts.
    pub fn of_prompts(list: &PromptList) -> Self {
        let each = list.prompts.iter().flat_map(|prompt| &prompt.diagnostics);
        Self {
            raw: text(&list.raw),
            items: list.prompts.iter().map(ListedItem::from).collect(),
            remarks: remarks(list.diagnostics.iter().chain(each)),
        }
    }

    /// Resources, templates or skills.
    pub fn of_resources(list: &ResourceList, kind: ItemKind) -> Self {
        let (raw, items, each): (_, Vec<ListedItem>, Vec<&Diagnostic>) = match kind {
            ItemKind::Skills => (
                &list.raw_skills,
                list.skills.iter().map(ListedItem::from).collect(),
                list.skills.iter().flat_map(|skill| &skill.diagnostics).collect(),
            ),
            ItemKind::Templates => (
                &list.raw_templates,
                list.templates.iter().map(ListedItem::from).collect(),
                list.templates.iter().flat_map(|template| &template.diagnostics).collect(),
            ),
            ItemKind::Tools | ItemKind::Prompts | ItemKind::Resources => (
                &list.raw,
                list.resources.iter().map(ListedItem::from).collect(),
                list.resources.iter().flat_map(|resource| &resource.diagnostics).collect(),
            ),
        };
        Self { raw: text(raw), items, remarks: remarks(list.diagnostics.iter().chain(each)) }
    }
}

fn text(raw: &RawJson) -> Box<RawValue> {
    // The engine only returns valid JSON.
    RawValue::from_string(raw.get().to_owned()).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

impl From<&Tool> for ListedItem {
    fn from(tool: &Tool) -> Self {
        let schema: Value = tool
            .input_schema
            .as_ref()
            .and_then(|raw| serde_json::from_str(raw.get()).ok())
            .unwrap_or_default();
        let required = |name: &str| {
            let names = schema.get("required").and_then(Value::as_array);
            names.is_some_and(|names| names.iter().any(|required| required == name))
        };
        let names =
            schema.get("properties").and_then(Value::as_object).into_iter().flat_map(|all| all.keys());
        Self {
            name: tool.name.clone(),
            extra: words(names.map(|name| parameter(name, required(name)))),
            size: None,
            about: about(tool.description.as_deref(), tool.title.as_deref(), None),
            raw: tool.raw.clone(),
        }
    }
}

impl From<&Prompt> for ListedItem {
    fn from(prompt: &Prompt) -> Self {
        let arguments = prompt.arguments.iter().map(|argument| parameter(&argument.name, argument.required));
        Self {
            name: prompt.name.clone(),
            extra: words(arguments),
            size: None,
            about: about(prompt.description.as_deref(), prompt.title.as_deref(), None),
            raw: prompt.raw.clone(),
        }
    }
}

impl From<&Resource> for ListedItem {
    fn from(resource: &Resource) -> Self {
        // A resource without a name has its URI as its name here.
        let name = Some(resource.name.as_str()).filter(|name| *name != resource.uri);
        Self {
            name: resource.uri.clone(),
            extra: resource.mime_type.clone().unwrap_or_default(),
            size: resource.size,
            about: about(resource.description.as_deref(), resource.title.as_deref(), name),
            raw: resource.raw.clone(),
        }
    }
}

impl From<&ResourceTemplate> for ListedItem {
    fn from(template: &ResourceTemplate) -> Self {
        let name = Some(template.name.as_str()).filter(|name| *name != template.uri_template);
        Self {
            name: template.uri_template.clone(),
            extra: template.mime_type.clone().unwrap_or_default(),
            size: None,
            about: about(template.description.as_deref(), template.title.as_deref(), name),
            raw: template.raw.clone(),
        }
    }
}

impl From<&Skill> for ListedItem {
    fn from(skill: &Skill) -> Self {
        let extra = match &skill.files {
            SkillFiles::Listed(files) if files.len() == 1 => "1 file".to_owned(),
            SkillFiles::Listed(files) => format!("{} files", files.len()),
            SkillFiles::Dynamic => "dynamic".to_owned(),
        };
        Self {
            name: skill.uri.clone(),
            extra,
            size: None,
            about: about(Some(&skill.description), None, Some(&skill.name)),
            raw: skill.raw.clone(),
        }
    }
}

/// An optional one carries a question mark.
fn parameter(name: &str, required: bool) -> String {
    format!("{name}{}", if required { "" } else { "?" })
}

fn words(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join(" ")
}

/// The first line of the first of these texts that there is.
fn about(description: Option<&str>, title: Option<&str>, name: Option<&str>) -> String {
    let text = description.or(title).or(name).unwrap_or_default();
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned()
}

/// The outcome of a request to a server.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Outcome {
    /// The tool itself says that it failed.
    pub is_tool_error: bool,
    /// The server's result; of one that is too large its beginning.
    pub result: Option<Box<RawValue>>,
    /// Why there is no result.
    pub fault: Option<Fault>,
    /// Oddities of the result.
    pub remarks: Vec<Remark>,
    /// The time from sending the request to its end.
    pub elapsed: Duration,
}

impl From<CallOutcome> for Outcome {
    fn from(outcome: CallOutcome) -> Self {
        Self {
            is_tool_error: outcome.status == CallStatus::ToolError,
            result: outcome.result.as_ref().map(text),
            fault: outcome.error.map(Fault::from),
            remarks: remarks(&outcome.diagnostics),
            elapsed: outcome.elapsed,
        }
    }
}
