//! Consent rules: what they refuse, what they ask about, and how answers become rules.

use mooring_base::server_id::ServerId;
use mooring_calls::{CallOutcome, CallStatus, ToolAccess, ToolCall};
use mooring_errors::HostError;
use mooring_host::Host;
use mooring_inbox::{DecisionView, InteractionAnswer, InteractionQuestion, Remember, RememberedBy};
use mooring_log::{Direction, LogKind};
use mooring_policy::{ArgumentCondition, ArgumentTest, Caller, Decision, NewRule};
use mooring_server_state::{HostEvent, StateName};
use mooring_store::InteractionOutcome;
use mooring_testkit::http::{HttpReply, HttpScript, serve};
use mooring_testkit::{answers, offers};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::clock::advance;
use crate::journal::{body, rows};
use crate::rules::plays;
use crate::support::{
    LIMIT, call, connect, http, ignore_events, open, says_what_remembers, scripted, until_state, window,
};
use crate::tampered::sql;

/// A rule about a tool of any server.
pub(crate) fn rule(effect: Decision, tool: &str) -> NewRule {
    NewRule {
        effect,
        server: None,
        tool: Some(tool.to_owned()),
        caller: None,
        destructive_only: false,
        arguments: Vec::new(),
        expires_ms: None,
    }
}

async fn ready(host: &Host) -> ServerId {
    let id = host.add_server(scripted("s", &["ok"])).await.unwrap().id;
    until_state(host, id, StateName::Ready).await;
    host.tools(id, false).await.unwrap();
    id
}

async fn echo(host: &Host, id: ServerId, text: &str) -> Result<CallOutcome, HostError> {
    host.call_tool(id, call("echo", &json!({"text": text})), ignore_events()).await
}

/// The verdicts in the log, and the number of calls that were sent.
async fn decided(host: &Host) -> (Vec<(String, String)>, usize) {
    let (mut verdicts, mut calls) = (Vec::new(), 0);
    for row in rows(host).await {
        if row.kind == LogKind::Verdict {
            let verdict: Value = serde_json::from_str(&body(host, &row).await).unwrap();
            let word = |name: &str| verdict[name].as_str().unwrap().to_owned();
            verdicts.push((word("decision"), word("rule")));
        }
        calls += usize::from(
            (row.kind, row.direction, row.method.as_deref())
                == (LogKind::Frame, Direction::Out, Some("tools/call")),
        );
    }
    (verdicts, calls)
}

/// The id of the waiting question.
pub(crate) async fn question(host: &Host) -> i64 {
    let mut events = host.events();
    let wait = async {
        loop {
            if let Some(waiting) = host.inbox().waiting.first() {
                return waiting.id;
            }
            // Lagging only means that something happened.
            let _lagged = events.recv().await;
        }
    };
    tokio::time::timeout(LIMIT, wait).await.unwrap()
}

/// Answers the waiting question as soon as an answer is accepted.
pub(crate) async fn answer(host: &Host, answer: InteractionAnswer) -> DecisionView {
    let id = question(host).await;
    let opening = host.open_interaction(id).unwrap();
    if matches!(answer, InteractionAnswer::Accept { .. }) {
        let early = host.answer_interaction(id, &opening.nonce, answer.clone()).await;
        assert_eq!(early.unwrap_err().code().as_str(), "too_early");
        advance(opening.armed_in);
    }
    let reply = host.answer_interaction(id, &opening.nonce, answer).await.unwrap();
    says_what_remembers(host, &reply).await;
    reply
}

fn yes(remember: Remember) -> InteractionAnswer {
    InteractionAnswer::Accept { content: None, remember }
}

fn names(verdicts: &[(String, String)]) -> Vec<(&str, &str)> {
    verdicts.iter().map(|(decision, rule)| (decision.as_str(), rule.as_str())).collect()
}

// Requirements: SHS-18, SEC-26.
#[tokio::test]
async fn a_call_sent_again_in_a_new_session_has_a_verdict() {
    let gone = HttpReply::status(400, "No valid session ID provided");
    let server = serve(HttpScript::json().once("tools/call", gone)).await;
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = host.add_server(http("s", &server.url)).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    let outcome = host.call_tool(id, call("echo", &json!({"text": "x"})), ignore_events()).await.unwrap();
    assert_eq!(outcome.status, CallStatus::Ok);
    let (verdicts, calls) = decided(&host).await;
    assert_eq!((names(&verdicts), calls), (vec![("allow", "gesture"), ("allow", "new_session")], 2));
    // Shutdown checks the log for calls without a verdict.
    host.shutdown().await;
}

// Requirements: SEC-02, TOOL-02, TOOL-10.
#[tokio::test]
async fn deny_rule_blocks_a_persons_call_until_removed() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = ready(&host).await;
    let mut events = host.events();
    let denied = host.save_rule(None, rule(Decision::Deny, "ech*")).await.unwrap();
    assert!(std::iter::from_fn(|| events.try_recv().ok()).any(|event| event == HostEvent::RulesChanged));
    let error = echo(&host, id, "x").await.unwrap_err();
    assert_eq!(error.code().as_str(), "denied", "{error}");
    assert!(error.to_string().contains(&format!("rule {}", denied.rule.id)), "{error}");
    // It does not apply to another tool.
    host.call_tool(id, call("seen", &json!({})), ignore_events()).await.unwrap();
    assert_eq!(host.rules()[0].uses, 1);
    host.remove_rule(denied.rule.id).await.unwrap();
    echo(&host, id, "y").await.unwrap();
    host.restore_rule(denied.rule.id).await.unwrap();
    // Saved rules still apply after a restart, and so do their counters.
    host.shutdown().await;
    let host = window(home.path()).await;
    until_state(&host, id, StateName::Ready).await;
    assert_eq!(echo(&host, id, "z").await.unwrap_err().code().as_str(), "denied");
    assert_eq!(host.rules()[0].uses, 2);
    let (verdicts, calls) = decided(&host).await;
    let rule = denied.rule.name();
    let (deny, gesture) = (("deny", rule.as_str()), ("allow", "gesture"));
    assert_eq!((names(&verdicts), calls), (vec![deny, gesture, gesture, deny], 2));
    host.shutdown().await;
}

// Requirements: SEC-02, SEC-26.
#[tokio::test]
async fn a_rule_on_arguments_refuses_names_that_stand_twice() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = ready(&host).await;
    let calls = async |text: &str| {
        let arguments = Some(RawValue::from_string(text.to_owned()).unwrap());
        host.call_tool(id, ToolCall { arguments, ..call("echo", &json!({})) }, ignore_events()).await
    };
    let twice = [r#"{"text":"secret","text":"x"}"#, r#"{"te\u0078t":"secret","text":"x"}"#];
    // If no rule checks them, arguments are sent exactly as written.
    for text in twice {
        calls(text).await.unwrap();
    }
    let secret = ArgumentCondition {
        pointer: "/text".to_owned(),
        test: ArgumentTest::Equals,
        value: r#""secret""#.to_owned(),
    };
    host.save_rule(None, NewRule { arguments: vec![secret], ..rule(Decision::Deny, "echo") }).await.unwrap();
    for text in twice {
        let refused = calls(text).await.unwrap_err();
        assert_eq!(refused.code().as_str(), "invalid_arguments", "{text}");
        assert!(refused.to_string().contains("the name text appears twice"), "{refused}");
    }
    assert_eq!(calls(r#"{"text":"secret"}"#).await.unwrap_err().code().as_str(), "denied");
    calls(r#"{"text":"x"}"#).await.unwrap();
    assert_eq!(decided(&host).await.1, 3);
    host.shutdown().await;
}

#[tokio::test]
async fn question_tells_whether_the_tool_description_was_cut() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = plays(&host, home.path(), "s", |script| {
        let (mut long, mut short) = (answers::tool("long"), answers::tool("short"));
        long["description"] = json!("Says it. ".repeat(4_000));
        short["description"] = json!("Says it.");
        script.insert(
            "tools/list".to_owned(),
            json!([offers::response_line(&json!({"tools": [long, short]}))]),
        );
    })
    .await;
    for (tool, is_cut) in [("long", true), ("short", false)] {
        host.save_rule(None, NewRule { server: Some(id), ..rule(Decision::Ask, tool) }).await.unwrap();
        let (refused, ()) =
            tokio::join!(host.call_tool(id, call(tool, &json!({})), ignore_events()), async {
                let waiting = question(&host).await;
                let inbox = host.inbox();
                let view = inbox.waiting.iter().find(|view| view.id == waiting).unwrap();
                let InteractionQuestion::Tool { description: Some(words), cut, .. } = &view.question else {
                    panic!("{view:?}")
                };
                assert_eq!((*cut, words.starts_with("Says it.")), (is_cut, true), "{tool}");
                answer(&host, InteractionAnswer::Cancel).await;
            });
        assert_eq!(refused.unwrap_err().code().as_str(), "denied");
    }
    host.shutdown().await;
}

// Requirements: SEC-02, TOOL-02.
#[tokio::test]
async fn an_answer_whose_rule_cannot_be_saved_is_not_remembered() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = ready(&host).await;
    host.save_rule(None, rule(Decision::Ask, "echo")).await.unwrap();
    let no_more = "CREATE TRIGGER no_more BEFORE INSERT ON rule BEGIN SELECT RAISE(ABORT, 'no more'); END";
    sql(home.path(), no_more).await;
    let (outcome, reply) = tokio::join!(echo(&host, id, "x"), answer(&host, yes(Remember::Always)));
    assert_eq!(outcome.unwrap_err().code().as_str(), "store");
    assert_eq!((reply.outcome, reply.remembered), (InteractionOutcome::Accepted, None));
    host.shutdown().await;
}

// Requirements: SEC-02, SEC-26, TOOL-02, TOOL-04, TOOL-05.
#[tokio::test]
async fn ask_rule_holds_the_call_and_the_answer_can_be_remembered() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = ready(&host).await;
    host.save_rule(None, NewRule { server: Some(id), ..rule(Decision::Ask, "echo") }).await.unwrap();
    let (outcome, reply) = tokio::join!(echo(&host, id, "fog"), async {
        let waiting = question(&host).await;
        let inbox = host.inbox();
        let view = inbox.waiting.iter().find(|view| view.id == waiting).unwrap();
        let InteractionQuestion::Tool { tool, arguments, hints, reviewed, definition, .. } = &view.question
        else {
            panic!("{view:?}")
        };
        assert_eq!((tool.as_str(), arguments.as_str()), ("echo", r#"{"text":"fog"}"#));
        let trust = host.trust(id).await.unwrap();
        let pin = trust.items.iter().find(|pin| pin.name == "echo").unwrap();
        assert_eq!(definition.as_ref(), Some(&pin.hash));
        assert!(hints.destructive.is_none() && !reviewed, "it says nothing of that");
        assert_eq!(view.occasion.caller.as_deref(), Some("workbench"));
        assert_eq!(decided(&host).await.1, 0, "it left before the answer");
        answer(&host, yes(Remember::Session)).await
    });
    assert_eq!(outcome.unwrap().status, CallStatus::Ok);
    // The answer is remembered for this definition until the application ends.
    echo(&host, id, "again").await.unwrap();
    let remembered = host.rules().into_iter().find(|view| view.rule.from_answer).unwrap();
    assert!(remembered.rule.id < 0 && remembered.rule.pin.is_some());
    assert_eq!((remembered.uses, remembered.server_name.as_deref()), (1, Some("s")));
    assert_eq!(reply.remembered, Some(RememberedBy::Rule { id: remembered.rule.id }));
    assert_eq!(reply.caller.as_deref(), Some("workbench"));
    host.remove_rule(remembered.rule.id).await.unwrap();
    let (declined, _reply) = tokio::join!(
        echo(&host, id, "no"),
        answer(&host, InteractionAnswer::Decline { remember: Remember::Once })
    );
    assert_eq!(declined.unwrap_err().code().as_str(), "denied");
    let (cancelled, _reply) = tokio::join!(echo(&host, id, "no"), answer(&host, InteractionAnswer::Cancel));
    assert_eq!(cancelled.unwrap_err().code().as_str(), "denied");
    let (declined, _reply) = tokio::join!(
        echo(&host, id, "never"),
        answer(&host, InteractionAnswer::Decline { remember: Remember::Always })
    );
    assert_eq!(declined.unwrap_err().code().as_str(), "denied");
    assert_eq!(echo(&host, id, "never").await.unwrap_err().code().as_str(), "denied");
    assert!(host.inbox().waiting.is_empty());
    let (verdicts, calls) = decided(&host).await;
    let never = host.rules().into_iter().find(|view| view.rule.rule.effect == Decision::Deny).unwrap();
    let never = never.rule.name();
    let ask = ("ask", "rule 1");
    let expected = vec![
        ask,
        ("allow", "answer"),
        ("allow", "session rule 1"),
        ask,
        ("deny", "answer"),
        ask,
        ("deny", "cancelled"),
        ask,
        ("deny", "answer"),
        ("deny", never.as_str()),
    ];
    assert_eq!((names(&verdicts), calls), (expected, 2));
    // The session has ended.
    host.shutdown().await;
    let host = window(home.path()).await;
    assert!(host.rules().iter().all(|view| view.rule.id > 0));
    assert_eq!(host.rules().len(), 2);
    host.shutdown().await;
    let store = mooring_store::Store::open(home.path()).await.unwrap();
    assert_eq!(store.log().calls_without_verdict(0..i64::MAX).await.unwrap(), Vec::<i64>::new());
    store.close().await;
}

#[tokio::test]
async fn rule_usage_count_is_saved_soon_and_not_only_at_the_end() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = ready(&host).await;
    host.save_rule(None, rule(Decision::Allow, "echo")).await.unwrap();
    let store = mooring_store::Store::open(home.path()).await.unwrap();
    for times in [2, 3] {
        while host.rules()[0].uses < times {
            echo(&host, id, "x").await.unwrap();
        }
        let written = async {
            while store.rules().list().await.unwrap()[0].uses < i64::from(times) {
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(LIMIT, written).await.unwrap();
        assert_eq!(store.rules().list().await.unwrap()[0].uses, i64::from(times));
    }
    store.close().await;
    host.shutdown().await;
}

// Requirements: TOOL-02.
#[tokio::test]
async fn abandoned_call_withdraws_its_question() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = ready(&host).await;
    host.save_rule(None, rule(Decision::Ask, "echo")).await.unwrap();
    {
        let calling = echo(&host, id, "x");
        tokio::select! {
            _ = calling => panic!("it was not asked"),
            _ = question(&host) => {}
        }
    }
    assert!(host.inbox().waiting.is_empty());
    let typed = ToolCall { caller: Caller::CommandLine, ..call("echo", &json!({"text": "x"})) };
    let error = host.call_tool(id, typed, ignore_events()).await.unwrap_err();
    assert_eq!(error.code().as_str(), "denied");
    assert_eq!(decided(&host).await.1, 0);
    host.shutdown().await;
    // The window's rules also apply on the command line.
    let host = open(home.path(), false).await;
    let connection = connect(&host, &["ok"]).await.unwrap();
    let typed = ToolCall { caller: Caller::CommandLine, ..call("echo", &json!({"text": "x"})) };
    assert_eq!(connection.call_tool(typed, ignore_events()).await.unwrap_err().code().as_str(), "denied");
    connection.close().await;
    host.shutdown().await;
}

// Requirements: TOOL-05.
#[tokio::test]
async fn model_calls_only_approved_tools_allowed_by_rule_or_person() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = ready(&host).await;
    let sampling = || ToolCall { caller: Caller::Sampling, ..call("echo", &json!({"text": "x"})) };
    host.save_rule(None, rule(Decision::Allow, "*")).await.unwrap();
    // The definition was never reviewed.
    assert_eq!(host.call_tool(id, sampling(), ignore_events()).await.unwrap_err().code().as_str(), "denied");
    let trust = host.trust(id).await.unwrap();
    let pin = trust.items.iter().find(|pin| pin.name == "echo").unwrap();
    let approval =
        mooring_policy::PinApproval { kind: pin.kind, name: pin.name.clone(), hash: pin.hash.clone() };
    host.approve_trust(id, &[approval]).await.unwrap();
    host.call_tool(id, sampling(), ignore_events()).await.unwrap();
    let allow = host.rules()[0].rule.id;
    host.remove_rule(allow).await.unwrap();
    let (outcome, _reply) =
        tokio::join!(host.call_tool(id, sampling(), ignore_events()), answer(&host, yes(Remember::Hour)));
    outcome.unwrap();
    host.call_tool(id, sampling(), ignore_events()).await.unwrap();
    let hour = &host.rules()[0].rule;
    assert!(hour.rule.expires_ms.is_some() && hour.rule.caller == Some(Caller::Sampling));
    host.shutdown().await;
}

// Requirements: SEC-02.
#[tokio::test]
async fn a_rule_is_tried_on_the_calls_of_the_log_before_it_is_saved() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = ready(&host).await;
    for text in ["one", "two", "three", "two"] {
        echo(&host, id, text).await.unwrap();
    }
    host.call_tool(id, call("seen", &json!({})), ignore_events()).await.unwrap();
    let condition = ArgumentCondition {
        pointer: "/text".to_owned(),
        test: ArgumentTest::StartsWith,
        value: "t".to_owned(),
    };
    let about = NewRule { arguments: vec![condition], ..rule(Decision::Deny, "echo") };
    let tried = host.simulate_rule(None, about.clone()).await.unwrap();
    assert_eq!((tried.calls, tried.matched, tried.unknown), (5, 3, 0), "{tried:?}");
    assert_eq!(tried.changed.len(), 3);
    assert!(tried.changed.is_sorted_by(|one, other| one.row > other.row));
    let first = &tried.changed[0];
    assert_eq!(
        (first.before, first.after, &first.caller),
        (Decision::Allow, Decision::Deny, &Caller::Workbench)
    );
    assert_eq!((first.tool.as_str(), first.server_name.as_str()), ("echo", "s"));
    // The simulation saves nothing, and simulating a rule in its own place changes nothing.
    assert!(host.rules().is_empty());
    let saved = host.save_rule(None, about.clone()).await.unwrap();
    assert_eq!(host.simulate_rule(Some(saved.rule.id), about.clone()).await.unwrap().changed, []);
    let milder = NewRule { effect: Decision::Allow, ..about };
    assert_eq!(host.simulate_rule(Some(saved.rule.id), milder).await.unwrap().changed.len(), 3);
    let all = host.simulate_rule(None, rule(Decision::Ask, "*")).await.unwrap();
    assert_eq!((all.calls, all.matched), (5, 5));
    // Arguments with a secret are redacted in the log.
    echo(&host, id, "x").await.unwrap_or_else(|error| panic!("{error}"));
    let secret = call("echo", &json!({"text": "x", "password": "hush-hush-hush"}));
    host.call_tool(id, secret, ignore_events()).await.unwrap();
    let present = ArgumentCondition {
        pointer: "/password".to_owned(),
        test: ArgumentTest::Present,
        value: String::new(),
    };
    let about = NewRule { arguments: vec![present], ..rule(Decision::Deny, "echo") };
    let tried = host.simulate_rule(None, about).await.unwrap();
    assert_eq!((tried.calls, tried.unknown), (7, 1), "{tried:?}");
    host.shutdown().await;
}

#[tokio::test]
async fn a_rule_that_can_never_match_is_refused_with_the_reason() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path(), false).await;
    let with = |pointer: &str, test, value: &str| NewRule {
        arguments: vec![ArgumentCondition { pointer: pointer.to_owned(), test, value: value.to_owned() }],
        ..rule(Decision::Deny, "x")
    };
    for bad in [with("path", ArgumentTest::Present, ""), with("/x", ArgumentTest::Equals, "{")] {
        assert_eq!(host.save_rule(None, bad).await.unwrap_err().code().as_str(), "invalid_rule");
    }
    let elsewhere = NewRule { server: Some(ServerId(7)), ..rule(Decision::Deny, "x") };
    assert_eq!(host.save_rule(None, elsewhere).await.unwrap_err().code().as_str(), "server_not_found");
    for id in [7, -7] {
        assert_eq!(host.remove_rule(id).await.unwrap_err().code().as_str(), "no_such_rule");
        assert_eq!(host.restore_rule(id).await.unwrap_err().code().as_str(), "no_such_rule");
        let saved = host.save_rule(Some(id), rule(Decision::Deny, "x")).await;
        assert_eq!(saved.unwrap_err().code().as_str(), "no_such_rule");
    }
    let over = NewRule { expires_ms: Some(1), ..rule(Decision::Deny, "x") };
    host.save_rule(None, over).await.unwrap();
    assert!(host.rules().is_empty(), "its time is over");
    host.shutdown().await;
}

/// Calls a tool that a rule asks about, and answers the question.
async fn asked(
    host: &Host,
    id: ServerId,
    tool: &str,
    said: InteractionAnswer,
) -> Result<CallOutcome, HostError> {
    tokio::join!(host.call_tool(id, call(tool, &json!({})), ignore_events()), answer(host, said)).0
}

fn never() -> InteractionAnswer {
    InteractionAnswer::Decline { remember: Remember::Always }
}

// Requirements: SEC-02, TOOL-05.
#[tokio::test]
async fn remembered_rule_is_simulated_and_saved_with_one_tool_binding() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = ready(&host).await;
    host.save_rule(None, rule(Decision::Ask, "*")).await.unwrap();
    asked(&host, id, "echo", yes(Remember::Always)).await.unwrap();
    asked(&host, id, "seen", InteractionAnswer::Cancel).await.unwrap_err();
    let remembered = host.rules().into_iter().find(|view| view.rule.from_answer).unwrap().rule;
    assert!(remembered.pin.is_some());
    let (number, saved) = (Some(remembered.id), remembered.rule.clone());
    // Adding an expiry keeps the pinned definition.
    let ends = NewRule { expires_ms: Some(i64::MAX / 2_000), ..saved.clone() };
    assert!(host.simulate_rule(number, ends.clone()).await.unwrap().pinned);
    assert_eq!(host.save_rule(number, ends).await.unwrap().rule.pin, remembered.pin);
    // For all tools, the pin no longer applies, before saving and after.
    let wide = NewRule { tool: None, ..saved };
    let tried = host.simulate_rule(number, wide.clone()).await.unwrap();
    assert!(!tried.pinned);
    let changed: Vec<_> = tried.changed.iter().map(|call| (call.tool.as_str(), call.after)).collect();
    assert!(changed.contains(&("seen", Decision::Allow)), "{tried:?}");
    assert_eq!(host.save_rule(number, wide).await.unwrap().rule.pin, None);
    host.call_tool(id, call("seen", &json!({})), ignore_events()).await.unwrap();
    host.shutdown().await;
}

// Requirements: SEC-02, TOOL-05.
#[tokio::test]
async fn never_allow_blocks_that_tool_for_all_callers_and_no_other() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = plays(&host, home.path(), "s", |script| {
        let tools = [answers::tool("*"), answers::tool("other")];
        script.insert("tools/list".to_owned(), json!([offers::response_line(&json!({"tools": tools}))]));
    })
    .await;
    let asks = host.save_rule(None, rule(Decision::Ask, "*")).await.unwrap().rule.id;
    // Its server has no tool `gone`, so there is no definition.
    for tool in ["*", "gone"] {
        assert_eq!(asked(&host, id, tool, never()).await.unwrap_err().code().as_str(), "denied");
    }
    let written: Vec<_> = host.rules().into_iter().filter(|view| view.rule.from_answer).collect();
    for view in &written {
        let rule = &view.rule;
        assert_eq!(
            (rule.rule.effect, &rule.rule.caller, &rule.pin),
            (Decision::Deny, &None, &None),
            "{rule:?}"
        );
    }
    assert_eq!(written.len(), 2);
    asked(&host, id, "other", yes(Remember::Once)).await.unwrap();
    host.remove_rule(asks).await.unwrap();
    for caller in [Caller::Workbench, Caller::CommandLine, Caller::Sampling] {
        let by = |tool| ToolCall { caller: caller.clone(), ..call(tool, &json!({})) };
        for tool in ["*", "gone"] {
            let refused = host.call_tool(id, by(tool), ignore_events()).await.unwrap_err().to_string();
            assert!(written.iter().any(|view| refused.contains(&view.rule.name())), "{caller:?} {refused}");
        }
        if caller.is_person() {
            host.call_tool(id, by("other"), ignore_events()).await.unwrap();
        }
    }
    host.shutdown().await;
    // It does not apply in another process either.
    let host = open(home.path(), false).await;
    assert_eq!(host.rules().len(), 2);
    host.shutdown().await;
}

// Requirements: SEC-02.
#[tokio::test]
async fn decision_names_its_remembered_rule_only_while_it_exists() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = ready(&host).await;
    host.save_rule(None, rule(Decision::Ask, "*")).await.unwrap();
    let named = async |host: &Host| {
        let decisions = host.decisions(9).await.unwrap();
        let number = |decision: DecisionView| match decision.remembered {
            Some(RememberedBy::Rule { id: number }) => Some(number),
            Some(other) => panic!("{other:?}"),
            None => None,
        };
        decisions.into_iter().map(number).collect::<Vec<_>>()
    };
    asked(&host, id, "echo", yes(Remember::Always)).await.unwrap();
    asked(&host, id, "seen", yes(Remember::Session)).await.unwrap();
    let rules = named(&host).await;
    let (Some(passing), Some(lasting)) = (rules[0], rules[1]) else { panic!("{rules:?}") };
    assert!(passing < 0 && lasting > 0);
    for (at, number) in [(0, passing), (1, lasting)] {
        host.remove_rule(number).await.unwrap();
        assert_eq!(named(&host).await[at], None);
        host.restore_rule(number).await.unwrap();
        assert_eq!(named(&host).await[at], Some(number));
    }
    host.shutdown().await;
    // The rules of this run have the same ids as those of the previous run.
    let host = window(home.path()).await;
    until_state(&host, id, StateName::Ready).await;
    assert_eq!(named(&host).await, [None, Some(lasting)]);
    asked(&host, id, "seen", yes(Remember::Session)).await.unwrap();
    assert_eq!(named(&host).await, [Some(passing), None, Some(lasting)]);
    host.shutdown().await;
}

#[tokio::test]
async fn access_to_each_tool_names_its_rules_and_its_last_call() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = ready(&host).await;
    let echo_of = |access: Vec<ToolAccess>| access.into_iter().find(|tool| tool.tool == "echo").unwrap();
    let before = echo_of(host.tool_access(id).await.unwrap());
    assert_eq!((before.rules.effect, before.rules.rule, before.used_ms), (Decision::Allow, None, None));

    echo(&host, id, "one").await.unwrap();
    let off = NewRule { server: Some(id), ..rule(Decision::Deny, "echo") };
    let off = host.save_rule(None, off).await.unwrap().rule.id;
    host.flush_log().await;
    let access = host.tool_access(id).await.unwrap();
    assert!(access.iter().any(|tool| tool.tool != "echo" && tool.used_ms.is_none()));
    let after = echo_of(access);
    assert_eq!((after.rules.effect, after.rules.own), (Decision::Deny, vec![off]));
    assert!(after.used_ms.is_some());
    assert_eq!(echo(&host, id, "two").await.unwrap_err().code().as_str(), "denied");
    host.shutdown().await;
}
