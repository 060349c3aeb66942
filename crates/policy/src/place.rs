//! Checks paths in arguments as text, without reading the disk.

use std::path::{Component, Path, Prefix};

/// Separators of a path's parts.
const SEPARATORS: &[char] = if cfg!(windows) { &['/', '\\'] } else { &['/'] };

/// Whether a text is an absolute path on a local disk. A network share or a path with `..` is not.
pub(crate) fn is_local_path(text: &str) -> bool {
    let path = Path::new(text);
    let is_on_disk = match path.components().next() {
        Some(Component::Prefix(prefix)) => matches!(prefix.kind(), Prefix::Disk(_)),
        _ => true,
    };
    path.is_absolute() && is_on_disk && is_plain_path(text)
}

/// Whether a text may be a path of any kind.
pub(crate) fn looks_like_path(text: &str) -> bool {
    text.contains(['/', '\\']) || text.starts_with(['~', '.'])
}

/// Whether a text is the path of a folder or of something in it. Compares text only and ignores symbolic
/// links.
pub(crate) fn is_within(text: &str, folder: &str) -> bool {
    let rest = text.strip_prefix(folder.trim_end_matches(SEPARATORS));
    is_local_path(text) && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(SEPARATORS))
}

/// Whether a path contains no `..`, not even after decoding, and no control character that could end the path
/// early.
fn is_plain_path(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    !text.split(['/', '\\']).any(|part| part == "..")
        && !["%2e", "%2f", "%5c"].iter().any(|escape| lower.contains(escape))
        && !text.contains(char::is_control)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_within_a_folder_by_its_letters() {
        for text in ["/a/notes", "/a/notes/", "/a/notes/x", "/a/notes/x/..y", "/a/notes//x", "/a/notes/./x"] {
            assert!(is_within(text, "/a/notes") && is_within(text, "/a/notes/"), "{text}");
        }
        for text in [
            "/a/notes2",
            "/a",
            "a/notes/x",
            "notes",
            "/a/notes/../x",
            "/a/notes/x/..",
            "/a/notes/..\\x",
            "/a/notes/%2e%2E/x",
            "/a/notes/..%2fx",
            "/a/notes/x\0",
            "file:///a/notes/x",
            "",
        ] {
            assert!(!is_within(text, "/a/notes"), "{text:?}");
        }
    }
}
