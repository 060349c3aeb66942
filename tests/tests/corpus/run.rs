//! Runs the cases in parallel, together with two healthy servers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use mooring_mcp::{
    CallOptions, Client, CompletionRef, Deadline, Diagnostic, HttpClient, Listing, Prompt, RequestError,
    Resource, ResourceTemplate, ServerTarget, Tool,
};
use mooring_testkit::corpus::{
    Case, Expectation, ServerEra, ServerOutput, cases, http_cases, sample, stdio_cases,
};
use mooring_testkit::http::{HttpScript, serve};
use serde_json::json;
use serde_json::value::to_raw_value;

use crate::peer::{DiagnosticRecorder, Transport, connect, http, scripted, start};

/// How many cases run at the same time.
const PARALLEL_CASES: usize = 6;
/// One case in this many runs, unless `MOORING_CORPUS` is `full`.
const SAMPLE_INTERVAL: usize = 10;
/// How long to wait for an answer.
const LONG_TIMEOUT: Duration = Duration::from_secs(40);
/// How long to wait if no answer is expected.
const SHORT_TIMEOUT: Duration = Duration::from_millis(400);
/// The time limit of a case.
const CASE_TIMEOUT: Duration = Duration::from_secs(90);

/// Healthy servers, which defective ones must not disturb.
struct HealthyServers {
    stdio: Client,
    http: Client,
    calls: AtomicUsize,
}

/// Runs the cases of an era and a transport. Panics with a list of everything that went wrong.
pub(crate) async fn run(wire: ServerEra, transport: Transport) {
    let started = Instant::now();
    let every =
        if std::env::var("MOORING_CORPUS").is_ok_and(|which| which == "full") { 1 } else { SAMPLE_INTERVAL };
    let mut all = cases(wire);
    all.extend(match transport {
        Transport::Stdio => stdio_cases(wire),
        Transport::Http => http_cases(wire),
    });
    let chosen = sample(all, every);
    let count = chosen.len();
    let scripts = tempfile::tempdir().unwrap();
    let healthy = serve(HttpScript::sse()).await;
    let client = http();
    let neighbours = HealthyServers {
        stdio: connect(scripted(&["ok"]), &client, LONG_TIMEOUT).await.0.unwrap(),
        http: connect(
            ServerTarget::Http { url: healthy.url.parse().unwrap(), headers: Vec::new() },
            &client,
            LONG_TIMEOUT,
        )
        .await
        .0
        .unwrap(),
        calls: AtomicUsize::new(0),
    };
    let tried = futures_util::stream::iter(chosen.iter().enumerate().map(async |(number, case)| {
        let tried = async {
            let (target, _running) = start(case, wire, transport, scripts.path(), number).await;
            run_case(case, target, &client).await
        };
        let (mut complaints, neighbours) = tokio::join!(
            async {
                tokio::time::timeout(CASE_TIMEOUT, tried)
                    .await
                    .unwrap_or_else(|_| vec!["it hangs".to_owned()])
            },
            neighbours.answer(number)
        );
        complaints.extend(neighbours);
        complaints
            .into_iter()
            .map(|what| format!("{}: {}: {what}", case.class, case.name))
            .collect::<Vec<_>>()
    }));
    let complaints: Vec<String> = tried.buffer_unordered(PARALLEL_CASES).concat().await;
    println!(
        "{wire:?} over {transport:?}: {count} cases in {:.1} s, {} not as they should be; {} calls of neighbours",
        started.elapsed().as_secs_f64(),
        complaints.len(),
        neighbours.calls.load(Ordering::Relaxed)
    );
    neighbours.stdio.shutdown().await;
    neighbours.http.shutdown().await;
    assert!(complaints.is_empty(), "{} of {count}:\n{}", complaints.len(), complaints.join("\n"));
}

impl HealthyServers {
    /// Calls both servers. Returns what went wrong.
    async fn answer(&self, number: usize) -> Vec<String> {
        let text = format!("berth {number}");
        let arguments = to_raw_value(&json!({"text": text})).unwrap();
        let echo = async |client: &Client| {
            let result = client.call_tool("echo", Some(&arguments), CallOptions::default()).await;
            self.calls.fetch_add(1, Ordering::Relaxed);
            match result {
                Ok(result) if result.raw.get().contains(&text) => None,
                other => Some(format!("a neighbour answered {other:?}")),
            }
        };
        let (stdio, http) = tokio::join!(echo(&self.stdio), echo(&self.http));
        stdio.into_iter().chain(http).collect()
    }
}

/// The outcome of the request with the defective answer.
enum RequestOutcome {
    /// The paths of the diagnostics, and for a list also the names of its items.
    Usable(Vec<String>, Option<Vec<String>>),
    Failed(String),
    /// No answer before the deadline.
    Silence,
}

async fn run_case(case: &Case, target: ServerTarget, http: &HttpClient) -> Vec<String> {
    let silence = if case.expect == Expectation::Unanswered { SHORT_TIMEOUT } else { LONG_TIMEOUT };
    let (client, memory) = connect(target, http, silence).await;
    let handshake = matches!(case.method, "initialize" | "server/discover");
    let client = match client {
        Ok(client) => client,
        Err(error) if handshake => {
            return judge(case, &RequestOutcome::Failed(error.to_string()), &memory).into_iter().collect();
        }
        Err(error) => return vec![format!("did not connect: {error}")],
    };
    let got = if handshake {
        RequestOutcome::Usable(paths(&client.handshake().diagnostics), None)
    } else {
        ask(&client, case.method).await
    };
    let mut complaints: Vec<_> = judge(case, &got, &memory).into_iter().collect();
    // Output without a line end also spoils the next line.
    let framed = !matches!(&case.output, ServerOutput::Bytes(bytes) if !bytes.ends_with(b"\n"));
    if framed && let Err(error) = ask_healthy(&client, case.method).await {
        complaints.push(format!("the next request failed: {error}"));
    }
    client.shutdown().await;
    complaints
}

fn judge(case: &Case, got: &RequestOutcome, memory: &Arc<DiagnosticRecorder>) -> Option<String> {
    let known = |own: &[String], path: &str| {
        own.iter().chain(memory.paths.lock().unwrap().iter()).any(|known| known.starts_with(path))
    };
    match (&case.expect, got) {
        (Expectation::Unanswered, RequestOutcome::Silence | RequestOutcome::Failed(_)) => None,
        (_, RequestOutcome::Silence) => Some("nothing came within the deadline".to_owned()),
        (Expectation::Odd(path), RequestOutcome::Usable(paths, _)) if !known(paths, path) => {
            let all = memory.paths.lock().unwrap().clone();
            Some(format!("no diagnostic names {path:?}, only {paths:?} {all:?}"))
        }
        (Expectation::Odd(_) | Expectation::Usable | Expectation::Ends, RequestOutcome::Usable(_, names)) => {
            let names = names.as_ref().filter(|_| case.name.contains("[1]"))?;
            let lost =
                ["good_first", "good_last"].into_iter().find(|good| !names.iter().any(|name| name == good));
            lost.map(|lost| format!("{lost} is lost: {names:?}"))
        }
        (Expectation::Fails | Expectation::Ends, RequestOutcome::Failed(reason)) => {
            reason.trim().is_empty().then(|| "the error has no words".to_owned())
        }
        (Expectation::Odd(_) | Expectation::Usable, RequestOutcome::Failed(reason)) => {
            Some(format!("failed: {reason}"))
        }
        (Expectation::Fails | Expectation::Unanswered, RequestOutcome::Usable(..)) => {
            Some("was taken for an answer".to_owned())
        }
    }
}

/// Makes the request that gets the defective answer.
async fn ask(client: &Client, method: &str) -> RequestOutcome {
    match method {
        "tools/list" => {
            listed(client.list_tools().await, |tool: &Tool| (Some(tool.name.clone()), &tool.diagnostics))
        }
        "resources/list" => listed(client.list_resources().await, |resource: &Resource| {
            (Some(resource.name.clone()), &resource.diagnostics)
        }),
        "resources/templates/list" => listed(client.list_templates().await, |template: &ResourceTemplate| {
            (Some(template.name.clone()), &template.diagnostics)
        }),
        "prompts/list" => listed(client.list_prompts().await, |prompt: &Prompt| {
            (Some(prompt.name.clone()), &prompt.diagnostics)
        }),
        "resources/read" => {
            let read = client.read_resource("berth://odd", CallOptions::default()).await;
            to_outcome(read.map(|read| paths(&read.diagnostics)))
        }
        "prompts/get" => {
            let prompt = client.get_prompt("odd", None, CallOptions::default()).await;
            to_outcome(prompt.map(|prompt| paths(&prompt.diagnostics)))
        }
        "completion/complete" => {
            let completed = client.complete(&CompletionRef::Prompt("odd"), "berth", "n", None).await;
            to_outcome(completed.map(|completed| paths(&completed.diagnostics)))
        }
        _ => {
            let called = client.call_tool("odd", None, CallOptions::default()).await;
            to_outcome(called.map(|called| paths(&called.diagnostics)))
        }
    }
}

/// Makes another request, which gets a healthy answer.
async fn ask_healthy(client: &Client, method: &str) -> Result<(), RequestError> {
    if method == "tools/call" {
        return client.list_tools().await.map(drop);
    }
    client.call_tool("good_first", None, CallOptions::default()).await.map(drop)
}

fn listed<T>(
    outcome: Result<Listing<T>, RequestError>,
    about: impl Fn(&T) -> (Option<String>, &Vec<Diagnostic>),
) -> RequestOutcome {
    match outcome {
        Ok(listing) => {
            let mut odd = paths(&listing.diagnostics);
            odd.extend(listing.items.iter().flat_map(|item| paths(about(item).1)));
            RequestOutcome::Usable(odd, Some(listing.items.iter().filter_map(|item| about(item).0).collect()))
        }
        Err(error) => failed(&error),
    }
}

fn to_outcome(outcome: Result<Vec<String>, RequestError>) -> RequestOutcome {
    match outcome {
        Ok(paths) => RequestOutcome::Usable(paths, None),
        Err(error) => failed(&error),
    }
}

fn failed(error: &RequestError) -> RequestOutcome {
    match error {
        RequestError::Timeout { deadline: Deadline::Idle, .. } => RequestOutcome::Silence,
        other => RequestOutcome::Failed(other.to_string()),
    }
}

fn paths(diagnostics: &[Diagnostic]) -> Vec<String> {
    diagnostics.iter().map(|diagnostic| diagnostic.path.clone()).collect()
}
