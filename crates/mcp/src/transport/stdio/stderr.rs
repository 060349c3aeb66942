//! The server's stderr. Every line goes to the tap, and the last lines are kept for error messages.

use std::collections::VecDeque;
use std::io;
use std::sync::{Mutex, PoisonError};

use anstream::adapter::strip_str;
use bytes::{Bytes, BytesMut};
use memchr::memchr;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::ChildStderr;

use super::{QUOTED_LINES, READ, REPORT};
use crate::limits::LimitKind;
use crate::tap::{Direction, TapEvent, TapKind};
use crate::transport::sink::FrameSink;

/// The last lines of the server's stderr.
#[derive(Debug, Default)]
pub(crate) struct StderrTail {
    lines: Mutex<(VecDeque<String>, usize)>,
}

impl StderrTail {
    fn push_line(&self, line: String, limit: usize) {
        let mut guard = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let (lines, bytes) = &mut *guard;
        *bytes += Self::cost_of_line(&line);
        lines.push_back(line);
        while *bytes > limit
            && let Some(oldest) = lines.pop_front()
        {
            *bytes -= Self::cost_of_line(&oldest);
        }
    }

    /// The memory that a line takes. Empty lines also take memory.
    fn cost_of_line(line: &str) -> usize {
        line.len() + size_of::<String>()
    }

    /// The last `count` lines, oldest first.
    pub(crate) fn last_lines(&self, count: usize) -> Vec<String> {
        let guard = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        guard.0.iter().skip(guard.0.len().saturating_sub(count)).cloned().collect()
    }

    /// The last lines for an error message, and first the line with the actual error if that is older.
    pub(crate) fn error_lines(&self) -> Vec<String> {
        let mut last = self.last_lines(QUOTED_LINES);
        let guard = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(named) = named_error(guard.0.iter().map(String::as_str))
            && last.iter().all(|line| line != named)
        {
            last.insert(0, named.to_owned());
        }
        last
    }
}

/// The most informative line of a failed server's output: the last line that names an error, or else the
/// first line that mentions an error, or else the last line.
pub fn telling_line<'a>(lines: impl DoubleEndedIterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let speaks_of_one = |line: &&str| {
        let line = line.to_ascii_lowercase();
        ["error", "fatal", "panic", "exception"].iter().any(|word| line.contains(word))
    };
    named_error(lines.clone())
        .or_else(|| lines.clone().find(speaks_of_one))
        .or_else(|| lines.rev().find(|line| !line.trim().is_empty()))
        .map(str::trim)
}

/// The last line such as `Error: no key`.
fn named_error<'a>(lines: impl DoubleEndedIterator<Item = &'a str>) -> Option<&'a str> {
    let names_one = |line: &&str| {
        let line = line.to_ascii_lowercase();
        ["error:", "exception:", "fatal:", "panicked at"].iter().any(|name| line.contains(name))
    };
    lines.rev().find(names_one)
}

/// Reads stderr, no faster than unsolicited messages.
pub(super) async fn read_stderr(mut stderr: ChildStderr, sink: &impl FrameSink, tail: &StderrTail) {
    let limit = sink.limits().stderr_line_bytes;
    let mut lines = LineReader::default();
    loop {
        while let Some(line) = lines.next_line(limit) {
            handle_report(line, lines.cut, sink, tail).await;
            sink.throttle(0, REPORT).await;
        }
        match lines.fill_buffer(&mut stderr).await {
            Ok(0) | Err(_) => break,
            Ok(bytes) => {
                sink.throttle(0, bytes).await;
            }
        }
    }
    if let Some(line) = lines.take_rest() {
        handle_report(line, false, sink, tail).await;
    }
}

async fn handle_report(line: Bytes, is_cut: bool, sink: &impl FrameSink, tail: &StderrTail) {
    if is_cut {
        sink.on_limit(LimitKind::StderrLine);
    }
    // Colours are only for terminals.
    let text = strip_str(&String::from_utf8_lossy(&line)).to_string();
    tail.push_line(text, sink.limits().stderr_tail_bytes);
    sink.record(TapEvent::new(Direction::In, TapKind::Stderr, line)).await;
}

/// Splits text into lines, and cuts long lines.
#[derive(Default)]
struct LineReader {
    buffer: BytesMut,
    cutting: bool,
    /// Whether the last line was cut.
    cut: bool,
}

impl LineReader {
    async fn fill_buffer(&mut self, stream: &mut (impl AsyncRead + Unpin)) -> io::Result<usize> {
        self.buffer.reserve(READ);
        stream.read_buf(&mut self.buffer).await
    }

    /// Takes the next complete line from the buffer.
    fn next_line(&mut self, limit: usize) -> Option<Bytes> {
        self.cut = false;
        while let Some(end) = memchr(b'\n', &self.buffer) {
            let mut line = self.buffer.split_to(end + 1).freeze();
            line.truncate(end);
            if std::mem::take(&mut self.cutting) {
                continue;
            }
            if line.last() == Some(&b'\r') {
                line.truncate(end - 1);
            }
            self.cut = line.len() > limit;
            line.truncate(limit);
            return Some(line);
        }
        if self.buffer.len() > limit {
            let line = self.buffer.split_to(limit).freeze();
            self.buffer.clear();
            if !std::mem::replace(&mut self.cutting, true) {
                self.cut = true;
                return Some(line);
            }
        }
        None
    }

    /// Takes the unfinished last line.
    fn take_rest(&mut self) -> Option<Bytes> {
        let rest = std::mem::take(&mut self.buffer).freeze();
        (!rest.is_empty() && !self.cutting).then_some(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(text: &[u8], limit: usize) -> Vec<String> {
        let mut stream = text;
        let mut lines = LineReader::default();
        let mut found = Vec::new();
        loop {
            found.extend(std::iter::from_fn(|| lines.next_line(limit)));
            if lines.fill_buffer(&mut stream).await.unwrap() == 0 {
                break;
            }
        }
        found.extend(lines.take_rest());
        found.into_iter().map(|line| String::from_utf8(line.to_vec()).unwrap()).collect()
    }

    #[tokio::test]
    async fn lines_are_cut_above_the_limit_and_their_rest_is_left_out() {
        assert_eq!(lines(b"one\r\ntwo\n\nlast", 10).await, ["one", "two", "", "last"]);
        assert_eq!(lines(b"0123456789\nx\n", 10).await, ["0123456789", "x"]);
        assert_eq!(lines(b"0123456789abcdefghijklmno\nx\n", 10).await, ["0123456789", "x"]);
    }

    // Requirements: STD-05.
    #[test]
    fn the_tail_of_stderr_forgets_the_oldest_lines_first() {
        let tail = StderrTail::default();
        for line in ["aaaa", "bbbb", "cccc"] {
            tail.push_line(line.to_owned(), 2 * (4 + size_of::<String>()));
        }
        assert_eq!(tail.last_lines(9), ["bbbb", "cccc"]);
        assert_eq!(tail.last_lines(1), ["cccc"]);
    }

    #[test]
    fn the_line_that_says_what_went_wrong_is_found() {
        for (printed, expect) in [
            (&["a", "", " b ", ""][..], Some("b")),
            (&["Error: no key", "    at main (x.js:1)", "Node.js v22"][..], Some("Error: no key")),
            (
                &["Traceback", "ModuleNotFoundError: No module named 'x'", ""][..],
                Some("ModuleNotFoundError: No module named 'x'"),
            ),
            (
                &["npm error code E404", "npm error 404 Not Found", "npm error A complete log"][..],
                Some("npm error code E404"),
            ),
            (
                &["thread 'main' panicked at src/main.rs:1:1:", "no tide"][..],
                Some("thread 'main' panicked at src/main.rs:1:1:"),
            ),
            (&[][..], None),
        ] {
            assert_eq!(telling_line(printed.iter().copied()), expect);
        }
        let tail = StderrTail::default();
        tail.push_line("Error: no key".to_owned(), usize::MAX);
        for at in 0..2 * QUOTED_LINES {
            tail.push_line(format!("    at frame {at}"), usize::MAX);
        }
        let evidence = tail.error_lines();
        assert_eq!((evidence.len(), evidence[0].as_str()), (QUOTED_LINES + 1, "Error: no key"));
        assert_eq!(evidence.last().unwrap(), "    at frame 39");
    }
}
