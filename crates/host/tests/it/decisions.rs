//! Saved decisions, and their entries in the log.

use mooring_host::{DecisionEvents, Host};
use mooring_log::{Direction, LogKind};
use mooring_policy::Decision;
use mooring_store::{DecisionQuery, InteractionOutcome};
use serde_json::{Value, json};

use crate::asker::{answer_first, asks, attended, form, no, tool, yes};
use crate::consent::rule;
use crate::support::{call, ignore_events};

async fn events(host: &Host, id: i64) -> DecisionEvents {
    host.flush_log().await;
    host.decision_events(id).await.unwrap()
}

#[tokio::test]
async fn decision_leads_to_what_was_asked_and_what_was_sent() {
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    let id = asks(&host, "s").await;
    let name = json!({ "name": { "type": "string" } });
    // A similar question that was declined before is not mistaken for it.
    let (_, declined) = tokio::join!(form(&host, id, &name), answer_first(&host, no()));
    let entered = json!({ "name": "Ada" });
    let (_, accepted) = tokio::join!(form(&host, id, &name), answer_first(&host, yes(Some(&entered))));
    for (decision, action) in [(declined, "decline"), (accepted, "accept")] {
        let found = events(&host, decision).await;
        let (asked, sent) = (found.asked.unwrap(), found.sent.unwrap());
        assert_eq!(asked.row.method.as_deref(), Some("elicitation/create"));
        assert_eq!((asked.row.direction, sent.row.direction), (Direction::In, Direction::Out));
        assert_eq!(asked.row.rpc_id, sent.row.rpc_id);
        let body: Value = serde_json::from_str(&sent.text()).unwrap();
        assert_eq!(body["result"]["action"], action);
    }
    host.shutdown().await;
}

#[tokio::test]
async fn allowed_call_is_what_was_sent_a_declined_one_sends_nothing() {
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    let id = asks(&host, "s").await;
    host.save_rule(None, rule(Decision::Ask, "held")).await.unwrap();
    let none = json!({});
    let (outcome, accepted) = tokio::join!(tool(&host, id, "held", &none), answer_first(&host, yes(None)));
    assert_eq!(outcome, json!(0));
    let (refused, declined) =
        tokio::join!(host.call_tool(id, call("held", &none), ignore_events()), answer_first(&host, no()));
    refused.unwrap_err();
    let found = events(&host, accepted).await;
    assert_eq!(found.asked.unwrap().row.kind, LogKind::Verdict);
    let sent = found.sent.unwrap().row;
    assert_eq!((sent.method.as_deref(), sent.subject.as_deref()), (Some("tools/call"), Some("held")));
    let found = events(&host, declined).await;
    assert_eq!((found.asked.unwrap().row.kind, found.sent), (LogKind::Verdict, None));
    let find = async |outcome| {
        let kind = Some("tool".to_owned());
        let query =
            DecisionQuery { limit: 9, kind, outcome, server_id: Some(id.0), ..DecisionQuery::default() };
        let found = host.find_decisions(&query).await.unwrap();
        found.into_iter().map(|decision| decision.id).collect::<Vec<_>>()
    };
    assert_eq!(find(None).await, [declined, accepted]);
    assert_eq!(find(Some(InteractionOutcome::Accepted)).await, [accepted]);
    host.shutdown().await;
}
