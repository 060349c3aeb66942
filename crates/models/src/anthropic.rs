//! Anthropic's Messages API (<https://docs.anthropic.com/en/api/messages>) with streaming.

use std::collections::HashMap;

use mooring_words::say;
use serde_json::{Value, json};
use url::Url;

use crate::dialect::{StreamDecoder, join_path};
use crate::error::{ModelError, error_from_status, error_message};
use crate::reply::{Reply, Usage};
use crate::request::{Block, Media, SamplingRequest, ToolChoice};

type AnthropicRequest = (Url, Value, Box<dyn StreamDecoder>);

/// Builds the request to the Messages API.
pub(crate) fn build_request(
    base: &Url,
    model: &str,
    request: &SamplingRequest,
) -> Result<AnthropicRequest, ModelError> {
    let mut body = json!({
        "model": model,
        "max_tokens": request.max_tokens,
        "messages": build_messages(request)?,
        "stream": true,
    });
    if let Some(system) = &request.system {
        body["system"] = system.as_str().into();
    }
    if let Some(heat) = request.temperature {
        body["temperature"] = heat.clamp(0.0, 1.0).into();
    }
    // The API refuses stop sequences that are only white space.
    let stops: Vec<&String> = request.stop_sequences.iter().filter(|stop| !stop.trim().is_empty()).collect();
    if !stops.is_empty() {
        body["stop_sequences"] = json!(stops);
    }
    if !request.tools.is_empty() {
        let tool = |tool: &crate::request::SamplingTool| {
            let mut written = json!({ "name": tool.name, "input_schema": tool.schema });
            if let Some(description) = &tool.description {
                written["description"] = description.as_str().into();
            }
            written
        };
        body["tools"] = request.tools.iter().map(tool).collect();
        if let Some(choice) = request.tool_choice {
            let kind = match choice {
                ToolChoice::Auto => "auto",
                ToolChoice::Required => "any",
                ToolChoice::None => "none",
            };
            body["tool_choice"] = json!({ "type": kind });
        }
    }
    Ok((join_path(base, "v1/messages"), body, Box::new(AnthropicStream::default())))
}

fn build_messages(request: &SamplingRequest) -> Result<Vec<Value>, ModelError> {
    let message = |message: &crate::request::Message| {
        let blocks = message.content.iter().map(|part| build_block(&part.block));
        let blocks = blocks.filter_map(Result::transpose).collect::<Result<Vec<_>, _>>()?;
        // The API refuses a message without blocks.
        let written = json!({ "role": message.role.as_str(), "content": blocks });
        Ok(Some(written).filter(|_| !blocks.is_empty()))
    };
    request.messages.iter().map(message).filter_map(Result::transpose).collect()
}

/// Builds a block in the provider's format. `None` for an empty text, which the API refuses.
fn build_block(block: &Block) -> Result<Option<Value>, ModelError> {
    Ok(Some(match block {
        Block::Text(text) if text.is_empty() => return Ok(None),
        Block::Text(text) => json!({ "type": "text", "text": text }),
        Block::Image(Media { data, mime }) => {
            json!({ "type": "image", "source": { "type": "base64", "media_type": mime, "data": data } })
        }
        Block::Audio(_) => return Err(ModelError::Unsupported(say!("this provider doesn’t accept audio"))),
        Block::ToolUse { id, name, input, .. } => {
            json!({ "type": "tool_use", "id": id, "name": name, "input": input })
        }
        Block::ToolResult { id, content, is_error } => {
            let content = content.iter().map(self::build_block).filter_map(Result::transpose);
            let content = content.collect::<Result<Vec<_>, _>>()?;
            let mut result = json!({ "type": "tool_result", "tool_use_id": id, "content": content });
            if *is_error {
                result["is_error"] = true.into();
            }
            result
        }
    }))
}

/// The state of decoding one stream.
#[derive(Default)]
struct AnthropicStream {
    /// The index of a tool use in the reply, by the index of its block.
    uses: HashMap<u64, usize>,
    usage: Usage,
}

impl StreamDecoder for AnthropicStream {
    fn decode(&mut self, reply: &mut Reply, event: &Value) -> Result<bool, ModelError> {
        let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let index = event.get("index").and_then(Value::as_u64).unwrap_or_default();
        match event.get("type").and_then(Value::as_str).unwrap_or_default() {
            "message_start" => {
                reply.model = event.get("message").and_then(|message| text(message, "model"));
                let usage = event.get("message").and_then(|message| message.get("usage"));
                self.update_usage(reply, usage);
            }
            "content_block_start" => {
                let block = event.get("content_block").unwrap_or(&Value::Null);
                match block.get("type").and_then(Value::as_str) {
                    Some("text") => reply.push_text(&text(block, "text").unwrap_or_default())?,
                    Some("tool_use") => {
                        let name = text(block, "name").unwrap_or_default();
                        let place = reply.start_tool_use(text(block, "id").as_deref(), &name, None)?;
                        self.uses.insert(index, place);
                    }
                    // Thoughts and other blocks are not part of the answer.
                    _ => {}
                }
            }
            "content_block_delta" => {
                let delta = event.get("delta").unwrap_or(&Value::Null);
                match delta.get("type").and_then(Value::as_str) {
                    Some("text_delta") => reply.push_text(&text(delta, "text").unwrap_or_default())?,
                    Some("input_json_delta") => {
                        // The arguments of the provider's own tools are not part of the answer.
                        if let Some(place) = self.uses.get(&index) {
                            reply.push_arguments(*place, &text(delta, "partial_json").unwrap_or_default())?;
                        }
                    }
                    _ => {}
                }
            }
            "message_delta" => {
                self.update_usage(reply, event.get("usage"));
                let delta = event.get("delta").unwrap_or(&Value::Null);
                match text(delta, "stop_reason") {
                    Some(reason) if reason == "refusal" => {
                        let why = delta.get("stop_details").and_then(|details| text(details, "explanation"));
                        return Err(ModelError::Blocked(match why {
                            Some(why) => format!("{reason}: {why}"),
                            None => reason,
                        }));
                    }
                    Some(reason) => reply.stop_reason = Some(to_stop_reason(reason)),
                    None => {}
                }
            }
            "message_stop" => return Ok(true),
            "error" => return Err(to_model_error(event)),
            _ => {}
        }
        Ok(false)
    }
}

impl AnthropicStream {
    /// Updates the usage. Each report has the total so far.
    fn update_usage(&mut self, reply: &mut Reply, usage: Option<&Value>) {
        let Some(usage) = usage else { return };
        let get = |name: &str| usage.get(name).and_then(Value::as_u64);
        if let Some(input) = get("input_tokens") {
            let cached = get("cache_read_input_tokens").unwrap_or_default();
            let written = get("cache_creation_input_tokens").unwrap_or_default();
            self.usage.input = input.saturating_add(cached).saturating_add(written);
        }
        if let Some(output) = get("output_tokens") {
            self.usage.output = output;
        }
        reply.usage = Some(self.usage);
    }
}

fn to_stop_reason(reason: String) -> String {
    match reason.as_str() {
        "end_turn" => "endTurn".to_owned(),
        "max_tokens" | "model_context_window_exceeded" => "maxTokens".to_owned(),
        "stop_sequence" => "stopSequence".to_owned(),
        "tool_use" => "toolUse".to_owned(),
        _ => reason,
    }
}

/// Converts an error that interrupts an answer.
fn to_model_error(event: &Value) -> ModelError {
    let message = error_message(event).unwrap_or_default();
    let status = match event.get("error").and_then(|error| error.get("type")?.as_str()) {
        Some("overloaded_error") => 529,
        Some("rate_limit_error") => 429,
        Some("authentication_error") => 401,
        Some("permission_error") => 403,
        Some("not_found_error") => 404,
        Some("invalid_request_error" | "request_too_large") => 400,
        _ => 500,
    };
    error_from_status(status, None, message)
}
