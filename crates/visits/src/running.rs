//! The running Mooring, as a command uses it.

use std::path::Path;
use std::sync::Arc;

use mooring_answers::GivenAnswers;
use mooring_bridge::{BridgeError, CommandHello, Hello, connect};
use mooring_calls::{CompletionRequest, OnCallEvent};
use mooring_faults::{Exit, Fault};
use tokio::sync::Mutex;

use crate::answer::{ItemKind, Listing, Outcome, ServerFacts};
use crate::framing::{Incoming, Outgoing, framed};
use crate::message::{Reply, Request};
use crate::notice::Notice;
use crate::request::ServerRequest;

/// Called with what a command receives while it waits.
pub type OnNotice = Arc<dyn Fn(Notice) + Send + Sync>;

/// A connection to the running Mooring.
pub struct RunningMooring {
    from: Incoming,
    to: Outgoing,
    on_notice: OnNotice,
    /// The process that listens; 0: the system doesn't tell.
    peer: i32,
}

/// A server that runs there. Requests wait for each other; one that is dropped ends the connection, which cancels it.
pub struct RunningServer {
    mooring: Mutex<Option<RunningMooring>>,
    facts: ServerFacts,
}

impl std::fmt::Debug for RunningServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunningServer").field("facts", &self.facts).finish_non_exhaustive()
    }
}

/// Why a command can't work through a running Mooring.
#[derive(Debug)]
pub enum Unavailable {
    /// Mooring does not run.
    NotRunning,
    /// It refuses the command, with the reason: it has another version, or does not recognize the caller.
    Refused(String),
}

/// The result of opening a server.
#[derive(Debug)]
pub enum Opened {
    /// It can be used.
    Server(Box<RunningServer>),
    /// It does not run there.
    NotRunning,
}

impl RunningMooring {
    /// Connects to the one that has the data folder. `on_notice` must not block.
    pub async fn connect(home: &Path, version: &str, on_notice: OnNotice) -> Result<Self, Unavailable> {
        let hello = Hello::Command(CommandHello { version: version.to_owned() });
        match connect(home, &hello, None).await {
            Ok(connected) => {
                let from = connected.from.into_inner();
                let peer = from.as_ref().peer_cred().ok().and_then(|peer| peer.pid());
                let (from, to) = framed(from, connected.to);
                Ok(Self { from, to, on_notice, peer: peer.unwrap_or_default() })
            }
            Err(BridgeError::Refused(reason)) => Err(Unavailable::Refused(reason)),
            Err(error) => {
                tracing::info!(%error, "no running Mooring was found");
                Err(Unavailable::NotRunning)
            }
        }
    }

    /// The names of the saved servers.
    pub async fn server_names(&mut self) -> Result<Vec<String>, Fault> {
        match self.send_request(&Request::Names, None).await? {
            Reply::Names(names) => Ok(names),
            _ => Err(lost_fault()),
        }
    }

    /// Has a saved server used. `prove` makes the proof where one is asked for, which takes what a command alone would
    /// need: the keychain, or the passphrase.
    pub async fn open(
        mut self,
        server: &str,
        answers: GivenAnswers,
        prove: impl AsyncFnOnce(&str) -> Result<String, Fault>,
    ) -> Result<Opened, Fault> {
        let open = Request::Open { server: server.to_owned(), answers };
        let mut reply = self.send_request(&open, None).await?;
        if let Reply::Prove(challenge) = &reply {
            // The proof includes the peer's process id: a process that passed the challenge on could not use
            // it.
            let proof = prove(&format!("{challenge} {}", self.peer)).await?;
            reply = self.send_request(&Request::Proof(proof), None).await?;
        }
        match reply {
            Reply::Opened(facts) => {
                let mooring = Mutex::new(Some(self));
                Ok(Opened::Server(Box::new(RunningServer { mooring, facts: *facts })))
            }
            Reply::NotRunning => Ok(Opened::NotRunning),
            _ => Err(lost_fault()),
        }
    }

    /// Sends a request and returns its answer. Events that come before the answer go to `on_event` or to
    /// `on_notice`.
    async fn send_request(
        &mut self,
        request: &Request,
        on_event: Option<&OnCallEvent>,
    ) -> Result<Reply, Fault> {
        if !self.to.send(request).await {
            return Err(lost_fault());
        }
        loop {
            match self.from.next().await {
                Some(Reply::Notice(Notice::Call(event))) => {
                    if let Some(on_event) = on_event {
                        on_event(event);
                    }
                }
                Some(Reply::Notice(notice)) => (self.on_notice)(notice),
                Some(Reply::Failed(fault)) => return Err(fault),
                Some(reply) => return Ok(reply),
                None => return Err(lost_fault()),
            }
        }
    }
}

impl RunningServer {
    /// Whether an `Authorization` header is configured for it.
    pub fn has_own_authorization(&self) -> bool {
        self.facts.has_own_authorization
    }

    /// The facts about the server.
    pub(crate) fn facts(&self) -> &ServerFacts {
        &self.facts
    }

    /// Whether nothing more can be asked through this connection.
    pub fn is_lost(&self) -> bool {
        self.mooring.try_lock().is_ok_and(|mooring| mooring.is_none())
    }

    /// Takes the connection for one request. It comes back with the answer.
    async fn send_request(&self, request: &Request, on_event: Option<&OnCallEvent>) -> Result<Reply, Fault> {
        let mut place = self.mooring.lock().await;
        let mut mooring = place.take().ok_or_else(lost_fault)?;
        let answer = mooring.send_request(request, on_event).await;
        if !matches!(&answer, Err(fault) if fault.kind == LOST) {
            *place = Some(mooring);
        }
        answer
    }

    pub(crate) async fn values(&self, wanted: CompletionRequest) -> Result<Vec<String>, Fault> {
        match self.send_request(&Request::Values(wanted), None).await? {
            Reply::Values(values) => Ok(values),
            _ => Err(lost_fault()),
        }
    }

    /// Calls `tell` for each change of a resource until this is dropped, which ends the connection.
    pub(crate) async fn follow(&self, uri: &str, mut tell: impl FnMut(Notice)) -> Result<(), Fault> {
        let mut mooring = self.mooring.lock().await.take().ok_or_else(lost_fault)?;
        if !mooring.to.send(&Request::Follow(uri.to_owned())).await {
            return Err(lost_fault());
        }
        loop {
            match mooring.from.next().await {
                Some(Reply::Notice(notice)) => tell(notice),
                Some(Reply::Failed(fault)) => return Err(fault),
                _ => return Err(lost_fault()),
            }
        }
    }

    pub(crate) async fn list(&self, kind: ItemKind, refresh: bool) -> Result<Listing, Fault> {
        match self.send_request(&Request::List { kind, refresh }, None).await? {
            Reply::Listing(listing) => Ok(*listing),
            _ => Err(lost_fault()),
        }
    }

    pub(crate) async fn request(
        &self,
        request: ServerRequest,
        on_event: OnCallEvent,
    ) -> Result<Outcome, Fault> {
        match self.send_request(&Request::Do(request), Some(&on_event)).await? {
            Reply::Outcome(outcome) => Ok(*outcome),
            _ => Err(lost_fault()),
        }
    }
}

/// The kind of fault that says so.
const LOST: &str = "mooring_gone";

fn lost_fault() -> Fault {
    Fault::new(Exit::Connect, LOST, "the running Mooring went away")
        .next("Try again, or let the command work by itself: --alone")
}
