//! The kinds of questions that servers ask, and the client's capabilities: what a client can answer, how it declares
//! that in each revision, and which questions respect it. A new kind of question is added here.

use mooring_jsonrpc::{JsonObject, Members, string};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::extension::Extension;
use crate::inbound::{Question, Refusal};
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

/// The client's capabilities: what servers may ask of the host. Exactly these are declared, if they exist in
/// the server's revision.
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
    /// Reads the capabilities that a client declares. Malformed ones count as none.
    pub fn from_declared(capabilities: &RawValue) -> Self {
        #[derive(Deserialize)]
        struct Declared {
            elicitation: Option<Modes>,
            sampling: Option<SamplingParts>,
            roots: Option<IgnoredAny>,
        }
        #[derive(Deserialize)]
        struct Modes {
            form: Option<IgnoredAny>,
            url: Option<IgnoredAny>,
        }
        #[derive(Deserialize)]
        struct SamplingParts {
            tools: Option<IgnoredAny>,
        }
        let Ok(declared) = serde_json::from_str::<Declared>(capabilities.get()) else {
            return Self::default();
        };
        let (elicitation, sampling) = (declared.elicitation, declared.sampling);
        Self {
            // Without a mode it means forms (client/elicitation#capabilities).
            forms: elicitation.as_ref().is_some_and(|modes| modes.form.is_some() || modes.url.is_none()),
            urls: elicitation.is_some_and(|modes| modes.url.is_some()),
            sampling: sampling.is_some(),
            sampling_tools: sampling.is_some_and(|parts| parts.tools.is_some()),
            roots: declared.roots.is_some(),
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

/// The client capabilities for a server of `revision` (LIFE-09, ELIC-01, ELIC-02).
pub(crate) fn capabilities(
    abilities: ClientCapabilities,
    revision: Revision,
    extensions: &[Extension],
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
    // The tasks extension only exists in the stateless era (TSKE-02).
    let known = extensions.iter().filter(|extension| revision > Revision::SESSION || !extension.is_tasks());
    let known = known.fold(JsonObject::new(), |known, extension| extension.with_extensions(known));
    if known.is_empty() { declared } else { declared.object("extensions", &known) }
}

/// Checks that a question matches the declared capabilities (ELIC-18, SAMP-11, MRTR-12).
pub(crate) fn check_declared(question: &Question, abilities: ClientCapabilities) -> Result<(), Refusal> {
    check(question.kind, question.params.get(), abilities)
}

impl ClientCapabilities {
    /// Whether a client with these capabilities can answer a question with these parameters.
    pub fn can_answer(self, kind: QuestionKind, params: &RawValue) -> bool {
        params.get().starts_with('{') && check(kind, params.get(), self).is_ok()
    }
}

fn check(kind: QuestionKind, params: &str, abilities: ClientCapabilities) -> Result<(), Refusal> {
    let members = Members::of(params);
    let refuse = |code, message: &str| Err(Refusal { code, message: message.to_owned() });
    match kind {
        QuestionKind::Roots if abilities.roots => Ok(()),
        QuestionKind::Sampling if abilities.sampling => {
            if (members.has("tools") || members.has("toolChoice")) && !abilities.sampling_tools {
                return refuse(-32602, "sampling with tools was not declared");
            }
            match members.get("messages").map(sampling::check) {
                Some(Err(reason)) => refuse(-32602, reason),
                Some(Ok(())) | None => Ok(()),
            }
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
    use crate::inbound::{QuestionContext, QuestionOrigin};
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
        assert!(Revision::ALL.iter().all(|revision| capabilities(none, *revision, &[]).whole() == "{}"));
        assert_eq!(
            capabilities(ALL, Revision::R2025_03_26, &[]).whole(),
            r#"{"roots":{"listChanged":true},"sampling":{}}"#
        );
        assert_eq!(
            capabilities(ALL, Revision::R2025_11_25, &[]).whole(),
            r#"{"roots":{"listChanged":true},"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}}}"#
        );
        assert_eq!(
            capabilities(ALL, Revision::R2026_07_28, &[]).whole(),
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
            capabilities(none, Revision::R2026_07_28, &both).whole(),
            r#"{"extensions":{"io.modelcontextprotocol/tasks":{},"io.modelcontextprotocol/ui":{"a":1}}}"#
        );
        assert_eq!(
            capabilities(none, Revision::R2025_06_18, &both).whole(),
            r#"{"extensions":{"io.modelcontextprotocol/ui":{"a":1}}}"#
        );
        let tasks = ClientCapabilities { tasks: true, sampling: true, ..none };
        assert_eq!(
            capabilities(tasks, Revision::R2025_11_25, &[]).whole(),
            r#"{"sampling":{},"tasks":{"list":{},"cancel":{},"requests":{"sampling":{"createMessage":{}}}}}"#
        );
        assert_eq!(capabilities(tasks, Revision::R2025_06_18, &[]).whole(), r#"{"sampling":{}}"#);
        assert_eq!(capabilities(tasks, Revision::R2026_07_28, &[]).whole(), r#"{"sampling":{}}"#);
    }

    // Requirements: ELIC-03, ELIC-18, SAMP-11, ROOT-05.
    #[test]
    fn what_was_not_declared_is_refused() {
        let code = |asked, params: &str, abilities| {
            let params = raw(params).unwrap();
            let origin =
                QuestionOrigin::Request { id: "1".into(), task: None, occasion: QuestionContext::Unknown };
            check_declared(&Question { kind: asked, params, origin }, abilities)
                .map_err(|refusal| refusal.code)
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
