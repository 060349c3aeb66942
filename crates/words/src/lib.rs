//! What Mooring says in words of its own, so that it can be said in every language.
//!
//! Whatever a person may read is a [`Sentence`], made with [`say!`]. The command line prints its English text; the
//! window words it from `ui/src/locales`.

mod sentence;
mod system;

pub use sentence::{Param, Sentence};
pub use system::system;
