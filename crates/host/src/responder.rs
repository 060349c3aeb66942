//! Who answers servers: what was decided beforehand, the person in the Inbox, or nobody.

use std::fmt;
use std::sync::{Arc, OnceLock};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use mooring_base::server_id::ServerId;
use mooring_definitions::{NewServer, Transport};
use mooring_inbox::{Answer, Asker, Desk, Interactions, elicit};
use mooring_mcp::{ClientCapabilities, Question, QuestionKind, Refusal};
use mooring_recorder::Recorder;
use mooring_sampling::Models;
use tokio::sync::broadcast;
use url::Url;

use crate::answers::Answers;
use crate::connection::responder::Responder;
use crate::event::HostEvent;
use crate::roots::{self, Folders};

/// Everything that answering takes, for all connections of a host.
pub(crate) struct Responders {
    /// What servers are answered where nobody is there to ask.
    pub(crate) answers: OnceLock<Arc<Answers>>,
    /// Who asks the person.
    pub(crate) interactions: Arc<Interactions>,
    pub(crate) models: Arc<Models>,
    pub(crate) folders: Arc<Folders>,
    pub(crate) events: broadcast::Sender<HostEvent>,
    /// Whether there is a person to ask: only at the window.
    pub(crate) attended: bool,
}

impl fmt::Debug for Responders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Responders").field("attended", &self.attended).finish_non_exhaustive()
    }
}

impl Responders {
    /// The responder of a connection to this server.
    pub(crate) fn make(self: &Arc<Self>, server: Option<ServerId>, config: &NewServer) -> Arc<dyn Responder> {
        let desk = server
            .filter(|_| self.attended)
            .map(|server| Desk::new(Arc::clone(&self.interactions), asker(server, config)));
        Arc::new(ForServer { of: Arc::clone(self), server, desk })
    }
}

/// Who asks, as the person is told.
fn asker(server: ServerId, config: &NewServer) -> Asker {
    let place = match config.transport {
        Transport::Stdio => config.command.clone(),
        Transport::Http => config.url.as_deref().and_then(|url| Url::parse(url).ok()).map(|url| {
            // An address with a host has an origin.
            url.origin().ascii_serialization()
        }),
    };
    let name = config.name.clone();
    Asker { server, name, transport: config.transport, place: place.unwrap_or_default() }
}

struct ForServer {
    of: Arc<Responders>,
    server: Option<ServerId>,
    desk: Option<Desk>,
}

impl Responder for ForServer {
    fn abilities(&self) -> ClientCapabilities {
        match (self.of.answers.get(), &self.desk) {
            (Some(answers), _) => answers.abilities(),
            (None, Some(desk)) => {
                let offered = mooring_sampling::desk::offered(&self.of.models, desk.asker().server);
                ClientCapabilities {
                    forms: true,
                    urls: true,
                    roots: true,
                    sampling: offered.sampling,
                    sampling_tools: offered.sampling && offered.tools,
                    tasks: false,
                }
            }
            (None, None) => ClientCapabilities::default(),
        }
    }

    fn answer(&self, question: Question, name: &str, recorder: &Arc<Recorder>) -> BoxFuture<'static, Answer> {
        let models = Arc::clone(&self.of.models);
        match (self.of.answers.get(), self.desk(name)) {
            (Some(answers), _) => Arc::clone(answers).ask(question, self.server, models, recorder),
            (None, Some(desk)) => match question.kind {
                QuestionKind::Elicitation => {
                    let recorder = Arc::clone(recorder);
                    elicit::answer(desk, question, move |secrets| recorder.hold_fields(secrets)).boxed()
                }
                QuestionKind::Sampling => mooring_sampling::desk::answer(desk, question, models),
                QuestionKind::Roots => {
                    let (folders, events) = (Arc::clone(&self.of.folders), self.of.events.clone());
                    roots::answer(desk, question, folders, events).boxed()
                }
            },
            // Nothing was declared, so the engine has refused it already.
            (None, None) => {
                std::future::ready(Err(Refusal { code: -32601, message: "Method not found".to_owned() }))
                    .boxed()
            }
        }
    }

    fn desk(&self, name: &str) -> Option<Desk> {
        self.desk.as_ref().map(|desk| desk.named(name))
    }

    fn waits(&self) -> bool {
        self.desk.as_ref().is_some_and(|desk| desk.interactions().waits(desk.asker().server))
    }

    fn completed(&self, elicitation: &str) {
        if let Some(desk) = &self.desk {
            desk.interactions().completed(desk.asker().server, elicitation);
        }
    }

    fn forget_opened(&self) {
        if let Some(desk) = &self.desk {
            desk.interactions().forget_opened(desk.asker().server);
        }
    }

    fn person_started(&self) {
        self.of.models.rounds.begin(self.server);
    }
}
