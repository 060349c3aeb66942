//! The capabilities that we declare to servers, and the check that questions respect them.

use mooring_jsonrpc::{JsonObject, Members, string};
use serde_json::value::RawValue;

use crate::client_capabilities::ClientCapabilities;
use crate::extension::Extension;
use crate::inbound::{Question, QuestionKind, Refusal};
use crate::revision::Revision;
use crate::sampling;

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
}
