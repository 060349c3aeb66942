//! `mooring probe`: connect, and show what was negotiated and why.

use mooring_host::{ConnectionView, LimitReached, NegotiationStep, Peer};
use mooring_typed::Place;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::CommandContext;
use crate::args;
use crate::connect::{ConnectedServer, Visit, with_connection};
use crate::fault::{Exit, Fault};
use crate::output::{ExchangeJson, Output, TextStyle, escape, escape_line};
use crate::target::{Verb, take_none};

/// `result` of `--json`.
#[derive(Serialize)]
struct ProbeResult<'a> {
    capabilities: &'a RawValue,
    instructions: Option<&'a str>,
    title: Option<&'a str>,
    /// Where the program that was started is, and its process.
    program: Option<String>,
    pid: Option<u32>,
    steps: Vec<StepJson<'a>>,
    limits: Vec<LimitJson>,
}

/// One step of the negotiation.
#[derive(Serialize)]
struct StepJson<'a> {
    request: &'a str,
    outcome: String,
    elapsed_ms: Option<u128>,
}

/// A limit that the connection has reached.
#[derive(Serialize)]
struct LimitJson {
    name: &'static str,
    limit: u64,
    unit: &'static str,
    times: u64,
}

const VERB: Verb = Verb::of("probe");

pub(crate) async fn run(session: &CommandContext, args: args::Probe) -> Result<Exit, Fault> {
    let visit = Visit { ask_anew: true, ..Visit::new(VERB) };
    let read = async |_: &Place, words: Vec<String>| Ok(take_none(VERB, &words)?.into());
    with_connection(session, args.target, visit, read, async |visit: ConnectedServer<'_>, ()| {
        let view = visit.connection.view();
        let Some(peer) = &view.peer else {
            return Err(Fault::new(
                Exit::Connect,
                "closed",
                "the connection ended right after the handshake",
            ));
        };
        let output = visit.session.output;
        if output.json {
            let probed = ProbeResult {
                capabilities: &peer.capabilities,
                instructions: peer.instructions.as_deref(),
                title: peer.title.as_deref(),
                program: view.program.as_ref().map(|program| program.display().to_string()),
                pid: view.pid,
                steps: peer.steps.iter().map(StepJson::from).collect(),
                limits: view.limits.iter().map(LimitJson::from).collect(),
            };
            let elapsed = view.connect_time.unwrap_or_default();
            output.answer(&probed, ExchangeJson::new(&view, visit.transport, [], elapsed))?;
        } else {
            print(output, visit.transport, &view, peer)?;
        }
        Ok(Exit::Ok)
    })
    .await
}

impl<'a> From<&'a NegotiationStep> for StepJson<'a> {
    fn from(step: &'a NegotiationStep) -> Self {
        let elapsed_ms = step.elapsed.map(|elapsed| elapsed.as_millis());
        Self { request: &step.request, outcome: step.outcome.to_string(), elapsed_ms }
    }
}

impl From<&LimitReached> for LimitJson {
    fn from(reached: &LimitReached) -> Self {
        let LimitReached { name, limit, unit, times, .. } = *reached;
        Self { name, limit, unit, times }
    }
}

/// How the connection came about, line by line.
fn steps(view: &ConnectionView, peer: &Peer) -> Vec<String> {
    let mut steps = Vec::new();
    if let (Some(program), Some(pid)) = (&view.program, view.pid) {
        steps.push(format!("started {} as process {pid}", program.display()));
    }
    for NegotiationStep { request, outcome, elapsed } in &peer.steps {
        let took = elapsed.map(|elapsed| format!(" ({} ms)", elapsed.as_millis())).unwrap_or_default();
        steps.push(format!("{request}: {outcome}{took}"));
    }
    steps
}

fn print(output: Output, transport: &str, view: &ConnectionView, peer: &Peer) -> Result<(), Fault> {
    let name = peer.title.as_deref().or(peer.name.as_deref()).unwrap_or("a server without a name");
    let version = peer.version.as_deref().unwrap_or_default();
    output.line(&format!(
        "{} {}",
        output.tone(TextStyle::Strong, &escape_line(name)),
        escape_line(version)
    ))?;
    let field = |label: &str, value: &str| {
        output.line(&format!("  {} {value}", output.tone(TextStyle::Quiet, &format!("{label:<13}"))))
    };
    field("Protocol", &format!("{} ({} era, {transport})", peer.revision, peer.era))?;
    field("Ready", &format!("after {} ms", view.connect_time.unwrap_or_default().as_millis()))?;
    for (number, step) in steps(view, peer).iter().enumerate() {
        field(if number == 0 { "Steps" } else { "" }, &escape_line(step))?;
    }
    field("Why", &escape_line(&peer.reason.to_string()))?;
    let capabilities: Vec<String> = capabilities(peer);
    let words = if capabilities.is_empty() { "none declared".to_owned() } else { capabilities.join(", ") };
    field("Capabilities", &escape_line(&words))?;
    for (number, reached) in view.limits.iter().enumerate() {
        let LimitReached { name, limit, unit, times, .. } = reached;
        let words = format!("{name}: {limit} {unit}, reached {times} times");
        field(if number == 0 { "Limits" } else { "" }, &words)?;
    }
    for (number, diagnostic) in peer.diagnostics.iter().enumerate() {
        field(if number == 0 { "Remarks" } else { "" }, &escape_line(&diagnostic.to_string()))?;
    }
    if let Some(instructions) = &peer.instructions {
        for (number, line) in instructions.trim().lines().enumerate() {
            let bar = output.tone(TextStyle::Accent, "│");
            field(if number == 0 { "Server says" } else { "" }, &format!("{bar} {}", escape(line)))?;
        }
    }
    Ok(())
}

fn capabilities(peer: &Peer) -> Vec<String> {
    let value: serde_json::Value = serde_json::from_str(peer.capabilities.get()).unwrap_or_default();
    value.as_object().map(|object| object.keys().cloned().collect()).unwrap_or_default()
}
