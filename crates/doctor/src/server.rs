//! The checks of one server.

use std::path::Path;
use std::time::Duration;

use mooring_connections::{FoundProgram, LaunchContext, Target};
use mooring_definitions::Transport;
use mooring_errors::{Failure, FailureCode, HostError};
use mooring_host::Host;
use mooring_words::say;

use crate::attempt::{Attempt, Subject, add_access, add_by_attempt, add_tools, connect};
use crate::check::{Check, CheckCode};
use crate::manager::version_manager;
use crate::remote;
use crate::report::DoctorReport;
use crate::run::{OnCheck, Run, within};

/// How long finding the program may take. A login shell may be slow.
const FIND_LIMIT: Duration = Duration::from_secs(30);

/// Checks one server. `running` is what another Mooring process knows that keeps the server running, so that
/// the server is not started a second time. Each check is passed to `on_check` as soon as it has a result. Dropping the
/// future cancels the checks, and ends what they have started.
pub async fn check_server(
    host: &Host,
    target: Target,
    running: Option<Attempt>,
    on_check: OnCheck<'_>,
) -> Result<DoctorReport, HostError> {
    let (server, config, place) = host.target_settings(target.clone())?;
    let mut run = Run::new(host.redactor([&config]), on_check);
    let name = config.name.clone();
    let subject = Subject { host, target, server, config };
    match subject.config.transport {
        Transport::Stdio => Box::pin(check_local(&subject, &place, running, &mut run)).await,
        Transport::Http => Box::pin(remote::check_remote(&subject, running, &mut run)).await,
    }
    Ok(DoctorReport::new(Some(name), run.finish()))
}

async fn check_local(
    subject: &Subject<'_>,
    place: &LaunchContext,
    running: Option<Attempt>,
    run: &mut Run<'_>,
) {
    use CheckCode as Code;
    const AFTER: [CheckCode; 6] =
        [Code::Secrets, Code::Approval, Code::Start, Code::Output, Code::Protocol, Code::Tools];
    let found = within(FIND_LIMIT, Code::Program, subject.host.find_program(&subject.config, place)).await;
    run.add_required(match found {
        Ok(Ok(found)) => program_check(&found),
        Ok(Err(failure)) => subject.failed(Code::Program, failure),
        Err(late) => late,
    });
    if run.is_blocked() {
        return run.skip_blocked(&AFTER);
    }
    let attempt = connect(subject, running, run).await;
    let blamed = attempt.as_ref().err().map(local_culprit);
    add_access(subject, &attempt, blamed, run);
    for code in [Code::Start, Code::Output, Code::Protocol] {
        add_by_attempt(subject, code, &attempt, blamed, run);
    }
    add_tools(&attempt, run);
}

fn program_check(found: &FoundProgram) -> Check {
    let program = found.program.display().to_string();
    let mut evidence = vec![match found.program.parent() {
        Some(folder) if found.search.directories().iter().any(|known| known == folder) => {
            say!("{program} was found in {whose}", program, whose = found.whose.clone())
        }
        _ => say!("{program} exists and can be run", program),
    }];
    evidence.extend(
        version_manager(Path::new(&found.program)).map(|manager| say!("it belongs to {manager}", manager)),
    );
    evidence.push(say!("it runs in the folder {folder}", folder = found.cwd.display().to_string()));
    Check::passed(CheckCode::Program, evidence)
}

/// The check that a failure of a local server belongs to.
fn local_culprit(failure: &Failure) -> CheckCode {
    match failure.code {
        FailureCode::SecretMissing | FailureCode::VaultLocked => CheckCode::Secrets,
        FailureCode::DefinitionChanged => CheckCode::Approval,
        FailureCode::NotMcp => CheckCode::Output,
        FailureCode::Handshake | FailureCode::TooLarge => CheckCode::Protocol,
        FailureCode::CommandNotFound
        | FailureCode::NotExecutable
        | FailureCode::Exited
        | FailureCode::Timeout
        | FailureCode::Refused
        | FailureCode::Certificate
        | FailureCode::HttpStatus
        | FailureCode::SignIn
        | FailureCode::Internal => CheckCode::Start,
    }
}
