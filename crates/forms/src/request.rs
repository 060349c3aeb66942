//! The question for a form, and its answer.

use mooring_base::excerpt;
use mooring_words::{Sentence, say};
use serde_json::value::{RawValue, to_raw_value};

use crate::entered::Entered;
use crate::form::{Form, Oddity};
use crate::left_out::Unsupported;

/// What a server says with a form, at most this many bytes of it.
const LONGEST_MESSAGE: usize = 16 << 10;

/// What is odd about a question for a form, and where: that it cannot be asked, or what the form leaves out. Of any other there is nothing
/// to say here.
pub fn oddities(params: &RawValue) -> Vec<(String, Sentence)> {
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
            let odd = |odd: Oddity| (format!("{PATH}.{}", odd.path), odd.what);
            request.form.oddities.into_iter().map(odd).collect()
        }
        Err(why) => {
            vec![(PATH.to_owned(), say!("the form cannot be answered as it is meant: {why}", why))]
        }
    }
}

/// What a server is answered with what was entered into its form, to the digit. What looks like a secret is given to
/// `keep_out` before: neither the frame that carries it nor anything in which the server repeats it is logged with it (SEC-21).
pub fn accepted(entered: &Entered, form: &Form, keep_out: impl FnOnce(&[(&str, String)])) -> Box<RawValue> {
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
    pub fn read(params: &RawValue) -> Result<Self, Sentence> {
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
