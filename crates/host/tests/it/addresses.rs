//! URLs that the person agreed to open: what the browser does with them, and when the asker gets an answer.

use std::sync::Arc;
use std::time::Duration;

use mooring_host::Host;
use mooring_inbox::{InboxView, InteractionAnswer, InteractionQuestion};
use mooring_server_state::StateName;
use mooring_store::InteractionOutcome;
use mooring_testkit::http::{Gate, HttpReply, HttpScript, serve};
use serde_json::{Value, json};

use crate::asker::{
    HANGING, LIVING, answer_first, armed, asks, attended, first, no, tool, until_inbox, until_visits, visits,
    yes,
};
use crate::support::{LIMIT, call, http, ignore_events, until_state};

fn ask(address: &str) -> Value {
    let params = json!({ "mode": "url", "url": address, "elicitationId": "e", "message": "Go there" });
    json!({ "method": "elicitation/create", "params": params })
}

#[expect(clippy::option_option, reason = "whether there is one, and what went wrong with it")]
/// Whether the only question is an approved URL, and its problem if any.
fn agreed(inbox: &InboxView) -> Option<Option<String>> {
    let [one] = &inbox.waiting[..] else { return None };
    match &one.question {
        InteractionQuestion::Url { opened: true, problem, .. } => {
            Some(problem.as_ref().map(ToString::to_string))
        }
        _ => None,
    }
}

async fn accept(host: &Host) -> i64 {
    let waiting = first(host).await;
    let nonce = armed(host, waiting.id);
    let answer = host.answer_interaction(waiting.id, &nonce, yes(None));
    let decided = tokio::time::timeout(Duration::from_secs(5), answer).await.unwrap().unwrap();
    assert_eq!(decided.outcome, InteractionOutcome::Accepted);
    waiting.id
}

// Requirements: ELIC-22, ELIC-27, SEC-26.
#[tokio::test]
async fn url_decision_returns_before_the_browser_has_opened() {
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    let id = asks(&host, "s").await;
    let gate = Gate::new();
    HANGING.lock().unwrap().push(gate.clone());
    let address = "https://example.com/hangs";
    let person = async {
        let asked = accept(&host).await;
        assert_eq!(agreed(&host.inbox()), Some(None), "it is agreed to at once");
        assert_eq!(host.decisions(1).await.unwrap()[0].id, asked);
        until_state(&host, id, StateName::WaitingForYou).await;
        let inbox = until_inbox(&host, "late", |inbox| matches!(agreed(inbox), Some(Some(_)))).await;
        let said = agreed(&inbox).unwrap().unwrap();
        assert!(said.starts_with("the browser hasn’t answered so far"), "{said}");
        gate.open();
        until_inbox(&host, "open", |inbox| agreed(inbox) == Some(None)).await;
    };
    let arguments = ask(address);
    let (answer, ()) = tokio::join!(tool(&host, id, "ask", &arguments), person);
    assert_eq!(answer, json!({ "action": "accept" }));
    assert_eq!(visits(address), 1);
    tool(&host, id, "complete", &json!({ "elicitationId": "e" })).await;
    until_inbox(&host, "done", |inbox| inbox.waiting.is_empty()).await;
    host.shutdown().await;
}

// Requirements: ELIC-27.
#[tokio::test]
async fn browser_failure_is_shown_on_the_question_with_three_options() {
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    let id = asks(&host, "s").await;
    for way in ["again", "alone", "no"] {
        let address = format!("https://example.com/fails/{way}");
        let person = async {
            let asked = accept(&host).await;
            let inbox = until_inbox(&host, "failed", |inbox| matches!(agreed(inbox), Some(Some(_)))).await;
            let said = agreed(&inbox).unwrap().unwrap();
            assert_eq!(said, "the browser couldn’t be started: no display");
            assert_eq!(inbox.waiting[0].id, asked);
            assert_eq!(
                last_problem(&host, Some(&said)).await.as_deref(),
                Some(&*said),
                "in the decisions too"
            );
            let nonce = host.open_interaction(asked).unwrap().nonce;
            let early = host.retry_interaction(asked, &nonce).unwrap_err();
            assert_eq!(early.code().as_str(), "too_early");
            match way {
                "again" => {
                    let nonce = armed(&host, asked);
                    host.retry_interaction(asked, &nonce).unwrap();
                    until_visits(&address, 2).await;
                }
                "alone" => drop(answer_first(&host, yes(None)).await),
                _ => drop(answer_first(&host, InteractionAnswer::Cancel).await),
            }
        };
        let arguments = ask(&address);
        let (answer, ()) = tokio::join!(tool(&host, id, "ask", &arguments), person);
        let expected = if way == "no" { "cancel" } else { "accept" };
        assert_eq!(answer, json!({ "action": expected }), "{way}");
        assert_eq!(visits(&address), if way == "again" { 2 } else { 1 });
        tool(&host, id, "complete", &json!({ "elicitationId": "e" })).await;
        until_inbox(&host, "done", |inbox| inbox.waiting.is_empty()).await;
        // The browser opened it later, or reported a failure.
        let kept = (way == "no").then_some("the browser couldn’t be started: no display");
        assert_eq!(last_problem(&host, kept).await.as_deref(), kept, "{way}");
    }
    host.shutdown().await;
}

/// The problem of the last decision, once it is `expected` or after a time limit.
async fn last_problem(host: &Host, expected: Option<&str>) -> Option<String> {
    let deadline = tokio::time::Instant::now() + LIMIT;
    loop {
        let decision = host.decisions(1).await.unwrap().remove(0);
        let problem = decision.reason.map(|why| why.text);
        if problem.as_deref() == expected || tokio::time::Instant::now() > deadline {
            return problem;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

// Requirements: ELIC-27, SEC-26.
#[tokio::test]
async fn each_reopening_of_a_url_needs_a_review_and_is_limited() {
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    let id = asks(&host, "s").await;
    let address = "https://example.com/once-more";
    let arguments = ask(address);
    let (answer, asked) = tokio::join!(tool(&host, id, "ask", &arguments), accept(&host));
    assert_eq!(answer, json!({ "action": "accept" }));
    // The asker has its answer, but the URL remains in the Inbox.
    for visit in 2..=5 {
        let nonce = armed(&host, asked);
        host.retry_interaction(asked, &nonce).unwrap();
        until_visits(address, visit).await;
        let used = host.retry_interaction(asked, &nonce).unwrap_err();
        assert_eq!(used.code().as_str(), "wrong_nonce");
        let new = host.open_interaction(asked).unwrap();
        assert_ne!(new.nonce, nonce);
        assert_eq!(host.retry_interaction(asked, &new.nonce).unwrap_err().code().as_str(), "too_early");
    }
    let nonce = armed(&host, asked);
    let often = host.retry_interaction(asked, &nonce).unwrap_err();
    assert_eq!(often.code().as_str(), "invalid_answer");
    assert_eq!(often.sentence().to_string(), "the URL was opened 5 times and won’t be opened again");
    assert_eq!(visits(address), 5);
    host.shutdown().await;
}

// Requirements: ELIC-22, ELIC-27, SEC-01.
#[tokio::test]
async fn completion_before_the_url_is_open_accepts_nothing() {
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    let id = asks(&host, "s").await;
    let done = json!({ "elicitationId": "e" });
    // The browser failed. The person decides how to continue, whatever the server sends.
    let person = async {
        accept(&host).await;
        until_inbox(&host, "failed", |inbox| matches!(agreed(inbox), Some(Some(_)))).await;
        tool(&host, id, "complete", &done).await;
        tool(&host, id, "capabilities", &json!({})).await;
        assert!(matches!(agreed(&host.inbox()), Some(Some(_))), "{:?}", host.inbox());
        answer_first(&host, InteractionAnswer::Cancel).await;
    };
    let arguments = ask("https://example.com/fails/said-to-be-done");
    let (answer, ()) = tokio::join!(tool(&host, id, "ask", &arguments), person);
    assert_eq!(answer, json!({ "action": "cancel" }));
    // The browser has not returned yet. When it does, the asker gets the yes, and nothing is left to wait
    // for.
    let gate = Gate::new();
    HANGING.lock().unwrap().push(gate.clone());
    let address = "https://example.com/hangs/said-to-be-done";
    let person = async {
        accept(&host).await;
        until_visits(address, 1).await;
        tool(&host, id, "complete", &done).await;
        tool(&host, id, "capabilities", &json!({})).await;
        until_state(&host, id, StateName::WaitingForYou).await;
        assert!(agreed(&host.inbox()).is_some(), "{:?}", host.inbox());
        gate.open();
    };
    let arguments = ask(address);
    let (answer, ()) = tokio::join!(tool(&host, id, "ask", &arguments), person);
    assert_eq!(answer, json!({ "action": "accept" }));
    until_inbox(&host, "done", |inbox| inbox.waiting.is_empty()).await;
    host.shutdown().await;
}

// Requirements: ELIC-27.
#[tokio::test]
async fn a_browser_that_never_answers_is_given_up_with_its_question() {
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    let id = asks(&host, "s").await;
    let never = Gate::new();
    HANGING.lock().unwrap().push(never.clone());
    // A browser that hangs until its question ends frees its slot for the next one.
    let address = "https://example.com/hangs/for-ever";
    let person = async {
        let asked = accept(&host).await;
        until_visits(address, 1).await;
        assert!(Arc::strong_count(&LIVING) > 1, "it is being opened");
        assert_eq!(asked, answer_first(&host, InteractionAnswer::Cancel).await);
    };
    let arguments = ask(address);
    let (answer, ()) = tokio::join!(tool(&host, id, "ask", &arguments), person);
    assert_eq!(answer, json!({ "action": "cancel" }));
    mooring_testkit::eventually("it is given up", LIMIT, || Arc::strong_count(&LIVING) == 1).await;
    never.open();
    host.shutdown().await;
}

fn result(result: &Value) -> HttpReply {
    HttpReply::json_text(&format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{result}}}"#))
}

// Requirements: ELIC-09, ELIC-27, MRTR-13, MRTR-15, MRTR-16.
#[tokio::test]
async fn call_needing_a_url_in_a_round_continues_when_confirmed() {
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    let address = "https://example.com/round";
    let wants = json!({
        "resultType": "input_required",
        "requestState": "s",
        "inputRequests": { "key": {
            "method": "elicitation/create",
            "params": { "mode": "url", "url": address, "message": "Go there" },
        } },
    });
    let discovered = json!({
        "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} },
        "ttlMs": 0, "cacheScope": "private",
    });
    let done = json!({ "resultType": "complete", "content": [] });
    // The first visit is not enough, so the server asks again.
    let script = HttpScript::json()
        .without_session()
        .on("server/discover", result(&discovered))
        .once("tools/call", result(&wants))
        .once("tools/call", result(&wants))
        .once("tools/call", result(&done))
        .once("tools/call", result(&wants))
        .on("tools/call", result(&done));
    let server = serve(script).await;
    let id = host.add_server(http("s", &server.url)).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    let answers = || {
        let calls = server.requests().into_iter().filter(|request| request.rpc_method == "tools/call");
        calls.map(|call| call.json()["params"]["inputResponses"]["key"].clone()).collect::<Vec<_>>()
    };
    let person = async {
        for round in 1..=2 {
            let asked = accept(&host).await;
            assert_eq!(agreed(&host.inbox()), Some(None));
            // Opened only after another yes.
            until_visits(address, round).await;
            assert_eq!(answers().len(), round, "nothing is sent before the person was there");
            // The browser was closed too early, so the person opens it again, any number of times.
            if round == 2 {
                let nonce = armed(&host, asked);
                host.retry_interaction(asked, &nonce).unwrap();
                until_visits(address, round + 1).await;
                assert_eq!(agreed(&host.inbox()), Some(None));
            }
            answer_first(&host, yes(None)).await;
        }
    };
    tokio::join!(host.call_tool(id, call("x", &json!({})), ignore_events()), person).0.unwrap();
    let accepted = json!({ "action": "accept" });
    assert_eq!(answers(), [Value::Null, accepted.clone(), accepted]);
    let person = async {
        accept(&host).await;
        answer_first(&host, no()).await;
    };
    tokio::join!(host.call_tool(id, call("x", &json!({})), ignore_events()), person).0.unwrap();
    assert_eq!(answers().last().unwrap(), &json!({ "action": "cancel" }));
    assert!(host.inbox().waiting.is_empty());
    host.shutdown().await;
    // Each round is covered by the verdict of its call.
    assert_eq!(answers().len(), 5);
    let store = mooring_store::Store::open(home.path()).await.unwrap();
    assert_eq!(store.log().calls_without_verdict(0..i64::MAX).await.unwrap(), Vec::<i64>::new());
    store.close().await;
}

// Requirements: INFO-10, SEC-17.
#[tokio::test]
async fn link_in_a_text_is_opened_by_the_rules_of_questions() {
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    for refused in [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "http://example.com/plain",
        "mailto:someone@example.com",
        "data:text/html,x",
        "https://exa\u{202e}mple.com/",
        "",
        "docs/readme.md",
    ] {
        let error = host.open_link(refused).await.unwrap_err();
        assert_eq!(error.code().as_str(), "link", "{refused}: {error}");
        assert_eq!(visits(refused), 0);
    }
    let address = "https://example.com/a-link-in-a-text?b=c#d";
    host.open_link(address).await.unwrap();
    assert_eq!(visits(address), 1);
}
