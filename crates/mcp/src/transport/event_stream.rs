//! An incremental parser for event streams (`text/event-stream`, HTML Living Standard § 9.2.6).

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use memchr::memchr2;

use crate::frame::ResponseIdScanner;
use crate::message::read_own_id;
use crate::transport::OVERSIZE_HEAD;

/// One event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ServerSentEvent {
    /// The event's name. An empty name means `message`.
    pub name: String,
    /// The data lines, joined by line feeds. If the data exceeds the limit, only its start.
    pub data: Bytes,
    /// Set if the data exceeds the limit. The event is reported as soon as its request is known, or at its
    /// end. Later events are parsed normally.
    pub oversize: Option<Oversize>,
}

/// The start of a data line.
const DATA: &[u8] = b"data:";

/// An event whose data exceeds the limit and was skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Oversize {
    /// The bytes of data in all, or until the id was found.
    pub size: usize,
    /// The number of the request to which the event responds, if the number was found.
    pub id: Option<u64>,
}

/// An incomplete event whose data exceeds the limit.
#[derive(Debug, Default)]
struct OversizeEvent {
    head: BytesMut,
    size: usize,
    id: ResponseIdScanner,
    reported: bool,
}

impl OversizeEvent {
    /// Processes more data. Returns a request's number once the data shows that the event is its response.
    fn feed(&mut self, data: &[u8]) -> Option<u64> {
        self.size += data.len();
        let room = OVERSIZE_HEAD.saturating_sub(self.head.len());
        self.head.extend_from_slice(data.get(..room.min(data.len())).unwrap_or_default());
        self.id.feed(data).and_then(read_own_id)
    }

    fn to_event(&self, name: String, id: Option<u64>) -> ServerSentEvent {
        let oversize = Some(Oversize { size: self.size, id });
        ServerSentEvent { name, data: Bytes::copy_from_slice(&self.head), oversize }
    }
}

/// Parses chunks of a stream into events.
#[derive(Debug)]
pub struct EventStreamParser {
    limit: usize,
    buffer: BytesMut,
    scanned: usize,
    started: bool,
    skip_line_feed: bool,
    name: String,
    first: Option<Bytes>,
    joined: BytesMut,
    data_bytes: usize,
    passing: Option<Box<OversizeEvent>>,
    /// Set within a line that is too long to buffer. True for a data line.
    long_line: Option<bool>,
    id: Option<Bytes>,
    last_id: Option<Bytes>,
    retry: Option<Duration>,
    overhead: Overhead,
}

/// Parts of a stream that are not an event's data: comments, ids, events without data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Overhead {
    pub(crate) lines: usize,
    pub(crate) bytes: usize,
}

/// Lines besides data that are free for each event.
const LINES_OF_EVENT: usize = 8;
/// An empty chunk counts as this many bytes, because HTTP/2 allows endless empty frames.
const COST_OF_NOTHING: usize = 1024;
/// A data line counts as this many extra bytes, because many short lines cost as much as a few long ones.
const COST_OF_DATA_LINE: usize = 32;

impl EventStreamParser {
    /// A parser for events with at most `limit` bytes of data.
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
            passing: None,
            long_line: None,
            id: None,
            last_id: None,
            retry: None,
            overhead: Overhead::default(),
        }
    }

    /// Returns and resets the overhead since the last call.
    pub(crate) fn take_overhead(&mut self) -> Overhead {
        std::mem::take(&mut self.overhead)
    }

    /// The id of the last event, for resuming a broken stream. Events without data count.
    pub(crate) fn last_id(&self) -> Option<&Bytes> {
        self.last_id.as_ref()
    }

    /// Discards the unfinished event of a broken stream, but keeps the last id.
    pub(crate) fn restart(&mut self) {
        let fresh = Self::new(self.limit);
        let (last_id, retry) = (self.last_id.take(), self.retry);
        *self = Self { last_id, retry, ..fresh };
    }

    /// How long the server asks clients to wait before reconnecting.
    pub(crate) fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// Whether the current event exceeds the limit.
    pub fn is_over(&self) -> bool {
        self.passing.is_some()
    }

    /// The start of the current oversized event, and its size so far.
    pub(crate) fn oversize_head(&self) -> (&[u8], usize) {
        self.passing.as_ref().map_or((&[], 0), |passing| (&passing.head, passing.size))
    }

    /// Parses the next chunk and appends complete events to `events`.
    pub fn feed(&mut self, piece: &[u8], events: &mut Vec<ServerSentEvent>) {
        self.buffer.extend_from_slice(piece);
        if piece.is_empty() {
            self.overhead.bytes += COST_OF_NOTHING;
        }
        if !self.started {
            // The stream may begin with a byte order mark. Wait until that is known.
            if self.buffer.len() < 3 && b"\xef\xbb\xbf".starts_with(&self.buffer) {
                return;
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
            let found = memchr2(b'\n', b'\r', unseen).map(|found| self.scanned + found);
            if let Some(is_data) = self.long_line {
                let rest = self.buffer.split_to(found.unwrap_or(self.buffer.len()));
                self.scanned = 0;
                if is_data {
                    self.skip_data(&rest, events);
                } else {
                    self.overhead.bytes += rest.len();
                }
                if found.is_none() {
                    return;
                }
                self.skip_line_feed = self.buffer.split_to(1).as_ref() == b"\r";
                self.long_line = None;
                continue;
            }
            let Some(end) = found else {
                self.scanned = self.buffer.len();
                let before = if self.buffer.starts_with(DATA) { self.data_bytes } else { 0 };
                if before + self.buffer.len() > self.limit + DATA.len() + 1 {
                    let line = self.buffer.split();
                    self.scanned = 0;
                    let data = line.strip_prefix(DATA).map(|data| data.strip_prefix(b" ").unwrap_or(data));
                    self.long_line = Some(data.is_some());
                    match data {
                        Some(data) => self.skip_data_line(data, events),
                        None => self.overhead.bytes += line.len(),
                    }
                }
                return;
            };
            self.skip_line_feed = self.buffer.get(end) == Some(&b'\r');
            let line = self.buffer.split_to(end + 1).freeze().slice(..end);
            self.scanned = 0;
            self.handle_line(&line, events);
        }
    }

    /// Skips another data line of an oversized event.
    fn skip_data_line(&mut self, data: &[u8], events: &mut Vec<ServerSentEvent>) {
        if self.passing.is_none() {
            let (first, joined) = (self.first.take(), std::mem::take(&mut self.joined));
            self.data_bytes = self.limit.saturating_add(1);
            let line = if joined.is_empty() { first } else { Some(joined.freeze()) };
            self.passing = Some(Box::default());
            let Some(line) = line else { return self.skip_data(data, events) };
            self.skip_data(&line, events);
        }
        self.skip_data(b"\n", events);
        self.skip_data(data, events);
    }

    fn skip_data(&mut self, data: &[u8], events: &mut Vec<ServerSentEvent>) {
        let Some(passing) = &mut self.passing else { return };
        self.overhead.bytes += data.len();
        if let Some(id) = passing.feed(data)
            && !passing.reported
        {
            passing.reported = true;
            events.push(passing.to_event(self.name.clone(), Some(id)));
        }
    }

    fn handle_line(&mut self, line: &Bytes, events: &mut Vec<ServerSentEvent>) {
        if line.starts_with(DATA) {
            self.overhead.bytes += COST_OF_DATA_LINE;
        } else {
            self.overhead.lines += 1;
            self.overhead.bytes += line.len() + 1;
        }
        if line.is_empty() {
            if let Some(event) = self.end_event() {
                if !event.data.is_empty() {
                    self.overhead.lines = self.overhead.lines.saturating_sub(LINES_OF_EVENT);
                }
                events.push(event);
            }
            return;
        }
        if line.len() > self.limit + DATA.len() + 1 && !line.starts_with(DATA) {
            return;
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
                    return self.skip_data_line(&value, events);
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
            // The standard ignores an id with a NUL. An id that can't be a header's value is also ignored.
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
    }

    fn end_event(&mut self) -> Option<ServerSentEvent> {
        if let Some(id) = self.id.take() {
            // An empty id resets the last one.
            self.last_id = Some(id).filter(|id| !id.is_empty());
        }
        let name = std::mem::take(&mut self.name);
        if let Some(passing) = self.passing.take() {
            self.data_bytes = 0;
            let id = passing.id.finish().and_then(read_own_id);
            return (!passing.reported).then(|| passing.to_event(name, id));
        }
        let (first, joined) = (self.first.take()?, std::mem::take(&mut self.joined));
        self.data_bytes = 0;
        let data = if joined.is_empty() { first } else { joined.freeze() };
        Some(ServerSentEvent { name, data, oversize: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, size: usize) -> Vec<(String, String)> {
        let mut stream = EventStreamParser::new(1024);
        let mut events = Vec::new();
        for piece in text.as_bytes().chunks(size) {
            stream.feed(piece, &mut events);
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
    fn comments_unknown_fields_bom_and_empty_events_are_skipped() {
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
        let mut stream = EventStreamParser::new(100);
        stream.feed(b"id: 7\nretry: 250\ndata:\n\nid: 8\ndata: x\n\n", &mut Vec::new());
        assert_eq!(stream.last_id().map(|id| id.to_vec()), Some(b"8".to_vec()));
        assert_eq!(stream.retry(), Some(Duration::from_millis(250)));
        // Neither an unfinished event nor an id with a NUL changes the last id.
        stream.feed(b"id: a\0b\ndata: x\n\nretry: soon\nid: 9\n", &mut Vec::new());
        assert_eq!(stream.last_id().map(|id| id.to_vec()), Some(b"8".to_vec()));
        assert_eq!(stream.retry(), Some(Duration::from_millis(250)));
    }

    // Requirements: SHS-10, SHS-22.
    #[test]
    fn event_id_may_be_any_text_and_an_empty_one_resets_it() {
        let mut stream = EventStreamParser::new(100);
        stream.feed("id: é漢\nretry: +5\nretry:  6\ndata: x\n\n".as_bytes(), &mut Vec::new());
        assert_eq!(stream.last_id().map(|id| id.to_vec()), Some("é漢".as_bytes().to_vec()));
        assert_eq!(stream.retry(), None);
        stream.feed(b"data: y\n\n", &mut Vec::new());
        assert!(stream.last_id().is_some());
        stream.feed(b"id\n\n", &mut Vec::new());
        assert_eq!(stream.last_id(), None);
    }

    #[test]
    fn what_is_no_data_of_an_event_is_counted() {
        let mut stream = EventStreamParser::new(100);
        let mut overhead = |text: &str| {
            stream.feed(text.as_bytes(), &mut Vec::new());
            stream.take_overhead()
        };
        assert_eq!(overhead(": ping\n\n"), Overhead { lines: 2, bytes: 8 });
        assert_eq!(overhead("id: 7\n\n").lines, 2);
        // Each kind of line end, and a chunk without content.
        assert_eq!((overhead("\n\n\n").lines, overhead("\r\r\r").lines), (3, 3));
        assert_eq!(overhead("").bytes, COST_OF_NOTHING);
        // Lines of an event with data are not overhead.
        assert_eq!(overhead("event: message\nid: 8\ndata: {}\n\n").lines, 0);
        // A skipped line counts even before its end.
        let long = format!(":{}", "x".repeat(5000));
        assert_eq!(overhead(&long).lines + overhead(&long).bytes, 5001);
        let long = format!("\ndata: {}", "x".repeat(5000));
        assert!(overhead(&long).bytes >= 5000);
    }

    #[test]
    fn an_event_is_taken_up_to_the_limit_and_passed_over_one_above() {
        for size in [1, 3, 1000] {
            for (bytes, oversize) in [(10, None), (11, Some(Oversize { size: 11, id: None }))] {
                let text = format!("data: {}\nid: 700000\n\ndata: next\n\n", "x".repeat(bytes));
                let mut stream = EventStreamParser::new(10);
                let mut events = Vec::new();
                for piece in text.as_bytes().chunks(size) {
                    stream.feed(piece, &mut events);
                }
                let [one, next] = &events[..] else { panic!("{events:?}") };
                assert_eq!((one.oversize, one.data.len()), (oversize, bytes), "in pieces of {size}");
                assert_eq!((next.oversize, next.data.as_ref()), (None, &b"next"[..]));
                assert_eq!(stream.last_id().map(|id| id.to_vec()), Some(b"700000".to_vec()));
            }
        }
    }

    #[test]
    fn what_is_passed_over_takes_little_memory_and_moves_the_cursor() {
        let mut stream = EventStreamParser::new(1000);
        let mut events = Vec::new();
        stream.feed(b"id: 7\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"result\":\"", &mut events);
        for _ in 0..1000 {
            stream.feed(&[b'x'; 1000], &mut events);
            assert!(stream.buffer.capacity() < 100_000 && events.is_empty());
        }
        assert!(stream.is_over());
        // The id comes last, and the event is reported immediately.
        stream.feed(b"\",\"id\":12}", &mut events);
        let [event] = &events[..] else { panic!("{events:?}") };
        let size = "{\"jsonrpc\":\"2.0\",\n\"result\":\"\",\"id\":12}".len() + 1_000_000;
        assert_eq!(event.oversize, Some(Oversize { size, id: Some(12) }));
        assert!(
            event.data.starts_with(b"{\"jsonrpc\":\"2.0\",\n\"result\":\"x")
                && event.data.len() <= OVERSIZE_HEAD
        );
        assert_eq!(stream.last_id(), None);
        stream.feed(b"\n\ndata: y\n\n", &mut events);
        assert_eq!(events.len(), 2, "it is told once");
        assert_eq!(
            events[1],
            ServerSentEvent { data: Bytes::from_static(b"y"), ..ServerSentEvent::default() }
        );
        assert_eq!(stream.last_id().map(|id| id.to_vec()), Some(b"7".to_vec()));
        // Many data lines are one event. A long line of another kind is no event.
        events.clear();
        for _ in 0..2000 {
            stream.feed(b"data: z\n", &mut events);
        }
        stream.feed(&[b':'; 5000], &mut events);
        stream.feed(b"\n\n", &mut events);
        assert_eq!(
            events.iter().map(|event| event.oversize).collect::<Vec<_>>(),
            [Some(Oversize { size: 3999, id: None })]
        );
        stream.feed(&[b':'; 5000], &mut events);
        stream.feed(b"\r\ndata: small\r\n\r\n", &mut events);
        assert_eq!(events[1].data.as_ref(), b"small");
    }
}
