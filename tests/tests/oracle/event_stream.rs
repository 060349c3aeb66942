//! Event streams. The SDK parses them with the crate `sse-stream`. The reference is the HTML Living Standard,
//! § 9.2.6 (Interpreting an event stream).

use std::convert::Infallible;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use mooring_mcp::properties::{ParsedStream, read_events};
use sse_stream::SseStream;

use crate::random::RandomSource;

const TEXTS: [&str; 14] = [
    "",
    " ",
    "  two spaces",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
    "a: b: c",
    ":",
    "data: x",
    "青岛 🚢",
    "\u{feff}",
    "\t",
    "\"\\n\"",
    "é",
    "\u{2028}",
    "0",
];
const NAMES: [&str; 4] = ["message", "endpoint", "", "ü"];
const IDS: [&str; 6] = ["1", "", "a b", "stream-7_0", "é漢", "nul\0"];
const ENDS: [&str; 3] = ["\n", "\r", "\r\n"];

/// A stream that both parsers can read: no event has duplicate or unknown fields.
fn random_stream(dice: &mut RandomSource) -> String {
    let mut text = String::new();
    if dice.below(3) == 0 {
        text.push('\u{feff}');
    }
    let mixed = dice.below(2) == 0;
    let usual = dice.pick(&ENDS);
    let end = |dice: &mut RandomSource, text: &mut String| {
        let end = if mixed { dice.pick(&ENDS) } else { usual };
        // After a carriage return, a line feed would belong to the same line end.
        text.push_str(if text.ends_with('\r') && end == "\n" { "\r\n" } else { end });
    };
    let events = dice.below(6);
    for number in 0..=events {
        let mut lines: Vec<String> = (0..dice.below(4)).map(|_| field(dice, "data", &TEXTS)).collect();
        if dice.below(3) == 0 {
            lines.push(field(dice, "event", &NAMES));
        }
        if dice.below(3) == 0 {
            lines.push(field(dice, "id", &IDS));
        }
        lines.extend((0..dice.below(3)).map(|_| field(dice, "", &TEXTS)));
        let finished = number < events;
        // Neither parser counts an unfinished event, except that `retry` applies at once.
        if finished && dice.below(4) == 0 {
            lines.push(format!("retry: {}", dice.below(9_000)));
        }
        while !lines.is_empty() {
            let line = lines.swap_remove(dice.below(lines.len()));
            text.push_str(&line);
            end(dice, &mut text);
        }
        if finished {
            end(dice, &mut text);
        } else {
            text.push_str(dice.pick(&["", "data: cut o", "id: 9", "ret", ":"]));
        }
    }
    text
}

fn field(dice: &mut RandomSource, name: &str, values: &[&str]) -> String {
    format!("{name}:{}{}", dice.pick(&["", " "]), dice.pick(values))
}

/// Splits the stream into pieces, some of them empty.
fn pieces<'a>(dice: &mut RandomSource, mut bytes: &'a [u8]) -> Vec<&'a [u8]> {
    let longest = dice.pick(&[1, 2, 7, 40, 4_000]);
    let mut pieces = Vec::new();
    while !bytes.is_empty() {
        let (piece, rest) = bytes.split_at((dice.below(longest + 1)).min(bytes.len()));
        pieces.push(piece);
        bytes = rest;
    }
    pieces
}

fn ours(pieces: &[&[u8]]) -> ParsedStream {
    read_events(pieces.iter().copied(), usize::MAX / 2)
}

/// Parses with the SDK, up to the first error.
fn theirs(pieces: &[&[u8]]) -> Result<ParsedStream, String> {
    let pieces: Vec<_> =
        pieces.iter().map(|piece| Ok::<_, Infallible>(Bytes::copy_from_slice(piece))).collect();
    let mut read = SseStream::from_bytes_stream(stream::iter(pieces));
    let mut events = ParsedStream { events: Vec::new(), last_id: None, retry: None, whole: true };
    while let Some(event) = read.next().now_or_never().unwrap() {
        let event = event.map_err(|error| error.to_string())?;
        // An empty id resets the last one, which is then not sent when the stream is resumed (§ 9.2.3).
        if let Some(id) = event.id {
            events.last_id = Some(id).filter(|id| !id.is_empty()).map(Bytes::from);
        }
        events.retry = event.retry.map(Duration::from_millis).or(events.retry);
        // Without data there is no event.
        if let Some(data) = event.data {
            events.events.push((event.event.unwrap_or_default(), data.into()));
        }
    }
    Ok(events)
}

// Requirements: SHS-10, SHS-11, SHS-12, SHS-22, SHL-13.
#[test]
fn well_formed_stream_reads_the_same_however_it_is_split() {
    let mut dice = RandomSource(0x0dd5_ea50_f5a1);
    let mut seen = 0;
    for _ in 0..20_000 {
        let text = random_stream(&mut dice);
        let pieces = pieces(&mut dice, text.as_bytes());
        let ours = ours(&pieces);
        assert_eq!(Ok(&ours), theirs(&pieces).as_ref(), "{text:?} in {pieces:?}");
        seen += ours.events.len();
    }
    assert!(seen > 20_000, "{seen}");
}

/// A stream, the rule of the standard that it tests, and the expected data, last id and retry time.
type Difference = (&'static [u8], &'static str, &'static [&'static str], Option<&'static str>, Option<u64>);

/// Streams on which the SDK is stricter or more lenient than the standard.
const DIFFERENCES: [Difference; 11] = [
    (b"data\n\n", "a line without a colon is a field with an empty value", &[""], None, None),
    (b"data: a\ndata\n\n", "the same", &["a\n"], None, None),
    (b"what: ever\ndata: x\n\n", "a field of another name is ignored", &["x"], None, None),
    (b" data: y\ndata: x\n\n", "a space is part of a name", &["x"], None, None),
    (b"event: a\nevent: b\ndata: x\n\n", "the last name counts", &["x"], None, None),
    (b"id: 1\nid: 2\ndata: x\n\n", "the last id counts", &["x"], Some("2"), None),
    (b"retry: 1\nretry: 2\n\n", "each wait counts", &[], None, Some(2)),
    (b"retry: soon\ndata: x\n\n", "a wait that is not of digits alone is ignored", &["x"], None, None),
    (b"retry: +5\ndata: x\n\n", "the same", &["x"], None, None),
    (b"retry:  5\ndata: x\n\n", "one space is taken off, no more", &["x"], None, None),
    (b"retry: 5\n", "a wait counts at once, without the end of an event", &[], None, Some(5)),
];

// Requirements: SHS-11, SHS-22.
#[test]
fn where_the_two_differ_ours_is_what_the_standard_says() {
    for (text, rule, data, last_id, retry) in DIFFERENCES {
        let ours = ours(&[text]);
        let read: Vec<_> = ours.events.iter().map(|(_, data)| str::from_utf8(data).unwrap()).collect();
        assert_eq!(read, data, "{rule}: {}", text.escape_ascii());
        assert_eq!(ours.last_id.as_deref(), last_id.map(str::as_bytes), "{rule}");
        assert_eq!(ours.retry, retry.map(Duration::from_millis), "{rule}");
        // If this fails, the SDK now matches the standard: move the line to the common streams.
        assert_ne!(theirs(&[text]).as_ref(), Ok(&ours), "{rule}: {}", text.escape_ascii());
    }
    assert_eq!(ours(&[b"event: a\nevent: b\ndata: x\n\n"]).events[0].0, "b");
}

// Requirements: SHS-22.
#[test]
fn bytes_that_are_no_utf_8_stay_as_they_came_and_end_no_stream() {
    // The standard replaces the bytes with U+FFFD. We leave that to the reader of the message, and so don't
    // lose the next event.
    let text = b"data: \xff\n\ndata: x\n\n";
    let data: Vec<Bytes> = ours(&[text]).events.into_iter().map(|(_, data)| data).collect();
    assert_eq!(data, [&b"\xff"[..], b"x"]);
    assert!(theirs(&[text]).is_err());
}
