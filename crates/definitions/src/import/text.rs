//! Finds JSON in a pasted text, or recognizes another format.

use std::ops::Range;

use mooring_words::{Sentence, say};

/// The parts of a text to read: what stands between fences, or all of it from the first value on.
pub(super) fn json_ranges(text: &str) -> Vec<Range<usize>> {
    let fenced = fenced_ranges(text);
    if !fenced.is_empty() {
        return fenced;
    }
    let begins = |it: char| it.is_whitespace() || it == '\u{feff}';
    let at = text.len() - text.trim_start_matches(begins).len();
    let rest = text.get(at..).unwrap_or_default();
    // What begins with a name may be the members of an object whose braces were not copied along.
    let first = rest.lines().next().unwrap_or_default();
    let is_value = rest.starts_with(['{', '[', '"', '\'', '/', '#', '\u{201c}', '\u{201d}', '\u{ab}']);
    let is_member = first.split_once([':', '\u{ff1a}']).is_some_and(|(name, _)| is_name(name.trim()));
    let start = if is_value || is_member { at } else { find_object(text, at).unwrap_or(at) };
    std::iter::once(start..text.len()).collect()
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|it| it.is_alphanumeric() || matches!(it, '_' | '$' | '-' | '.'))
}

/// What stands between lines of three backticks or tildes and holds an object.
fn fenced_ranges(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<usize> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            match open.take() {
                Some(start) => found.push(start..at),
                None => open = Some(end),
            }
        }
        at = end;
    }
    // The last fence was not copied along.
    found.extend(open.map(|start| start..text.len()));
    found.retain(|part| text.get(part.clone()).is_some_and(|text| text.contains('{')));
    found
}

/// The first place from `from` on where an object begins: at the start of a line, or else anywhere.
pub(super) fn find_object(text: &str, from: usize) -> Option<usize> {
    let mut at = from;
    for line in text.get(from..)?.split_inclusive('\n') {
        let blank = line.len() - line.trim_start().len();
        if line.trim_start().starts_with('{') {
            return Some(at + blank);
        }
        at += line.len();
    }
    Some(from + text.get(from..)?.find('{')?)
}

/// What to do with a text that is of another format than JSON.
pub(super) fn describe_other_format(text: &str) -> Option<Sentence> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.starts_with("PK\u{3}\u{4}") {
        return Some(say!(
            "this is a bundle (.mcpb or .dxt), which can’t be read yet: unpack it and add the command that its manifest.json has under server.mcp_config"
        ));
    }
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let is_json = text.starts_with('{') || text.contains("```") || text.contains("~~~");
    if !is_json && lines.clone().any(is_toml_table) {
        return Some(say!(
            "this is TOML, as Codex has it, which can’t be read yet: add each server by its command or URL, or paste its JSON"
        ));
    }
    let first = lines.next().unwrap_or_default();
    if !is_json && !text.starts_with(['[', '"']) && is_yaml(text) {
        return Some(say!(
            "this is YAML, as Goose and Continue have it, which can’t be read yet: add each server by its command or URL, or paste its JSON"
        ));
    }
    if lines.next().is_some() || text.contains('{') {
        return None;
    }
    if first.starts_with("https://") || first.starts_with("http://") {
        return Some(say!("this is a URL and no JSON: add it as the URL of a remote server"));
    }
    let mut words = first.trim_start_matches(['$', '>', ' ']).split_whitespace();
    let program = words.next().unwrap_or_default();
    if is_name(program) && words.next().is_some() {
        return Some(say!("this is a command line and no JSON: add it as the command of a local server"));
    }
    None
}

/// `[table]` or `[[table]]`, and no list of JSON: a name stands in it.
fn is_toml_table(line: &str) -> bool {
    let line = line.split_once(" #").map_or(line, |(table, _)| table.trim_end());
    let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) else { return false };
    let name = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name).trim();
    let is_in = |it: char| it.is_alphanumeric() || "._-\"' /@:".contains(it);
    let is_quoted_alone = name.starts_with(['"', '\'']) && !name.contains('.');
    name.starts_with(|it: char| it.is_alphabetic() || matches!(it, '_' | '"' | '\''))
        && name.chars().all(is_in)
        && !is_quoted_alone
        && !matches!(name, "true" | "false" | "null")
}

/// Names that a colon follows at the end of a line, or lists of dashes under them.
fn is_yaml(text: &str) -> bool {
    let mut names = 0;
    for line in text.lines() {
        let line = line.split_once(" #").map_or(line, |(line, _)| line).trim();
        if line.is_empty() || line.starts_with('#') || line == "---" {
            continue;
        }
        let item = line.strip_prefix("- ").unwrap_or(line);
        if item.ends_with(['{', ',', '}', '"', ']']) && item.contains('{') {
            return false;
        }
        match item.split_once(':') {
            Some((name, rest))
                if is_name(name.trim_matches(['"', '\''])) && (rest.is_empty() || rest.starts_with(' ')) =>
            {
                names += 1;
            }
            _ if line.starts_with("- ") || line.starts_with('-') => {}
            _ => return false,
        }
    }
    names > 1
}
