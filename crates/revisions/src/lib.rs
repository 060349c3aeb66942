//! The revisions of the protocol that apps may speak, how the gateway names itself, and what an earlier revision does not
//! have, which is left out for its apps: a strict one would refuse the whole result.

use std::collections::BTreeMap;

use mooring_jsonrpc::{
    Change, JsonObject, Members, array, elements, is_text, member, with_members, without_members,
};
use serde_json::value::RawValue;

/// The kinds of what servers offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OfferKind {
    /// Tools.
    Tools,
    /// Prompts.
    Prompts,
    /// Resources.
    Resources,
    /// Templates of resources.
    Templates,
}

impl OfferKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Tools, Self::Prompts, Self::Resources, Self::Templates];

    /// The member with the items in a list's result.
    pub fn member(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources => "resources",
            Self::Templates => "resourceTemplates",
        }
    }

    /// The request for their list.
    pub fn list_method(self) -> &'static str {
        match self {
            Self::Tools => "tools/list",
            Self::Prompts => "prompts/list",
            Self::Resources => "resources/list",
            Self::Templates => "resources/templates/list",
        }
    }

    /// The notification of a change.
    pub fn list_changed(self) -> &'static str {
        match self {
            Self::Tools => "notifications/tools/list_changed",
            Self::Prompts => "notifications/prompts/list_changed",
            Self::Resources | Self::Templates => "notifications/resources/list_changed",
        }
    }
}

/// The revisions with a session, oldest first.
pub const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// Completion, tool annotations, audio.
const WITH_ANNOTATIONS: &str = "2025-03-26";
/// Titles, structured results, links to resources.
const WITH_TITLES: &str = "2025-06-18";
/// Icons, and how a tool may run.
const WITH_ICONS: &str = "2025-11-25";
/// Members that were added in the stateless era.
const STATELESS_MEMBERS: [&str; 3] = ["resultType", "ttlMs", "cacheScope"];

/// Who this server is, as JSON.
pub fn server_info(revision: &str) -> String {
    let named = JsonObject::new().text("name", "mooring");
    let named = if revision >= WITH_TITLES { named.text("title", "Mooring") } else { named };
    named.text("version", env!("CARGO_PKG_VERSION")).whole()
}

/// What servers offer, together or one alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerOffers {
    /// Tools.
    pub tools: bool,
    /// Prompts.
    pub prompts: bool,
    /// Resources.
    pub resources: bool,
    /// Subscriptions to changes of resources.
    pub subscribe: bool,
    /// Completion.
    pub completions: bool,
    /// Log messages.
    pub logging: bool,
    /// Extensions that can be carried, as JSON: their ids with their settings.
    pub extensions: BTreeMap<String, String>,
}

/// Extensions that only need what is passed on anyway: members of `_meta`, and resources.
const CARRIED_EXTENSIONS: [&str; 1] = ["io.modelcontextprotocol/ui"];

/// Everything that can be passed on: what servers may have of which nothing is known yet.
impl Default for ServerOffers {
    fn default() -> Self {
        Self {
            tools: true,
            prompts: true,
            resources: true,
            subscribe: true,
            completions: true,
            logging: true,
            extensions: BTreeMap::new(),
        }
    }
}

impl ServerOffers {
    /// The offers in a server's capabilities. `None` if they are empty, as with many servers that have tools.
    pub fn of(capabilities: &RawValue) -> Option<Self> {
        let declared = Members::of(capabilities.get());
        if declared.is_empty() {
            return None;
        }
        let has = |name: &str| declared.has(name);
        let extensions = declared.inside("extensions");
        let carried = extensions.into_iter().filter(|(id, _)| CARRIED_EXTENSIONS.contains(id));
        Some(Self {
            tools: has("tools"),
            prompts: has("prompts"),
            resources: has("resources"),
            subscribe: declared.inside("resources").get("subscribe") == Some("true"),
            completions: has("completions"),
            logging: has("logging"),
            extensions: carried.map(|(id, settings)| (id.to_owned(), settings.to_owned())).collect(),
        })
    }

    /// The offers of one server alone, or of several together. A server with further lists may join several
    /// ones later.
    pub fn of_all(servers: impl Iterator<Item = Self>, is_one: bool) -> Self {
        match servers.reduce(Self::or) {
            Some(one) if is_one => one,
            Some(together) => Self { tools: true, prompts: true, resources: true, ..together },
            None => Self::default(),
        }
    }

    /// The union of both.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let mut extensions = other.extensions;
        extensions.extend(self.extensions);
        Self {
            tools: self.tools || other.tools,
            prompts: self.prompts || other.prompts,
            resources: self.resources || other.resources,
            subscribe: self.subscribe || other.subscribe,
            completions: self.completions || other.completions,
            logging: self.logging || other.logging,
            extensions,
        }
    }

    /// Whether a request can be answered.
    pub fn answers(&self, method: &str) -> bool {
        match method {
            "resources/subscribe" | "resources/unsubscribe" => self.subscribe,
            "completion/complete" => self.completions,
            "logging/setLevel" => self.logging,
            _ => match method.split_once('/') {
                Some(("tools", _)) => self.tools,
                Some(("prompts", _)) => self.prompts,
                Some(("resources", _)) => self.resources,
                _ => true,
            },
        }
    }
}

/// The capabilities for these offers at a revision, as JSON.
pub fn server_capabilities(revision: &str, offers: &ServerOffers) -> String {
    let changes = || JsonObject::new().flag("listChanged", true);
    let resources = if offers.subscribe { changes().flag("subscribe", true) } else { changes() };
    let extensions = offers.extensions.iter();
    let extensions = extensions.fold(JsonObject::new(), |all, (id, settings)| all.raw(id, settings));
    // Extensions are agreed on beside the revision; pages came with this one (SEP-1865).
    let has_extensions = !extensions.is_empty() && revision >= WITH_ICONS;
    let parts = [
        (offers.tools, "tools", changes()),
        (offers.prompts, "prompts", changes()),
        (offers.resources, "resources", resources),
        (offers.completions && revision >= WITH_ANNOTATIONS, "completions", JsonObject::new()),
        (offers.logging, "logging", JsonObject::new()),
        (has_extensions, "extensions", extensions),
    ];
    let offered = parts.iter().filter(|(is_there, ..)| *is_there);
    offered.fold(JsonObject::new(), |all, (_, name, part)| all.object(name, part)).whole()
}

/// A result without `serverInfo` of the server behind it, which only belongs into answers to stateless
/// requests (basic#_meta).
fn without_server_info(result: String) -> String {
    const KEY: &str = "io.modelcontextprotocol/serverInfo";
    let Some(meta) = member(&result, "_meta") else { return result };
    if Members::of(meta).get(KEY).is_none() {
        return result;
    }
    let meta = without_members(meta.to_owned(), &[KEY]);
    let now = if Members::of(&meta).is_empty() { Change::Remove } else { Change::Set(&meta) };
    with_members(&result, &[("_meta", now)])
}

/// Removes from a result what the session's revision does not have. Everything else keeps its bytes.
pub fn fit(revision: &str, method: &str, result: String) -> String {
    let result = without_members(result, &STATELESS_MEMBERS);
    let result = without_server_info(result);
    match method {
        "tools/call" => {
            let result = if has_structured_result(revision, &result) {
                result
            } else {
                without_members(result, &["structuredContent"])
            };
            if revision >= WITH_TITLES {
                return result;
            }
            change_elements(result, "content", |block| fit_content(revision, block))
        }
        "prompts/get" if revision < WITH_TITLES => change_elements(result, "messages", |message| {
            let fitted = member(message, "content").and_then(|content| fit_content(revision, content));
            fitted.map(|content| with_members(message, &[("content", Change::Set(&content))]))
        }),
        _ => match OfferKind::ALL.into_iter().find(|kind| kind.list_method() == method) {
            Some(kind) => change_elements(result, kind.member(), |item| fit_item(revision, kind, item)),
            None => result,
        },
    }
}

/// Whether a result's structured content is valid in a session, which only allows objects.
fn has_structured_result(revision: &str, result: &str) -> bool {
    member(result, "structuredContent").is_none_or(|value| revision >= WITH_TITLES && value.starts_with('{'))
}

/// Adapts a definition. `None` if it needs no change.
fn fit_item(revision: &str, kind: OfferKind, item: &str) -> Option<String> {
    let is_tool = kind == OfferKind::Tools;
    let of_object = |schema: &str| member(schema, "type").is_some_and(|kind| is_text(kind, "object"));
    let mut newer = Vec::new();
    if revision < WITH_ANNOTATIONS && is_tool {
        newer.push("annotations");
    }
    if revision < WITH_TITLES {
        newer.push("title");
    }
    if is_tool
        && (revision < WITH_TITLES || member(item, "outputSchema").is_some_and(|schema| !of_object(schema)))
    {
        newer.push("outputSchema");
    }
    if revision < WITH_ICONS {
        newer.extend(["icons", "execution"]);
    }
    let is_other = !newer.is_empty() || Members::of(item).repeated().is_some();
    is_other.then(|| without_members(item.to_owned(), &newer))
}

/// Adapts a part of a result. `None` if it needs no change. A type that the revision does not have becomes a
/// text that names it.
fn fit_content(revision: &str, block: &str) -> Option<String> {
    let members = Members::of(block);
    let text = match members.text("type").as_deref() {
        Some("resource_link") if revision < WITH_TITLES => {
            let (name, uri) = (members.text("name"), members.text("uri"));
            format!("Link to a resource: {} {}", name.unwrap_or_default(), uri.unwrap_or_default())
        }
        Some("audio") if revision < WITH_ANNOTATIONS => {
            let kind = members.text("mimeType").unwrap_or_default();
            format!("Audio ({kind}), which MCP {revision} can’t carry")
        }
        // A program that takes the first of two would see another type.
        _ => return members.repeated().map(|_| members.with(&[])),
    };
    Some(JsonObject::new().text("type", "text").text("text", &text).whole())
}

/// Changes the elements of an array member. If none changes, the object keeps its bytes.
fn change_elements(object: String, name: &str, change: impl Fn(&str) -> Option<String>) -> String {
    let Some(list) = member(&object, name) else { return object };
    let Some(items) = elements(list) else { return object };
    let changed: Vec<_> = items.iter().map(|element| change(element.get())).collect();
    if changed.iter().all(Option::is_none) {
        return object;
    }
    let parts = items.iter().zip(&changed);
    let parts = parts.map(|(element, changed)| changed.as_deref().unwrap_or_else(|| element.get()));
    with_members(&object, &[(name, Change::Set(&array(parts)))])
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOL: &str = r#"{"name":"a","title":"A","annotations":{"title":"x"},"icons":[],"outputSchema":{"type":"object"},"inputSchema":{"type" : "object"}}"#;

    #[test]
    fn lists_have_nothing_newer_than_the_session() {
        let list = format!(r#"{{"tools":[{TOOL}],"ttlMs":1}}"#);
        for (revision, expected) in [
            ("2024-11-05", r#"{"name":"a","inputSchema":{"type" : "object"}}"#.to_owned()),
            (
                "2025-03-26",
                r#"{"name":"a","annotations":{"title":"x"},"inputSchema":{"type" : "object"}}"#.to_owned(),
            ),
            ("2025-06-18", TOOL.replace(r#""icons":[],"#, "")),
            ("2025-11-25", TOOL.to_owned()),
        ] {
            assert_eq!(fit(revision, "tools/list", list.clone()), format!(r#"{{"tools":[{expected}]}}"#));
        }
        let list = r#"{"resources":[{"uri":"a:b","annotations":{"priority":1},"title":"x"}]}"#;
        let fitted = fit("2024-11-05", "resources/list", list.to_owned());
        assert_eq!(fitted, r#"{"resources":[{"uri":"a:b","annotations":{"priority":1}}]}"#);
    }

    #[test]
    fn results_of_later_types_become_texts() {
        let result = r#"{"content":[{"type":"text","text":"t" },{"type":"resource_link","name":"n","uri":"a:b"},{"type":"audio","mimeType":"audio/wav","data":""},{"type":"new"}],"structuredContent":{"a":1.0}}"#;
        assert_eq!(fit("2025-06-18", "tools/call", result.to_owned()), result);
        let old = fit("2024-11-05", "tools/call", result.to_owned());
        assert_eq!(
            old,
            r#"{"content":[{"type":"text","text":"t" },{"type":"text","text":"Link to a resource: n a:b"},{"type":"text","text":"Audio (audio/wav), which MCP 2024-11-05 can’t carry"},{"type":"new"}]}"#
        );
        let message = r#"{"messages":[{"role":"user","content":{"type":"resource_link","uri":"a:b"}}]}"#;
        assert_eq!(
            fit("2025-03-26", "prompts/get", message.to_owned()),
            r#"{"messages":[{"role":"user","content":{"type":"text","text":"Link to a resource:  a:b"}}]}"#
        );
    }

    #[test]
    fn structured_results_are_objects_in_sessions() {
        let (list, object) =
            (r#"{"content":[],"structuredContent":[1]}"#, r#"{"content":[],"structuredContent":{}}"#);
        assert_eq!(fit("2025-11-25", "tools/call", list.to_owned()), r#"{"content":[]}"#);
        assert_eq!(fit("2025-11-25", "tools/call", object.to_owned()), object);
        let tool = r#"{"tools":[{"name":"a","outputSchema":{"type":"array"}}]}"#;
        assert_eq!(fit("2025-11-25", "tools/list", tool.to_owned()), r#"{"tools":[{"name":"a"}]}"#);
    }
}
