//! Why a sign-in, or a part of one, did not work.

use mooring_words::Sentence;
use std::fmt;

/// What went wrong, by what a caller does about it.
#[derive(Debug, Clone)]
pub enum Error {
    /// Nothing was heard of the other side, or it failed (5xx): what is kept stays good, and asking again may help.
    Unreachable(Sentence),
    /// The other side answered with an error of OAuth's.
    Answered {
        /// Its code: `invalid_grant`, `access_denied`.
        code: String,
        /// In words of ours, with its own words quoted.
        sentence: Sentence,
    },
    /// What was found breaks a rule that keeps logins safe, or cannot be used.
    Refused(Sentence),
    /// The person or the clock ended it.
    Ended(Sentence),
}

impl Error {
    /// The same in words.
    pub fn sentence(&self) -> &Sentence {
        match self {
            Self::Unreachable(sentence) | Self::Refused(sentence) | Self::Ended(sentence) => sentence,
            Self::Answered { sentence, .. } => sentence,
        }
    }

    /// Whether the other side said that what was shown to it is worth nothing any more (RFC 6749 §5.2).
    pub fn is_invalid_grant(&self) -> bool {
        matches!(self, Self::Answered { code, .. } if code == "invalid_grant")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentence().fmt(f)
    }
}

impl std::error::Error for Error {}
