//! Questions of servers during calls of apps.

use mooring_base::server_id::ServerId;
use mooring_inbox::{InteractionAnswer, InteractionQuestion, Remember};
use mooring_log::LogQuery;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::support::{App, LIMIT, Scene, answer};

fn form() -> Value {
    json!({
        "message": "Who are you?",
        "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}, "password": {"type": "string"}}},
    })
}

/// Makes the server send a request, and returns the one that the app receives.
async fn make_server_ask(app: &mut App, id: u32, method: &str, params: &Value) -> Value {
    app.call(id, "ask", json!({"method": method, "params": params})).await;
    app.notification(method).await
}

/// What the server was answered, which it returns as the result of the call.
fn reply(called: &Value) -> Value {
    let text = called["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{called}"));
    serde_json::from_str(text).unwrap_or_else(|_| panic!("{called}"))
}

#[tokio::test]
async fn an_app_answers_what_its_own_call_leads_to() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let all = json!({"elicitation": {}, "sampling": {}, "roots": {}});
    let mut app = scene.initialized_with("Editor", Some("s"), all).await;
    let entered =
        json!({"action": "accept", "content": {"name": "Ada", "password": "correct horse battery"}});
    let request = make_server_ask(&mut app, 1, "elicitation/create", &form()).await;
    assert_eq!(request["params"], form());
    app.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": entered})).await;
    assert_eq!(reply(&app.answer(1).await)["result"], entered);
    // The user grants the roots of a server that all apps share.
    app.call(2, "ask", json!({"method": "roots/list", "params": {}})).await;
    assert_eq!(reply(&app.answer(2).await)["result"]["roots"], json!([]));
    // An error of the app reaches the server as an error.
    let request = make_server_ask(&mut app, 3, "elicitation/create", &form()).await;
    let error = json!({"code": -1, "message": "the person is away"});
    app.send(&json!({"jsonrpc": "2.0", "id": request["id"], "error": error})).await;
    assert_eq!(reply(&app.answer(3).await)["error"]["message"], "the person is away");
    assert!(scene.host.inbox().waiting.is_empty());

    // Secrets that were entered at the app aren't in the log.
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
    assert_eq!(reply(&app.answer(1).await)["result"]["content"]["name"], "Grace");
    scene.close().await;
}

#[tokio::test]
async fn where_two_apps_call_the_person_is_asked() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let forms = json!({"elicitation": {}});
    let mut one = scene.initialized_with("One", Some("s"), forms.clone()).await;
    let mut other = scene.initialized_with("Other", Some("s"), forms).await;
    one.call(1, "never", json!({})).await;
    // The call is running when a later request is answered, because the order is kept.
    assert!(one.tools().await.contains(&"never".to_owned()));
    other.call(1, "ask", json!({"method": "elicitation/create", "params": form()})).await;
    answer(&scene.host, InteractionAnswer::Decline { remember: Remember::Once }).await;
    assert_eq!(reply(&other.answer(1).await)["result"]["action"], "decline");
    scene.close().await;
}

#[tokio::test]
async fn a_question_ends_with_the_call_that_it_came_of() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let mut app = scene.initialized_with("Editor", Some("s"), json!({"elicitation": {}})).await;
    let request = make_server_ask(&mut app, 1, "elicitation/create", &form()).await;
    app.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}))
        .await;
    let cancelled = app.notification("notifications/cancelled").await;
    assert_eq!(cancelled["params"]["requestId"], request["id"]);
    // A late answer has no effect, and neither has one to an unknown question.
    for id in [request["id"].clone(), json!("mooring:1:1")] {
        app.send(&json!({"jsonrpc": "2.0", "id": id, "result": {"action": "accept"}})).await;
    }
    assert_eq!(app.request(2, "ping", json!({})).await["result"], json!({}));
    scene.close().await;
}

/// A scene whose server is known to ask apps.
async fn scene_that_asks() -> (Scene, ServerId) {
    let (mut scene, id) = Scene::with_open_server("s").await;
    let mut first = scene.initialized_with("First", Some("s"), json!({"elicitation": {}})).await;
    let request = make_server_ask(&mut first, 1, "elicitation/create", &form()).await;
    first.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": {"action": "decline"}})).await;
    assert_eq!(reply(&first.answer(1).await)["result"]["action"], "decline");
    let mut events = scene.host.events();
    let noted = async {
        while !scene.host.server(id).unwrap().asks_apps {
            let _lagged = events.recv().await;
        }
    };
    timeout(LIMIT, noted).await.expect("that it asks was not noted");
    (scene, id)
}

/// If no one chose an instance per app, further apps share one when there are as many as allowed.
#[tokio::test(flavor = "multi_thread")]
async fn more_apps_than_instances_share_unless_chosen_otherwise() {
    let (mut scene, id) = scene_that_asks().await;
    let mut apps = Vec::new();
    for number in 0..10 {
        let mut app = scene.initialized(&format!("n{number}"), Some("s")).await;
        app.call(1, "echo", json!({"text": "fair wind"})).await;
        let answer = app.answer(1).await.to_string();
        assert!(answer.contains("fair wind"), "{number}: {answer}");
        apps.push(app);
    }
    assert_eq!(scene.host.server(id).unwrap().instances.len(), 8);
    scene.close().await;
}

/// Once a server has asked during a call, each app has its own instance, so it is clear whom a question is
/// for.
#[tokio::test(flavor = "multi_thread")]
async fn forms_of_two_apps_at_once_reach_each_its_own() {
    let (mut scene, id) = scene_that_asks().await;
    let forms = json!({"elicitation": {}});
    let one = scene.initialized_with("One", Some("s"), forms.clone()).await;
    let other = scene.initialized_with("Other", Some("s"), forms).await;
    let mut answering = tokio::task::JoinSet::new();
    for (mut app, name) in [(one, "One"), (other, "Other")] {
        answering.spawn(async move {
            for id in 1..=8 {
                app.call(id, "ask", json!({"method": "elicitation/create", "params": form()})).await;
            }
            let mut answered = 0;
            while answered < 8 {
                let message = app.receive().await;
                if message["method"] == "elicitation/create" {
                    let result = json!({"action": "accept", "content": {"name": name}});
                    app.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result})).await;
                } else if message["id"].is_number() {
                    assert_eq!(reply(&message)["result"]["content"]["name"], name, "{message}");
                    answered += 1;
                }
            }
        });
    }
    timeout(LIMIT, answering.join_all()).await.expect("not all forms came");
    assert!(scene.host.inbox().waiting.is_empty());
    let instances = scene.host.server(id).unwrap().instances;
    // The first app uses the shared process.
    assert!(matches!(&instances[..], [one] if one.app.is_some()), "{instances:?}");
    scene.close().await;
}

/// An app that sees several servers receives the name of the server that asks. A URL that Mooring wouldn't
/// open, or that is misleading, reaches no app.
#[tokio::test]
async fn an_app_is_told_which_server_asks_and_gets_no_bad_address() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let all = json!({"elicitation": {"form": {}, "url": {}}});
    let mut app = scene.initialized_with("Editor", None, all).await;
    let ask = async |app: &mut App, id: u32, params: &Value| {
        app.call(id, "s__ask", json!({"method": "elicitation/create", "params": params})).await;
    };
    ask(&mut app, 1, &form()).await;
    let request = app.notification("elicitation/create").await;
    assert_eq!(request["params"]["message"], "“s” asks: Who are you?");
    assert_eq!(request["params"]["requestedSchema"], form()["requestedSchema"]);
    let decline = json!({"action": "decline"});
    app.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": decline})).await;
    assert_eq!(reply(&app.answer(1).await)["result"], decline);

    let page = |url: &str| json!({"mode": "url", "message": "Sign in", "url": url, "elicitationId": "e"});
    ask(&mut app, 2, &page("https://harbour.example/pay")).await;
    let request = app.notification("elicitation/create").await;
    assert_eq!(request["params"]["message"], "“s” asks: Sign in");
    assert_eq!(request["params"]["url"], "https://harbour.example/pay");
    app.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": decline})).await;
    app.answer(2).await;
    for (id, bad) in ["javascript:alert(1)", "https://bank.example@evil.example/"].into_iter().enumerate() {
        let id = 10 + u32::try_from(id).unwrap();
        ask(&mut app, id, &page(bad)).await;
        let shown = answer(&scene.host, InteractionAnswer::Decline { remember: Remember::Once }).await;
        assert!(matches!(shown, InteractionQuestion::Url { .. }), "{bad}: {shown:?}");
        let answered = app.receive().await;
        assert_eq!(
            (&answered["id"], &reply(&answered)["result"]),
            (&json!(id), &decline),
            "{bad}: {answered}"
        );
    }
    scene.close().await;
}

/// If no one can be asked, the server gets an error and not an answer of the user.
#[tokio::test]
async fn what_nobody_can_answer_is_refused_in_words() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    scene.reopen_without_a_person().await;
    let mut app = scene.initialized("Editor", Some("s")).await;
    app.call(1, "ask", json!({"method": "elicitation/create", "params": form()})).await;
    let refused = reply(&app.answer(1).await);
    let why = refused["error"]["message"].as_str().unwrap_or_else(|| panic!("{refused}"));
    assert!(why.contains("nobody is at Mooring"), "{why}");
    scene.close().await;
}
