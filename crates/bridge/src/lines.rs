//! Messages on a stream of bytes: one a line. A line that is too long or no text is passed over, and its sender is told.

use std::io;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// What is kept of a line that is too long.
const BEGINNING_BYTES: usize = 4 << 10;

/// What came.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// Without its end.
    Text(String),
    /// Longer than a line may be.
    TooLong {
        /// What it begins with.
        beginning: Vec<u8>,
        /// The bytes of the whole line.
        size: usize,
    },
    /// Not UTF-8.
    NoText(Vec<u8>),
}

/// Reads lines of a bounded length.
#[derive(Debug)]
pub struct Lines<R> {
    from: BufReader<R>,
    max: usize,
    begun: Vec<u8>,
    /// The bytes of a line that is too long, as far as it was read.
    too_long: Option<usize>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// `max`: the longest line, in bytes.
    pub fn new(from: R, max: usize) -> Self {
        Self { from: BufReader::new(from), max, begun: Vec::new(), too_long: None }
    }

    /// The stream. What was read of it already is lost.
    pub fn into_inner(self) -> R {
        self.from.into_inner()
    }

    /// The next line, without its end; none at the end of the stream. Nothing is lost when the future is dropped.
    pub async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let available = self.from.fill_buf().await?;
            if available.is_empty() {
                // A line without an end is half a message.
                return Ok(None);
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let part = available.get(..end.unwrap_or(available.len())).unwrap_or_default();
            let size = self.too_long.unwrap_or(self.begun.len()).saturating_add(part.len());
            if size > self.max {
                self.too_long = Some(size);
                self.begun.extend(part.iter().take(BEGINNING_BYTES.saturating_sub(self.begun.len())));
                self.begun.truncate(BEGINNING_BYTES);
                self.begun.shrink_to(BEGINNING_BYTES);
            } else {
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
        let mut bytes = std::mem::take(&mut self.begun);
        if let Some(size) = self.too_long.take() {
            return Line::TooLong { beginning: bytes, size };
        }
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
        String::from_utf8(bytes).map_or_else(|error| Line::NoText(error.into_bytes()), Line::Text)
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
        let too_long = Some(Line::TooLong { beginning: b"five!".to_vec(), size: 5 });
        for expected in
            [text("a"), text(""), text("four"), too_long, Some(Line::NoText(vec![0xff])), text("b"), None]
        {
            assert_eq!(lines.next().await.unwrap(), expected);
        }
    }
}
