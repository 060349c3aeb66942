//! A connection: its handle and its view. The task that owns it is in [`task`], its states are in [`state`].

pub(crate) mod approvable;
mod approval;
mod authorization;
mod commands;
pub(crate) mod lists;
mod log_records;
mod redaction;
mod requests;
pub(crate) mod responder;
mod restore;
pub(crate) mod running;
pub(crate) mod shared;
mod sleep;
mod spec;
mod task;
mod views;
mod waker;

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use mooring_accounts::{ServerSecretValues, SignInRequired, SignInService};
use mooring_approvals::{AppStore, NetworkStore, RuleStore, Trust};
use mooring_base::clock::micros;
use mooring_base::server_id::ServerId;
use mooring_calls::{
    CallOutcome, Completion, CompletionRequest, Follower, OnCallEvent, PromptCall, PromptList,
    ResourceChanges, ResourceList, ResourceRead, ToolList, UseGuard,
};
use mooring_errors::{Failure, FailureCode, HostError};
use mooring_log::{CallTimes, REMEMBERED_CALLS, duration_of};
use mooring_mcp::{Client, ClientOptions};
use mooring_process::{LoginShell, StartQueue};
use mooring_recorder::{Journal, Recorder, SecretLease};
use mooring_server_state::{
    ConnectionState, ConnectionView, HostEvent, LimitReached, Peer, StartStep, StateName,
};
use mooring_settings::Settings;
use mooring_store::LogReader;
use tokio::sync::{broadcast, oneshot, watch};
use tokio::task::JoinSet;

use self::commands::CommandSender;
use self::shared::{CallDefaults, SharedState};
pub use self::spec::{ConnectionRole, ConnectionSpec};
use crate::connection::responder::MakeResponder;
use crate::era_cache::EraCache;
use crate::launch;

/// What the command line connects to.
#[derive(Clone)]
pub enum Target {
    /// A saved server.
    Saved {
        /// Its name.
        name: String,
    },
    /// A command, run in the caller's directory with the caller's search path. Nothing is saved.
    Command {
        /// The program's name or path.
        program: String,
        /// Its arguments.
        args: Vec<String>,
        /// Environment variables for it. Of the caller's variables, only those on a short list are passed on.
        env: BTreeMap<String, String>,
        /// The working directory.
        cwd: PathBuf,
    },
    /// A URL. Nothing is saved.
    Url {
        /// The URL.
        url: String,
        /// Headers to send with every request.
        headers: BTreeMap<String, String>,
    },
}

impl fmt::Debug for Target {
    /// Omits arguments, URLs and headers, because they may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Saved { name } => f.debug_struct("Saved").field("name", name).finish(),
            Self::Command { program, .. } => {
                f.debug_struct("Command").field("program", program).finish_non_exhaustive()
            }
            Self::Url { .. } => f.debug_struct("Url").finish_non_exhaustive(),
        }
    }
}

/// How many lines of standard error a view shows.
const SHOWN_STDERR: usize = 50;
/// The maximum length of each such line, in bytes.
const SHOWN_LINE: usize = 2 << 10;

/// What is needed to connect to servers.
pub struct Dialer {
    /// The engine's base options. Limits and deadlines come from the settings.
    pub client: ClientOptions,
    /// The current settings.
    pub settings: watch::Receiver<Settings>,
    /// The login shell, for the search path.
    pub login: LoginShell,
    /// The remembered eras of servers.
    pub eras: EraCache,
    /// The accounts.
    pub sign_ins: SignInService,
    /// The servers' secret values.
    pub secrets: ServerSecretValues,
    /// The approved definitions.
    pub trust: Arc<Trust>,
    /// The network settings.
    pub network: Arc<NetworkStore>,
    /// Records every message.
    pub journal: Arc<Journal>,
    /// Reads the log, for the durations of earlier calls.
    pub log: LogReader,
    /// Limits how many servers start at once.
    pub starts: StartQueue,
}

/// Creates connections.
pub struct ConnectionFactory {
    dialer: Arc<Dialer>,
    rules: Arc<RuleStore>,
    apps: Arc<AppStore>,
    /// Creates the responder for a server's requests.
    make_responder: Box<MakeResponder>,
    events: broadcast::Sender<HostEvent>,
}

/// The client and recorder of a connected server.
pub(crate) struct LiveConnection {
    pub(crate) client: Client,
    pub(crate) recorder: Arc<Recorder>,
    pub(crate) peer: Peer,
    pub(crate) connect_time: Duration,
    /// Set when the server requires the person to sign in.
    pub(crate) sign_in_required: watch::Receiver<Option<SignInRequired>>,
}

/// The state that the task publishes.
#[derive(Clone)]
pub(crate) struct Snapshot {
    pub(crate) state: ConnectionState,
    pub(crate) since_ms: i64,
    pub(crate) link: Option<Arc<LiveConnection>>,
    pub(crate) program: Option<PathBuf>,
    /// The last lines of standard error of the previous connection.
    pub(crate) stderr: Vec<String>,
    /// Whether the launching program is downloading the server's package.
    pub(crate) fetches: bool,
}

impl Snapshot {
    /// What the server is doing while it starts, if there is more to say.
    fn start_step(&self, is_restarting: bool) -> Option<StartStep> {
        match self.state {
            ConnectionState::Starting { .. } if self.fetches => Some(StartStep::Downloading),
            ConnectionState::Starting { .. } | ConnectionState::Stopped if is_restarting => {
                Some(StartStep::Restarting)
            }
            _ => None,
        }
    }

    fn has_given_up(&self) -> bool {
        let Self { state, link, .. } = self;
        let waits = matches!(
            state,
            ConnectionState::Failed(_)
                | ConnectionState::SignInNeeded(_)
                | ConnectionState::Changed(_)
                | ConnectionState::Locked(_)
        );
        link.is_none() && waits
    }
}

/// A cheap handle to a connection that does not keep it alive.
#[derive(Clone)]
pub struct Handle {
    commands: CommandSender,
    snapshot: watch::Receiver<Snapshot>,
    pub(crate) shared: Arc<SharedState>,
    pub(crate) rules: Arc<RuleStore>,
    pub(crate) apps: Arc<AppStore>,
    settings: watch::Receiver<Settings>,
    pub(crate) trust: Arc<Trust>,
    pub(crate) journal: Arc<Journal>,
}

/// A connection. Dropping it ends the server's processes or the session abruptly. [`Self::close`] shuts them
/// down properly.
pub struct Connection {
    pub(crate) handle: Handle,
    /// Redacts the server's secrets in every log while it exists.
    _secrets: Option<SecretLease>,
    _task: JoinSet<()>,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("shared", &self.handle.shared).finish_non_exhaustive()
    }
}

/// Completes when an earlier connection to the same server has ended.
pub(crate) type Predecessor = BoxFuture<'static, ()>;

impl ConnectionFactory {
    /// Creates a factory. `respond` creates the responders of its connections.
    pub fn new(
        dialer: Arc<Dialer>,
        rules: Arc<RuleStore>,
        apps: Arc<AppStore>,
        respond: Box<MakeResponder>,
        events: broadcast::Sender<HostEvent>,
    ) -> Self {
        Self { dialer, rules, apps, make_responder: respond, events }
    }

    /// Creates a stopped connection. It does not start before `predecessor` completes.
    pub fn make(&self, spec: ConnectionSpec, predecessor: Option<Predecessor>) -> Connection {
        let defaults = CallDefaults::of(&spec.config);
        let responder = (self.make_responder)(&spec);
        // The secrets are redacted from now on, because an app may know them before the server starts.
        let secrets = self.dialer.journal.lease_known(launch::known_secrets(&spec.config));
        let shared =
            Arc::new(SharedState::new(spec.server, spec.role, defaults, self.events.clone(), responder));
        let (commands, receiver) = CommandSender::new();
        let (task, snapshot) = task::ConnectionTask::new(
            spec,
            Arc::clone(&self.dialer),
            Arc::clone(&shared),
            receiver,
            predecessor,
        );
        let mut owner = JoinSet::new();
        owner.spawn(task.run());
        if let Some(server) = shared.server {
            owner.spawn(read_call_times(self.dialer.log.clone(), server, Arc::clone(&shared)));
        }
        let handle = Handle {
            commands,
            snapshot,
            shared,
            rules: Arc::clone(&self.rules),
            apps: Arc::clone(&self.apps),
            settings: self.dialer.settings.clone(),
            trust: Arc::clone(&self.dialer.trust),
            journal: Arc::clone(&self.dialer.journal),
        };
        Connection { handle, _secrets: secrets, _task: owner }
    }
}

/// Reads from the log how long calls took in earlier runs.
async fn read_call_times(log: LogReader, server: ServerId, shared: Arc<SharedState>) {
    let most = u32::try_from(REMEMBERED_CALLS).unwrap_or(u32::MAX);
    match log.call_durations(server.0, most).await {
        Ok(calls) if calls.is_empty() => {}
        Ok(calls) => {
            shared.calls().add_earlier(calls.into_iter().map(|(_, took)| duration_of(took)));
            shared.announce_change();
        }
        Err(error) => tracing::warn!(%error, "how long earlier calls took could not be read"),
    }
}

impl Connection {
    /// A handle to the connection.
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// A view of the connection's current state.
    pub fn view(&self) -> ConnectionView {
        self.handle.view()
    }

    /// The server's tools: the remembered ones, or a fresh list with `refresh`.
    pub async fn tools(&self, refresh: bool) -> Result<Arc<ToolList>, HostError> {
        self.handle.tools(refresh).await
    }

    /// The server's resources and resource templates: the remembered ones, or a fresh list with `refresh`.
    pub async fn resources(&self, refresh: bool) -> Result<Arc<ResourceList>, HostError> {
        self.handle.resources(refresh).await
    }

    /// The server's prompts: the remembered ones, or a fresh list with `refresh`.
    pub async fn prompts(&self, refresh: bool) -> Result<Arc<PromptList>, HostError> {
        self.handle.prompts(refresh).await
    }

    /// Reads a resource. Dropping the future cancels the request.
    pub async fn read_resource(
        &self,
        read: ResourceRead,
        on_event: OnCallEvent,
    ) -> Result<CallOutcome, HostError> {
        self.handle.read_resource(read, on_event).await
    }

    /// Gets a prompt with its arguments filled in. Dropping the future cancels the request.
    pub async fn get_prompt(
        &self,
        call: PromptCall,
        on_event: OnCallEvent,
    ) -> Result<CallOutcome, HostError> {
        self.handle.get_prompt(call, on_event).await
    }

    /// The server's suggestions for the value of an argument.
    pub async fn complete_argument(&self, wanted: &CompletionRequest) -> Result<Completion, HostError> {
        self.handle.complete(wanted).await
    }

    /// Subscribes to a resource until [`Self::unsubscribe`]. Returns the changes of all subscribed resources.
    pub async fn follow(&self, uri: &str, follower: Follower) -> Result<ResourceChanges, HostError> {
        self.handle.follow(uri, follower).await
    }

    /// Ends a subscription of this follower.
    pub async fn unsubscribe(&self, uri: &str, follower: Follower) -> Result<(), HostError> {
        self.handle.unsubscribe(uri, follower).await
    }

    /// Waits until the connection is lost permanently, and returns the reason.
    pub async fn lost(&self) -> Result<(), HostError> {
        let mut snapshot = self.handle.snapshot.clone();
        // An error means that the task has ended. The connection is then lost.
        let _ended = snapshot.wait_for(Snapshot::has_given_up).await;
        self.handle.link().map(drop)
    }

    /// Shuts down the connection properly. Returns when its processes are gone.
    pub async fn close(self) {
        self.handle.stop().await;
    }
}

impl Handle {
    /// Whether the server at `url` has icon URLs at its own origin.
    pub(crate) fn names_icons_at(&self, url: &str) -> bool {
        url::Url::parse(url).is_ok_and(|url| self.shared.icons().names_any_of(&url))
    }

    /// Starts the connection immediately.
    pub fn start(&self) {
        self.shared.set_needed(true);
        self.commands.start();
    }

    /// Starts the connection when it is its turn.
    pub(crate) fn start_in_turn(&self) {
        self.commands.start();
    }

    /// Lets the connection sleep until its next use. A connection that runs sleeps once it is not used.
    pub(crate) fn sleep_when_unused(&self) {
        self.commands.sleep();
    }

    /// Stops the connection. Returns when its processes are gone.
    pub(crate) async fn stop(&self) {
        let (done, stopped) = oneshot::channel();
        self.commands.stop(Some(done));
        // An error means that the task has ended. The connection is then stopped.
        let _ended = stopped.await;
    }

    /// Whether the connection will start once the vault is open.
    pub(crate) fn is_waiting_for_vault(&self) -> bool {
        matches!(self.snapshot.borrow().state, ConnectionState::Locked(_))
    }

    /// Requests a stop without waiting for it.
    pub(crate) fn request_stop(&self) {
        self.shared.set_restarting(false);
        self.commands.stop(None);
    }

    /// Whether the connection makes no further attempt until something outside changes.
    pub fn has_given_up(&self) -> bool {
        self.has_ended() || self.snapshot.borrow().has_given_up()
    }

    /// If the connection is waiting between two attempts, retries it now, or shortly after a very recent
    /// attempt. Has no effect on a connection that has given up.
    pub(crate) fn retry_now(&self) {
        if self.is_waiting_to_retry() {
            self.shared.set_needed(true);
        }
    }

    /// Like [`retry`](Self::retry), but also retries a connection that failed because of something between
    /// Mooring and the server, such as a network's sign-in page.
    pub(crate) fn retry_on_new_network(&self) {
        let may_be_other = matches!(&self.snapshot.borrow().state, ConnectionState::Failed(failure)
            if matches!(failure.code, FailureCode::Certificate | FailureCode::NotMcp | FailureCode::HttpStatus));
        if may_be_other { self.start_in_turn() } else { self.retry_now() }
    }

    fn is_waiting_to_retry(&self) -> bool {
        matches!(self.snapshot.borrow().state, ConnectionState::Waiting { .. })
    }

    /// Triggers an attempt. Waits until the connection is established or the attempt has failed.
    pub async fn wait_for_attempt(&self) {
        let mut snapshot = self.snapshot.clone();
        let first = snapshot.borrow().state.clone();
        let waited = match first {
            ConnectionState::Waiting { attempt, .. } => Some(attempt),
            ConnectionState::Starting { .. } | ConnectionState::Stopped | ConnectionState::Asleep => None,
            _ => return,
        };
        self.shared.set_needed(true);
        let mut has_begun = false;
        let ended = snapshot.wait_for(|snapshot| match snapshot.state {
            ConnectionState::Starting { .. } => {
                has_begun = true;
                false
            }
            // Until the attempt begins, the connection rests as before.
            ConnectionState::Stopped | ConnectionState::Asleep => has_begun || snapshot.state != first,
            ConnectionState::Waiting { attempt, .. } => Some(attempt) != waited,
            _ => true,
        });
        // If the task has ended, no attempt will follow.
        let _ended = ended.await;
    }

    /// Waits until the connection is established or has given up.
    pub async fn wait_until_settled(&self) -> Result<(), HostError> {
        let mut snapshot = self.snapshot.clone();
        let settled = snapshot.wait_for(|snapshot| snapshot.link.is_some() || snapshot.has_given_up()).await;
        let failure = match settled {
            Ok(snapshot) if snapshot.link.is_some() => return Ok(()),
            Ok(snapshot) => snapshot.state.failure().cloned().unwrap_or_else(Failure::defect),
            Err(_) => Failure::defect(),
        };
        Err(HostError::Connect(Box::new(failure)))
    }

    /// The live connection, or the reason why there is none.
    pub(crate) fn link(&self) -> Result<Arc<LiveConnection>, HostError> {
        let snapshot = self.snapshot.borrow();
        snapshot.link.clone().ok_or_else(|| self.not_connected_error(&snapshot.state))
    }

    /// Whether the next use starts the connection.
    pub(crate) fn is_asleep(&self) -> bool {
        self.snapshot.borrow().state == ConnectionState::Asleep
    }

    /// Whether a use has begun to start the connection.
    pub(crate) fn is_waking(&self) -> bool {
        self.shared.call_defaults().sleeps
            && matches!(self.snapshot.borrow().state, ConnectionState::Starting { .. })
    }

    /// The live connection for a request. Starts a server that sleeps. The guard keeps it awake.
    pub(crate) async fn use_link(&self) -> Result<(Arc<LiveConnection>, UseGuard), HostError> {
        let guard = self.shared.usage.begin();
        if self.shared.usage.is_closing() {
            // If the task has ended, the last line says so.
            drop(self.snapshot.clone().wait_for(|snapshot| snapshot.link.is_none()).await);
        }
        if self.is_asleep() || self.is_waking() {
            self.wait_for_attempt().await;
        }
        Ok((self.link()?, guard))
    }

    fn not_connected_error(&self, state: &ConnectionState) -> HostError {
        let why = state.failure().map(Failure::summary);
        HostError::NotConnected { name: self.shared.call_defaults().name.to_string(), why }
    }

    pub(crate) fn settings(&self) -> Settings {
        self.settings.borrow().clone()
    }

    /// The name of a state. If the server is connected and a question waits for the person, that takes
    /// precedence.
    fn state_name(&self, state: &ConnectionState) -> StateName {
        match state.name() {
            StateName::Ready | StateName::Degraded if self.shared.responder.is_waiting() => {
                StateName::WaitingForYou
            }
            // The connection is only stopped for the restart.
            StateName::Stopped if self.shared.is_restarting() => StateName::Starting,
            name => name,
        }
    }

    /// The current state.
    pub(crate) fn state(&self) -> StateName {
        if self.has_ended() { StateName::Failed } else { self.state_name(&self.snapshot.borrow().state) }
    }

    /// Whether the state is final, because the task has ended. That only happens when its owner drops it, or
    /// because of a bug.
    fn has_ended(&self) -> bool {
        self.snapshot.has_changed().is_err()
    }

    /// Requests a restart without waiting for it.
    pub(crate) fn restart_in_turn(&self) {
        self.shared.set_restarting(true);
        self.commands.stop(None);
        self.commands.start();
    }

    pub(crate) fn view(&self) -> ConnectionView {
        let ended = self.has_ended();
        let snapshot = self.snapshot.borrow().clone();
        let (calls, latest) = {
            let calls = self.shared.calls();
            (calls.ended(), calls.latest())
        };
        let link = snapshot.link.as_deref();
        let mut peer = link.map(|link| link.peer.clone());
        if let Some(peer) = &mut peer {
            peer.diagnostics.extend(self.shared.diagnostics());
        }
        let lists = &self.shared.lists;
        let resources = |list: &Arc<ResourceList>| list.resources.len() + list.templates.len();
        ConnectionView {
            state: if ended { StateName::Failed } else { self.state_name(&snapshot.state) },
            start_step: snapshot.start_step(self.shared.is_restarting()).filter(|_| !ended),
            since_ms: snapshot.since_ms,
            failure: if ended { Some(Failure::defect()) } else { snapshot.state.failure().cloned() },
            attempt: snapshot.state.attempt(),
            peer,
            icons: self.shared.icons().hash().map(str::to_owned),
            tool_count: lists.tools.borrow().known().map(|list| list.tools.len()),
            resource_count: lists.resources.borrow().known().map(resources),
            prompt_count: lists.prompts.borrow().known().map(|list| list.prompts.len()),
            limits: link.map(LiveConnection::limits).unwrap_or_default(),
            connect_time: link.map(|link| link.connect_time),
            call_times: CallTimes::of(latest),
            calls,
            pid: link.and_then(|link| link.client.pid()),
            program: snapshot.program,
            stderr_tail: link.map_or(snapshot.stderr, LiveConnection::stderr),
        }
    }
}

impl LiveConnection {
    /// The limits reached on this connection.
    fn limits(&self) -> Vec<LimitReached> {
        let reached = self.client.limits_reached().into_iter();
        reached
            .map(|reached| LimitReached {
                name: reached.name,
                limit: reached.limit,
                unit: reached.unit,
                times: reached.times,
                last_ms: micros(reached.last) / 1_000,
            })
            .collect()
    }

    /// The last lines of standard error, with secrets redacted.
    pub(crate) fn stderr(&self) -> Vec<String> {
        let lines = self.client.stderr_tail(SHOWN_STDERR);
        lines.iter().map(|line| self.recorder.redact_start(line, SHOWN_LINE)).collect()
    }
}
