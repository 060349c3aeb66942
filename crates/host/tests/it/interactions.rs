//! Questions of servers to the person, from the request to the answer.

use std::time::Duration;

use mooring_base::server_id::ServerId;
use mooring_definitions::Transport;
use mooring_errors::HostError;
use mooring_host::Host;
use mooring_inbox::{InteractionAnswer, InteractionQuestion};
use mooring_server_state::StateName;
use mooring_store::InteractionOutcome;
use serde_json::{Value, json};

use crate::asker::{
    answer_first, armed, asks, attended, first, form, no, tool, until_inbox, until_visits, visits, yes,
};
use crate::clock::advance;
use crate::support::{call, ignore_events, until_state};

fn code<T: std::fmt::Debug>(result: Result<T, HostError>) -> &'static str {
    result.unwrap_err().code().as_str()
}

async fn outcomes(host: &Host) -> Vec<InteractionOutcome> {
    host.decisions(100).await.unwrap().into_iter().map(|decision| decision.outcome).collect()
}

/// Waits until the last question has this outcome. Withdrawing a question does not wait for the disk.
async fn until_outcome(host: &Host, outcome: InteractionOutcome) {
    let wait = async {
        while outcomes(host).await.first() != Some(&outcome) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(crate::support::LIMIT, wait).await.unwrap();
}

// Requirements: ELIC-03, ELIC-04, ELIC-06, ELIC-08, ELIC-09, ELIC-16, SEC-01, SEC-26.
#[tokio::test]
async fn form_shows_its_requester_and_its_checked_answer_is_sent() {
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    let id = asks(&host, "depot").await;
    let fields = json!({ "name": { "type": "string", "minLength": 2 }, "age": { "type": "integer" } });
    let person = async {
        let waiting = first(&host).await;
        assert_eq!((waiting.server, waiting.server_name.as_str()), (id, "depot"));
        assert_eq!((waiting.transport, waiting.place.as_str()), (Transport::Stdio, "python3"));
        until_state(&host, id, StateName::WaitingForYou).await;
        let InteractionQuestion::Form { message, form } = &waiting.question else { panic!("{waiting:?}") };
        assert_eq!((message.as_str(), form.fields.len()), ("Who?", 2));
        assert_eq!(code(host.answer_interaction(waiting.id, "", yes(None)).await), "wrong_nonce");
        let nonce = host.open_interaction(waiting.id).unwrap().nonce;
        let content = json!({ "name": "Ada", "age": 36 });
        assert_eq!(code(host.answer_interaction(waiting.id, &nonce, yes(Some(&content))).await), "too_early");
        assert_eq!(armed(&host, waiting.id), nonce, "looking again changes nothing");
        let forged = "0".repeat(nonce.len());
        assert_eq!(code(host.answer_interaction(waiting.id, &forged, no()).await), "wrong_nonce");
        let wrong = json!({ "name": "A", "age": 1.5, "more": 1 });
        let checked = host.check_form(waiting.id, &wrong.to_string()).unwrap();
        let checked: Vec<_> = checked.iter().map(|mistake| mistake.field.as_str()).collect();
        assert_eq!(checked, ["name", "age", "more"]);
        let refused = host.answer_interaction(waiting.id, &nonce, yes(Some(&wrong))).await.unwrap_err();
        assert_eq!(refused.code().as_str(), "invalid_answer");
        assert_eq!(refused.details().unwrap()["mistakes"][2]["field"], "more");
        for broken in ["[]", "7", "{"] {
            let broken = InteractionAnswer::Accept {
                content: Some(broken.to_owned()),
                remember: mooring_inbox::Remember::Once,
            };
            assert_eq!(code(host.answer_interaction(waiting.id, &nonce, broken).await), "invalid_answer");
        }
        let decided = host.answer_interaction(waiting.id, &nonce, yes(Some(&content))).await.unwrap();
        assert_eq!((decided.id, decided.outcome), (waiting.id, InteractionOutcome::Accepted));
        assert_eq!(
            code(host.answer_interaction(waiting.id, &nonce, yes(Some(&content))).await),
            "not_waiting"
        );
        assert_eq!(code(host.open_interaction(waiting.id)), "not_waiting");
    };
    let (answer, ()) = tokio::join!(form(&host, id, &fields), person);
    assert_eq!(answer, json!({ "action": "accept", "content": { "name": "Ada", "age": 36 } }));
    until_state(&host, id, StateName::Ready).await;
    assert!(host.inbox().waiting.is_empty());
    let capabilities = tool(&host, id, "capabilities", &json!({})).await;
    assert_eq!(capabilities["elicitation"], json!({ "form": {}, "url": {} }));
    assert_eq!(capabilities["roots"], json!({ "listChanged": true }));
    assert!(capabilities.get("sampling").is_none());
    host.shutdown().await;
}

// Requirements: ELIC-05, ELIC-08, ELIC-09, ELIC-17.
#[tokio::test]
async fn decline_and_cancel_differ_and_an_unknown_form_is_neither() {
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    let id = asks(&host, "s").await;
    for (answer, action) in [(no(), "decline"), (InteractionAnswer::Cancel, "cancel")] {
        let nothing = json!({});
        let (answer, _) = tokio::join!(form(&host, id, &nothing), answer_first(&host, answer));
        assert_eq!(answer, json!({ "action": action }));
    }
    let refused = form(&host, id, &json!({ "x": { "type": "object" } })).await;
    assert_eq!(refused["code"], -32602);
    assert_eq!(outcomes(&host).await, [InteractionOutcome::Cancelled, InteractionOutcome::Declined]);
    host.shutdown().await;
}

// Requirements: ELIC-10, SEC-26.
#[tokio::test]
async fn question_is_withdrawn_with_its_call_connection_or_host() {
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    let id = asks(&host, "s").await;
    let nothing = json!({});
    // The call is cancelled.
    tokio::select! {
        answer = form(&host, id, &nothing) => panic!("{answer}"),
        _ = first(&host) => {}
    }
    until_inbox(&host, "empty", |inbox| inbox.waiting.is_empty()).await;
    until_outcome(&host, InteractionOutcome::Withdrawn).await;
    // The connection ends.
    let stopping = async {
        first(&host).await;
        host.stop(id).await.unwrap();
        until_inbox(&host, "empty", |inbox| inbox.waiting.is_empty()).await;
    };
    let asked = host.call_tool(id, call("ask", &json!({ "method": "elicitation/create" })), ignore_events());
    let (_lost, ()) = tokio::join!(asked, stopping);
    until_outcome(&host, InteractionOutcome::Withdrawn).await;
    host.start(id).await.unwrap();
    until_state(&host, id, StateName::Ready).await;
    // The run ends.
    let ending = async {
        first(&host).await;
        host.shutdown().await;
    };
    let asked = host.call_tool(id, call("ask", &json!({ "method": "elicitation/create" })), ignore_events());
    let (_lost, ()) = tokio::join!(asked, ending);
    let host = attended(home.path()).await;
    assert!(host.inbox().waiting.is_empty());
    assert_eq!(outcomes(&host).await[0], InteractionOutcome::Expired);
    host.shutdown().await;
}

/// Makes a server ask this many questions at once, each during its own call.
async fn asks_at_once(host: &Host, id: ServerId, count: usize) -> Vec<Value> {
    let arguments = json!({ "method": "elicitation/create" });
    let calls = (0..count).map(|_| tool(host, id, "ask", &arguments));
    futures_util::future::join_all(calls).await
}

// Requirements: ELIC-19.
#[tokio::test]
async fn one_question_is_shown_three_queue_and_a_fifth_is_cancelled() {
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    let id = asks(&host, "s").await;
    let person = async {
        let inbox =
            until_inbox(&host, "full", |inbox| inbox.waiting.len() == 4 && !inbox.silenced.is_empty()).await;
        let positions: Vec<u32> = inbox.waiting.iter().map(|one| one.position).collect();
        assert_eq!(positions, [0, 1, 2, 3]);
        assert_eq!(code(host.open_interaction(inbox.waiting[1].id)), "not_waiting");
        for _ in 0..4 {
            answer_first(&host, no()).await;
        }
    };
    let (answers, ()) = tokio::join!(asks_at_once(&host, id, 5), person);
    let declined = answers.iter().filter(|answer| answer["action"] == "decline").count();
    let cancelled = answers.iter().filter(|answer| answer["action"] == "cancel").count();
    assert_eq!((declined, cancelled), (4, 1));
    assert_eq!(outcomes(&host).await.len(), 5);
    host.shutdown().await;
}

// Requirements: ELIC-19.
#[tokio::test]
async fn three_dismissals_mute_a_server_across_runs_until_unmuted() {
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    let id = asks(&host, "s").await;
    let nothing = json!({});
    for _ in 0..3 {
        let dismissed = answer_first(&host, InteractionAnswer::Cancel);
        let (answer, _) = tokio::join!(form(&host, id, &nothing), dismissed);
        assert_eq!(answer["action"], "cancel");
    }
    assert_eq!(form(&host, id, &nothing).await["action"], "cancel");
    host.shutdown().await;
    let host = attended(home.path()).await;
    until_state(&host, id, StateName::Ready).await;
    let silenced = host.inbox().silenced.remove(0);
    assert_eq!(silenced.server, id);
    assert!(silenced.until_ms.is_some());
    assert_eq!(form(&host, id, &nothing).await["action"], "cancel");
    host.lift_silence(id).await.unwrap();
    assert!(host.inbox().silenced.is_empty());
    let (answer, _) = tokio::join!(form(&host, id, &nothing), answer_first(&host, no()));
    assert_eq!(answer["action"], "decline");
    host.shutdown().await;
}

fn url(address: &str, elicitation: &str) -> Value {
    json!({ "mode": "url", "url": address, "elicitationId": elicitation, "message": "Go there" })
}

// Requirements: ELIC-09, ELIC-21, ELIC-22, ELIC-24, ELIC-27, ELIC-28, ELIC-33.
#[tokio::test]
async fn url_is_opened_after_approval_and_shown_until_completed() {
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    let id = asks(&host, "s").await;
    let address = "https://login.example.com/a?state=$(calc)&b=%22#c";
    let ask = json!({ "method": "elicitation/create", "params": url(address, "e1") });
    let person = async {
        let waiting = first(&host).await;
        let InteractionQuestion::Url { address: shown, opened: false, .. } = &waiting.question else {
            panic!("{waiting:?}")
        };
        assert_eq!((shown.url.as_str(), shown.domain.as_str()), (address, "example.com"));
        let nonce = host.open_interaction(waiting.id).unwrap().nonce;
        assert_eq!(code(host.answer_interaction(waiting.id, &nonce, yes(None)).await), "too_early");
        assert_eq!(visits(address), 0);
        let nonce = armed(&host, waiting.id);
        host.answer_interaction(waiting.id, &nonce, yes(None)).await.unwrap();
    };
    let (answer, ()) = tokio::join!(tool(&host, id, "ask", &ask), person);
    assert_eq!(answer, json!({ "action": "accept" }));
    assert_eq!(visits(address), 1);
    let opened = |inbox: &mooring_inbox::InboxView| {
        inbox
            .waiting
            .iter()
            .filter(|one| matches!(one.question, InteractionQuestion::Url { opened: true, .. }))
            .count()
    };
    assert_eq!(opened(&host.inbox()), 1);
    tool(&host, id, "complete", &json!({ "elicitationId": "other" })).await;
    assert_eq!(opened(&host.inbox()), 1);
    tool(&host, id, "complete", &json!({ "elicitationId": "e1" })).await;
    until_inbox(&host, "done", |inbox| inbox.waiting.is_empty()).await;
    // If it is never completed, the person can remove it, and it blocks no other question.
    let another = json!({ "method": "elicitation/create", "params": url("https://example.com/2", "e2") });
    tokio::join!(tool(&host, id, "ask", &another), answer_first(&host, yes(None)));
    let nothing = json!({});
    let behind = async {
        let inbox = until_inbox(&host, "two", |inbox| inbox.waiting.len() == 2).await;
        assert!(inbox.waiting.iter().all(|one| one.position == 0));
        let form = inbox.waiting.iter().find(|one| matches!(one.question, InteractionQuestion::Form { .. }));
        let form = form.unwrap().id;
        let nonce = host.open_interaction(form).unwrap().nonce;
        host.answer_interaction(form, &nonce, no()).await.unwrap();
    };
    tokio::join!(form(&host, id, &nothing), behind);
    answer_first(&host, InteractionAnswer::Cancel).await;
    assert!(host.inbox().waiting.is_empty());
    until_visits("https://example.com/2", 1).await;
    host.shutdown().await;
}

// Requirements: ELIC-22, ELIC-30, SEC-15.
#[tokio::test]
async fn call_requiring_a_url_first_is_retried_when_confirmed() {
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    let address = "https://example.com/required";
    let person = async |done: bool, id: ServerId| {
        answer_first(&host, yes(None)).await;
        if done {
            until_visits(address, 1).await;
            let waiting = first(&host).await;
            assert!(matches!(waiting.question, InteractionQuestion::Url { opened: true, .. }));
            answer_first(&host, yes(None)).await;
        } else {
            tool(&host, id, "complete", &json!({ "elicitationId": "r" })).await;
        }
    };
    for (number, done) in [true, false].into_iter().enumerate() {
        let id = asks(&host, &format!("s{number}")).await;
        let required = url(address, "r");
        let (answer, ()) = tokio::join!(tool(&host, id, "required", &required), person(done, id));
        assert_eq!(answer, "visited");
        until_visits(address, number + 1).await;
        until_inbox(&host, "empty", |inbox| inbox.waiting.is_empty()).await;
    }
    assert_eq!(outcomes(&host).await, [InteractionOutcome::Accepted; 2]);
    let id = asks(&host, "s2").await;
    let blocked = json!({ "method": "elicitation/create", "params": url("javascript:alert(1)", "j") });
    let refusing = async {
        let waiting = first(&host).await;
        let nonce = armed(&host, waiting.id);
        assert_eq!(code(host.answer_interaction(waiting.id, &nonce, yes(None)).await), "invalid_answer");
        host.answer_interaction(waiting.id, &nonce, no()).await.unwrap();
    };
    let (answer, ()) = tokio::join!(tool(&host, id, "ask", &blocked), refusing);
    assert_eq!(answer, json!({ "action": "decline" }));
    assert_eq!(visits("javascript:alert(1)"), 0);
    host.shutdown().await;
    // The repeated request was covered by the verdict of its call.
    let store = mooring_store::Store::open(home.path()).await.unwrap();
    assert_eq!(store.log().calls_without_verdict(0..i64::MAX).await.unwrap(), Vec::<i64>::new());
    store.close().await;
}

// Requirements: ELIC-20, SEC-21.
#[tokio::test]
async fn draft_is_saved_without_secrets_and_no_input_is_on_disk() {
    const CANARY: &str = "canary-7f3a91c4e2";
    // Too short to be redacted everywhere.
    const SHORT: &str = "Zq7~X";
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    let id = asks(&host, "s").await;
    let fields = json!({
        "password": { "type": "string" },
        "otp": { "type": "string", "title": "Einmalkennwort" },
        "pin": { "type": "string" },
        "cvc": { "type": "integer" },
        "name": { "type": "string" },
    });
    let entered = json!({ "password": CANARY, "otp": format!("{CANARY}-2"), "pin": SHORT, "cvc": 90_417, "name": "Ada" });
    let person = async {
        let waiting = first(&host).await;
        host.save_draft(waiting.id, &entered.to_string()).unwrap();
        assert_eq!(first(&host).await.draft.as_deref(), Some(r#"{"name":"Ada"}"#));
        assert_eq!(code(host.save_draft(waiting.id, "7")), "invalid_answer");
        let nonce = armed(&host, waiting.id);
        host.answer_interaction(waiting.id, &nonce, yes(Some(&entered))).await.unwrap();
    };
    let (answer, ()) = tokio::join!(form(&host, id, &fields), person);
    assert_eq!(answer["content"], entered);
    host.flush_log().await;
    host.shutdown().await;
    let mut files = 0;
    for file in std::fs::read_dir(home.path()).unwrap() {
        let path = file.unwrap().path();
        if let Ok(bytes) = std::fs::read(&path) {
            files += 1;
            for canary in [CANARY, SHORT, "90417"] {
                let found = bytes.windows(canary.len()).any(|window| window == canary.as_bytes());
                assert!(!found, "{canary} in {}", path.display());
            }
        }
    }
    assert!(files > 0);
}

// Requirements: ELIC-22, SEC-26.
#[tokio::test]
async fn answers_within_the_first_second_never_accept() {
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    let id = asks(&host, "s").await;
    let nothing = json!({});
    let person = async {
        let waiting = first(&host).await;
        let nonce = host.open_interaction(waiting.id).unwrap().nonce;
        for left in (1..=1_000).rev() {
            assert_eq!(code(host.answer_interaction(waiting.id, &nonce, yes(None)).await), "too_early");
            let opening = host.open_interaction(waiting.id).unwrap();
            assert_eq!(opening.armed_in, Duration::from_millis(left));
            advance(Duration::from_millis(1));
        }
        host.answer_interaction(waiting.id, &nonce, yes(None)).await.unwrap();
    };
    let (answer, ()) = tokio::join!(form(&host, id, &nothing), person);
    assert_eq!(answer, json!({ "action": "accept", "content": {} }));
    host.shutdown().await;
}
