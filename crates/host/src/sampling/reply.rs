//! The answer of a model, as far as it has come.

use serde_json::{Map, Value, json};

use super::fault::ModelError;
use super::request::{SIGNATURE, SamplingRequest};
use crate::journal::Mask;

/// Most bytes of an answer.
pub(super) const MOST_ANSWER: usize = 4 << 20;
/// Most blocks of an answer.
const MOST_BLOCKS: usize = 256;

/// What a provider said of one model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) input: u64,
    pub(crate) output: u64,
}

/// An answer, as far as it has come.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reply {
    /// The model that speaks, as the provider names it.
    pub(crate) model: Option<String>,
    blocks: Vec<Said>,
    /// In the protocol's words.
    pub(crate) stop_reason: Option<String>,
    pub(crate) usage: Option<Usage>,
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
    pub(super) fn of(model: &str) -> Self {
        Self { model: Some(model.to_owned()), ..Self::default() }
    }

    fn count(&mut self, bytes: usize) -> Result<(), ModelError> {
        self.bytes = self.bytes.saturating_add(bytes);
        let fits = self.bytes <= MOST_ANSWER && self.blocks.len() <= MOST_BLOCKS;
        if fits { Ok(()) } else { Err(ModelError::TooLong) }
    }

    /// Goes on with a text.
    pub(super) fn text(&mut self, more: &str) -> Result<(), ModelError> {
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
    pub(super) fn image(&mut self, data: &str, mime: &str) -> Result<(), ModelError> {
        self.blocks.push(Said::Image { data: data.to_owned(), mime: mime.to_owned() });
        self.count(data.len() + mime.len())
    }

    /// Begins the use of a tool; the place of its arguments.
    pub(super) fn use_tool(
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
    pub(super) fn arguments(&mut self, place: usize, more: &str) -> Result<(), ModelError> {
        match self.blocks.get_mut(place) {
            Some(Said::Use { input, .. }) => input.push_str(more),
            _ => return Err(ModelError::Malformed("arguments of no tool".to_owned())),
        }
        self.count(more.len())
    }

    /// Whether a tool is used.
    pub(super) fn uses_tools(&self) -> bool {
        self.blocks.iter().any(|said| matches!(said, Said::Use { .. }))
    }

    /// The content blocks as the protocol writes them. Arguments that are still coming are shown as none.
    pub(crate) fn content(&self) -> Vec<Value> {
        self.blocks.iter().map(|said| said.block().unwrap_or_else(|_| said.unfinished())).collect()
    }

    /// It without a secret that the provider has repeated.
    pub(super) fn masked(&self, mask: &Mask) -> Self {
        let hidden = |text: &str| mask.hide(text.to_owned());
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
    pub(super) fn finished(mut self, request: &SamplingRequest) -> Result<Self, ModelError> {
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
                let input: Map<String, Value> = if input.trim().is_empty() {
                    Map::new()
                } else {
                    serde_json::from_str(input)
                        .map_err(|error| ModelError::Malformed(format!("arguments of {name}: {error}")))?
                };
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
