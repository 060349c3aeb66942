//! Checks the properties with inputs derived from examples: some thousands in every run, and more for
//! `MOORING_FUZZ_SECONDS` seconds, for all properties or only for `MOORING_FUZZ`.

use super::TARGETS;
use std::time::{Duration, Instant};

/// Byte sequences that are difficult for parsers.
const PIECES: [&str; 30] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    "\\",
    ",",
    ":",
    "=",
    "null",
    "-0",
    "1e9",
    "\n",
    "\r",
    "\r\n",
    "\0",
    "\u{feff}",
    "é",
    "\u{202e}",
    "%2",
    "%zz",
    "data:",
    "id:",
    "retry: 1",
    "\\u0000",
    "\\ud800",
    "=?base64?",
    "?=",
    " ",
    "\"id\":",
];

/// Pseudo-random numbers, the same in every run (xorshift).
struct Random(u64);

impl Random {
    fn throw(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(sides.max(1)).unwrap()).unwrap()
    }

    /// An example with a few mutations.
    fn input(&mut self, examples: &[&str]) -> Vec<u8> {
        let mut input = examples[self.throw(examples.len())].as_bytes().to_vec();
        for _ in 0..self.throw(6) {
            let at = self.throw(input.len() + 1);
            let end = (at + self.throw(16)).min(input.len());
            match self.throw(6) {
                0 => {
                    input.drain(at..end);
                }
                1 => {
                    let piece = PIECES[self.throw(PIECES.len())];
                    input.splice(at..at, piece.bytes());
                }
                2 => {
                    let piece = input[at..end].repeat(1 + self.throw(40));
                    input.splice(at..at, piece);
                }
                3 => {
                    let other = examples[self.throw(examples.len())];
                    input.splice(at..end, other.bytes());
                }
                4 => input.truncate(at),
                _ => {
                    if let Some(byte) = input.get_mut(at) {
                        *byte = u8::try_from(self.throw(256)).unwrap();
                    }
                }
            }
        }
        input
    }
}

/// Prints the input of a failed property.
struct FailedInput(Vec<u8>);

impl Drop for FailedInput {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("with the input \"{}\"", self.0.escape_ascii());
        }
    }
}

fn holds(name: &str) {
    let (_, property, examples) = TARGETS.into_iter().find(|(known, ..)| *known == name).unwrap();
    const INPUTS: u64 = 4_000;
    let chosen = std::env::var("MOORING_FUZZ").ok().filter(|chosen| !chosen.is_empty());
    let seconds = std::env::var("MOORING_FUZZ_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
    let seconds = seconds.filter(|_| chosen.is_none_or(|chosen| chosen == name));
    let (begun, time) = (Instant::now(), Duration::from_secs(seconds.unwrap_or_default()));
    let mut dice = Random(0x5eed_0f0c_ea25);
    let mut inputs = 0;
    while inputs < INPUTS || begun.elapsed() < time {
        let input = FailedInput(dice.input(examples));
        property(&input.0);
        inputs += 1;
    }
    if seconds.is_some() {
        eprintln!("{inputs} inputs");
    }
}

#[test]
fn the_guard_of_frames_agrees_with_a_parser() {
    holds("frame");
}

#[test]
fn the_parts_of_an_envelope_are_parts_of_its_bytes() {
    holds("envelope");
}

#[test]
fn a_stream_has_the_same_events_however_it_is_cut() {
    holds("event-stream");
}

// Requirements: AUTH-08.
#[test]
fn challenges_are_read_as_they_are_written() {
    holds("challenge");
}

// Requirements: RES-04.
#[test]
fn what_a_template_gives_may_stand_in_a_uri() {
    holds("uri-template");
}

#[test]
fn a_header_gives_back_the_text_it_was_made_of() {
    holds("mcp-header");
}
