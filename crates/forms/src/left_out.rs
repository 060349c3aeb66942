//! What of a schema a form cannot say: what is left out of it, and what it cannot be made without.

use mooring_base::excerpt;
use mooring_words::{Sentence, say};
use serde_json::Value;

use crate::form::{Form, Oddity};

/// Things that a form cannot say and that are named, at most, and bytes of each one's place and of what it says.
const MOST_ODDITIES: usize = 50;
const LONGEST_PATH: usize = 256;
const LONGEST_ASKED: usize = 512;

/// What is not a form that can be shown as it is meant.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unsupported {
    /// Where.
    path: String,
    /// What.
    what: Sentence,
}

impl Unsupported {
    pub(crate) fn into_sentence(self) -> Sentence {
        say!("{path}: {what}", path = self.path, what = self.what)
    }
}

pub(crate) fn unsupported<T>(path: &str, what: Sentence) -> Result<T, Unsupported> {
    Err(Unsupported { path: path.to_owned(), what })
}

impl Form {
    /// Names something that is left out.
    pub(crate) fn odd(&mut self, path: &str, asked: &Value, what: Sentence) {
        let what = match self.oddities.len() {
            ..MOST_ODDITIES => what,
            MOST_ODDITIES => say!("is not all that was left out: there is more of it than can be listed"),
            _ => return,
        };
        self.oddities.push(Oddity {
            path: excerpt::start(path.to_owned(), LONGEST_PATH),
            asked: excerpt::start(asked.to_string(), LONGEST_ASKED),
            what,
        });
    }
}
