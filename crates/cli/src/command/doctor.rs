//! `mooring doctor`: checks a server, or Mooring itself, step by step.

use std::path::Path;

use mooring_connect::{
    Session, Verb, find_running_server, host_options, host_target, open_passphrase_vault, resolve,
    take_named, take_none,
};
use mooring_doctor::{
    Attempt, Check, CheckOutcome, ConnectedFacts, DoctorReport, check_mooring, check_server, listing_error,
    report_of_open_error,
};
use mooring_errors::{Failure, FailureCode};
use mooring_host::{Host, HostOptions, home_from_environment};
use mooring_typed::Place;
use mooring_visits::{ItemKind, Server};
use mooring_words::{Sentence, say};

use crate::args;
use crate::fault::{Exit, Fault};
use crate::output::{Output, TextStyle, escape, escape_line};

const VERB: Verb = Verb::of("doctor");

pub(crate) async fn run(session: &Session, mut args: args::Doctor) -> Result<Exit, Fault> {
    let output = session.output;
    let place = take_named(&mut args.choice);
    let is_whole = place.is_none() && args.words.is_empty();
    if is_whole && !(args.header.is_empty() && args.env.is_empty()) {
        return Err(Fault::usage("--header and --env are for a URL or a command"));
    }
    let on_check = move |check: &Check| {
        if !output.json {
            // The reader of the output may be gone. The end of the command reports that.
            let _closed = print(output, check);
        }
    };
    let options = HostOptions { journal: true, ..host_options(home_from_environment()?) };
    let host = match session.interrupt.guard(Host::open(options)).await? {
        Ok(host) => host,
        Err(error) => {
            return finish(output, &report_of_open_error(&error, &on_check), args.report.as_deref()).await;
        }
    };
    let file = args.report.take();
    let checked = async {
        if is_whole {
            let apps = Host::app_environment(std::env::current_exe()).ok();
            return Ok(check_mooring(&host, apps.as_ref(), &on_check).await);
        }
        let (place, rest) = match place {
            Some(place) => (place, args.words),
            None => resolve(&host, VERB, &args.words).await?,
        };
        take_none(VERB, &rest)?;
        let running = match &place {
            Place::Saved(name) => find_attempt(session, name).await?,
            Place::Url(_) | Place::Command(_) => None,
        };
        if running.is_none() {
            open_passphrase_vault(&host).await;
        }
        let target = host_target(place, args.header, args.env, None)?;
        Ok(Box::pin(check_server(&host, target, running, &on_check)).await?)
    };
    let checked: Result<Result<DoctorReport, Fault>, Fault> =
        session.interrupt.guard(Box::pin(checked)).await;
    session.interrupt.clean_up(host.shutdown()).await;
    finish(output, &checked??, file.as_deref()).await
}

/// What the running Mooring knows about a server that it keeps running.
async fn find_attempt(session: &Session, name: &str) -> Result<Option<Attempt>, Fault> {
    let running = match find_running_server(session, name).await {
        Ok(Some(running)) => running,
        Ok(None) => return Ok(None),
        Err(fault) => {
            let Some(code) = FailureCode::from_name(&fault.kind) else { return Err(fault) };
            let failure = Failure::new(code, Sentence::quoted(fault.message));
            let next = fault.details.next.map(Sentence::quoted);
            return Ok(Some(Err(Failure { evidence: fault.details.evidence, next, ..failure })));
        }
    };
    let server = Server::Running(&running);
    let facts = server.facts();
    let tools = match server.list(ItemKind::Tools, false).await {
        Ok(list) => Ok(list.items.len()),
        Err(fault) => Err(listing_error(&fault.kind)),
    };
    let steps = facts.steps.into_iter();
    let steps =
        steps.map(|step| say!("{request}: {outcome}", request = step.request, outcome = step.outcome));
    let noise = facts.remarks.into_iter().filter(|remark| remark.code == "noise");
    Ok(Some(Ok(ConnectedFacts {
        pid: facts.pid,
        revision: facts.revision,
        steps: steps.collect(),
        reason: facts.reason.map(Sentence::quoted),
        noise: noise.map(|remark| remark.message).collect(),
        tools: Some(tools),
        was_running: true,
        was_asleep: false,
    })))
}

/// Prints a check for people.
fn print(output: Output, check: &Check) -> std::io::Result<()> {
    let style = match check.outcome {
        CheckOutcome::Passed => TextStyle::Good,
        CheckOutcome::Failed => TextStyle::Bad,
        CheckOutcome::Skipped => TextStyle::Quiet,
    };
    let outcome = format!("{:<8}", check.outcome.as_str());
    let subject = check.subject.as_deref().map(|subject| format!(": {subject}")).unwrap_or_default();
    let title = format!("{}{subject}", check.title);
    let (outcome, title) = (output.tone(style, &outcome), escape_line(&title));
    if check.outcome == CheckOutcome::Skipped {
        let reasons: Vec<&str> = check.evidence.iter().map(Sentence::as_str).collect();
        let reason = output.tone(TextStyle::Quiet, &escape_line(&reasons.join("; "))).into_owned();
        return output.line(&format!("{outcome} {title}: {reason}"));
    }
    output.line(&format!("{outcome} {}", output.tone(TextStyle::Strong, &title)))?;
    for sentence in &check.evidence {
        output.line(&format!("         {}", escape_line(sentence)))?;
    }
    for line in check.quoted.iter().flat_map(|quoted| quoted.lines()) {
        output.line(&format!("         {} {}", output.tone(TextStyle::Quiet, "│"), escape(line)))?;
    }
    for next in check.next.iter().filter(|_| check.outcome == CheckOutcome::Failed) {
        output.line(&format!("         → {}", escape_line(next)))?;
    }
    Ok(())
}

/// Writes the report file, and prints the result.
async fn finish(output: Output, report: &DoctorReport, file: Option<&Path>) -> Result<Exit, Fault> {
    if let Some(file) = file {
        tokio::fs::write(file, report.to_text()).await.map_err(|error| {
            Fault::new(Exit::Usage, "system", format!("{} couldn’t be written: {error}", file.display()))
        })?;
        output.note(&format!("The report is in {}. It has no secrets.", file.display()));
    }
    let failed = report.failed_count();
    let result = report.to_json();
    if failed == 0 {
        if output.json {
            output.result(&result)?;
        } else {
            output.line("No check failed.")?;
        }
        return Ok(Exit::Ok);
    }
    let message = if failed == 1 { "1 check failed".to_owned() } else { format!("{failed} checks failed") };
    if output.json {
        let fault =
            Fault::new(Exit::ToolError, "checks_failed", message).next("What the codes mean: docs/errors.md");
        let result = serde_json::value::to_raw_value(&result).map_err(anyhow::Error::from)?;
        output.print_failure(&fault, Some(&result), None)?;
    } else {
        output.line(&format!("{message}. What the codes mean: docs/errors.md"))?;
    }
    Ok(Exit::ToolError)
}
