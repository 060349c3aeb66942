//! Limits for the texts of a row.

use crate::record::LogRecord;

/// Maximum number of characters of the body in a row's preview.
const PREVIEW_CHARS: usize = 240;
/// Maximum number of characters of a name.
const MAX_NAME_CHARS: usize = 256;

/// The name cut to its limit. `None` if it is short enough.
pub fn clip_name(name: &str) -> Option<String> {
    // No name has more characters than bytes.
    if name.len() <= MAX_NAME_CHARS {
        return None;
    }
    let (end, _) = name.char_indices().nth(MAX_NAME_CHARS)?;
    let mut clipped = name.get(..end)?.to_owned();
    clipped.push('…');
    Some(clipped)
}

/// The offset at which the preview ends: after 240 characters, or at most 960 bytes.
pub fn preview_end(body: &[u8]) -> usize {
    let near = body.get(..body.len().min(PREVIEW_CHARS + 1)).unwrap_or_default();
    if near.is_ascii() {
        return near.len().min(PREVIEW_CHARS);
    }
    let most = PREVIEW_CHARS * 4;
    let mut chars = 0;
    for (index, byte) in body.iter().enumerate().take(most + 1) {
        if byte & 0b1100_0000 != 0b1000_0000 {
            if chars == PREVIEW_CHARS {
                return index;
            }
            chars += 1;
        }
    }
    body.len().min(most)
}

/// Cuts the names in a record to 256 characters, because a server may have chosen them.
pub fn clip(record: &mut LogRecord) {
    if let Some(clipped) = clip_name(&record.source) {
        record.source = clipped.into();
    }
    for name in [&mut record.method, &mut record.rpc_id, &mut record.subject, &mut record.app] {
        if let Some(clipped) = name.as_deref().and_then(clip_name) {
            *name = Some(clipped.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_ends_at_a_character_and_never_far_out() {
        let check = |body: &[u8], expect: usize| assert_eq!(preview_end(body), expect);
        check(b"", 0);
        check(b"short", 5);
        check(&[b'a'; 240], 240);
        check(&[b'a'; 241], 240);
        check("é".repeat(300).as_bytes(), 480);
        check("😀".repeat(240).as_bytes(), 960);
        check("😀".repeat(241).as_bytes(), 960);
        check(&[0x80; 5_000], 960);
    }

    #[test]
    fn a_long_name_is_clipped_at_a_character() {
        assert_eq!(clip_name(&"日".repeat(256)), None);
        assert_eq!(clip_name(&"日".repeat(257)), Some(format!("{}…", "日".repeat(256))));
    }
}
