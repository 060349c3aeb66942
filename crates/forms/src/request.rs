//! The parameters and the result of `elicitation/create` in form mode.

use mooring_base::excerpt;
use mooring_jsonrpc::{JsonObject, raw};
use mooring_words::{Sentence, say};
use serde_json::value::RawValue;

use crate::form::{Form, Oddity};
use crate::unsupported::UnsupportedSchema;
use crate::values::FormValues;

/// The most bytes of a form's message.
const LONGEST_MESSAGE: usize = 16 << 10;

/// The problems in the parameters of `elicitation/create`, with their places. They say why a form is
/// impossible, or what the form ignores. Empty for mode `url`.
pub fn request_oddities(params: &RawValue) -> Vec<(String, Sentence)> {
    const PATH: &str = "elicitation/create";
    #[derive(serde::Deserialize)]
    struct ModeParams<'a> {
        #[serde(borrow, default)]
        mode: Option<&'a RawValue>,
    }
    let mode = serde_json::from_str::<ModeParams<'_>>(params.get()).ok().and_then(|params| params.mode);
    if mode.is_some_and(|mode| mode.get() == "\"url\"") {
        return Vec::new();
    }
    match FormRequest::read(params) {
        Ok(request) => {
            let odd = |odd: Oddity| (format!("{PATH}.{}", odd.path), odd.what);
            request.form.oddities.into_iter().map(odd).collect()
        }
        Err(why) => {
            vec![(PATH.to_owned(), say!("the form can’t be answered: {why}", why))]
        }
    }
}

/// The result of `elicitation/create` with action `accept`. Values that look like secrets are first passed to
/// `keep_out`, so that they are redacted in the log (SEC-21).
pub fn accept_result(
    entered: &FormValues,
    form: &Form,
    keep_out: impl FnOnce(&[(&str, String)]),
) -> Box<RawValue> {
    let secrets = entered.secret_values(form);
    keep_out(&secrets);
    let result = JsonObject::new().text("action", "accept").raw("content", &entered.to_json());
    // JSON that is built from JSON text is valid.
    raw(&result.whole()).unwrap_or_default()
}

/// A form and the server's message.
#[derive(Debug, Clone)]
pub struct FormRequest {
    /// The server's message, with its reasons.
    pub message: String,
    /// The form.
    pub form: Form,
}

impl FormRequest {
    /// Reads the parameters of `elicitation/create`. The error says to the server's author what is not
    /// supported.
    pub fn read(params: &RawValue) -> Result<Self, Sentence> {
        #[derive(serde::Deserialize)]
        struct FormParams<'a> {
            #[serde(default)]
            message: Option<String>,
            #[serde(borrow, default, rename = "requestedSchema")]
            schema: Option<&'a RawValue>,
        }
        let FormParams { message, schema } = serde_json::from_str(params.get())
            .map_err(|_| say!("the question’s parameters aren’t an object with a message and a schema"))?;
        let schema = schema.ok_or_else(|| say!("the question has no requestedSchema"))?;
        let form = Form::from_schema(schema).map_err(UnsupportedSchema::into_sentence)?;
        Ok(Self { message: excerpt::truncate(message.unwrap_or_default(), LONGEST_MESSAGE), form })
    }
}
