//! The task that owns a connection: it holds the one state, does what the state asks for, and publishes
//! every change. Dropping it ends everything it holds.

use std::future::pending;
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use mooring_mcp::{Client, CloseReason, ConnectError, Handshake, Listing, RequestError, Tool};
use serde_json::value::RawValue;
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;

use super::shared::{Ear, Shared};
use super::state::{Endurance, Event, State, back_off};
use super::wishes::{Wish, Wished};
use super::{Connection, Context, Link, Snapshot, Spec};
use crate::error::{Failure, FailureCode};
use crate::failure;
use crate::journal::{Recorder, micros};
use crate::launch;
use crate::server::Peer;
use crate::tools::{CallError, ToolList};

/// JSON-RPC's code for a method that the other side does not have.
const METHOD_NOT_FOUND: i64 = -32601;

/// How long to wait after a change of the tools: a server that changes many announces each.
const SETTLE: Duration = Duration::from_millis(100);

type Listed = Pin<Box<dyn Future<Output = Result<Listing<Tool>, RequestError>> + Send>>;

/// See the module.
pub(super) struct Task {
    spec: Spec,
    context: Arc<Context>,
    shared: Arc<Shared>,
    wishes: Wished,
    publish: watch::Sender<Snapshot>,
    predecessor: Option<Connection>,
    /// Writes for the current or the last attempt.
    recorder: Option<Arc<Recorder>>,
    program: Option<PathBuf>,
    link: Option<Arc<Link>>,
    connected_at: Instant,
    listing: Option<Listed>,
    /// The tools changed; when to list them again.
    list_at: Option<Instant>,
    stderr: Vec<String>,
    /// Who waits for the end.
    stopping: Vec<oneshot::Sender<()>>,
}

impl Task {
    pub(super) fn new(
        spec: Spec,
        context: Arc<Context>,
        shared: Arc<Shared>,
        wishes: Wished,
        predecessor: Option<Connection>,
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
            context,
            shared,
            wishes,
            publish,
            predecessor,
            recorder: None,
            program: None,
            link: None,
            connected_at: Instant::now(),
            listing: None,
            list_at: None,
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
                State::Stopped | State::SignInNeeded(_) | State::Failed(_) => self.rest().await,
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
            self.shared.set_tools(None);
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
            recorder.state(state.name(), state.attempt(), state.failure()).await;
        }
    }

    /// Ends what is left of a stopped connection, in good order.
    async fn release(&mut self) {
        self.listing = None;
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
        self.listing = None;
        self.link = None;
        if self.wishes.is_empty()
            && let Some(predecessor) = self.predecessor.take()
        {
            predecessor.close().await;
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
            Wish::List => None,
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
            predecessor.close().await;
        }
        let secrets = launch::secrets(&self.spec.config);
        let name = self.shared.manner().name;
        let recorder = match self.context.journal.recorder(self.spec.server, name, &secrets) {
            Ok(recorder) => Arc::new(recorder),
            Err(error) => {
                return Event::ConnectFailed(Failure::new(FailureCode::Internal, error.to_string()));
            }
        };
        self.recorder = Some(Arc::clone(&recorder));
        let (state, attempt) = {
            let snapshot = self.publish.borrow();
            (snapshot.state.name(), snapshot.state.attempt())
        };
        recorder.state(state, attempt, None).await;

        let outcome = {
            let connecting = connect(&self.spec, &self.context, &self.shared, &recorder);
            let mut connecting = std::pin::pin!(connecting);
            loop {
                tokio::select! {
                    outcome = &mut connecting => break outcome,
                    wish = self.wishes.next() => match wish {
                        Wish::Stop(done) => {
                            self.stopping.extend(done);
                            return Event::Stop;
                        }
                        Wish::Start | Wish::List => {}
                    },
                }
            }
        };
        match outcome {
            Ok((link, program)) => {
                self.program = program;
                self.link = Some(Arc::new(link));
                self.connected_at = Instant::now();
                self.list_at = None;
                if self.spec.endurance == Endurance::Reconnect {
                    self.list();
                }
                Event::Connected
            }
            Err(Attempt { mut failure, program, stderr }) => {
                self.program = program;
                failure.message = recorder.redact(&failure.message);
                failure.evidence = failure.evidence.map(|evidence| recorder.redact(&evidence));
                self.stderr = stderr.iter().map(|line| recorder.redact(line)).collect();
                Event::ConnectFailed(failure)
            }
        }
    }

    /// Starts listing the tools.
    fn list(&mut self) {
        let Some(link) = &self.link else { return };
        self.list_at = None;
        // Whoever asks for a list wants the one of now; what was listed is kept here.
        let client = link.client.fresh();
        self.listing = Some(Box::pin(async move {
            if offers_no_tools(client.handshake()) {
                return Ok(Listing { items: Vec::new(), raw: empty_list(), diagnostics: Vec::new() });
            }
            match client.list_tools().await {
                Err(RequestError::Rpc(error))
                    if error.code == METHOD_NOT_FOUND && !client.handshake().offers("tools") =>
                {
                    Ok(Listing { items: Vec::new(), raw: empty_list(), diagnostics: Vec::new() })
                }
                listed => listed,
            }
        }));
    }

    /// Keeps the connection until it ends or is stopped.
    async fn hold(&mut self) -> Event {
        let Some(link) = self.link.clone() else {
            return Event::Lost { failure: Failure::defect(), held: Duration::ZERO };
        };
        let mut closed = link.client.closed();
        loop {
            // Another listing begins only when the one under way is done.
            let due = self.list_at.filter(|_| self.listing.is_none());
            let listing = &mut self.listing;
            let listed = async {
                match listing {
                    Some(listing) => listing.await,
                    None => pending().await,
                }
            };
            let due = async {
                match due {
                    Some(due) => tokio::time::sleep_until(due).await,
                    None => pending().await,
                }
            };
            tokio::select! {
                biased;
                wish = self.wishes.next() => match wish {
                    Wish::Stop(done) => {
                        self.stopping.extend(done);
                        return Event::Stop;
                    }
                    // A listing under way is as fresh as one could wish.
                    Wish::List if self.listing.is_none() => self.list(),
                    Wish::List | Wish::Start => {}
                },
                reason = closed.wait_for(Option::is_some) => {
                    let reason = reason.ok().and_then(|reason| reason.clone());
                    let mut failure = failure::from_close(&reason.unwrap_or(CloseReason::Stopped));
                    failure.evidence = failure.evidence.map(|evidence| link.recorder.redact(&evidence));
                    self.listing = None;
                    return Event::Lost { failure, held: self.connected_at.elapsed() };
                }
                () = self.shared.tools_changed.notified(), if self.spec.endurance == Endurance::Reconnect => {
                    self.list_at.get_or_insert_with(|| Instant::now() + SETTLE);
                }
                () = due => self.list(),
                outcome = listed => {
                    self.listing = None;
                    return Event::Listed(self.listed(outcome));
                }
            }
        }
    }

    fn listed(&self, outcome: Result<Listing<Tool>, RequestError>) -> Option<Failure> {
        match outcome {
            Ok(listing) => {
                let Listing { items, raw, diagnostics } = listing;
                self.shared.set_tools(Some(Ok(Arc::new(ToolList { tools: items, raw, diagnostics }))));
                self.shared.announce();
                None
            }
            Err(error) => {
                let error = CallError::from(error);
                let failure = failure::from_list(&error);
                self.shared.set_tools(Some(Err(error)));
                Some(failure)
            }
        }
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
    context: &Context,
    shared: &Arc<Shared>,
    recorder: &Arc<Recorder>,
) -> Result<(Link, Option<PathBuf>), Attempt> {
    let launch = launch::prepare(&spec.config, &spec.place, &context.login)
        .await
        .map_err(|failure| Attempt { failure, program: None, stderr: Vec::new() })?;
    let mut options = context.client.clone();
    let settings = context.settings.borrow().clone();
    options.limits.message_bytes = settings.max_message_bytes();
    options.deadlines.connect = spec.start_timeout.unwrap_or_else(|| settings.start_timeout());
    options.deadlines.idle = shared.manner().idle.unwrap_or_else(|| settings.request_idle());
    options.deadlines.total = settings.request_total();
    options.era = spec.era;
    let ear = Arc::new(Ear { shared: Arc::clone(shared), recorder: Arc::clone(recorder) });
    match Client::connect(launch.target, options, ear, Arc::clone(recorder) as _).await {
        Ok(client) => {
            let peer = peer(client.handshake());
            let connect_time = client.handshake().elapsed;
            Ok((Link { client, recorder: Arc::clone(recorder), peer, connect_time }, launch.program))
        }
        Err(error) => {
            let stderr = match &error {
                ConnectError::Exited { stderr, .. } | ConnectError::Timeout { stderr, .. } => stderr.clone(),
                _ => Vec::new(),
            };
            let failure = failure::from_connect(error, spec.config.transport, &recorder.noise());
            Err(Attempt { failure, program: launch.program, stderr })
        }
    }
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
        steps: handshake.steps.clone(),
        capabilities: handshake.capabilities.clone(),
        diagnostics: handshake.diagnostics.clone(),
    }
}

/// Whether the server declares what it offers and tools are not among it. One that declares nothing is asked
/// all the same: many have tools.
fn offers_no_tools(handshake: &Handshake) -> bool {
    let declares_something = handshake.capabilities.get().contains('"');
    declares_something && !handshake.offers("tools")
}

fn empty_list() -> Box<RawValue> {
    RawValue::from_string(r#"{"tools":[]}"#.to_owned()).unwrap_or_default()
}

fn now_ms() -> i64 {
    micros(SystemTime::now()) / 1_000
}
