//! Explains why a URL is invalid.

use mooring_words::{Sentence, say};
use url::ParseError;

/// Why a URL can't be parsed, as a sentence.
pub fn url_error_sentence(error: ParseError) -> Sentence {
    match error {
        ParseError::RelativeUrlWithoutBase | ParseError::RelativeUrlWithCannotBeABaseBase => {
            say!("it doesn’t begin with https:// or http://")
        }
        ParseError::InvalidPort => say!("its port isn’t a number up to 65535"),
        ParseError::EmptyHost => say!("it names no host"),
        ParseError::Overflow => say!("it is too long"),
        _ => say!("its host can’t be read"),
    }
}
