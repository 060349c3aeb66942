//! Sentences that Mooring shows to a person, and that can be translated.
//!
//! Whatever a person may read is a [`Sentence`], made with [`say!`]. The command line prints its English text; the
//! window words it from `ui/src/locales`.

mod io_error;
mod sentence;
mod stored;

pub use io_error::io_error_sentence;
pub use sentence::{Param, Sentence};
pub use stored::{StoredParam, StoredSentence};
