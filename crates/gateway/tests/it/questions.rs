//! What servers ask during calls of apps.

use mooring_host::{InteractionAnswer, InteractionQuestion, LogQuery, Remember};
use serde_json::{Value, json};

use crate::support::{App, Scene, answer};

fn form() -> Value {
    json!({
        "message": "Who are you?",
        "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}, "password": {"type": "string"}}},
    })
}

/// Has the server ask `method`, and gives the request that comes to the app.
async fn asked(app: &mut App, id: u32, method: &str, params: &Value) -> Value {
    app.call(id, "ask", json!({"method": method, "params": params})).await;
    app.notification(method).await
}

/// The server tells with its result what it was answered.
fn told(called: &Value) -> Value {
    let text = called["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{called}"));
    serde_json::from_str(text).unwrap()
}

#[tokio::test]
async fn an_app_answers_what_its_own_call_leads_to() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let all = json!({"elicitation": {}, "sampling": {}, "roots": {}});
    let mut app = scene.initialized_with("Editor", Some("s"), all).await;
    let entered =
        json!({"action": "accept", "content": {"name": "Ada", "password": "correct horse battery"}});
    let request = asked(&mut app, 1, "elicitation/create", &form()).await;
    assert_eq!(request["params"], form());
    app.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": entered})).await;
    assert_eq!(told(&app.answer(1).await)["result"], entered);
    // Folders are the person's to share: a server is one for all apps.
    app.call(2, "ask", json!({"method": "roots/list", "params": {}})).await;
    assert_eq!(told(&app.answer(2).await)["result"]["roots"], json!([]));
    // An error of the app reaches the server as one.
    let request = asked(&mut app, 3, "elicitation/create", &form()).await;
    let error = json!({"code": -1, "message": "the person is away"});
    app.send(&json!({"jsonrpc": "2.0", "id": request["id"], "error": error})).await;
    assert_eq!(told(&app.answer(3).await)["error"]["message"], "the person is away");
    assert!(scene.host.inbox().waiting.is_empty());

    // What was typed at the app is not in the log.
    let bodies = scene.log_bodies(&LogQuery { limit: 1_000, ..LogQuery::default() }).await.join("\n");
    assert!(bodies.contains("Ada") && !bodies.contains("battery"), "{bodies}");
    scene.close().await;
}

#[tokio::test]
async fn what_an_app_cannot_answer_goes_to_the_inbox() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let mut app = scene.initialized("Editor", Some("s")).await;
    app.call(1, "ask", json!({"method": "elicitation/create", "params": form()})).await;
    let content = json!({"name": "Grace"}).to_string();
    let yes = InteractionAnswer::Accept { content: Some(content), remember: Remember::Once };
    let question = answer(&scene.host, yes).await;
    assert!(matches!(question, InteractionQuestion::Form { .. }), "{question:?}");
    assert_eq!(told(&app.answer(1).await)["result"]["content"]["name"], "Grace");
    scene.close().await;
}

#[tokio::test]
async fn where_two_apps_call_the_person_is_asked() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let forms = json!({"elicitation": {}});
    let mut one = scene.initialized_with("One", Some("s"), forms.clone()).await;
    let mut other = scene.initialized_with("Other", Some("s"), forms).await;
    one.call(1, "never", json!({})).await;
    // Its call runs when its next request is answered: they are passed on in their order.
    assert!(one.tools().await.contains(&"never".to_owned()));
    other.call(1, "ask", json!({"method": "elicitation/create", "params": form()})).await;
    answer(&scene.host, InteractionAnswer::Decline { remember: Remember::Once }).await;
    assert_eq!(told(&other.answer(1).await)["result"]["action"], "decline");
    scene.close().await;
}

#[tokio::test]
async fn a_question_ends_with_the_call_that_it_came_of() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let mut app = scene.initialized_with("Editor", Some("s"), json!({"elicitation": {}})).await;
    let request = asked(&mut app, 1, "elicitation/create", &form()).await;
    app.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}))
        .await;
    let cancelled = app.notification("notifications/cancelled").await;
    assert_eq!(cancelled["params"]["requestId"], request["id"]);
    // Its late answer, and one to nothing, change nothing.
    for id in [request["id"].clone(), json!("mooring:1:1")] {
        app.send(&json!({"jsonrpc": "2.0", "id": id, "result": {"action": "accept"}})).await;
    }
    assert_eq!(app.request(2, "ping", json!({})).await["result"], json!({}));
    scene.close().await;
}
