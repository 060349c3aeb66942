//! The questions of the tool `ask`: to a person, to a model, and for the roots. In a session each is a
//! request. Without a session, all of them are in the result.
#![expect(deprecated, reason = "sampling and roots are deprecated, and every revision has them")]

use rmcp::RoleServer;
use rmcp::model::{
    CreateMessageRequest, CreateMessageRequestParams, ElicitRequest, ElicitRequestParams, ErrorData,
    InputRequest, InputRequests, InputRequiredResult, InputResponses, ListRootsRequest, SamplingMessage,
    ServerRequest,
};
use rmcp::service::Peer;
use serde_json::{Value, json};

/// The `requestState` that the client returns with the answers.
pub(crate) const STATE: &str = "asked";

fn questions() -> Result<InputRequests, ErrorData> {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
    let form = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: "Who are you?".to_owned(),
        requested_schema: serde_json::from_value(schema).map_err(internal)?,
    };
    let words = vec![SamplingMessage::user_text("Say something.")];
    let sample = CreateMessageRequest::new(CreateMessageRequestParams::new(words, 10));
    Ok(InputRequests::from([
        ("form".to_owned(), InputRequest::Elicitation(ElicitRequest::new(form))),
        ("sample".to_owned(), InputRequest::CreateMessage(sample)),
        ("folders".to_owned(), InputRequest::ListRoots(ListRootsRequest::default())),
    ]))
}

/// All questions in one result.
pub(crate) fn at_once() -> Result<InputRequiredResult, ErrorData> {
    Ok(InputRequiredResult::new(Some(questions()?), Some(STATE.to_owned())))
}

/// One request per question.
pub(crate) async fn one_by_one(client: &Peer<RoleServer>) -> Result<InputResponses, ErrorData> {
    let mut answers = InputResponses::new();
    for (key, question) in questions()? {
        let request = match question {
            InputRequest::Elicitation(request) => ServerRequest::from(request),
            InputRequest::CreateMessage(request) => ServerRequest::from(request),
            InputRequest::ListRoots(request) => ServerRequest::from(request),
            _ => continue,
        };
        let answer = client.send_request(request).await.map_err(internal)?;
        answers.insert(key, serde_json::to_value(answer).map_err(internal)?);
    }
    Ok(answers)
}

/// The answers in one line.
pub(crate) fn summary(answers: &InputResponses) -> Result<String, ErrorData> {
    let text = |key: &str, path: &str| {
        let found = answers.get(key).and_then(|answer| answer.pointer(path)).and_then(Value::as_str);
        found.ok_or_else(|| ErrorData::invalid_params(format!("no answer: {key}"), None))
    };
    let (name, sample) = (text("form", "/content/name")?, text("sample", "/content/text")?);
    Ok(format!("{name}; {sample}; {}", text("folders", "/roots/0/uri")?))
}

fn internal(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
