//! Where the questions of one connection come in.

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use mooring_mcp::{Abilities, Asked, Occasion, Origin, Question, Refusal};
use mooring_words::{Sentence, say};
use serde_json::value::RawValue;
use url::Url;

use super::view::InteractionOccasion;
use super::{Asker, Interactions, elicit};
use crate::connection::Context;
use crate::journal::Recorder;
use crate::server::{NewServer, ServerId, Transport};
use crate::{roots, sampling};

/// What a server is answered.
pub(crate) type Answer = Result<Box<RawValue>, Refusal>;

/// For one connection of a saved server, with everything that answering takes. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Desk {
    pub(crate) context: Arc<Context>,
    asker: Asker,
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").field("asker", &self.asker).finish_non_exhaustive()
    }
}

impl Desk {
    pub(crate) fn new(context: Arc<Context>, server: ServerId, config: &NewServer) -> Self {
        let place = match config.transport {
            Transport::Stdio => config.command.clone(),
            Transport::Http => config.url.as_deref().and_then(|url| Url::parse(url).ok()).map(|url| {
                // An address with a host has an origin.
                url.origin().ascii_serialization()
            }),
        };
        let name = config.name.clone();
        let asker = Asker { server, name, transport: config.transport, place: place.unwrap_or_default() };
        Self { context, asker }
    }

    /// The same under the name that the person gives the server now.
    pub(crate) fn named(&self, name: &str) -> Self {
        Self {
            context: Arc::clone(&self.context),
            asker: Asker { name: name.to_owned(), ..self.asker.clone() },
        }
    }

    /// Who asks.
    pub(crate) fn asker(&self) -> Asker {
        self.asker.clone()
    }

    /// Whom to ask.
    pub(crate) fn interactions(&self) -> &Arc<Interactions> {
        &self.context.interactions
    }

    /// What the server may ask.
    pub(crate) fn abilities(&self) -> Abilities {
        let offered = sampling::desk::offered(self);
        Abilities {
            forms: true,
            urls: true,
            roots: true,
            sampling: offered.sampling,
            sampling_tools: offered.sampling && offered.tools,
            tasks: false,
        }
    }

    /// Answers one question of the server. Dropping the future takes it back.
    pub(crate) fn ask(self, question: Question, recorder: Arc<Recorder>) -> BoxFuture<'static, Answer> {
        match question.asked {
            Asked::Elicitation => Box::pin(elicit::answer(self, question, recorder)),
            Asked::Sampling => sampling::desk::answer(self, question),
            Asked::Roots => Box::pin(roots::answer(self, question)),
        }
    }
}

/// What a question of a server belongs to, as far as the protocol tells.
pub(crate) fn occasion(origin: &Origin) -> InteractionOccasion {
    let (method, subject) = match origin {
        Origin::Request { occasion: Occasion::Request { method, subject }, .. } => {
            (Some(*method), subject.as_deref())
        }
        Origin::Round { method, .. } | Origin::Required { method, .. } => (Some(*method), None),
        Origin::Task { .. } => (Some("tools/call"), None),
        Origin::Request { .. } => (None, None),
    };
    InteractionOccasion {
        method: method.map(str::to_owned),
        subject: subject.map(str::to_owned),
        caller: None,
        said: said(origin, method, subject),
    }
}

fn said(origin: &Origin, method: Option<&'static str>, subject: Option<&str>) -> Sentence {
    match (origin, method, subject) {
        (Origin::Task { .. }, ..) => say!("A call that it works on in the background waits for the answer."),
        (_, Some("tools/call"), Some(tool)) => {
            say!("The call of its tool {tool} waits for the answer.", tool = tool.to_owned())
        }
        (_, Some("tools/call"), None) => say!("A call of one of its tools waits for the answer."),
        (_, Some(method), _) => say!("A request waits for the answer: {method}", method = method),
        (Origin::Request { occasion: Occasion::Nothing, .. }, ..) => {
            say!("The server asks of its own accord.")
        }
        _ => say!("The server does not say what it asks this for."),
    }
}
