//! Which changes a `subscriptions/listen` stream reports (`SubscriptionFilter` in the schema).

use std::collections::BTreeSet;

use mooring_jsonrpc::{JsonObject, Members, member, string};
use tokio::sync::watch;

/// The lists, resources and tasks whose changes are reported.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SubscriptionFilter {
    pub(crate) tools: bool,
    pub(crate) prompts: bool,
    pub(crate) resources: bool,
    pub(crate) uris: BTreeSet<String>,
    /// Tasks of the extension `io.modelcontextprotocol/tasks`. Also polled: servers need not report them.
    pub(crate) tasks: BTreeSet<String>,
}

impl SubscriptionFilter {
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The filter as JSON, without what is not requested (SUB-01).
    pub(crate) fn to_json(&self) -> JsonObject {
        let flags = [
            (self.tools, "toolsListChanged"),
            (self.prompts, "promptsListChanged"),
            (self.resources, "resourcesListChanged"),
        ];
        let flags = flags.into_iter().filter(|(wanted, _)| *wanted);
        let flags = flags.fold(JsonObject::new(), |params, (_, name)| params.flag(name, true));
        let named = [(&self.uris, "resourceSubscriptions"), (&self.tasks, "taskIds")];
        let named = named.into_iter().filter(|(named, _)| !named.is_empty());
        named.fold(flags, |params, (named, name)| params.texts(name, named.iter().map(String::as_str)))
    }

    /// The part of `self` that a server agreed to. `text` is valid JSON.
    pub(crate) fn intersect_agreed(&self, text: &str) -> Self {
        let mut agreed = Self::default();
        for (key, value) in &Members::of(text) {
            match key {
                "toolsListChanged" => agreed.tools = self.tools && value == "true",
                "promptsListChanged" => agreed.prompts = self.prompts && value == "true",
                "resourcesListChanged" => agreed.resources = self.resources && value == "true",
                "resourceSubscriptions" => agreed.uris = intersect(&self.uris, value),
                "taskIds" => agreed.tasks = intersect(&self.tasks, value),
                _ => {}
            }
        }
        agreed
    }

    /// The names of what is in `self` but not in `agreed`.
    pub(crate) fn missing_names(&self, agreed: &Self) -> Vec<String> {
        let flags = [
            (self.tools && !agreed.tools, "toolsListChanged"),
            (self.prompts && !agreed.prompts, "promptsListChanged"),
            (self.resources && !agreed.resources, "resourcesListChanged"),
        ];
        let flags = flags.into_iter().filter(|(missing, _)| *missing).map(|(_, name)| name.to_owned());
        flags.chain(self.uris.difference(&agreed.uris).cloned()).collect()
    }

    /// The notifications, with parameters, that report a change of everything in the filter.
    pub(crate) fn change_notifications(&self) -> Vec<(&'static str, Option<String>)> {
        let flags = [
            (self.tools, TOOLS_CHANGED),
            (self.prompts, PROMPTS_CHANGED),
            (self.resources, RESOURCES_CHANGED),
        ];
        let lists = flags.into_iter().filter(|(covered, _)| *covered).map(|(_, method)| (method, None));
        let uris =
            self.uris.iter().map(|uri| (RESOURCE_UPDATED, Some(JsonObject::new().text("uri", uri).whole())));
        lists.chain(uris).collect()
    }

    /// Whether the filter requests a notification.
    pub(crate) fn covers(&self, method: &str, params: &str) -> bool {
        match method {
            TOOLS_CHANGED => self.tools,
            PROMPTS_CHANGED => self.prompts,
            RESOURCES_CHANGED => self.resources,
            RESOURCE_UPDATED => read_uri(params)
                .is_some_and(|uri| self.uris.iter().any(|known| is_resource_within(&uri, known))),
            TASK => member(params, "taskId").and_then(string).is_some_and(|task| self.tasks.contains(&task)),
            _ => false,
        }
    }
}

/// A running `subscriptions/listen`.
#[derive(Debug)]
pub(crate) struct ListenStream {
    pub(crate) requested: SubscriptionFilter,
    /// What the server agreed to. `None` before its acknowledgement.
    pub(crate) acknowledged: watch::Sender<Option<SubscriptionFilter>>,
}

pub(crate) const TOOLS_CHANGED: &str = "notifications/tools/list_changed";
pub(crate) const PROMPTS_CHANGED: &str = "notifications/prompts/list_changed";
pub(crate) const RESOURCES_CHANGED: &str = "notifications/resources/list_changed";
pub(crate) const RESOURCE_UPDATED: &str = "notifications/resources/updated";
pub(crate) const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

/// The unsolicited status of a task of the extension.
pub(crate) const TASK: &str = "notifications/tasks";

/// The URI in the parameters of `notifications/resources/updated` and `resources/read`.
pub(crate) fn read_uri(params: &str) -> Option<String> {
    member(params, "uri").and_then(string)
}

/// The elements of `asked` that a server named.
fn intersect(asked: &BTreeSet<String>, named: &str) -> BTreeSet<String> {
    let named: Vec<String> = serde_json::from_str(named).unwrap_or_else(|_| Vec::new());
    named.into_iter().filter(|one| asked.contains(one)).collect()
}

/// Whether an update of the resource at `uri` counts for the resource `known`: `uri` is `known` or a part of
/// it (SUB-13). The empty URI has no parts.
pub fn is_resource_within(uri: &str, known: &str) -> bool {
    match uri.strip_prefix(known) {
        Some("") => true,
        Some(rest) => !known.is_empty() && (known.ends_with('/') || rest.starts_with(['/', '?', '#'])),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(uris: &[&str]) -> SubscriptionFilter {
        SubscriptionFilter {
            tools: true,
            uris: uris.iter().map(|&uri| uri.to_owned()).collect(),
            ..SubscriptionFilter::default()
        }
    }

    // Requirements: SUB-01.
    #[test]
    fn a_filter_names_only_what_is_wanted() {
        assert_eq!(SubscriptionFilter::default().to_json().whole(), "{}");
        assert_eq!(filter(&[]).to_json().whole(), r#"{"toolsListChanged":true}"#);
        assert_eq!(
            filter(&["a:\"1", "a:2"]).to_json().whole(),
            r#"{"toolsListChanged":true,"resourceSubscriptions":["a:\"1","a:2"]}"#
        );
    }

    // Requirements: SUB-04.
    #[test]
    fn what_a_server_agrees_to_is_never_more_than_was_asked() {
        let asked = filter(&["a:1", "a:2"]);
        let agreed = asked
            .intersect_agreed(r#"{"promptsListChanged":true,"resourceSubscriptions":["a:2","a:3"],"x":1}"#);
        assert_eq!(agreed, SubscriptionFilter { tools: false, ..filter(&["a:2"]) });
        assert_eq!(asked.missing_names(&agreed), ["toolsListChanged", "a:1"]);
    }

    // Requirements: SUB-13.
    #[test]
    fn an_update_may_name_a_part_of_the_resource() {
        let asked = filter(&["file:///a", "x:/"]);
        for (uri, covered) in [
            ("file:///a", true),
            ("file:///a/b", true),
            ("file:///a?b", true),
            ("file:///ab", false),
            ("x:/y", true),
            ("y:/", false),
        ] {
            let params = format!("{{\"uri\":\"{uri}\"}}");
            assert_eq!(asked.covers(RESOURCE_UPDATED, &params), covered, "{uri}");
        }
        assert!(asked.covers(TOOLS_CHANGED, "{}") && !asked.covers(PROMPTS_CHANGED, "{}"));
    }
}
