//! The part of a model's answer that has arrived.

use serde_json::{Map, Value, json};

use crate::error::{MAX_ANSWER_BYTES, ModelError};
use crate::request::{SIGNATURE, SamplingRequest};

/// The most blocks of an answer.
const MOST_BLOCKS: usize = 256;

/// Token counts that a provider reported for one answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens read.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
}

/// The part of an answer that has arrived.
#[derive(Debug, Clone, Default)]
pub struct Reply {
    /// The provider's name for the model that answers.
    pub model: Option<String>,
    blocks: Vec<ReplyBlock>,
    /// The protocol's stop reason.
    pub stop_reason: Option<String>,
    /// The usage, if the provider reports it.
    pub usage: Option<Usage>,
    bytes: usize,
}

#[derive(Debug, Clone)]
enum ReplyBlock {
    Text(String),
    Image { data: String, mime: String },
    ToolUse { id: String, name: String, input: String, signature: Option<String> },
}

impl Reply {
    /// An empty reply of this model.
    pub(crate) fn for_model(model: &str) -> Self {
        Self { model: Some(model.to_owned()), ..Self::default() }
    }

    fn add_bytes(&mut self, bytes: usize) -> Result<(), ModelError> {
        self.bytes = self.bytes.saturating_add(bytes);
        let fits = self.bytes <= MAX_ANSWER_BYTES && self.blocks.len() <= MOST_BLOCKS;
        if fits { Ok(()) } else { Err(ModelError::TooLong) }
    }

    /// Appends text.
    pub(crate) fn push_text(&mut self, more: &str) -> Result<(), ModelError> {
        if more.is_empty() {
            return Ok(());
        }
        match self.blocks.last_mut() {
            Some(ReplyBlock::Text(text)) => text.push_str(more),
            _ => self.blocks.push(ReplyBlock::Text(more.to_owned())),
        }
        self.add_bytes(more.len())
    }

    /// Adds an image.
    pub(crate) fn push_image(&mut self, data: &str, mime: &str) -> Result<(), ModelError> {
        self.blocks.push(ReplyBlock::Image { data: data.to_owned(), mime: mime.to_owned() });
        self.add_bytes(data.len() + mime.len())
    }

    /// Begins a tool use. Returns its place for [`Self::push_arguments`].
    pub(crate) fn start_tool_use(
        &mut self,
        id: Option<&str>,
        name: &str,
        signature: Option<&str>,
    ) -> Result<usize, ModelError> {
        let place = self.blocks.len();
        let id = id.filter(|id| !id.is_empty()).map_or_else(|| format!("call_{}", place + 1), str::to_owned);
        let signature = signature.map(str::to_owned);
        let bytes = id.len() + name.len() + signature.as_ref().map_or(0, String::len);
        self.blocks.push(ReplyBlock::ToolUse { id, name: name.to_owned(), input: String::new(), signature });
        self.add_bytes(bytes)?;
        Ok(place)
    }

    /// Appends JSON text to the arguments of the tool use at `place`.
    pub(crate) fn push_arguments(&mut self, place: usize, more: &str) -> Result<(), ModelError> {
        match self.blocks.get_mut(place) {
            Some(ReplyBlock::ToolUse { input, .. }) => input.push_str(more),
            _ => return Err(ModelError::Malformed("arguments of no tool".to_owned())),
        }
        self.add_bytes(more.len())
    }

    /// Whether the answer uses a tool.
    pub(crate) fn uses_tools(&self) -> bool {
        self.blocks.iter().any(|block| matches!(block, ReplyBlock::ToolUse { .. }))
    }

    /// The content blocks in the protocol's format. Arguments that are still incomplete are left out.
    pub fn content(&self) -> Vec<Value> {
        self.blocks.iter().map(|block| block.to_json().unwrap_or_else(|_| block.to_partial_json())).collect()
    }

    /// Applies `hidden` to every text, to hide a secret that the provider repeated.
    #[must_use]
    pub fn map_texts(&self, hidden: &dyn Fn(&str) -> String) -> Self {
        let mut masked = self.clone();
        masked.model = masked.model.as_deref().map(hidden);
        masked.stop_reason = masked.stop_reason.as_deref().map(hidden);
        for block in &mut masked.blocks {
            match block {
                ReplyBlock::Text(text) => *text = hidden(text),
                ReplyBlock::Image { .. } => {}
                ReplyBlock::ToolUse { id, name, input, .. } => {
                    for text in [id, name, input] {
                        *text = hidden(text);
                    }
                }
            }
        }
        masked
    }

    /// Checks that the answer is complete.
    pub fn check_complete(mut self, request: &SamplingRequest) -> Result<Self, ModelError> {
        // If the answer was truncated, the last tool use may be incomplete and must not run.
        if self.stop_reason.as_deref() == Some("maxTokens")
            && let Some(last @ ReplyBlock::ToolUse { input, .. }) = self.blocks.last()
            && (input.trim().is_empty() || last.to_json().is_err())
        {
            self.blocks.pop();
        }
        for block in &self.blocks {
            block.to_json()?;
        }
        if self.stop_reason.is_none() {
            return Err(ModelError::Truncated);
        }
        if self.blocks.is_empty() {
            self.blocks.push(ReplyBlock::Text(String::new()));
        }
        match self.usage {
            Some(usage) if usage.output > u64::from(request.max_tokens) => {
                Err(ModelError::OverLimit { most: request.max_tokens, written: usage.output })
            }
            _ => Ok(self),
        }
    }
}

impl ReplyBlock {
    fn to_json(&self) -> Result<Value, ModelError> {
        Ok(match self {
            Self::Text(text) => json!({ "type": "text", "text": text }),
            Self::Image { data, mime } => json!({ "type": "image", "data": data, "mimeType": mime }),
            Self::ToolUse { id, name, input, signature } => {
                // Some models write `null` for missing arguments.
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

    fn to_partial_json(&self) -> Value {
        match self {
            Self::ToolUse { id, name, .. } => {
                json!({ "type": "tool_use", "id": id, "name": name, "input": {} })
            }
            _ => Value::Null,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{StreamDecoder, base_url};
    use crate::provider::ProviderKind;
    use crate::provider_request::provider_request;
    use serde_json::value::RawValue;

    fn request() -> SamplingRequest {
        let text = json!({ "type": "text", "text": "x" });
        let params = json!({ "messages": [{ "role": "user", "content": text }], "maxTokens": 100 });
        SamplingRequest::read(&RawValue::from_string(params.to_string()).unwrap()).unwrap()
    }

    /// Creates the decoder for a provider's stream.
    fn reading(kind: ProviderKind) -> Box<dyn StreamDecoder> {
        let base = base_url("https://a.example").unwrap();
        provider_request(kind, &base, "m", &request()).unwrap().2
    }

    /// A piece that uses a tool, and a piece that ends with this reason.
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

    /// The expected result of a reason.
    #[derive(Debug, PartialEq)]
    enum Becomes {
        /// An answer with this stop reason.
        Stop(&'static str),
        /// No answer, because the model or a filter refuses.
        Blocked,
        /// No answer, because it can't be read.
        Malformed,
        /// No answer, because it is incomplete.
        Cut,
    }

    #[test]
    fn error_inside_a_reply_is_reported_by_code_or_name() {
        for (error, expected) in [
            (
                json!({ "code": 429, "message": "w" }),
                ModelError::RateLimited { after: None, message: "w".to_owned() },
            ),
            (
                json!({ "code": "429", "message": "w" }),
                ModelError::RateLimited { after: None, message: "w".to_owned() },
            ),
            // An unknown name, with a number or a known name in another member.
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
            // A number that is not a status.
            (
                json!({ "code": 1500, "message": "w" }),
                ModelError::Status { status: 500, message: "w".to_owned() },
            ),
        ] {
            let chunk = json!({ "error": error });
            let read = reading(ProviderKind::Openai).decode(&mut Reply::default(), &chunk);
            assert_eq!(read, Err(expected), "{chunk}");
        }
    }

    #[test]
    fn what_was_read_by_a_tool_at_the_provider_is_counted() {
        let mut reply = Reply::default();
        let chunk = json!({ "usageMetadata": { "promptTokenCount": 25, "toolUsePromptTokenCount": 75,
            "candidatesTokenCount": 10, "thoughtsTokenCount": 5 } });
        assert_eq!(reading(ProviderKind::Gemini).decode(&mut reply, &chunk), Ok(false));
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
            // Older versions of Ollama report no reason.
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
                assert_eq!(reading.decode(&mut reply, &tool), Ok(false));
            }
            let read = reading.decode(&mut reply, &end).and_then(|_| reply.check_complete(&request()));
            let became = match &read {
                Ok(reply) => reply.stop_reason.as_deref().unwrap_or_default(),
                Err(ModelError::Blocked(_)) => "blocked",
                Err(ModelError::Malformed(_)) => "malformed",
                Err(ModelError::Truncated) => "cut",
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
