//! Checks the invariants of ARCHITECTURE.md in the sources.
//!
//! Every rule is a function that finds offences in a source. One test runs it on the repository and another
//! on a bad sample, to show that the rule can still fail.
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

/// Fails with one offence per line.
#[track_caller]
fn assert_none(offences: &[String]) {
    assert!(offences.is_empty(), "\n{}\n", offences.join("\n"));
}

/// Fails unless the bad sample has exactly one offence, with these words.
#[track_caller]
fn assert_found(offences: &[String], words: &str) {
    assert!(offences.len() == 1 && offences.iter().all(|offence| offence.contains(words)), "{offences:?}");
}
