//! The task that owns a connection: it holds the one state, does what the state asks for, and publishes
//! every change. Dropping it ends everything it holds.

use std::collections::BTreeMap;
use std::future::pending;
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use mooring_accounts::{Opened, SignInRequired};
use mooring_approvals::Trust;
use mooring_base::clock::now_ms;
use mooring_base::server_id::ServerId;
use mooring_mcp::{Client, CloseReason, ConnectError, Era, EraChoice, Handshake, HandshakeStep};
use mooring_recorder::Recorder;
use mooring_words::Sentence;
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;

use super::lists::{Kind, Read, Reading};
use super::recorded::{record, redacted};
use super::restore::restore;
use super::shared::{Ear, Shared};
use super::state::{Endurance, Event, State, back_off};
use super::wishes::{Wish, Wished};
use super::{Dialer, Link, Predecessor, SHOWN_LINE, Snapshot, Spec, access};
use crate::connection::listed::{Listed, items};
use crate::failure::{Failure, FailureCode};
use crate::server::{NegotiationStep, Peer};
use crate::{eras, failure, launch};

/// See the module.
pub(super) struct Task {
    spec: Spec,
    dialer: Arc<Dialer>,
    shared: Arc<Shared>,
    wishes: Wished,
    publish: watch::Sender<Snapshot>,
    predecessor: Option<Predecessor>,
    /// Writes for the current or the last attempt.
    recorder: Option<Arc<Recorder>>,
    program: Option<PathBuf>,
    link: Option<Arc<Link>>,
    connected_at: Instant,
    reading: Option<Reading>,
    /// The lists that could not be read.
    unread: BTreeMap<Kind, Failure>,
    /// Asks for the subscriptions of an earlier connection again.
    restoring: Option<BoxFuture<'static, ()>>,
    stderr: Vec<String>,
    /// Who waits for the end.
    stopping: Vec<oneshot::Sender<()>>,
}

impl Task {
    pub(super) fn new(
        spec: Spec,
        dialer: Arc<Dialer>,
        shared: Arc<Shared>,
        wishes: Wished,
        predecessor: Option<Predecessor>,
    ) -> (Self, watch::Receiver<Snapshot>) {
        let (publish, snapshot) = watch::channel(Snapshot {
            state: State::Stopped,
            since_ms: now_ms(),
            link: None,
            program: None,
            stderr: Vec::new(),
        });
        let task = Self {
            spec,
            dialer,
            shared,
            wishes,
            publish,
            predecessor,
            recorder: None,
            program: None,
            link: None,
            connected_at: Instant::now(),
            reading: None,
            unread: BTreeMap::new(),
            restoring: None,
            stderr: Vec::new(),
            stopping: Vec::new(),
        };
        (task, snapshot)
    }

    pub(super) async fn run(mut self) {
        let mut state = State::Stopped;
        loop {
            let event = match &state {
                State::Starting { .. } => self.start().await,
                State::Connected { .. } => self.hold().await,
                State::Reconnecting { attempt, .. } => self.wait(*attempt).await,
                State::Stopped | State::SignInNeeded(_) | State::Changed(_) | State::Failed(_) => {
                    self.rest().await
                }
            };
            if let Some(next) = state.next(event, self.spec.endurance) {
                state = next;
                self.enter(&state).await;
            }
            if state == State::Stopped {
                self.release().await;
            }
        }
    }

    /// Publishes and logs a new state.
    async fn enter(&mut self, state: &State) {
        if !matches!(state, State::Connected { .. })
            && let Some(link) = &self.link
        {
            self.stderr = link.stderr();
            self.shared.forget_lists();
            self.shared.responder.forget_opened();
        }
        let connected = matches!(state, State::Connected { .. });
        self.publish.send_replace(Snapshot {
            state: state.clone(),
            since_ms: now_ms(),
            link: self.link.clone().filter(|_| connected),
            program: self.program.clone(),
            stderr: self.stderr.clone(),
        });
        self.shared.announce();
        if matches!(state, State::Starting { .. }) {
            // Written with the recorder of the attempt, which `start` makes.
            return;
        }
        if let Some(recorder) = &self.recorder {
            recorder.state(record(state.name(), state.attempt(), state.failure())).await;
        }
    }

    /// Ends what is left of a stopped connection, in good order.
    async fn release(&mut self) {
        self.forget_work();
        if let Some(link) = self.link.take() {
            link.client.shutdown().await;
        }
        for stopped in self.stopping.drain(..) {
            // Whoever asked may have stopped waiting.
            let _gone = stopped.send(());
        }
    }

    /// Waits for a wish.
    async fn rest(&mut self) -> Event {
        self.forget_work();
        self.link = None;
        self.recorder = self.recorder.take().map(|recorder| Arc::new(recorder.without_secrets()));
        if self.wishes.is_empty()
            && let Some(predecessor) = self.predecessor.take()
        {
            predecessor.await;
        }
        loop {
            let wish = self.wishes.next().await;
            if let Some(event) = self.event(wish) {
                return event;
            }
        }
    }

    /// What a wish means outside of `hold`, where there is nothing to list.
    fn event(&mut self, wish: Wish) -> Option<Event> {
        match wish {
            Wish::Start => Some(Event::Start),
            Wish::Stop(done) => {
                self.stopping.extend(done);
                Some(Event::Stop)
            }
            Wish::List(_) => None,
        }
    }

    /// Waits before an attempt.
    async fn wait(&mut self, attempt: u32) -> Event {
        self.link = None;
        let due = Instant::now() + back_off(attempt, RandomState::new().hash_one(attempt));
        loop {
            tokio::select! {
                () = tokio::time::sleep_until(due) => return Event::Due,
                wish = self.wishes.next() => {
                    if let Some(event) = self.event(wish) {
                        return event;
                    }
                }
            }
        }
    }

    /// Connects. A stop drops the attempt, and with it the process.
    async fn start(&mut self) -> Event {
        self.link = None;
        self.stderr.clear();
        self.shared.forget_oddities();
        if let Some(predecessor) = self.predecessor.take() {
            predecessor.await;
        }
        let secrets = launch::secrets(&self.spec.config);
        let name = self.shared.manner().name;
        let recorder = match self.dialer.journal.recorder(self.spec.server, name, &secrets) {
            Ok(recorder) => Arc::new(recorder),
            Err(error) => {
                return Event::ConnectFailed(Failure::new(
                    FailureCode::Internal,
                    Sentence::quoted(error.to_string()),
                ));
            }
        };
        self.recorder = Some(Arc::clone(&recorder));
        let (state, attempt) = {
            let snapshot = self.publish.borrow();
            (snapshot.state.name(), snapshot.state.attempt())
        };
        recorder.state(record(state, attempt, None)).await;

        let outcome = {
            let connecting = connect(&self.spec, &self.dialer, &self.shared, &recorder);
            let mut connecting = std::pin::pin!(connecting);
            loop {
                tokio::select! {
                    outcome = &mut connecting => break outcome,
                    wish = self.wishes.next() => match wish {
                        Wish::Stop(done) => {
                            self.stopping.extend(done);
                            return Event::Stop;
                        }
                        Wish::Start | Wish::List(_) => {}
                    },
                }
            }
        };
        match outcome {
            Ok((link, program)) => {
                self.program = program;
                let link = Arc::new(link);
                self.link = Some(Arc::clone(&link));
                self.connected_at = Instant::now();
                self.unread.clear();
                if let Some(server) = self.spec.server {
                    let instructions = Listed::Instructions(link.peer.instructions.as_deref());
                    let (kinds, items) = items(&instructions);
                    self.dialer.trust.record(server, &kinds, items).await;
                }
                let mut reading = Reading::new(link.client.fresh(), Arc::clone(&self.shared));
                if self.spec.endurance == Endurance::Reconnect {
                    reading.begin_offered();
                    self.restoring = Some(Box::pin(restore(Arc::clone(&self.shared), link)));
                }
                self.reading = Some(reading);
                Event::Connected
            }
            Err(Attempt { failure, program, stderr }) => {
                self.program = program;
                let failure = redacted(failure, &recorder);
                self.stderr = stderr.iter().map(|line| recorder.redact_start(line, SHOWN_LINE)).collect();
                Event::ConnectFailed(failure)
            }
        }
    }

    /// Ends the work on a connection before the connection itself ends.
    fn forget_work(&mut self) {
        self.reading = None;
        self.restoring = None;
    }

    /// Keeps the connection until it ends or is stopped.
    async fn hold(&mut self) -> Event {
        let Some(link) = self.link.clone() else {
            return Event::Lost { failure: Failure::defect(), held: Duration::ZERO };
        };
        let mut closed = link.client.closed();
        let mut out = link.out.clone();
        loop {
            let (reading, restoring) = (&mut self.reading, &mut self.restoring);
            let read = async {
                match reading {
                    Some(reading) => reading.next().await,
                    None => pending().await,
                }
            };
            let restored = async {
                match restoring {
                    Some(restoring) => restoring.await,
                    None => pending().await,
                }
            };
            let read = tokio::select! {
                biased;
                wish = self.wishes.next() => match wish {
                    Wish::Stop(done) => {
                        self.stopping.extend(done);
                        return Event::Stop;
                    }
                    Wish::List(kind) => {
                        self.read(Reading::begin, kind);
                        None
                    }
                    Wish::Start => None,
                },
                reason = closed.wait_for(Option::is_some) => {
                    let reason = reason.ok().and_then(|reason| reason.clone());
                    let mut failure = failure::from_close(&reason.unwrap_or(CloseReason::Stopped));
                    failure.evidence = failure.evidence.map(|evidence| link.recorder.redact_evidence(&evidence));
                    self.forget_work();
                    return Event::Lost { failure, held: self.connected_at.elapsed() };
                }
                failure = kept_out(&mut out) => {
                    let failure = redacted(failure, &link.recorder);
                    self.forget_work();
                    return Event::Lost { failure, held: self.connected_at.elapsed() };
                }
                kind = self.shared.lists.next_change(), if self.spec.endurance == Endurance::Reconnect => {
                    self.read(Reading::begin_later, kind);
                    None
                }
                () = restored => {
                    self.restoring = None;
                    None
                }
                read = read => Some(read),
            };
            let Some((read, as_of)) = read else { continue };
            let kind = read.kind();
            let read = recorded(Arc::clone(&self.dialer.trust), self.spec.server, read).await;
            match self.shared.keep(read, as_of) {
                Some(failure) => drop(self.unread.insert(kind, failure)),
                None => drop(self.unread.remove(&kind)),
            }
            return Event::Listed(self.unread.values().next().cloned());
        }
    }

    fn read(&mut self, begin: fn(&mut Reading, Kind), kind: Kind) {
        if let Some(reading) = &mut self.reading {
            begin(reading, kind);
        }
    }
}

/// Has what was read taken in by what watches over changes, before anybody sees it.
async fn recorded(trust: Arc<Trust>, server: Option<ServerId>, read: Read) -> Read {
    let Some(server) = server else { return read };
    let worked = tokio::task::spawn_blocking(move || {
        let listed = read.listed().map(|listed| items(&listed));
        (read, listed)
    });
    match worked.await {
        Ok((read, Some((kinds, items)))) => {
            trust.record(server, &kinds, items).await;
            read
        }
        Ok((read, None)) => read,
        // It was given up with the runtime.
        Err(_) => pending().await,
    }
}

/// Waits until a person has to sign in; where that cannot be, for ever.
async fn kept_out(out: &mut watch::Receiver<Option<SignInRequired>>) -> Failure {
    let told = out.wait_for(Option::is_some).await.ok().and_then(|why| why.clone());
    match told {
        Some(why) => failure::from_sign_in_required(why),
        None => pending().await,
    }
}

/// An attempt that failed.
struct Attempt {
    failure: Failure,
    /// The program, once it was found.
    program: Option<PathBuf>,
    /// What it printed to standard error.
    stderr: Vec<String>,
}

/// One attempt. The program's path comes back either way, once it is known.
async fn connect(
    spec: &Spec,
    dialer: &Dialer,
    shared: &Arc<Shared>,
    recorder: &Arc<Recorder>,
) -> Result<(Link, Option<PathBuf>), Attempt> {
    let failed = |failure| Attempt { failure, program: None, stderr: Vec::new() };
    let opened = open_values(spec, dialer).await.map_err(failed)?;
    recorder.hold(opened.iter().flat_map(Opened::texts));
    let launch = launch::prepare(&spec.config, &spec.place, &dialer.login, opened).await.map_err(failed)?;
    if let Some(server) = spec.server {
        let admitted = dialer.trust.admit(server, &spec.config, launch.program.as_deref()).await;
        let admitted = failure::admitted(admitted);
        admitted.map_err(|failure| Attempt {
            failure,
            program: launch.program.clone(),
            stderr: Vec::new(),
        })?;
    }
    let mut options = dialer.client.clone();
    let settings = dialer.settings.borrow().clone();
    options.limits.message_bytes = spec.max_message.unwrap_or_else(|| settings.max_message_bytes());
    options.deadlines.connect = spec.start_timeout.unwrap_or_else(|| settings.start_timeout());
    let own = shared.manner().idle;
    options.deadlines.idle = own.unwrap_or_else(|| settings.request_idle());
    options.deadlines.total = settings.request_total_beside(own);
    let (told, out) = watch::channel(None);
    options.access = access::access(spec, dialer, recorder, told).await;
    let identity = eras::identity(&spec.config, launch.program.as_deref());
    let finds_out = spec.era == EraChoice::Auto;
    let remembered = if finds_out && !spec.ask_anew { dialer.eras.recall(&identity).await } else { None };
    options.era = remembered.map_or(spec.era, EraChoice::Remembered);
    let ear = Arc::new(Ear { shared: Arc::clone(shared), recorder: Arc::clone(recorder) });
    match Client::connect(launch.target, options, ear, Arc::clone(recorder) as _).await {
        Ok(client) => {
            let peer = peer(client.handshake());
            let era = client.handshake().era;
            if finds_out && remembered != Some(era) {
                dialer.eras.keep(&identity, era).await;
            }
            // In the stateless era a server logs only for requests that say so (LOG-03); nothing is sent for this now.
            if era == Era::Modern
                && client.handshake().offers("logging")
                && let Err(error) = client.set_log_level("info").await
            {
                tracing::debug!(%error, "log messages were not asked for");
            }
            let connect_time = client.handshake().elapsed;
            Ok((Link { client, recorder: Arc::clone(recorder), peer, connect_time, out }, launch.program))
        }
        Err(error) => {
            let stderr = match &error {
                ConnectError::Exited { stderr, .. } | ConnectError::Timeout { stderr, .. } => stderr.clone(),
                _ => Vec::new(),
            };
            let kept_out = matches!(error, ConnectError::SignIn { .. } | ConnectError::Unreachable { .. });
            let kept_out = out.borrow().clone().filter(|_| kept_out).map(failure::from_sign_in_required);
            let failure = kept_out
                .unwrap_or_else(|| failure::from_connect(error, spec.config.transport, &recorder.noise()));
            Err(Attempt { failure, program: launch.program, stderr })
        }
    }
}

/// The sealed values of a saved server. One that uses a login waits here for the vault as well.
async fn open_values(spec: &Spec, dialer: &Dialer) -> Result<Vec<Opened>, Failure> {
    let Some(server) = spec.server else { return Ok(Vec::new()) };
    dialer.sign_ins.keep_up().await;
    if access::signed_in_at(spec).is_some()
        && let Some(error) = dialer.sealed.keeps_out(server).await
    {
        return Err(failure::from_locked(&error));
    }
    if spec.config.secrets.is_empty() {
        return Ok(Vec::new());
    }
    dialer.sealed.open(server, spec.config.url.as_deref()).await.map_err(failure::from_secret)
}

fn step_of(step: &HandshakeStep) -> NegotiationStep {
    NegotiationStep { request: step.request.to_owned(), outcome: step.outcome.clone(), elapsed: step.elapsed }
}

fn peer(handshake: &Handshake) -> Peer {
    Peer {
        name: handshake.server_name.clone(),
        title: handshake.server_title.clone(),
        version: handshake.server_version.clone(),
        instructions: handshake.instructions.clone(),
        revision: handshake.revision.as_str().to_owned(),
        era: handshake.era.as_str().to_owned(),
        reason: handshake.reason.clone(),
        steps: handshake.negotiation.iter().map(step_of).collect(),
        capabilities: handshake.capabilities.clone(),
        diagnostics: handshake.diagnostics.clone(),
    }
}
