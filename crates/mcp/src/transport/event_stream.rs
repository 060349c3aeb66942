//! The one parser of event streams (`text/event-stream`, HTML Living Standard § 9.2.6), fed piece by piece.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use memchr::memchr2;

/// One event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Event {
    /// The event's name; empty means `message`.
    pub name: String,
    /// The data lines, joined by line feeds.
    pub data: Bytes,
}

/// An event is larger than the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventTooLarge;

/// Turns pieces of a stream into events.
#[derive(Debug)]
pub struct EventStream {
    limit: usize,
    buffer: BytesMut,
    scanned: usize,
    started: bool,
    skip_line_feed: bool,
    name: String,
    first: Option<Bytes>,
    joined: BytesMut,
    data_bytes: usize,
    id: Option<Bytes>,
    last_id: Option<Bytes>,
    retry: Option<Duration>,
}

impl EventStream {
    /// A parser for events of at most `limit` bytes of data.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            buffer: BytesMut::new(),
            scanned: 0,
            started: false,
            skip_line_feed: false,
            name: String::new(),
            first: None,
            joined: BytesMut::new(),
            data_bytes: 0,
            id: None,
            last_id: None,
            retry: None,
        }
    }

    /// The id of the last event, with which a broken stream can be resumed. Events without data count.
    pub(crate) fn last_id(&self) -> Option<&Bytes> {
        self.last_id.as_ref()
    }

    /// Forgets what is unfinished, because the stream broke; the cursor stays.
    pub(crate) fn restart(&mut self) {
        let fresh = Self::new(self.limit);
        let (last_id, retry) = (self.last_id.take(), self.retry);
        *self = Self { last_id, retry, ..fresh };
    }

    /// How long the server wants us to wait before we connect again.
    pub(crate) fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// Takes the next piece and hands complete events to `events`.
    pub fn feed(&mut self, piece: &[u8], events: &mut Vec<Event>) -> Result<(), EventTooLarge> {
        self.buffer.extend_from_slice(piece);
        if !self.started {
            // A byte order mark may open the stream; wait until it can be told.
            if self.buffer.len() < 3 && b"\xef\xbb\xbf".starts_with(&self.buffer) {
                return Ok(());
            }
            self.started = true;
            if self.buffer.starts_with(b"\xef\xbb\xbf") {
                drop(self.buffer.split_to(3));
            }
        }
        loop {
            if self.skip_line_feed && !self.buffer.is_empty() {
                if self.buffer.first() == Some(&b'\n') {
                    drop(self.buffer.split_to(1));
                    self.scanned = 0;
                }
                self.skip_line_feed = false;
            }
            let unseen = self.buffer.get(self.scanned..).unwrap_or_default();
            let Some(found) = memchr2(b'\n', b'\r', unseen) else {
                self.scanned = self.buffer.len();
                if self.data_bytes + self.buffer.len() > self.limit + "data: ".len() {
                    return Err(EventTooLarge);
                }
                return Ok(());
            };
            let end = self.scanned + found;
            self.skip_line_feed = self.buffer.get(end) == Some(&b'\r');
            let line = self.buffer.split_to(end + 1).freeze().slice(..end);
            self.scanned = 0;
            if let Some(event) = self.line(&line)? {
                events.push(event);
            }
        }
    }

    fn line(&mut self, line: &Bytes) -> Result<Option<Event>, EventTooLarge> {
        if line.is_empty() {
            return Ok(self.dispatch());
        }
        let colon = line.iter().position(|&byte| byte == b':').unwrap_or(line.len());
        let field = line.slice(..colon);
        let mut value = line.slice((colon + 1).min(line.len())..);
        if value.first() == Some(&b' ') {
            value = value.slice(1..);
        }
        match field.as_ref() {
            b"data" => {
                self.data_bytes += value.len() + usize::from(self.first.is_some());
                if self.data_bytes > self.limit {
                    return Err(EventTooLarge);
                }
                match &self.first {
                    None => self.first = Some(value),
                    Some(first) => {
                        if self.joined.is_empty() {
                            self.joined.extend_from_slice(first);
                        }
                        self.joined.extend_from_slice(b"\n");
                        self.joined.extend_from_slice(&value);
                    }
                }
            }
            // An id with a NUL is ignored by the standard; one that no header can carry is of no use.
            b"id" if value.iter().all(|&byte| byte == b'\t' || (byte >= 0x20 && byte != 0x7f)) => {
                self.id = Some(value);
            }
            b"retry" if value.iter().all(u8::is_ascii_digit) => {
                let milliseconds = std::str::from_utf8(&value).ok().and_then(|text| text.parse().ok());
                self.retry = milliseconds.map(Duration::from_millis).or(self.retry);
            }
            b"event" => self.name = String::from_utf8_lossy(&value).into_owned(),
            _ => {}
        }
        Ok(None)
    }

    fn dispatch(&mut self) -> Option<Event> {
        if let Some(id) = self.id.take() {
            // An empty one takes back what was there.
            self.last_id = Some(id).filter(|id| !id.is_empty());
        }
        let name = std::mem::take(&mut self.name);
        let (first, joined) = (self.first.take()?, std::mem::take(&mut self.joined));
        self.data_bytes = 0;
        let data = if joined.is_empty() { first } else { joined.freeze() };
        Some(Event { name, data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, size: usize) -> Vec<(String, String)> {
        let mut stream = EventStream::new(1024);
        let mut events = Vec::new();
        for piece in text.as_bytes().chunks(size) {
            stream.feed(piece, &mut events).unwrap();
        }
        events
            .into_iter()
            .map(|event| (event.name, String::from_utf8(event.data.to_vec()).unwrap()))
            .collect()
    }

    fn check(text: &str, expected: &[(&str, &str)]) {
        for size in 1..=text.len() {
            let read = read(text, size);
            let read: Vec<_> = read.iter().map(|(name, data)| (name.as_str(), data.as_str())).collect();
            assert_eq!(read, expected, "{text:?} in pieces of {size}");
        }
    }

    // Requirements: SHS-22.
    #[test]
    fn events_are_read_with_every_kind_of_line_end_in_any_chunking() {
        for end in ["\n", "\r", "\r\n"] {
            let text = format!(
                "event: message{end}id: 1{end}data: {{\"a\":{end}data: 1}}{end}{end}data:x{end}{end}"
            );
            check(&text, &[("message", "{\"a\":\n1}"), ("", "x")]);
        }
    }

    // Requirements: SHS-22, SHL-13.
    #[test]
    fn comments_unknown_fields_a_byte_order_mark_and_empty_events_are_passed_over() {
        check("\u{feff}: hello\n\nretry: 5\nwhat: ever\n\nid: 7\n\ndata: é漢\n\n", &[("", "é漢")]);
    }

    // Requirements: SHS-12, SHS-22.
    #[test]
    fn an_empty_data_line_is_an_event_without_text() {
        check("id: prime\ndata:\n\n", &[("", "")]);
    }

    // Requirements: SHS-22.
    #[test]
    fn an_event_that_is_not_finished_is_not_dispatched() {
        check("data: x\n", &[]);
    }

    // Requirements: SHS-10, SHS-11, SHS-22.
    #[test]
    fn the_last_id_and_the_wait_before_a_reconnect_are_remembered() {
        let mut stream = EventStream::new(100);
        stream.feed(b"id: 7\nretry: 250\ndata:\n\nid: 8\ndata: x\n\n", &mut Vec::new()).unwrap();
        assert_eq!(stream.last_id().map(|id| id.to_vec()), Some(b"8".to_vec()));
        assert_eq!(stream.retry(), Some(Duration::from_millis(250)));
        // Neither an event that is not finished nor an id with a NUL moves the cursor.
        stream.feed(b"id: a\0b\ndata: x\n\nretry: soon\nid: 9\n", &mut Vec::new()).unwrap();
        assert_eq!(stream.last_id().map(|id| id.to_vec()), Some(b"8".to_vec()));
        assert_eq!(stream.retry(), Some(Duration::from_millis(250)));
    }

    // Requirements: SHS-10, SHS-22.
    #[test]
    fn an_id_may_be_any_text_and_an_empty_one_takes_the_last_one_back() {
        let mut stream = EventStream::new(100);
        stream.feed("id: é漢\nretry: +5\nretry:  6\ndata: x\n\n".as_bytes(), &mut Vec::new()).unwrap();
        assert_eq!(stream.last_id().map(|id| id.to_vec()), Some("é漢".as_bytes().to_vec()));
        assert_eq!(stream.retry(), None);
        stream.feed(b"data: y\n\n", &mut Vec::new()).unwrap();
        assert!(stream.last_id().is_some());
        stream.feed(b"id\n\n", &mut Vec::new()).unwrap();
        assert_eq!(stream.last_id(), None);
    }

    #[test]
    fn an_event_is_taken_up_to_the_limit_and_refused_one_above() {
        let feed = |n: usize| {
            EventStream::new(10).feed(format!("data: {}\n\n", "x".repeat(n)).as_bytes(), &mut Vec::new())
        };
        assert_eq!(feed(10), Ok(()));
        assert_eq!(feed(11), Err(EventTooLarge));
        let endless = EventStream::new(10).feed(&[b'x'; 64], &mut Vec::new());
        assert_eq!(endless, Err(EventTooLarge));
    }
}
