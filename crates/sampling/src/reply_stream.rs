//! Splits a streamed answer into events or lines, however its bytes are divided into chunks.

use std::collections::VecDeque;
use std::pin::Pin;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt as _};
use mooring_mcp::EventStreamParser;
use mooring_models::{MAX_ANSWER_BYTES, ModelError};

/// Maximum number of bytes of an answer's stream, in which each piece of the answer is wrapped.
const MOST_STREAM: usize = 64 << 20;

type Chunks = Pin<Box<dyn Stream<Item = Option<Bytes>> + Send>>;

/// The events or lines of a streamed answer.
pub(crate) struct ReplyStream {
    /// `None` means that the connection was lost.
    chunks: Chunks,
    bytes: usize,
    form: StreamFormat,
    ready: VecDeque<String>,
}

enum StreamFormat {
    Events(Box<EventStreamParser>),
    Lines {
        buffer: BytesMut,
        /// Number of bytes that were already searched for a line end.
        seen: usize,
    },
}

impl ReplyStream {
    pub(crate) fn new(response: reqwest::Response, lines: bool) -> Self {
        let form = if lines {
            StreamFormat::Lines { buffer: BytesMut::new(), seen: 0 }
        } else {
            StreamFormat::Events(Box::new(EventStreamParser::new(MAX_ANSWER_BYTES)))
        };
        let chunks = Box::pin(response.bytes_stream().map(Result::ok));
        Self { chunks, bytes: 0, form, ready: VecDeque::new() }
    }

    /// The next event or line. `None` if the stream has ended. `idle` is the longest time without any byte;
    /// even a comment counts.
    pub(crate) async fn next_piece(&mut self, idle: Duration) -> Result<Option<String>, ModelError> {
        loop {
            if let Some(piece) = self.ready.pop_front() {
                return Ok(Some(piece));
            }
            let chunk =
                tokio::time::timeout(idle, self.chunks.next()).await.map_err(|_| ModelError::TimedOut)?;
            match chunk {
                Some(Some(chunk)) => {
                    self.bytes = self.bytes.saturating_add(chunk.len());
                    if self.bytes > MOST_STREAM {
                        return Err(ModelError::TooLong);
                    }
                    self.form.add_chunk(&chunk, &mut self.ready)?;
                }
                Some(None) => return Err(ModelError::Truncated),
                None => return self.form.take_last_line(),
            }
        }
    }
}

impl StreamFormat {
    fn add_chunk(&mut self, chunk: &[u8], ready: &mut VecDeque<String>) -> Result<(), ModelError> {
        match self {
            Self::Events(events) => {
                let mut found = Vec::new();
                events.feed(chunk, &mut found);
                for event in found {
                    if event.oversize.is_some() {
                        return Err(ModelError::TooLong);
                    }
                    ready.push_back(decode_utf8(&event.data)?);
                }
                if events.is_over() { Err(ModelError::TooLong) } else { Ok(()) }
            }
            Self::Lines { buffer, seen } => {
                buffer.extend_from_slice(chunk);
                while let Some(end) = memchr::memchr(b'\n', buffer.get(*seen..).unwrap_or_default()) {
                    let line = buffer.split_to(*seen + end + 1);
                    *seen = 0;
                    ready.push_back(decode_utf8(&line)?);
                }
                *seen = buffer.len();
                if buffer.len() > MAX_ANSWER_BYTES { Err(ModelError::TooLong) } else { Ok(()) }
            }
        }
    }

    /// The rest at the end of the stream. A last line without a line end is complete, a last event is not.
    fn take_last_line(&mut self) -> Result<Option<String>, ModelError> {
        match self {
            Self::Lines { buffer, seen } if !buffer.is_empty() => {
                *seen = 0;
                decode_utf8(&buffer.split()).map(Some)
            }
            _ => Ok(None),
        }
    }
}

fn decode_utf8(piece: &[u8]) -> Result<String, ModelError> {
    let text = std::str::from_utf8(piece).map_err(|error| ModelError::Malformed(error.to_string()))?;
    Ok(text.to_owned())
}
