//! Replays recorded exchanges with each provider (their sources are in `fixtures/sampling/README.md`). A
//! server on loopback sends the response in odd pieces, and the test compares it with what the asking server
//! receives.

use std::path::Path;

use mooring_answers::{PresetAnswers, SamplingAnswers};
use mooring_host::Host;
use mooring_models::{NewProvider, ProviderKind};
use serde_json::{Value, json};

use crate::sampling::{
    KEY, ask, conversation_with_tools, fixture, host, is_paris, provider, question, uses_two_tools,
};
use mooring_testkit::models::{FakeProvider, ProviderReply};

use ProviderKind::{Anthropic, Gemini, Ollama, Openai};

const KINDS: [ProviderKind; 4] = [Anthropic, Openai, Ollama, Gemini];

/// What the asking server receives.
enum ExpectedAnswer {
    /// The standard text, as the end of a turn by this model.
    Paris(&'static str),
    /// A text, and the stop reason.
    Text(&'static str, &'static str),
    /// Two tool uses with these ids.
    Uses([&'static str; 2]),
    /// An error with this message.
    Error(&'static str),
}

use ExpectedAnswer::{Error, Paris, Text, Uses};

/// A provider, and a host that uses it without asking a person.
struct ProviderFixture {
    kind: ProviderKind,
    host: Host,
    fake: FakeProvider,
    home: tempfile::TempDir,
}

impl ProviderFixture {
    async fn with(kind: ProviderKind) -> Self {
        let home = tempfile::tempdir().unwrap();
        let host = host(home.path()).await;
        let fake = FakeProvider::new(&[ProviderReply::Status(500, &[], String::new())]).await;
        host.save_provider(None, provider(kind, &fake.url, "m")).await.unwrap();
        let sampling = Some(SamplingAnswers::Model(kind.as_str().to_owned()));
        host.set_preset_answers(PresetAnswers { sampling, ..PresetAnswers::default() });
        Self { kind, host, fake, home }
    }

    /// The answer to a server's request when the provider sends these replies in turn.
    async fn asked(&self, says: &[ProviderReply], params: &Value) -> Value {
        self.fake.set_replies(says);
        ask(&self.host, params).await
    }

    async fn replayed(&self, name: &str, params: &Value) -> Value {
        self.asked(&[replay(self.kind, name)], params).await
    }
}

fn replay(kind: ProviderKind, name: &str) -> ProviderReply {
    ProviderReply::Replay(fixture(&format!("{}/{name}.http", kind.as_str())))
}

fn check(answer: &Value, hears: &ExpectedAnswer, case: &str) {
    let message = answer["error"]["message"].as_str().unwrap_or_default();
    let result = &answer["result"];
    match hears {
        Paris(model) => is_paris(answer, model),
        Text(text, stop) => {
            assert_eq!(
                (&result["content"]["text"], &result["stopReason"]),
                (&json!(text), &json!(stop)),
                "{case}: {answer}"
            );
        }
        Uses(ids) => uses_two_tools(answer, *ids),
        Error(words) => {
            assert!(message.contains(words), "{case}: {answer}");
            assert_eq!(answer["error"]["code"], -32603, "{case}: {answer}");
        }
    }
    assert!(!answer.to_string().contains("canary"), "{case}: {answer}");
}

// Requirements: SAMP-05, SAMP-09, SAMP-10, SAMP-12.
#[tokio::test]
async fn every_recorded_exchange_ends_as_its_provider_documents() {
    const CLAUDE: &str = "claude-sonnet-4-5-20250929";
    const GPT: &str = "gpt-4o-2024-08-06";
    const FIRST: &str = "call_9mR2oNq7TbWx4Kz1Vd8LsPyH";
    const SECOND: &str = "call_3gHs6Jt0UcYv5Ma2Re9NkQwB";
    const FULL: &str = "the provider is overloaded: ";
    let cases: &[(ProviderKind, &str, ExpectedAnswer)] = &[
        (Anthropic, "400", Error("doesn’t accept this request: prompt is too long")),
        (Anthropic, "400-credit", Error("doesn’t accept this request: Your credit balance is too low")),
        (Anthropic, "401", Error("didn’t accept the key: invalid x-api-key")),
        (Anthropic, "402", Error("HTTP status 402: Your credit balance is too low")),
        (Anthropic, "403", Error("doesn’t allow this: Your API key does not have permission")),
        (Anthropic, "404", Error("no such model or URL: model: claude-sonnet-9")),
        (Anthropic, "413", Error("doesn’t accept this request: Request exceeds")),
        (Anthropic, "429", Error("no more requests for 17 s: This request would exceed")),
        (Anthropic, "500", Error("HTTP status 500: Internal server error")),
        (Anthropic, "529", Error("is overloaded: Overloaded")),
        (Anthropic, "thinking", Paris(CLAUDE)),
        (Anthropic, "max-tokens", Text("Paris is", "maxTokens")),
        // An incomplete tool use is dropped.
        (Anthropic, "max-tokens-tool", Text("Paris is", "maxTokens")),
        (Anthropic, "context-window", Text("Paris is", "maxTokens")),
        (Anthropic, "stop-sequence", Text("Paris", "stopSequence")),
        (Anthropic, "empty", Text("", "endTurn")),
        (Anthropic, "refusal-after-text", Error("declined to answer: refusal: What is asked here")),
        (Anthropic, "rate-limit-after-text", Error("no more requests for now: Number of concurrent")),
        (Anthropic, "without-stop", Error("was cut off")),
        (Openai, "400", Error("doesn’t accept this request: This model's maximum context length")),
        (Openai, "401", Error("didn’t accept the key: Incorrect API key provided")),
        (Openai, "403", Error("doesn’t allow this: Country, region")),
        (Openai, "404", Error("no such model or URL: The model `gpt-9`")),
        (Openai, "429", Error("no more requests for 20 s: Rate limit reached")),
        (Openai, "429-quota", Error("no more requests for now: You exceeded your current quota")),
        (Openai, "500", Error("HTTP status 500: The server had an error")),
        (Openai, "503", Error("is overloaded: The engine is currently overloaded")),
        (Openai, "html", Error("HTTP status 502: <html>")),
        (Openai, "length", Text("Paris is", "maxTokens")),
        (Openai, "length-tool", Text("Paris is", "maxTokens")),
        (Openai, "content-filter", Error("declined to answer: content_filter")),
        (Openai, "empty", Text("", "endTurn")),
        (Openai, "error-after-text", Error("HTTP status 500: The server had an error")),
        (Openai, "azure", Paris(GPT)),
        (Openai, "azure-filter-beside", Paris(GPT)),
        (Openai, "azure-400-filtered", Error("declined to answer: The response was filtered")),
        (Openai, "azure-401", Error("didn’t accept the key: Access denied due to invalid")),
        (Openai, "azure-404", Error("no such model or URL: The API deployment")),
        (Openai, "azure-429", Error("no more requests for 26 s: Requests to the ChatCompletions")),
        (Openai, "azure-429-named", Error("no more requests for 1 s: Your requests to grok-4")),
        (Openai, "openrouter", Paris("anthropic/claude-4.5-sonnet-20250929")),
        (Openai, "openrouter-tool-cut-off", Text("Paris is", "maxTokens")),
        (Openai, "openrouter-without-reason", Uses([FIRST, SECOND])),
        (Openai, "openrouter-401", Error("didn’t accept the key: Missing Authentication header")),
        (Openai, "openrouter-402", Error("HTTP status 402: This request requires more credits")),
        (Openai, "openrouter-403", Error("doesn’t allow this: Input flagged")),
        (
            Openai,
            "openrouter-429",
            Error(
                "no more requests for now: Provider returned error: google/gemini-2.5-flash is temporarily",
            ),
        ),
        (Openai, "openrouter-400-after-text", Error("doesn’t accept this request: Token limit reached")),
        (Openai, "openrouter-error-after-text", Error("HTTP status 502: Provider disconnected")),
        (Openai, "openrouter-429-after-text", Error("no more requests for now: Provider returned error")),
        (Openai, "lm-studio", Paris("qwen2.5-7b-instruct")),
        (Openai, "lm-studio-error", Error("HTTP status 500: The model has crashed")),
        (Openai, "lm-studio-400", Error("doesn’t accept this request: The number of tokens to keep")),
        (Openai, "lm-studio-404", Error("no such model or URL: No models loaded")),
        (Openai, "llama-cpp", Paris("gemma-3-4b")),
        (
            Openai,
            "llama-cpp-tools",
            Uses(["Moor4KqWs7Tz2Lb9Vd6Xy1HoRn3Pm8Ce", "Moor5JtUc0Yv5Ma2Re9NkQwBgHs6Df1Zx"]),
        ),
        (Openai, "llama-cpp-401", Error("didn’t accept the key: Invalid API Key")),
        (Openai, "llama-cpp-503", Error("is overloaded: Loading model")),
        (Openai, "llama-cpp-context", Error("doesn’t accept this request: request (5012 tokens) exceeds")),
        (Openai, "llama-cpp-500", Error("HTTP status 500: tools param requires --jinja flag")),
        (Openai, "llama-cpp-error", Error("HTTP status 500: Context size has been exceeded.")),
        (Openai, "llama-cpp-error-after-text", Error("was cut off")),
        (Openai, "vllm", Paris("Qwen/Qwen3-8B")),
        (Openai, "vllm-404", Error("no such model or URL: The model `Qwen/Qwen9`")),
        (Openai, "vllm-404-flat", Error("no such model or URL: The model `Qwen/Qwen9`")),
        (Openai, "vllm-error", Error("doesn’t accept this request: The decoder prompt")),
        (Openai, "mistral", Paris("magistral-medium-2509")),
        (Openai, "mistral-401", Error("didn’t accept the key: Invalid API Key")),
        (Openai, "groq-error-after-text", Error("doesn’t accept this request: Tool call validation failed")),
        (Openai, "same-index", Uses(["function-call-17", "function-call-42"])),
        (Openai, "without-index", Uses(["a1", "a2"])),
        (Openai, "bad-arguments", Error("can’t be read: arguments of get_weather")),
        (Ollama, "400", Error("does not support tools")),
        (Ollama, "401", Error("didn’t accept the key: unauthorized")),
        (Ollama, "404", Error("no such model or URL: model 'llama9' not found")),
        (Ollama, "429", Error("no more requests for now: you've reached")),
        (Ollama, "500", Error("HTTP status 500: model requires more system memory")),
        (Ollama, "503", Error("is overloaded: server busy")),
        (Ollama, "thinking", Paris("llama3.2")),
        (Ollama, "last-line-without-end", Paris("llama3.2")),
        (Ollama, "length", Text("Paris is", "maxTokens")),
        (Ollama, "empty", Text("", "endTurn")),
        (Ollama, "load", Text("", "load")),
        (Ollama, "tool-ids", Uses(["call_a1b2c3d4", "call_e5f6g7h8"])),
        (Ollama, "cut", Error("was cut off")),
        (Gemini, "400", Error("doesn’t accept this request: Unable to submit")),
        (Gemini, "400-key", Error("didn’t accept the key: API key not valid")),
        (Gemini, "403", Error("doesn’t allow this: Permission denied")),
        (Gemini, "404", Error("no such model or URL: models/gemini-9")),
        (Gemini, "429", Error("no more requests for 35 s: You exceeded")),
        (Gemini, "500", Error("HTTP status 500: An internal error")),
        (Gemini, "503", Error(FULL)),
        (Gemini, "max-tokens", Text("Paris is", "maxTokens")),
        (Gemini, "max-tokens-thought", Text("", "maxTokens")),
        (Gemini, "empty", Text("", "endTurn")),
        (Gemini, "safety-after-text", Error("declined to answer: SAFETY")),
        (Gemini, "recitation", Error("declined to answer: RECITATION")),
        (Gemini, "blocked-prompt", Error("declined to answer: SAFETY: The prompt was stopped")),
        (Gemini, "malformed-call", Error("can’t be read: MALFORMED_FUNCTION_CALL: Malformed function call")),
        (Gemini, "error-after-text", Error(FULL)),
        (Gemini, "tool-ids", Uses(["k1mrng02", "k1mrng03"])),
        (Gemini, "without-finish", Error("was cut off")),
    ];
    for kind in KINDS {
        let exchanges = ProviderFixture::with(kind).await;
        for (_, name, hears) in cases.iter().filter(|(of, ..)| *of == kind) {
            let params = if matches!(hears, Uses(_)) { conversation_with_tools() } else { question() };
            let answer = exchanges.replayed(name, &params).await;
            check(&answer, hears, &format!("{kind:?} {name}"));
            assert_eq!(exchanges.fake.requests().len(), 1, "{kind:?} {name}");
        }
        exchanges.host.shutdown().await;
    }
    // Every file is tested.
    for kind in KINDS {
        for name in files(kind) {
            let Some(name) = name.strip_suffix(".http") else { continue };
            let elsewhere = name.ends_with("models")
                || kind == Openai && ["400-temperature", "400-stop", "groq-null-arguments"].contains(&name)
                || kind == Gemini && name == "image";
            assert!(
                elsewhere || cases.iter().any(|(of, known, _)| (*of, *known) == (kind, name)),
                "{kind:?} {name}"
            );
        }
    }
}

/// The names of a provider's recorded exchanges.
fn files(kind: ProviderKind) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/sampling").join(kind.as_str());
    let files = std::fs::read_dir(folder).unwrap();
    files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
}

/// The table lists the source of every exchange and of no other.
#[test]
fn each_provider_fixture_names_its_reference() {
    let table = String::from_utf8(fixture("README.md")).unwrap();
    let mut lines = std::collections::BTreeMap::new();
    for line in table.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [file, kind, checked] = cells[..] else { panic!("{line}") };
        assert!(!kind.is_empty(), "{line}");
        // Either a recording or a captured response with its repository, or a statement that there is none.
        let named = checked.split('`').nth(1).is_some_and(|at| at.split('/').count() >= 2);
        assert!(named || checked.contains("after the documentation, no recording found"), "{line}");
        assert!(lines.insert(file.trim_matches('`').to_owned(), line).is_none(), "{line}");
    }
    let named =
        |kind: ProviderKind| files(kind).into_iter().map(move |name| format!("{}/{name}", kind.as_str()));
    let mut files: Vec<String> = KINDS.into_iter().flat_map(named).collect();
    files.sort();
    assert_eq!(lines.into_keys().collect::<Vec<_>>(), files);
}

#[tokio::test]
async fn the_models_are_listed_as_each_place_names_them() {
    for (kind, name, models) in [
        (Anthropic, "models", &["claude-sonnet-4-5-20250929", "claude-haiku-4-5-20251001"][..]),
        (Openai, "models", &["gpt-4o", "whisper-1"]),
        (Openai, "openrouter-models", &["anthropic/claude-sonnet-4.5", "google/gemini-2.5-flash:free"]),
        (Openai, "llama-cpp-models", &["/models/gemma-3-4b-Q4_K_M.gguf"]),
        (Openai, "mistral-models", &["magistral-medium-2509"]),
        (Ollama, "models", &["llama3.2:latest", "qwen3:4b"]),
        (Gemini, "models", &["gemini-2.5-flash", "gemini-2.5-pro"]),
    ] {
        let exchanges = ProviderFixture::with(kind).await;
        exchanges.fake.set_replies(&[replay(kind, name)]);
        let new = NewProvider { name: "other".to_owned(), ..provider(kind, &exchanges.fake.url, "m") };
        let found = exchanges.host.check_provider(None, new).await.unwrap().models.unwrap();
        assert_eq!(found, models, "{kind:?} {name}");
        exchanges.host.shutdown().await;
    }
}

/// Some providers send `null` for a tool without arguments.
#[tokio::test]
async fn a_use_without_arguments_is_one() {
    let exchanges = ProviderFixture::with(Openai).await;
    let answer = exchanges.replayed("groq-null-arguments", &conversation_with_tools()).await;
    let content = json!({ "type": "tool_use", "id": "ggmr1ng01", "name": "get_weather", "input": {} });
    let result = &answer["result"];
    assert_eq!((&result["content"], &result["stopReason"]), (&content, &json!("toolUse")), "{answer}");
    exchanges.host.shutdown().await;
}

#[tokio::test]
async fn answer_with_an_image_keeps_several_blocks_where_supported() {
    let exchanges = ProviderFixture::with(Gemini).await;
    let answer = exchanges.replayed("image", &conversation_with_tools()).await;
    let content = json!([
        { "type": "text", "text": "Here: " },
        { "type": "image", "data": "aGk=", "mimeType": "image/png" },
    ]);
    assert_eq!(answer["result"]["content"], content, "{answer}");
    exchanges.host.shutdown().await;
}

// Requirements: SAMP-07.
#[tokio::test]
async fn sampling_options_reach_the_model_unless_unsupported() {
    let exchanges = ProviderFixture::with(Openai).await;
    let says = [replay(Openai, "400-temperature"), replay(Openai, "400-stop"), replay(Openai, "azure")];
    let answer = exchanges.asked(&says, &question()).await;
    is_paris(&answer, "gpt-4o-2024-08-06");
    let asked = exchanges.fake.requests();
    let has: Vec<[bool; 3]> = asked
        .iter()
        .map(|asked| ["temperature", "stop", "metadata"].map(|name| asked.body.get(name).is_some()))
        .collect();
    // A server's metadata is never sent, because it is meant for providers that the server knows.
    assert_eq!(has, [[true, true, false], [false, true, false], [false, false, false]]);
    let system = json!({ "role": "system", "content": "Be brief." });
    assert!(asked.iter().all(|asked| asked.body["messages"][0] == system));
    assert_eq!(asked[0].body["temperature"], 0.5);
    // Other errors are not retried, and retries are limited.
    let answer = exchanges.replayed("400-temperature", &question()).await;
    check(&answer, &Error("does not support 0.5"), "twice");
    assert_eq!(exchanges.fake.requests().len(), 2);
    exchanges.host.shutdown().await;
}

/// Empty texts are ignored.
#[tokio::test]
async fn empty_message_is_left_out_where_it_would_be_rejected() {
    let text = |role: &str, text: &str| json!({ "role": role, "content": { "type": "text", "text": text } });
    let params = json!({
        "messages": [text("user", "Hello"), text("assistant", ""), text("user", "What is the capital of France?")],
        "maxTokens": 100,
    });
    for (kind, place) in [(Anthropic, "messages"), (Gemini, "contents")] {
        let exchanges = ProviderFixture::with(kind).await;
        exchanges.replayed("empty", &params).await;
        let sent = exchanges.fake.last_request().body[place].clone();
        assert_eq!(sent.as_array().unwrap().len(), 2, "{sent}");
        exchanges.host.shutdown().await;
    }
}

// Requirements: SEC-04, SEC-13.
#[tokio::test]
async fn a_redirect_is_not_followed_and_takes_the_key_nowhere() {
    let elsewhere = FakeProvider::new(&[replay(Openai, "azure")]).await;
    for kind in KINDS {
        let exchanges = ProviderFixture::with(kind).await;
        for status in [301, 302, 303, 307, 308] {
            let head = format!("HTTP/1.1 {status} Elsewhere\nlocation: {}/v1\n\n", elsewhere.url);
            let answer = exchanges.asked(&[ProviderReply::Replay(head.into_bytes())], &question()).await;
            check(&answer, &Error("HTTP status 30"), &format!("{kind:?} {status}"));
            assert_eq!(exchanges.fake.requests().len(), 1);
        }
        let head = format!("HTTP/1.1 307 Elsewhere\nlocation: {}/models\n\n", elsewhere.url);
        exchanges.fake.set_replies(&[ProviderReply::Replay(head.into_bytes())]);
        let new = NewProvider { name: "other".to_owned(), ..provider(kind, &exchanges.fake.url, "m") };
        let found = exchanges.host.check_provider(None, new).await.unwrap().models.unwrap_err();
        assert!(found.contains("HTTP status 307"), "{found}");
        exchanges.host.shutdown().await;
    }
    assert_eq!(elsewhere.requests().len(), 0);
}

/// A key in every form in which a provider might repeat it.
fn repeated() -> Vec<String> {
    use mooring_testkit::canary::Encoding;
    let as_text = |encoding: Encoding| String::from_utf8_lossy(&encoding.write(KEY)).into_owned();
    Encoding::ALL.into_iter().filter(|encoding| *encoding != Encoding::Utf16).map(as_text).collect()
}

// Requirements: SEC-04.
#[tokio::test]
async fn provider_echoing_the_key_leaks_it_to_neither_server_nor_disk() {
    use mooring_testkit::canary::Scanner;
    let exchanges = ProviderFixture::with(Openai).await;
    let scanner = Scanner::new([("provider key", KEY)]);
    let mut heard = Vec::new();
    for form in repeated() {
        // Verify that the scanner finds the planted key, or its absence would mean nothing.
        assert!(!scanner.scan("planted", form.as_bytes()).is_empty(), "{form}");
        let filler = "x".repeat(480);
        let bodies = [
            json!({ "error": { "message": format!("Incorrect API key provided: {form}.") } }).to_string(),
            format!("<html>{form}</html>"),
            // At the point where a repeated message is truncated.
            json!({ "error": { "message": format!("{filler}{form}") } }).to_string(),
        ];
        for (body, status) in bodies.into_iter().zip([401, 500, 400]) {
            let head = format!("HTTP/1.1 {status} No\nx-request: {}\n\n{body}", form.escape_default());
            heard.push(exchanges.asked(&[ProviderReply::Replay(head.into_bytes())], &question()).await);
        }
        let said = |text: &str| {
            let delta = json!({ "choices": [{ "delta": { "content": text } }] });
            format!("data: {delta}\n\n")
        };
        let (first, second) = form.split_at(form.floor_char_boundary(form.len() / 2));
        let end = json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }], "model": form });
        let call = json!({ "choices": [{ "delta": { "tool_calls": [
            { "id": form, "function": { "name": "echo", "arguments": json!({ "key": form }).to_string() } },
        ] } }] });
        let stream = format!("{}{}data: {call}\n\ndata: {end}\n\n", said(first), said(second));
        let head = format!("HTTP/1.1 200 OK\ncontent-type: text/event-stream\n\n{stream}");
        let answer =
            exchanges.asked(&[ProviderReply::Replay(head.into_bytes())], &conversation_with_tools()).await;
        assert_eq!(answer["result"]["stopReason"], "toolUse", "{answer}");
        heard.push(answer);
    }
    // In the middle of a response.
    let error = json!({ "error": { "message": KEY } });
    let stream = format!("HTTP/1.1 200 OK\ncontent-type: text/event-stream\n\ndata: {error}\n\n");
    heard.push(exchanges.asked(&[ProviderReply::Replay(stream.into_bytes())], &question()).await);
    let views = format!("{:?}", exchanges.host.models().await.unwrap());
    exchanges.host.shutdown().await;
    for answer in heard {
        assert_eq!(scanner.scan("what the server hears", answer.to_string().as_bytes()), [], "{answer}");
    }
    assert_eq!(scanner.scan("views", views.as_bytes()), []);
    let (found, files) = scanner.scan_folder("home", exchanges.home.path());
    assert!(files > 0 && found.is_empty(), "{found:?}");
}
