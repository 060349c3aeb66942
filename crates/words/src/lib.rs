//! What Mooring says in words of its own, so that it can be said in every language.
//!
//! Whatever a person may read is a [`Sentence`], made with [`say!`]. The command line prints its English text; the
//! window words it from `ui/src/locales`.

mod kept;
mod sentence;
mod system;

pub use kept::{KeptParam, KeptSentence};
pub use sentence::{Param, Sentence};
pub use system::system;
