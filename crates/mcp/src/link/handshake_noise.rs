//! Output before the end of the handshake that is not a message, and the most likely reason for it.

use mooring_words::{Sentence, say};

use crate::frame::{self, FrameKind};
use crate::limits::Limits;

/// Output that is not a message.
#[derive(Debug, Default)]
pub(crate) struct HandshakeNoise {
    count: usize,
    /// The starts of the first lines.
    lines: Vec<String>,
    /// The lines since the last line that looks like the start of a message.
    joined: Vec<u8>,
    /// Whether these lines together are a message.
    is_spread: bool,
    /// The start of a line that has no end yet.
    unfinished: Vec<u8>,
    over: bool,
}

/// A summary of the output that came instead of messages.
pub(crate) struct NoiseSummary {
    /// The most likely reason.
    pub(crate) what: Sentence,
    /// The start of the output, from the server.
    pub(crate) excerpt: String,
}

impl HandshakeNoise {
    /// After this many lines the process is considered not to be an MCP server.
    const MAX_LINES: usize = 500;
    /// The most lines that are shown.
    const SHOWN: usize = 8;
    /// The most bytes of a message on several lines that are joined.
    const MOST_JOINED: usize = 64 * 1024;
    /// The most bytes of an unfinished line that are remembered.
    const MOST_UNFINISHED: usize = 400;

    /// Adds a line that begins with `excerpt`. Returns a summary once it is clear that no messages will come.
    pub(crate) fn add_line(&mut self, excerpt: String, line: &[u8], limits: &Limits) -> Option<NoiseSummary> {
        self.count += 1;
        if self.over {
            return None;
        }
        let has_headers = has_header(&excerpt);
        if self.lines.len() < Self::SHOWN {
            self.lines.push(excerpt);
        }
        if !line.first().is_some_and(u8::is_ascii_whitespace) && line.trim_ascii().first() == Some(&b'{') {
            self.joined.clear();
        }
        if self.joined.len() + line.len() <= Self::MOST_JOINED {
            self.joined.extend_from_slice(line);
            self.joined.push(b'\n');
            self.is_spread |= is_message(&self.joined, limits);
        }
        let is_hopeless = has_headers || self.is_spread || self.count >= Self::MAX_LINES;
        is_hopeless.then(|| self.summarize())
    }

    /// The problem if a request comes back during the handshake: such a server would also echo a response.
    pub(crate) fn describe_echo(&self, method: &str) -> Option<NoiseSummary> {
        let what = say!("it sends back what it receives");
        let is_ours = matches!(method, "server/discover" | "initialize") && !self.over;
        is_ours.then(|| NoiseSummary { what, excerpt: method.to_owned() })
    }

    /// Remembers the start of a line that has no end yet.
    pub(crate) fn add_partial_line(&mut self, line: &[u8]) {
        self.unfinished.clear();
        self.unfinished.extend_from_slice(line.get(..Self::MOST_UNFINISHED).unwrap_or(line));
    }

    /// Takes the start of the unfinished line. During the handshake, [`Self::end_handshake`] reports it.
    pub(crate) fn take_unfinished(&mut self) -> Option<String> {
        if !self.over {
            return None;
        }
        let line = std::mem::take(&mut self.unfinished);
        (!line.trim_ascii().is_empty()).then(|| String::from_utf8_lossy(&line).into_owned())
    }

    /// Ends the handshake. Returns a summary of the output before it, if there was any.
    pub(crate) fn end_handshake(&mut self) -> Option<NoiseSummary> {
        self.over = true;
        let nothing = self.lines.is_empty() && self.unfinished.trim_ascii().is_empty();
        let summary = (!nothing).then(|| self.summarize());
        (self.lines, self.joined) = (Vec::new(), Vec::new());
        summary
    }

    /// Whether the handshake has ended.
    pub(crate) fn is_over(&self) -> bool {
        self.over
    }

    fn summarize(&self) -> NoiseSummary {
        let unfinished = String::from_utf8_lossy(&self.unfinished);
        let lines = self.lines.iter().map(String::as_str);
        let shown: Vec<&str> =
            lines.chain(Some(&*unfinished).filter(|line| !line.trim().is_empty())).collect();
        NoiseSummary { what: self.likely_reason(&unfinished), excerpt: shown.join("\n") }
    }

    fn likely_reason(&self, unfinished: &str) -> Sentence {
        let any = |is: fn(&str) -> bool| self.lines.iter().map(String::as_str).chain([unfinished]).any(is);
        if any(has_header) {
            return say!(
                "it puts Content-Length headers before its messages, as language servers do; in MCP each message is one line"
            );
        }
        if any(|line| line.contains('\0')) {
            return say!("its output isn’t JSON-RPC; it looks like UTF-16, and messages are UTF-8");
        }
        if any(|line| {
            let line = line.trim_start().to_ascii_lowercase();
            line.starts_with("<!doctype") || line.starts_with("<html")
        }) {
            return say!("its output is a web page");
        }
        if any(|line| line.trim_start().to_ascii_lowercase().starts_with("usage:")) {
            return say!("it printed its usage; its arguments may be wrong or missing");
        }
        if self.is_spread || self.lines.iter().any(|line| matches!(line.trim(), "{" | "[")) {
            return say!("its messages span several lines; a message must be on one line");
        }
        if self.lines.is_empty() {
            return if unfinished.trim_start().starts_with('{') {
                say!("its message doesn’t end with a line break, which every message needs")
            } else {
                say!(
                    "it printed text without a line break and is waiting, as if for input at a terminal; pass what it needs in arguments or variables"
                )
            };
        }
        say!("its output isn’t JSON-RPC; anything but messages belongs on standard error")
    }
}

/// Whether a line is a header of another framing.
fn has_header(line: &str) -> bool {
    const NAME: &str = "content-length:";
    let is_number = |value: &str| !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    line.split_at_checked(NAME.len())
        .is_some_and(|(name, value)| name.eq_ignore_ascii_case(NAME) && is_number(value.trim()))
}

/// Whether these lines together are one message.
fn is_message(lines: &[u8], limits: &Limits) -> bool {
    let lines = lines.trim_ascii();
    match frame::inspect_frame(lines, limits) {
        Ok(FrameKind::Object(members)) => {
            members.jsonrpc.is_some() && members.id.or(members.method).is_some()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reported reason for these lines, and whether it is reported before the end.
    fn describe(lines: &[&str], unfinished: &str) -> (String, bool) {
        let mut garbage = HandshakeNoise::default();
        for line in lines {
            if let Some(told) = garbage.add_line((*line).to_owned(), line.as_bytes(), &Limits::default()) {
                return (told.what.to_string(), true);
            }
        }
        garbage.add_partial_line(unfinished.as_bytes());
        (garbage.end_handshake().unwrap().what.to_string(), false)
    }

    fn check(lines: &[&str], unfinished: &str, at_once: bool, words: &str) {
        let (what, early) = describe(lines, unfinished);
        assert!(what.contains(words), "{lines:?}: {what}");
        assert_eq!(early, at_once, "{lines:?}");
    }

    #[test]
    fn garbage_has_its_most_likely_reason() {
        check(&["Content-Length: 105"], "", true, "language servers");
        check(&[], "content-length: 7", false, "language servers");
        check(
            &["{", "  \"jsonrpc\": \"2.0\",", "  \"id\": 1,", "  \"result\": {}", "}"],
            "",
            true,
            "on one line",
        );
        check(&["{\"jsonrpc\": \"2.0\",", " \"id\": 1, \"result\": {}}"], "", true, "on one line");
        check(&["starting", "{"], "", false, "on one line");
        check(&["\u{fffd}\u{fffd}{\0\"\0"], "", false, "UTF-16");
        check(&["<!DOCTYPE html>"], "", false, "web page");
        check(&["Usage: buoy [OPTIONS]"], "", false, "arguments");
        check(&["Harbour 1.0 is ready"], "", false, "standard error");
        check(&[], "Harbour key: ", false, "at a terminal");
        check(&[], "{\"jsonrpc\":\"2.0\"}", false, "end with a line break");
        check(&["log"; 500], "", true, "standard error");
    }

    #[test]
    fn only_our_own_requests_before_the_end_are_an_echo() {
        let mut garbage = HandshakeNoise::default();
        assert!(
            garbage.describe_echo("server/discover").is_some()
                && garbage.describe_echo("initialize").is_some()
        );
        assert!(garbage.describe_echo("ping").is_none() && garbage.describe_echo("roots/list").is_none());
        garbage.end_handshake();
        assert!(garbage.describe_echo("initialize").is_none());
    }

    #[test]
    fn garbage_shows_its_first_lines_and_the_last_one() {
        let mut garbage = HandshakeNoise::default();
        for line in ["one", "two"] {
            assert!(garbage.add_line(line.to_owned(), line.as_bytes(), &Limits::default()).is_none());
        }
        garbage.add_partial_line(b"three");
        assert_eq!(garbage.end_handshake().unwrap().excerpt, "one\ntwo\nthree");
        assert_eq!(garbage.take_unfinished().as_deref(), Some("three"));
        assert_eq!(garbage.take_unfinished(), None);
        assert!(garbage.end_handshake().is_none());
    }
}
