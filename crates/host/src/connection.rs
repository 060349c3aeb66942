//! One connection: the handle that callers hold, and what they see of it. The task that owns it is in
//! [`task`], its states are in [`state`].

pub(crate) mod approvable;
mod approval;
mod authorization;
mod commands;
pub(crate) mod lists;
mod log_records;
mod requests;
pub(crate) mod responder;
mod restore;
pub(crate) mod running;
pub(crate) mod shared;
pub(crate) mod state;
mod task;

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use mooring_accounts::{ServerSecretValues, SignInRequired, SignInService};
use mooring_approvals::{AppStore, ListedIn, NetworkStore, RuleStore, Trust};
use mooring_base::clock::micros;
use mooring_base::server_id::ServerId;
use mooring_calls::{
    CallOutcome, Completion, CompletionRequest, Follower, OnCallEvent, PromptCall, PromptList,
    ResourceChanges, ResourceList, ResourceRead, ToolList,
};
use mooring_definitions::NewServer;
use mooring_instances::InstanceKey;
use mooring_log::{CallTimes, REMEMBERED_CALLS, duration_of};
use mooring_mcp::{Client, ClientOptions, Era, EraChoice};
use mooring_process::{LoginShell, StartQueue};
use mooring_recorder::{Journal, Recorder, SecretLease};
use mooring_roots::AppRoots;
use mooring_settings::Settings;
use mooring_store::LogReader;
use tokio::sync::{broadcast, oneshot, watch};
use tokio::task::JoinSet;

use self::commands::CommandSender;
use self::shared::{CallDefaults, SharedState};
use self::state::{RestartPolicy, State};
use crate::connection::responder::MakeResponder;
use crate::era_cache::EraCache;
use crate::error::HostError;
use crate::event::HostEvent;
use crate::failure::{Failure, FailureCode};
use crate::launch::{self, LaunchContext};
use crate::server::{ConnectionView, LimitReached, Peer, StartStep, StateName};

/// What the command line connects to.
pub enum Target {
    /// A saved server.
    Saved {
        /// Its name.
        name: String,
    },
    /// A command, in the caller's directory and with the caller's search path. Nothing is saved.
    Command {
        /// The program's name or path.
        program: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables for it; those of the caller that are not on the short list are not passed on.
        env: BTreeMap<String, String>,
        /// The directory it runs in.
        cwd: PathBuf,
    },
    /// An address. Nothing is saved.
    Url {
        /// The address.
        url: String,
        /// Headers sent with every request.
        headers: BTreeMap<String, String>,
    },
}

impl fmt::Debug for Target {
    /// Arguments, addresses and headers may hold secrets: they are not shown.
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

/// Lines of standard error that a view shows.
const SHOWN_STDERR: usize = 50;
/// How much of each, in bytes.
const SHOWN_LINE: usize = 2 << 10;

/// What it takes to reach a server.
pub(crate) struct Dialer {
    /// How the engine is asked to connect; limits and deadlines come from the settings.
    pub(crate) client: ClientOptions,
    pub(crate) settings: watch::Receiver<Settings>,
    pub(crate) login: LoginShell,
    pub(crate) eras: EraCache,
    pub(crate) sign_ins: SignInService,
    pub(crate) secrets: ServerSecretValues,
    pub(crate) trust: Arc<Trust>,
    pub(crate) network: Arc<NetworkStore>,
    pub(crate) journal: Arc<Journal>,
    pub(crate) log: LogReader,
    pub(crate) starts: StartQueue,
}

/// Makes connections.
pub(crate) struct ConnectionFactory {
    dialer: Arc<Dialer>,
    rules: Arc<RuleStore>,
    apps: Arc<AppStore>,
    /// Makes who answers a server.
    make_responder: Box<MakeResponder>,
    events: broadcast::Sender<HostEvent>,
}

/// What one connection is for.
pub(crate) struct ConnectionSpec {
    pub(crate) server: Option<ServerId>,
    /// The saved server whose secrets and login it uses: itself, or the one that is tried with other settings.
    pub(crate) secrets_of: Option<ServerId>,
    pub(crate) config: NewServer,
    pub(crate) launch_context: LaunchContext,
    pub(crate) restart_policy: RestartPolicy,
    /// Where it differs from the settings.
    pub(crate) start_timeout: Option<Duration>,
    /// The largest message, in bytes, where it differs from the settings.
    pub(crate) max_message: Option<usize>,
    /// Which era to try.
    pub(crate) era: EraChoice,
    /// Whether that is found out by asking, whatever is remembered.
    pub(crate) redetect_era: bool,
    /// The login to use; none: the one that the server uses.
    pub(crate) account: Option<i64>,
    pub(crate) role: ConnectionRole,
    /// The folders that the server is told of; none: those that the person granted.
    pub(crate) roots: Option<AppRoots>,
}

/// Which of the connections to a server it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConnectionRole {
    /// The number of the instance; 0: the one that all share, or the only one.
    pub(crate) instance: u64,
    /// The era that it is of, where the server speaks both.
    pub(crate) listed_in: ListedIn,
    /// Whether what it lists is what is approved and remembered of that era.
    pub(crate) is_recorded: bool,
}

impl ConnectionRole {
    /// The one that all share, or the only one.
    pub(crate) const SHARED: Self = Self { instance: 0, listed_in: ListedIn::SharedEra, is_recorded: true };
    /// One for the time that it takes to see whether the server speaks a session.
    pub(crate) const TRIAL: Self =
        Self { instance: u64::MAX, listed_in: ListedIn::Session, is_recorded: true };

    /// The same in a session, where the server speaks both eras.
    pub(crate) const SHARED_SESSION: Self =
        Self { instance: 0, listed_in: ListedIn::Session, is_recorded: true };

    /// Which era is tried, where otherwise `chosen` would be.
    pub(crate) fn era(self, chosen: EraChoice) -> EraChoice {
        match self.listed_in {
            ListedIn::SharedEra => chosen,
            ListedIn::Session => EraChoice::Only(Era::Session),
        }
    }

    /// Whether it is for a trial.
    pub(crate) fn is_trial(self) -> bool {
        self.instance == Self::TRIAL.instance
    }

    /// That of an instance for some apps.
    pub(crate) fn of_instance(instance: u64, key: &InstanceKey) -> Self {
        let listed_in = if key.in_session { ListedIn::Session } else { ListedIn::SharedEra };
        Self { instance, listed_in, is_recorded: key.is_shared() }
    }
}

/// What there is while connected.
pub(crate) struct LiveConnection {
    pub(crate) client: Client,
    pub(crate) recorder: Arc<Recorder>,
    pub(crate) peer: Peer,
    pub(crate) connect_time: Duration,
    /// What keeps it out until a person signs in.
    pub(crate) sign_in_required: watch::Receiver<Option<SignInRequired>>,
}

/// What the task publishes.
#[derive(Clone)]
pub(crate) struct Snapshot {
    pub(crate) state: State,
    pub(crate) since_ms: i64,
    pub(crate) link: Option<Arc<LiveConnection>>,
    pub(crate) program: Option<PathBuf>,
    /// What the last connection printed before it ended.
    pub(crate) stderr: Vec<String>,
    /// What starts the server fetches it.
    pub(crate) fetches: bool,
}

impl Snapshot {
    /// What it does on its way to a connection, where that is more than starting.
    fn start_step(&self, is_restarting: bool) -> Option<StartStep> {
        match self.state {
            State::Starting { .. } if self.fetches => Some(StartStep::Downloading),
            State::Starting { .. } | State::Stopped if is_restarting => Some(StartStep::Restarting),
            _ => None,
        }
    }

    fn has_given_up(&self) -> bool {
        let Self { state, link, .. } = self;
        let waits =
            matches!(state, State::Failed(_) | State::SignInNeeded(_) | State::Changed(_) | State::Locked(_));
        link.is_none() && waits
    }
}

/// A cheap handle to a connection that does not keep it alive.
#[derive(Clone)]
pub(crate) struct Handle {
    commands: CommandSender,
    snapshot: watch::Receiver<Snapshot>,
    pub(crate) shared: Arc<SharedState>,
    pub(crate) rules: Arc<RuleStore>,
    pub(crate) apps: Arc<AppStore>,
    settings: watch::Receiver<Settings>,
    trust: Arc<Trust>,
}

/// A connection. Dropping it ends the server's processes or the session at once; [`Self::close`] ends them
/// in good order.
pub struct Connection {
    pub(crate) handle: Handle,
    /// Owns the task.
    /// Taken out of every log as long as it is there.
    _secrets: Option<SecretLease>,
    _task: JoinSet<()>,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("shared", &self.handle.shared).finish_non_exhaustive()
    }
}

/// The end of an earlier connection to the same server.
pub(crate) type Predecessor = BoxFuture<'static, ()>;

impl ConnectionFactory {
    pub(crate) fn new(
        dialer: Arc<Dialer>,
        rules: Arc<RuleStore>,
        apps: Arc<AppStore>,
        respond: Box<MakeResponder>,
        events: broadcast::Sender<HostEvent>,
    ) -> Self {
        Self { dialer, rules, apps, make_responder: respond, events }
    }

    /// A connection at rest. `predecessor` has ended before this one starts.
    pub(crate) fn make(&self, spec: ConnectionSpec, predecessor: Option<Predecessor>) -> Connection {
        let defaults = CallDefaults { name: spec.config.name.as_str().into(), idle: spec.config.timeout };
        let responder = (self.make_responder)(&spec);
        // An app may know them before the server is started with them.
        let secrets = self.dialer.journal.lease_known(launch::secrets(&spec.config));
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
        };
        Connection { handle, _secrets: secrets, _task: owner }
    }
}

/// Reads how long calls took in earlier runs.
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
    pub(crate) fn handle(&self) -> &Handle {
        &self.handle
    }

    /// What it looks like now.
    pub fn view(&self) -> ConnectionView {
        self.handle.view()
    }

    /// Its tools: those remembered, or with `refresh` asked for anew.
    pub async fn tools(&self, refresh: bool) -> Result<Arc<ToolList>, HostError> {
        self.handle.tools(refresh).await
    }

    /// Its resources and resource templates: those remembered, or with `refresh` asked for anew.
    pub async fn resources(&self, refresh: bool) -> Result<Arc<ResourceList>, HostError> {
        self.handle.resources(refresh).await
    }

    /// Its prompts: those remembered, or with `refresh` asked for anew.
    pub async fn prompts(&self, refresh: bool) -> Result<Arc<PromptList>, HostError> {
        self.handle.prompts(refresh).await
    }

    /// Reads a resource. Dropping the future cancels the reading.
    pub async fn read_resource(
        &self,
        read: ResourceRead,
        on_event: OnCallEvent,
    ) -> Result<CallOutcome, HostError> {
        self.handle.read_resource(read, on_event).await
    }

    /// Has a prompt filled in. Dropping the future cancels it.
    pub async fn get_prompt(
        &self,
        call: PromptCall,
        on_event: OnCallEvent,
    ) -> Result<CallOutcome, HostError> {
        self.handle.get_prompt(call, on_event).await
    }

    /// The values that the server proposes for an argument: [`Host::complete_argument`](crate::Host::complete_argument).
    pub async fn complete_argument(&self, wanted: &CompletionRequest) -> Result<Completion, HostError> {
        self.handle.complete(wanted).await
    }

    /// Subscribes to a resource until [`Self::unsubscribe`], and gives the changes of all watched resources.
    pub async fn follow(&self, uri: &str, follower: Follower) -> Result<ResourceChanges, HostError> {
        self.handle.follow(uri, follower).await
    }

    /// Unsubscribes.
    pub async fn unsubscribe(&self, uri: &str, follower: Follower) -> Result<(), HostError> {
        self.handle.unsubscribe(uri, follower).await
    }

    /// Waits until it is lost for good, and says why.
    pub async fn lost(&self) -> Result<(), HostError> {
        let mut snapshot = self.handle.snapshot.clone();
        // An error says that its task has ended: it is lost all the more.
        let _ended = snapshot.wait_for(Snapshot::has_given_up).await;
        self.handle.link().map(drop)
    }

    /// Ends it in good order: returns when its processes are gone.
    pub async fn close(self) {
        self.handle.stop().await;
    }
}

impl Handle {
    /// Whether its server, which is at `url`, names icons that are there.
    pub(crate) fn names_icons_at(&self, url: &str) -> bool {
        url::Url::parse(url).is_ok_and(|url| self.shared.icons().names_any_of(&url))
    }

    /// Asks it to run, now.
    pub(crate) fn start(&self) {
        self.shared.set_needed(true);
        self.commands.start();
    }

    /// Asks it to run when its turn comes.
    pub(crate) fn start_in_turn(&self) {
        self.commands.start();
    }

    /// Stops it; returns when nothing is left of it.
    pub(crate) async fn stop(&self) {
        let (done, stopped) = oneshot::channel();
        self.commands.stop(Some(done));
        // An error says that the task has ended: it is stopped all the more.
        let _ended = stopped.await;
    }

    /// Whether it starts once the vault is open.
    pub(crate) fn is_waiting_for_vault(&self) -> bool {
        matches!(self.snapshot.borrow().state, State::Locked(_))
    }

    /// Asks it to stop, without waiting for its end.
    pub(crate) fn request_stop(&self) {
        self.shared.set_restarting(false);
        self.commands.stop(None);
    }

    /// Whether it has given up, until something changes outside.
    pub(crate) fn has_given_up(&self) -> bool {
        self.has_ended() || self.snapshot.borrow().has_given_up()
    }

    /// Has a server that is waited for between two attempts tried now, or soon where it has just been. What has given up
    /// stays so.
    pub(crate) fn retry(&self) {
        if self.is_waiting() {
            self.shared.set_needed(true);
        }
    }

    /// As [`retry`](Self::retry), and what gave up because of what stood between it and its server, such as the sign-in
    /// page of a network.
    pub(crate) fn retry_on_new_network(&self) {
        let may_be_other = matches!(&self.snapshot.borrow().state, State::Failed(failure)
            if matches!(failure.code, FailureCode::Certificate | FailureCode::NotMcp | FailureCode::HttpStatus));
        if may_be_other { self.start_in_turn() } else { self.retry() }
    }

    fn is_waiting(&self) -> bool {
        matches!(self.snapshot.borrow().state, State::Waiting { .. })
    }

    /// Waits until a connection that is meant to run is there or not about to be: it has given up, or an attempt that
    /// ended after this failed. An attempt is made at once.
    pub(crate) async fn wait_for_attempt(&self) {
        let mut snapshot = self.snapshot.clone();
        let (waited, is_stopped) = match snapshot.borrow().state {
            State::Waiting { attempt, .. } => (Some(attempt), false),
            State::Starting { .. } => (None, false),
            State::Stopped => (None, true),
            _ => return,
        };
        self.shared.set_needed(true);
        let mut has_begun = !is_stopped;
        let ended = snapshot.wait_for(|snapshot| match snapshot.state {
            State::Starting { .. } => {
                has_begun = true;
                false
            }
            State::Stopped => has_begun,
            State::Waiting { attempt, .. } => Some(attempt) != waited,
            _ => true,
        });
        // A task that has ended connects nothing.
        let _ended = ended.await;
    }

    /// Waits until it is connected or has given up.
    pub(crate) async fn wait_until_settled(&self) -> Result<(), HostError> {
        let mut snapshot = self.snapshot.clone();
        let settled = snapshot.wait_for(|snapshot| snapshot.link.is_some() || snapshot.has_given_up()).await;
        let failure = match settled {
            Ok(snapshot) if snapshot.link.is_some() => return Ok(()),
            Ok(snapshot) => snapshot.state.failure().cloned().unwrap_or_else(Failure::defect),
            Err(_) => Failure::defect(),
        };
        Err(HostError::Connect(Box::new(failure)))
    }

    /// The connection's other side, or why there is none.
    pub(crate) fn link(&self) -> Result<Arc<LiveConnection>, HostError> {
        let snapshot = self.snapshot.borrow();
        snapshot.link.clone().ok_or_else(|| self.not_connected(&snapshot.state))
    }

    fn not_connected(&self, state: &State) -> HostError {
        let why = state.failure().map(Failure::summary);
        HostError::NotConnected { name: self.shared.call_defaults().name.to_string(), why }
    }

    pub(crate) fn settings(&self) -> Settings {
        self.settings.borrow().clone()
    }

    /// The state in a word. What waits for the person is what they want to know of a connection that works.
    fn state_name(&self, state: &State) -> StateName {
        match state.name() {
            StateName::Ready | StateName::Degraded if self.shared.responder.is_waiting() => {
                StateName::WaitingForYou
            }
            // It is stopped for a moment only.
            StateName::Stopped if self.shared.is_restarting() => StateName::Starting,
            name => name,
        }
    }

    /// How the connection stands.
    pub(crate) fn state(&self) -> StateName {
        if self.has_ended() { StateName::Failed } else { self.state_name(&self.snapshot.borrow().state) }
    }

    /// Whether nothing will ever change again: the task only ends with its owner, or by a defect.
    fn has_ended(&self) -> bool {
        self.snapshot.has_changed().is_err()
    }

    /// Asks it to stop and to run again, without waiting for either.
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
    /// The limits that were reached.
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

    /// The last lines of standard error, without secrets.
    pub(crate) fn stderr(&self) -> Vec<String> {
        let lines = self.client.stderr_tail(SHOWN_STDERR);
        lines.iter().map(|line| self.recorder.redact_start(line, SHOWN_LINE)).collect()
    }
}
