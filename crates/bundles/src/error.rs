//! Errors of reading, unpacking and starting a bundle.

use std::io;

use mooring_words::{Sentence, io_error_sentence, say};
use thiserror::Error;

/// What went wrong, as far as a front end acts on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BundleErrorCode {
    /// The file can't be read, is no zip file, is damaged, or has no manifest.
    Unreadable,
    /// The manifest lacks something, or has something of a wrong type.
    InvalidManifest,
    /// The manifest is written for a newer version of the format.
    NewerManifest,
    /// The signature is damaged, or doesn't match the file.
    BrokenSignature,
    /// An entry of the zip file can't be unpacked safely.
    UnsafeEntry,
    /// The bundle exceeds a limit.
    TooLarge,
    /// The file has changed since it was opened.
    Changed,
    /// The bundle is made for other systems or versions.
    Incompatible,
    /// A value for the bundle's configuration is missing or not allowed.
    InvalidValue,
    /// A folder or file could not be written or removed. What was begun is removed again.
    NotWritten,
    /// No room is left on the disk. What was begun is removed again.
    DiskFull,
    /// The person cancelled the unpacking. What was begun is removed again.
    Cancelled,
}

/// Why something failed, with a sentence for the person.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{sentence}")]
pub struct BundleError {
    code: BundleErrorCode,
    sentence: Sentence,
}

impl BundleError {
    pub(crate) fn new(code: BundleErrorCode, sentence: Sentence) -> Self {
        Self { code, sentence }
    }

    /// The kind of error.
    pub fn code(&self) -> BundleErrorCode {
        self.code
    }

    /// The error as a sentence for the person.
    pub fn sentence(&self) -> &Sentence {
        &self.sentence
    }

    pub(crate) fn unreadable(sentence: Sentence) -> Self {
        Self::new(BundleErrorCode::Unreadable, sentence)
    }

    pub(crate) fn unreadable_file(error: &io::Error) -> Self {
        Self::unreadable(say!("the bundle can’t be read: {error}", error = io_error_sentence(error)))
    }

    pub(crate) fn damaged(detail: impl Into<String>) -> Self {
        let detail = Sentence::quoted(detail);
        Self::unreadable(say!("the bundle is damaged: {detail}", detail))
    }

    /// An entry that can't be unpacked, by the name that the zip file gives it.
    pub(crate) fn unsafe_entry(name: &str, reason: Sentence) -> Self {
        let name: String = name.chars().take(200).collect::<String>().escape_debug().collect();
        let sentence = say!("“{name}” in the bundle can’t be unpacked safely: {reason}", name, reason);
        Self::new(BundleErrorCode::UnsafeEntry, sentence)
    }

    pub(crate) fn broken_signature(reason: Sentence) -> Self {
        let sentence = say!("the bundle’s signature is broken: {reason}", reason);
        Self::new(BundleErrorCode::BrokenSignature, sentence)
    }

    pub(crate) fn too_large(sentence: Sentence) -> Self {
        Self::new(BundleErrorCode::TooLarge, sentence)
    }

    pub(crate) fn not_written(error: &io::Error) -> Self {
        let is_full = matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
        let code = if is_full { BundleErrorCode::DiskFull } else { BundleErrorCode::NotWritten };
        Self::new(code, say!("the bundle can’t be unpacked: {error}", error = io_error_sentence(error)))
    }

    /// The file isn't the one that the person has reviewed.
    pub fn changed() -> Self {
        let sentence = say!("the bundle’s file has changed since it was opened; open it again");
        Self::new(BundleErrorCode::Changed, sentence)
    }

    /// It can't be used here for another reason than the system or the version.
    pub fn unusable(sentence: Sentence) -> Self {
        Self::new(BundleErrorCode::Incompatible, sentence)
    }

    pub(crate) fn cancelled() -> Self {
        Self::new(BundleErrorCode::Cancelled, say!("the bundle wasn’t unpacked, because that was cancelled"))
    }

    pub(crate) fn invalid_value(sentence: Sentence) -> Self {
        Self::new(BundleErrorCode::InvalidValue, sentence)
    }
}
