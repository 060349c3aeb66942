//! Messages on a stream of bytes: one a line. A line that is too long or no text is passed over, and its sender is told.

use std::io;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// What came.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    Text(String),
    TooLong,
    /// Not UTF-8.
    NoText,
}

/// Reads lines of a bounded length.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    from: BufReader<R>,
    max: usize,
    begun: Vec<u8>,
    is_too_long: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// `max`: the longest line, in bytes.
    pub(crate) fn new(from: R, max: usize) -> Self {
        Self { from: BufReader::new(from), max, begun: Vec::new(), is_too_long: false }
    }

    /// The stream. What was read of it already is lost.
    pub(crate) fn into_inner(self) -> R {
        self.from.into_inner()
    }

    /// The next line, without its end; none at the end of the stream. Nothing is lost when the future is dropped.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let available = self.from.fill_buf().await?;
            if available.is_empty() {
                // A line without an end is half a message.
                return Ok(None);
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let part = available.get(..end.unwrap_or(available.len())).unwrap_or_default();
            if self.begun.len() + part.len() > self.max {
                self.is_too_long = true;
                self.begun = Vec::new();
            }
            if !self.is_too_long {
                self.begun.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.from.consume(used);
            if end.is_some() {
                return Ok(Some(self.take()));
            }
        }
    }

    fn take(&mut self) -> Line {
        if std::mem::take(&mut self.is_too_long) {
            return Line::TooLong;
        }
        let mut bytes = std::mem::take(&mut self.begun);
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
        String::from_utf8(bytes).map_or(Line::NoText, Line::Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_that_are_too_long_or_no_text_are_passed_over() {
        let bytes = b"a\r\n\nfour\nfive!\n\xff\nb\nhalf".as_slice();
        let mut lines = Lines::new(bytes, 4);
        let text = |text: &str| Some(Line::Text(text.to_owned()));
        for expected in
            [text("a"), text(""), text("four"), Some(Line::TooLong), Some(Line::NoText), text("b"), None]
        {
            assert_eq!(lines.next().await.unwrap(), expected);
        }
    }
}
