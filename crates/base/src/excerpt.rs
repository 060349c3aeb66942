//! Shortens texts that a server sends while it works. The log has all of them; front ends only show the
//! start.

use serde_json::value::RawValue;

/// Maximum number of bytes of a name or a short message.
pub const MAX_TEXT_BYTES: usize = 1 << 10;
/// Maximum number of bytes of a log message's data.
const DATA: usize = 16 << 10;

/// Cuts the text to at most `most` bytes, plus `…` if something was cut.
pub fn truncate(mut text: String, most: usize) -> String {
    if text.len() > most {
        text.truncate(text.floor_char_boundary(most));
        text.push('…');
    }
    text
}

/// The first 40 characters of a text, for a message about it.
pub fn quote_start(text: &str) -> String {
    let start: String = text.chars().take(40).collect();
    if start.len() < text.len() { format!("{start}…") } else { start }
}

/// The JSON itself if it is short, otherwise a JSON text with its start and a note about what was cut.
pub fn truncate_json(raw: &RawValue) -> Box<RawValue> {
    if raw.get().len() <= DATA {
        return raw.to_owned();
    }
    // A string is cut by its own characters, anything else by its JSON.
    let text = serde_json::from_str::<String>(raw.get());
    let text = text.as_deref().unwrap_or(raw.get());
    let mut bytes = 0;
    let end = text.char_indices().find(|(_, character)| {
        bytes += escaped_len(*character);
        bytes > DATA
    });
    let head = text.get(..end.map_or(text.len(), |(end, _)| end)).unwrap_or_default();
    let cut = format!("{head}… [cut: {} bytes in all, the whole message is in the log]", raw.get().len());
    serde_json::value::to_raw_value(&cut).unwrap_or_default()
}

/// Bytes that a character takes in a JSON text.
fn escaped_len(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        other => other.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: String) -> Box<RawValue> {
        RawValue::from_string(json).unwrap()
    }

    #[test]
    fn what_is_short_stays_as_it_was_sent() {
        for json in ["null", r#"{ "a" : 1.0 }"#, r#""\ud83d""#] {
            assert_eq!(truncate_json(&raw(json.to_owned())).get(), json);
        }
        assert_eq!(truncate("日本".to_owned(), 6), "日本");
    }

    #[test]
    fn what_is_long_is_cut_at_a_character_and_says_so() {
        assert_eq!(truncate("日本".to_owned(), 5), "日…");
        let texts = ["x".repeat(4 << 20), "日".repeat(1 << 20), "\u{1}\"\\\n".repeat(1 << 18)];
        let jsons = texts.iter().map(|text| serde_json::Value::from(text.as_str()).to_string());
        let list = format!("[{}]", vec![r#""a\\""#; 10_000].join(","));
        // Half of a surrogate pair is valid JSON, but not a text.
        let half = format!(r#""\ud83d{}""#, "h".repeat(DATA));
        for json in jsons.chain([list, half]) {
            let length = json.len();
            let cut = truncate_json(&raw(json));
            assert!((DATA / 2..DATA + 100).contains(&cut.get().len()), "{}", cut.get().len());
            let text: String = serde_json::from_str(cut.get()).unwrap();
            assert!(
                text.ends_with(&format!("… [cut: {length} bytes in all, the whole message is in the log]"))
            );
        }
    }
}
