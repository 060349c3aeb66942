//! Errors of reading and changing an app's file.

use mooring_words::Sentence;
use thiserror::Error;

use crate::refusal::changed_meanwhile;

/// Why a file was not read or changed. Each error is about one app only.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Error {
    /// The file can't be read or parsed.
    #[error("{0}")]
    Unreadable(Sentence),
    /// The file has an entry with this name that is not ours.
    #[error("{0}")]
    NameTaken(Sentence),
    /// The file can't be edited without changing something else. The person can add the entry themselves,
    /// with [`App::snippet`](crate::App::snippet).
    #[error("{0}")]
    NotEditable(Sentence),
    /// The file has changed since the plan was made. Make a new plan, and show it.
    #[error("{0}")]
    Changed(Sentence),
    /// The file could not be written. It is unchanged.
    #[error("{0}")]
    NotWritten(Sentence),
}

impl Error {
    /// The file is not the one that was shown to the person.
    pub fn changed() -> Self {
        Self::Changed(changed_meanwhile())
    }

    /// The error as a sentence for the person.
    pub fn sentence(&self) -> &Sentence {
        match self {
            Self::Unreadable(sentence)
            | Self::NameTaken(sentence)
            | Self::NotEditable(sentence)
            | Self::Changed(sentence)
            | Self::NotWritten(sentence) => sentence,
        }
    }
}
