//! The answer of a model, as far as it has come.

use serde_json::{Map, Value, json};

use crate::fault::{MOST_ANSWER, ModelError};
use crate::request::{SIGNATURE, SamplingRequest};

/// Most blocks of an answer.
const MOST_BLOCKS: usize = 256;

/// What a provider said of one model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens read.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
}

/// An answer, as far as it has come.
#[derive(Debug, Clone, Default)]
pub struct Reply {
    /// The model that speaks, as the provider names it.
    pub model: Option<String>,
    blocks: Vec<Said>,
    /// In the protocol's words.
    pub stop_reason: Option<String>,
    /// What it took, where the provider says so.
    pub usage: Option<Usage>,
    bytes: usize,
}

#[derive(Debug, Clone)]
enum Said {
    Text(String),
    Image { data: String, mime: String },
    Use { id: String, name: String, input: String, signature: Option<String> },
}

impl Reply {
    /// Nothing yet, of this model.
    pub(crate) fn of(model: &str) -> Self {
        Self { model: Some(model.to_owned()), ..Self::default() }
    }

    fn count(&mut self, bytes: usize) -> Result<(), ModelError> {
        self.bytes = self.bytes.saturating_add(bytes);
        let fits = self.bytes <= MOST_ANSWER && self.blocks.len() <= MOST_BLOCKS;
        if fits { Ok(()) } else { Err(ModelError::TooLong) }
    }

    /// Goes on with a text.
    pub(crate) fn text(&mut self, more: &str) -> Result<(), ModelError> {
        if more.is_empty() {
            return Ok(());
        }
        match self.blocks.last_mut() {
            Some(Said::Text(text)) => text.push_str(more),
            _ => self.blocks.push(Said::Text(more.to_owned())),
        }
        self.count(more.len())
    }

    /// Adds a picture.
    pub(crate) fn image(&mut self, data: &str, mime: &str) -> Result<(), ModelError> {
        self.blocks.push(Said::Image { data: data.to_owned(), mime: mime.to_owned() });
        self.count(data.len() + mime.len())
    }

    /// Begins the use of a tool; the place of its arguments.
    pub(crate) fn use_tool(
        &mut self,
        id: Option<&str>,
        name: &str,
        signature: Option<&str>,
    ) -> Result<usize, ModelError> {
        let place = self.blocks.len();
        let id = id.filter(|id| !id.is_empty()).map_or_else(|| format!("call_{}", place + 1), str::to_owned);
        let signature = signature.map(str::to_owned);
        let bytes = id.len() + name.len() + signature.as_ref().map_or(0, String::len);
        self.blocks.push(Said::Use { id, name: name.to_owned(), input: String::new(), signature });
        self.count(bytes)?;
        Ok(place)
    }

    /// Goes on with the arguments of the use at `place`: JSON text.
    pub(crate) fn arguments(&mut self, place: usize, more: &str) -> Result<(), ModelError> {
        match self.blocks.get_mut(place) {
            Some(Said::Use { input, .. }) => input.push_str(more),
            _ => return Err(ModelError::Malformed("arguments of no tool".to_owned())),
        }
        self.count(more.len())
    }

    /// Whether a tool is used.
    pub(crate) fn uses_tools(&self) -> bool {
        self.blocks.iter().any(|said| matches!(said, Said::Use { .. }))
    }

    /// The content blocks as the protocol writes them. Arguments that are still coming are shown as none.
    pub fn content(&self) -> Vec<Value> {
        self.blocks.iter().map(|said| said.block().unwrap_or_else(|_| said.unfinished())).collect()
    }

    /// It without a secret that the provider has repeated, which `hidden` leaves out.
    #[must_use]
    pub fn masked(&self, hidden: &dyn Fn(&str) -> String) -> Self {
        let mut masked = self.clone();
        masked.model = masked.model.as_deref().map(hidden);
        masked.stop_reason = masked.stop_reason.as_deref().map(hidden);
        for said in &mut masked.blocks {
            match said {
                Said::Text(text) => *text = hidden(text),
                Said::Image { .. } => {}
                Said::Use { id, name, input, .. } => {
                    for text in [id, name, input] {
                        *text = hidden(text);
                    }
                }
            }
        }
        masked
    }

    /// Looks whether everything has come that belongs to an answer.
    pub fn finished(mut self, request: &SamplingRequest) -> Result<Self, ModelError> {
        // Where there was no more room, the last use of a tool may be half of one: that is nothing to run a tool with.
        if self.stop_reason.as_deref() == Some("maxTokens")
            && let Some(last @ Said::Use { input, .. }) = self.blocks.last()
            && (input.trim().is_empty() || last.block().is_err())
        {
            self.blocks.pop();
        }
        for said in &self.blocks {
            said.block()?;
        }
        if self.stop_reason.is_none() {
            return Err(ModelError::Cut);
        }
        if self.blocks.is_empty() {
            self.blocks.push(Said::Text(String::new()));
        }
        match self.usage {
            Some(usage) if usage.output > u64::from(request.max_tokens) => {
                Err(ModelError::OverLimit { most: request.max_tokens, written: usage.output })
            }
            _ => Ok(self),
        }
    }
}

impl Said {
    fn block(&self) -> Result<Value, ModelError> {
        Ok(match self {
            Self::Text(text) => json!({ "type": "text", "text": text }),
            Self::Image { data, mime } => json!({ "type": "image", "data": data, "mimeType": mime }),
            Self::Use { id, name, input, signature } => {
                // Some write `null` where there are none.
                let input: Option<Map<String, Value>> = if input.trim().is_empty() {
                    None
                } else {
                    serde_json::from_str(input)
                        .map_err(|error| ModelError::Malformed(format!("arguments of {name}: {error}")))?
                };
                let input = input.unwrap_or_default();
                let mut block = json!({ "type": "tool_use", "id": id, "name": name, "input": input });
                if let (Some(signature), Some(block)) = (signature, block.as_object_mut()) {
                    block.insert("_meta".to_owned(), json!({ SIGNATURE: signature }));
                }
                block
            }
        })
    }

    fn unfinished(&self) -> Value {
        match self {
            Self::Use { id, name, .. } => json!({ "type": "tool_use", "id": id, "name": name, "input": {} }),
            _ => Value::Null,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{Reading, base_url};
    use crate::exchange::exchange;
    use crate::provider::ProviderKind;
    use serde_json::value::RawValue;

    fn request() -> SamplingRequest {
        let text = json!({ "type": "text", "text": "x" });
        let params = json!({ "messages": [{ "role": "user", "content": text }], "maxTokens": 100 });
        SamplingRequest::read(&RawValue::from_string(params.to_string()).unwrap()).unwrap()
    }

    /// How a provider's stream is read.
    fn reading(kind: ProviderKind) -> Box<dyn Reading> {
        let base = base_url("https://a.example").unwrap();
        exchange(kind, &base, "m", &request()).unwrap().2
    }

    /// A piece that uses a tool, and one that ends with this reason.
    fn pieces(kind: ProviderKind, reason: Option<&str>) -> (Value, Value) {
        match kind {
            ProviderKind::Anthropic => (
                json!({ "type": "content_block_start", "index": 0,
                    "content_block": { "type": "tool_use", "id": "u", "name": "t", "input": {} } }),
                json!({ "type": "message_delta", "delta": { "stop_reason": reason } }),
            ),
            ProviderKind::Openai => (
                json!({ "choices": [{ "delta": { "tool_calls": [{ "index": 0, "id": "u", "function": { "name": "t" } }] } }] }),
                json!({ "choices": [{ "delta": {}, "finish_reason": reason }] }),
            ),
            ProviderKind::Ollama => (
                json!({ "message": { "tool_calls": [{ "function": { "name": "t", "arguments": {} } }] }, "done": false }),
                json!({ "message": { "content": "" }, "done": true, "done_reason": reason }),
            ),
            ProviderKind::Gemini => (
                json!({ "candidates": [{ "content": { "parts": [{ "functionCall": { "name": "t" } }] } }] }),
                json!({ "candidates": [{ "content": { "parts": [] }, "finishReason": reason }] }),
            ),
        }
    }

    /// What a reason becomes.
    #[derive(Debug, PartialEq)]
    enum Becomes {
        /// The reason of an answer.
        Stop(&'static str),
        /// No answer: the model does not want to, or what watches it.
        Blocked,
        /// No answer: it cannot be read.
        Malformed,
        /// No answer: it is not whole.
        Cut,
    }

    #[test]
    fn error_inside_a_reply_is_reported_by_code_or_name() {
        for (error, expected) in [
            (
                json!({ "code": 429, "message": "w" }),
                ModelError::Limited { after: None, said: "w".to_owned() },
            ),
            (
                json!({ "code": "429", "message": "w" }),
                ModelError::Limited { after: None, said: "w".to_owned() },
            ),
            // A name that nobody knows, beside a number or a name that is known.
            (
                json!({ "code": "odd", "status_code": 400, "message": "w" }),
                ModelError::Rejected("w".to_owned()),
            ),
            (
                json!({ "code": "odd", "type": "invalid_request_error", "message": "w" }),
                ModelError::Rejected("w".to_owned()),
            ),
            (json!({ "type": "overloaded_error", "message": "w" }), ModelError::Overloaded("w".to_owned())),
            (json!({ "type": "NotFoundError", "message": "w" }), ModelError::NotFound("w".to_owned())),
            // A number that is no status.
            (
                json!({ "code": 1500, "message": "w" }),
                ModelError::Status { status: 500, said: "w".to_owned() },
            ),
        ] {
            let chunk = json!({ "error": error });
            let read = reading(ProviderKind::Openai).take(&mut Reply::default(), &chunk);
            assert_eq!(read, Err(expected), "{chunk}");
        }
    }

    #[test]
    fn what_was_read_by_a_tool_at_the_provider_is_counted() {
        let mut reply = Reply::default();
        let chunk = json!({ "usageMetadata": { "promptTokenCount": 25, "toolUsePromptTokenCount": 75,
            "candidatesTokenCount": 10, "thoughtsTokenCount": 5 } });
        assert_eq!(reading(ProviderKind::Gemini).take(&mut reply, &chunk), Ok(false));
        assert_eq!(reply.usage, Some(Usage { input: 100, output: 15 }));
    }

    // Requirements: SAMP-09, SAMP-12.
    #[test]
    fn stop_reasons_are_mapped_to_mcp_or_passed_through() {
        use Becomes::{Blocked, Cut, Malformed, Stop};
        use ProviderKind::{Anthropic, Gemini, Ollama, Openai};
        let cases = [
            (Anthropic, false, Some("end_turn"), Stop("endTurn")),
            (Anthropic, false, Some("max_tokens"), Stop("maxTokens")),
            (Anthropic, false, Some("model_context_window_exceeded"), Stop("maxTokens")),
            (Anthropic, false, Some("stop_sequence"), Stop("stopSequence")),
            (Anthropic, true, Some("tool_use"), Stop("toolUse")),
            (Anthropic, true, Some("max_tokens"), Stop("maxTokens")),
            (Anthropic, false, Some("pause_turn"), Stop("pause_turn")),
            (Anthropic, false, Some("of_next_year"), Stop("of_next_year")),
            (Anthropic, false, Some("refusal"), Blocked),
            (Anthropic, false, None, Cut),
            (Openai, false, Some("stop"), Stop("endTurn")),
            (Openai, false, Some("length"), Stop("maxTokens")),
            (Openai, true, Some("tool_calls"), Stop("toolUse")),
            (Openai, true, Some("function_call"), Stop("toolUse")),
            (Openai, true, Some("stop"), Stop("toolUse")),
            (Openai, true, Some("length"), Stop("maxTokens")),
            (Openai, false, Some("of_next_year"), Stop("of_next_year")),
            (Openai, false, Some("content_filter"), Blocked),
            (Openai, false, Some("error"), Cut),
            (Openai, false, None, Cut),
            (Ollama, false, Some("stop"), Stop("endTurn")),
            // Older ones say none.
            (Ollama, false, None, Stop("endTurn")),
            (Ollama, false, Some("length"), Stop("maxTokens")),
            (Ollama, true, Some("stop"), Stop("toolUse")),
            (Ollama, false, Some("load"), Stop("load")),
            (Gemini, false, Some("STOP"), Stop("endTurn")),
            (Gemini, true, Some("STOP"), Stop("toolUse")),
            (Gemini, false, Some("MAX_TOKENS"), Stop("maxTokens")),
            (Gemini, true, Some("MAX_TOKENS"), Stop("maxTokens")),
            (Gemini, false, Some("OTHER"), Stop("OTHER")),
            (Gemini, false, Some("NO_IMAGE"), Stop("NO_IMAGE")),
            (Gemini, false, Some("SAFETY"), Blocked),
            (Gemini, false, Some("RECITATION"), Blocked),
            (Gemini, false, Some("LANGUAGE"), Blocked),
            (Gemini, false, Some("BLOCKLIST"), Blocked),
            (Gemini, false, Some("PROHIBITED_CONTENT"), Blocked),
            (Gemini, false, Some("SPII"), Blocked),
            (Gemini, false, Some("IMAGE_SAFETY"), Blocked),
            (Gemini, false, Some("IMAGE_PROHIBITED_CONTENT"), Blocked),
            (Gemini, false, Some("MALFORMED_FUNCTION_CALL"), Malformed),
            (Gemini, false, Some("UNEXPECTED_TOOL_CALL"), Malformed),
            (Gemini, false, Some("MISSING_THOUGHT_SIGNATURE"), Malformed),
            (Gemini, false, Some("FINISH_REASON_UNSPECIFIED"), Cut),
            (Gemini, false, None, Cut),
        ];
        for (kind, uses, reason, becomes) in cases {
            let (mut reading, mut reply) = (reading(kind), Reply::default());
            let (tool, end) = pieces(kind, reason);
            if uses {
                assert_eq!(reading.take(&mut reply, &tool), Ok(false));
            }
            let read = reading.take(&mut reply, &end).and_then(|_| reply.finished(&request()));
            let became = match &read {
                Ok(reply) => reply.stop_reason.as_deref().unwrap_or_default(),
                Err(ModelError::Blocked(_)) => "blocked",
                Err(ModelError::Malformed(_)) => "malformed",
                Err(ModelError::Cut) => "cut",
                Err(other) => panic!("{kind:?} {reason:?}: {other:?}"),
            };
            let expected = match becomes {
                Stop(stop) => stop,
                Blocked => "blocked",
                Malformed => "malformed",
                Cut => "cut",
            };
            assert_eq!(
                (became, read.is_ok()),
                (expected, matches!(becomes, Stop(_))),
                "{kind:?} {uses} {reason:?}"
            );
        }
    }
}
