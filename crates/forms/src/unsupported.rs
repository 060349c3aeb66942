//! Parts of a schema that a form does not support. Some are ignored, and some make the form impossible.

use mooring_base::excerpt;
use mooring_words::{Sentence, say};
use serde_json::Value;

use crate::form::{Form, Oddity};

/// The most oddities of a form, and the most bytes of an oddity's place and of its text.
const MOST_ODDITIES: usize = 50;
const MAX_PATH_BYTES: usize = 256;
const MAX_ASKED_BYTES: usize = 512;

/// Why a schema can't be shown as a form.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UnsupportedSchema {
    /// The path of the keyword in the schema.
    path: String,
    /// Why the keyword is not supported.
    what: Sentence,
}

impl UnsupportedSchema {
    pub(crate) fn into_sentence(self) -> Sentence {
        say!("{path}: {what}", path = self.path, what = self.what)
    }
}

pub(crate) fn unsupported_schema<T>(path: &str, what: Sentence) -> Result<T, UnsupportedSchema> {
    Err(UnsupportedSchema { path: path.to_owned(), what })
}

impl Form {
    /// Notes that a part of the schema is ignored.
    pub(crate) fn add_oddity(&mut self, path: &str, asked: &Value, what: Sentence) {
        let what = match self.oddities.len() {
            ..MOST_ODDITIES => what,
            MOST_ODDITIES => say!("is only part of what was skipped: there is too much to list"),
            _ => return,
        };
        self.oddities.push(Oddity {
            path: excerpt::truncate(path.to_owned(), MAX_PATH_BYTES),
            asked: excerpt::truncate(asked.to_string(), MAX_ASKED_BYTES),
            what,
        });
    }
}
