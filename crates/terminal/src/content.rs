//! Shows servers' content to a person. Texts are shown in full, other content by its kind and size.

use base64::Engine as _;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use base64::{alphabet, engine::DecodePaddingMode};
use serde_json::Value;

use crate::output::{Output, TextStyle, escape, escape_line};
use crate::picture;

/// Base64 as servers write it, with padding or without.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Decodes base64. `None` if the text is no base64.
pub fn decode_base64(text: &str) -> Option<Vec<u8>> {
    if text.contains(['\n', '\r']) {
        return LENIENT.decode(text.replace(['\n', '\r'], "")).ok();
    }
    LENIENT.decode(text).ok()
}

/// Formats a size in bytes in a suitable unit.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    #[expect(clippy::cast_precision_loss, reason = "one decimal is shown")]
    let mut value = bytes as f64 / 1024.0;
    let mut unit = UNITS[0];
    for larger in &UNITS[1..] {
        if value < 1024.0 {
            break;
        }
        value /= 1024.0;
        unit = larger;
    }
    format!("{value:.1} {unit}")
}

/// Formats a content block of a tool's or prompt's result.
pub fn block_text(output: Output, block: &Value) -> String {
    let text = |name: &str| block.get(name).and_then(Value::as_str);
    let named = |words: String| output.tone(TextStyle::Accent, &escape_line(&words)).into_owned();
    match (text("type"), text("text")) {
        (Some("text"), Some(words)) => escape(words.trim_end_matches('\n')).into_owned(),
        (Some(what @ ("image" | "audio")), _) => {
            let kind = format!("{what}: {}", text("mimeType").unwrap_or("of an unknown type"));
            let data = text("data").map(decode_base64);
            let name = named(match &data {
                Some(Some(bytes)) => format!("[{kind}, {}]", size(bytes.len() as u64)),
                Some(None) => format!("[{kind}, not base64]"),
                None => format!("[{kind}, without data]"),
            });
            let picture = data.flatten().filter(|_| what == "image");
            match picture.and_then(|bytes| picture::encode_for_terminal(output, &bytes)) {
                Some(picture) => format!("{name}\n{picture}"),
                None => name,
            }
        }
        (Some("resource_link"), _) => named(format!(
            "[resource: {} {}]",
            text("name").unwrap_or_default(),
            text("uri").unwrap_or_default()
        )),
        (Some("resource"), _) => {
            let resource = block.get("resource").unwrap_or(&Value::Null);
            match resource.get("text").and_then(Value::as_str) {
                Some(words) => escape(words.trim_end_matches('\n')).into_owned(),
                None => named(format!(
                    "[resource: {}]",
                    resource.get("uri").and_then(Value::as_str).unwrap_or("without a URI")
                )),
            }
        }
        _ => escape(&block.to_string()).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_has_the_unit_that_suits_it() {
        let sizes = [0, 1023, 1024, 1536, 1_048_575, 5 << 20, 3 << 30, 2048 << 40].map(size);
        let expected =
            ["0 B", "1023 B", "1.0 KiB", "1.5 KiB", "1024.0 KiB", "5.0 MiB", "3.0 GiB", "2048.0 TiB"];
        assert_eq!(sizes, expected);
    }

    // Requirements: RES-02.
    #[test]
    fn base64_is_read_with_or_without_padding_and_in_lines() {
        for text in ["aGFyYm91cg==", "aGFyYm91cg", "aGFy\nYm91\r\ncg==\n"] {
            assert_eq!(decode_base64(text).as_deref(), Some(&b"harbour"[..]), "{text}");
        }
        assert_eq!(decode_base64("not base64!"), None);
    }

    #[test]
    fn an_image_has_the_size_that_it_is_decoded_to() {
        let named = |data: Value| {
            let block = serde_json::json!({ "type": "image", "mimeType": "image/png", "data": data });
            block_text(Output::new(true), &block)
        };
        for data in ["aGFyYm91cg==", "aGFyYm91cg", "aGFy\nYm91\r\ncg==\n"] {
            assert_eq!(named(data.into()), "[image: image/png, 7 B]", "{data}");
        }
        assert_eq!(named("not base64!".into()), "[image: image/png, not base64]");
        assert_eq!(named(Value::Null), "[image: image/png, without data]");
    }
}
