//! Messages on a stream of bytes, one per line. A line that is too long or not UTF-8 is reported and skipped.

use std::io;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// How many bytes of the beginning of an overlong line are returned.
const BEGINNING_BYTES: usize = 4 << 10;
/// How many bytes of the end of an overlong line are returned. Some apps write the id of a request there.
const END_BYTES: usize = 256;

/// A line of the stream.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// UTF-8 text, without the line feed.
    Text(String),
    /// A line that is longer than allowed.
    TooLong {
        /// The first bytes, up to 4 KiB.
        beginning: Vec<u8>,
        /// The last bytes, up to 256.
        end: Vec<u8>,
        /// The length of the whole line, in bytes.
        size: usize,
    },
    /// A line that isn't UTF-8.
    NoText(Vec<u8>),
}

/// The result of one read.
#[derive(Debug, PartialEq, Eq)]
pub struct Part {
    /// How many bytes were read, including the line feed.
    pub bytes: usize,
    /// The line that ended with these bytes.
    pub line: Option<Line>,
}

/// Reads lines of a bounded length.
#[derive(Debug)]
pub struct Lines<R> {
    from: BufReader<R>,
    max: usize,
    begun: Vec<u8>,
    /// How many bytes of an overlong line were read so far.
    too_long: Option<usize>,
    /// The last bytes of the overlong line so far.
    end: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Reads lines of at most `max` bytes.
    pub fn new(from: R, max: usize) -> Self {
        Self { from: BufReader::new(from), max, begun: Vec::new(), too_long: None, end: Vec::new() }
    }

    /// Returns the stream. Bytes that were read from it but not returned are lost.
    pub fn into_inner(self) -> R {
        self.from.into_inner()
    }

    /// Changes the longest allowed line to `max` bytes from now on.
    #[must_use]
    pub fn with_max(self, max: usize) -> Self {
        Self { max, ..self }
    }

    /// How many bytes of an unfinished line are in memory.
    pub fn begun(&self) -> usize {
        self.begun.len()
    }

    /// The next line, without its line feed. `None` at the end of the stream. Cancel safe.
    pub async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            match self.next_part().await? {
                Some(Part { line: None, .. }) => {}
                part => return Ok(part.and_then(|part| part.line)),
            }
        }
    }

    /// The next bytes, up to the end of a line. `None` at the end of the stream. Cancel safe.
    pub async fn next_part(&mut self) -> io::Result<Option<Part>> {
        let available = self.from.fill_buf().await?;
        if available.is_empty() {
            // Drop the bytes after the last line feed, because they are an incomplete message.
            return Ok(None);
        }
        let end = available.iter().position(|byte| *byte == b'\n');
        let part = available.get(..end.unwrap_or(available.len())).unwrap_or_default();
        let size = self.too_long.unwrap_or(self.begun.len()).saturating_add(part.len());
        if size > self.max {
            let before = if self.too_long.is_none() { &*self.begun } else { &[] };
            for part in [before, part] {
                self.end
                    .extend_from_slice(part.get(part.len().saturating_sub(END_BYTES)..).unwrap_or_default());
            }
            self.end.drain(..self.end.len().saturating_sub(END_BYTES));
            self.too_long = Some(size);
            self.begun.extend(part.iter().take(BEGINNING_BYTES.saturating_sub(self.begun.len())));
            self.begun.truncate(BEGINNING_BYTES);
            self.begun.shrink_to(BEGINNING_BYTES);
        } else {
            self.begun.extend_from_slice(part);
        }
        let bytes = part.len() + usize::from(end.is_some());
        self.from.consume(bytes);
        let line = end.is_some().then(|| self.take_line());
        Ok(Some(Part { bytes, line }))
    }

    fn take_line(&mut self) -> Line {
        let mut bytes = std::mem::take(&mut self.begun);
        if let Some(size) = self.too_long.take() {
            return Line::TooLong { beginning: bytes, end: std::mem::take(&mut self.end), size };
        }
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
        String::from_utf8(bytes).map_or_else(|error| Line::NoText(error.into_bytes()), Line::Text)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt as _;

    use super::*;

    #[tokio::test]
    async fn lines_that_are_too_long_or_no_text_are_passed_over() {
        let bytes = b"a\r\n\nfour\nfive!\n\xff\nb\nhalf".as_slice();
        let mut lines = Lines::new(bytes, 4);
        let text = |text: &str| Some(Line::Text(text.to_owned()));
        let (beginning, end) = (b"five!".to_vec(), b"five!".to_vec());
        let too_long = Some(Line::TooLong { beginning, end, size: 5 });
        for expected in
            [text("a"), text(""), text("four"), too_long, Some(Line::NoText(vec![0xff])), text("b"), None]
        {
            assert_eq!(lines.next().await.unwrap(), expected);
        }
    }

    #[tokio::test]
    async fn beginning_and_end_of_a_long_line_are_kept() {
        let line: Vec<u8> = (0..20_000_u32).map(|at| b'a' + u8::try_from(at % 26).unwrap()).collect();
        let bytes = [&line[..], b"\nb\n"].concat();
        // The result doesn't depend on how the bytes arrive.
        for size in [7, 300, 8_000] {
            let (mut to, from) = tokio::io::duplex(size);
            let mut lines = Lines::new(from, 10_000);
            let read = async { (lines.next().await.unwrap(), lines.next().await.unwrap()) };
            let (written, read) = tokio::join!(to.write_all(&bytes), read);
            written.unwrap();
            let (beginning, end) = (line[..BEGINNING_BYTES].to_vec(), line[20_000 - END_BYTES..].to_vec());
            let too_long = Line::TooLong { beginning, end, size: 20_000 };
            assert_eq!(read, (Some(too_long), Some(Line::Text("b".to_owned()))), "{size}");
        }
    }
}
