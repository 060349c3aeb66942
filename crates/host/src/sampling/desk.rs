//! Where questions for a model come in.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use mooring_mcp::{Question, Refusal};

use crate::interaction::{Answer, Desk};

/// What a server may ask a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Offered {
    /// Words.
    pub(crate) sampling: bool,
    /// Words, and which of the server's tools to use.
    pub(crate) tools: bool,
}

/// What is offered to a server.
pub(crate) fn offered(_desk: &Desk) -> Offered {
    Offered::default()
}

/// Answers a question for a model. Dropping the future takes it back.
pub(crate) fn answer(_desk: Desk, _question: Question) -> BoxFuture<'static, Answer> {
    // Nothing was declared, so the engine has refused it already.
    std::future::ready(Err(Refusal { code: -32601, message: "Method not found".to_owned() })).boxed()
}
