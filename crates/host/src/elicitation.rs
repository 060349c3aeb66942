//! Forms that servers ask for (`elicitation/create`, mode `form`): what is asked, and whether an answer is one.
//!
//! The schema is a flat object of primitives, in the shapes of every revision that has forms (2025-06-18 and later), and in
//! those in which generators write the same (`schema`): a field that may be null, a reference, a list of texts, a value that
//! is one of several types. Objects inside the form are beyond what a server may ask so (ELIC-17). What cannot be asked in such a form is refused by name, because a form that leaves something out would make the person
//! answer another question than the server asked; what only says more than a form can is shown beside it.

mod check;
mod choices;
mod decimal;
mod entered;
mod form;
mod format;
mod pattern;
mod schema;
mod secret;
#[cfg(test)]
mod tests;
mod view;

use serde_json::value::{RawValue, to_raw_value};

pub use check::{Content, Mistake};
pub use choices::Choice;
pub(crate) use entered::Entered;
pub use form::{Field, FieldKind, Form, Oddity};
pub use format::Format;
pub use pattern::Pattern;
pub use secret::asks_for_secret;

use form::Unsupported;
use mooring_base::excerpt;
use mooring_mcp::{Code, Diagnostic};
use mooring_words::{Sentence, say};

/// What a server says with a form, at most this many bytes of it.
const LONGEST_MESSAGE: usize = 16 << 10;

/// What is odd about a question for a form: that it cannot be asked, or what the form leaves out. Of any other there is nothing
/// to say here.
pub(crate) fn oddities(params: &RawValue) -> Vec<Diagnostic> {
    const PATH: &str = "elicitation/create";
    #[derive(serde::Deserialize)]
    struct Params<'a> {
        #[serde(borrow, default)]
        mode: Option<&'a RawValue>,
    }
    let mode = serde_json::from_str::<Params<'_>>(params.get()).ok().and_then(|params| params.mode);
    if mode.is_some_and(|mode| mode.get() == "\"url\"") {
        return Vec::new();
    }
    match FormRequest::read(params) {
        Ok(request) => {
            let odd =
                |odd: Oddity| Diagnostic::new(Code::WrongType, format!("{PATH}.{}", odd.path), odd.what);
            request.form.oddities.into_iter().map(odd).collect()
        }
        Err(why) => {
            let why = say!("the form cannot be answered as it is meant: {why}", why);
            vec![Diagnostic::new(Code::WrongType, PATH, why)]
        }
    }
}

/// What a server is answered with what was entered into its form, to the digit. What looks like a secret is given to
/// `keep_out` before: neither the frame that carries it nor anything in which the server repeats it is logged with it (SEC-21).
pub(crate) fn accepted(
    entered: &Entered,
    form: &Form,
    keep_out: impl FnOnce(&[(&str, String)]),
) -> Box<RawValue> {
    #[derive(serde::Serialize)]
    struct Accepted<'a> {
        action: &'a str,
        content: &'a RawValue,
    }
    let secrets = entered.secrets(form);
    keep_out(&secrets);
    // What is made of JSON text can always be written.
    to_raw_value(&Accepted { action: "accept", content: &entered.to_raw() }).unwrap_or_default()
}

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
