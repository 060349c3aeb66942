//! The revisions of the protocol that apps may speak, how the gateway names itself, and what an earlier revision does not
//! have, which is left out for its apps: a strict one would refuse the whole result.

use std::collections::BTreeMap;

use mooring_base::json_members::{
    elements, member, members, quoted, text_member, with_members, without_members,
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
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Tools, Self::Prompts, Self::Resources, Self::Templates];

    /// The member of a list's result that holds them.
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

/// Completion, what tools are said to do, audio.
const WITH_ANNOTATIONS: &str = "2025-03-26";
/// Titles, structured results, links to resources.
const WITH_TITLES: &str = "2025-06-18";
/// Icons, and how a tool may run.
const WITH_ICONS: &str = "2025-11-25";
/// What came with the stateless era.
const STATELESS_MEMBERS: [&str; 3] = ["resultType", "ttlMs", "cacheScope"];

/// Who this server is, as JSON.
pub fn server_info(revision: &str) -> String {
    let version = quoted(env!("CARGO_PKG_VERSION"));
    let title = if revision >= WITH_TITLES { r#","title":"Mooring""# } else { "" };
    format!(r#"{{"name":"mooring"{title},"version":{version}}}"#)
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
    /// That changes of resources are told.
    pub subscribe: bool,
    /// Completion.
    pub completions: bool,
    /// Log messages.
    pub logging: bool,
    /// Extensions that can be carried, as JSON: their ids with their settings.
    pub extensions: BTreeMap<String, String>,
}

/// The extensions that need nothing but what is carried anyway: members of `_meta`, and resources.
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
    /// What the capabilities of a server say; none where they say nothing at all, as many do that have tools.
    pub fn of(capabilities: &RawValue) -> Option<Self> {
        let declared = members(capabilities.get()).filter(|declared| !declared.is_empty())?;
        let find = |name: &str| declared.iter().find(|(own, _)| own == name).map(|(_, value)| *value);
        let has = |name: &str| find(name).is_some_and(|value| value.get() != "null");
        let subscribe = find("resources").and_then(|resources| member(resources.get(), "subscribe"));
        let extensions = find("extensions").and_then(|extensions| members(extensions.get()));
        let carried =
            extensions.into_iter().flatten().filter(|(id, _)| CARRIED_EXTENSIONS.contains(&id.as_str()));
        Some(Self {
            tools: has("tools"),
            prompts: has("prompts"),
            resources: has("resources"),
            subscribe: subscribe.is_some_and(|subscribe| subscribe.get() == "true"),
            completions: has("completions"),
            logging: has("logging"),
            extensions: carried.map(|(id, settings)| (id, settings.get().to_owned())).collect(),
        })
    }

    /// What servers offer: one alone, or several together. Beside those without lists another may come that has some.
    pub fn of_all(servers: impl Iterator<Item = Self>, is_one: bool) -> Self {
        match servers.reduce(Self::or) {
            Some(one) if is_one => one,
            Some(together) => Self { tools: true, prompts: true, resources: true, ..together },
            None => Self::default(),
        }
    }

    /// What one of both offers.
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

/// What is offered at a revision, as JSON.
pub fn server_capabilities(revision: &str, offers: &ServerOffers) -> String {
    let subscribe = if offers.subscribe { r#","subscribe":true"# } else { "" };
    let extensions: Vec<String> =
        offers.extensions.iter().map(|(id, settings)| format!("{}:{settings}", quoted(id))).collect();
    let parts = [
        (offers.tools, r#""tools":{"listChanged":true}"#.to_owned()),
        (offers.prompts, r#""prompts":{"listChanged":true}"#.to_owned()),
        (offers.resources, format!(r#""resources":{{"listChanged":true{subscribe}}}"#)),
        (offers.completions && revision >= WITH_ANNOTATIONS, r#""completions":{}"#.to_owned()),
        (offers.logging, r#""logging":{}"#.to_owned()),
        // Extensions are agreed on beside the revision; pages came with this one (SEP-1865).
        (
            !extensions.is_empty() && revision >= WITH_ICONS,
            format!(r#""extensions":{{{}}}"#, extensions.join(",")),
        ),
    ];
    let offered: Vec<String> =
        parts.into_iter().filter_map(|(is_there, part)| is_there.then_some(part)).collect();
    format!("{{{}}}", offered.join(","))
}

/// A result without who the server behind it is, which only requests that stand alone are told (basic#_meta).
fn without_server_info(result: String) -> String {
    const KEY: &str = "io.modelcontextprotocol/serverInfo";
    match member(&result, "_meta").filter(|meta| meta.get().contains(KEY)) {
        Some(meta) => {
            let meta = without_members(meta.get().to_owned(), &[KEY]);
            let is_empty = members(&meta).is_some_and(|members| members.is_empty());
            with_members(&result, &[("_meta", if is_empty { "null" } else { &meta })])
        }
        None => result,
    }
}

/// A result without what the session's revision does not have; everything else to the byte.
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
            each(result, "content", |block| fit_content(revision, block))
        }
        "prompts/get" if revision < WITH_TITLES => each(result, "messages", |message| {
            let fitted = member(message, "content").and_then(|content| fit_content(revision, content.get()));
            fitted.map(|content| with_members(message, &[("content", &content)]))
        }),
        _ => match OfferKind::ALL.into_iter().find(|kind| kind.list_method() == method) {
            Some(kind) => each(result, kind.member(), |item| fit_item(revision, kind, item)),
            None => result,
        },
    }
}

/// Whether a result may stay as it is as far as its structured part goes: objects alone are known in sessions.
fn has_structured_result(revision: &str, result: &str) -> bool {
    let has_text = || result.contains(r#""structuredContent""#);
    !has_text()
        || member(result, "structuredContent")
            .is_none_or(|value| revision >= WITH_TITLES && value.get().starts_with('{'))
}

/// A definition; none where it stays as it is.
fn fit_item(revision: &str, kind: OfferKind, item: &str) -> Option<String> {
    let is_tool = kind == OfferKind::Tools;
    let of_object = |schema: &RawValue| text_member(schema.get(), "type").as_deref() == Some("object");
    let mut newer = Vec::new();
    if revision < WITH_ANNOTATIONS && is_tool {
        newer.push("annotations");
    }
    if revision < WITH_TITLES {
        newer.push("title");
    }
    if is_tool
        && (revision < WITH_TITLES || member(item, "outputSchema").is_some_and(|schema| !of_object(&schema)))
    {
        newer.push("outputSchema");
    }
    if revision < WITH_ICONS {
        newer.extend(["icons", "execution"]);
    }
    (!newer.is_empty()).then(|| without_members(item.to_owned(), &newer))
}

/// A part of a result; none where it stays as it is. What the revision has no type for becomes a text that says what it
/// is.
fn fit_content(revision: &str, block: &str) -> Option<String> {
    let text = match text_member(block, "type")?.as_str() {
        "resource_link" if revision < WITH_TITLES => {
            let (name, uri) = (text_member(block, "name"), text_member(block, "uri"));
            format!("Link to a resource: {} {}", name.unwrap_or_default(), uri.unwrap_or_default())
        }
        "audio" if revision < WITH_ANNOTATIONS => {
            let kind = text_member(block, "mimeType").unwrap_or_default();
            format!("Audio ({kind}), which MCP {revision} can’t carry")
        }
        _ => return None,
    };
    Some(format!(r#"{{"type":"text","text":{}}}"#, quoted(&text)))
}

/// Changes the elements of a member that is an array. Where none changes, all stays to the byte.
fn each(object: String, name: &str, change: impl Fn(&str) -> Option<String>) -> String {
    let Some(list) = member(&object, name) else { return object };
    let Some(items) = elements(list.get()) else { return object };
    let changed: Vec<_> = items.iter().map(|element| change(element.get())).collect();
    if changed.iter().all(Option::is_none) {
        return object;
    }
    let parts: Vec<&str> = items
        .iter()
        .zip(&changed)
        .map(|(element, changed)| changed.as_deref().unwrap_or_else(|| element.get()))
        .collect();
    with_members(&object, &[(name, &format!("[{}]", parts.join(",")))])
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
