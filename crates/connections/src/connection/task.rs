//! The task that owns a connection. It owns the state, does what the state requires, and publishes every
//! change. Dropping it ends everything that it owns.

use std::collections::BTreeMap;
use std::future::pending;
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use mooring_accounts::{DecryptedSecret, SignInRequired};
use mooring_approvals::{ListedIn, Trust};
use mooring_base::clock::now_ms;
use mooring_base::server_id::ServerId;
use mooring_definitions::{NewServer, Transport};
use mooring_errors::{Failure, failure};
use mooring_mcp::{Client, CloseReason, ConnectError, Era, EraChoice};
use mooring_recorder::{Recorder, StateRecord};
use mooring_server_state::{ConnectionEvent, ConnectionState, RestartPolicy, retry_delay};
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;

use super::commands::{Command, CommandReceiver};
use super::lists::{ListKind, ListReader, ListResult};
use super::log_records::state_record;
use super::redaction::{redact_failure, to_peer};
use super::restore::restore_state;
use super::shared::{PeerHandler, SharedState};
use super::sleep::wait_until_unused;
use super::{ConnectionSpec, Dialer, LiveConnection, Predecessor, SHOWN_LINE, Snapshot, authorization};
use crate::connection::approvable::{Approvable, approvable_items};
use crate::{era_cache, launch};

/// The shortest delay between two attempts, even if someone needs the server.
const SHORTEST_DELAY: Duration = Duration::from_secs(1);

/// The task that owns one connection.
pub(super) struct ConnectionTask {
    spec: ConnectionSpec,
    dialer: Arc<Dialer>,
    shared: Arc<SharedState>,
    commands: CommandReceiver,
    publish: watch::Sender<Snapshot>,
    predecessor: Option<Predecessor>,
    /// The recorder of the current or last attempt.
    recorder: Option<Arc<Recorder>>,
    program: Option<PathBuf>,
    link: Option<Arc<LiveConnection>>,
    connected_at: Instant,
    list_reader: Option<ListReader>,
    /// The lists that could not be read.
    failed_lists: BTreeMap<ListKind, Failure>,
    /// The future that renews the tasks and subscriptions of an earlier connection.
    restoring: Option<BoxFuture<'static, ()>>,
    stderr: Vec<String>,
    /// The callers that wait for the stop.
    stop_waiters: Vec<oneshot::Sender<()>>,
}

impl ConnectionTask {
    pub(crate) fn new(
        spec: ConnectionSpec,
        dialer: Arc<Dialer>,
        shared: Arc<SharedState>,
        sender: CommandReceiver,
        predecessor: Option<Predecessor>,
    ) -> (Self, watch::Receiver<Snapshot>) {
        let (publish, snapshot) = watch::channel(Snapshot {
            state: ConnectionState::Stopped,
            since_ms: now_ms(),
            link: None,
            program: None,
            stderr: Vec::new(),
            fetches: false,
        });
        let task = Self {
            spec,
            dialer,
            shared,
            commands: sender,
            publish,
            predecessor,
            recorder: None,
            program: None,
            link: None,
            connected_at: Instant::now(),
            list_reader: None,
            failed_lists: BTreeMap::new(),
            restoring: None,
            stderr: Vec::new(),
            stop_waiters: Vec::new(),
        };
        (task, snapshot)
    }

    pub(super) async fn run(mut self) {
        let mut state = ConnectionState::Stopped;
        loop {
            let event = match &state {
                ConnectionState::Starting { .. } => self.start_connection().await,
                ConnectionState::Connected { .. } => self.run_connected().await,
                ConnectionState::Waiting { attempt, .. } => self.wait_before_attempt(*attempt).await,
                ConnectionState::Asleep => self.wait_until_used().await,
                ConnectionState::Stopped
                | ConnectionState::SignInNeeded(_)
                | ConnectionState::Changed(_)
                | ConnectionState::Locked(_)
                | ConnectionState::Failed(_) => self.run_stopped().await,
            };
            if let Some(next) = state.next_state(event, self.spec.restart_policy) {
                state = next;
                self.enter_state(&state).await;
            }
            if matches!(state, ConnectionState::Stopped | ConnectionState::Asleep) {
                self.shut_down().await;
            }
        }
    }

    /// Publishes and logs a new state.
    async fn enter_state(&mut self, state: &ConnectionState) {
        if !matches!(state, ConnectionState::Connected { .. })
            && let Some(link) = &self.link
        {
            self.stderr = link.stderr();
            if *state == ConnectionState::Asleep {
                self.shared.roots_habit.note_earlier(false);
                // The server may offer something else when it wakes.
                self.shared.lists.expire();
            } else {
                self.shared.forget_lists();
            }
            self.shared.responder.forget_opened_urls();
        }
        // Reset before the state is published. A caller that comes later sets it again.
        if !matches!(state, ConnectionState::Starting { .. }) {
            self.shared.set_needed(false);
            drop(self.shared.waker.take());
        }
        if !matches!(state, ConnectionState::Starting { .. } | ConnectionState::Stopped) {
            self.shared.set_restarting(false);
        }
        let connected = matches!(state, ConnectionState::Connected { .. });
        self.publish.send_replace(Snapshot {
            state: state.clone(),
            since_ms: now_ms(),
            link: self.link.clone().filter(|_| connected),
            program: self.program.clone(),
            stderr: self.stderr.clone(),
            fetches: false,
        });
        if !connected {
            self.shared.usage.mark_closed();
        }

        self.shared.announce_change();
        if matches!(state, ConnectionState::Starting { .. }) {
            // `start` logs this state, because it creates the recorder of the attempt.
            return;
        }
        // The state of a trial says nothing about the server's health.
        if let Some(recorder) = self.recorder.as_ref().filter(|_| !self.spec.role.is_trial()) {
            recorder.log_state(state_record(state.name(), state.attempt(), state.failure())).await;
        }
    }

    /// Shuts down what is left of a stopped connection.
    async fn shut_down(&mut self) {
        self.cancel_work();
        if let Some(link) = self.link.take() {
            link.client.shutdown().await;
        }
        for stopped in self.stop_waiters.drain(..) {
            // The caller may have stopped waiting.
            let _gone = stopped.send(());
        }
    }

    /// Waits for a command.
    async fn run_stopped(&mut self) -> ConnectionEvent {
        self.cancel_work();
        self.link = None;
        self.recorder = self.recorder.take().map(|recorder| Arc::new(recorder.without_secrets()));
        if self.commands.is_empty()
            && let Some(predecessor) = self.predecessor.take()
        {
            predecessor.await;
        }
        loop {
            let command = self.commands.next_command().await;
            if let Some(event) = self.command_event(command) {
                return event;
            }
        }
    }

    /// Sleeps until a request uses the connection, or a command changes its state.
    async fn wait_until_used(&mut self) -> ConnectionEvent {
        let shared = Arc::clone(&self.shared);
        loop {
            tokio::select! {
                () = shared.wait_until_needed() => return ConnectionEvent::Start,
                command = self.commands.next_command() => {
                    if let Some(event) = self.command_event(command) {
                        return event;
                    }
                }
            }
        }
    }

    /// The event for a command while the server is not connected. Commands to read a list are ignored.
    fn command_event(&mut self, command: Command) -> Option<ConnectionEvent> {
        match command {
            Command::Start => Some(ConnectionEvent::Start),
            Command::Sleep if self.shared.call_defaults().is_left => Some(ConnectionEvent::LeaveOut),
            Command::Sleep => Some(ConnectionEvent::Sleep),
            Command::Stop(done) => {
                self.stop_waiters.extend(done);
                Some(ConnectionEvent::Stop)
            }
            Command::Rest | Command::List(_) => None,
        }
    }

    /// Waits before an attempt. The wait is shorter if a caller needs the server in the meantime.
    async fn wait_before_attempt(&mut self, attempt: u32) -> ConnectionEvent {
        self.link = None;
        let since = Instant::now();
        let due = since + retry_delay(attempt, RandomState::new().hash_one(attempt));
        let shared = Arc::clone(&self.shared);
        let needed = async {
            shared.wait_until_needed().await;
            tokio::time::sleep_until(since + SHORTEST_DELAY).await;
        };
        let mut needed = std::pin::pin!(needed);
        loop {
            tokio::select! {
                () = tokio::time::sleep_until(due) => return ConnectionEvent::RetryDue,
                () = &mut needed => return ConnectionEvent::RetryDue,
                command = self.commands.next_command() => {
                    if let Some(event) = self.command_event(command) {
                        return event;
                    }
                }
            }
        }
    }

    /// Connects. A stop command drops the attempt and its process.
    async fn start_connection(&mut self) -> ConnectionEvent {
        self.link = None;
        self.stderr.clear();
        self.shared.clear_diagnostics();
        if let Some(predecessor) = self.predecessor.take() {
            predecessor.await;
        }
        let secrets = launch::known_secrets(&self.spec.config);
        let name = self.shared.call_defaults().name;
        let recorder = Arc::new(self.dialer.journal.recorder(self.spec.server, name, secrets));
        self.recorder = Some(Arc::clone(&recorder));
        let (state, attempt) = {
            let snapshot = self.publish.borrow();
            (snapshot.state.name(), snapshot.state.attempt())
        };
        if !self.spec.role.is_trial() {
            let cause = self.shared.waker.take();
            let record = StateRecord { cause: cause.as_ref(), ..state_record(state, attempt, None) };
            recorder.log_state(record).await;
        }

        let outcome = {
            let connecting = attempt_connection(&self.spec, &self.dialer, &self.shared, &recorder);
            let mut connecting = std::pin::pin!(connecting);
            let mut fetches = recorder.fetches();
            loop {
                tokio::select! {
                    outcome = &mut connecting => break outcome,
                    Ok(()) = fetches.changed() => {
                        let now = *fetches.borrow_and_update();
                        self.publish.send_modify(|snapshot| snapshot.fetches = now);
                        self.shared.announce_change();
                    }
                    command = self.commands.next_command() => match command {
                        Command::Stop(done) => {
                            self.stop_waiters.extend(done);
                            return ConnectionEvent::Stop;
                        }
                        Command::Start | Command::Sleep | Command::Rest | Command::List(_) => {}
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
                self.shared.usage.mark_used();
                self.shared.set_last_era(link.client.handshake().era);
                self.failed_lists.clear();
                self.shared.icons().connected(link.client.handshake().server_icons.clone());
                if let Some(server) = self.spec.server {
                    record_handshake(&self.shared, &self.dialer.trust, server, &link).await;
                }
                let mut reading = ListReader::new(link.client.fresh(), Arc::clone(&self.shared));
                if self.spec.restart_policy == RestartPolicy::Reconnect {
                    reading.begin_offered_reads();
                    self.restoring = Some(Box::pin(restore_state(Arc::clone(&self.shared), link)));
                }
                self.list_reader = Some(reading);
                ConnectionEvent::Connected
            }
            Err(FailedAttempt { failure, program, stderr }) => {
                self.program = program;
                let failure = redact_failure(failure, &recorder);
                self.stderr = stderr.iter().map(|line| recorder.redact_start(line, SHOWN_LINE)).collect();
                ConnectionEvent::ConnectFailed(failure)
            }
        }
    }

    /// Stops background work before the connection itself ends.
    fn cancel_work(&mut self) {
        self.list_reader = None;
        self.restoring = None;
    }

    /// Runs the connection until it ends or is stopped.
    async fn run_connected(&mut self) -> ConnectionEvent {
        let Some(link) = self.link.clone() else {
            return ConnectionEvent::Lost { failure: Failure::defect(), connected_for: Duration::ZERO };
        };
        let mut closed = link.client.closed();
        let mut out = link.sign_in_required.clone();
        loop {
            let unused = wait_until_unused(
                &self.shared,
                &link,
                self.dialer.settings.clone(),
                self.failed_lists.is_empty(),
            );
            let (reading, restoring) = (&mut self.list_reader, &mut self.restoring);
            let read = async {
                match reading {
                    Some(reading) => reading.next_list().await,
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
                command = self.commands.next_command() => match command {
                    Command::Stop(done) => {
                        self.stop_waiters.extend(done);
                        return ConnectionEvent::Stop;
                    }
                    Command::List(kind) => {
                        self.read_list(ListReader::begin_read, kind);
                        None
                    }
                    Command::Rest => {
                        self.cancel_work();
                        return ConnectionEvent::Sleep;
                    }
                    Command::Start | Command::Sleep => None,
                },
                () = unused => {
                    self.cancel_work();
                    return ConnectionEvent::Sleep;
                }
                reason = closed.wait_for(Option::is_some) => {
                    let reason = reason.ok().and_then(|reason| reason.clone());
                    let failure = failure::from_close(&reason.unwrap_or(CloseReason::Stopped));
                    let failure = redact_failure(failure, &link.recorder);
                    self.cancel_work();
                    return ConnectionEvent::Lost { failure, connected_for: self.connected_at.elapsed() };
                }
                failure = wait_for_sign_in_required(&mut out) => {
                    let failure = redact_failure(failure, &link.recorder);
                    self.cancel_work();
                    return ConnectionEvent::Lost { failure, connected_for: self.connected_at.elapsed() };
                }
                kind = self.shared.lists.next_change(), if self.spec.restart_policy == RestartPolicy::Reconnect => {
                    self.read_list(ListReader::schedule_read, kind);
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
            let read = record_definitions(&self.shared, &self.dialer.trust, read).await;
            match self.shared.store_list(read, as_of, &link.recorder) {
                Some(failure) => drop(self.failed_lists.insert(kind, failure)),
                None => drop(self.failed_lists.remove(&kind)),
            }
            return ConnectionEvent::Listed(self.failed_lists.values().next().cloned());
        }
    }

    fn read_list(&mut self, begin: fn(&mut ListReader, ListKind), kind: ListKind) {
        if let Some(reading) = &mut self.list_reader {
            begin(reading, kind);
        }
    }
}

/// Records the server's instructions for approval, and what its handshake says about its lists.
async fn record_handshake(shared: &SharedState, trust: &Trust, server: ServerId, link: &LiveConnection) {
    if !shared.role.is_recorded {
        return;
    }
    if shared.role.listed_in == ListedIn::SharedEra {
        let instructions = Approvable::Instructions(link.peer.instructions.as_deref());
        let (kinds, items) = approvable_items(&instructions);
        trust.record(server, &kinds, items).await;
    }
    let said = ListKind::remembered(link.client.handshake());
    trust.remember_offers(server, shared.role.listed_in, said).await;
}

/// Records the definitions that were read, before the list is published, so that changes are noticed.
async fn record_definitions(shared: &SharedState, trust: &Trust, read: ListResult) -> ListResult {
    let Some(server) = shared.server else { return read };
    let worked = tokio::task::spawn_blocking(move || {
        let listed = read.approvable().map(|listed| approvable_items(&listed));
        let listed = listed.map(|listed| (read.remembered(&listed.1), listed));
        (read, listed)
    });
    match worked.await {
        Ok((read, Some((remembered, listed)))) => {
            // A recorded list is the one to approve. The lists of other instances are compared with it.
            if shared.role.is_recorded {
                trust.record_list(server, shared.role.listed_in, listed, remembered).await;
            } else {
                shared.set_definitions(&listed.0, listed.1);
            }
            read
        }
        Ok((read, None)) => read,
        // The runtime is shutting down.
        Err(_) => pending().await,
    }
}

/// Waits until the server requires a sign-in. Never returns if that can't happen.
async fn wait_for_sign_in_required(out: &mut watch::Receiver<Option<SignInRequired>>) -> Failure {
    let reason = out.wait_for(Option::is_some).await.ok().and_then(|why| why.clone());
    match reason {
        Some(why) => failure::from_sign_in_required(why),
        None => pending().await,
    }
}

/// An attempt that failed.
struct FailedAttempt {
    failure: Failure,
    /// The program, if it was found.
    program: Option<PathBuf>,
    /// What the program wrote to standard error.
    stderr: Vec<String>,
}

/// Makes one attempt to connect. The result has the program's path, if it was found, even after a failure.
async fn attempt_connection(
    spec: &ConnectionSpec,
    dialer: &Dialer,
    shared: &Arc<SharedState>,
    recorder: &Arc<Recorder>,
) -> Result<(LiveConnection, Option<PathBuf>), FailedAttempt> {
    let failed = |failure| FailedAttempt { failure, program: None, stderr: Vec::new() };
    let opened = decrypt_secrets(spec, dialer).await.map_err(failed)?;
    recorder.add_secrets(opened.iter().flat_map(DecryptedSecret::texts));
    let launch =
        launch::prepare(&spec.config, &spec.launch_context, &dialer.login, opened).await.map_err(failed)?;
    if let Some(server) = spec.server {
        let admitted = dialer.trust.admit(server, &spec.config, launch.program.as_deref()).await;
        let admitted = failure::require_approved(admitted);
        admitted.map_err(|failure| FailedAttempt {
            failure,
            program: launch.program.clone(),
            stderr: Vec::new(),
        })?;
    }
    let mut options = dialer.client.clone();
    let settings = dialer.settings.borrow().clone();
    options.limits.message_bytes = spec.max_message.unwrap_or_else(|| settings.max_message_bytes());
    options.deadlines.connect = spec.start_timeout.unwrap_or_else(|| settings.start_timeout());
    options.awaits_roots = shared.roots_habit.may_ask();
    let own = shared.call_defaults().idle;
    options.deadlines.idle = own.unwrap_or_else(|| settings.request_idle());
    options.deadlines.total = settings.request_total_for(own);
    let (sign_out, out) = watch::channel(None);
    options.access = authorization::build_authorizer(spec, dialer, recorder, sign_out).await;
    let identity = era_cache::server_fingerprint(&spec.config, launch.program.as_deref());
    let finds_out = spec.era == EraChoice::Auto;
    let remembered = if finds_out && !spec.redetect_era { dialer.eras.get(&identity).await } else { None };
    options.era = remembered.map_or(spec.era, EraChoice::Remembered);
    let handler = Arc::new(PeerHandler { shared: Arc::clone(shared), recorder: Arc::clone(recorder) });
    let connecting = Client::connect(launch.target, options, handler, Arc::clone(recorder) as _);
    let connected = match spec.config.transport {
        Transport::Stdio => dialer.starts.start(shared.wait_until_needed(), connecting).await,
        Transport::Http => connecting.await,
    };
    match connected {
        Ok(client) => {
            let peer = to_peer(client.handshake(), recorder);
            let era = client.handshake().era;
            if finds_out && remembered != Some(era) {
                dialer.eras.insert(&identity, era).await;
            }
            // In the stateless era, a server only logs for requests that ask for it (LOG-03), so the level is
            // not set here.
            if era == Era::Modern
                && client.handshake().offers("logging")
                && let Err(error) = client.set_log_level("info").await
            {
                tracing::debug!(%error, "log messages were not asked for");
            }
            let connect_time = client.handshake().elapsed;
            Ok((
                LiveConnection {
                    client,
                    recorder: Arc::clone(recorder),
                    peer,
                    connect_time,
                    sign_in_required: out,
                },
                launch.program,
            ))
        }
        Err(error) => {
            let stderr = match &error {
                ConnectError::Exited { stderr, .. } | ConnectError::Timeout { stderr, .. } => stderr.clone(),
                _ => Vec::new(),
            };
            let kept_out = matches!(
                error,
                ConnectError::SignIn { .. } | ConnectError::Unreachable { .. } | ConnectError::Renewal { .. }
            );
            let kept_out = out.borrow().clone().filter(|_| kept_out).map(failure::from_sign_in_required);
            let failure =
                kept_out.unwrap_or_else(|| failure::from_connect(error, &spec.config, &recorder.noise()));
            Err(FailedAttempt { failure, program: launch.program, stderr })
        }
    }
}

/// Decrypts the server's secrets. For a saved server with an account, this fails while the vault is locked,
/// even without secrets.
async fn decrypt_secrets(spec: &ConnectionSpec, dialer: &Dialer) -> Result<Vec<DecryptedSecret>, Failure> {
    if spec.config.transport == Transport::Http && dialer.network.is_waiting() {
        dialer.sign_ins.open_existing_vault().await;
    }
    if let Some(server) = spec.secrets_of {
        dialer.sign_ins.sync_vault_key().await;
        if authorization::login_url(spec).is_some()
            && let Some(error) = dialer.secrets.login_lock_reason(server).await
        {
            return Err(failure::from_locked(&error));
        }
    }
    let NewServer { url, secrets, .. } = &spec.config;
    dialer.secrets.values(spec.secrets_of, url.as_deref(), secrets).await.map_err(failure::from_secret)
}
