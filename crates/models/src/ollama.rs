//! Ollama's chat API (<https://github.com/ollama/ollama/blob/main/docs/api.md>) with streaming as lines of
//! JSON.

use std::collections::HashMap;

use mooring_words::say;
use serde_json::{Value, json};
use url::Url;

use crate::dialect::{StreamDecoder, join_path};
use crate::error::{ModelError, error_from_status};
use crate::openai::build_function_tools;
use crate::reply::{Reply, Usage};
use crate::request::{Block, SamplingRequest, ToolChoice};

type OllamaRequest = (Url, Value, Box<dyn StreamDecoder>);

/// Builds the request to the chat API.
pub(crate) fn build_request(
    base: &Url,
    model: &str,
    request: &SamplingRequest,
) -> Result<OllamaRequest, ModelError> {
    let mut options = json!({ "num_predict": request.max_tokens });
    if let Some(heat) = request.temperature {
        options["temperature"] = heat.clamp(0.0, 2.0).into();
    }
    if !request.stop_sequences.is_empty() {
        options["stop"] = json!(request.stop_sequences);
    }
    let mut body =
        json!({ "model": model, "messages": build_messages(request)?, "options": options, "stream": true });
    match request.tool_choice {
        Some(ToolChoice::Required) if !request.tools.is_empty() => {
            return Err(ModelError::Unsupported(say!("this provider can’t be required to use a tool")));
        }
        // The API has no tool choice. If the model must not use tools, they are not sent.
        Some(ToolChoice::None) => {}
        _ if request.tools.is_empty() => {}
        _ => body["tools"] = build_function_tools(request),
    }
    Ok((join_path(base, "api/chat"), body, Box::new(OllamaStream)))
}

fn build_messages(request: &SamplingRequest) -> Result<Vec<Value>, ModelError> {
    let mut messages = Vec::new();
    if let Some(system) = &request.system {
        messages.push(json!({ "role": "system", "content": system }));
    }
    // A tool result names its tool and not the tool use, so remember the name for each tool use.
    let mut names: HashMap<&str, &str> = HashMap::new();
    for message in &request.messages {
        let mut texts = Vec::new();
        let mut images = Vec::new();
        let mut calls = Vec::new();
        for part in &message.content {
            match &part.block {
                Block::ToolUse { id, name, input, .. } => {
                    names.insert(id, name);
                    calls.push(json!({ "function": { "name": name, "arguments": input } }));
                }
                Block::ToolResult { id, content, is_error } => {
                    let (mut texts, mut images) = (Vec::new(), Vec::new());
                    for block in content {
                        push_content(block, &mut texts, &mut images)?;
                    }
                    let text = texts.join("\n");
                    let text = if *is_error { format!("Error: {text}") } else { text };
                    let name = names.get(id.as_str()).copied().unwrap_or_default();
                    messages.push(build_message("tool", &text, &images));
                    if let Some(message) = messages.last_mut() {
                        message["tool_name"] = name.into();
                    }
                }
                block => push_content(block, &mut texts, &mut images)?,
            }
        }
        if texts.is_empty() && images.is_empty() && calls.is_empty() {
            continue;
        }
        let mut written = build_message(message.role.as_str(), &texts.join("\n"), &images);
        if !calls.is_empty() {
            written["tool_calls"] = calls.into();
        }
        messages.push(written);
    }
    Ok(messages)
}

fn build_message(role: &str, text: &str, images: &[&str]) -> Value {
    let mut message = json!({ "role": role, "content": text });
    if !images.is_empty() {
        message["images"] = json!(images);
    }
    message
}

fn push_content<'a>(
    block: &'a Block,
    texts: &mut Vec<&'a str>,
    images: &mut Vec<&'a str>,
) -> Result<(), ModelError> {
    match block {
        Block::Text(text) => texts.push(text),
        Block::Image(media) => images.push(&media.data),
        Block::Audio(_) => {
            return Err(ModelError::Unsupported(say!("this provider doesn’t accept audio")));
        }
        Block::ToolUse { .. } | Block::ToolResult { .. } => {
            return Err(ModelError::Unsupported(say!("a user message can’t contain a tool call")));
        }
    }
    Ok(())
}

/// Decodes lines. Each line is a piece of the answer. The last line has the usage.
struct OllamaStream;

impl StreamDecoder for OllamaStream {
    fn decode(&mut self, reply: &mut Reply, line: &Value) -> Result<bool, ModelError> {
        if let Some(error) = line.get("error").and_then(Value::as_str) {
            return Err(error_from_status(500, None, error.to_owned()));
        }
        if let Some(model) = line.get("model").and_then(Value::as_str) {
            reply.model = Some(model.to_owned());
        }
        let message = line.get("message").unwrap_or(&Value::Null);
        if let Some(text) = message.get("content").and_then(Value::as_str) {
            reply.push_text(text)?;
        }
        for call in message.get("tool_calls").and_then(Value::as_array).map_or(&[][..], Vec::as_slice) {
            let function = call.get("function").unwrap_or(&Value::Null);
            let Some(name) = function.get("name").and_then(Value::as_str) else {
                return Err(ModelError::Malformed("a call of no tool".to_owned()));
            };
            let place = reply.start_tool_use(call.get("id").and_then(Value::as_str), name, None)?;
            match function.get("arguments") {
                Some(Value::String(text)) => reply.push_arguments(place, text)?,
                Some(arguments) => reply.push_arguments(place, &arguments.to_string())?,
                // Arguments arrive complete, and may be missing.
                None => reply.push_arguments(place, "{}")?,
            }
        }
        if line.get("done").and_then(Value::as_bool) != Some(true) {
            return Ok(false);
        }
        reply.stop_reason = Some(match line.get("done_reason").and_then(Value::as_str) {
            _ if reply.uses_tools() => "toolUse".to_owned(),
            Some("length") => "maxTokens".to_owned(),
            Some("stop") | None => "endTurn".to_owned(),
            Some(other) => other.to_owned(),
        });
        let count = |name: &str| line.get(name).and_then(Value::as_u64);
        if let Some(output) = count("eval_count") {
            reply.usage = Some(Usage { input: count("prompt_eval_count").unwrap_or_default(), output });
        }
        Ok(true)
    }
}
