//! The scope of a remembered yes: one tool, paths in a folder, or a server's read-only tools.

use std::path::Path;

use mooring_base::server_id::ServerId;
use mooring_calls::{CallOutcome, ToolCall};
use mooring_errors::HostError;
use mooring_host::Host;
use mooring_inbox::{InteractionAnswer, InteractionQuestion, Remember};
use mooring_policy::{Caller, Decision, NewRule};
use mooring_testkit::{answers, offers};
use serde_json::{Value, json};

use crate::consent::{answer, question, rule};
use crate::rules::plays;
use crate::support::{call, ignore_events, window};
use crate::trust::approve_all;

/// A server with two read-only tools and one other. All are approved, and a rule asks about them.
async fn asks(host: &Host, home: &Path) -> ServerId {
    let id = plays(host, home, "s", |script| {
        let mut tools = ["read", "list", "write"].map(answers::tool);
        for tool in &mut tools[..2] {
            tool["annotations"] = json!({"readOnlyHint": true});
        }
        script.insert("tools/list".to_owned(), json!([offers::response_line(&json!({"tools": tools}))]));
    })
    .await;
    approve_all(host, id).await;
    host.save_rule(None, rule(Decision::Ask, "*")).await.unwrap();
    id
}

/// A call that the person answers.
async fn answered(
    host: &Host,
    id: ServerId,
    tool: &str,
    arguments: &Value,
    said: InteractionAnswer,
) -> Result<CallOutcome, HostError> {
    tokio::join!(host.call_tool(id, call(tool, arguments), ignore_events()), answer(host, said)).0
}

fn yes(scope: &Value) -> InteractionAnswer {
    InteractionAnswer::Accept { content: Some(scope.to_string()), remember: Remember::Hour }
}

/// Whether a call runs without a question.
async fn runs(host: &Host, id: ServerId, call: ToolCall) -> bool {
    let cancelled = async {
        let waiting = question(host).await;
        let opening = host.open_interaction(waiting).unwrap();
        host.answer_interaction(waiting, &opening.nonce, InteractionAnswer::Cancel).await.unwrap();
    };
    tokio::select! {
        outcome = host.call_tool(id, call, ignore_events()) => outcome.is_ok(),
        () = cancelled => false,
    }
}

fn own_rule(host: &Host) -> NewRule {
    host.rules().into_iter().find(|view| view.rule.from_answer).unwrap().rule.rule
}

// Requirements: SEC-02, TOOL-05.
#[tokio::test]
async fn a_yes_for_a_folder_is_for_what_lies_in_it() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = asks(&host, home.path()).await;
    let at = |path: &str| json!({"path": path, "n": 1});
    let (outcome, ()) =
        tokio::join!(host.call_tool(id, call("write", &at("/harbour/notes/a.md")), ignore_events()), async {
            let waiting = question(&host).await;
            let view = host.inbox().waiting.into_iter().find(|view| view.id == waiting).unwrap();
            let InteractionQuestion::Tool { scopes, .. } = view.question else { panic!("{view:?}") };
            let folders: Vec<_> = scopes.folders.iter().map(|of| (&*of.pointer, &*of.folder)).collect();
            assert_eq!(folders, [("/path", "/harbour/notes")]);
            assert!(scopes.reading.is_empty(), "it doesn't say that it only reads");
            answer(&host, yes(&json!({"reach": "folder", "everyCaller": false}))).await;
        });
    outcome.unwrap();
    let made = own_rule(&host);
    assert_eq!((made.tool.as_deref(), &made.caller), (Some("write"), &Some(Caller::Workbench)));
    for inside in ["/harbour/notes/b.md", "/harbour/notes/deep/c.md", "/harbour/notes"] {
        assert!(runs(&host, id, call("write", &at(inside))).await, "{inside}");
    }
    for outside in ["/harbour/a.md", "/harbour/notes/../a.md", "/harbour/notes2/a.md", "notes/a.md"] {
        assert!(!runs(&host, id, call("write", &at(outside))).await, "{outside}");
    }
    for more in [json!("/etc/x"), json!("../x"), json!(["~/x"]), json!({"deep": "a/b"})] {
        let arguments = json!({"path": "/harbour/notes/a.md", "more": more});
        assert!(!runs(&host, id, call("write", &arguments)).await, "{arguments}");
    }
    assert!(runs(&host, id, call("write", &json!({"path": "/harbour/notes/a.md", "more": "words"}))).await);
    assert!(!runs(&host, id, call("write", &json!({"n": 1}))).await, "it names no place");
    host.shutdown().await;
}

// Requirements: SEC-02, TOOL-05.
#[tokio::test]
async fn a_yes_for_what_only_reads_is_for_these_definitions() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = asks(&host, home.path()).await;
    let scope = json!({"reach": "reading", "everyCaller": true});
    answered(&host, id, "read", &json!({}), yes(&scope)).await.unwrap();
    let made = host.rules().into_iter().find(|view| view.rule.from_answer).unwrap();
    assert_eq!((&made.rule.rule.tool, &made.rule.rule.caller), (&None, &None));
    assert_eq!(serde_json::to_value(&made.rule).unwrap()["pinned"], 2);
    let by = |tool, caller| ToolCall { caller, ..call(tool, &json!({})) };
    for caller in [Caller::Workbench, Caller::app("cursor")] {
        for (tool, free) in [("read", true), ("list", true), ("write", false)] {
            assert_eq!(runs(&host, id, by(tool, caller.clone())).await, free, "{tool} {caller:?}");
        }
    }
    // A rule that names one of the tools takes precedence, and no edit changes the pinned definitions.
    let named = {
        let named = NewRule { server: Some(id), ..rule(Decision::Ask, "list") };
        host.save_rule(None, named).await.unwrap().rule.id
    };
    assert!(!runs(&host, id, by("list", Caller::Workbench)).await);
    host.remove_rule(named).await.unwrap();
    let wide = NewRule { server: None, ..made.rule.rule.clone() };
    let wide = host.save_rule(Some(made.rule.id), wide).await.unwrap().rule;
    assert_eq!(wide.pin, made.rule.pin);
    assert!(!runs(&host, id, by("write", Caller::Workbench)).await);
    // All are undone at once.
    host.remove_rule(made.rule.id).await.unwrap();
    assert!(!runs(&host, id, by("list", Caller::Workbench)).await);
    host.shutdown().await;
}

#[tokio::test]
async fn a_yes_reaches_no_further_than_was_asked() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = asks(&host, home.path()).await;
    let refused = async {
        let waiting = question(&host).await;
        for scope in [
            r#"{"reach":"reading","everyCaller":false}"#,
            r#"{"reach":"folder","everyCaller":true}"#,
            r#"{"reach":"tool"}"#,
            r#"{"reach":"tool","everyCaller":false,"more":1}"#,
            "[]",
            "x",
        ] {
            let opening = host.open_interaction(waiting).unwrap();
            crate::clock::advance(opening.armed_in);
            let said =
                InteractionAnswer::Accept { content: Some(scope.to_owned()), remember: Remember::Always };
            let error = host.answer_interaction(waiting, &opening.nonce, said).await.unwrap_err();
            assert_eq!(error.code().as_str(), "invalid_answer", "{scope}: {error}");
        }
        answer(&host, InteractionAnswer::Cancel).await;
    };
    let (outcome, ()) = tokio::join!(host.call_tool(id, call("write", &json!({})), ignore_events()), refused);
    outcome.unwrap_err();
    assert!(host.rules().iter().all(|view| !view.rule.from_answer));
    host.shutdown().await;
}
