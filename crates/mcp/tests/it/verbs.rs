//! Resources, prompts and completion: requests and their results.

use mooring_mcp::{CallOptions, CompletionRef, Era, EraChoice};
use mooring_testkit::http::{HttpReply, HttpScript, serve};
use serde_json::json;

use crate::era::choosing;
use crate::support::{connect, connect_with, discovered, endpoint, opening, options, raw, result};

fn everything() -> HttpReply {
    opening("2025-11-25", &json!({"resources": {"subscribe": true}, "prompts": {}, "completions": {}}))
}

// Requirements: RES-01, PROM-01, PROM-06, PAGE-01, PAGE-02.
#[tokio::test]
async fn resources_templates_and_prompts_are_listed_over_all_pages() {
    let script = HttpScript::json()
        .without_session()
        .on("initialize", everything())
        .once(
            "resources/list",
            result(&json!({"resources": [{"uri": "a:1", "name": "one"}], "nextCursor": "2"})),
        )
        .once("resources/list", result(&json!({"resources": [{"uri": "a:2", "name": "two"}, 7]})))
        .on(
            "resources/templates/list",
            result(&json!({"resourceTemplates": [{"uriTemplate": "a:{n}", "name": "n"}]})),
        )
        .on(
            "prompts/list",
            result(&json!({"prompts": [{"name": "p", "arguments": [{"name": "x", "required": true}]}]})),
        );
    let server = serve(script).await;
    let (client, _) = connect(endpoint(&server.url)).await;
    let resources = client.list_resources().await.unwrap();
    assert_eq!(resources.items.iter().map(|one| one.uri.as_str()).collect::<Vec<_>>(), ["a:1", "a:2"]);
    assert_eq!(resources.diagnostics.len(), 1);
    assert_eq!(client.list_templates().await.unwrap().items[0].uri_template, "a:{n}");
    let prompts = client.list_prompts().await.unwrap();
    assert!(prompts.items[0].arguments[0].required);
    let second =
        server.requests().into_iter().rfind(|request| request.rpc_method == "resources/list").unwrap();
    assert_eq!(second.json()["params"], json!({"cursor": "2"}));
}

// Requirements: RES-01, RES-02, PROM-01, COMP-01, COMP-03, SUB-15.
#[tokio::test]
async fn resource_prompt_and_completion_requests_match_the_schema() {
    let script = HttpScript::json()
        .without_session()
        .on("initialize", everything())
        .on("resources/read", result(&json!({"contents": [{"uri": "a:\u{6f22}", "text": "x"}]})))
        .on("prompts/get", result(&json!({"messages": []})))
        .on("completion/complete", result(&json!({"completion": {"values": ["one"]}})))
        .on("resources/subscribe", result(&json!({})))
        .on("resources/unsubscribe", result(&json!({})));
    let server = serve(script).await;
    let (client, memory) = connect(endpoint(&server.url)).await;
    let read = client.read_resource("a:\u{6f22}", CallOptions::default()).await.unwrap();
    assert!(read.raw.get().contains("contents"));
    assert_eq!(
        server.wait_for_message("resources/read").await.json()["params"],
        json!({"uri": "a:\u{6f22}"})
    );
    client.get_prompt("p", Some(&raw(r#"{"x":"1"}"#)), CallOptions::default()).await.unwrap();
    assert_eq!(
        server.wait_for_message("prompts/get").await.json()["params"],
        json!({"name": "p", "arguments": {"x": "1"}})
    );
    client.complete(&CompletionRef::Template("a:{n}"), "n", "o", Some(&raw(r#"{"m":"2"}"#))).await.unwrap();
    let asked = server.wait_for_message("completion/complete").await.json();
    let expected = json!({
        "ref": {"type": "ref/resource", "uri": "a:{n}"},
        "argument": {"name": "n", "value": "o"},
        "context": {"arguments": {"m": "2"}}
    });
    assert_eq!(asked["params"], expected);
    client.subscribe_resource("a:1").await.unwrap();
    client.unsubscribe_resource("a:1").await.unwrap();
    assert_eq!(
        server.wait_for_message("resources/unsubscribe").await.json()["params"],
        json!({"uri": "a:1"})
    );
    let taped = memory.taped.lock().unwrap();
    assert!(taped.iter().any(|event| event.subject.as_deref() == Some("a:\u{6f22}")));
}

// Requirements: COMP-03, LIFE-08.
#[tokio::test]
async fn a_server_from_before_it_is_not_told_the_chosen_arguments() {
    let script = HttpScript::json()
        .without_session()
        .on("initialize", opening("2025-03-26", &json!({"completions": {}})))
        .on("completion/complete", result(&json!({"completion": {"values": []}})));
    let server = serve(script).await;
    let client = connect_with(endpoint(&server.url), options()).await.0.unwrap();
    client.complete(&CompletionRef::Prompt("p"), "n", "", Some(&raw("{}"))).await.unwrap();
    let asked = server.wait_for_message("completion/complete").await.json();
    assert_eq!(asked["params"]["ref"], json!({"type": "ref/prompt", "name": "p"}));
    assert_eq!(asked["params"].get("context"), None);
}

// Requirements: SCH-10.
#[tokio::test]
async fn non_object_output_schema_counts_only_where_allowed() {
    let tool = |name: &str, schema: serde_json::Value| json!({"name": name, "inputSchema": {}, "outputSchema": schema});
    let tools = [
        tool("object", json!({"type": "object"})),
        tool("list", json!({"type": "array"})),
        tool("either", json!({"type": ["object", "null"]})),
        tool("silent", json!({"properties": {}})),
    ];
    let listed = result(&json!({"resultType": "complete", "tools": tools}));
    for (revision, is_modern) in [("2025-06-18", false), ("2025-11-25", false), ("2026-07-28", true)] {
        let script = HttpScript::json().without_session().on("tools/list", listed.clone());
        let script = if is_modern {
            script.on("server/discover", discovered(&json!({"tools": {}})))
        } else {
            script.on("initialize", opening(revision, &json!({"tools": {}})))
        };
        let era = if is_modern { EraChoice::Auto } else { EraChoice::Only(Era::Session) };
        let server = serve(script).await;
        let client = connect_with(endpoint(&server.url), choosing(era)).await.0.unwrap();
        let listing = client.list_tools().await.unwrap();
        let kept: Vec<&str> = listing
            .items
            .iter()
            .filter(|tool| tool.output_schema.is_some())
            .map(|tool| tool.name.as_str())
            .collect();
        let expected =
            if is_modern { vec!["object", "list", "either", "silent"] } else { vec!["object", "silent"] };
        assert_eq!(kept, expected, "{revision}");
        // The tool is kept, with a diagnostic.
        assert_eq!(listing.items.len(), 4);
        assert_eq!(listing.items[1].diagnostics.len(), usize::from(!is_modern));
    }
}
