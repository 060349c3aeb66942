//! The kinds of questions that servers ask, and the client's capabilities: what a client can answer, how it
//! declares that in each revision, and which questions respect it. A new kind of question is added here.

use mooring_jsonrpc::{JsonObject, Members, string};
use serde_json::value::RawValue;

use crate::revision::Revision;
use crate::sampling;

/// The kinds of questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionKind {
    /// `elicitation/create`.
    Elicitation,
    /// `sampling/createMessage`.
    Sampling,
    /// `roots/list`.
    Roots,
}

impl QuestionKind {
    /// The kind of question with this method.
    pub(crate) fn from_method(method: &str) -> Option<Self> {
        match method {
            "elicitation/create" => Some(Self::Elicitation),
            "sampling/createMessage" => Some(Self::Sampling),
            "roots/list" => Some(Self::Roots),
            _ => None,
        }
    }

    /// The client capability that it needs.
    pub fn capability(self) -> &'static str {
        match self {
            Self::Elicitation => "elicitation",
            Self::Sampling => "sampling",
            Self::Roots => "roots",
        }
    }

    /// The method of the question.
    pub fn method(self) -> &'static str {
        match self {
            Self::Elicitation => "elicitation/create",
            Self::Sampling => "sampling/createMessage",
            Self::Roots => "roots/list",
        }
    }
}

/// An error in place of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The JSON-RPC code for a server that sent a request.
    pub code: i64,
    /// The message for the server.
    pub message: String,
}

/// The client's capabilities: what servers may ask. Exactly those in the server's revision are declared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClientCapabilities {
    /// Forms (`elicitation`, mode `form`).
    pub forms: bool,
    /// URLs to open (`elicitation`, mode `url`).
    pub urls: bool,
    /// Sampling by a model (`sampling`).
    pub sampling: bool,
    /// Tools for sampling (`sampling.tools`).
    pub sampling_tools: bool,
    /// Roots (`roots`).
    pub roots: bool,
    /// Questions as tasks, so that the server fetches the answer later (2025-11-25, `tasks`).
    pub tasks: bool,
}

impl ClientCapabilities {
    /// Reads the capabilities that a client declares. One that isn't an object counts as not declared.
    pub fn from_declared(capabilities: &RawValue) -> Self {
        let declared = Members::of(capabilities.get());
        let of = |name| declared.get(name).filter(|value| value.starts_with('{'));
        let has = |capability: Option<&str>, part| {
            capability.is_some_and(|text| Members::of(text).get(part).is_some_and(|part| part != "null"))
        };
        let (elicitation, sampling) = (of("elicitation"), of("sampling"));
        Self {
            // Without a mode it means forms (client/elicitation#capabilities).
            forms: elicitation.is_some() && (has(elicitation, "form") || !has(elicitation, "url")),
            urls: has(elicitation, "url"),
            sampling: sampling.is_some(),
            sampling_tools: has(sampling, "tools"),
            roots: of("roots").is_some(),
            tasks: false,
        }
    }

    /// The union of both.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            forms: self.forms || other.forms,
            urls: self.urls || other.urls,
            sampling: self.sampling || other.sampling,
            sampling_tools: self.sampling_tools || other.sampling_tools,
            roots: self.roots || other.roots,
            tasks: self.tasks || other.tasks,
        }
    }

    /// The capabilities that exist in `revision` (LIFE-08).
    pub(crate) fn supported_by(self, revision: Revision) -> Self {
        Self {
            forms: self.forms && revision >= Revision::R2025_06_18,
            urls: self.urls && revision >= Revision::R2025_11_25,
            sampling_tools: self.sampling_tools && revision >= Revision::R2025_11_25,
            tasks: self.tasks && revision == Revision::R2025_11_25,
            ..self
        }
    }
}

/// The capabilities for a server of `revision`, with the declared extensions (LIFE-09, ELIC-01, ELIC-02).
pub(crate) fn capabilities(
    abilities: ClientCapabilities,
    revision: Revision,
    extensions: &JsonObject,
) -> JsonObject {
    let ClientCapabilities { forms, urls, sampling, sampling_tools, roots, tasks } =
        abilities.supported_by(revision);
    let mut declared = JsonObject::new();
    let nothing = JsonObject::new();
    if roots {
        let changes = if revision <= Revision::SESSION {
            JsonObject::new().flag("listChanged", true)
        } else {
            JsonObject::new()
        };
        declared = declared.object("roots", &changes);
    }
    if sampling {
        let tools =
            if sampling_tools { JsonObject::new().object("tools", &nothing) } else { JsonObject::new() };
        declared = declared.object("sampling", &tools);
    }
    if forms || urls {
        // Elicitation modes were added in 2025-11-25; before, there were only forms.
        let knows_modes = revision >= Revision::R2025_11_25;
        let modes = [(forms, "form"), (urls, "url")].into_iter().filter(|(able, _)| *able && knows_modes);
        let modes = modes.fold(JsonObject::new(), |modes, (_, mode)| modes.object(mode, &nothing));
        declared = declared.object("elicitation", &modes);
    }
    if tasks {
        let mut requests = JsonObject::new();
        if forms || urls {
            requests = requests.object("elicitation", &JsonObject::new().object("create", &nothing));
        }
        if sampling {
            requests = requests.object("sampling", &JsonObject::new().object("createMessage", &nothing));
        }
        if !requests.is_empty() {
            let tasks = JsonObject::new().object("list", &nothing).object("cancel", &nothing);
            declared = declared.object("tasks", &tasks.object("requests", &requests));
        }
    }
    if extensions.is_empty() { declared } else { declared.object("extensions", extensions) }
}

impl ClientCapabilities {
    /// Whether a client with these capabilities can answer a question with these parameters.
    pub fn can_answer(self, kind: QuestionKind, params: &RawValue) -> bool {
        params.get().starts_with('{') && check_declared(kind, params.get(), self).is_ok()
    }
}

/// Checks that a question matches the declared capabilities (ELIC-18, SAMP-11, MRTR-12).
pub(crate) fn check_declared(
    kind: QuestionKind,
    params: &str,
    abilities: ClientCapabilities,
) -> Result<(), Refusal> {
    let members = Members::of(params);
    let refuse = |code, message: &str| Err(Refusal { code, message: message.to_owned() });
    match kind {
        QuestionKind::Roots if abilities.roots => Ok(()),
        QuestionKind::Sampling if abilities.sampling => {
            if (members.has("tools") || members.has("toolChoice")) && !abilities.sampling_tools {
                return refuse(-32602, "sampling with tools was not declared");
            }
            let checked = members.get("messages").map_or(Ok(()), sampling::check);
            checked.or_else(|reason| refuse(-32602, reason))
        }
        QuestionKind::Elicitation if abilities.forms || abilities.urls => {
            let mode = members.get("mode").map_or_else(|| Some("form".to_owned()), string);
            match mode.as_deref() {
                Some("form") if abilities.forms => Ok(()),
                Some("url") if abilities.urls => Ok(()),
                _ => refuse(-32602, "this mode of elicitation was not declared"),
            }
        }
        _ => refuse(-32601, "Method not found"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extension::{Extension, declared};
    use mooring_jsonrpc::raw;

    const ALL: ClientCapabilities = ClientCapabilities {
        forms: true,
        urls: true,
        sampling: true,
        sampling_tools: true,
        roots: true,
        tasks: false,
    };

    // Requirements: LIFE-09, ELIC-01, ELIC-02, ROOT-01, SAMP-01, SAMP-08.
    #[test]
    fn capabilities_are_declared_as_each_revision_knows_them() {
        let none = ClientCapabilities::default();
        assert!(
            Revision::ALL
                .iter()
                .all(|revision| capabilities(none, *revision, &JsonObject::new()).whole() == "{}")
        );
        assert_eq!(
            capabilities(ALL, Revision::R2025_03_26, &JsonObject::new()).whole(),
            r#"{"roots":{"listChanged":true},"sampling":{}}"#
        );
        assert_eq!(
            capabilities(ALL, Revision::R2025_11_25, &JsonObject::new()).whole(),
            r#"{"roots":{"listChanged":true},"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}}}"#
        );
        assert_eq!(
            capabilities(ALL, Revision::R2026_07_28, &JsonObject::new()).whole(),
            r#"{"roots":{},"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}}}"#
        );
    }

    // Requirements: EXT-02, EXT-04, LIFE-13, TSKE-01, TSKE-02, TSKX-18.
    #[test]
    fn extensions_and_tasks_are_declared_only_when_enabled() {
        let none = ClientCapabilities::default();
        let ui = Extension::new("io.modelcontextprotocol/ui", raw(r#"{"a":1}"#).unwrap()).unwrap();
        let both = [Extension::tasks(), ui];
        assert_eq!(
            capabilities(none, Revision::R2026_07_28, &declared(Revision::R2026_07_28, &both)).whole(),
            r#"{"extensions":{"io.modelcontextprotocol/tasks":{},"io.modelcontextprotocol/ui":{"a":1}}}"#
        );
        assert_eq!(
            capabilities(none, Revision::R2025_06_18, &declared(Revision::R2025_06_18, &both)).whole(),
            r#"{"extensions":{"io.modelcontextprotocol/ui":{"a":1}}}"#
        );
        let tasks = ClientCapabilities { tasks: true, sampling: true, ..none };
        assert_eq!(
            capabilities(tasks, Revision::R2025_11_25, &JsonObject::new()).whole(),
            r#"{"sampling":{},"tasks":{"list":{},"cancel":{},"requests":{"sampling":{"createMessage":{}}}}}"#
        );
        assert_eq!(
            capabilities(tasks, Revision::R2025_06_18, &JsonObject::new()).whole(),
            r#"{"sampling":{}}"#
        );
        assert_eq!(
            capabilities(tasks, Revision::R2026_07_28, &JsonObject::new()).whole(),
            r#"{"sampling":{}}"#
        );
    }

    // Requirements: ELIC-03, ELIC-18, SAMP-11, ROOT-05.
    #[test]
    fn what_was_not_declared_is_refused() {
        let code = |asked, params: &str, abilities| {
            check_declared(asked, params, abilities).map_err(|refusal| refusal.code)
        };
        assert_eq!(code(QuestionKind::Roots, "{}", ClientCapabilities::default()), Err(-32601));
        assert_eq!(code(QuestionKind::Roots, "{}", ALL), Ok(()));
        let forms = ClientCapabilities { forms: true, ..ClientCapabilities::default() };
        assert_eq!(code(QuestionKind::Elicitation, "{}", forms), Ok(()));
        assert_eq!(code(QuestionKind::Elicitation, r#"{"mode":"url"}"#, forms), Err(-32602));
        let plain = ClientCapabilities { sampling: true, ..ClientCapabilities::default() };
        assert_eq!(code(QuestionKind::Sampling, r#"{"tools":[]}"#, plain), Err(-32602));
        assert_eq!(code(QuestionKind::Sampling, r#"{"tools":[]}"#, ALL), Ok(()));
    }

    #[test]
    fn an_app_is_asked_what_it_says_it_can_answer() {
        use QuestionKind::{Elicitation, Roots, Sampling};
        let form = r#"{"message":"m","requestedSchema":{}}"#;
        let url = r#"{"mode":"url","url":"https://example.com"}"#;
        let (plain, tools) = (r#"{"messages":[]}"#, r#"{"messages":[],"tools":[]}"#);
        for (declared, can, cannot) in [
            ("{}", vec![], vec![(Elicitation, form), (Sampling, plain), (Roots, "{}")]),
            (r#"{"elicitation":{}}"#, vec![(Elicitation, form)], vec![(Elicitation, url)]),
            (r#"{"elicitation":{"url":{}}}"#, vec![(Elicitation, url)], vec![(Elicitation, form)]),
            (
                r#"{"elicitation":{"form":{},"url":{}}}"#,
                vec![(Elicitation, url), (Elicitation, form)],
                vec![],
            ),
            (r#"{"sampling":{}}"#, vec![(Sampling, plain)], vec![(Sampling, tools), (Roots, "{}")]),
            (r#"{"sampling":{"tools":{}}}"#, vec![(Sampling, plain), (Sampling, tools)], vec![]),
            (r#"{"roots":{"listChanged":true}}"#, vec![(Roots, "{}")], vec![(Sampling, plain)]),
            (
                r#"{"elicitation":{"form":{}}}"#,
                vec![],
                vec![(Elicitation, r#"{"mode":"new"}"#), (Elicitation, "7")],
            ),
            ("7", vec![], vec![(Roots, "{}")]),
            (
                r#"{"elicitation":7,"sampling":{},"roots":true}"#,
                vec![(Sampling, plain)],
                vec![(Roots, "{}"), (Elicitation, form)],
            ),
            (r#"{"roots":{},"roots":null}"#, vec![], vec![(Roots, "{}")]),
        ] {
            let capabilities = ClientCapabilities::from_declared(&raw(declared).unwrap());
            for (kind, params) in can {
                assert!(capabilities.can_answer(kind, &raw(params).unwrap()), "{declared} {params}");
            }
            for (kind, params) in cannot {
                assert!(!capabilities.can_answer(kind, &raw(params).unwrap()), "{declared} {params}");
            }
        }
    }
}
