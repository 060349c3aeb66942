//! How an app is identified: by its key, or by asking the user.

use mooring_app_key::AppKey;
use mooring_bridge::AppHello;
use mooring_host::Host;
use mooring_inbox::{InteractionAnswer, InteractionQuestion, Remember};
use mooring_policy::AppLevel;
use serde_json::{Value, json};

use crate::support::{App, Scene, answer, initialize};

/// How an app identifies itself.
#[derive(Clone, Copy)]
enum Key<'a> {
    None,
    /// With its key.
    Own(&'a AppKey),
    /// With a public key, but without the private one.
    Public(&'a str),
}

fn hello(app: &str, public: Option<&str>) -> AppHello {
    AppHello { app: app.to_owned(), server: None, key: public.map(str::to_owned) }
}

impl Scene {
    /// An app that connects, and the answer to its first request.
    async fn open_bridge(&mut self, app: &str, key: Key<'_>) -> (App, Value) {
        let said = match key {
            Key::None => (hello(app, None), None),
            Key::Own(key) => (hello(app, None), Some(key.clone())),
            Key::Public(public) => (hello(app, Some(public)), None),
        };
        let mut app = self.bridge(async { said });
        let answer = app.request(0, "initialize", initialize("2025-11-25")).await;
        (app, answer)
    }

    /// An app that is accepted.
    async fn admit(&mut self, app: &str, key: Key<'_>) -> App {
        let (app, answer) = self.open_bridge(app, key).await;
        assert!(answer["result"].is_object(), "{answer}");
        app
    }

    /// Why an app is refused.
    async fn refusal_of(&mut self, app: &str, key: Key<'_>) -> String {
        let (_, answer) = self.open_bridge(app, key).await;
        answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }
}

/// The text of a call's result, and whether the call ran.
fn said(answer: &Value) -> (String, bool) {
    let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
    (text.to_owned(), answer["result"]["isError"] != true)
}

fn echo() -> Value {
    json!({"name": "s__echo", "arguments": {"text": "x"}})
}

fn yes() -> InteractionAnswer {
    InteractionAnswer::Accept { content: None, remember: Remember::Once }
}

/// Calls the tool, answers the questions and returns them.
async fn call_and_answer(
    host: &Host,
    app: &mut App,
    id: u32,
    answers: &[InteractionAnswer],
) -> Vec<InteractionQuestion> {
    app.call(id, "s__echo", json!({"text": "x"})).await;
    let mut questions = Vec::new();
    for one in answers {
        questions.push(answer(host, one.clone()).await);
    }
    questions
}

#[tokio::test]
async fn a_name_counts_only_with_its_key() {
    let mut scene = Scene::open().await;
    let id = scene.add("s").await;
    scene.approve(id).await;
    let key = scene.host.create_app_key("claude-code").await.unwrap();
    let other = scene.host.create_app_key("cursor").await.unwrap();
    let mut app = scene.admit("claude-code", Key::Own(&key)).await;
    assert!(said(&app.request(1, "tools/call", echo()).await).1);
    for (name, key, why) in [
        ("claude-code", Key::None, "has no key"),
        ("claude-code", Key::Own(&other), "has cursor’s key"),
        ("claude-code", Key::Own(&AppKey::random().unwrap()), "no longer valid"),
        ("claude-code", Key::Public(""), "no longer valid"),
        // The saved proof isn't a key, and no one can sign with it.
        ("claude-code", Key::Public(&mooring_app_key::proof_of(&key.public())), "no longer valid"),
        ("vscode", Key::None, "isn’t connected"),
        ("VS Code", Key::None, "isn’t connected"),
        ("Mooring", Key::None, "can’t be called"),
        ("you", Key::None, "can’t be called"),
    ] {
        let refused = scene.refusal_of(name, key).await;
        assert!(refused.contains(why), "{name}: {refused}");
    }
    scene.close().await;
}

#[tokio::test]
async fn an_app_without_a_key_asks_once_and_then_for_each_call() {
    let mut scene = Scene::open().await;
    let id = scene.add("s").await;
    scene.approve(id).await;
    let mut app = scene.admit("pier-bot", Key::None).await;
    let questions = call_and_answer(&scene.host, &mut app, 1, &[yes(), yes()]).await;
    let [InteractionQuestion::App { app: name, .. }, InteractionQuestion::Tool { keyless: true, .. }] =
        questions.as_slice()
    else {
        panic!("{questions:?}")
    };
    assert_eq!(name, "pier-bot");
    assert!(said(&app.answer(1).await).1);
    // Levels and rules don't apply to a name that anyone can use.
    scene.host.set_app_level("pier-bot", Some(AppLevel::AppAsks)).await.unwrap();
    scene.allow_all().await;
    // Without a key, *always* counts for one call only.
    let always = InteractionAnswer::Accept { content: None, remember: Remember::Always };
    for id in [2, 3] {
        let questions = call_and_answer(&scene.host, &mut app, id, std::slice::from_ref(&always)).await;
        assert!(matches!(questions[0], InteractionQuestion::Tool { keyless: true, .. }), "{questions:?}");
        assert!(said(&app.answer(id).await).1);
    }
    // With a key, the level counts.
    let key = scene.host.create_app_key("pier-bot").await.unwrap();
    let mut proven = scene.admit("pier-bot", Key::Own(&key)).await;
    assert!(said(&proven.request(1, "tools/call", echo()).await).1);
    scene.close().await;
}

#[tokio::test]
async fn an_app_whose_permission_was_removed_is_asked_about_again() {
    let mut scene = Scene::open().await;
    let id = scene.add("s").await;
    scene.approve(id).await;
    let mut app = scene.admit("pier-bot", Key::None).await;
    call_and_answer(&scene.host, &mut app, 1, &[yes(), yes()]).await;
    assert!(said(&app.answer(1).await).1);
    assert!(scene.host.remove_app_key("pier-bot").await.unwrap());
    // First for the app that is connected, then for a new connection.
    let decline = [InteractionAnswer::Decline { remember: Remember::Once }];
    let questions = call_and_answer(&scene.host, &mut app, 2, &decline).await;
    assert!(matches!(questions[0], InteractionQuestion::App { .. }), "{questions:?}");
    assert!(!said(&app.answer(2).await).1);
    let mut again = scene.admit("pier-bot", Key::None).await;
    let (why, ran) = said(&again.request(1, "tools/call", echo()).await);
    assert!(!ran && why.contains("isn’t allowed"), "{why}");
    scene.close().await;
}

#[tokio::test]
async fn an_app_that_is_refused_is_not_asked_about_again() {
    let mut scene = Scene::open().await;
    let id = scene.add_harbour("harbour").await;
    let mut app = scene.admit("pier-bot", Key::None).await;
    let read =
        json!({"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "harbour://notice"}});
    app.send(&read).await;
    let question = answer(&scene.host, InteractionAnswer::Decline { remember: Remember::Once }).await;
    assert!(matches!(question, InteractionQuestion::App { .. }), "{question:?}");
    assert!(app.answer(1).await["error"]["message"].as_str().unwrap().contains("you declined"));
    for (id, method, params) in [
        (2, "resources/read", json!({"uri": "harbour://notice"})),
        (3, "resources/subscribe", json!({"uri": "harbour://notice"})),
    ] {
        let refused = app.request(id, method, params).await;
        assert!(refused["error"]["message"].as_str().unwrap().contains("isn’t allowed"), "{refused}");
    }
    assert!(scene.host.inbox().waiting.is_empty());
    assert!(scene.host.server(id).is_ok());
    scene.close().await;
}

#[tokio::test]
async fn a_renewed_key_ends_the_old_one_and_no_call() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let old = scene.host.create_app_key("claude-code").await.unwrap();
    let mut app = scene.admit("claude-code", Key::Own(&old)).await;
    app.call(
        1,
        "s__ask",
        json!({"method": "elicitation/create", "params": {
        "message": "?", "requestedSchema": {"type": "object", "properties": {}}}}),
    )
    .await;
    let mut events = scene.host.events();
    while scene.host.inbox().waiting.is_empty() {
        let _lagged = events.recv().await;
    }
    let new = scene.host.create_app_key("claude-code").await.unwrap();
    answer(&scene.host, InteractionAnswer::Decline { remember: Remember::Once }).await;
    assert!(said(&app.answer(1).await).1, "what ran goes on");
    let (why, ran) = said(&app.request(2, "tools/call", echo()).await);
    assert!(!ran && why.contains("no longer valid"), "{why}");
    assert!(scene.refusal_of("claude-code", Key::Own(&old)).await.contains("no longer valid"));
    scene.admit("claude-code", Key::Own(&new)).await;
    assert!(scene.host.remove_app_key("claude-code").await.unwrap());
    assert!(scene.refusal_of("claude-code", Key::Own(&new)).await.contains("no longer valid"));
    scene.close().await;
}

#[tokio::test]
async fn thousand_wrong_keys_keep_nobody_out() {
    let mut scene = Scene::open().await;
    let id = scene.add("s").await;
    scene.approve(id).await;
    let mut app = scene.initialized("claude-code", None).await;
    let mut guesses = tokio::task::JoinSet::new();
    for number in 0..1_000 {
        let host = scene.host.clone();
        guesses.spawn(async move {
            host.identify_app("claude-code", Some(&format!("mooring_key_{number}")), None).await
        });
    }
    assert!(guesses.join_all().await.iter().all(Result::is_err));
    assert!(said(&app.request(1, "tools/call", echo()).await).1);
    scene.close().await;
}
