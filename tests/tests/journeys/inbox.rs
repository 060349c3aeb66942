//! Servers' questions to the person in the window's Host, with the demo server in both eras.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mooring_base::server_id::ServerId;
use mooring_definitions::{EraOverride, NewServer};
use mooring_host::{Host, HostOptions};
use mooring_inbox::{InteractionAnswer, InteractionQuestion, InteractionView, Remember};
use mooring_models::{Model, NewProvider, ProviderKind, RouteRule, SamplingPolicy};
use mooring_oauth::{AuthorizationUrl, Browser, BrowserFuture};
use mooring_policy::{Decision, NewRule};
use mooring_roots::RootBreadth;
use mooring_server_state::StateName;
use mooring_testkit::models::{EVENTS, FakeProvider, ProviderReply};
use serde_json::{Value, json};
use url::Url;

use crate::command_line::demo;
use crate::window::{stdio, text, until, until_state};

/// The URLs that were opened.
static OPENED_URLS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Records URLs instead of opening them.
struct RecordingBrowser;

impl Browser for RecordingBrowser {
    fn open<'a>(&'a self, _url: &'a AuthorizationUrl) -> BrowserFuture<'a> {
        panic!("nobody signs in here")
    }

    fn visit<'a>(&'a self, url: &'a Url) -> BrowserFuture<'a> {
        OPENED_URLS.lock().unwrap().push(url.to_string());
        Box::pin(std::future::ready(Ok(())))
    }
}

async fn open(home: &Path) -> Host {
    let options = HostOptions {
        home: home.to_owned(),
        supervise: true,
        has_person: true,
        journal: true,
        demo_server: Some(demo().into()),
        client_name: "journeys",
        client_version: "0",
        vault: mooring_vault::VaultOptions::default,
        browser: || Arc::new(RecordingBrowser),
        clock: mooring_base::clock::Clock::system(),
    };
    Host::open(options).await.unwrap()
}

async fn add(host: &Host, name: &str, era: EraOverride) -> ServerId {
    let server = NewServer { era, ..stdio(name, &demo(), &[]) };
    let id = host.add_server(server).await.unwrap().id;
    until_state(host, id, StateName::Ready).await;
    id
}

/// Waits for the server's next question that can be answered.
async fn next(host: &Host, server: ServerId) -> InteractionView {
    let mut events = host.events();
    let wait = async {
        loop {
            let waiting = host.inbox().waiting;
            let is_next = |one: &InteractionView| {
                // An opened URL stays in the Inbox until its server says that it is done.
                let opened = matches!(one.question, InteractionQuestion::Url { opened: true, .. });
                one.server == server && one.position == 0 && !opened
            };
            if let Some(question) = waiting.into_iter().find(is_next) {
                return question;
            }
            // A lagging receiver checks again, which is all that is needed.
            let _ = events.recv().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), wait).await.unwrap()
}

async fn decide(host: &Host, question: &InteractionView, answer: InteractionAnswer) {
    let opening = host.open_interaction(question.id).unwrap();
    if matches!(answer, InteractionAnswer::Accept { .. }) {
        tokio::time::sleep(opening.armed_in).await;
    }
    host.answer_interaction(question.id, &opening.nonce, answer).await.unwrap();
}

fn accept(content: Option<&Value>) -> InteractionAnswer {
    InteractionAnswer::Accept { content: content.map(Value::to_string), remember: Remember::Once }
}

/// Confirms that the task at a URL is done, unless the server has already done so.
async fn confirm_url_done(host: &Host, id: i64) {
    let mut events = host.events();
    while let Some(shown) = host.inbox().waiting.iter().find(|one| one.id == id) {
        if !matches!(shown.question, InteractionQuestion::Url { opened: true, .. }) {
            // A lagging receiver checks again, which is all that is needed.
            let _ = events.recv().await;
            continue;
        }
        let opening = host.open_interaction(id).unwrap();
        tokio::time::sleep(opening.armed_in).await;
        // The server may have confirmed it meanwhile.
        let _ = host.answer_interaction(id, &opening.nonce, accept(None)).await;
    }
}

/// Calls a tool and answers its question. Returns the question and the tool's result.
async fn ask_and_answer(
    host: &Host,
    server: ServerId,
    tool: &str,
    answer: InteractionAnswer,
) -> (InteractionView, Value) {
    let person = async {
        let question = next(host, server).await;
        let goes_there = matches!(answer, InteractionAnswer::Accept { .. })
            && matches!(question.question, InteractionQuestion::Url { .. });
        decide(host, &question, answer).await;
        if goes_there {
            confirm_url_done(host, question.id).await;
        }
        question
    };
    let (said, question) = tokio::join!(text(host, server, tool, "{}"), person);
    (question, serde_json::from_str(&said).unwrap())
}

// Requirements: MRTR-01, MRTR-11, MRTR-13, ELIC-03, ELIC-04, ROOT-02.
#[tokio::test(flavor = "multi_thread")]
async fn tool_asks_the_same_and_gets_the_same_answers_in_both_eras() {
    let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let host = open(home.path()).await;
    let path = folder.path().display().to_string();
    host.folders().grant(None, &path, Some("Harbour".to_owned()), RootBreadth::Narrow).await.unwrap();
    let eras = [("modern", EraOverride::Modern), ("session", EraOverride::Session)];
    let mut servers = Vec::new();
    for (name, era) in eras {
        servers.push(add(&host, name, era).await);
    }
    let form = json!({ "name": "Ada", "crew": 3, "lights": ["g"], "owner": "ada@example.org" });
    let wanted = [
        ("register_ship", accept(Some(&form)), json!({ "action": "accept", "content": form })),
        (
            "register_ship",
            InteractionAnswer::Decline { remember: Remember::Once },
            json!({ "action": "decline" }),
        ),
        ("register_ship", InteractionAnswer::Cancel, json!({ "action": "cancel" })),
        ("visit_page", accept(None), json!({ "action": "accept" })),
        (
            "visit_page",
            InteractionAnswer::Decline { remember: Remember::Once },
            json!({ "action": "decline" }),
        ),
        ("list_folders", accept(None), Value::Null),
    ];
    for (tool, answer, expected) in wanted {
        let mut questions = Vec::new();
        for server in &servers {
            let (question, said) = ask_and_answer(&host, *server, tool, answer.clone()).await;
            belongs_to_the_call(&question, tool);
            let (said, expected) = match &expected {
                Value::Null => (said["roots"][0]["name"].clone(), json!("Harbour")),
                expected => (said, expected.clone()),
            };
            assert_eq!(said, expected, "{tool}");
            questions.push(format!("{:?}", question.question));
        }
        assert_eq!(questions[0], questions[1], "{tool}");
    }
    let opened = OPENED_URLS.lock().unwrap().clone();
    assert_eq!(opened, ["https://example.org/tides?harbour=demo"; 2]);
    host.shutdown().await;
}

// Requirements: ELIC-19.
#[tokio::test(flavor = "multi_thread")]
async fn of_many_forms_four_wait_and_the_rest_is_cancelled() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path()).await;
    for (name, era) in [("modern", EraOverride::Modern), ("session", EraOverride::Session)] {
        let server = add(&host, name, era).await;
        let person = async {
            for left in (0..4).rev() {
                let question = next(&host, server).await;
                assert!(matches!(question.question, InteractionQuestion::Form { .. }));
                let waiting = host.inbox().waiting.len();
                assert!(waiting <= left + 1, "{waiting} wait");
                decide(&host, &question, accept(Some(&json!({ "yes": true })))).await;
            }
        };
        let (said, ()) = tokio::join!(text(&host, server, "ask_at_once", r#"{"forms":200}"#), person);
        let said: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(said["accept"], 4, "{name}: {said}");
        assert_eq!(said["cancel"], 196, "{name}: {said}");
    }
    host.shutdown().await;
}

/// Checks that the question names the person's call. A session over stdio doesn't connect the two, so the
/// running call is named as a possibility.
fn belongs_to_the_call(question: &InteractionView, tool: &str) {
    let occasion = &question.occasion;
    assert_eq!(
        (occasion.method.as_deref(), occasion.subject.as_deref(), occasion.caller.as_deref()),
        (Some("tools/call"), Some(tool), Some("workbench"))
    );
    assert_eq!(occasion.is_guess, question.server_name == "session", "{occasion:?}");
}

// Requirements: MRTR-01, SAMP-02, SAMP-03.
#[tokio::test(flavor = "multi_thread")]
async fn ask_rule_and_sampling_reviews_are_the_same_in_both_eras() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path()).await;
    let practice = RouteRule { server: None, hint: None, provider: None, model: String::new() };
    host.set_routes(vec![practice]).await.unwrap();
    let ask = NewRule {
        effect: Decision::Ask,
        server: None,
        tool: Some("ask_model".to_owned()),
        destructive_only: false,
        caller: None,
        arguments: Vec::new(),
        expires_ms: None,
    };
    host.save_rule(None, ask).await.unwrap();
    let mut seen = Vec::new();
    for (name, era) in [("modern", EraOverride::Modern), ("session", EraOverride::Session)] {
        let server = asks_models(&host, name, era).await;
        let person = approve_reviews(&host, server, "ask_model", 3);
        let arguments = r#"{"question":"How deep is the berth?","max_tokens":90}"#;
        let (said, questions) = tokio::join!(text(&host, server, "ask_model", arguments), person);
        assert_eq!(kinds(&questions), ["Tool", "Sampling", "SamplingAnswer"]);
        let said: Value = serde_json::from_str(&said).unwrap();
        assert!(said["content"].to_string().contains("How deep is the berth?"), "{said}");
        seen.push((questions.iter().map(|question| format!("{question:?}")).collect::<Vec<_>>(), said));
    }
    assert_eq!(seen[0], seen[1]);
    host.shutdown().await;
}

/// Adds the demo server and lets it ask models.
async fn asks_models(host: &Host, name: &str, era: EraOverride) -> ServerId {
    let server = add(host, name, era).await;
    let first = host.server(server).unwrap().connection.pid;
    let allowed = SamplingPolicy { enabled: true, ..SamplingPolicy::default() };
    host.set_sampling(server, allowed).await.unwrap();
    // A session server learns of sampling when it restarts.
    until(host, server, "ready anew", |connection| {
        let is_new = era == EraOverride::Modern || connection.pid != first;
        connection.state == StateName::Ready && connection.pid.is_some() && is_new
    })
    .await;
    server
}

/// Approves this many questions about a call of this tool. Returns the questions.
async fn approve_reviews(
    host: &Host,
    server: ServerId,
    tool: &str,
    count: usize,
) -> Vec<InteractionQuestion> {
    let mut questions = Vec::new();
    for _ in 0..count {
        let question = finished(host, server).await;
        if !matches!(question.question, InteractionQuestion::Tool { .. }) {
            belongs_to_the_call(&question, tool);
        }
        decide(host, &question, accept(None)).await;
        questions.push(question.question);
    }
    questions
}

fn kinds(questions: &[InteractionQuestion]) -> Vec<&'static str> {
    let kind = |question: &InteractionQuestion| match question {
        InteractionQuestion::Tool { .. } => "Tool",
        InteractionQuestion::Sampling(_) => "Sampling",
        InteractionQuestion::SamplingAnswer(_) => "SamplingAnswer",
        _ => "another",
    };
    questions.iter().map(kind).collect()
}

/// An answer in the streaming format of the `OpenAI` API.
fn streamed(chunks: &[Value]) -> ProviderReply {
    let chunk = |choice: &Value| json!({ "id": "c", "object": "chat.completion.chunk", "created": 1, "model": "harbour-1", "choices": [choice] });
    let events = chunks.iter().map(|choice| format!("data: {}\n\n", chunk(choice)));
    let text: String = events.chain(["data: [DONE]\n\n".to_owned()]).collect();
    ProviderReply::Stream(EVENTS, text.into_bytes())
}

// Requirements: SAMP-12, SAMP-14.
#[tokio::test(flavor = "multi_thread")]
async fn tool_loop_of_a_model_ends_in_both_eras() {
    let home = tempfile::tempdir().unwrap();
    let (host, fake) = (open(home.path()).await, FakeProvider::new(&[]).await);
    let pilot = NewProvider {
        name: "Pilot".to_owned(),
        kind: ProviderKind::Openai,
        base_url: fake.url.clone(),
        key: None,
        forget_key: false,
        models: vec![Model { tools: true, ..Model::with_id("harbour-1") }],
    };
    host.save_provider(None, pilot).await.unwrap();
    let function = json!({ "name": "tide_at", "arguments": r#"{"hour":12}"# });
    let usage = json!([{ "index": 0, "id": "call_1", "type": "function", "function": function }]);
    let uses = streamed(&[
        json!({ "index": 0, "delta": { "role": "assistant", "tool_calls": usage }, "finish_reason": null }),
        json!({ "index": 0, "delta": {}, "finish_reason": "tool_calls" }),
    ]);
    let ends = streamed(&[
        json!({ "index": 0, "delta": { "role": "assistant", "content": "There is." }, "finish_reason": null }),
        json!({ "index": 0, "delta": {}, "finish_reason": "stop" }),
    ]);
    let mut seen = Vec::new();
    for (name, era) in [("modern", EraOverride::Modern), ("session", EraOverride::Session)] {
        let server = asks_models(&host, name, era).await;
        fake.set_replies(&[uses.clone(), ends.clone()]);
        let call = text(&host, server, "ask_model_with_tools", "{}");
        let person = approve_reviews(&host, server, "ask_model_with_tools", 4);
        let (said, questions) = tokio::join!(call, person);
        assert_eq!(kinds(&questions), ["Sampling", "SamplingAnswer"].repeat(2));
        let [
            InteractionQuestion::Sampling(first),
            InteractionQuestion::SamplingAnswer(wish),
            InteractionQuestion::Sampling(second),
            ..,
        ] = questions.as_slice()
        else {
            panic!("{questions:?}")
        };
        assert_eq!((first.round, first.messages.len(), second.round, second.messages.len()), (1, 1, 2, 3));
        assert!(first.tools[0].contains("tide_at"), "{:?}", first.tools);
        assert_eq!(wish.stop_reason.as_deref(), Some("toolUse"));
        assert!(second.messages[2].content[0].contains("tool_result"), "{second:?}");
        // In the second round, the model gets its own tool call and the tool's result.
        let asked = fake.requests();
        let roles: Vec<_> = asked[1].body["messages"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|one| one["role"].as_str())
            .collect();
        assert_eq!((asked.len(), roles), (2, vec!["user", "assistant", "tool"]));
        let said: Value = serde_json::from_str(&said).unwrap();
        assert_eq!((&said["stopReason"], &said["model"]), (&json!("endTurn"), &json!("harbour-1")));
        assert!(said["content"].to_string().contains("There is."), "{said}");
        seen.push((questions.iter().map(|question| format!("{question:?}")).collect::<Vec<_>>(), said));
    }
    assert_eq!(seen[0], seen[1]);
    host.shutdown().await;
}

/// Waits for the server's next question with a model's complete answer.
async fn finished(host: &Host, server: ServerId) -> InteractionView {
    let mut events = host.events();
    loop {
        let question = next(host, server).await;
        match &question.question {
            InteractionQuestion::SamplingAnswer(answer) if answer.streaming => {
                // A lagging receiver checks again, which is all that is needed.
                let _ = events.recv().await;
            }
            _ => return question,
        }
    }
}
