//! `OpenAI`'s chat completions (<https://platform.openai.com/docs/api-reference/chat>) with streaming. Azure,
//! `OpenRouter`, LM Studio, llama.cpp, vLLM and many others have the same API.

use std::collections::HashMap;

use mooring_words::say;
use serde_json::{Value, json};
use url::Url;

use crate::dialect::{StreamDecoder, is_azure, join_path};
use crate::error::{ModelError, error_from_status, error_message};
use crate::reply::{Reply, Usage};
use crate::request::{Block, Media, Message, Role, SamplingRequest};

type OpenaiRequest = (Url, Value, Box<dyn StreamDecoder>);

/// The most stop sequences.
const MOST_STOPS: usize = 4;

/// Builds the request to the chat completions API.
pub(crate) fn build_request(
    base: &Url,
    model: &str,
    request: &SamplingRequest,
) -> Result<OpenaiRequest, ModelError> {
    let mut messages = Vec::new();
    if let Some(system) = &request.system {
        messages.push(json!({ "role": "system", "content": system }));
    }
    for message in &request.messages {
        match message.role {
            Role::User => push_user_message(message, &mut messages)?,
            Role::Assistant => push_assistant_message(message, &mut messages)?,
        }
    }
    let mut body = json!({
        "model": model,
        "messages": messages,
        "stream": true,
        "stream_options": { "include_usage": true },
    });
    // OpenAI's own models no longer accept the old name. Other providers don't know the new name.
    let own = base.host_str() == Some("api.openai.com") || is_azure(base);
    let most = if own { "max_completion_tokens" } else { "max_tokens" };
    body[most] = request.max_tokens.into();
    if let Some(heat) = request.temperature {
        body["temperature"] = heat.clamp(0.0, 2.0).into();
    }
    if !request.stop_sequences.is_empty() {
        body["stop"] = request.stop_sequences.iter().take(MOST_STOPS).map(String::as_str).collect();
    }
    if !request.tools.is_empty() {
        body["tools"] = build_function_tools(request);
        if let Some(choice) = request.tool_choice {
            body["tool_choice"] = choice.as_str().into();
        }
    }
    Ok((join_path(base, "chat/completions"), body, Box::new(OpenaiStream::default())))
}

/// Builds the tools as functions. Ollama has the same format.
pub(crate) fn build_function_tools(request: &SamplingRequest) -> Value {
    let function = |tool: &crate::request::SamplingTool| {
        let mut function = json!({ "name": tool.name, "parameters": tool.schema });
        if let Some(description) = &tool.description {
            function["description"] = description.as_str().into();
        }
        json!({ "type": "function", "function": function })
    };
    request.tools.iter().map(function).collect()
}

fn push_user_message(message: &Message, messages: &mut Vec<Value>) -> Result<(), ModelError> {
    let mut parts = Vec::new();
    for part in &message.content {
        match &part.block {
            Block::ToolResult { id, content, is_error } => {
                let texts: Vec<&str> = content
                    .iter()
                    .filter_map(
                        |block| if let Block::Text(text) = block { Some(text.as_str()) } else { None },
                    )
                    .collect();
                let text = texts.join("\n");
                // The API has no other place for errors.
                let text = if *is_error { format!("Error: {text}") } else { text };
                messages.push(json!({ "role": "tool", "tool_call_id": id, "content": text }));
                // A tool result can only contain text, so its images follow as user content.
                for block in content.iter().filter(|block| !matches!(block, Block::Text(_))) {
                    parts.push(build_content_part(block)?);
                }
            }
            block => parts.push(build_content_part(block)?),
        }
    }
    match parts.as_slice() {
        [] => {}
        [one] if one.get("type").and_then(Value::as_str) == Some("text") => {
            messages.push(json!({ "role": "user", "content": one["text"] }));
        }
        _ => messages.push(json!({ "role": "user", "content": parts })),
    }
    Ok(())
}

fn build_content_part(block: &Block) -> Result<Value, ModelError> {
    Ok(match block {
        Block::Text(text) => json!({ "type": "text", "text": text }),
        Block::Image(Media { data, mime }) => {
            json!({ "type": "image_url", "image_url": { "url": format!("data:{mime};base64,{data}") } })
        }
        Block::Audio(Media { data, mime }) => {
            let format = match mime.as_str() {
                "audio/wav" | "audio/x-wav" | "audio/wave" => "wav",
                "audio/mpeg" | "audio/mp3" => "mp3",
                _ => {
                    return Err(ModelError::Unsupported(say!(
                        "this provider doesn’t accept this kind of audio: {kind}",
                        kind = mime
                    )));
                }
            };
            json!({ "type": "input_audio", "input_audio": { "data": data, "format": format } })
        }
        Block::ToolUse { .. } | Block::ToolResult { .. } => {
            return Err(ModelError::Unsupported(say!("a user message can’t contain a tool call")));
        }
    })
}

fn push_assistant_message(message: &Message, messages: &mut Vec<Value>) -> Result<(), ModelError> {
    let mut text = String::new();
    let mut calls = Vec::new();
    for part in &message.content {
        match &part.block {
            Block::Text(more) => text.push_str(more),
            Block::ToolUse { id, name, input, .. } => {
                let arguments = Value::Object(input.clone()).to_string();
                let function = json!({ "name": name, "arguments": arguments });
                calls.push(json!({ "id": id, "type": "function", "function": function }));
            }
            _ => {
                return Err(ModelError::Unsupported(say!(
                    "this provider accepts only text in assistant messages"
                )));
            }
        }
    }
    let mut written = json!({ "role": "assistant", "content": text });
    if !calls.is_empty() {
        if text.is_empty() {
            written["content"] = Value::Null;
        }
        written["tool_calls"] = calls.into();
    }
    messages.push(written);
    Ok(())
}

/// The state of decoding one stream.
#[derive(Default)]
struct OpenaiStream {
    /// The index and id of a tool use, by the index of its call.
    uses: HashMap<u64, (usize, Option<String>)>,
    /// The model's reason for a refusal.
    refusal: String,
}

impl StreamDecoder for OpenaiStream {
    fn decode(&mut self, reply: &mut Reply, chunk: &Value) -> Result<bool, ModelError> {
        if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
            return Err(to_model_error(error));
        }
        // Some providers, such as Mistral, send an error without an `error` member around it.
        if chunk.get("object").and_then(Value::as_str) == Some("error") {
            return Err(to_model_error(chunk));
        }
        if let Some(model) = chunk.get("model").and_then(Value::as_str).filter(|model| !model.is_empty()) {
            reply.model = Some(model.to_owned());
        }
        if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
            let get = |name: &str| usage.get(name).and_then(Value::as_u64).unwrap_or_default();
            reply.usage = Some(Usage { input: get("prompt_tokens"), output: get("completion_tokens") });
        }
        let Some(choice) = chunk.get("choices").and_then(|choices| choices.get(0)) else { return Ok(false) };
        let delta = choice.get("delta").unwrap_or(&Value::Null);
        match delta.get("content") {
            Some(Value::String(text)) => reply.push_text(text)?,
            // Mistral's reasoning models send a list of parts.
            Some(Value::Array(parts)) => {
                for text in parts.iter().filter_map(|part| part.get("text")?.as_str()) {
                    reply.push_text(text)?;
                }
            }
            _ => {}
        }
        if let Some(refusal) = delta.get("refusal").and_then(Value::as_str)
            && self.refusal.len() < 4096
        {
            self.refusal.push_str(refusal);
        }
        for call in delta.get("tool_calls").and_then(Value::as_array).map_or(&[][..], Vec::as_slice) {
            self.add_tool_call(reply, call)?;
        }
        match choice.get("finish_reason").and_then(Value::as_str) {
            Some(_) if !self.refusal.is_empty() => return Err(ModelError::Blocked(self.refusal.clone())),
            // The error itself is not reported.
            Some("error") => return Err(ModelError::Truncated),
            Some("content_filter") => return Err(ModelError::Blocked("content_filter".to_owned())),
            Some(reason) => {
                // OpenRouter also reports this reason for truncated tool calls, and has the provider's own
                // reason in another member.
                let native = choice.get("native_finish_reason").and_then(Value::as_str);
                let full =
                    matches!(native, Some("length" | "max_tokens" | "max_output_tokens" | "MAX_TOKENS"));
                reply.stop_reason = Some(match reason {
                    "tool_calls" | "stop" if full => "maxTokens".to_owned(),
                    "tool_calls" | "function_call" => "toolUse".to_owned(),
                    // Some providers also report this for an answer that uses tools.
                    "stop" if reply.uses_tools() => "toolUse".to_owned(),
                    "stop" => "endTurn".to_owned(),
                    "length" => "maxTokens".to_owned(),
                    other => other.to_owned(),
                });
            }
            None => {}
        }
        // The usage follows the reason, so the answer ends with `[DONE]` or with the stream.
        Ok(false)
    }

    /// Some providers behind `OpenRouter` report no reason. The answer is complete if there is a usage.
    fn finish(&mut self, reply: &mut Reply) -> Result<(), ModelError> {
        if reply.stop_reason.is_none() && reply.usage.is_some() {
            if !self.refusal.is_empty() {
                return Err(ModelError::Blocked(self.refusal.clone()));
            }
            let reason = if reply.uses_tools() { "toolUse" } else { "endTurn" };
            reply.stop_reason = Some(reason.to_owned());
        }
        Ok(())
    }
}

impl OpenaiStream {
    fn add_tool_call(&mut self, reply: &mut Reply, call: &Value) -> Result<(), ModelError> {
        let id = call.get("id").and_then(Value::as_str).filter(|id| !id.is_empty());
        let function = call.get("function").unwrap_or(&Value::Null);
        let name = function.get("name").and_then(Value::as_str).filter(|name| !name.is_empty());
        // Some providers send no index for calls that arrive complete.
        let next = u64::try_from(self.uses.len()).unwrap_or(u64::MAX);
        let index = call.get("index").and_then(Value::as_u64);
        let index = index.unwrap_or(if name.is_some() { next } else { next.saturating_sub(1) });
        // Some providers send the same index for every call. Another id then means another call.
        let is_same =
            |(_, known): &&(usize, Option<String>)| name.is_none() || id.is_none() || known.as_deref() == id;
        let place = match (self.uses.get(&index).filter(is_same), name) {
            (Some((place, _)), _) => *place,
            (None, Some(name)) => {
                let place = reply.start_tool_use(id, name, None)?;
                self.uses.insert(index, (place, id.map(str::to_owned)));
                place
            }
            (None, None) => return Err(ModelError::Malformed("a call of no tool".to_owned())),
        };
        match function.get("arguments") {
            Some(Value::String(more)) => reply.push_arguments(place, more),
            // Some providers send the arguments as an object.
            Some(arguments @ Value::Object(_)) => reply.push_arguments(place, &arguments.to_string()),
            _ => Ok(()),
        }
    }
}

fn to_model_error(error: &Value) -> ModelError {
    let message = error_message(error).unwrap_or_else(|| error.to_string());
    // The error has a status as a number or text, or a name. If the name in `code` is unknown, the name in
    // `type` may be known.
    let number = |name: &str| {
        let code = error.get(name)?;
        let code = code.as_u64().or_else(|| code.as_str()?.parse().ok())?;
        u16::try_from(code).ok().filter(|code| (400..600).contains(code))
    };
    let by_name = |name: &str| match error.get(name)?.as_str()? {
        "rate_limit_exceeded" | "rate_limit_error" | "insufficient_quota" => Some(429),
        "invalid_api_key" | "authentication_error" => Some(401),
        "model_not_found" | "NotFoundError" => Some(404),
        "invalid_request_error" | "context_length_exceeded" | "BadRequestError" => Some(400),
        "overloaded_error" => Some(529),
        _ => None,
    };
    let status = number("code").or_else(|| number("status_code"));
    let status = status.or_else(|| by_name("code")).or_else(|| by_name("type"));
    error_from_status(status.unwrap_or(500), None, message)
}
