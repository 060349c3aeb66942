//! The attempt to connect to a server, and the checks that follow from it.

use std::time::Duration;

use mooring_base::server_id::ServerId;
use mooring_connections::{ConnectOptions, Target};
use mooring_definitions::NewServer;
use mooring_errors::{Failure, FailureCode, HostError};
use mooring_host::Host;
use mooring_mcp::DiagnosticCode;
use mooring_process::{install_offer, package_of};
use mooring_server_state::{ConnectionView, StateName};
use mooring_words::{Sentence, say};

use crate::check::{Check, CheckCode, Fix};
use crate::run::Run;

/// How long connecting may take in all. The settings have a shorter limit, except for slow servers.
const CONNECT_LIMIT: Duration = Duration::from_mins(10);
/// How long listing the tools may take.
const LIST_LIMIT: Duration = Duration::from_mins(1);
/// How much longer than a start may take to wait for its result.
const START_GRACE: Duration = Duration::from_secs(10);
/// How often to look whether it has started.
const START_INTERVAL: Duration = Duration::from_millis(100);

/// What a connection shows about its server.
#[derive(Debug, Clone, Default)]
pub struct ConnectedFacts {
    /// The process id of a local server.
    pub pid: Option<u32>,
    /// The negotiated protocol revision.
    pub revision: Option<String>,
    /// The requests of the negotiation and their results.
    pub steps: Vec<Sentence>,
    /// Why that revision was chosen.
    pub reason: Option<Sentence>,
    /// What the server printed that is no message.
    pub noise: Vec<String>,
    /// How many tools it offers, or why they could not be listed. `None` if they were not listed yet.
    pub tools: Option<Result<usize, Sentence>>,
    /// Whether the connection was there before the checks.
    pub was_running: bool,
    /// Whether the server slept, and was woken by the checks.
    pub was_asleep: bool,
}

impl From<&ConnectionView> for ConnectedFacts {
    fn from(view: &ConnectionView) -> Self {
        let failed = view.failure.as_ref().map(|failure| Err(failure.message.clone()));
        let facts = Self {
            pid: view.pid,
            tools: failed.or(view.tool_count.map(Ok)),
            was_running: true,
            ..Self::default()
        };
        let Some(peer) = &view.peer else { return facts };
        let noise = peer.diagnostics.iter().filter(|odd| odd.code == DiagnosticCode::Noise);
        Self {
            revision: Some(peer.revision.clone()),
            steps: peer
                .steps
                .iter()
                .map(|step| {
                    say!(
                        "{request}: {outcome}",
                        request = step.request.clone(),
                        outcome = step.outcome.clone()
                    )
                })
                .collect(),
            reason: Some(peer.reason.clone()),
            noise: noise.map(|odd| odd.message.to_string()).collect(),
            ..facts
        }
    }
}

/// The server that is checked.
pub(crate) struct Subject<'a> {
    pub(crate) host: &'a Host,
    pub(crate) target: Target,
    pub(crate) server: Option<ServerId>,
    pub(crate) config: NewServer,
}

impl Subject<'_> {
    /// A fix that needs a saved server.
    pub(crate) fn saved(&self, fix: Fix) -> Option<Fix> {
        self.server.map(|_| fix)
    }

    fn fix_of(&self, failure: &Failure) -> Option<Fix> {
        use FailureCode as Code;
        let fix = match failure.code {
            Code::SignIn => Fix::SignIn,
            Code::DefinitionChanged => Fix::ReviewServer,
            Code::VaultLocked => return Some(Fix::OpenVault),
            Code::Certificate => return Some(Fix::OpenNetworkSettings),
            Code::Internal => Fix::RestartServer,
            Code::CommandNotFound => match self.install_fix() {
                Some(install) => return Some(install),
                None => Fix::EditServer,
            },
            Code::NotExecutable
            | Code::Exited
            | Code::Timeout
            | Code::Refused
            | Code::NotMcp
            | Code::HttpStatus
            | Code::Handshake
            | Code::TooLarge
            | Code::SecretMissing => Fix::EditServer,
        };
        self.saved(fix)
    }

    /// How to install the missing program, if Mooring knows its package.
    fn install_fix(&self) -> Option<Fix> {
        let command = self.config.command.as_deref()?;
        let offer = install_offer(command, &mooring_process::SearchPath::from_environment())?;
        let line = offer.command.map(|command| command.line.join(" "));
        Some(Fix::InstallProgram {
            package: package_of(command)?.to_owned(),
            page: offer.page.to_owned(),
            command: line.or(offer.terminal.map(str::to_owned)),
        })
    }

    pub(crate) fn failed(&self, code: CheckCode, failure: Failure) -> Check {
        let fix = self.fix_of(&failure);
        let is_slow = code == CheckCode::Start && failure.code == FailureCode::Timeout;
        let mut check = Check::from_failure(code, failure).fix(fix);
        if is_slow {
            let seconds = self.start_limit().as_secs();
            check.evidence.push(say!("it is too slow to start; the limit is {seconds} s", seconds));
        }
        check
    }

    /// How long the start of the server may take.
    fn start_limit(&self) -> Duration {
        self.host.settings().start_timeout()
    }
}

/// How the attempt to connect ended: what the connection shows, or why there is none.
pub type Attempt = Result<ConnectedFacts, Failure>;

/// The connection of the server: the one that runs, or a new one that is closed again. Another process has
/// removed the secrets from what it knows.
pub(crate) async fn connect(subject: &Subject<'_>, running: Option<Attempt>, run: &Run<'_>) -> Attempt {
    if let Some(running) = running {
        return running;
    }
    let attempt = connect_here(subject).await;
    redact_encrypted(run, subject, &attempt).await;
    attempt
}

/// Removes the encrypted values of the server from the following results. The connection did so until it was
/// closed, but what others say about the server may repeat them as well.
async fn redact_encrypted(run: &Run<'_>, subject: &Subject<'_>, attempt: &Attempt) {
    let is_known =
        |failure: &Failure| !matches!(failure.code, FailureCode::VaultLocked | FailureCode::SecretMissing);
    if attempt.as_ref().err().is_none_or(is_known) {
        subject.host.redact_encrypted(run.redactor(), subject.server, &subject.config).await;
    }
}

async fn connect_here(subject: &Subject<'_>) -> Attempt {
    if let Some(known) = own_connection(subject).await {
        return known;
    }
    // The era is found out again, so that the steps of the negotiation are there.
    let options = ConnectOptions { redetect_era: true, ..ConnectOptions::default() };
    let connecting = Box::pin(subject.host.connect(subject.target.clone(), options));
    let connected = tokio::time::timeout(CONNECT_LIMIT, connecting).await;
    let connection = match connected {
        Ok(Ok(connection)) => connection,
        Ok(Err(HostError::Connect(failure))) => return Err(*failure),
        Ok(Err(error)) => return Err(Failure::new(FailureCode::Internal, error.sentence())),
        Err(_) => {
            let seconds = CONNECT_LIMIT.as_secs();
            return Err(Failure::new(FailureCode::Timeout, say!("no result within {seconds} s", seconds)));
        }
    };
    let tools = match tokio::time::timeout(LIST_LIMIT, connection.tools(false)).await {
        Ok(Ok(list)) => Ok(list.tools.len()),
        // The server's own words may repeat a secret, which is not known any more when the report is written.
        Ok(Err(error)) => Err(listing_error(error.code().as_str())),
        Err(_) => Err(say!("no result within {seconds} s", seconds = LIST_LIMIT.as_secs())),
    };
    let facts = ConnectedFacts::from(&connection.view());
    connection.close().await;
    Ok(ConnectedFacts { tools: Some(tools), was_running: false, ..facts })
}

/// What is known from the connection that this process keeps, if the server runs, sleeps or is being retried. A
/// second start would compete with it.
async fn own_connection(subject: &Subject<'_>) -> Option<Attempt> {
    let server = subject.server?;
    let limit = subject.start_limit() + START_GRACE;
    let started = tokio::time::Instant::now();
    let mut was_asleep = false;
    loop {
        let view = subject.host.server(server).ok()?.connection;
        match view.state {
            StateName::Ready | StateName::Degraded | StateName::WaitingForYou => {
                let facts = ConnectedFacts::from(&view);
                return Some(Ok(ConnectedFacts { was_running: !was_asleep, was_asleep, ..facts }));
            }
            StateName::Asleep | StateName::Starting if started.elapsed() >= limit => {
                let seconds = limit.as_secs();
                let sentence = say!("it has been starting for more than {seconds} s", seconds);
                return Some(Err(Failure::new(FailureCode::Timeout, sentence)));
            }
            // A call may wake it at the same time. Both wait for the same start.
            StateName::Asleep => {
                was_asleep = true;
                let waking = subject.host.wait_for_attempt(server);
                // The next look decides, also if this took too long.
                let _late = tokio::time::timeout(limit.saturating_sub(started.elapsed()), waking).await;
            }
            StateName::Starting => tokio::time::sleep(START_INTERVAL).await,
            StateName::Reconnecting => return view.failure.map(Err),
            // The attempt that woke it has just failed.
            _ if was_asleep => return view.failure.map(Err),
            StateName::Stopped
            | StateName::SignInNeeded
            | StateName::Changed
            | StateName::Locked
            | StateName::Failed => return None,
        }
    }
}

/// Adds the checks of the secrets and of the approval.
pub(crate) fn add_access(
    subject: &Subject<'_>,
    attempt: &Attempt,
    blamed: Option<CheckCode>,
    run: &mut Run<'_>,
) {
    let count = subject.config.secrets.iter().filter(|secret| secret.entered).count();
    if count == 0 && blamed != Some(CheckCode::Secrets) {
        run.add(Check::skipped(CheckCode::Secrets, say!("it has no encrypted values")));
    } else {
        add_by_attempt(subject, CheckCode::Secrets, attempt, blamed, run);
    }
    if subject.server.is_none() {
        run.add(Check::skipped(CheckCode::Approval, say!("it isn’t a saved server")));
    } else {
        add_by_attempt(subject, CheckCode::Approval, attempt, blamed, run);
    }
}

/// Adds a check whose result follows from the attempt to connect.
pub(crate) fn add_by_attempt(
    subject: &Subject<'_>,
    code: CheckCode,
    attempt: &Attempt,
    blamed: Option<CheckCode>,
    run: &mut Run<'_>,
) {
    if run.is_blocked() {
        return run.skip_blocked(&[code]);
    }
    let check = match attempt {
        Err(failure) if blamed == Some(code) => subject.failed(code, failure.clone()),
        Err(_) => Check::passed(code, passed_before_failure(code)),
        Ok(facts) => connected_check(subject, code, facts),
    };
    // Noise on the output of a server that works does not stop the other checks.
    if attempt.is_ok() { run.add(check) } else { run.add_required(check) }
}

/// The evidence for a step that was done before the one that failed.
fn passed_before_failure(code: CheckCode) -> Option<Sentence> {
    match code {
        CheckCode::Secrets => Some(say!("all values could be decrypted")),
        CheckCode::Approval => Some(say!("it is as you approved it")),
        CheckCode::Start => Some(say!("the program was started")),
        CheckCode::Output => Some(say!("nothing but messages was printed")),
        _ => None,
    }
}

/// A check of a server that is connected.
fn connected_check(subject: &Subject<'_>, code: CheckCode, facts: &ConnectedFacts) -> Check {
    match code {
        CheckCode::Start => {
            let pid = facts.pid.map(|pid| pid.to_string()).unwrap_or_default();
            let sentence = match (facts.was_running, facts.pid) {
                _ if facts.was_asleep => say!("it slept, and started when it was needed"),
                (true, Some(_)) => say!("it is running as process {pid}; it wasn’t started again", pid),
                (true, None) => say!("it is running; it wasn’t started again"),
                (false, Some(_)) => say!("it started as process {pid}, and was stopped again", pid),
                (false, None) => say!("it started, and was stopped again"),
            };
            Check::passed(code, [sentence])
        }
        CheckCode::Output if !facts.noise.is_empty() => {
            let found = say!("it prints text that isn’t a message to its standard output");
            let next = say!("Change the server so that it prints such text to standard error.");
            Check { quoted: Some(facts.noise.join("\n")), ..Check::failed(code, [found]) }
                .next(next)
                .fix(subject.saved(Fix::EditServer))
        }
        CheckCode::Protocol => {
            let revision = facts
                .revision
                .iter()
                .map(|revision| say!("protocol version {revision}", revision = revision.clone()));
            Check::passed(code, revision.chain(facts.reason.clone()).chain(facts.steps.clone()))
        }
        _ => Check::passed(code, passed_before_failure(code)),
    }
}

/// Adds the check of the list of tools.
pub(crate) fn add_tools(attempt: &Attempt, run: &mut Run<'_>) {
    const CODE: CheckCode = CheckCode::Tools;
    if run.is_blocked() {
        return run.skip_blocked(&[CODE]);
    }
    let Ok(facts) = attempt else { return };
    run.add(match &facts.tools {
        Some(Ok(count)) => Check::passed(CODE, [say!("the number of tools is {count}", count = *count)]),
        Some(Err(reason)) => Check::failed(CODE, [reason.clone()])
            .next(say!("Refresh the list of tools. If it fails again, see the server’s Activity.")),
        None => Check::skipped(CODE, say!("it hasn’t listed its tools yet")),
    });
}

/// Says that the tools could not be listed, without the server's own words.
pub fn listing_error(code: &str) -> Sentence {
    say!("the tools couldn’t be listed: {code}", code)
}
