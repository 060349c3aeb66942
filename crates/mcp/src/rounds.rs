//! Calls of the stateless era that want input before they complete (`input_required`), and what else a result may
//! say of itself (`resultType`).

use serde_json::value::RawValue;

use crate::call::{Request, Success};
use crate::error::RequestError;
use crate::frame::object_members;
use crate::inbound::{Asked, Origin, Question};
use crate::model::diagnostic::{Code, Diagnostic};
use crate::model::{raw, string};
use crate::questions;
use crate::wire::Wire;

/// The methods whose results may want input (MRTR-01, MRTR-02).
const MAY_ASK: [&str; 3] = ["tools/call", "prompts/get", "resources/read"];

/// What a result says of itself.
#[derive(Debug, PartialEq, Eq)]
enum ResultType<'a> {
    Complete { stated: bool },
    InputRequired { requests: Vec<(&'a str, &'a str)>, state: Option<&'a str> },
    Other(String),
}

fn result_type(result: &str) -> ResultType<'_> {
    let members = object_members(result);
    let member = |name: &str| members.iter().rfind(|(key, _)| *key == name).map(|(_, value)| *value);
    match member("resultType") {
        // Absent means complete (BASE-22).
        None => ResultType::Complete { stated: false },
        Some("\"complete\"") => ResultType::Complete { stated: true },
        Some("\"input_required\"") => ResultType::InputRequired {
            requests: object_members(member("inputRequests").unwrap_or("{}")),
            state: member("requestState"),
        },
        Some(other) => ResultType::Other(string(other).unwrap_or_else(|| other.to_owned())),
    }
}

impl Wire {
    /// Makes a request and answers what it asks for on the way, until it completes.
    pub(crate) async fn complete(&self, request: Request<'_>) -> Result<Success, RequestError> {
        if !self.is_modern() {
            return Box::pin(self.request(&request)).await;
        }
        let given = request.members.unwrap_or_default().to_owned();
        let mut members = given.clone();
        for _ in 0..=self.link.limits.rounds {
            let round = Request { members: Some(&members), ..request.clone() };
            let mut answer = Box::pin(self.request(&round)).await?;
            match result_type(answer.raw.get()) {
                ResultType::Complete { stated } => {
                    if !stated {
                        answer.diagnostics.push(Diagnostic::new(Code::Missing, "resultType", "is missing"));
                    }
                    return Ok(answer);
                }
                ResultType::InputRequired { requests, state } if MAY_ASK.contains(&request.method) => {
                    if requests.is_empty() && state.is_none() {
                        return invalid("it wants input but asks for none");
                    }
                    let responses = self.gather(request.method, &requests).await?;
                    members.clone_from(&given);
                    let comma = if members.is_empty() { "" } else { "," };
                    members.extend([comma, r#""inputResponses":{"#, &responses, "}"]);
                    if let Some(state) = state {
                        // Byte for byte (MRTR-05).
                        members.extend([r#","requestState":"#, state]);
                    }
                }
                ResultType::InputRequired { .. } => {
                    return invalid("it wants input, which this method never does");
                }
                ResultType::Other(kind) => return invalid(&format!("its resultType is not known: {kind:?}")),
            }
        }
        Err(RequestError::Rounds { limit: self.link.limits.rounds })
    }

    /// The answers to all questions of one round, as the members of `inputResponses`.
    async fn gather(&self, method: &'static str, requests: &[(&str, &str)]) -> Result<String, RequestError> {
        let mut asked = Vec::with_capacity(requests.len());
        for (key, request) in requests {
            asked.push((*key, self.question(method, key, request)?));
        }
        let answers = asked.into_iter().map(|(key, question)| async move {
            let kind = question.asked.method();
            match self.inbound.ask(question).await {
                Ok(answer) => Ok((key, answer)),
                // Only forms and URLs can be declined in so many words; of the rest the call is given up (MRTR-14).
                Err(refusal) => Err(RequestError::Refused { what: kind.to_owned(), reason: refusal.message }),
            }
        });
        let answers = futures_util::future::try_join_all(answers).await?;
        let members: Vec<_> =
            answers.iter().map(|(key, answer)| format!("\"{key}\":{}", answer.get())).collect();
        Ok(members.join(","))
    }

    fn question(&self, method: &'static str, key: &str, request: &str) -> Result<Question, RequestError> {
        let members = object_members(request);
        let member = |name: &str| members.iter().rfind(|(found, _)| *found == name).map(|(_, value)| *value);
        let named = member("method").and_then(string).unwrap_or_default();
        let Some(asked) = Asked::from_method(&named) else {
            return invalid(&format!("it asks for {named:?}"));
        };
        let params = member("params")
            .and_then(raw)
            .unwrap_or_else(|| RawValue::from_string("{}".to_owned()).unwrap_or_default());
        let key = string(&format!("\"{key}\"")).unwrap_or_else(|| key.to_owned());
        let question = Question { asked, params, origin: Origin::Round { method, key } };
        questions::admit(&question, self.inbound.abilities())
            .map_err(|refusal| RequestError::Refused { what: named, reason: refusal.message })?;
        Ok(question)
    }
}

fn invalid<T>(reason: &str) -> Result<T, RequestError> {
    Err(RequestError::Malformed { reason: reason.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_complete_unless_it_says_otherwise() {
        assert_eq!(result_type("{}"), ResultType::Complete { stated: false });
        assert_eq!(result_type(r#"{"resultType":"complete"}"#), ResultType::Complete { stated: true });
        assert_eq!(result_type(r#"{"resultType":"banana"}"#), ResultType::Other("banana".to_owned()));
        assert_eq!(
            result_type(
                r#"{"resultType":"input_required","inputRequests":{"a":{}},"requestState":" \u0041"}"#
            ),
            ResultType::InputRequired { requests: vec![("a", "{}")], state: Some(r#"" \u0041""#) }
        );
    }
}
