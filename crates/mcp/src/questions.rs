//! Questions of servers of the session era that wait for their answers.

mod over_limit;
pub(crate) mod pending;
mod task_receiver;

use mooring_jsonrpc::raw;
use serde_json::value::RawValue;

use crate::client_capabilities::{QuestionKind, Refusal};
pub(crate) use over_limit::answer_over_limit;
pub(crate) use pending::answer_questions;

/// The response to questions over the limit. It is the response for a person who did not answer.
pub(crate) fn refuse_too_many(method: &str) -> Result<Box<RawValue>, Refusal> {
    let cancel =
        (method == QuestionKind::Elicitation.method()).then(|| raw(r#"{"action":"cancel"}"#)).flatten();
    let refusal = || Refusal { code: -32603, message: "too many questions wait for an answer".to_owned() };
    cancel.ok_or_else(refusal)
}
