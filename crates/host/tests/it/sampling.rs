//! Providers' models, used through a server's request. The tests check what a provider on loopback receives,
//! and replay its response in odd pieces.

use std::path::Path;
use std::time::Duration;

use mooring_answers::{PresetAnswers, SamplingAnswers};
use mooring_connections::{ConnectOptions, Connection, Target};
use mooring_errors::HostError;
use mooring_host::{Host, HostOptions};
use mooring_models::{Budget, Model, NewProvider, ProviderKind, SamplingPolicy, SamplingPolicyView};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::people::with_keychain;
use crate::support::{LIMIT, call, ignore_events, options, scripted};
use mooring_testkit::models::{EVENTS, FakeProvider, LINES, ProviderReply};

pub(crate) const KEY: &str = "sk-canary-7d1f0a/4e+82b\"c6d9";

pub(crate) fn fixture(path: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/sampling");
    std::fs::read(folder.join(path)).unwrap()
}

pub(crate) fn provider(kind: ProviderKind, url: &str, model: &str) -> NewProvider {
    let all = Model { images: true, audio: true, tools: true, ..Model::with_id(model) };
    NewProvider {
        name: kind.as_str().to_owned(),
        kind,
        base_url: url.to_owned(),
        key: Some(KEY.into()),
        forget_key: false,
        models: vec![all],
    }
}

pub(crate) async fn host(home: &Path) -> Host {
    Host::open(HostOptions { vault: with_keychain, ..options(home, false) }).await.unwrap()
}

/// The answer to a server's sampling request to a model of `kind` when the provider sends `says`.
async fn asked(
    kind: ProviderKind,
    model: &str,
    says: ProviderReply,
    params: &Value,
) -> (Value, FakeProvider) {
    let home = tempfile::tempdir().unwrap();
    let fake = FakeProvider::new(&[says]).await;
    let host = host(home.path()).await;
    host.save_provider(None, provider(kind, &fake.url, model)).await.unwrap();
    let sampling = Some(SamplingAnswers::Model(kind.as_str().to_owned()));
    host.set_preset_answers(PresetAnswers { sampling, ..PresetAnswers::default() });
    let answer = ask(&host, params).await;
    host.shutdown().await;
    (answer, fake)
}

/// Makes a saved server without limits send a sampling request.
pub(crate) async fn ask(host: &Host, params: &Value) -> Value {
    asks(&asker(host, Budget::default()).await, params).await
}

/// A command's connection to a saved server with this budget.
pub(crate) async fn asker(host: &Host, budget: Budget) -> Connection {
    const NAME: &str = "asker";
    if host.servers().is_empty() {
        let id = host.add_server(scripted(NAME, &["ok"])).await.unwrap().id;
        // The first call applies the default limits to a server without any, so set the budget twice.
        for _ in 0..2 {
            host.set_sampling(id, SamplingPolicy { enabled: true, budget }).await.unwrap();
        }
    }
    host.connect(Target::Saved { name: NAME.to_owned() }, ConnectOptions::default()).await.unwrap()
}

/// Makes a server send a sampling request, and returns the answer.
pub(crate) async fn asks(connection: &Connection, params: &Value) -> Value {
    let arguments = json!({ "method": "sampling/createMessage", "params": params });
    let outcome = connection.call_tool(call("ask", &arguments), ignore_events()).await.unwrap();
    let result: Value = serde_json::from_str(outcome.result.unwrap().get()).unwrap();
    serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap()
}

pub(crate) fn question() -> Value {
    json!({
        "systemPrompt": "Be brief.",
        "messages": [
            { "role": "user", "content": { "type": "text", "text": "What is the capital of France?" } },
        ],
        "maxTokens": 100,
        "temperature": 0.5,
        "stopSequences": ["END"],
        "metadata": { "trace": "ignored" },
        "includeContext": "allServers",
    })
}

pub(crate) fn conversation_with_tools() -> Value {
    let weather = json!({
        "name": "get_weather",
        "description": "The weather",
        "inputSchema": { "type": "object", "properties": { "city": { "type": "string" } } },
    });
    json!({
        "messages": [
            { "role": "user", "content": [
                { "type": "text", "text": "Where is this?" },
                { "type": "image", "data": "aGk=", "mimeType": "image/png" },
            ] },
            { "role": "assistant", "content": [
                { "type": "text", "text": "I look." },
                { "type": "tool_use", "id": "t1", "name": "get_weather", "input": { "city": "Oslo" },
                  "_meta": { "mooring/thoughtSignature": "sig", "other": 1 } },
            ] },
            { "role": "user", "content": [
                { "type": "tool_result", "toolUseId": "t1", "content": [{ "type": "text", "text": "snow" }], "isError": true },
            ] },
        ],
        "maxTokens": 200,
        "tools": [weather],
        "toolChoice": { "mode": "auto" },
    })
}

const TEXT: &str = "Paris – la «Ville Lumière» 🗼.";

pub(crate) fn is_paris(answer: &Value, model: &str) {
    let expected = json!({
        "role": "assistant", "content": { "type": "text", "text": TEXT }, "model": model, "stopReason": "endTurn",
    });
    assert_eq!(answer["result"], expected, "{answer}");
}

pub(crate) fn uses_two_tools(answer: &Value, ids: [&str; 2]) {
    let result = &answer["result"];
    assert_eq!(result["stopReason"], "toolUse", "{answer}");
    let uses: Vec<&Value> =
        result["content"].as_array().unwrap().iter().filter(|block| block["type"] == "tool_use").collect();
    assert_eq!(uses.len(), 2, "{answer}");
    for ((tool, city), id) in uses.iter().zip(["Paris", "Rome"]).zip(ids) {
        assert_eq!(
            (&tool["name"], &tool["input"], &tool["id"]),
            (&json!("get_weather"), &json!({ "city": city }), &json!(id))
        );
    }
}

// Requirements: SAMP-05, SAMP-08, SAMP-09, SAMP-10, SAMP-12, SAMP-14.
#[tokio::test]
async fn anthropic_is_asked_and_answers_in_the_protocols_words() {
    let kind = ProviderKind::Anthropic;
    let model = "claude-sonnet-4-5";
    let (answer, fake) =
        asked(kind, model, ProviderReply::Stream(EVENTS, fixture("anthropic/answer.sse")), &question()).await;
    is_paris(&answer, "claude-sonnet-4-5-20250929");
    let sent = fake.last_request();
    assert_eq!(sent.path, "/v1/messages");
    assert_eq!((sent.header("x-api-key"), sent.header("anthropic-version")), (Some(KEY), Some("2023-06-01")));
    let text = |text: &str| json!([{ "type": "text", "text": text }]);
    assert_eq!(
        sent.body,
        json!({
            "model": model, "max_tokens": 100, "stream": true, "system": "Be brief.", "temperature": 0.5,
            "stop_sequences": ["END"],
            "messages": [{ "role": "user", "content": text("What is the capital of France?") }],
        })
    );
    let tools = ProviderReply::Stream(EVENTS, fixture("anthropic/tools.sse"));
    let (answer, fake) = asked(kind, model, tools, &conversation_with_tools()).await;
    uses_two_tools(&answer, ["toolu_01MoorFirstUse7Kq2Wn8Zx", "toolu_01MoorSecondUse5Rt9Lb"]);
    assert_eq!(answer["result"]["content"][0], json!({ "type": "text", "text": "Let me look." }));
    let body = fake.last_request().body;
    assert_eq!(
        body["messages"],
        json!([
            { "role": "user", "content": [
                { "type": "text", "text": "Where is this?" },
                { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "aGk=" } },
            ] },
            { "role": "assistant", "content": [
                { "type": "text", "text": "I look." },
                { "type": "tool_use", "id": "t1", "name": "get_weather", "input": { "city": "Oslo" } },
            ] },
            { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "t1", "content": [{ "type": "text", "text": "snow" }], "is_error": true },
            ] },
        ])
    );
    assert_eq!(
        (&body["tool_choice"], &body["tools"][0]["name"]),
        (&json!({ "type": "auto" }), &json!("get_weather"))
    );
    assert_eq!(body["tools"][0]["input_schema"]["properties"]["city"]["type"], "string");
}

// Requirements: SAMP-05, SAMP-09, SAMP-10, SAMP-12, SAMP-14.
#[tokio::test]
async fn openai_is_asked_and_answers_in_the_protocols_words() {
    let kind = ProviderKind::Openai;
    let (answer, fake) =
        asked(kind, "gpt-4o", ProviderReply::Stream(EVENTS, fixture("openai/answer.sse")), &question()).await;
    is_paris(&answer, "gpt-4o-2024-08-06");
    let sent = fake.last_request();
    assert_eq!(sent.path, "/chat/completions");
    assert_eq!(sent.header("authorization").unwrap(), format!("Bearer {KEY}"));
    assert_eq!(
        sent.body,
        json!({
            "model": "gpt-4o", "max_tokens": 100, "stream": true, "stream_options": { "include_usage": true },
            "temperature": 0.5, "stop": ["END"],
            "messages": [
                { "role": "system", "content": "Be brief." },
                { "role": "user", "content": "What is the capital of France?" },
            ],
        })
    );
    let tools = ProviderReply::Stream(EVENTS, fixture("openai/tools.sse"));
    let (answer, fake) = asked(kind, "gpt-4o", tools, &conversation_with_tools()).await;
    uses_two_tools(&answer, ["call_9mR2oNq7TbWx4Kz1Vd8LsPyH", "call_3gHs6Jt0UcYv5Ma2Re9NkQwB"]);
    let body = fake.last_request().body;
    assert_eq!(
        body["messages"],
        json!([
            { "role": "user", "content": [
                { "type": "text", "text": "Where is this?" },
                { "type": "image_url", "image_url": { "url": "data:image/png;base64,aGk=" } },
            ] },
            { "role": "assistant", "content": "I look.", "tool_calls": [
                { "id": "t1", "type": "function", "function": { "name": "get_weather", "arguments": r#"{"city":"Oslo"}"# } },
            ] },
            { "role": "tool", "tool_call_id": "t1", "content": "Error: snow" },
        ])
    );
    assert_eq!(
        (&body["tool_choice"], &body["tools"][0]["function"]["name"]),
        (&json!("auto"), &json!("get_weather"))
    );
    let audio = json!({ "messages": [
        { "role": "user", "content": { "type": "audio", "data": "aGk=", "mimeType": "audio/wav" } },
    ], "maxTokens": 50 });
    let (_, fake) =
        asked(kind, "gpt-4o-audio", ProviderReply::Stream(EVENTS, fixture("openai/answer.sse")), &audio)
            .await;
    assert_eq!(
        fake.last_request().body["messages"][0]["content"],
        json!([{ "type": "input_audio", "input_audio": { "data": "aGk=", "format": "wav" } }])
    );
}

// Requirements: SAMP-05, SAMP-09, SAMP-10, SAMP-12.
#[tokio::test]
async fn ollama_is_asked_and_answers_in_the_protocols_words() {
    let kind = ProviderKind::Ollama;
    let (answer, fake) =
        asked(kind, "llama3.2", ProviderReply::Stream(LINES, fixture("ollama/answer.ndjson")), &question())
            .await;
    is_paris(&answer, "llama3.2");
    let sent = fake.last_request();
    assert_eq!(sent.path, "/api/chat");
    assert_eq!(
        sent.body,
        json!({
            "model": "llama3.2", "stream": true,
            "options": { "num_predict": 100, "temperature": 0.5, "stop": ["END"] },
            "messages": [
                { "role": "system", "content": "Be brief." },
                { "role": "user", "content": "What is the capital of France?" },
            ],
        })
    );
    let tools = ProviderReply::Stream(LINES, fixture("ollama/tools.ndjson"));
    let (answer, fake) = asked(kind, "llama3.2", tools, &conversation_with_tools()).await;
    uses_two_tools(&answer, ["call_1", "call_2"]);
    assert_eq!(
        fake.last_request().body["messages"],
        json!([
            { "role": "user", "content": "Where is this?", "images": ["aGk="] },
            { "role": "assistant", "content": "I look.", "tool_calls": [
                { "function": { "name": "get_weather", "arguments": { "city": "Oslo" } } },
            ] },
            { "role": "tool", "content": "Error: snow", "tool_name": "get_weather" },
        ])
    );
}

// Requirements: SAMP-05, SAMP-09, SAMP-10, SAMP-12, SAMP-14.
#[tokio::test]
async fn gemini_gets_its_key_in_a_header_and_answers_in_mcp_terms() {
    let kind = ProviderKind::Gemini;
    let model = "gemini-2.5-flash";
    let (answer, fake) =
        asked(kind, model, ProviderReply::Stream(EVENTS, fixture("gemini/answer.sse")), &question()).await;
    is_paris(&answer, model);
    let sent = fake.last_request();
    assert_eq!(sent.path, "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse");
    assert_eq!(sent.header("x-goog-api-key"), Some(KEY));
    assert_eq!(
        sent.body,
        json!({
            "contents": [{ "role": "user", "parts": [{ "text": "What is the capital of France?" }] }],
            "systemInstruction": { "parts": [{ "text": "Be brief." }] },
            "generationConfig": { "maxOutputTokens": 100, "temperature": 0.5, "stopSequences": ["END"] },
        })
    );
    let tools = ProviderReply::Stream(EVENTS, fixture("gemini/tools.sse"));
    let (answer, fake) = asked(kind, model, tools, &conversation_with_tools()).await;
    uses_two_tools(&answer, ["call_1", "call_2"]);
    // The signature is returned in the next round.
    assert_eq!(
        answer["result"]["content"][0]["_meta"],
        json!({ "mooring/thoughtSignature": "CiQMoorInventedMarkOfThoughts==" })
    );
    let body = fake.last_request().body;
    assert_eq!(
        body["contents"],
        json!([
            { "role": "user", "parts": [
                { "text": "Where is this?" },
                { "inlineData": { "mimeType": "image/png", "data": "aGk=" } },
            ] },
            { "role": "model", "parts": [
                { "text": "I look." },
                { "functionCall": { "id": "t1", "name": "get_weather", "args": { "city": "Oslo" } }, "thoughtSignature": "sig" },
            ] },
            { "role": "user", "parts": [
                { "functionResponse": { "id": "t1", "name": "get_weather", "response": { "error": "snow" } } },
            ] },
        ])
    );
    assert_eq!(body["toolConfig"], json!({ "functionCallingConfig": { "mode": "AUTO" } }));
}

// Requirements: SAMP-05.
#[tokio::test]
async fn provider_failures_are_explained_without_the_key() {
    use ProviderKind::{Anthropic, Gemini, Ollama, Openai};
    let error = |status, body: Value| ProviderReply::Status(status, &[], body.to_string());
    let openai_error = |message: &str| json!({ "error": { "message": message, "type": "x", "code": null } });
    let whole = fixture("openai/answer.sse");
    let half = whole[..whole.len() / 2].to_vec();
    let huge = format!(
        "data: {}\n\n",
        json!({ "choices": [{ "delta": { "content": "x".repeat((4 << 20) + 1) } }] })
    );
    let wordy = String::from_utf8(whole.clone())
        .unwrap()
        .replace(r#""completion_tokens":15"#, r#""completion_tokens":101"#);
    let cases: Vec<(ProviderKind, ProviderReply, &str)> = vec![
        (
            Openai,
            error(401, openai_error(&format!("Incorrect API key provided: {KEY}."))),
            "didn’t accept the key",
        ),
        (
            Anthropic,
            error(
                401,
                json!({ "type": "error", "error": { "type": "authentication_error", "message": "invalid x-api-key" } }),
            ),
            "invalid x-api-key",
        ),
        (
            Openai,
            ProviderReply::Status(
                429,
                &[("retry-after", "20")],
                openai_error("Rate limit reached").to_string(),
            ),
            "no more requests for 20 s: Rate limit reached",
        ),
        (
            Anthropic,
            error(429, json!({ "error": { "message": "slow down" } })),
            "no more requests for now: slow down",
        ),
        (Anthropic, error(529, json!({ "error": { "message": "Overloaded" } })), "is overloaded"),
        (Anthropic, ProviderReply::Stream(EVENTS, fixture("anthropic/overloaded.sse")), "is overloaded"),
        (
            Gemini,
            error(400, json!([{ "error": { "code": 400, "message": "API key not valid." } }])),
            "API key not valid.",
        ),
        (Gemini, error(503, json!({ "error": { "message": "The model is overloaded." } })), "is overloaded"),
        (
            Ollama,
            error(404, json!({ "error": "model 'm' not found" })),
            "no such model or URL: model 'm' not found",
        ),
        (Openai, error(500, Value::Null), "HTTP status 500"),
        (
            Openai,
            ProviderReply::Status(302, &[("location", "http://127.0.0.1:1/")], String::new()),
            "HTTP status 302",
        ),
        (Anthropic, ProviderReply::Stream(EVENTS, fixture("anthropic/refusal.sse")), "declined to answer"),
        (
            Openai,
            ProviderReply::Stream(EVENTS, fixture("openai/refusal.sse")),
            "I'm sorry, I can't assist with that.",
        ),
        (Gemini, ProviderReply::Stream(EVENTS, fixture("gemini/refusal.sse")), "PROHIBITED_CONTENT"),
        (Ollama, ProviderReply::Stream(LINES, fixture("ollama/failure.ndjson")), "CUDA error"),
        (Openai, ProviderReply::Stream(EVENTS, half.clone()), "was cut off"),
        (Openai, ProviderReply::Cut(EVENTS, half), "was cut off"),
        (Openai, ProviderReply::Stream(EVENTS, b"data: {\"a\":\n\n".to_vec()), "can’t be read"),
        (Openai, ProviderReply::Stream("text/html", b"<html>hello</html>".to_vec()), "was cut off"),
        (Ollama, ProviderReply::Stream(LINES, b"<html>\n".to_vec()), "can’t be read"),
        // In one piece, because small pieces would exceed the server's timeout on a busy machine.
        (Openai, ProviderReply::Status(200, &[("content-type", EVENTS)], huge), "longer than 4 MiB"),
        (
            Openai,
            ProviderReply::Stream(EVENTS, wordy.into_bytes()),
            "wrote 101 tokens, but the server allowed 100",
        ),
    ];
    for (kind, says, expected) in cases {
        let (answer, fake) = asked(kind, "m", says, &question()).await;
        let message = answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{expected}: {answer}"));
        assert!(message.contains(expected), "{kind:?}: {message}");
        assert!(!message.contains(KEY), "{message}");
        assert_eq!(fake.requests().len(), 1);
    }
}

#[tokio::test]
async fn withdrawn_question_ends_the_provider_exchange() {
    let home = tempfile::tempdir().unwrap();
    let whole = fixture("openai/answer.sse");
    let fake = FakeProvider::new(&[ProviderReply::Stuck(EVENTS, whole[..300].to_vec())]).await;
    let host = host(home.path()).await;
    host.save_provider(None, provider(ProviderKind::Openai, &fake.url, "m")).await.unwrap();
    let sampling = Some(SamplingAnswers::Model("openai/m".to_owned()));
    host.set_preset_answers(PresetAnswers { sampling, ..PresetAnswers::default() });
    let question = question();
    let asking = ask(&host, &question);
    tokio::select! {
        answer = asking => panic!("{answer}"),
        () = async { while fake.requests().is_empty() { tokio::task::yield_now().await } } => {}
    }
    fake.wait_for_abort().await;
    host.shutdown().await;
}

#[tokio::test]
async fn a_key_stays_with_its_origin_and_never_comes_back() {
    let home = tempfile::tempdir().unwrap();
    let here = FakeProvider::new(&[ProviderReply::Status(
        200,
        &[],
        json!({ "data": [{ "id": "a" }, { "id": "b" }] }).to_string(),
    )])
    .await;
    let there =
        FakeProvider::new(&[ProviderReply::Status(200, &[], json!({ "data": [] }).to_string())]).await;
    let host = host(home.path()).await;
    let new = provider(ProviderKind::Openai, &here.url, "a");
    let saved = host.save_provider(None, new.clone()).await.unwrap();
    assert!(saved.has_key && !format!("{saved:?} {new:?}").contains("canary"));
    let keyless = NewProvider { key: None, ..new.clone() };
    let check = host.check_provider(Some(saved.id), keyless.clone()).await.unwrap();
    assert_eq!(check.models.unwrap(), ["a", "b"]);
    assert_eq!(here.last_request().header("authorization").unwrap(), format!("Bearer {KEY}"));
    assert!(host.models().await.unwrap().providers[0].answered_ms.is_some());
    // The key is sent to another path of its origin, but not to another origin or kind of provider.
    let path = NewProvider { base_url: format!("{}/v2", here.url), ..keyless.clone() };
    assert!(host.save_provider(Some(saved.id), path).await.unwrap().has_key);
    let moved = NewProvider { base_url: there.url.clone(), ..keyless.clone() };
    host.check_provider(Some(saved.id), moved.clone()).await.unwrap().models.unwrap();
    assert_eq!(there.last_request().header("authorization"), None);
    assert!(!host.save_provider(Some(saved.id), moved).await.unwrap().has_key);
    let back = host.save_provider(Some(saved.id), keyless.clone()).await.unwrap();
    assert!(!back.has_key);
    // The key is deleted at the person's request, or with its provider.
    assert!(host.save_provider(Some(saved.id), new.clone()).await.unwrap().has_key);
    let forgotten = NewProvider { forget_key: true, ..keyless };
    assert!(!host.save_provider(Some(saved.id), forgotten).await.unwrap().has_key);
    assert!(host.save_provider(Some(saved.id), new).await.unwrap().has_key);
    host.remove_provider(saved.id).await.unwrap();
    assert!(host.models().await.unwrap().providers.is_empty());
    host.shutdown().await;
    let store = mooring_store::Store::open(home.path()).await.unwrap();
    assert_eq!(store.secrets().count().await.unwrap(), 0);
    store.close().await;
}

#[tokio::test]
async fn a_provider_that_cannot_work_is_refused_by_the_field() {
    let home = tempfile::tempdir().unwrap();
    let host = host(home.path()).await;
    let good = || NewProvider { key: None, ..provider(ProviderKind::Ollama, "http://127.0.0.1:1", "m") };
    let two = vec![Model::with_id("m"), Model::with_id(" m ")];
    for (field, bad) in [
        ("name", NewProvider { name: " ".to_owned(), ..good() }),
        ("name", NewProvider { name: "practice".to_owned(), ..good() }),
        ("baseUrl", NewProvider { base_url: "http://example.org".to_owned(), ..good() }),
        ("baseUrl", NewProvider { base_url: "https://example.org?key=1".to_owned(), ..good() }),
        ("key", NewProvider { key: Some("a\nb".into()), ..good() }),
        ("models", NewProvider { models: two, ..good() }),
        ("models", NewProvider { models: vec![Model::with_id("")], ..good() }),
    ] {
        match host.save_provider(None, bad).await {
            Err(HostError::InvalidSetting { field: named, .. }) => assert_eq!(named, field),
            other => panic!("{field}: {other:?}"),
        }
    }
    host.save_provider(None, good()).await.unwrap();
    assert!(matches!(host.save_provider(None, good()).await, Err(HostError::NameTaken(_))));
    let gone = host.save_provider(Some(99), NewProvider { name: "x".to_owned(), ..good() }).await;
    assert!(matches!(gone, Err(HostError::InvalidSetting { field: "provider", .. })), "{gone:?}");
    assert!(host.remove_provider(99).await.is_err());
    assert!(host.check_model("ollama").await.is_ok() && host.check_model("ollama/m").await.is_ok());
    assert!(host.check_model("ollama/x").await.is_err() && host.check_model("nobody").await.is_err());
    host.shutdown().await;
}

/// A permission from the command line applies to the running Mooring immediately.
#[tokio::test]
async fn what_another_process_allows_counts_here_as_well() {
    let home = tempfile::tempdir().unwrap();
    let host = Host::open(options(home.path(), true)).await.unwrap();
    let id = host.add_server(scripted("s", &["ok"])).await.unwrap().id;
    let command = Host::open(options(home.path(), false)).await.unwrap();
    for enabled in [true, false] {
        command.set_sampling(id, SamplingPolicy { enabled, ..SamplingPolicy::default() }).await.unwrap();
        let known = async {
            let is_known =
                |server: &SamplingPolicyView| server.server == id && server.policy.enabled == enabled;
            while !host.models().await.unwrap().servers.iter().any(is_known) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(LIMIT, known).await.expect("it was not taken in");
    }
    command.shutdown().await;
    host.shutdown().await;
}
