//! A command, as the running Mooring serves it.

use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use mooring_answers::{AnsweredQuestion, GivenAnswers, PresetAnswers, SamplingAnswers};
use mooring_base::server_id::ServerId;
use mooring_calls::Follower;
use mooring_command_line::ANSWER_OPTIONS;
use mooring_definitions::NewServer;
use mooring_errors::HostError;
use mooring_faults::{Exit, Fault};
use mooring_host::Host;
use mooring_inbox::{AppResponder, InteractionKind, ResponseToServer};
use mooring_mcp::{ClientCapabilities, QuestionKind, Refusal};
use mooring_process::PeerSession;
use mooring_server_state::StateName;
use mooring_vault::random_id;
use serde_json::value::RawValue;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc;

use crate::answer::ServerFacts;
use crate::framing::{Incoming, Outgoing, framed};
use crate::message::{Reply, Request};
use crate::notice::Notice;
use crate::request::Holder;

/// How long to wait for a server that is being connected.
const CONNECT_TIMEOUT: Duration = Duration::from_mins(1);
/// Interval for checking whether a question waits for the person.
const LOOK_INTERVAL: Duration = Duration::from_millis(300);

/// Maximum number of notices that a command can be behind by. Further ones are dropped.
const MAX_NOTICES: usize = 1_024;

/// Numbers of requests, of all commands.
static REQUESTS: AtomicU64 = AtomicU64::new(1);
/// Numbers of connections. They are apart from those of apps.
static CONNECTIONS: AtomicU64 = AtomicU64::new(1 << 63);

/// Serves a command until it goes. `session`: the terminal that it is in. `has_person`: somebody is there to be asked.
pub async fn serve(
    host: Host,
    session: PeerSession,
    has_person: bool,
    from: OwnedReadHalf,
    to: OwnedWriteHalf,
) {
    let (from, to) = framed(from, to);
    let number = CONNECTIONS.fetch_add(1, Ordering::Relaxed);
    Visit { host, session, has_person, number, from, to }.run().await;
}

struct Visit {
    host: Host,
    session: PeerSession,
    has_person: bool,
    number: u64,
    from: Incoming,
    to: Outgoing,
}

/// A server that is used, and how its questions are answered.
struct Visited {
    server: ServerId,
    answers: Option<Arc<Answering>>,
    /// The terminal may use the servers; otherwise there was nothing to have while the vault wasn't open.
    is_admitted: bool,
}

impl Visit {
    async fn run(mut self) {
        let mut visited: Option<Visited> = None;
        while let Some(request) = self.from.next().await {
            let is_late =
                |visited: &Visited| !visited.is_admitted && self.host.vault().key_fingerprint().is_some();
            let reply = match request {
                Request::List { .. } | Request::Do(_) | Request::Values(_) | Request::Follow(_)
                    if visited.as_ref().is_some_and(is_late) =>
                {
                    visited = None;
                    Reply::Failed(unproven_fault())
                }
                Request::Names => {
                    Reply::Names(self.host.servers().into_iter().map(|server| server.config.name).collect())
                }
                Request::Open { server, answers } => match self.open(&server, &answers).await {
                    Some((reply, opened)) => {
                        visited = opened;
                        reply
                    }
                    None => return,
                },
                Request::List { kind, refresh } => match &visited {
                    Some(visited) => {
                        let host = self.host.clone();
                        let listed = Holder::Host(&host, visited.server).list(kind, refresh);
                        match self.work_on_request(listed, None).await {
                            Some(Ok(listing)) => Reply::Listing(Box::new(listing)),
                            Some(Err(error)) => Reply::Failed(error.into()),
                            None => return,
                        }
                    }
                    None => return,
                },
                Request::Do(wanted) => match &visited {
                    Some(Visited { server, answers, .. }) => {
                        let host = self.host.clone();
                        let name = request_name();
                        let _asked = answers.as_ref().map(|answers| {
                            let responder: Arc<dyn AppResponder> = Arc::clone(answers) as _;
                            host.register_app(Arc::clone(&name), self.number, responder)
                        });
                        let (told, notices) = mpsc::channel(MAX_NOTICES);
                        if let Some(answers) = answers {
                            answers.set_receiver(told.clone());
                        }
                        let on_event = Arc::new(move |event| {
                            // The command may have gone, or be slower than its server.
                            let _lost = told.try_send(Notice::Call(event));
                        });
                        let place = Holder::Host(&host, *server);
                        let done = place.request(wanted, Some(Arc::clone(&name)), on_event);
                        match self.work_on_request(done, Some((name, notices))).await {
                            Some(Ok(outcome)) => Reply::Outcome(Box::new(outcome)),
                            Some(Err(error)) => Reply::Failed(error.into()),
                            None => return,
                        }
                    }
                    None => return,
                },
                Request::Values(wanted) => match &visited {
                    Some(visited) => {
                        let host = self.host.clone();
                        let values = Holder::Host(&host, visited.server).values(&wanted);
                        match self.work_on_request(values, None).await {
                            Some(Ok(values)) => Reply::Values(values),
                            Some(Err(error)) => Reply::Failed(error.into()),
                            None => return,
                        }
                    }
                    None => return,
                },
                Request::Follow(uri) => match &visited {
                    Some(visited) => match self.follow(visited.server, &uri).await {
                        Some(error) => Reply::Failed(error.into()),
                        None => return,
                    },
                    None => return,
                },
                // No proof was requested.
                Request::Proof(_) => return,
            };
            if !self.to.send(&reply).await {
                return;
            }
        }
    }

    /// Tells a command the changes of a resource until it goes; otherwise why it can't.
    async fn follow(&mut self, server: ServerId, uri: &str) -> Option<HostError> {
        let (host, follower) = (self.host.clone(), Follower::App(self.number));
        let (told, notices) = mpsc::channel(MAX_NOTICES);
        let tell = |notice| {
            // The command may have gone, or be slower than its server.
            let _lost = told.try_send(notice);
        };
        let place = Holder::Host(&host, server);
        let follow = place.follow(uri, follower, std::future::pending(), tell);
        let ended = self.work_on_request(follow, Some((request_name(), notices))).await;
        if let Some(Err(error)) = ended {
            return Some(error);
        }
        if let Err(error) = place.leave(uri, follower).await {
            tracing::info!(%error, "a resource could not be left");
        }
        None
    }

    /// Lets a command use a server, once its terminal may. None: the command has gone.
    async fn open(&mut self, name: &str, answers: &GivenAnswers) -> Option<(Reply, Option<Visited>)> {
        let failed = |fault: Fault| Some((Reply::Failed(fault), None));
        let Some(server) = self.host.servers().into_iter().find(|server| server.config.name == *name) else {
            return Some((Reply::NotRunning, None));
        };
        let id = server.id;
        if let Some(SamplingAnswers::Model(_)) = &answers.sampling {
            return failed(Fault::usage("a model needs a connection of the command’s own: add --alone"));
        }
        let answers = match answers.preset() {
            // Otherwise the person who is there answers.
            Ok(answers) => {
                let is_given = answers.capabilities() != ClientCapabilities::default();
                (is_given || !self.has_person).then(|| Arc::new(Answering::new(answers, self.has_person)))
            }
            Err(error) => return failed(Fault::usage(format!("invalid answers: {error}"))),
        };
        let (host, session, request) = (self.host.clone(), self.session.clone(), request_name());
        let (told, notices) = mpsc::channel(MAX_NOTICES);
        let admitted = host.admit_terminal(&session, id, &request);
        let is_admitted = match self.work_on_request(admitted, Some((Arc::clone(&request), notices))).await? {
            Ok(is_admitted) => is_admitted,
            Err(error) => {
                let next =
                    "Open another terminal to be asked again, or let the command work by itself: --alone";
                return failed(Fault::from(error).next(next));
            }
        };
        drop(told);
        // While the vault isn't open here there is nothing to have.
        let is_open = host.vault().key_fingerprint().is_some();
        if !is_admitted && is_open && !self.is_proven().await? {
            return failed(unproven_fault());
        }
        let is_admitted = is_admitted || is_open;
        let waited = host.wait_for_attempt(id);
        if is_about_to_run(&host, id) {
            // If it can't be connected, the next request reports why.
            let _late = self.work_on_request(tokio::time::timeout(CONNECT_TIMEOUT, waited), None).await?;
        }
        let Ok(server) = host.server(id) else { return Some((Reply::NotRunning, None)) };
        if matches!(server.connection.state, StateName::Stopped | StateName::Locked) {
            return Some((Reply::NotRunning, None));
        }
        let has_failed = matches!(
            server.connection.state,
            StateName::Failed | StateName::Changed | StateName::SignInNeeded | StateName::Reconnecting
        );
        if let Some(failure) = server.connection.failure.clone().filter(|_| has_failed) {
            let has_own = has_own_authorization(&server.config);
            return failed(Fault::from(failure).with_own_authorization(has_own));
        }
        let mut facts = ServerFacts::new(server.connection, server.config.transport.as_str());
        facts.has_own_authorization = has_own_authorization(&server.config);
        Some((Reply::Opened(Box::new(facts)), Some(Visited { server: id, answers, is_admitted })))
    }

    /// Whether the command can open the vault itself, so that it gets nothing that it could not have alone.
    async fn is_proven(&mut self) -> Option<bool> {
        let host = self.host.clone();
        let vault = host.vault();
        let challenge = random_id().ok()?;
        if !self.to.send(&Reply::Prove(challenge.clone())).await {
            return None;
        }
        let Some(Request::Proof(proof)) = self.from.next().await else { return None };
        // A command in another process namespace can't see the number of the process that listens.
        let is_proof = [process::id(), 0]
            .into_iter()
            .any(|listener| vault.is_proof(&format!("{challenge} {listener}"), &proof));
        if is_proof {
            host.allow_terminal(&self.session);
        }
        Some(is_proof)
    }

    /// Runs a request, and sends notices to the command meanwhile. `None` if the command is gone, which
    /// cancels the work. The second argument is the request's name, which its questions carry, and the
    /// notices.
    async fn work_on_request<T>(
        &mut self,
        work: impl Future<Output = T>,
        told: Option<(Arc<str>, mpsc::Receiver<Notice>)>,
    ) -> Option<T> {
        tokio::pin!(work);
        let (name, mut notices) = match told {
            Some((name, notices)) => (Some(name), Some(notices)),
            None => (None, None),
        };
        let mut has_said = false;
        let mut look = tokio::time::interval(LOOK_INTERVAL);
        loop {
            let heard = async {
                match &mut notices {
                    Some(notices) => notices.recv().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                notice = heard => match notice {
                    Some(notice) => {
                        if !self.to.send(&Reply::Notice(notice)).await {
                            return None;
                        }
                    }
                    None => notices = None,
                },
                done = &mut work => {
                    // Notices that came before the answer are sent before it.
                    while let Some(notice) = notices.as_mut().and_then(|notices| notices.try_recv().ok()) {
                        self.to.send(&Reply::Notice(notice)).await;
                    }
                    return Some(done);
                }
                _gone = self.from.next::<Request>() => return None,
                _ = look.tick(), if !has_said && name.is_some() => {
                    if let Some(notice) = name.as_deref().and_then(|name| waiting(&self.host, name)) {
                        has_said = true;
                        if !self.to.send(&Reply::Notice(notice)).await {
                            return None;
                        }
                    }
                }
            }
        }
    }
}

fn unproven_fault() -> Fault {
    Fault::new(Exit::Refused, "unproven", "the vault’s key could not be proven")
        .next("Let the command work by itself: --alone")
}

fn request_name() -> Arc<str> {
    format!("command-{}", REQUESTS.fetch_add(1, Ordering::Relaxed)).into()
}

/// Whether an `Authorization` header is configured for a server, so that no login is used.
pub fn has_own_authorization(server: &NewServer) -> bool {
    let secrets = server.secrets.iter().map(|secret| &secret.name);
    server.headers.keys().chain(secrets).any(|name| name.eq_ignore_ascii_case("authorization"))
}

/// A notice about what waits for the person because of a request.
fn waiting(host: &Host, name: &str) -> Option<Notice> {
    let waiting = host.inbox().waiting;
    let question = waiting.iter().find(|view| view.occasion.requests.iter().any(|one| one == name))?;
    Some(match question.question.kind() {
        InteractionKind::App => Notice::AskedAboutTerminal,
        _ => Notice::Asked,
    })
}

/// Whether a server is worth waiting for.
fn is_about_to_run(host: &Host, id: ServerId) -> bool {
    let server = host.server(id).ok();
    server.is_some_and(|server| {
        server.enabled
            && matches!(
                server.connection.state,
                StateName::Stopped | StateName::Asleep | StateName::Starting | StateName::Reconnecting
            )
    })
}

/// Answers a server's questions as a command specified.
struct Answering {
    answers: PresetAnswers,
    /// Who is there is asked what the command says nothing about.
    has_person: bool,
    /// Receives what was answered.
    told: Told,
}

type Told = Arc<Mutex<Option<mpsc::Sender<Notice>>>>;

impl Answering {
    fn new(mut answers: PresetAnswers, has_person: bool) -> Self {
        let told = Told::default();
        let to = Arc::clone(&told);
        answers.on_answered = Some(Box::new(move |AnsweredQuestion { message, answer }| {
            send_answer(&to, message, answer.to_string());
        }));
        Self { answers, has_person, told }
    }

    fn set_receiver(&self, told: mpsc::Sender<Notice>) {
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = Some(told);
    }
}

fn send_answer(told: &Told, message: String, answer: String) {
    if let Some(told) = &*told.lock().unwrap_or_else(PoisonError::into_inner) {
        // The command may have gone, or be slower than its server.
        let _lost = told.try_send(Notice::Answered { message, answer });
    }
}

impl AppResponder for Answering {
    fn capabilities(&self) -> ClientCapabilities {
        self.answers.capabilities()
    }

    fn sees_one_server(&self) -> bool {
        true
    }

    fn answer(
        &self,
        kind: QuestionKind,
        params: &RawValue,
        _: Option<&str>,
    ) -> Option<BoxFuture<'static, ResponseToServer>> {
        let answer = match self.answers.answer_alone(kind, params) {
            Some(answer) => answer,
            None if self.has_person || kind == QuestionKind::Roots => return None,
            None => {
                let mut options = ANSWER_OPTIONS.iter();
                let option = options.find(|option| option.capability == kind.capability());
                let option =
                    option.map_or_else(String::new, |it| format!(": {} says what to answer", it.option));
                let why = format!("refused, because nobody is there to ask{option}");
                send_answer(&self.told, String::new(), why);
                Err(Refusal { code: -32603, message: "nobody is at Mooring to answer".to_owned() })
            }
        };
        Some(std::future::ready(answer).boxed())
    }
}
