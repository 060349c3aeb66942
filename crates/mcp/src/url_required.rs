//! Calls of 2025-11-25 that fail because a URL has to be visited first (error `-32042`).

use std::sync::Arc;

use futures_util::future::Either;
use mooring_jsonrpc::{Members, elements, member, raw};
use serde_json::value::RawValue;

use crate::client_capabilities::QuestionKind;
use crate::error::{RequestError, RpcError};
use crate::inbound::{ClientHandler, PendingRequest, Question, QuestionOrigin};
use crate::peer::elicitations;
use crate::request::{Request, ResendReason, Success};
use crate::revision::Revision;
use crate::wire::RequestSender;

/// The most URLs in one error.
const MOST: usize = 8;

impl RequestSender {
    /// Asks the person to visit the URLs of an error, and repeats the call after all visits (ELIC-30). If the
    /// error is invalid, or if URL elicitation was not declared, returns the error (ELIC-31).
    pub(crate) async fn retry_after_urls(
        &self,
        request: &Request<'_>,
        error: RpcError,
    ) -> Result<Success, RequestError> {
        let of_this_revision = self.revision() == Some(Revision::R2025_11_25);
        let asked =
            if of_this_revision && self.inbound.capabilities().urls { read_urls(&error) } else { None };
        let Some(asked) = asked else { return Err(RequestError::Rpc(error)) };
        let question = request.options.open_question();
        let done = asked.into_iter().map(|(id, params)| self.ask_to_visit(request.as_pending(), id, params));
        let done = futures_util::future::join_all(done).await;
        drop(question);
        if !done.into_iter().all(|done| done) {
            return Err(RequestError::Rpc(error));
        }
        request.options.check_may_resend(ResendReason::InputProvided).await?;
        // A second such error is final (ELIC-31).
        Box::pin(self.request(request)).await
    }

    /// Shows one URL. Returns true once the person accepts or the server reports the completion.
    async fn ask_to_visit(&self, call: PendingRequest, id: String, params: Box<RawValue>) -> bool {
        self.peer.elicitations.remember(&id);
        let origin = QuestionOrigin::UrlRequired { call, key: id.clone() };
        let question = Question { kind: QuestionKind::Elicitation, params, origin };
        let inbound: Arc<dyn ClientHandler> = Arc::clone(&self.inbound);
        let completion = Box::pin(self.peer.elicitations.wait_until_completed(&id));
        match futures_util::future::select(inbound.ask(question), completion).await {
            Either::Left((answer, _)) => answer.is_ok_and(|answer| is_accept(answer.get())),
            Either::Right(_) => true,
        }
    }
}

pub(crate) fn is_accept(answer: &str) -> bool {
    Members::of(answer).is("action", "accept")
}

/// Reads the URLs in an error, each with its id and the parameters of its question.
pub(crate) fn read_urls(error: &RpcError) -> Option<Vec<(String, Box<RawValue>)>> {
    let data = error.data.as_deref()?;
    let entries = elements(member(data.get(), "elicitations")?)?;
    if entries.is_empty() || entries.len() > MOST {
        return None;
    }
    let read = |entry: &&RawValue| {
        let members = Members::of(entry.get());
        let is_url = members.is("mode", "url") && members.text("url").is_some();
        let id = elicitations::read_elicitation_id(entry.get()).filter(|_| is_url)?;
        Some((id, raw(entry.get())?))
    };
    entries.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mooring_jsonrpc::code::URL_REQUIRED;

    // Requirements: ELIC-31.
    #[test]
    fn error_without_valid_urls_is_an_ordinary_error() {
        let error = |data: &str| RpcError {
            code: URL_REQUIRED,
            message: String::new(),
            data: raw(data),
            status: None,
        };
        let good = r#"{"mode":"url","elicitationId":"e","url":"https://example.com","message":"m"}"#;
        assert_eq!(read_urls(&error(&format!(r#"{{"elicitations":[{good}]}}"#))).unwrap()[0].0, "e");
        for bad in [
            "7".to_owned(),
            "{}".to_owned(),
            r#"{"elicitations":[]}"#.to_owned(),
            format!(r#"{{"elicitations":[{good},{{"mode":"form","message":"m"}}]}}"#),
            r#"{"elicitations":[{"mode":"url","url":"https://example.com"}]}"#.to_owned(),
            format!(r#"{{"elicitations":[{}]}}"#, [good; 9].join(",")),
        ] {
            assert!(read_urls(&error(&bad)).is_none(), "{bad}");
        }
        assert!(read_urls(&RpcError { data: None, ..error("7") }).is_none());
    }
}
