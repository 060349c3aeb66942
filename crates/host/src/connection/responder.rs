//! What a connection knows of whoever answers its server.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use mooring_inbox::{ResponseToServer, ServerPrompter};
use mooring_mcp::{CallerAdditions, ClientCapabilities, Question, RequestCaller};
use mooring_recorder::Recorder;

use super::ConnectionSpec;

/// Who answers the questions of one connection's server.
pub(crate) trait Responder: Send + Sync {
    /// What the server may ask. Read when a connection is made, and in the stateless era with each request.
    fn capabilities(&self) -> ClientCapabilities;

    /// What the caller of a request can answer itself.
    fn capabilities_of(&self, caller: &RequestCaller) -> ClientCapabilities;

    /// What the caller of a request adds to it.
    fn additions_of(&self, caller: &RequestCaller) -> CallerAdditions;

    /// Answers a question. `name` is the person's name for the server now. Dropping the future takes the question back.
    fn answer(
        &self,
        question: Question,
        name: &str,
        recorder: &Arc<Recorder>,
    ) -> BoxFuture<'static, ResponseToServer>;

    /// Where the person is asked about a call of the server's tools; none: nobody is there to ask.
    fn prompter(&self, name: &str) -> Option<ServerPrompter>;

    /// Whether a question of the server is before the person.
    fn is_waiting(&self) -> bool;

    /// The server says that what it wanted opened is done.
    fn complete_elicitation(&self, elicitation: &str);

    /// The connection is over: what the server asked to be opened is no longer shown.
    fn forget_opened_urls(&self);

    /// The person started something at this server.
    fn person_started(&self);
}

/// Makes the responder of a connection.
pub(crate) type MakeResponder = dyn Fn(&ConnectionSpec) -> Arc<dyn Responder> + Send + Sync;

/// Nobody is there: nothing may be asked.
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
