//! The checks of the way to sign in, for a server that requires an account.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use mooring_accounts::SignInInspection;
use mooring_oauth::{Error, Purpose, Step, StepObserver};
use mooring_words::{Sentence, say};
use url::Url;

use crate::attempt::Subject;
use crate::check::{Check, CheckCode, Fix};
use crate::run::{Run, within};

/// How long finding out how to sign in may take in all.
const LIMIT: Duration = Duration::from_mins(3);
/// How far the clock may be off. Tokens and assertions tolerate about as much.
const MAX_CLOCK_DIFFERENCE: Duration = Duration::from_mins(5);

const CODES: [CheckCode; 5] = [
    CheckCode::ResourceMetadata,
    CheckCode::AuthorizationServer,
    CheckCode::Client,
    CheckCode::RedirectAddress,
    CheckCode::Clock,
];

/// Adds the checks for a server that requires no sign-in now.
pub(crate) fn add_skipped(run: &mut Run<'_>) {
    if run.is_blocked() {
        return run.skip_blocked(&CODES);
    }
    for code in CODES {
        run.add(Check::skipped(code, say!("the server doesn’t ask for a sign-in now")));
    }
}

/// Adds the checks for a server that requires a sign-in.
pub(crate) async fn add_checks(subject: &Subject<'_>, url: &Url, run: &mut Run<'_>) {
    let steps: Arc<Mutex<Vec<Step>>> = Arc::default();
    let seen = Arc::clone(&steps);
    let trail = StepObserver::new(move |step| {
        seen.lock().unwrap_or_else(PoisonError::into_inner).push(step);
    });
    let inspecting = Box::pin(subject.host.inspect_sign_in(subject.server, url, trail));
    let inspection = match within(LIMIT, CheckCode::ResourceMetadata, inspecting).await {
        Ok(inspection) => inspection,
        Err(late) => {
            run.add(late);
            for code in CODES.into_iter().skip(1) {
                let check = CheckCode::ResourceMetadata.title();
                run.add(Check::skipped(code, say!("“{check}” failed", check)));
            }
            return;
        }
    };
    let steps = std::mem::take(&mut *steps.lock().unwrap_or_else(PoisonError::into_inner));
    for check in checks(subject, &inspection, &steps) {
        run.add(check);
    }
}

fn checks(subject: &Subject<'_>, inspection: &SignInInspection, steps: &[Step]) -> Vec<Check> {
    use CheckCode as Code;
    let SignInInspection { discovery, client, redirect, server_time } = inspection;
    let server_steps = describe_steps(steps, &[Purpose::ServerMetadata]);
    let resource_steps = describe_steps(steps, &[Purpose::Challenge, Purpose::ResourceMetadata]);
    let resource_failed = discovery.is_err() && server_steps.is_empty();
    let fix = || subject.saved(Fix::EditServer);
    let skipped =
        |code, failed: CheckCode| Check::skipped(code, say!("“{check}” failed", check = failed.title()));
    let (resource, server) = match discovery {
        Err(error) if resource_failed => (
            failed(Code::ResourceMetadata, resource_steps, error).fix(fix()),
            skipped(Code::AuthorizationServer, Code::ResourceMetadata),
        ),
        Err(error) => (
            Check::passed(Code::ResourceMetadata, resource_steps),
            failed(Code::AuthorizationServer, server_steps, error).fix(fix()),
        ),
        Ok(found) => {
            let issuer = say!("the authorization server is {issuer}", issuer = found.server.issuer.clone());
            let server = match found.server.check_pkce() {
                Ok(()) => Check::passed(Code::AuthorizationServer, [issuer].into_iter().chain(server_steps)),
                Err(error) => {
                    let evidence = [issuer].into_iter().chain(server_steps).collect();
                    failed(Code::AuthorizationServer, evidence, &error)
                }
            };
            (Check::passed(Code::ResourceMetadata, resource_steps), server)
        }
    };
    let culprit = if resource_failed { Code::ResourceMetadata } else { Code::AuthorizationServer };
    let client_check = match client {
        None => skipped(Code::Client, culprit),
        Some(Ok(chosen)) => Check::passed(Code::Client, [chosen.reason.clone()]),
        Some(Err(error)) => failed(Code::Client, Vec::new(), error).fix(subject.saved(Fix::SignIn)),
    };
    let redirect_check = match redirect {
        None if client.is_none() => skipped(Code::RedirectAddress, culprit),
        None => skipped(Code::RedirectAddress, Code::Client),
        Some(Ok(redirect)) => {
            Check::passed(Code::RedirectAddress, [say!("{uri} is free", uri = redirect.as_str())])
        }
        Some(Err(error)) => failed(Code::RedirectAddress, Vec::new(), error),
    };
    vec![resource, server, client_check, redirect_check, clock_check(*server_time, SystemTime::now())]
}

fn failed(code: CheckCode, mut evidence: Vec<Sentence>, error: &Error) -> Check {
    let sentence = error.sentence();
    if evidence.last() != Some(sentence) {
        evidence.push(sentence.clone());
    }
    let next = match code {
        CheckCode::Client => say!("Register a client there, and enter its ID when you sign in."),
        CheckCode::RedirectAddress => say!("End the program that uses the port, then try again."),
        _ => say!("Ask the operator of the server. Meanwhile, an Authorization header may work."),
    };
    Check::failed(code, evidence).next(next)
}

/// What was requested and found, step by step.
fn describe_steps(steps: &[Step], purposes: &[Purpose]) -> Vec<Sentence> {
    let wanted = steps.iter().filter(|step| purposes.contains(&step.purpose));
    wanted
        .map(|step| match (&step.url, step.status) {
            (Some(url), Some(status)) => {
                say!("{url} (HTTP status {status}): {found}", url, status, found = step.found.clone())
            }
            (Some(url), None) => say!("{url}: {found}", url, found = step.found.clone()),
            (None, _) => step.found.clone(),
        })
        .collect()
}

fn clock_check(server_time: Option<SystemTime>, now: SystemTime) -> Check {
    let Some(server_time) = server_time else {
        return Check::skipped(CheckCode::Clock, say!("the server didn’t send its time"));
    };
    let difference = now.duration_since(server_time).unwrap_or_else(|error| error.duration());
    let seconds = difference.as_secs();
    let sentence = say!("the clocks differ by {seconds} s", seconds);
    if difference <= MAX_CLOCK_DIFFERENCE {
        return Check::passed(CheckCode::Clock, [sentence]);
    }
    let next = say!("Set this computer’s clock, or let the system set it from the network.");
    Check::failed(CheckCode::Clock, [sentence]).next(next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::CheckOutcome;

    #[test]
    fn clocks_may_differ_by_minutes() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        let outcome = |seconds: i64| {
            let offset = Duration::from_secs(seconds.unsigned_abs());
            let server = if seconds < 0 { now - offset } else { now + offset };
            clock_check(Some(server), now).outcome
        };
        assert_eq!(outcome(0), CheckOutcome::Passed);
        assert_eq!(outcome(-299), CheckOutcome::Passed);
        assert_eq!(outcome(301), CheckOutcome::Failed);
        assert_eq!(outcome(-3_600), CheckOutcome::Failed);
        assert_eq!(clock_check(None, now).outcome, CheckOutcome::Skipped);
    }
}
