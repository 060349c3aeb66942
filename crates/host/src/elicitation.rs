//! Forms that servers ask for (`elicitation/create`, mode `form`): what is asked, and whether an answer is one.
//!
//! The schema is a flat object of primitives, in the shapes of every revision that has forms (2025-06-18 and later).
//! What goes beyond that is refused by name, because a form that leaves something out would make the person answer
//! another question than the server asked.

mod check;
mod form;
mod format;
mod pattern;
mod secret;
#[cfg(test)]
mod tests;

use serde_json::value::RawValue;

pub use check::{Content, Mistake};
pub use form::{Choice, Field, FieldKind, Form};
pub use format::Format;
pub use pattern::Pattern;
pub use secret::asks_for_secret;

use crate::excerpt;
use form::Unsupported;
use mooring_words::{Sentence, say};

/// What a server says with a form, at most this many bytes of it.
const LONGEST_MESSAGE: usize = 16 << 10;

/// A form with what the server says about it.
#[derive(Debug, Clone)]
pub struct FormRequest {
    /// What it wants to know and why, in its words.
    pub message: String,
    /// The form.
    pub form: Form,
}

impl FormRequest {
    /// Reads the parameters of `elicitation/create`; the error says to whoever wrote the server what is not supported.
    pub(crate) fn read(params: &RawValue) -> Result<Self, Sentence> {
        #[derive(serde::Deserialize)]
        struct Params<'a> {
            #[serde(default)]
            message: Option<String>,
            #[serde(borrow, default, rename = "requestedSchema")]
            schema: Option<&'a RawValue>,
        }
        let Params { message, schema } = serde_json::from_str(params.get())
            .map_err(|_| say!("the parameters of the question are not an object with a text and a schema"))?;
        let schema = schema.ok_or_else(|| say!("the question has no requestedSchema"))?;
        let form = Form::read(schema).map_err(Unsupported::into_sentence)?;
        Ok(Self { message: excerpt::start(message.unwrap_or_default(), LONGEST_MESSAGE), form })
    }
}
