//! Sampling requests (`sampling/createMessage`) of any revision. A request is parsed again after the person
//! has edited it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mooring_base::excerpt;
use mooring_jsonrpc::read_value;
use mooring_words::{Sentence, say};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// The most messages, and the most blocks of all messages.
const MOST_MESSAGES: usize = 1_000;
const MOST_BLOCKS: usize = 4_000;
/// The most tools, and the most bytes of a tool's name.
const MOST_TOOLS: usize = 128;
const LONGEST_NAME: usize = 128;
/// The most hints and the most stop sequences. Further ones are left out, which the protocol allows.
const MOST_HINTS: usize = 32;
const MOST_STOPS: usize = 16;
/// The longest answer in tokens, if the server sets no limit.
const DEFAULT_TOKENS: u32 = 1_024;
/// The most bytes of a message that are repeated.
const MAX_TEXT_BYTES: usize = 1 << 10;
/// The estimated number of tokens of an image or a sound.
const MEDIA_TOKENS: usize = 1_500;
/// The most rounds of a tool loop (SAMP-14).
pub const MOST_ROUNDS: u32 = 10;

/// The key in `_meta` that passes a provider's signature of a tool use to the next round (SAMP-14).
pub(crate) const SIGNATURE: &str = "mooring/thoughtSignature";

/// The sender of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    User,
    Assistant,
}

impl Role {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// One message of the conversation.
#[derive(Debug, Clone)]
pub struct Message {
    /// The sender of the message.
    pub role: Role,
    /// The message's content blocks.
    pub content: Vec<RawBlock>,
}

/// A content block with its original JSON, including `_meta` and unknown members.
#[derive(Debug, Clone)]
pub struct RawBlock {
    pub(crate) block: Block,
    pub raw: Value,
}

/// The content of a block.
#[derive(Debug, Clone)]
pub(crate) enum Block {
    Text(String),
    Image(Media),
    Audio(Media),
    ToolUse {
        id: String,
        name: String,
        input: Map<String, Value>,
        /// The provider's signature, which must be sent back.
        signature: Option<String>,
    },
    ToolResult {
        id: String,
        content: Vec<Self>,
        is_error: bool,
    },
}

/// An image or a sound, in Base64.
#[derive(Debug, Clone)]
pub(crate) struct Media {
    pub(crate) data: String,
    pub(crate) mime: String,
}

/// A tool that the model may use. It runs at the server, never here (SAMP-12).
#[derive(Debug, Clone)]
pub struct SamplingTool {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) schema: Value,
    pub raw: Value,
}

/// Whether the model may or must use tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolChoice {
    Auto,
    Required,
    None,
}

impl ToolChoice {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Required => "required",
            Self::None => "none",
        }
    }
}

/// The server's priorities, each from 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Priorities {
    pub(crate) cost: f64,
    pub(crate) speed: f64,
    pub(crate) intelligence: f64,
}

/// What a model must support for a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ModelNeeds {
    pub(crate) images: bool,
    pub(crate) audio: bool,
    pub(crate) tools: bool,
    /// Whether the model must use a tool.
    pub(crate) required: bool,
}

/// A sampling request of a server.
#[derive(Debug, Clone)]
pub struct SamplingRequest {
    /// The system prompt.
    pub system: Option<String>,
    /// The messages.
    pub messages: Vec<Message>,
    /// The longest answer in tokens (SAMP-05).
    pub max_tokens: u32,
    /// The sampling temperature.
    pub temperature: Option<f64>,
    /// Texts that end the answer.
    pub stop_sequences: Vec<String>,
    /// The tools that the model may use.
    pub tools: Vec<SamplingTool>,
    /// Whether the model may or must use a tool.
    pub tool_choice: Option<ToolChoice>,
    /// The `includeContext` that the server asked for. It gets no context (SAMP-08).
    pub context_refused: Option<String>,
    pub(crate) hints: Vec<String>,
    pub(crate) priorities: Priorities,
}

/// Why the parameters are invalid, for the server (JSON-RPC -32602).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidParams(pub String);

fn invalid_params(why: &str) -> InvalidParams {
    InvalidParams(format!("Invalid params: {why}"))
}

type ParamsResult<T> = Result<T, InvalidParams>;

impl SamplingRequest {
    /// Reads the parameters.
    pub fn read(params: &RawValue) -> ParamsResult<Self> {
        // JSON-RPC allows an array as parameters, but MCP doesn't.
        let Ok(Value::Object(params)) = read_value(params.get()) else {
            return Err(invalid_params("no object"));
        };
        let none = Value::Null;
        let get = |name: &str| params.get(name).unwrap_or(&none);
        let text = |name: &str| get(name).as_str().map(str::to_owned);
        let messages = match get("messages") {
            Value::Null => Vec::new(),
            messages => read_messages(messages)?,
        };
        let tools = match get("tools") {
            Value::Null => Vec::new(),
            Value::Array(tools) if tools.len() <= MOST_TOOLS => {
                tools.iter().map(read_tool).collect::<ParamsResult<_>>()?
            }
            _ => return Err(invalid_params("tools")),
        };
        let preferences = get("modelPreferences");
        let weight = |name: &str| {
            preferences
                .get(name)
                .and_then(Value::as_f64)
                .filter(|w| w.is_finite())
                .map_or(0.0, |w| w.clamp(0.0, 1.0))
        };
        let hints = preferences.get("hints").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let hints = hints.iter().filter_map(|hint| hint.get("name")?.as_str());
        let context = text("includeContext").filter(|context| context != "none");
        Ok(Self {
            system: text("systemPrompt").filter(|system| !system.is_empty()),
            messages,
            max_tokens: read_max_tokens(get("maxTokens"))?,
            temperature: get("temperature").as_f64().filter(|heat| heat.is_finite()),
            stop_sequences: read_texts(get("stopSequences"), MOST_STOPS),
            tools,
            tool_choice: read_tool_choice(get("toolChoice"))?,
            context_refused: context.map(|context| excerpt::truncate(context, 64)),
            hints: hints
                .filter(|hint| !hint.trim().is_empty())
                .take(MOST_HINTS)
                .map(|hint| excerpt::truncate(hint.to_owned(), MAX_TEXT_BYTES))
                .collect(),
            priorities: Priorities {
                cost: weight("costPriority"),
                speed: weight("speedPriority"),
                intelligence: weight("intelligencePriority"),
            },
        })
    }

    /// What a model must support for this request.
    pub fn needs(&self) -> ModelNeeds {
        let mut needs = ModelNeeds {
            tools: !self.tools.is_empty(),
            required: !self.tools.is_empty() && self.tool_choice == Some(ToolChoice::Required),
            ..ModelNeeds::default()
        };
        for part in self.messages.iter().flat_map(|message| &message.content) {
            needs.add_block(&part.block);
        }
        needs
    }

    /// The estimated number of tokens of the request, from its length. It is for the person and for budgets.
    pub fn estimated_tokens(&self) -> u32 {
        let block = |part: &RawBlock| match &part.block {
            Block::Text(text) => text.len() / 4 + 1,
            Block::Image(_) | Block::Audio(_) => MEDIA_TOKENS,
            Block::ToolUse { .. } => part.raw.to_string().len() / 4 + 1,
            Block::ToolResult { content, .. } => content.iter().map(estimate_result_tokens).sum(),
        };
        let messages: usize = self.messages.iter().flat_map(|message| &message.content).map(block).sum();
        let tools: usize = self.tools.iter().map(|tool| tool.raw.to_string().len() / 4 + 1).sum();
        let system = self.system.as_deref().unwrap_or_default().len() / 4;
        u32::try_from(messages + tools + system + 4 * self.messages.len()).unwrap_or(u32::MAX)
    }

    /// The number of this round in a tool loop, from 1, according to the server's messages.
    pub fn round_number(&self) -> u32 {
        let rounds = self.messages.iter().filter(|message| {
            message.content.iter().any(|part| matches!(part.block, Block::ToolResult { .. }))
        });
        u32::try_from(rounds.count()).unwrap_or(u32::MAX).saturating_add(1)
    }

    /// The texts of the last message.
    pub fn last_text(&self) -> String {
        let blocks = self.messages.last().map(|message| message.content.as_slice()).unwrap_or_default();
        let texts: Vec<&str> = blocks
            .iter()
            .filter_map(|part| if let Block::Text(text) = &part.block { Some(text.as_str()) } else { None })
            .collect();
        excerpt::truncate(texts.join(" "), MAX_TEXT_BYTES)
    }

    /// Applies the person's edit: `{system, messages, maxTokens, provider, model}`, where missing members are
    /// unchanged. Returns the request, and the model that the person chose with its provider. The person may
    /// lower the token limit, but not raise it. `check` validates edited messages.
    pub fn apply_edit(
        &self,
        content: &str,
        check: impl Fn(&str) -> Result<(), &'static str>,
    ) -> Result<(Self, Option<ChosenModel>), Sentence> {
        let unreadable = || say!("the edited request can’t be read");
        let Ok(Value::Object(content)) = read_value(content) else {
            return Err(unreadable());
        };
        let mut edited = self.clone();
        match content.get("system") {
            None => {}
            Some(Value::Null) => edited.system = None,
            Some(Value::String(system)) => {
                edited.system = Some(system.clone()).filter(|system| !system.is_empty());
            }
            Some(_) => return Err(unreadable()),
        }
        if let Some(messages) = content.get("messages").filter(|messages| !messages.is_null()) {
            let messages = parse_block_texts(messages);
            edited.messages = read_messages(&messages)
                .map_err(|refusal| say!("the edited messages aren’t valid: {why}", why = refusal.0))?;
            check(&messages.to_string())
                .map_err(|why| say!("the edited messages aren’t valid: {why}", why = why))?;
        }
        if let Some(most) = content.get("maxTokens").filter(|most| !most.is_null()) {
            let most = read_max_tokens(most).map_err(|_| unreadable())?;
            if most == 0 || most > self.max_tokens {
                return Err(say!(
                    "the answer can have 1 to {most} tokens, as the server asked",
                    most = self.max_tokens
                ));
            }
            edited.max_tokens = most;
        }
        let model = content.get("model").and_then(Value::as_str);
        let provider = match content.get("provider") {
            None | Some(Value::Null) => None,
            Some(provider) => Some(provider.as_i64().ok_or_else(unreadable)?),
        };
        let chosen = model.map(|model| ChosenModel { provider, model: model.to_owned() });
        Ok((edited, chosen))
    }
}

/// A model that the user chose. Without a provider, it is the practice model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenModel {
    pub(crate) provider: Option<i64>,
    /// The model.
    pub model: String,
}

/// Reads the content of an answer that the person edited: `{content: [block, …]}`.
pub fn read_edited_answer(content: &str) -> Result<Vec<Value>, Sentence> {
    let unreadable = || say!("the edited answer can’t be read");
    let content = read_value(content).map_err(|_| unreadable())?;
    let Some(Value::Array(blocks)) = content.get("content") else { return Err(unreadable()) };
    let blocks: Vec<Value> = blocks.iter().map(parse_block_text).collect();
    for raw in &blocks {
        let block = read_block(raw).map_err(|_| unreadable())?.block;
        if matches!(block, Block::ToolResult { .. }) {
            return Err(unreadable());
        }
    }
    if blocks.is_empty() { Err(unreadable()) } else { Ok(blocks) }
}

/// Parses a block. The window receives and returns blocks as JSON texts.
fn parse_block_text(block: &Value) -> Value {
    let text = block.as_str().and_then(|text| read_value(text).ok());
    text.unwrap_or_else(|| block.clone())
}

fn parse_block_texts(messages: &Value) -> Value {
    let message = |message: &Value| {
        let mut message = message.clone();
        if let Some(Value::Array(blocks)) = message.get_mut("content") {
            for block in blocks {
                *block = parse_block_text(block);
            }
        }
        message
    };
    Value::Array(messages.as_array().map(|all| all.iter().map(message).collect()).unwrap_or_default())
}

impl ModelNeeds {
    fn add_block(&mut self, block: &Block) {
        match block {
            Block::Text(_) => {}
            Block::Image(_) => self.images = true,
            Block::Audio(_) => self.audio = true,
            Block::ToolUse { .. } => self.tools = true,
            Block::ToolResult { content, .. } => {
                self.tools = true;
                for block in content {
                    self.add_block(block);
                }
            }
        }
    }
}

fn estimate_result_tokens(block: &Block) -> usize {
    match block {
        Block::Text(text) => text.len() / 4 + 1,
        _ => MEDIA_TOKENS,
    }
}

fn read_max_tokens(value: &Value) -> ParamsResult<u32> {
    match value {
        Value::Null => Ok(DEFAULT_TOKENS),
        Value::Number(number) => {
            let most = number.as_f64().unwrap_or(f64::MAX);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
            let most = most as u32;
            Ok(most)
        }
        _ => Err(invalid_params("maxTokens")),
    }
}

fn read_tool_choice(value: &Value) -> ParamsResult<Option<ToolChoice>> {
    let mode = match value {
        Value::Null => return Ok(None),
        choice => choice.get("mode").unwrap_or(&Value::Null),
    };
    match mode.as_str() {
        None if mode.is_null() => Ok(None),
        Some("auto") => Ok(Some(ToolChoice::Auto)),
        Some("required") => Ok(Some(ToolChoice::Required)),
        Some("none") => Ok(Some(ToolChoice::None)),
        _ => Err(invalid_params("toolChoice")),
    }
}

fn read_texts(value: &Value, most: usize) -> Vec<String> {
    let all = value.as_array().map_or(&[][..], Vec::as_slice);
    let texts = all.iter().filter_map(Value::as_str).filter(|text| !text.is_empty());
    texts.take(most).map(str::to_owned).collect()
}

fn read_tool(tool: &Value) -> ParamsResult<SamplingTool> {
    let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
    if name.is_empty() || name.len() > LONGEST_NAME {
        return Err(invalid_params("a tool's name"));
    }
    let schema = match tool.get("inputSchema") {
        Some(schema @ Value::Object(_)) => schema.clone(),
        None => json!({ "type": "object", "properties": {} }),
        Some(_) => return Err(invalid_params("a tool's inputSchema")),
    };
    let description = tool.get("description").and_then(Value::as_str).map(str::to_owned);
    Ok(SamplingTool { name: name.to_owned(), description, schema, raw: tool.clone() })
}

fn read_messages(messages: &Value) -> ParamsResult<Vec<Message>> {
    let Value::Array(messages) = messages else { return Err(invalid_params("messages")) };
    if messages.len() > MOST_MESSAGES {
        return Err(invalid_params("too many messages"));
    }
    let mut blocks = 0;
    let message = |message: &Value| {
        let role = match message.get("role").and_then(Value::as_str) {
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            _ => return Err(invalid_params("a message's role")),
        };
        // The content is one block up to 2025-06-18, and one block or a list of blocks in later revisions.
        let content = match message.get("content") {
            Some(Value::Array(blocks)) => blocks.iter().map(read_block).collect::<ParamsResult<Vec<_>>>()?,
            Some(block) => vec![read_block(block)?],
            None => return Err(invalid_params("a message's content")),
        };
        blocks += content.len();
        if blocks > MOST_BLOCKS {
            Err(invalid_params("too many blocks"))
        } else {
            Ok(Message { role, content })
        }
    };
    messages.iter().map(message).collect()
}

/// Reads a block of a message.
pub(crate) fn read_block(raw: &Value) -> ParamsResult<RawBlock> {
    let text = |name: &str| raw.get(name).and_then(Value::as_str).map(str::to_owned);
    let needed = |name: &str| text(name).ok_or_else(|| invalid_params(name));
    let block = match raw.get("type").and_then(Value::as_str) {
        Some("tool_use") => Block::ToolUse {
            id: needed("id")?,
            name: needed("name")?,
            input: match raw.get("input") {
                Some(Value::Object(input)) => input.clone(),
                None | Some(Value::Null) => Map::new(),
                Some(_) => return Err(invalid_params("input")),
            },
            signature: raw.get("_meta").and_then(|meta| meta.get(SIGNATURE)?.as_str()).map(str::to_owned),
        },
        Some("tool_result") => {
            let all = raw.get("content").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            let mut content = all.iter().map(read_result_block).collect::<ParamsResult<Vec<_>>>()?;
            if let Some(structured) = raw.get("structuredContent").filter(|value| !value.is_null())
                && !content.iter().any(|block| matches!(block, Block::Text(_)))
            {
                content.push(Block::Text(structured.to_string()));
            }
            let is_error = raw.get("isError").and_then(Value::as_bool).unwrap_or_default();
            Block::ToolResult { id: needed("toolUseId")?, content, is_error }
        }
        _ => read_media_block(raw)?,
    };
    Ok(RawBlock { block, raw: raw.clone() })
}

/// Reads a block with a text, an image or a sound.
fn read_media_block(raw: &Value) -> ParamsResult<Block> {
    let text = |name: &str| raw.get(name).and_then(Value::as_str).map(str::to_owned);
    let media = |family: &str| {
        let data = text("data").filter(|data| STANDARD.decode(data).is_ok());
        let mime = text("mimeType").filter(|mime| mime.starts_with(family) && mime.len() <= LONGEST_NAME);
        match (data, mime) {
            (Some(data), Some(mime)) => Ok(Media { data, mime }),
            _ => Err(invalid_params("a picture or a sound")),
        }
    };
    match raw.get("type").and_then(Value::as_str) {
        Some("text") => Ok(Block::Text(text("text").ok_or_else(|| invalid_params("text"))?)),
        Some("image") => Ok(Block::Image(media("image/")?)),
        Some("audio") => Ok(Block::Audio(media("audio/")?)),
        _ => Err(invalid_params("a kind of content that a model is not asked with")),
    }
}

/// Reads a block of a tool's result. A block that is neither text, image nor audio becomes a text, with the
/// text of its resource or with its JSON.
fn read_result_block(raw: &Value) -> ParamsResult<Block> {
    match raw.get("type").and_then(Value::as_str) {
        Some("text" | "image" | "audio") => read_media_block(raw),
        _ => match raw.get("resource").and_then(|resource| resource.get("text")?.as_str()) {
            Some(text) => Ok(Block::Text(text.to_owned())),
            None => Ok(Block::Text(raw.to_string())),
        },
    }
}

#[cfg(test)]
mod tests;
