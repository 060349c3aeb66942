//! The interface through which a connection answers its server's requests.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use mooring_inbox::{ResponseToServer, ServerPrompter};
use mooring_mcp::{CallerAdditions, ClientCapabilities, Question, RequestCaller};
use mooring_recorder::Recorder;

use super::ConnectionSpec;

/// Answers the requests of one connection's server.
pub trait Responder: Send + Sync {
    /// The capabilities that the server sees. Read when connecting, and for each request in the stateless
    /// era.
    fn capabilities(&self) -> ClientCapabilities;

    /// The capabilities of the app that made a request.
    fn capabilities_of(&self, caller: &RequestCaller) -> ClientCapabilities;

    /// What the caller of a request adds to it.
    fn additions_of(&self, caller: &RequestCaller) -> CallerAdditions;

    /// Answers a question. `name` is the server's current display name. Dropping the future withdraws the
    /// question.
    fn answer(
        &self,
        question: Question,
        name: &str,
        recorder: &Arc<Recorder>,
    ) -> BoxFuture<'static, ResponseToServer>;

    /// Asks the person about calls of the server's tools. `None` if there is no person to ask.
    fn prompter(&self, name: &str) -> Option<ServerPrompter>;

    /// Whether a question of the server is waiting for the person.
    fn is_waiting(&self) -> bool;

    /// Handles the server's message that the person has completed what was opened at a URL.
    fn complete_elicitation(&self, elicitation: &str);

    /// Handles the end of the connection: the URLs that the server wanted opened are no longer shown.
    fn forget_opened_urls(&self);

    /// Handles that the person has started a request to this server.
    fn person_started(&self);
}

/// Creates the responder of a connection.
pub type MakeResponder = dyn Fn(&ConnectionSpec) -> Arc<dyn Responder> + Send + Sync;

/// A responder without a person, which allows no questions.
#[cfg(test)]
#[derive(Debug)]
pub(crate) struct NoResponder;

#[cfg(test)]
impl Responder for NoResponder {
    fn capabilities(&self) -> ClientCapabilities {
        ClientCapabilities::default()
    }

    fn capabilities_of(&self, _: &RequestCaller) -> ClientCapabilities {
        ClientCapabilities::default()
    }

    fn additions_of(&self, _: &RequestCaller) -> CallerAdditions {
        CallerAdditions::default()
    }

    fn answer(&self, _: Question, _: &str, _: &Arc<Recorder>) -> BoxFuture<'static, ResponseToServer> {
        unreachable!("nothing was declared")
    }

    fn prompter(&self, _: &str) -> Option<ServerPrompter> {
        None
    }

    fn is_waiting(&self) -> bool {
        false
    }

    fn complete_elicitation(&self, _: &str) {}

    fn forget_opened_urls(&self) {}

    fn person_started(&self) {}
}
