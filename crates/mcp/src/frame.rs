//! Checks the bytes of a message before they are parsed.
//!
//! One pass without allocation finds the top-level members and counts values and depth, so that a message
//! that is too expensive is refused before parsing. The code that parses a member validates it.

use bytes::Bytes;
use memchr::{memchr2, memchr3};
use mooring_jsonrpc::{Broken, ContainerError, Span, decode_key, walk};
use mooring_words::{Sentence, say};

use crate::limits::Limits;

pub(crate) mod numbers;
pub(crate) mod truncated;

/// Why bytes are not a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrameError {
    /// More bytes than [`Limits::message_bytes`].
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// More values than [`Limits::nodes`].
    TooManyNodes {
        /// The limit in values.
        limit: usize,
    },
    /// Deeper than [`Limits::depth`].
    TooDeep {
        /// The limit in levels.
        limit: usize,
    },
    /// Not a JSON object or array, or cut short.
    NotJson {
        /// What is wrong, in words.
        reason: Sentence,
    },
}

impl FrameError {
    fn of(error: ContainerError, limits: &Limits) -> Self {
        let reason = match error {
            ContainerError::TooManyNodes => return Self::TooManyNodes { limit: limits.nodes },
            ContainerError::TooDeep => return Self::TooDeep { limit: limits.depth },
            ContainerError::Broken(Broken::OpenString) => say!("a string isn’t closed"),
            ContainerError::Broken(Broken::TextBehind) => say!("there is text after the message"),
            ContainerError::Broken(Broken::TooManyClosed) => say!("it closes more than it opens"),
            ContainerError::Broken(Broken::CutShort) => say!("it is cut short"),
        };
        Self::NotJson { reason }
    }

    /// The error as a sentence for people: lower case, no final period.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::TooLarge { limit } => {
                say!("the message is larger than the limit of {limit} bytes", limit = *limit)
            }
            Self::TooManyNodes { limit } => {
                say!("the message contains more than {limit} values", limit = *limit)
            }
            Self::TooDeep { limit } => {
                say!("the message is nested deeper than {limit} levels", limit = *limit)
            }
            Self::NotJson { reason } => say!("not a JSON message: {reason}", reason),
        }
    }
}

impl std::fmt::Display for FrameError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.sentence().fmt(f)
    }
}

impl std::error::Error for FrameError {}

/// The members of a JSON-RPC envelope, as ranges of the frame.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Envelope {
    pub(crate) jsonrpc: Option<Span>,
    pub(crate) id: Option<Span>,
    pub(crate) method: Option<Span>,
    pub(crate) params: Option<Span>,
    pub(crate) result: Option<Span>,
    pub(crate) error: Option<Span>,
    /// Whether a member of the envelope occurs twice. The last one counts.
    pub(crate) repeated: bool,
}

/// What [`inspect_frame`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FrameKind {
    /// One object.
    Object(Envelope),
    /// An array. In revision 2025-03-26 it is a batch.
    Array,
    /// An object or array with numbers that JSON lacks, to repair with [`numbers::replace_odd_numbers`].
    OddNumbers,
}

/// Strips a byte order mark and white space.
pub(crate) fn trim_frame(bytes: &Bytes) -> Bytes {
    let mut start = 0;
    let mut end = bytes.len();
    if bytes.starts_with(b"\xef\xbb\xbf") {
        start = 3;
    }
    while start < end && bytes.get(start).is_some_and(u8::is_ascii_whitespace) {
        start += 1;
    }
    while end > start && bytes.get(end - 1).is_some_and(u8::is_ascii_whitespace) {
        end -= 1;
    }
    bytes.slice(start..end)
}

/// Checks `bytes` (already trimmed) against `limits` and finds the members of the envelope.
pub(crate) fn inspect_frame(bytes: &[u8], limits: &Limits) -> Result<FrameKind, FrameError> {
    if bytes.len() > limits.message_bytes {
        return Err(FrameError::TooLarge { limit: limits.message_bytes });
    }
    match bytes.first() {
        Some(b'{') => {
            let mut members = Envelope::default();
            let odd = walk(bytes, limits.nodes, limits.depth, |key, value| {
                members.set_member(bytes.get(key).unwrap_or_default(), value);
            });
            let odd = odd.map_err(|error| FrameError::of(error, limits))?;
            Ok(if odd { FrameKind::OddNumbers } else { FrameKind::Object(members) })
        }
        Some(b'[') => {
            let odd = walk(bytes, limits.nodes, limits.depth, |_, _| {});
            let odd = odd.map_err(|error| FrameError::of(error, limits))?;
            Ok(if odd { FrameKind::OddNumbers } else { FrameKind::Array })
        }
        Some(_) => Err(FrameError::NotJson { reason: say!("it doesn’t start with { or [") }),
        None => Err(FrameError::NotJson { reason: say!("it is empty") }),
    }
}

impl Envelope {
    fn set_member(&mut self, key: &[u8], value: Span) {
        let decoded = decode_key(key);
        let slot = match decoded.as_deref().map_or(key, str::as_bytes) {
            b"jsonrpc" => &mut self.jsonrpc,
            b"id" => &mut self.id,
            b"method" => &mut self.method,
            b"params" => &mut self.params,
            b"result" => &mut self.result,
            b"error" => &mut self.error,
            _ => return,
        };
        self.repeated |= slot.is_some();
        *slot = Some(value);
    }
}

/// Whether a valid JSON container has at most `limit` values.
pub(crate) fn has_at_most(json: &str, limit: usize) -> bool {
    walk(json.as_bytes(), limit, usize::MAX, |_, _| {}).is_ok()
}

/// Finds the id of an oversized response while its bytes stream by.
///
/// It needs a few bytes of state for any size of message, so that an oversized response can fail its own
/// request at once. Requests of the server also have ids, which may equal this client's ids, so it also looks
/// for the members that distinguish responses. It doesn't wait for a second id at the end.
#[derive(Debug, Default)]
pub(crate) struct ResponseIdScanner {
    depth: usize,
    in_string: bool,
    escaped: bool,
    collecting: ScanPosition,
    text: Vec<u8>,
    is_id: bool,
    found: Option<Vec<u8>>,
    /// Set if there is a result or an error. The message is then a response, whatever follows.
    answers: bool,
    /// Set if there is a method.
    asks: bool,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum ScanPosition {
    #[default]
    Key,
    Colon,
    Value,
}

impl ResponseIdScanner {
    /// The longest id in bytes. Longer ids are ignored.
    const LONGEST: usize = 256;

    /// Processes bytes. Returns the id's JSON text once it is complete and known to belong to a response.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Option<&[u8]> {
        let mut rest = bytes;
        while !(self.answers && self.found.is_some()) {
            // Skip irrelevant bytes quickly, because there may be gigabytes.
            let useful = if self.depth == 0 && !self.in_string {
                memchr3(b'"', b'{', b'[', rest)
            } else if self.in_string && !self.escaped && !self.is_collecting() {
                memchr2(b'"', b'\\', rest)
            } else {
                Some(0)
            };
            let Some((&byte, after)) = useful.and_then(|useful| rest.get(useful..)?.split_first()) else {
                break;
            };
            self.process_byte(byte);
            rest = after;
        }
        self.found.as_deref().filter(|_| self.answers)
    }

    /// Returns the id's JSON text after the last bytes, if the message may be a response.
    pub(crate) fn finish(&self) -> Option<&[u8]> {
        self.found.as_deref().filter(|_| self.answers || !self.asks)
    }

    /// Whether the current string is a top-level key or the id.
    fn is_collecting(&self) -> bool {
        self.depth == 1 && (self.collecting == ScanPosition::Key || self.is_id)
    }

    fn process_byte(&mut self, byte: u8) {
        if self.in_string {
            let ends = byte == b'"' && !self.escaped;
            self.escaped = byte == b'\\' && !self.escaped;
            if self.is_collecting() && !ends {
                self.push_byte(byte);
            }
            if ends {
                self.in_string = false;
                if self.depth == 1 && self.collecting == ScanPosition::Key {
                    let decoded = decode_key(&self.text);
                    let key = decoded.as_deref().map_or(&*self.text, str::as_bytes);
                    self.is_id = key == b"id";
                    self.asks |= key == b"method";
                    self.answers |= key == b"result" || key == b"error";
                    self.text.clear();
                    self.collecting = ScanPosition::Colon;
                } else if self.depth == 1 && self.is_id {
                    self.push_byte(byte);
                }
            }
            return;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                if self.depth == 1 && self.is_id && self.collecting == ScanPosition::Value {
                    self.push_byte(byte);
                }
            }
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                if self.depth == 1 {
                    self.end_value();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 && self.collecting == ScanPosition::Colon => {
                self.collecting = ScanPosition::Value;
            }
            b',' if self.depth == 1 => self.end_value(),
            _ if byte.is_ascii_whitespace() => {}
            _ if self.depth == 1 && self.is_id && self.collecting == ScanPosition::Value => {
                self.push_byte(byte);
            }
            _ => {}
        }
    }

    fn push_byte(&mut self, byte: u8) {
        if self.text.len() < Self::LONGEST {
            self.text.push(byte);
        }
    }

    fn end_value(&mut self) {
        if self.is_id && !self.text.is_empty() {
            self.found = Some(std::mem::take(&mut self.text));
        }
        self.is_id = false;
        self.text.clear();
        self.collecting = ScanPosition::Key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(text: &str) -> Envelope {
        match inspect_frame(text.as_bytes(), &Limits::default()).unwrap() {
            FrameKind::Object(members) => members,
            other => panic!("{other:?}"),
        }
    }

    // Requirements: BASE-01, BASE-13.
    #[test]
    fn members_of_the_envelope_are_found_wherever_they_stand() {
        let text = r#"{ "result" : {"id":9,"a":["}"]} , "jsonrpc":"2.0","id": 7 }"#;
        let found = members(text);
        assert_eq!(&text[found.id.unwrap()], "7");
        assert_eq!(&text[found.result.unwrap()], r#"{"id":9,"a":["}"]}"#);
        assert_eq!(found.method, None);
        assert!(!found.repeated);
    }

    #[test]
    fn a_key_written_with_escapes_is_the_same_key() {
        let text = r#"{"\u0069d":3,"x\"y":1}"#;
        assert_eq!(&text[members(text).id.unwrap()], "3");
    }

    #[test]
    fn the_last_of_two_equal_members_counts_and_is_reported() {
        let text = r#"{"id":1,"id":2}"#;
        let found = members(text);
        assert!(found.repeated);
        assert_eq!(&text[found.id.unwrap()], "2");
    }

    #[test]
    fn depth_is_allowed_up_to_the_limit_and_refused_one_above() {
        let limits = Limits::default();
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(inspect_frame(nested(256).as_bytes(), &limits), Ok(FrameKind::Array));
        assert_eq!(inspect_frame(nested(257).as_bytes(), &limits), Err(FrameError::TooDeep { limit: 256 }));
    }

    #[test]
    fn values_are_counted_exactly_and_refused_one_above_the_limit() {
        let limits = Limits { nodes: 7, ..Limits::default() };
        // The object, its two members, the array's two elements, the empty object, its sibling.
        let text = r#"{"a":[1, 2],"b":{"c":{ },"d":0}}"#;
        assert!(inspect_frame(text.as_bytes(), &limits).is_ok());
        let more = r#"{"a":[1, 2],"b":{"c":{ },"d":0,"e":0}}"#;
        assert_eq!(inspect_frame(more.as_bytes(), &limits), Err(FrameError::TooManyNodes { limit: 7 }));
    }

    // Requirements: STD-07.
    #[test]
    fn size_is_allowed_up_to_the_limit_and_refused_one_above() {
        let limits = Limits { message_bytes: 20, ..Limits::default() };
        let text = |n: usize| format!("{{\"a\":\"{}\"}}", "x".repeat(n - 8));
        assert!(inspect_frame(text(20).as_bytes(), &limits).is_ok());
        assert_eq!(inspect_frame(text(21).as_bytes(), &limits), Err(FrameError::TooLarge { limit: 20 }));
    }

    // Requirements: STD-06.
    #[test]
    fn what_is_cut_short_or_followed_by_more_is_not_a_message() {
        for text in ["", "x", "{", r#"{"a":"b"#, "{}{}", "[1,2", "]", "{}}", "\"text\""] {
            assert!(
                matches!(inspect_frame(text.as_bytes(), &Limits::default()), Err(FrameError::NotJson { .. })),
                "{text}"
            );
        }
    }

    #[test]
    fn the_id_of_an_answer_that_passes_by_is_found_in_any_chunking() {
        // Known while the bytes pass, and known at the end.
        let cases: [(&str, Option<&str>, Option<&str>); 10] = [
            (r#"{"jsonrpc":"2.0","id":17,"result":{"id":1}}"#, Some("17"), Some("17")),
            (r#"{"result":{"id":1,"a":["{\"id\":2}"]},"id":"a\"b"}"#, Some(r#""a\"b""#), Some(r#""a\"b""#)),
            (r#"{"result":[1,2,{"id":3}] , "id" : 4 }"#, Some("4"), Some("4")),
            (r#"{"id":5,"error":{"method":"m"}}"#, Some("5"), Some("5")),
            (r#"{"method":"m","id":6,"error":{}}"#, Some("6"), Some("6")),
            (r#"{"jsonrpc":"2.0","id":7,"method":"m","params":{"result":{}}}"#, None, None),
            (r#"{"method":"m","params":{},"id":8}"#, None, None),
            (r#"{"x":"id","y":1}"#, None, None),
            (r#"{"id":null,"z":0}"#, None, Some("null")),
            (r#"[{"id":1,"result":{}}]"#, None, None),
        ];
        for (text, passing_by, at_the_end) in cases {
            for size in 1..=text.len() {
                let mut passing = ResponseIdScanner::default();
                let mut found = None;
                for chunk in text.as_bytes().chunks(size) {
                    found = passing.feed(chunk).map(<[u8]>::to_vec);
                }
                assert_eq!(found.as_deref(), passing_by.map(str::as_bytes), "{text} in chunks of {size}");
                assert_eq!(passing.finish(), at_the_end.map(str::as_bytes), "{text} in chunks of {size}");
            }
        }
    }
}
