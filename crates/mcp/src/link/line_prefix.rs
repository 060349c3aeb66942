//! Where a message begins on a line that is none as a whole, and whether what stands before it lets it count.
//!
//! Programs write escape sequences, progress and prefixes of a logger to the line that their answer then stands on.
//! They also print what others wrote: a page that was fetched, a text to be repeated. Requests have small numbers, so
//! such a text can hold what looks like the answer to a call that waits. What stands before the answer tells the two
//! apart:
//!
//! - Before the handshake is over nothing of others has been asked for yet, and any words may stand there that are not
//!   JSON themselves.
//! - After that, what a terminal does not show: escape sequences and blanks. Whoever prints a text with words of its own
//!   before it, however few, prints more than that.
//! - Of a server that has not answered on a line of its own since, also the time and the level of a logger: all that it
//!   says comes through one. A server that has would only log what is not its answer.
//!
//! Behind anything else an answer is in doubt: it ends its call with an error that quotes the line, once the server
//! had the time to answer by itself, so that a server that always writes so isn't waited for in vain.
//!
//! A text of others that stands on a line all by itself is what the server says, and nothing can tell it from that.

use memchr::memmem;
use mooring_process::plain_text;
use mooring_words::{Sentence, say};

use crate::frame::FrameError;
use crate::text::cut;

/// What a server has shown so far of how it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerStyle {
    /// The handshake is not over.
    Handshake,
    /// It has not answered on a line of its own since.
    Unknown,
    /// It has.
    Clean,
}

/// Where a message may begin on a line that is none as a whole, if it has the mark of one at all, and whether what
/// stands before it lets it count.
pub(super) fn message_start(line: &[u8], habit: AnswerStyle) -> Option<(usize, bool)> {
    memmem::find(line, b"\"jsonrpc\"")?;
    let start = memmem::find(line, b"{\"jsonrpc\"").or_else(|| memchr::memchr(b'{', line))?;
    let before = String::from_utf8_lossy(line.get(..start)?);
    let shown = plain_text(before.strip_prefix('\u{feff}').unwrap_or(&before));
    let counts = match habit {
        AnswerStyle::Handshake => !shown.contains(['{', '"']),
        AnswerStyle::Unknown => shown.split_whitespace().all(is_of_logger),
        AnswerStyle::Clean => shown.trim().is_empty(),
    };
    Some((start, counts))
}

/// What a request ends with that nothing else answers than what stands behind the text `before`.
pub(super) fn doubt_reason(before: &str) -> Sentence {
    say!(
        "what looks like its answer follows other text on its line and may come from another program: {quoted}",
        quoted = format!("{:?}", cut(before, 200))
    )
}

/// What is told of a line that is no message, which begins with `excerpt`.
pub(super) fn problem(line: &[u8], error: &FrameError, excerpt: &str) -> Sentence {
    let quoted = format!("{excerpt:?}");
    if memmem::find(line, b"{\"jsonrpc\"").is_some_and(|start| start > 0 && line.ends_with(b"}")) {
        return say!(
            "what looks like a message follows other text on its line, may come from another program, and was ignored: {quoted}",
            quoted
        );
    }
    say!("{what}: {quoted}", what = error.sentence(), quoted)
}

/// Whether a word is a time, a level or a mark, as loggers put them before what they write.
fn is_of_logger(word: &str) -> bool {
    const LEVELS: [&str; 12] = [
        "trace", "debug", "info", "notice", "warn", "warning", "error", "err", "fatal", "critical", "am",
        "pm",
    ];
    let is_mark = |letter: char| letter.is_ascii_punctuation() && !matches!(letter, '{' | '}' | '"');
    let is_level = |part: &str| LEVELS.iter().any(|level| part.eq_ignore_ascii_case(level));
    // `2026-01-31T12:00:00.5Z`, `[12:00:00,500]`, `INFO:`.
    let is_time = |part: &str| {
        part.trim_end_matches(['Z', 'z'])
            .split(['T', 't'])
            .all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    word.split(is_mark).all(|part| part.is_empty() || is_level(part) || is_time(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: STD-06.
    #[test]
    fn what_stands_before_an_answer_tells_whether_it_is_one() {
        let check = |before: &str, expected: [bool; 3]| {
            let line = format!(r#"{before}{{"jsonrpc":"2.0","id":3,"result":{{}}}}"#);
            let counts = [AnswerStyle::Handshake, AnswerStyle::Unknown, AnswerStyle::Clean]
                .map(|habit| message_start(line.as_bytes(), habit).unwrap())
                .map(|(start, counts)| {
                    assert!(!counts || start == before.len(), "{before:?}");
                    counts
                });
            assert_eq!(counts, expected, "{before:?}");
        };
        for nothing in
            ["", "\u{feff}", "\u{1b}[0m", "\u{1b}[?25h\u{1b}[2K\r", "\u{1b}]0;a title\u{7} ", "\t\0"]
        {
            check(nothing, [true, true, true]);
        }
        for logger in [
            "2026-01-31 12:00:00 INFO -> ",
            "2026-01-31T12:00:00.123Z [info] ",
            "\u{1b}[32mINFO\u{1b}[0m: ",
            "[12:00:00,500] <- ",
            "> ",
            "1738324800 ",
        ] {
            check(logger, [true, true, false]);
        }
        for words in
            ["Ready. ", "echo: ", "INFO fetched ", "Loading  50%\rLoading 100%\rReady. ", "DEBUG answer="]
        {
            check(words, [true, false, false]);
        }
        for json in ["{ready} ", "{\"page\":", "[\"", "INFO \"", "{} "] {
            check(json, [false, false, false]);
        }
    }

    #[test]
    fn a_line_without_the_mark_of_a_message_is_none() {
        assert_eq!(message_start(br#"{"id":3,"result":{}}"#, AnswerStyle::Handshake), None);
        assert_eq!(message_start(b"\"jsonrpc\" without an object", AnswerStyle::Handshake), None);
        assert_eq!(message_start(br#" {"id":3,"jsonrpc":"2.0"}"#, AnswerStyle::Clean), Some((1, true)));
    }
}
