//! Finds the configurations in a pasted text, and detects whether they are JSON, TOML or YAML.

use std::ops::Range;

use mooring_words::{Sentence, say};

use super::jsonc::find_object;
use super::node::{Mistake, ParsedText};
use super::sections::candidates;
use super::{add_command, jsonc, links, one_line, server_json, toml, yaml};

/// A format of configurations other than JSON.
enum Format {
    Toml,
    Yaml,
}

/// Parses a pasted text: the fenced parts, or all of it. If it has no servers, it may have shell commands
/// that add some.
pub(super) fn parse(text: &str) -> ParsedText {
    // The JSON in such a command is only a part of it.
    let first = text.trim_start().lines().next().unwrap_or_default();
    if first.contains(" mcp add-json ")
        && let Some(parsed) = parse_words(text)
    {
        return parsed;
    }
    let mut parsed = ParsedText::default();
    let mut parts = fenced_parts(text);
    if parts.is_empty() {
        parts.push((None, 0..text.len()));
    }
    for (format, part) in parts {
        let ParsedText { roots, mistakes, remarks, read_as, .. } = parse_part(text, &part, format);
        parsed.roots.extend(roots);
        parsed.mistakes.extend(mistakes);
        parsed.remarks.extend(remarks);
        parsed.read_as = parsed.read_as.or(read_as);
    }
    for root in &mut parsed.roots {
        // A file of a project can have packages of its own beside servers.
        let is_configuration = !candidates(std::slice::from_ref(root)).is_empty();
        let Some(listed) =
            server_json::read(root).filter(|_| !is_configuration || root.member("mcpServers").is_none())
        else {
            continue;
        };
        if candidates(std::slice::from_ref(&listed.root)).is_empty() {
            let message = say!("no package or remote of this registry entry can be used here");
            parsed.mistakes.push(Mistake { at: root.start, message });
        }
        *root = listed.root;
        parsed.alternatives.extend(listed.alternatives);
        parsed.read_as = Some(listed.read_as);
    }
    parsed.mistakes.sort_by_key(|mistake| mistake.at);
    if candidates(&parsed.roots).is_empty() { parse_words(text).unwrap_or(parsed) } else { parsed }
}

/// Parses a text that is no configuration: commands that add servers, links, or one line.
fn parse_words(text: &str) -> Option<ParsedText> {
    let roots = add_command::parse(text);
    if !roots.is_empty() {
        let read_as = Some(say!("a command that adds a server to an app"));
        return Some(ParsedText { roots, read_as, ..ParsedText::default() });
    }
    let links = links::parse(text);
    if !links.roots.is_empty() || !links.mistakes.is_empty() {
        return Some(links);
    }
    let (root, read_as) = one_line::parse(text)?;
    Some(ParsedText { roots: vec![root], read_as: Some(read_as), ..ParsedText::default() })
}

/// Parses one part. `format` is the format that a fence names. Valid JSON with servers is always read as
/// JSON.
fn parse_part(text: &str, part: &Range<usize>, format: Option<Format>) -> ParsedText {
    let inside = text.get(part.clone()).unwrap_or_default();
    let mut json = jsonc::parse_range(text, &(part.start + json_start(inside)..part.end));
    json.read_as = Some(say!("a configuration in {format}", format = "JSON"));
    if json.mistakes.is_empty() && !candidates(&json.roots).is_empty() {
        return json;
    }
    let Some((start, format)) = format.map(|format| (0, format)).or_else(|| find_format(inside)) else {
        return json;
    };
    // A byte order mark is not part of a line.
    let inside = inside[start..].trim_start_matches('\u{feff}');
    let start = part.end - inside.len();
    let rest = start..start + prose_start(inside);
    let (parsed, name) = match format {
        Format::Toml => (toml::parse_range(text, &rest), "TOML"),
        Format::Yaml => (yaml::parse_range(text, &rest), "YAML"),
    };
    ParsedText { read_as: Some(say!("a configuration in {format}", format = name)), ..parsed }
}

/// Detects the format of a text that is not JSON, and where it begins.
fn find_format(text: &str) -> Option<(usize, Format)> {
    let toml = find_toml(text).map(|start| (start, Format::Toml));
    toml.or_else(|| find_yaml(text).map(|start| (start, Format::Yaml)))
}

/// Whether a line is prose around a configuration rather than part of it.
fn is_prose(line: &str) -> bool {
    line.starts_with(char::is_alphabetic) && !line.contains(['=', ':', '"'])
}

/// Where the trailing paragraphs of prose begin.
fn prose_start(text: &str) -> usize {
    let (mut end, mut at) = (text.len(), text.len());
    for line in text.split_inclusive('\n').rev() {
        at -= line.len();
        if line.trim().is_empty() {
            end = at;
        } else if !is_prose(line) {
            break;
        }
    }
    end
}

/// Where JSON begins: at the start, or at the first object after prose.
fn json_start(text: &str) -> usize {
    let begins = |it: char| it.is_whitespace() || it == '\u{feff}';
    let at = text.len() - text.trim_start_matches(begins).len();
    let rest = text.get(at..).unwrap_or_default();
    // A name may start the members of an object whose braces were not copied.
    let first = rest.lines().next().unwrap_or_default();
    let is_value = rest.starts_with(['{', '[', '"', '\'', '/', '#', '\u{201c}', '\u{201d}', '\u{ab}']);
    let is_member = first.split_once([':', '\u{ff1a}']).is_some_and(|(name, _)| is_name(name.trim()));
    if is_value || is_member { at } else { find_object(text, at).unwrap_or(at) }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|it| it.is_alphanumeric() || matches!(it, '_' | '$' | '-' | '.'))
}

/// The parts between lines of three backticks or tildes that may be a configuration, with the format that the
/// fence names.
fn fenced_parts(text: &str) -> Vec<(Option<Format>, Range<usize>)> {
    let mut found = Vec::new();
    let mut open: Option<(Option<Format>, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            if let Some((format, start)) = open.take() {
                found.push((format, start..at));
            } else {
                // Fences name JSON in many ways.
                let words = line.trim_start_matches(['`', '~']).to_lowercase();
                let format = match words.split_whitespace().next() {
                    Some("toml") => Some(Format::Toml),
                    Some("yaml" | "yml") => Some(Format::Yaml),
                    _ => None,
                };
                open = Some((format, end));
            }
        }
        at = end;
    }
    // The closing fence was not copied.
    found.extend(open.map(|(format, start)| (format, start..text.len())));
    found.retain(|(format, part)| {
        let text = text.get(part.clone()).unwrap_or_default();
        format.is_some() || text.contains('{') || find_format(text).is_some()
    });
    found
}

/// Says what to do with a text that is not a configuration.
pub(super) fn describe_other_format(text: &str) -> Option<Sentence> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.starts_with("PK\u{3}\u{4}") {
        return Some(say!("this is a bundle (.mcpb or .dxt): add it with `mooring import FILE`"));
    }
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let first = lines.next().unwrap_or_default();
    if lines.next().is_some() || text.contains('{') {
        return None;
    }
    let mut words = first.trim_start_matches(['$', '>', ' ']).split_whitespace();
    let program = words.next().unwrap_or_default();
    let is_command = is_name(program) && words.next().is_some();
    is_command.then(|| say!("no server was found here: add a command line as the command of a local server"))
}

/// Where TOML begins: at the start, or at the first table after prose.
fn find_toml(text: &str) -> Option<usize> {
    let is_content = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let mut is_first = true;
    let mut at = 0;
    let mut lines = text.split_inclusive('\n');
    while let Some(line) = lines.next() {
        let start = at;
        at += line.len();
        let line = line.trim_start_matches('\u{feff}');
        if !is_content(&line) {
            continue;
        }
        let is_table = is_toml_table(line.trim());
        if is_first && (is_table || is_toml_assignment(line)) {
            return Some(0);
        }
        // A lone table could be a YAML list, so the next line must be TOML, too.
        if is_table && line.starts_with('[') {
            let next = lines.clone().find(is_content).unwrap_or_default();
            if is_toml_assignment(next) || is_toml_table(next.trim()) {
                return Some(start);
            }
        }
        if line.trim_start().starts_with(['{', '"', '/']) {
            return None;
        }
        is_first = false;
    }
    None
}

/// `name = value` with a value that other languages would not have there.
fn is_toml_assignment(line: &str) -> bool {
    let Some((name, value)) = line.split_once('=') else { return false };
    let is_in = |it: char| it.is_alphanumeric() || "._-\"'".contains(it);
    let (name, value) = (name.trim(), value.trim());
    let is_value = value.starts_with(['"', '\'', '[']) || value.starts_with(|it: char| it.is_ascii_digit());
    !name.is_empty() && name.chars().all(is_in) && (is_value || matches!(value, "true" | "false"))
}

/// `[table]` or `[[table]]` with a name inside, unlike a JSON list.
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

/// Where YAML begins, after prose. It needs lines with names and colons, or with dashes, and no line that
/// begins or ends a JSON object.
fn find_yaml(text: &str) -> Option<usize> {
    let before = text.split_inclusive('\n').take_while(|line| line.trim().is_empty() || is_prose(line));
    let start = before.map(str::len).sum();
    let lines = text[start..].trim_start_matches('\u{feff}').lines().map(str::trim);
    let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let first = lines.find(|line| *line != "---" && !line.starts_with('%'));
    let is_yaml = first.is_some_and(is_yaml_member)
        && lines.clone().any(|line| is_yaml_member(line) || line.starts_with('-') || line.ends_with('}'))
        && !lines.any(|line| line.starts_with(['{', '}']));
    is_yaml.then_some(start)
}

fn is_yaml_member(line: &str) -> bool {
    let Some((name, value)) = line.trim_start_matches("- ").split_once(':') else { return false };
    let value = value.split(" #").next().unwrap_or_default().trim_end();
    !name.contains(['{', '[', ','])
        && !name.starts_with('/')
        && (value.is_empty() || value.starts_with(' '))
        && !value.trim_start().starts_with('{')
        && !value.ends_with(',')
}
