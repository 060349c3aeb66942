//! Forms, from the server's request to the answer that it receives.

use mooring_answers::{FormAnswers, PresetAnswers, ScriptedAnswers};
use mooring_calls::CallStatus;
use mooring_connections::{ConnectOptions, Target};
use mooring_inbox::{InteractionAnswer, Remember};
use mooring_log::LogQuery;
use mooring_server_state::StateName;
use mooring_testkit::http::{HttpReply, HttpScript, HttpServer, serve};
use serde_json::{Value, json};

use crate::asker::{answer_first, armed, attended, first};
use crate::support::{call, http, ignore_events, open, until_state};

fn result(result: &Value) -> HttpReply {
    HttpReply::json_text(&format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{result}}}"#))
}

/// A server of the stateless era whose tool first asks for a form with these fields.
async fn asking(schema: &Value) -> HttpServer {
    let discovered = json!({
        "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} },
        "ttlMs": 0, "cacheScope": "private",
    });
    let params = json!({ "message": "?", "requestedSchema": schema });
    let requests = json!({ "form": { "method": "elicitation/create", "params": params } });
    let script = HttpScript::json()
        .without_session()
        .on("server/discover", result(&discovered))
        .once("tools/call", result(&json!({ "resultType": "input_required", "inputRequests": requests })))
        .on("tools/call", result(&json!({ "resultType": "complete", "content": [] })));
    serve(script).await
}

/// The request in which the form was answered.
fn answered(server: &HttpServer) -> String {
    let mut calls = server.requests().into_iter().rev();
    let last = calls.find(|request| request.rpc_method == "tools/call").unwrap().body;
    let (_, answer) = last.split_once(r#""inputResponses":{"form":"#).unwrap_or_else(|| panic!("{last}"));
    answer.split_once('}').unwrap().0.to_owned()
}

const WRITTEN: &str = r#"{"n":100000000000000000000,"price":4.20,"pin":4821.50}"#;

fn numbers() -> Value {
    json!({ "properties": {
        "n": { "type": "integer" }, "price": { "type": "number", "multipleOf": 0.1 }, "pin": { "type": "number" },
    } })
}

// Requirements: ELIC-06, ELIC-16, ELIC-20, SEC-21.
#[tokio::test]
async fn form_values_arrive_exactly_and_secrets_are_never_logged() {
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    let server = asking(&numbers()).await;
    let id = host.add_server(http("s", &server.url)).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    let person = async {
        let question = first(&host).await;
        let nonce = armed(&host, question.id);
        let accept = |content: &str| InteractionAnswer::Accept {
            content: Some(content.to_owned()),
            remember: Remember::Once,
        };
        for wrong in [r#"{"n":1,"n":2}"#, r#"{"n":12345678901234567890.10}"#, r#"{"price":4.25}"#] {
            let refused = host.answer_interaction(question.id, &nonce, accept(wrong)).await.unwrap_err();
            assert_eq!(refused.code().as_str(), "invalid_answer", "{wrong}");
        }
        host.answer_interaction(question.id, &nonce, accept(WRITTEN)).await.unwrap();
    };
    let (outcome, ()) = tokio::join!(host.call_tool(id, call("x", &json!({})), ignore_events()), person);
    assert_eq!(outcome.unwrap().status, CallStatus::Ok);
    assert_eq!(
        answered(&server),
        format!(r#"{{"action":"accept","content":{}"#, WRITTEN.trim_end_matches('}'))
    );
    host.flush_log().await;
    let logged = async |text: &str| {
        let query = LogQuery { text: Some(text.to_owned()), ..LogQuery::default() };
        host.log_count(&query).await.unwrap()
    };
    assert!(logged("100000000000000000000").await > 0);
    assert_eq!(logged("4821.5").await, 0);
    host.shutdown().await;
}

// Requirements: ELIC-16.
#[tokio::test]
async fn prefilled_answers_reach_the_server_exactly() {
    for given in [WRITTEN.to_owned(), format!(r#"[{{"action":"accept","content":{WRITTEN}}}]"#)] {
        let home = tempfile::tempdir().unwrap();
        let host = open(home.path(), false).await;
        let server = asking(&numbers()).await;
        let forms = Some(FormAnswers::Scripted(ScriptedAnswers::read(&given).unwrap()));
        host.set_preset_answers(PresetAnswers { forms, ..PresetAnswers::default() });
        let target = Target::Url { url: server.url.clone(), headers: std::collections::BTreeMap::new() };
        let connection = host.connect(target, ConnectOptions::default()).await.unwrap();
        connection.call_tool(call("x", &json!({})), ignore_events()).await.unwrap();
        let expected = format!(r#"{{"action":"accept","content":{}"#, WRITTEN.trim_end_matches('}'));
        assert_eq!(answered(&server), expected, "{given}");
        connection.close().await;
        host.shutdown().await;
    }
    for bad in
        [r#"{"n":1,"n":2}"#, r#"[{"action":"accept","content":{"n":1,"n":2}}]"#, r#"[{"action":"yes"}]"#]
    {
        assert!(ScriptedAnswers::read(bad).is_err(), "{bad}");
    }
}

// Requirements: ELIC-17.
#[tokio::test]
async fn unsupported_form_and_omitted_parts_are_shown_at_the_server() {
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    let nested = json!({ "properties": { "f": { "type": "object" } } });
    let more = json!({ "properties": { "f": { "type": "string", "pattern": "(?=x)" } } });
    for (name, schema, told) in [
        ("nested", nested, "requestedSchema.properties.f: is an object inside the form"),
        ("more", more, "requestedSchema.properties.f.pattern: can’t be checked here"),
    ] {
        let server = asking(&schema).await;
        let id = host.add_server(http(name, &server.url)).await.unwrap().id;
        until_state(&host, id, StateName::Ready).await;
        let calling = host.call_tool(id, call("x", &json!({})), ignore_events());
        if name == "nested" {
            calling.await.unwrap();
            assert_eq!(answered(&server), r#"{"action":"cancel""#);
        } else {
            let (outcome, _) = tokio::join!(calling, answer_first(&host, crate::asker::no()));
            outcome.unwrap();
        }
        let odd = host.server(id).unwrap().connection.peer.unwrap().diagnostics;
        let odd: Vec<String> = odd.iter().map(ToString::to_string).collect();
        assert!(odd.iter().any(|odd| odd.starts_with("elicitation/create") && odd.contains(told)), "{odd:?}");
    }
    host.shutdown().await;
}
