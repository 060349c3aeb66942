//! URLs, headers and time limits, with a server on the loopback interface that is slow in every possible way.

use std::time::Duration;

use mooring_models::base_url;
use serde_json::json;
use serde_json::value::RawValue;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::*;

#[test]
fn a_provider_is_asked_by_https_or_nearby() {
    for good in [
        "https://api.example",
        "https://api.example/v1/",
        "https://x.openai.azure.com/openai/deployments/d?api-version=2024-10-21",
        "http://localhost:11434",
        "http://127.0.0.1:1",
        "http://[::1]:1",
        "http://192.168.1.5:8080/v1",
    ] {
        assert!(base_url(good).is_ok(), "{good}");
    }
    for bad in [
        "http://api.example",
        "http://8.8.8.8",
        "ftp://localhost",
        "https://user:pass@api.example",
        "https://api.example?key=1",
        "https://api.example?api-version=1&key=2",
        "https://api.example?api-version=a%20b",
        "https://api.example#x",
        "file:///etc/passwd",
        "api.example",
        "",
    ] {
        assert!(base_url(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_path_goes_behind_the_base_once() {
    let under = |base: &str, path: &str| join_path(&Url::parse(base).unwrap(), path).to_string();
    assert_eq!(under("https://a.example", "v1/messages"), "https://a.example/v1/messages");
    assert_eq!(under("https://a.example/v1/", "v1/messages"), "https://a.example/v1/messages");
    assert_eq!(
        under("https://a.example/x/v1", "chat/completions"),
        "https://a.example/x/v1/chat/completions"
    );
    assert_eq!(under("https://a.example/xv1", "v1/messages"), "https://a.example/xv1/v1/messages");
    assert_eq!(
        under("https://x.openai.azure.com/openai/deployments/d?api-version=1", "chat/completions"),
        "https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=1"
    );
}

fn request() -> SamplingRequest {
    let text = json!({ "type": "text", "text": "What is the capital of France?" });
    let params =
        json!({ "messages": [{ "role": "user", "content": text }], "maxTokens": 100, "temperature": 0.5 });
    SamplingRequest::read(&RawValue::from_string(params.to_string()).unwrap()).unwrap()
}

fn door(kind: ProviderKind, base: &str, key: &str) -> ProviderEndpoint {
    ProviderEndpoint { kind, base: base_url(base).unwrap(), key: Some(key.into()) }
}

#[test]
fn each_provider_gets_its_key_in_its_own_untraced_header() {
    use ProviderKind::{Anthropic, Gemini, Ollama, Openai};
    for (kind, base, name, value) in [
        (Anthropic, "https://api.anthropic.com", "x-api-key", "k-canary"),
        (Gemini, "https://generativelanguage.googleapis.com", "x-goog-api-key", "k-canary"),
        (Ollama, "https://ollama.com", "authorization", "Bearer k-canary"),
        (Openai, "https://api.openai.com/v1", "authorization", "Bearer k-canary"),
        (Openai, "https://openrouter.ai/api/v1", "authorization", "Bearer k-canary"),
        (Openai, "http://127.0.0.1:1234/v1", "authorization", "Bearer k-canary"),
        (Openai, "https://x.openai.azure.com/openai/v1", "api-key", "k-canary"),
        (Openai, "https://x.cognitiveservices.azure.com/openai/v1", "api-key", "k-canary"),
        (Openai, "https://x.openai.azure.us/openai/v1", "api-key", "k-canary"),
        (Openai, "https://x.azure-api.net/openai/v1", "api-key", "k-canary"),
        // A host name that only resembles Azure's.
        (Openai, "https://x.azure.com.example/openai/v1", "authorization", "Bearer k-canary"),
        (Openai, "https://notazure.com/openai/v1", "authorization", "Bearer k-canary"),
    ] {
        let door = door(kind, base, "k-canary");
        let headers = door.build_headers().unwrap();
        assert_eq!(headers.get(name).unwrap(), value, "{base}");
        assert!(headers[name].is_sensitive() && !format!("{headers:?}").contains("canary"), "{base}");
        assert_eq!(headers.len(), 1 + usize::from(kind == Anthropic), "{base}");
        let none = ProviderEndpoint { key: None, ..door };
        assert!(none.build_headers().unwrap().keys().all(|name| name == "anthropic-version"), "{base}");
    }
}

#[test]
fn the_length_of_an_answer_is_named_as_each_place_knows_it() {
    for (base, name) in [
        ("https://api.openai.com/v1", "max_completion_tokens"),
        ("https://x.openai.azure.com/openai/v1", "max_completion_tokens"),
        ("https://openrouter.ai/api/v1", "max_tokens"),
        ("http://localhost:8080/v1", "max_tokens"),
    ] {
        let (_, body, _) =
            provider_request(ProviderKind::Openai, &base_url(base).unwrap(), "m", &request()).unwrap();
        assert_eq!(body[name], 100, "{base}: {body}");
        let names = ["max_tokens", "max_completion_tokens"];
        assert_eq!(names.iter().filter(|name| body.get(**name).is_some()).count(), 1, "{body}");
    }
}

/// Longer than any of these tests takes on a busy machine.
const AMPLE: Duration = Duration::from_mins(1);
/// The idle timeout that is awaited here.
const IDLE: Duration = Duration::from_millis(1_500);
const EVENTS: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
const PARIS: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Paris 🗼\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

/// A server that handles every connection with `speak`.
async fn speaking<F>(speak: fn(TcpStream) -> F) -> (String, JoinSet<()>)
where
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let mut all = JoinSet::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            all.spawn(async move {
                let mut head = vec![0; 4096];
                let _some = stream.read(&mut head).await;
                speak(stream).await;
            });
        }
    });
    (url, tasks)
}

async fn asked(url: &str, patience: Timeouts) -> (Result<Reply, ModelError>, usize) {
    let door = door(ProviderKind::Openai, url, "k-canary");
    let mut told = 0;
    let asked = request();
    let client = build_client("test", &Network::direct());
    let mut grown = |_| told += 1;
    let answering = door.ask(&client, patience, "m", &asked, &mut grown);
    let answer = tokio::time::timeout(AMPLE, answering).await.unwrap();
    (answer, told)
}

const PATIENT: Timeouts = Timeouts { idle: IDLE, total: AMPLE };

// Requirements: SAMP-15.
#[tokio::test]
async fn silent_provider_times_out() {
    let (silent, _a) = speaking(|stream: TcpStream| async move {
        std::future::pending::<()>().await;
        drop(stream);
    })
    .await;
    let (stuck, _b) = speaking(|mut stream: TcpStream| async move {
        stream.write_all(EVENTS.as_bytes()).await.unwrap();
        stream.write_all(b"data: {\"choices\":[{\"delta\":{\"content\":\"Par\"}}]}\n\n").await.unwrap();
        std::future::pending::<()>().await;
    })
    .await;
    let (error, _c) = speaking(|mut stream: TcpStream| async move {
        stream.write_all(b"HTTP/1.1 429 No\r\nretry-after: 3\r\ncontent-length: 100\r\n\r\n{").await.unwrap();
        std::future::pending::<()>().await;
    })
    .await;
    let ((silent, _), (stuck, told), (error, _)) =
        tokio::join!(asked(&silent, PATIENT), asked(&stuck, PATIENT), asked(&error, PATIENT));
    assert_eq!(silent.unwrap_err(), ModelError::TimedOut);
    assert_eq!(stuck.unwrap_err(), ModelError::TimedOut);
    assert!(told >= 1, "what has come is shown");
    // The status is known although the body never arrived.
    let after = Some(Duration::from_secs(3));
    assert_eq!(error.unwrap_err(), ModelError::RateLimited { after, message: String::new() });
}

#[tokio::test]
async fn any_byte_or_comment_resets_the_idle_timeout() {
    let (drips, _a) = speaking(|mut stream: TcpStream| async move {
        stream.set_nodelay(true).unwrap();
        // One byte at a time, also within characters and lines. Altogether this takes longer than the idle
        // timeout.
        let bytes = [EVENTS, ": OPENROUTER PROCESSING\n\n", PARIS].concat();
        let pause = IDLE * 4 / u32::try_from(bytes.len()).unwrap();
        for byte in bytes.bytes() {
            if stream.write_all(&[byte]).await.is_err() {
                return;
            }
            tokio::time::sleep(pause).await;
        }
    })
    .await;
    let (endless, _b) = speaking(|mut stream: TcpStream| async move {
        stream.write_all(EVENTS.as_bytes()).await.unwrap();
        while stream.write_all(b": still here\n\n").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    let short = Timeouts { idle: AMPLE, total: IDLE };
    let patient = Timeouts { idle: IDLE * 2, ..PATIENT };
    let ((answer, _), (late, _)) = tokio::join!(asked(&drips, patient), asked(&endless, short));
    assert_eq!(answer.unwrap().content(), [json!({ "type": "text", "text": "Paris 🗼" })]);
    // The total timeout applies anyway.
    assert_eq!(late.unwrap_err(), ModelError::TimedOut);
}

// Requirements: SAMP-15.
#[tokio::test]
async fn lines_that_never_end_and_streams_that_never_stop_are_cut_off() {
    async fn flood(mut stream: TcpStream, piece: Vec<u8>) {
        let _sent = stream.write_all(EVENTS.as_bytes()).await;
        while stream.write_all(&piece).await.is_ok() {}
    }
    let (line, _a) = speaking(|mut stream: TcpStream| async move {
        let _sent = stream.write_all([EVENTS, "data: "].concat().as_bytes()).await;
        while stream.write_all(&[b'x'; 16_384]).await.is_ok() {}
    })
    .await;
    let (lines, _b) =
        speaking(|stream| flood(stream, format!("data: {}\n", "x".repeat(65_529)).into())).await;
    let (comments, _c) =
        speaking(|stream| flood(stream, format!(": {}\n", "x".repeat(1_021)).repeat(64).into())).await;
    let (uses, _d) = speaking(|stream| {
        let call = json!({ "function": { "name": "t" } });
        let piece = json!({ "choices": [{ "delta": { "tool_calls": [call] } }] });
        flood(stream, format!("data: {piece}\n\n").into())
    })
    .await;
    for url in [line, lines, comments, uses] {
        let (answer, _) = asked(&url, PATIENT).await;
        assert_eq!(answer.unwrap_err(), ModelError::TooLong, "{url}");
    }
}

/// A server that listens but never accepts a connection.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_provider_that_takes_no_connection_is_given_up() {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let mut waiting = Vec::new();
    // Fills the queue of connections that wait to be accepted.
    while let Ok(connected) = tokio::time::timeout(Duration::from_secs(2), TcpStream::connect(address)).await
    {
        waiting.push(connected.unwrap());
        assert!(waiting.len() < 100);
    }
    let client = build_client_with_timeout("test", &Network::direct(), Duration::from_millis(300));
    let door = door(ProviderKind::Openai, &format!("http://{address}"), "k-canary");
    let asked = request();
    let mut grown = |_| {};
    let answer = door.ask(&client, Timeouts { idle: AMPLE, total: AMPLE }, "m", &asked, &mut grown);
    assert_eq!(tokio::time::timeout(AMPLE, answer).await.unwrap().unwrap_err(), ModelError::TimedOut);
    drop(listener);
    let gone = door.ask(&client, PATIENT, "m", &asked, &mut |_| {}).await.unwrap_err();
    assert!(matches!(&gone, ModelError::Unreachable(why) if !why.contains("127.0.0.1")), "{gone:?}");
}
