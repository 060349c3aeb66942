//! Why an answer of the person is not accepted.

use mooring_disk::StoreError;
use mooring_forms::Mistake;
use mooring_vault::VaultError;
use mooring_words::{Sentence, say};
use serde_json::{Value, json};

/// Why an answer to a question does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerError {
    /// The question doesn't wait for an answer, or not yet.
    NotWaiting,
    /// The question was not open for long enough to be read.
    TooEarly,
    /// The answer does not come from where the question was opened.
    WrongNonce,
    /// The answer does not match the question.
    Invalid {
        /// What is wrong.
        message: Sentence,
        /// What is wrong with the fields of a form.
        mistakes: Vec<Mistake>,
    },
}

impl AnswerError {
    pub(crate) fn invalid(message: Sentence) -> Self {
        Self::Invalid { message, mistakes: Vec::new() }
    }

    /// The message for the person.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::NotWaiting => say!("the question doesn’t wait for an answer"),
            Self::TooEarly => say!("the question was open for less than a second"),
            Self::WrongNonce => say!("the answer doesn’t come from where the question was opened"),
            Self::Invalid { message, .. } => message.clone(),
        }
    }

    /// The details for a front end, as JSON.
    pub fn details(&self) -> Option<Value> {
        let Self::Invalid { mistakes, .. } = self else { return None };
        Some(json!({ "mistakes": mistakes }))
    }
}

/// Why a request to the Inbox failed.
#[derive(Debug)]
pub enum InboxError {
    /// The answer does not count.
    Answer(AnswerError),
    /// The database failed.
    Store(StoreError),
    /// The system has no random numbers.
    Vault(VaultError),
}

impl From<AnswerError> for InboxError {
    fn from(error: AnswerError) -> Self {
        Self::Answer(error)
    }
}

impl From<StoreError> for InboxError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<VaultError> for InboxError {
    fn from(error: VaultError) -> Self {
        Self::Vault(error)
    }
}
