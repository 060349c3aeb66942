//! Questions of servers: whether they may be asked at all, and those of the session era while they wait.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::value::RawValue;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

use crate::extension::Extension;
use crate::frame::object_members;
use crate::inbound::{Abilities, Asked, Inbound, Origin, Question, Refusal};
use crate::limits::Bound;
use crate::link::Link;
use crate::link::asked::with_related_task;
use crate::model::raw;
use crate::revision::Revision;
use crate::sampling;

/// What the reader has for the questions' task.
#[derive(Debug)]
pub(crate) enum Asking {
    /// A request that asks something.
    Ask(Question),
    /// The server no longer wants the answer to the request with this id (JSON text).
    Withdraw(Arc<str>),
}

/// The client's capabilities as a server of `revision` may see them (LIFE-09, ELIC-01, ELIC-02).
pub(crate) fn capabilities(abilities: Abilities, revision: Revision, extensions: &[Extension]) -> String {
    let Abilities { forms, urls, sampling, sampling_tools, roots, tasks } = abilities.within(revision);
    let mut members = Vec::new();
    if roots {
        let changes = if revision <= Revision::SESSION { r#"{"listChanged":true}"# } else { "{}" };
        members.push(format!(r#""roots":{changes}"#));
    }
    if sampling {
        let tools = if sampling_tools { r#"{"tools":{}}"# } else { "{}" };
        members.push(format!(r#""sampling":{tools}"#));
    }
    if forms || urls {
        let modes = [(forms, r#""form":{}"#), (urls, r#""url":{}"#)];
        let modes: Vec<_> = modes.into_iter().filter_map(|(able, mode)| able.then_some(mode)).collect();
        // The modes came with 2025-11-25; before, there were forms only.
        let modes = if revision >= Revision::R2025_11_25 { modes.join(",") } else { String::new() };
        members.push(format!(r#""elicitation":{{{modes}}}"#));
    }
    if tasks {
        let elicitation = (forms || urls).then_some(r#""elicitation":{"create":{}}"#);
        let sampling = sampling.then_some(r#""sampling":{"createMessage":{}}"#);
        let requests: Vec<_> = elicitation.into_iter().chain(sampling).collect();
        if !requests.is_empty() {
            members.push(format!(
                r#""tasks":{{"list":{{}},"cancel":{{}},"requests":{{{}}}}}"#,
                requests.join(",")
            ));
        }
    }
    // The tasks extension belongs to the stateless era only (TSKE-02).
    let known = extensions.iter().filter(|extension| revision > Revision::SESSION || !extension.is_tasks());
    let known: Vec<_> = known.map(Extension::member).collect();
    if !known.is_empty() {
        members.push(format!(r#""extensions":{{{}}}"#, known.join(",")));
    }
    format!("{{{}}}", members.join(","))
}

/// Whether a question may be asked, by what was declared (ELIC-18, SAMP-11, MRTR-12).
pub(crate) fn admit(question: &Question, abilities: Abilities) -> Result<(), Refusal> {
    let members = object_members(question.params.get());
    let has = |name: &str| members.iter().any(|(key, value)| *key == name && *value != "null");
    let refuse = |code, message: &str| Err(Refusal { code, message: message.to_owned() });
    match question.asked {
        Asked::Roots if abilities.roots => Ok(()),
        Asked::Sampling if abilities.sampling => {
            if (has("tools") || has("toolChoice")) && !abilities.sampling_tools {
                return refuse(-32602, "sampling with tools was not declared");
            }
            let messages = members.iter().rfind(|(key, _)| *key == "messages").map(|(_, value)| *value);
            match messages.map(sampling::check) {
                Some(Err(reason)) => refuse(-32602, reason),
                Some(Ok(())) | None => Ok(()),
            }
        }
        Asked::Elicitation if abilities.forms || abilities.urls => {
            let mode = members.iter().find(|(key, _)| *key == "mode").map_or("\"form\"", |(_, value)| *value);
            match mode {
                "\"form\"" if abilities.forms => Ok(()),
                "\"url\"" if abilities.urls => Ok(()),
                _ => refuse(-32602, "this mode of elicitation was not declared"),
            }
        }
        _ => refuse(-32601, "Method not found"),
    }
}

type Answer = (Arc<str>, Asked, Result<Box<RawValue>, Refusal>);

/// Carries questions to the host and their answers back, until nobody can ask any more.
pub(crate) async fn run(link: Arc<Link>, inbound: Arc<dyn Inbound>, mut asked: mpsc::Receiver<Asking>) {
    let mut waiting: JoinSet<Answer> = JoinSet::new();
    let mut handles: HashMap<Arc<str>, AbortHandle> = HashMap::new();
    let mut closed = link.closed();
    loop {
        tokio::select! {
            _ = closed.wait_for(Option::is_some) => return,
            asking = asked.recv() => match asking {
                None => return,
                Some(Asking::Withdraw(id)) => if let Some(handle) = handles.remove(&id) {
                    handle.abort();
                },
                Some(Asking::Ask(question)) => {
                    let Origin::Request { id, task } = &question.origin else { continue };
                    let (id, kind, task) = (Arc::clone(id), question.asked, task.clone());
                    if waiting.len() >= link.limits.questions {
                        link.reached(Bound::Questions);
                        let message = "too many questions wait for an answer".to_owned();
                        link.answer(&id, kind.method(), Err(Refusal { code: -32603, message }));
                        continue;
                    }
                    let future: BoxFuture<'static, _> = inbound.ask(question);
                    let answering = Arc::clone(&id);
                    let handle = waiting.spawn(async move {
                        let answer = future.await;
                        (answering, kind, answer.map(|answer| related(answer, task.as_deref())))
                    });
                    handles.insert(id, handle);
                }
            },
            Some(done) = waiting.join_next() => {
                // An aborted question was withdrawn and gets no answer (CANC-04).
                if let Ok((id, kind, answer)) = done {
                    handles.remove(&id);
                    link.answer(&id, kind.method(), answer);
                }
            }
        }
    }
}

/// The answer to a question of a task names that task.
fn related(answer: Box<RawValue>, task: Option<&str>) -> Box<RawValue> {
    let named = task.and_then(|task| raw(&with_related_task(answer.get(), task)));
    named.unwrap_or(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Abilities = Abilities {
        forms: true,
        urls: true,
        sampling: true,
        sampling_tools: true,
        roots: true,
        tasks: false,
    };

    #[test]
    fn capabilities_are_declared_as_each_revision_knows_them() {
        let none = Abilities::default();
        assert!(Revision::ALL.iter().all(|revision| capabilities(none, *revision, &[]) == "{}"));
        assert_eq!(
            capabilities(ALL, Revision::R2025_03_26, &[]),
            r#"{"roots":{"listChanged":true},"sampling":{}}"#
        );
        assert_eq!(
            capabilities(ALL, Revision::R2025_11_25, &[]),
            r#"{"roots":{"listChanged":true},"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}}}"#
        );
        assert_eq!(
            capabilities(ALL, Revision::R2026_07_28, &[]),
            r#"{"roots":{},"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}}}"#
        );
    }

    // Requirements: EXT-02, EXT-04, LIFE-13, TSKE-01, TSKE-02, TSKX-18.
    #[test]
    fn extensions_and_tasks_are_declared_where_they_exist_and_only_when_they_are_switched_on() {
        let none = Abilities::default();
        let ui = Extension::new("io.modelcontextprotocol/ui", raw(r#"{"a":1}"#).unwrap()).unwrap();
        let both = [Extension::tasks(), ui];
        assert_eq!(
            capabilities(none, Revision::R2026_07_28, &both),
            r#"{"extensions":{"io.modelcontextprotocol/tasks":{},"io.modelcontextprotocol/ui":{"a":1}}}"#
        );
        assert_eq!(
            capabilities(none, Revision::R2025_06_18, &both),
            r#"{"extensions":{"io.modelcontextprotocol/ui":{"a":1}}}"#
        );
        let tasks = Abilities { tasks: true, sampling: true, ..none };
        assert_eq!(
            capabilities(tasks, Revision::R2025_11_25, &[]),
            r#"{"sampling":{},"tasks":{"list":{},"cancel":{},"requests":{"sampling":{"createMessage":{}}}}}"#
        );
        assert_eq!(capabilities(tasks, Revision::R2025_06_18, &[]), r#"{"sampling":{}}"#);
        assert_eq!(capabilities(tasks, Revision::R2026_07_28, &[]), r#"{"sampling":{}}"#);
    }

    #[test]
    fn what_was_not_declared_is_refused() {
        let code = |asked, params: &str, abilities| {
            let params = raw(params).unwrap();
            let origin = Origin::Request { id: "1".into(), task: None };
            admit(&Question { asked, params, origin }, abilities).map_err(|refusal| refusal.code)
        };
        assert_eq!(code(Asked::Roots, "{}", Abilities::default()), Err(-32601));
        assert_eq!(code(Asked::Roots, "{}", ALL), Ok(()));
        let forms = Abilities { forms: true, ..Abilities::default() };
        assert_eq!(code(Asked::Elicitation, "{}", forms), Ok(()));
        assert_eq!(code(Asked::Elicitation, r#"{"mode":"url"}"#, forms), Err(-32602));
        let plain = Abilities { sampling: true, ..Abilities::default() };
        assert_eq!(code(Asked::Sampling, r#"{"tools":[]}"#, plain), Err(-32602));
        assert_eq!(code(Asked::Sampling, r#"{"tools":[]}"#, ALL), Ok(()));
    }
}
