//! Finds a message that follows other text on its line, and decides whether that text allows it to count.
//!
//! Programs write escape sequences, progress and loggers' prefixes to the line of their response. They also
//! print foreign text, such as a page that they fetched. Request ids are small numbers, so foreign text can
//! contain a fake response to a pending call. The text before the response decides:
//!
//! - Before the end of the handshake, any text without JSON is allowed: no foreign text was requested yet.
//! - After the handshake, only text that a terminal doesn't show is allowed: escape sequences and blanks. A
//!   program that prints foreign text after words of its own prints more.
//! - A logger's time and level are also allowed until the server has responded on a separate line since the
//!   handshake: all output of the server may go through its logger. Afterwards, the logger is known to write
//!   only other text.
//!
//! A response after any other text is doubtful. If no proper response arrives in time, the call fails with an
//! error that quotes the line. A server may always write such lines, so the call would wait in vain.
//!
//! Foreign text on a separate line can't be distinguished from the server's own messages.

use memchr::memmem;
use mooring_process::plain_text;
use mooring_words::{Sentence, say};

use crate::frame::FrameError;
use crate::text::cut_text;

/// How a server has responded so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerStyle {
    /// The handshake has not ended.
    Handshake,
    /// The server has not responded on a separate line since the handshake.
    Unknown,
    /// The server has responded on a separate line.
    Clean,
}

/// Finds where a message may begin after other text on its line. Also returns whether the text before the
/// message allows it to count. `None` if the line doesn't look like it contains a message.
pub(super) fn find_message_start(line: &[u8], habit: AnswerStyle) -> Option<(usize, bool)> {
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

/// The error of a request whose only response follows the text `before`.
pub(super) fn doubt_reason(before: &str) -> Sentence {
    say!(
        "what looks like its answer follows other text on its line and may come from another program: {quoted}",
        quoted = format!("{:?}", cut_text(before, 200))
    )
}

/// Describes a line that is not a message. `excerpt` is its start.
pub(super) fn describe_problem(line: &[u8], error: &FrameError, excerpt: &str) -> Sentence {
    let quoted = format!("{excerpt:?}");
    if memmem::find(line, b"{\"jsonrpc\"").is_some_and(|start| start > 0 && line.ends_with(b"}")) {
        return say!(
            "what looks like a message follows other text on its line, may come from another program, and was ignored: {quoted}",
            quoted
        );
    }
    say!("{what}: {quoted}", what = error.sentence(), quoted)
}

/// Whether a word is a time, a level or punctuation, as loggers write them before a message.
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
                .map(|habit| find_message_start(line.as_bytes(), habit).unwrap())
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
        assert_eq!(find_message_start(br#"{"id":3,"result":{}}"#, AnswerStyle::Handshake), None);
        assert_eq!(find_message_start(b"\"jsonrpc\" without an object", AnswerStyle::Handshake), None);
        assert_eq!(find_message_start(br#" {"id":3,"jsonrpc":"2.0"}"#, AnswerStyle::Clean), Some((1, true)));
    }
}
