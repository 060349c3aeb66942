//! Splits a text at the placeholders whose meaning is documented, so that values can take their places.
//!
//! `${input:key}`, `${env:NAME}`, `${workspaceFolder}` and the like are [VS
//! Code's](https://code.visualstudio.com/docs/reference/variables-reference) and
//! [Cursor's](https://cursor.com/docs/context/mcp), `${NAME}` and `${NAME:-default}` are [Claude
//! Code's](https://code.claude.com/docs/en/mcp), `{env:NAME}` and `{file:path}` are
//! [`OpenCode`'s](https://opencode.ai/docs/config).

/// Words for the folder that an app works in.
const FOLDERS: [&str; 5] =
    ["workspaceFolder", "workspaceRoot", "fileWorkspaceFolder", "cwd", "CLAUDE_PROJECT_DIR"];

/// Maximum number of bytes of a placeholder.
const MAX_PLACEHOLDER_BYTES: usize = 1024;
/// Maximum number of placeholders within each other in a default.
const MAX_DEPTH: usize = 8;

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part<'a> {
    pub(super) kind: PartKind<'a>,
    /// The part as it is written.
    pub(super) written: &'a str,
}

/// What a part of a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PartKind<'a> {
    Text,
    /// A value of this name, with the default that is written with it.
    Value {
        key: &'a str,
        default: Option<&'a str>,
    },
    /// The content of a file. The path is its name.
    File(&'a str),
    /// The path of a folder that the person chooses.
    Folder(&'a str),
    /// The last part of the path of the folder.
    FolderName(&'a str),
    /// The person's home folder.
    Home,
    /// What separates the parts of a path.
    Separator,
}

impl<'a> PartKind<'a> {
    /// The name of the value that the person enters for it.
    pub(super) fn key(self) -> Option<&'a str> {
        match self {
            Self::Value { key, .. } | Self::File(key) | Self::Folder(key) | Self::FolderName(key) => {
                Some(key)
            }
            Self::Text | Self::Home | Self::Separator => None,
        }
    }
}

/// The parts of a text. Placeholders that are not documented belong to the text.
pub(super) fn split_parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let (mut rest, mut from) = (text, 0);
    while let Some(at) = rest.get(from..).and_then(|behind| behind.find(['$', '{'])).map(|at| from + at) {
        let (before, behind) = rest.split_at(at);
        if let Some(part) = read_placeholder(behind) {
            if !before.is_empty() {
                parts.push(Part { kind: PartKind::Text, written: before });
            }
            parts.push(part);
            (rest, from) = (&behind[part.written.len()..], 0);
        } else {
            // The braces of `${…}` are not a placeholder of their own.
            from = at + if behind.starts_with("${") { 2 } else { 1 };
        }
    }
    if !rest.is_empty() {
        parts.push(Part { kind: PartKind::Text, written: rest });
    }
    parts
}

/// The placeholder at the start of a text.
fn read_placeholder(text: &str) -> Option<Part<'_>> {
    let text = &text[..text.floor_char_boundary(MAX_PLACEHOLDER_BYTES)];
    let end = find_end(text)?;
    let written = text.get(..=end)?;
    let in_braces = |opening: &str| text.get(..end)?.strip_prefix(opening);
    let kind = if let Some(inside) = in_braces("${") {
        read_dollar(inside)?
    } else if let Some(name) = in_braces("{env:").filter(|name| is_name(name)) {
        PartKind::Value { key: name, default: None }
    } else {
        PartKind::File(in_braces("{file:").map(str::trim).filter(|path| !path.is_empty())?)
    };
    Some(Part { kind, written })
}

/// Where the placeholder at the start of a text ends. A default can contain others.
fn find_end(text: &str) -> Option<usize> {
    let first = text.find('}')?;
    let has_default = |it: &str| it.split_once(":-").is_some_and(|(name, _)| read_dollar(name).is_some());
    if !text[..first].strip_prefix("${").is_some_and(has_default) {
        return Some(first);
    }
    let mut depth = 0;
    for (at, sign) in text.match_indices(['{', '}']) {
        match sign {
            "}" if depth == 1 => return Some(at),
            "}" => depth -= 1,
            _ if !text[..at].ends_with('$') => {}
            _ if depth == MAX_DEPTH => break,
            _ => depth += 1,
        }
    }
    Some(first)
}

/// The meaning of what is in `${…}`.
fn read_dollar(inside: &str) -> Option<PartKind<'_>> {
    if let Some(key) = inside.strip_prefix("input:") {
        let key = key.trim();
        return (!key.is_empty()).then_some(PartKind::Value { key, default: None });
    }
    if inside == "workspaceFolderBasename" {
        return Some(PartKind::FolderName("workspaceFolder"));
    }
    match inside {
        "userHome" | "HOME" | "env:HOME" => return Some(PartKind::Home),
        "pathSeparator" | "/" => return Some(PartKind::Separator),
        _ => {}
    }
    let inside = inside.strip_prefix("env:").unwrap_or(inside);
    let (key, default) =
        inside.split_once(":-").map_or((inside, None), |(key, default)| (key, Some(default)));
    if FOLDERS.contains(&key) {
        return Some(PartKind::Folder(key));
    }
    is_name(key).then_some(PartKind::Value { key, default })
}

/// Whether a text can be a variable's name.
fn is_name(text: &str) -> bool {
    text.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_')
        && text.chars().all(|it| it.is_ascii_alphanumeric() || "_-.".contains(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text as it is, and what the placeholders are.
    fn shown(text: &str) -> Vec<String> {
        let show = |part: Part<'_>| match part.kind {
            PartKind::Text => part.written.to_owned(),
            PartKind::Value { key, default: Some(default) } => format!("value {key}={default}"),
            PartKind::Value { key, default: None } => format!("value {key}"),
            PartKind::File(key) => format!("file {key}"),
            PartKind::Folder(key) => format!("folder {key}"),
            PartKind::FolderName(key) => format!("name of {key}"),
            PartKind::Home => "home".to_owned(),
            PartKind::Separator => "separator".to_owned(),
        };
        split_parts(text).into_iter().map(show).collect()
    }

    #[test]
    fn documented_placeholders_are_split_from_the_text() {
        for (text, parts) in [
            ("Bearer ${input:my key}", &["Bearer ", "value my key"][..]),
            ("${env:A}${B}-${C:-d e}", &["value A", "value B", "-", "value C=d e"]),
            ("{env:KEY}é{file:~/.key}", &["value KEY", "é", "file ~/.key"]),
            ("${workspaceFolder}${/}a", &["folder workspaceFolder", "separator", "a"]),
            ("${CLAUDE_PROJECT_DIR:-.}/a", &["folder CLAUDE_PROJECT_DIR", "/a"]),
            ("${workspaceFolderBasename}.db", &["name of workspaceFolder", ".db"]),
            ("${userHome}/x", &["home", "/x"]),
            ("{\"a\": \"${B}\"}", &["{\"a\": \"", "value B", "\"}"]),
            ("${a ${B}", &["${a ", "value B"]),
            ("${A:-${B:-c}/d}e", &["value A=${B:-c}/d", "e"]),
            ("${A:-${B}", &["value A=${B"]),
            ("${A:-{}}", &["value A={", "}"]),
        ] {
            assert_eq!(shown(text), parts, "{text}");
        }
    }

    #[test]
    fn other_signs_belong_to_the_text() {
        for text in ["$A", "${", "${}", "${{ secrets.A }}", "${command:x}", "{a}", "${input:}", "{env:}", "$"]
        {
            assert_eq!(shown(text), [text], "{text}");
        }
        assert!(split_parts("").is_empty());
    }
}
