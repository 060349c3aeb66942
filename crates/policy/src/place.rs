//! Paths in arguments, by their letters alone.

use std::path::{Component, Path, Prefix};

/// What stands between the parts of a path.
const SEPARATORS: &[char] = if cfg!(windows) { &['/', '\\'] } else { &['/'] };

/// Whether a text is an absolute path on a disk of this computer that goes nowhere else than it says: no share of a
/// network, and no step up.
pub(crate) fn is_place(text: &str) -> bool {
    let path = Path::new(text);
    let is_on_disk = match path.components().next() {
        Some(Component::Prefix(prefix)) => matches!(prefix.kind(), Prefix::Disk(_)),
        _ => true,
    };
    path.is_absolute() && is_on_disk && is_plain(text)
}

/// Whether a text may be meant as a path, whatever it leads to.
pub(crate) fn looks_like_path(text: &str) -> bool {
    text.contains(['/', '\\']) || text.starts_with(['~', '.'])
}

/// Whether a text names what lies in a folder, or the folder itself, by its letters: symbolic links are not looked at.
pub(crate) fn is_within(text: &str, folder: &str) -> bool {
    let rest = text.strip_prefix(folder.trim_end_matches(SEPARATORS));
    is_place(text) && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(SEPARATORS))
}

/// No step up, not even one that a server would find after decoding, and nothing that ends a text early.
fn is_plain(text: &str) -> bool {
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
