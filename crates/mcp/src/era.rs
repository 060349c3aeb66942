//! Negotiates which era and revision a server speaks, and records the reason.
//!
//! By default, a server is first probed with `server/discover`, which only exists in the stateless era. The
//! response decides between the stateless era, a session with `initialize`, and the old HTTP+SSE transport.
//! Failures that say nothing about the era (a required sign-in, an unreachable or overloaded server) decide
//! nothing.

use std::sync::Arc;
use std::time::Duration;

use mooring_jsonrpc::code::{INVALID_PARAMS, METHOD_NOT_FOUND};
use mooring_words::{Sentence, say};
use tokio::time::Instant;

use crate::connection::{Connection, UrlTransport};
use crate::era::probe::{
    MODERN_ERRORS, ProbeOutcome, SessionHint, classify_answer, is_modern_error, read_supported_versions,
};
use crate::error::sentences::format_seconds;
use crate::error::{CloseReason, ConnectError, RequestError};
use crate::inbound::ClientHandler;
use crate::link::handshake_noise::NoiseSummary;
use crate::model::handshake::{Handshake, HandshakeStep, ServerCapabilities, ServerFacts};
use crate::options::{ClientOptions, EraChoice, ServerTarget};
use crate::request::Success;
use crate::revision::{Era, Revision};
use crate::tap::Tap;
use crate::wire::RequestSender;

pub(crate) mod probe;
mod stdio;

/// One attempt to connect, with everything that is needed to restart it.
pub(crate) struct Negotiation {
    target: ServerTarget,
    options: ClientOptions,
    inbound: Arc<dyn ClientHandler>,
    tap: Arc<dyn Tap>,
    started: Instant,
    steps: Vec<Sentence>,
    requests: Vec<HandshakeStep>,
}

impl Negotiation {
    pub(crate) fn new(
        target: ServerTarget,
        options: ClientOptions,
        inbound: Arc<dyn ClientHandler>,
        tap: Arc<dyn Tap>,
    ) -> Self {
        Self {
            target,
            options,
            inbound,
            tap,
            started: Instant::now(),
            steps: Vec::new(),
            requests: Vec::new(),
        }
    }

    fn is_over_http(&self) -> bool {
        matches!(self.target, ServerTarget::Http { .. })
    }

    fn open_connection(&self, transport: UrlTransport) -> Result<Connection, ConnectError> {
        Connection::open(self.target.clone(), transport, &self.options, &self.inbound, &self.tap)
    }

    fn record_step(&mut self, text: Sentence) {
        tracing::debug!(step = text.as_str(), "negotiation");
        self.steps.push(text);
    }

    fn record_request(&mut self, request: &'static str, elapsed: Option<Duration>, outcome: Sentence) {
        self.requests.push(HandshakeStep { request, outcome, elapsed });
    }

    pub(crate) async fn run(mut self) -> Result<(Connection, Handshake), ConnectError> {
        match self.options.era {
            EraChoice::Only(Era::LegacySse) => self.connect_over_sse(say!("Chosen by you")).await,
            EraChoice::Only(Era::Session) => {
                let connection = self.open_connection(UrlTransport::Streamable)?;
                self.open_session(connection, say!("Chosen by you"), Revision::SESSION, false).await
            }
            EraChoice::Only(Era::Modern) => self.negotiate(false).await,
            EraChoice::Remembered(Era::LegacySse) if self.is_over_http() => {
                match self.connect_over_sse(say!("Remembered from last time")).await {
                    Ok(connected) => Ok(connected),
                    // A required sign-in says nothing about the era (ERA-14).
                    Err(error @ ConnectError::SignIn { .. }) => Err(error),
                    Err(error) => self.renegotiate(error).await,
                }
            }
            EraChoice::Remembered(Era::Session) => {
                let connection = self.open_connection(UrlTransport::Streamable)?;
                match self
                    .open_session(connection, say!("Remembered from last time"), Revision::SESSION, true)
                    .await
                {
                    Err(error) if is_era_mismatch(&error) => self.renegotiate(error).await,
                    outcome => outcome,
                }
            }
            EraChoice::Auto | EraChoice::Remembered(_) => self.negotiate(true).await,
        }
    }

    /// Negotiates because the remembered era no longer works.
    async fn renegotiate(&mut self, error: ConnectError) -> Result<(Connection, Handshake), ConnectError> {
        self.record_step(say!(
            "The remembered protocol version no longer works: {reason}",
            reason = error.sentence()
        ));
        self.negotiate(true).await
    }

    /// Probes with `server/discover` and continues with what the response suggests.
    async fn negotiate(&mut self, may_fall_back: bool) -> Result<(Connection, Handshake), ConnectError> {
        let connection = self.open_connection(UrlTransport::Streamable)?;
        let probe = if self.is_over_http() || !may_fall_back {
            self.probe_server(&connection.wire).await
        } else {
            match self.probe_stdio(&connection.wire).await {
                ProbeOutcome::Modern(None) => self.probe_server_once(&connection.wire).await,
                probe => probe,
            }
        };
        match probe {
            ProbeOutcome::Modern(found) => Ok(self.use_modern(connection, found)),
            // If the era was chosen, the probe's answer doesn't matter (ERA-28).
            ProbeOutcome::Session { hint: SessionHint::Unknown, .. } if !may_fall_back => {
                Ok(self.use_modern_unprobed(connection, say!("Chosen by you")))
            }
            ProbeOutcome::UnsupportedRevisions(offered) => {
                self.give_up(connection, ConnectError::Revision { offered }).await
            }
            ProbeOutcome::Inconclusive(error) => {
                let garbage = connection.wire.link.end_of_handshake();
                let error = to_connect_error(&connection.wire, error, garbage);
                self.give_up(connection, error).await
            }
            ProbeOutcome::Session { why, .. } if !may_fall_back => {
                let reason =
                    say!("it doesn’t support {revision}: {why}", revision = Revision::MODERN.as_str(), why);
                self.give_up(connection, ConnectError::Handshake { reason }).await
            }
            ProbeOutcome::Session { why, hint: SessionHint::Silent } => {
                self.open_after_silence(connection, why).await
            }
            ProbeOutcome::Session { why, hint: clue } => {
                let revision =
                    if let SessionHint::Named(revision) = clue { revision } else { Revision::SESSION };
                match self.open_session(connection, why, revision, true).await {
                    Err(ConnectError::Rejected(error))
                        if clue == SessionHint::Unknown && is_modern_error(&error) =>
                    {
                        let why = say!(
                            "Rejected initialize with error {code}, as only stateless servers (2026-07-28) do",
                            code = error.code
                        );
                        self.record_step(why.clone());
                        let connection = self.open_connection(UrlTransport::Streamable)?;
                        Ok(self.use_modern_unprobed(connection, why))
                    }
                    outcome => outcome,
                }
            }
            ProbeOutcome::OldTransport if may_fall_back => {
                connection.abandon().await;
                self.connect_over_sse(say!("Answered a POST with the event stream of HTTP+SSE")).await
            }
            ProbeOutcome::OldTransport => self.give_up(connection, ConnectError::OldTransport).await,
            ProbeOutcome::Initialized { why, offered, answer } => {
                match self.finish_session(connection, why, offered, *answer, true).await {
                    // The server was slow to exit after the probe.
                    Err(ConnectError::Exited { .. }) => {
                        self.restart(say!("Exited after server/discover and then initialize; started again"))
                            .await
                    }
                    outcome => outcome,
                }
            }
            ProbeOutcome::Died if may_fall_back => {
                connection.abandon().await;
                self.restart(say!("Exited after server/discover; started again")).await
            }
            ProbeOutcome::Died => {
                let error = to_exited_error(&connection.wire);
                self.give_up(connection, error).await
            }
        }
    }

    /// Opens a session with a server that did not answer the probe. A server of the stateless era that was
    /// only slow to start refuses that, and then answers another probe in the same process (ERA-05).
    async fn open_after_silence(
        &mut self,
        connection: Connection,
        why: Sentence,
    ) -> Result<(Connection, Handshake), ConnectError> {
        let (offered, answer) = self.offer_revision(&connection.wire, Revision::SESSION).await;
        if let Err(RequestError::Rpc(error)) = &answer
            && (MODERN_ERRORS.contains(&error.code) || error.code == METHOD_NOT_FOUND)
        {
            self.record_step(say!(
                "initialize was rejected with error {code}; server/discover is sent again",
                code = error.code
            ));
            if let ProbeOutcome::Modern(found) = self.probe_server(&connection.wire).await {
                return Ok(self.use_modern(connection, found));
            }
        }
        match self.finish_session(connection, why, offered, answer, true).await {
            // The server was slow to exit after the probe.
            Err(ConnectError::Exited { .. }) => {
                self.restart(say!("Exited after server/discover; started again")).await
            }
            outcome => outcome,
        }
    }

    /// Restarts a server that exited after the probe, without probing again (ERA-06).
    async fn restart(&mut self, why: Sentence) -> Result<(Connection, Handshake), ConnectError> {
        let connection = self.open_connection(UrlTransport::Streamable)?;
        self.open_session(connection, why, Revision::SESSION, false).await
    }

    async fn give_up<T>(&mut self, connection: Connection, error: ConnectError) -> Result<T, ConnectError> {
        connection.abandon().await;
        Err(error)
    }

    async fn probe_server(&mut self, wire: &RequestSender) -> ProbeOutcome {
        match self.probe_server_once(wire).await {
            // The server named the version that the probe used. Try again once (ERA-18).
            ProbeOutcome::Modern(None) => self.probe_server_once(wire).await,
            probe => probe,
        }
    }

    async fn probe_server_once(&mut self, wire: &RequestSender) -> ProbeOutcome {
        let over_http = self.is_over_http();
        // Old servers may not answer. The probe is only cut short if another era can be tried. Over HTTP, the
        // server may still be starting and need more time.
        let patient = self.options.era == EraChoice::Only(Era::Modern);
        let wait = match (patient, over_http) {
            (true, _) => self.options.deadlines.connect,
            (false, true) => HTTP_PROBE.min(self.options.deadlines.connect / 2),
            (false, false) => self.options.probe,
        };
        let asked = Instant::now();
        let answer = wire.send_discover(wait).await;
        self.record_probe(classify_answer(answer, over_http, patient), asked)
    }

    /// Records the outcome of the probe that was sent at `asked`.
    fn record_probe(&mut self, probe: ProbeOutcome, asked: Instant) -> ProbeOutcome {
        let elapsed = asked.elapsed();
        let took = elapsed.as_millis();
        self.record_request("server/discover", Some(elapsed), probe.describe_outcome());
        let text = match &probe {
            ProbeOutcome::Modern(Some(_)) => say!("server/discover was answered in {took} ms", took),
            ProbeOutcome::Modern(None) => {
                say!(
                    "server/discover was rejected in {took} ms, as only stateless servers (2026-07-28) do",
                    took
                )
            }
            ProbeOutcome::Session { why, .. } | ProbeOutcome::Initialized { why, .. } => {
                say!("{why} ({took} ms)", why, took)
            }
            ProbeOutcome::OldTransport => {
                say!("server/discover was answered with the event stream of HTTP+SSE in {took} ms", took)
            }
            ProbeOutcome::Died => say!("the process ended {took} ms after server/discover", took),
            ProbeOutcome::UnsupportedRevisions(offered) => {
                say!("only unsupported protocol versions are offered: {offered}", offered)
            }
            ProbeOutcome::Inconclusive(error) => {
                say!(
                    "server/discover failed without showing the protocol version: {reason}",
                    reason = error.sentence()
                )
            }
        };
        self.record_step(text);
        probe
    }

    /// Uses the stateless era with a server that did not answer `server/discover`.
    fn use_modern_unprobed(&mut self, connection: Connection, why: Sentence) -> (Connection, Handshake) {
        drop(connection.wire.link.end_of_handshake());
        connection.switch_to_modern();
        let revision = Revision::MODERN;
        let reason =
            say!("{why}; {revision} is used without server/discover.", why, revision = revision.as_str());
        let handshake =
            self.build_handshake(ServerFacts::default(), Vec::new(), revision, Era::Modern, reason);
        (connection, handshake)
    }

    fn use_modern(&mut self, connection: Connection, found: Option<Box<Success>>) -> (Connection, Handshake) {
        drop(connection.wire.link.end_of_handshake());
        connection.switch_to_modern();
        let took = self.started.elapsed().as_millis();
        let revision = Revision::MODERN;
        let mut facts = ServerFacts::default();
        let mut diagnostics = Vec::new();
        let mut reason = say!(
            "Rejected server/discover in {took} ms with an error that only {revision} has.",
            revision = revision.as_str(),
            took
        );
        if let Some(found) = found {
            facts = ServerFacts::from_discover(found.raw.get(), &self.options.limits);
            diagnostics = found.diagnostics;
            reason = say!(
                "Answered server/discover with {revision} in {took} ms.",
                revision = revision.as_str(),
                took
            );
        }
        diagnostics.extend(facts.diagnostics.iter().cloned());
        let handshake = self.build_handshake(facts, diagnostics, revision, Era::Modern, reason);
        (connection, handshake)
    }

    async fn initialize(&mut self, wire: &RequestSender, offered: Revision) -> Result<Success, RequestError> {
        let asked = Instant::now();
        let answer = wire.send_initialize(offered).await;
        let outcome = match &answer {
            Ok(_) => say!("answered, where {offered} was offered", offered = offered.as_str()),
            Err(error) => error.sentence(),
        };
        self.record_request("initialize", Some(asked.elapsed()), outcome);
        answer
    }

    /// Opens a session with `initialize`, offering `revision`. If `initialize` fails as old servers fail it,
    /// and `may_fall_back` is set, tries HTTP+SSE.
    async fn open_session(
        &mut self,
        connection: Connection,
        why: Sentence,
        revision: Revision,
        may_fall_back: bool,
    ) -> Result<(Connection, Handshake), ConnectError> {
        let (offered, answer) = self.offer_revision(&connection.wire, revision).await;
        self.finish_session(connection, why, offered, answer, may_fall_back).await
    }

    /// Sends `initialize`, again if the response names other revisions. Returns the last offer and response.
    async fn offer_revision(
        &mut self,
        wire: &RequestSender,
        revision: Revision,
    ) -> (Revision, Result<Success, RequestError>) {
        let mut offered = revision;
        let mut answer = self.initialize(wire, offered).await;
        if let Err(RequestError::Rpc(error)) = &answer
            && error.code == INVALID_PARAMS
            && let Some(other) = read_supported_versions(error)
                .into_iter()
                .filter_map(|name| Revision::with_session(&name))
                .max()
            && other != offered
        {
            // The error names the supported revisions (LIFE-11).
            self.record_step(say!(
                "initialize with {offered} was rejected; {other} is supported",
                offered = offered.as_str(),
                other = other.as_str()
            ));
            offered = other;
            answer = self.initialize(wire, offered).await;
        }
        (offered, answer)
    }

    /// Continues after the response to `initialize`.
    async fn finish_session(
        &mut self,
        connection: Connection,
        why: Sentence,
        offered: Revision,
        answer: Result<Success, RequestError>,
        may_fall_back: bool,
    ) -> Result<(Connection, Handshake), ConnectError> {
        let garbage = connection.wire.link.end_of_handshake();
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => {
                let old = self.is_over_http() && may_fall_back && is_from_before_streamable(&error);
                let error = to_connect_error(&connection.wire, error, garbage);
                connection.abandon().await;
                if old {
                    self.record_step(say!(
                        "initialize was rejected ({reason}), as servers of 2024-11-05 do",
                        reason = error.sentence()
                    ));
                    let found = self.connect_over_sse(say!("Rejected initialize by POST")).await;
                    return found.map_err(|legacy| match legacy {
                        // The stream exists but requires a sign-in (ERA-14).
                        ConnectError::SignIn { .. } => legacy,
                        _ if matches!(error, ConnectError::OldTransport) => legacy,
                        // There is no such stream. The first error is reported.
                        ConnectError::Status { status: 404 | 405, .. } => error,
                        _ => {
                            self.record_step(say!(
                                "HTTP+SSE was tried: {reason}",
                                reason = legacy.sentence()
                            ));
                            // The outer error already says that there is no connection.
                            let sse = match legacy {
                                ConnectError::Unreachable { reason } | ConnectError::Handshake { reason } => {
                                    reason
                                }
                                other => other.sentence(),
                            };
                            ConnectError::AlsoOverSse { error: Box::new(error), sse }
                        }
                    });
                }
                return Err(error);
            }
        };
        match self.accept_initialize(&connection.wire, answer, why, offered, Era::Session) {
            Ok(handshake) => {
                connection.start_session().await;
                Ok((connection, handshake))
            }
            Err(error) => self.give_up(connection, error).await,
        }
    }

    async fn connect_over_sse(&mut self, why: Sentence) -> Result<(Connection, Handshake), ConnectError> {
        if !self.is_over_http() {
            let reason = say!("HTTP+SSE needs a URL; this server is a program");
            return Err(ConnectError::Handshake { reason });
        }
        let connection = self.open_connection(UrlTransport::Sse)?;
        let offered = Revision::SESSION;
        let answer = self.initialize(&connection.wire, offered).await;
        let garbage = connection.wire.link.end_of_handshake();
        let agreed = match answer {
            Ok(answer) => self.accept_initialize(&connection.wire, answer, why, offered, Era::LegacySse),
            Err(error) => Err(to_connect_error(&connection.wire, error, garbage)),
        };
        match agreed {
            Ok(handshake) => {
                connection.start_session().await;
                Ok((connection, handshake))
            }
            Err(error) => self.give_up(connection, error).await,
        }
    }

    fn accept_initialize(
        &mut self,
        wire: &RequestSender,
        answer: Success,
        why: Sentence,
        offered: Revision,
        era: Era,
    ) -> Result<Handshake, ConnectError> {
        let facts = ServerFacts::from_initialize(answer.raw.get(), &self.options.limits);
        let mut diagnostics = answer.diagnostics;
        diagnostics.extend(facts.diagnostics.iter().cloned());
        let named = facts.revision.clone();
        let named =
            named.ok_or_else(|| ConnectError::Handshake { reason: say!("protocolVersion is missing") })?;
        let revision = Revision::with_session(&named).ok_or(ConnectError::Revision { offered: named })?;
        wire.link.set_revision(revision);
        if let Some(server) = &wire.server {
            server.set_revision(revision);
        }
        let took = self.started.elapsed().as_millis();
        let with = if revision == offered {
            say!("initialize was answered with {revision} in {took} ms", revision = revision.as_str(), took)
        } else {
            say!(
                "initialize was answered with {revision}, where {offered} was offered, in {took} ms",
                revision = revision.as_str(),
                offered = offered.as_str(),
                took
            )
        };
        let with = match era {
            Era::LegacySse => say!("{answer} over HTTP+SSE, which is deprecated", answer = with),
            Era::Session | Era::Modern => with,
        };
        self.record_step(with.clone());
        let reason = say!("{why}; {answer}.", why, answer = with);
        Ok(self.build_handshake(facts, diagnostics, revision, era, reason))
    }

    fn build_handshake(
        &mut self,
        facts: ServerFacts,
        diagnostics: Vec<crate::Diagnostic>,
        revision: Revision,
        era: Era,
        reason: Sentence,
    ) -> Handshake {
        let offers =
            facts.capabilities.as_deref().map(|raw| ServerCapabilities::read(raw.get())).unwrap_or_default();
        Handshake {
            offers,
            server_name: facts.name,
            server_title: facts.title,
            server_version: facts.version,
            server_icons: facts.icons.map(Into::into),
            instructions: facts.instructions,
            revision,
            era,
            reason,
            steps: std::mem::take(&mut self.steps),
            negotiation: std::mem::take(&mut self.requests),
            capabilities: facts
                .capabilities
                .unwrap_or_else(|| mooring_jsonrpc::raw("{}").unwrap_or_default()),
            diagnostics,
            elapsed: self.started.elapsed(),
        }
    }
}

/// Whether an error suggests that the server has left the remembered session era.
fn is_era_mismatch(error: &ConnectError) -> bool {
    match error {
        ConnectError::Rejected(error) => {
            MODERN_ERRORS.contains(&error.code) || error.code == METHOD_NOT_FOUND
        }
        ConnectError::Revision { .. } => true,
        ConnectError::Status { status, .. } => matches!(status, 400 | 404 | 405),
        ConnectError::AlsoOverSse { error, .. } => is_era_mismatch(error),
        _ => false,
    }
}

/// Whether servers of 2024-11-05 answer a POST of `initialize` with this error (ERA-16, ERA-17).
fn is_from_before_streamable(error: &RequestError) -> bool {
    match error {
        RequestError::Status { status, .. } => matches!(status, 400 | 404 | 405),
        RequestError::OldTransport => true,
        RequestError::Rpc(error) => {
            matches!(error.status, Some(400 | 404 | 405))
                && !MODERN_ERRORS.contains(&error.code)
                && error.code != METHOD_NOT_FOUND
        }
        _ => false,
    }
}

fn to_exited_error(wire: &RequestSender) -> ConnectError {
    match &*wire.link.closed().borrow() {
        Some(CloseReason::Exited { exit, stderr }) => {
            ConnectError::Exited { exit: exit.clone(), stderr: stderr.clone() }
        }
        _ => ConnectError::Exited { exit: say!("it closed its output"), stderr: wire.tail.error_lines() },
    }
}

fn to_connect_error(
    wire: &RequestSender,
    error: RequestError,
    garbage: Option<NoiseSummary>,
) -> ConnectError {
    let stderr = wire.tail.error_lines();
    match error {
        RequestError::Rpc(error) => ConnectError::Rejected(error),
        RequestError::Timeout { after, is_stream_silent, .. } => match garbage {
            Some(NoiseSummary { what, excerpt }) => {
                let seconds = format_seconds(after);
                let what = say!("{reason} (no answer within {seconds} s)", reason = what, seconds);
                ConnectError::NotMcp { what, excerpt }
            }
            None => ConnectError::Timeout { after, is_stream_silent, stderr },
        },
        RequestError::Closed(CloseReason::Exited { exit, stderr }) => ConnectError::Exited { exit, stderr },
        RequestError::Closed(CloseReason::StreamLost { reason }) => ConnectError::Unreachable { reason },
        RequestError::Closed(reason) => ConnectError::Exited { exit: reason.sentence(), stderr },
        RequestError::NotMcp { what, excerpt } => ConnectError::NotMcp { what, excerpt },
        RequestError::SessionLost { answer, .. } => to_connect_error(wire, *answer, garbage),
        RequestError::Status { status, excerpt, hints } => ConnectError::Status { status, excerpt, hints },
        RequestError::Certificate { reason } => ConnectError::Certificate { reason },
        RequestError::OldTransport => ConnectError::OldTransport,
        RequestError::SignIn { status, challenge } => ConnectError::SignIn { status, challenge },
        RequestError::Unreachable { reason } => ConnectError::Unreachable { reason },
        RequestError::Renewal { reason } => ConnectError::Renewal { reason },
        error => ConnectError::Handshake { reason: error.sentence() },
    }
}

/// The longest wait for a response to the probe over HTTP before the other era is tried.
const HTTP_PROBE: Duration = Duration::from_secs(20);
