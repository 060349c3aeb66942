//! Views and requests for prompts and completion.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mooring_mcp::{Diagnostic, Prompt, RawJson};
use mooring_policy::Caller;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use ts_rs::TS;

/// All prompts of a connection.
#[derive(Debug, Clone, Serialize, TS)]
pub struct PromptList {
    /// The prompts, in the server's order.
    pub prompts: Vec<Prompt>,
    /// `{"prompts":[…]}` of all pages together, each prompt as the server sent it.
    #[serde(skip)]
    pub raw: RawJson,
    /// Problems of the list itself.
    pub diagnostics: Vec<Diagnostic>,
}

/// A request to get a prompt.
#[derive(Clone)]
pub struct PromptCall {
    /// The prompt's name.
    pub prompt: String,
    /// The arguments: a JSON object of strings. `None` sends none.
    pub arguments: Option<Box<RawValue>>,
    /// Who makes the request.
    pub caller: Caller,
    /// The front end's name for the request. Questions that belong to it carry the name.
    pub request: Option<Arc<str>>,
    /// How long the server may be silent. `None` uses the server's setting or the global one.
    pub idle: Option<Duration>,
    /// How long the request may take in all. `None` uses the global setting.
    pub total: Option<Duration>,
}

impl fmt::Debug for PromptCall {
    /// Shows only the size of the arguments, because they may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PromptCall")
            .field("prompt", &self.prompt)
            .field("arguments", &self.arguments.as_ref().map(|raw| raw.get().len()))
            .field("caller", &self.caller)
            .finish_non_exhaustive()
    }
}

/// What an argument belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum CompletionReference {
    /// An argument of a prompt.
    Prompt {
        /// The prompt's name.
        name: String,
    },
    /// A variable of a resource template.
    Template {
        /// The URI template.
        uri_template: String,
    },
}

/// A request for an argument's possible values.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CompletionRequest {
    /// The prompt or template that the argument belongs to.
    pub of: CompletionReference,
    /// The argument's name.
    pub argument: String,
    /// What the person has typed so far.
    pub begun: String,
    /// The arguments that already have a value.
    pub chosen: BTreeMap<String, String>,
}

/// Values for an argument that the server suggests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    /// The values, best first, at most [`Completion::MAX_VALUES`].
    pub values: Vec<String>,
    /// The total number of values, if the server reports it.
    pub total: Option<u64>,
    /// Whether there are more values.
    pub has_more: bool,
}

impl Completion {
    /// The most values that the protocol allows in one result.
    pub const MAX_VALUES: usize = 100;

    /// Parses the result of `completion/complete` leniently.
    pub fn read(result: &RawJson) -> Self {
        let result: serde_json::Value = serde_json::from_str(result.get()).unwrap_or_default();
        let completion = result.get("completion").unwrap_or(&serde_json::Value::Null);
        let given = completion.get("values").and_then(serde_json::Value::as_array);
        let texts = given.into_iter().flatten().filter_map(|value| value.as_str().map(str::to_owned));
        let values: Vec<String> = texts.take(Self::MAX_VALUES).collect();
        let left_out = given.is_some_and(|given| given.len() > Self::MAX_VALUES);
        let has_more = completion.get("hasMore").and_then(serde_json::Value::as_bool);
        Self {
            total: completion.get("total").and_then(serde_json::Value::as_u64),
            has_more: left_out || has_more.unwrap_or_default(),
            values,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Completion {
        Completion::read(&RawValue::from_string(text.to_owned()).unwrap().into())
    }

    // Requirements: COMP-04.
    #[test]
    fn values_are_read_leniently_and_up_to_the_most_there_may_be() {
        let completion = read(r#"{"completion":{"values":["a",7,"b"],"total":12,"hasMore":true}}"#);
        assert_eq!(completion.values, ["a", "b"]);
        assert_eq!((completion.total, completion.has_more), (Some(12), true));
        let many = |count| {
            let values: Vec<_> = (0..count).map(|number: u32| number.to_string()).collect();
            read(&serde_json::json!({"completion": {"values": values}}).to_string())
        };
        assert_eq!((many(100).values.len(), many(100).has_more), (100, false));
        assert_eq!((many(101).values.len(), many(101).has_more), (100, true));
        for nothing in ["{}", "[]", r#"{"completion":{"values":"a","total":-1}}"#, r#"{"completion":7}"#] {
            assert_eq!(read(nothing), Completion::default(), "{nothing}");
        }
    }
}
