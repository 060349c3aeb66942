//! The invariants of ARCHITECTURE.md, read off the sources themselves.
//!
//! Every rule is a function from a source to its offences. One test holds it against the repository, another
//! against a bad sample, so that a rule that can no longer fail is noticed.
#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests too")]

mod comments;
mod concurrency;
mod dependencies;
mod directions;
mod documents;
mod files;
mod json;
mod limits;
mod migrations;
mod modules;
mod names;
mod pages;
mod release;
mod source;
mod words;

/// Fails with every offence on a line of its own.
#[track_caller]
fn assert_none(offences: &[String]) {
    assert!(offences.is_empty(), "\n{}\n", offences.join("\n"));
}

/// Fails unless the bad sample is found, once, with these words.
#[track_caller]
fn assert_found(offences: &[String], words: &str) {
    assert!(offences.len() == 1 && offences.iter().all(|offence| offence.contains(words)), "{offences:?}");
}
