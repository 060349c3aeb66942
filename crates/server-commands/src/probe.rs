//! `mooring probe`: connects and shows what was negotiated and why.

use std::time::{Duration, Instant};

use mooring_command_line as args;
use mooring_connect::{ConnectedServer, Session, Verb, Visit, take_none, with_connection};
use mooring_faults::{Exit, Fault};
use mooring_terminal::output::{ExchangeJson, Output, TextStyle, escape, escape_line};
use mooring_typed::Place;
use mooring_visits::{Limit, ServerFacts, Step};
use serde::Serialize;
use serde_json::value::RawValue;

/// The `result` of `--json`.
#[derive(Serialize)]
struct ProbeResult<'a> {
    capabilities: Option<&'a RawValue>,
    instructions: Option<&'a str>,
    title: Option<&'a str>,
    /// Path of the program that was started, as it was found.
    program: Option<&'a str>,
    pid: Option<u32>,
    steps: &'a [Step],
    limits: &'a [Limit],
}

const VERB: Verb = Verb::of("probe");

/// Runs `mooring probe`.
pub async fn run(session: &Session, args: args::Probe) -> Result<Exit, Fault> {
    let visit = Visit { ask_anew: true, ..Visit::new(VERB) };
    let read = async |_: &Place, words: Vec<String>| Ok(take_none(VERB, &words)?.into());
    with_connection(session, args.target, visit, read, async |visit: ConnectedServer<'_>, ()| {
        // With a server that was already running, only an answer shows that it still works.
        let started = Instant::now();
        if let Err(fault) = visit.answers().await {
            return visit.report_failure(&fault, None, started.elapsed());
        }
        let facts = visit.server.facts();
        if !facts.is_connected {
            return Err(Fault::new(
                Exit::Connect,
                "closed",
                "the connection ended right after the handshake",
            ));
        }
        let output = visit.session.output;
        if output.json {
            let probed = ProbeResult {
                capabilities: facts.capabilities.as_deref(),
                instructions: facts.instructions.as_deref(),
                title: facts.title.as_deref(),
                program: facts.program.as_deref(),
                pid: facts.pid,
                steps: &facts.steps,
                limits: &facts.limits,
            };
            let elapsed = Duration::from_millis(facts.connect_ms);
            output.answer(&probed, ExchangeJson::new(&facts, [], elapsed))?;
        } else {
            print(output, &facts)?;
        }
        Ok(Exit::Ok)
    })
    .await
}

/// How the connection was made, line by line.
fn steps(facts: &ServerFacts) -> Vec<String> {
    let mut steps = Vec::new();
    if let (Some(program), Some(pid)) = (&facts.program, facts.pid) {
        steps.push(format!("started {program} as process {pid}"));
    }
    for Step { request, outcome, elapsed_ms } in &facts.steps {
        let took = elapsed_ms.map(|elapsed| format!(" ({elapsed} ms)")).unwrap_or_default();
        steps.push(format!("{request}: {outcome}{took}"));
    }
    steps
}

fn print(output: Output, facts: &ServerFacts) -> Result<(), Fault> {
    let name = facts.title.as_deref().or(facts.name.as_deref()).unwrap_or("a server without a name");
    let version = facts.version.as_deref().unwrap_or_default();
    output.line(&format!(
        "{} {}",
        output.tone(TextStyle::Strong, &escape_line(name)),
        escape_line(version)
    ))?;
    let field = |label: &str, value: &str| {
        output.line(&format!("  {} {value}", output.tone(TextStyle::Quiet, &format!("{label:<13}"))))
    };
    let word = |word: &Option<String>| word.clone().unwrap_or_default();
    let (revision, era, transport) = (word(&facts.revision), word(&facts.era), &facts.transport);
    field("Protocol", &format!("{revision} ({era} era, {transport})"))?;
    field("Ready", &format!("after {} ms", facts.connect_ms))?;
    for (number, step) in steps(facts).iter().enumerate() {
        field(if number == 0 { "Steps" } else { "" }, &escape_line(step))?;
    }
    field("Why", &escape_line(&word(&facts.reason)))?;
    let capabilities: Vec<String> = capabilities(facts);
    let words = if capabilities.is_empty() { "none declared".to_owned() } else { capabilities.join(", ") };
    field("Capabilities", &escape_line(&words))?;
    for (number, reached) in facts.limits.iter().enumerate() {
        let Limit { name, limit, unit, times } = reached;
        let words = format!("{name}: {limit} {unit}, reached {times} times");
        field(if number == 0 { "Limits" } else { "" }, &words)?;
    }
    for (number, remark) in facts.remarks.iter().enumerate() {
        field(if number == 0 { "Remarks" } else { "" }, &escape_line(&remark.text))?;
    }
    if let Some(instructions) = &facts.instructions {
        for (number, line) in instructions.trim().lines().enumerate() {
            let bar = output.tone(TextStyle::Accent, "│");
            field(if number == 0 { "Server says" } else { "" }, &format!("{bar} {}", escape(line)))?;
        }
    }
    Ok(())
}

fn capabilities(facts: &ServerFacts) -> Vec<String> {
    let text = facts.capabilities.as_deref().map(RawValue::get).unwrap_or("{}");
    let value: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
    value.as_object().map(|object| object.keys().cloned().collect()).unwrap_or_default()
}
