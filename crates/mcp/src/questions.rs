//! Questions of servers of the session era, while they wait for their answers.

mod beyond;
pub(crate) mod desk;
mod receiver;

use serde_json::value::RawValue;

use crate::inbound::{Asked, Refusal};
use crate::json::raw;

pub(crate) use beyond::answer_beyond;
pub(crate) use desk::run;

/// What a server hears that asks more than can be held: a person who is asked too much does not answer.
pub(crate) fn too_many(method: &str) -> Result<Box<RawValue>, Refusal> {
    let cancel = (method == Asked::Elicitation.method()).then(|| raw(r#"{"action":"cancel"}"#)).flatten();
    let refusal = || Refusal { code: -32603, message: "too many questions wait for an answer".to_owned() };
    cancel.ok_or_else(refusal)
}
