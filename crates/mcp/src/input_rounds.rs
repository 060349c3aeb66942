//! Calls of the stateless era that require input first (`input_required`), and other values of `resultType`.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::{StreamExt as _, TryStreamExt as _};
use mooring_jsonrpc::code::URL_REQUIRED;
use mooring_jsonrpc::{JsonObject, Members, raw, string};
use mooring_words::{Sentence, say};
use serde_json::value::RawValue;

use crate::client_capabilities::{QuestionKind, check_declared};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::error::RequestError;
use crate::inbound::{PendingRequest, Question, QuestionOrigin};
use crate::limits::LimitKind;
use crate::request::{Request, ResendReason, ResultKind, Success};
use crate::wire::RequestSender;

/// The methods whose results may require input (MRTR-01, MRTR-02).
const MAY_ASK: [&str; 3] = ["tools/call", "prompts/get", "resources/read"];

/// Additional delay for each round without a question.
const PAUSE: Duration = Duration::from_millis(200);

/// A question's index in its round, its key, and the answer.
type KeyedResponse<'a> = (usize, &'a str, Box<RawValue>);

/// A result's `resultType`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ResultType<'a> {
    Complete { stated: bool },
    InputRequired { requests: Members<'a>, state: Option<&'a str> },
    Other(String),
}

pub(crate) fn read_result_type(result: &str) -> ResultType<'_> {
    let members = Members::of(result);
    // A missing type means complete (BASE-22).
    let Some(kind) = members.get("resultType") else { return ResultType::Complete { stated: false } };
    let kind = string(kind).unwrap_or_else(|| kind.to_owned());
    match kind.as_str() {
        "complete" => ResultType::Complete { stated: true },
        "input_required" => ResultType::InputRequired {
            requests: members.inside("inputRequests"),
            state: members.get("requestState"),
        },
        _ => ResultType::Other(kind),
    }
}

impl RequestSender {
    /// Sends a request and answers its questions until it completes.
    pub(crate) async fn request_with_input(&self, request: Request<'_>) -> Result<Success, RequestError> {
        if !self.is_modern() {
            return match Box::pin(self.request(&request)).await {
                Err(RequestError::Rpc(error)) if error.code == URL_REQUIRED => {
                    Box::pin(self.retry_after_urls(&request, error)).await
                }
                answer => answer,
            };
        }
        let given = request.params.cloned().unwrap_or_default();
        let mut params = given.clone();
        let mut kind = ResultKind::Plain;
        let mut elapsed = Duration::ZERO;
        for round in 0..=self.link.limits.rounds {
            let next = Request { params: Some(&params), ran_before: elapsed, ..request.clone() };
            let mut answer = Box::pin(self.request(&next)).await?;
            elapsed = answer.elapsed;
            match read_result_type(answer.raw.get()) {
                ResultType::Complete { stated } => {
                    if !stated {
                        answer.diagnostics.push(Diagnostic::new(
                            DiagnosticCode::Missing,
                            "resultType",
                            say!("is missing"),
                        ));
                    }
                    return Ok(Success { kind, ..answer });
                }
                ResultType::InputRequired { requests, state } if MAY_ASK.contains(&request.method) => {
                    if requests.is_empty() && state.is_none() {
                        return invalid_error(say!("it requires input but asks for none"));
                    }
                    if round == self.link.limits.rounds {
                        // The limit on rounds is reached, so the answers could not be sent.
                        break;
                    }
                    if requests.is_empty() {
                        // The server only wants the request again. Wait longer each time (MRTR-04).
                        tokio::time::sleep(PAUSE * u32::try_from(round).unwrap_or(u32::MAX)).await;
                    }
                    let question = request.options.open_question();
                    let responses = self.collect_responses(&request.as_pending(), &requests).await?;
                    drop(question);
                    request.options.check_may_resend(ResendReason::InputProvided).await?;
                    kind = ResultKind::AfterInput;
                    params.clone_from(&given);
                    if !responses.is_empty() {
                        params = params.object("inputResponses", &responses);
                    }
                    if let Some(state) = state {
                        // The state is sent back byte for byte (MRTR-05).
                        params = params.raw("requestState", state);
                    }
                }
                ResultType::InputRequired { .. } => {
                    return invalid_error(say!("it requires input, which this method never does"));
                }
                ResultType::Other(name) if name == "task" && self.can_be_task(&request) => {
                    let offers = self.offers();
                    if offers.known && !offers.task_extension {
                        let message = say!("is a task, though the server doesn’t declare support for tasks");
                        answer.diagnostics.push(Diagnostic::new(
                            DiagnosticCode::Missing,
                            "resultType",
                            message,
                        ));
                    }
                    return Ok(Success { kind: ResultKind::Task, ..answer });
                }
                ResultType::Other(name) => {
                    return invalid_error(say!(
                        "its resultType is unknown: {kind}",
                        kind = format!("{name:?}")
                    ));
                }
            }
        }
        self.link.note_limit(LimitKind::Rounds);
        Err(RequestError::Rounds { limit: self.link.limits.rounds })
    }

    /// Whether a request may return a task: the extension is declared and allows it (BASE-24, TSKE-04).
    fn can_be_task(&self, request: &Request<'_>) -> bool {
        request.method == "tools/call" && self.declares_tasks
    }

    /// Checks the limit on questions in one round.
    pub(crate) fn check_round_size(&self, count: usize) -> Result<(), RequestError> {
        let limit = self.link.limits.round_questions;
        if count <= limit {
            return Ok(());
        }
        self.link.note_limit(LimitKind::RoundQuestions);
        invalid_error(say!("it sent {count} questions at once; at most {limit} are answered", count, limit))
    }

    /// Answers one round as `inputResponses`. Asks nothing if a question isn't allowed or there are too many.
    async fn collect_responses(
        &self,
        call: &PendingRequest,
        requests: &Members<'_>,
    ) -> Result<JsonObject, RequestError> {
        self.check_round_size(requests.len())?;
        let mut asked = Vec::with_capacity(requests.len());
        for (key, request) in requests {
            let origin = QuestionOrigin::InputRequired { call: call.clone(), key: key.to_owned() };
            asked.push((key, self.read_question(request, origin)?));
        }
        let mut waiting: Vec<BoxFuture<'_, Result<KeyedResponse<'_>, RequestError>>> = Vec::new();
        for (place, (key, question)) in asked.into_iter().enumerate() {
            let kind = question.kind.method();
            let inbound = Arc::clone(&self.inbound);
            waiting.push(Box::pin(async move {
                match inbound.ask(question).await {
                    Ok(answer) => Ok((place, key, answer)),
                    // Only forms and URLs can be declined. For other questions, the call fails (MRTR-14).
                    Err(refusal) => {
                        Err(RequestError::Refused { what: kind.to_owned(), reason: refusal.message })
                    }
                }
            }));
        }
        // A question that waits for the person must not delay questions that are answered at once.
        let answers = futures_util::stream::iter(waiting).buffer_unordered(self.link.limits.questions);
        let mut answers: Vec<_> = answers.try_collect().await?;
        answers.sort_unstable_by_key(|(place, ..)| *place);
        Ok(answers.iter().fold(JsonObject::new(), |params, (_, key, answer)| params.json(key, answer.get())))
    }

    /// Parses a question in a result, and checks that it is allowed (MRTR-12).
    pub(crate) fn read_question(
        &self,
        request: &str,
        origin: QuestionOrigin,
    ) -> Result<Question, RequestError> {
        let members = Members::of(request);
        let named = members.text("method").unwrap_or_default();
        let Some(asked) = QuestionKind::from_method(&named) else {
            return invalid_error(say!("it asks for {method}", method = format!("{named:?}")));
        };
        let params = members
            .get("params")
            .and_then(raw)
            .unwrap_or_else(|| RawValue::from_string("{}".to_owned()).unwrap_or_default());
        let question = Question { kind: asked, params, origin };
        let able = self.inbound.capabilities_during(question.origin.caller());
        check_declared(question.kind, question.params.get(), able)
            .map_err(|refusal| RequestError::Refused { what: named, reason: refusal.message })?;
        Ok(question)
    }
}

fn invalid_error<T>(reason: Sentence) -> Result<T, RequestError> {
    Err(RequestError::Malformed { reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: BASE-22, BASE-23.
    #[test]
    fn a_result_is_complete_unless_it_says_otherwise() {
        assert_eq!(read_result_type("{}"), ResultType::Complete { stated: false });
        assert_eq!(read_result_type(r#"{"resultType":"complete"}"#), ResultType::Complete { stated: true });
        assert_eq!(read_result_type(r#"{"resultType":"banana"}"#), ResultType::Other("banana".to_owned()));
        assert_eq!(
            read_result_type(
                r#"{"resultType":"input_required","inputRequests":{"a":{}},"requestState":" \u0041"}"#
            ),
            ResultType::InputRequired { requests: Members::of(r#"{"a":{}}"#), state: Some(r#"" \u0041""#) }
        );
    }
}
