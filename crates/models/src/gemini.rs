//! Google's Gemini API (<https://ai.google.dev/api/generate-content>) with streaming.

use std::collections::HashMap;

use mooring_words::say;
use serde_json::{Value, json};
use url::Url;

use crate::dialect::{StreamDecoder, join_path};
use crate::error::{ModelError, error_from_status, error_message};
use crate::reply::{Reply, Usage};
use crate::request::{Block, Media, Role, SamplingRequest, ToolChoice};

type GeminiRequest = (Url, Value, Box<dyn StreamDecoder>);

/// The most stop sequences.
const MOST_STOPS: usize = 5;

/// Builds the `streamGenerateContent` request. The key goes into a header, never into the URL.
pub(crate) fn build_request(
    base: &Url,
    model: &str,
    request: &SamplingRequest,
) -> Result<GeminiRequest, ModelError> {
    let mut settings = json!({ "maxOutputTokens": request.max_tokens });
    if let Some(heat) = request.temperature {
        settings["temperature"] = heat.clamp(0.0, 2.0).into();
    }
    if !request.stop_sequences.is_empty() {
        settings["stopSequences"] =
            request.stop_sequences.iter().take(MOST_STOPS).map(String::as_str).collect();
    }
    let mut body = json!({ "contents": build_contents(request)?, "generationConfig": settings });
    if let Some(system) = &request.system {
        body["systemInstruction"] = json!({ "parts": [{ "text": system }] });
    }
    if !request.tools.is_empty() {
        let declared = |tool: &crate::request::SamplingTool| {
            let mut function = json!({ "name": tool.name, "parametersJsonSchema": tool.schema });
            if let Some(description) = &tool.description {
                function["description"] = description.as_str().into();
            }
            function
        };
        let functions: Vec<Value> = request.tools.iter().map(declared).collect();
        body["tools"] = json!([{ "functionDeclarations": functions }]);
        if let Some(choice) = request.tool_choice {
            let mode = match choice {
                ToolChoice::Auto => "AUTO",
                ToolChoice::Required => "ANY",
                ToolChoice::None => "NONE",
            };
            body["toolConfig"] = json!({ "functionCallingConfig": { "mode": mode } });
        }
    }
    let mut url = join_path(base, "v1beta/models");
    let model = model.strip_prefix("models/").unwrap_or(model);
    if let Ok(mut path) = url.path_segments_mut() {
        path.push(&format!("{model}:streamGenerateContent"));
    }
    url.set_query(Some("alt=sse"));
    Ok((url, body, Box::new(GeminiStream)))
}

fn build_contents(request: &SamplingRequest) -> Result<Vec<Value>, ModelError> {
    // A tool result has to name its tool, so remember the name for each tool use.
    let mut names: HashMap<&str, &str> = HashMap::new();
    let mut contents = Vec::new();
    for message in &request.messages {
        let mut parts = Vec::new();
        for part in &message.content {
            match &part.block {
                Block::ToolUse { id, name, input, signature } => {
                    names.insert(id, name);
                    let mut written = json!({ "functionCall": { "id": id, "name": name, "args": input } });
                    if let Some(signature) = signature {
                        written["thoughtSignature"] = signature.as_str().into();
                    }
                    parts.push(written);
                }
                Block::ToolResult { id, content, is_error } => {
                    let texts: Vec<&str> = content
                        .iter()
                        .filter_map(
                            |block| if let Block::Text(text) = block { Some(text.as_str()) } else { None },
                        )
                        .collect();
                    let key = if *is_error { "error" } else { "output" };
                    let name = names.get(id.as_str()).copied().unwrap_or_default();
                    let response = json!({ key: texts.join("\n") });
                    parts.push(
                        json!({ "functionResponse": { "id": id, "name": name, "response": response } }),
                    );
                    for block in content.iter().filter(|block| !matches!(block, Block::Text(_))) {
                        parts.push(build_content_part(block)?);
                    }
                }
                // The API refuses empty texts, and turns without parts.
                Block::Text(text) if text.is_empty() => {}
                block => parts.push(build_content_part(block)?),
            }
        }
        if parts.is_empty() {
            continue;
        }
        let role = if message.role == Role::Assistant { "model" } else { "user" };
        contents.push(json!({ "role": role, "parts": parts }));
    }
    Ok(contents)
}

fn build_content_part(block: &Block) -> Result<Value, ModelError> {
    match block {
        Block::Text(text) => Ok(json!({ "text": text })),
        Block::Image(Media { data, mime }) | Block::Audio(Media { data, mime }) => {
            Ok(json!({ "inlineData": { "mimeType": mime, "data": data } }))
        }
        Block::ToolUse { .. } | Block::ToolResult { .. } => {
            Err(ModelError::Unsupported(say!("a user message can’t contain a tool call")))
        }
    }
}

/// Decodes chunks. Each chunk is a complete response object with the next parts of the answer.
struct GeminiStream;

impl StreamDecoder for GeminiStream {
    fn decode(&mut self, reply: &mut Reply, chunk: &Value) -> Result<bool, ModelError> {
        if let Some(error) = chunk.get("error").filter(|error| error.is_object()) {
            let status = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
            return Err(error_from_status(
                status.unwrap_or(500),
                None,
                error_message(chunk).unwrap_or_default(),
            ));
        }
        let feedback = chunk.get("promptFeedback").unwrap_or(&Value::Null);
        if let Some(reason) = feedback.get("blockReason").and_then(Value::as_str) {
            return Err(ModelError::Blocked(reason_with_message(reason, feedback, "blockReasonMessage")));
        }
        if let Some(model) = chunk.get("modelVersion").and_then(Value::as_str) {
            reply.model = Some(model.to_owned());
        }
        if let Some(usage) = chunk.get("usageMetadata") {
            let get = |name: &str| usage.get(name).and_then(Value::as_u64).unwrap_or_default();
            let output = get("candidatesTokenCount").saturating_add(get("thoughtsTokenCount"));
            // Tokens of the provider's own tools count as input, but are reported separately.
            let input = get("promptTokenCount").saturating_add(get("toolUsePromptTokenCount"));
            reply.usage = Some(Usage { input, output });
        }
        let Some(candidate) = chunk.get("candidates").and_then(|candidates| candidates.get(0)) else {
            return Ok(false);
        };
        let parts = candidate.get("content").and_then(|content| content.get("parts")?.as_array());
        for part in parts.map_or(&[][..], Vec::as_slice) {
            add_part(reply, part)?;
        }
        match candidate.get("finishReason").and_then(Value::as_str) {
            None | Some("FINISH_REASON_UNSPECIFIED") => {}
            Some(
                reason @ ("SAFETY"
                | "RECITATION"
                | "LANGUAGE"
                | "BLOCKLIST"
                | "PROHIBITED_CONTENT"
                | "SPII"
                | "IMAGE_SAFETY"
                | "IMAGE_PROHIBITED_CONTENT"
                | "IMAGE_RECITATION"),
            ) => return Err(ModelError::Blocked(reason_with_message(reason, candidate, "finishMessage"))),
            Some(
                reason @ ("MALFORMED_FUNCTION_CALL"
                | "MALFORMED_RESPONSE"
                | "UNEXPECTED_TOOL_CALL"
                | "TOO_MANY_TOOL_CALLS"
                | "MISSING_THOUGHT_SIGNATURE"),
            ) => return Err(ModelError::Malformed(reason_with_message(reason, candidate, "finishMessage"))),
            Some("STOP") if reply.uses_tools() => reply.stop_reason = Some("toolUse".to_owned()),
            Some("STOP") => reply.stop_reason = Some("endTurn".to_owned()),
            Some("MAX_TOKENS") => reply.stop_reason = Some("maxTokens".to_owned()),
            Some(other) => reply.stop_reason = Some(other.to_owned()),
        }
        Ok(false)
    }
}

/// Adds the provider's message to the reason why there is no answer.
fn reason_with_message(reason: &str, of: &Value, name: &str) -> String {
    match of.get(name).and_then(Value::as_str) {
        Some(words) if !words.is_empty() => format!("{reason}: {words}"),
        _ => reason.to_owned(),
    }
}

fn add_part(reply: &mut Reply, part: &Value) -> Result<(), ModelError> {
    // Thoughts are not part of the answer.
    if part.get("thought").and_then(Value::as_bool) == Some(true) {
        return Ok(());
    }
    if let Some(text) = part.get("text").and_then(Value::as_str) {
        reply.push_text(text)?;
    }
    if let Some(call) = part.get("functionCall") {
        let name = call.get("name").and_then(Value::as_str).unwrap_or_default();
        let signature = part.get("thoughtSignature").and_then(Value::as_str);
        let place = reply.start_tool_use(call.get("id").and_then(Value::as_str), name, signature)?;
        // Arguments arrive complete, and may be missing.
        let arguments = call.get("args").map_or_else(|| "{}".to_owned(), Value::to_string);
        reply.push_arguments(place, &arguments)?;
    }
    if let Some(inline) = part.get("inlineData") {
        let text = |name: &str| inline.get(name).and_then(Value::as_str).unwrap_or_default();
        if text("mimeType").starts_with("image/") {
            reply.push_image(text("data"), text("mimeType"))?;
        }
    }
    Ok(())
}
