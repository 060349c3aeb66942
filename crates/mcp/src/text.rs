//! Text from servers, which can have any length.

/// Cuts `text` to at most `limit` bytes at the end of a character.
pub(crate) fn cut_text(text: &str, limit: usize) -> &str {
    text.get(..text.floor_char_boundary(limit)).unwrap_or(text)
}
