//! Turns the start of an oversized response into a result that can be shown.

use mooring_jsonrpc::{decode_key, string_end};

use crate::raw_json::RawJson;

/// The result in a response's first bytes, with open containers closed. `None` if it begins later.
pub(crate) fn truncated_result(head: &[u8]) -> Option<RawJson> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        // The head ends within a character.
        Err(error) => std::str::from_utf8(head.get(..error.valid_up_to())?).ok()?,
    };
    let mut whole = None;
    read_truncated(text, &mut whole).or(whole)
}

/// Reads the result that is cut off at the end of `text`. A complete earlier result is saved in `before`,
/// because the last of two members counts.
fn read_truncated(text: &str, before: &mut Option<RawJson>) -> Option<RawJson> {
    let bytes = text.as_bytes();
    let mut open: Vec<u8> = Vec::new();
    let mut expects_key = false;
    let mut is_result = false;
    let mut start = None;
    // All values before this offset are complete.
    let mut whole = 0;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if is_result && start.is_none() && !byte.is_ascii_whitespace() && byte != b':' {
            start = Some(at);
        }
        match byte {
            b'"' => {
                let Some(end) = string_end(bytes, at + 1) else {
                    let start = start?;
                    return if expects_key {
                        close_json(text.get(start..whole)?, None, &open)
                    } else {
                        close_json(text.get(start..at)?, Some(trim_partial_escape(text.get(at..)?)), &open)
                    };
                };
                if !expects_key {
                    whole = end + 1;
                } else if open.len() == 1 && start.is_none() {
                    let key = bytes.get(at + 1..end)?;
                    is_result = decode_key(key).as_deref().map_or(key, str::as_bytes) == b"result";
                }
                at = end;
            }
            b'{' | b'[' => {
                open.push(if byte == b'{' { b'}' } else { b']' });
                expects_key = byte == b'{';
                whole = at + 1;
            }
            b'}' | b']' => {
                if open.pop() != Some(byte) {
                    return None;
                }
                expects_key = false;
                whole = at + 1;
            }
            b',' => {
                // A number or word before the comma is also complete.
                whole = at;
                expects_key = open.last() == Some(&b'}');
            }
            b':' => expects_key = false,
            _ => {}
        }
        at += 1;
        // The result is complete. The oversized part follows the result.
        if let Some(from) = start
            && open.len() == 1
            && (whole == at || byte == b',')
        {
            *before = close_json(text.get(from..whole)?, None, &open);
            (start, is_result) = (None, false);
        }
    }
    close_json(text.get(start?..whole)?, None, &open)
}

/// An unfinished string without an incomplete escape at its end.
fn trim_partial_escape(string: &str) -> &str {
    let bytes = string.as_bytes();
    let mut at = 1;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr(b'\\', rest)) {
        let escape = at + found;
        let length = if bytes.get(escape + 1) == Some(&b'u') { 6 } else { 2 };
        if escape + length > bytes.len() {
            return string.get(..escape).unwrap_or_default();
        }
        at = escape + length;
    }
    string
}

/// Closes an unfinished `string` and the `open` containers. The first container is the message.
fn close_json(before: &str, string: Option<&str>, open: &[u8]) -> Option<RawJson> {
    let mut text = before.to_owned();
    if let Some(string) = string {
        text.push_str(string);
        text.push('"');
    }
    text.extend(open.iter().skip(1).rev().map(|closing| char::from(*closing)));
    RawJson::new(&text.into()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_a_result_is_json_wherever_it_is_cut() {
        let message = r#" {"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"Ebbe\né\u00fc"},{"n":[1,true]}],"isError":false}}"#;
        let from = message.find("{\"content").unwrap();
        for end in 0..=message.len() {
            let beginning = truncated_result(&message.as_bytes()[..end]);
            assert_eq!(beginning.is_some(), end > from, "{end}: {beginning:?}");
        }
        let check = |end: &str, expected: &str| {
            let end = message.find(end).unwrap();
            assert_eq!(truncated_result(&message.as_bytes()[..end]).unwrap().get(), expected);
        };
        check(r"\né", r#"{"content":[{"type":"text","text":"Ebbe"}]}"#);
        check(r"00fc", r#"{"content":[{"type":"text","text":"Ebbe\né"}]}"#);
        check(r"\u00fc", r#"{"content":[{"type":"text","text":"Ebbe\né"}]}"#);
        check("rue]", r#"{"content":[{"type":"text","text":"Ebbe\né\u00fc"},{"n":[1]}]}"#);
        check("Error", r#"{"content":[{"type":"text","text":"Ebbe\né\u00fc"},{"n":[1,true]}]}"#);
    }

    #[test]
    fn what_stands_behind_a_whole_result_is_left_out() {
        let beginning = truncated_result(br#"{"result":{"a":[1]},"more":"xxxx"#).unwrap();
        assert_eq!(beginning.get(), r#"{"a":[1]}"#);
        let late = truncated_result(br#"{"more":{"result":1},"result":"ab\"#).unwrap();
        assert_eq!(late.get(), r#""ab""#);
        let second = truncated_result(br#"{"result":7,"r\u0065sult":{"a":[2],"b":"xx"#).unwrap();
        assert_eq!(second.get(), r#"{"a":[2],"b":"xx"}"#);
        assert_eq!(truncated_result(br#"{"result":[1],"result":[2],"id"#).unwrap().get(), "[2]");
        assert!(truncated_result(br#"{"error":{"message":"x"#).is_none());
        assert!(truncated_result(b"xxxx").is_none());
    }
}
