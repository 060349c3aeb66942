//! What a server writes to standard error: told to the tap line by line, and its end kept for whoever asks why it
//! failed.

use std::collections::VecDeque;
use std::io;
use std::sync::{Mutex, PoisonError};

use bytes::{Bytes, BytesMut};
use memchr::memchr;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::ChildStderr;

use super::{READ, REPORT};
use crate::limits::LimitKind;
use crate::tap::{Direction, TapEvent, TapKind};
use crate::transport::sink::FrameSink;

/// The last lines that a server wrote to stderr.
#[derive(Debug, Default)]
pub(crate) struct StderrTail {
    lines: Mutex<(VecDeque<String>, usize)>,
}

impl StderrTail {
    fn push(&self, line: String, limit: usize) {
        let mut guard = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let (lines, bytes) = &mut *guard;
        *bytes += Self::cost(&line);
        lines.push_back(line);
        while *bytes > limit
            && let Some(oldest) = lines.pop_front()
        {
            *bytes -= Self::cost(&oldest);
        }
    }

    /// What a line takes, its own bookkeeping included: empty lines are not free.
    fn cost(line: &str) -> usize {
        line.len() + size_of::<String>()
    }

    /// The last `count` lines, oldest first.
    pub(crate) fn last(&self, count: usize) -> Vec<String> {
        let guard = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        guard.0.iter().skip(guard.0.len().saturating_sub(count)).cloned().collect()
    }
}

/// Reads what a server reports, no faster than what it says unasked.
pub(super) async fn read(mut stderr: ChildStderr, sink: &impl FrameSink, tail: &StderrTail) {
    let limit = sink.limits().stderr_line_bytes;
    let mut lines = LineReader::default();
    loop {
        while let Some(line) = lines.next(limit) {
            take_report(line, lines.cut, sink, tail).await;
            sink.throttle(0, REPORT).await;
        }
        match lines.read(&mut stderr).await {
            Ok(0) | Err(_) => break,
            Ok(bytes) => {
                sink.throttle(0, bytes).await;
            }
        }
    }
    if let Some(line) = lines.take_rest() {
        take_report(line, false, sink, tail).await;
    }
}

async fn take_report(line: Bytes, is_cut: bool, sink: &impl FrameSink, tail: &StderrTail) {
    if is_cut {
        sink.on_limit(LimitKind::StderrLine);
    }
    let text = String::from_utf8_lossy(&line).into_owned();
    tail.push(text, sink.limits().stderr_tail_bytes);
    sink.record(TapEvent::new(Direction::In, TapKind::Stderr, line)).await;
}

/// Lines of text of at most a given length; what a line has beyond it is left out.
#[derive(Default)]
struct LineReader {
    buffer: BytesMut,
    cutting: bool,
    /// The last line was longer than it may be.
    cut: bool,
}

impl LineReader {
    async fn read(&mut self, stream: &mut (impl AsyncRead + Unpin)) -> io::Result<usize> {
        self.buffer.reserve(READ);
        stream.read_buf(&mut self.buffer).await
    }

    /// The next line of what was read.
    fn next(&mut self, limit: usize) -> Option<Bytes> {
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

    /// The last line, when it has no end.
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
            found.extend(std::iter::from_fn(|| lines.next(limit)));
            if lines.read(&mut stream).await.unwrap() == 0 {
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
            tail.push(line.to_owned(), 2 * (4 + size_of::<String>()));
        }
        assert_eq!(tail.last(9), ["bbbb", "cccc"]);
        assert_eq!(tail.last(1), ["cccc"]);
    }
}
