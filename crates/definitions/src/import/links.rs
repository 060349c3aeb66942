//! Links that install a server in an app: Mooring's own, and those of VS Code, Cursor, LM Studio, Kiro and Goose, also
//! as the web pages that lead to them.
//!
//! A link is a text like any other: what it describes goes through the same review. The formats are published: [VS
//! Code](https://code.visualstudio.com/api/extension-guides/ai/mcp), [Cursor](https://cursor.com/docs/mcp/install-links),
//! [LM Studio](https://lmstudio.ai/docs/app/mcp/deeplink), [Goose](https://goose-docs.ai).

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use mooring_words::{Sentence, say};
use url::Url;
use url::form_urlencoded;

use super::jsonc;
use super::node::{Member, Mistake, Node, ParsedText, Value};
use super::sections::{candidates, is_server};

/// Maximum number of bytes of a link. Those of real servers have some hundreds.
pub const MAX_LINK_BYTES: usize = 64 * 1024;
/// Maximum number of links that are read from one text.
const MAX_LINKS: usize = 100;
/// Characters that end a link in Markdown, HTML or a sentence.
const ENDS: [char; 9] = ['(', ')', '<', '>', '[', ']', '"', '`', '|'];

/// Base64 as links have it: in both alphabets, with or without padding.
const PADDING: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const BASE64: [GeneralPurpose; 2] =
    [GeneralPurpose::new(&alphabet::STANDARD, PADDING), GeneralPurpose::new(&alphabet::URL_SAFE, PADDING)];

/// The servers of all links in a text. Several links to one server, as READMEs have for several apps, count once.
pub(super) fn parse(text: &str) -> ParsedText {
    let mut parsed = ParsedText::default();
    let mut names = Vec::new();
    let links = find_links(text).filter_map(|(start, link)| {
        let plain = link.replace("&amp;", "&").replace("&#38;", "&");
        Some((start, link, read(&plain).or_else(|| read(&opened_by_page(&plain)?))?))
    });
    for (start, link, (app, read)) in links.take(MAX_LINKS) {
        let root = match read {
            Ok(value) => move_to(value, start, start + link.len()),
            Err(message) => {
                parsed.mistakes.push(Mistake { at: start, message });
                continue;
            }
        };
        let found: Vec<String> =
            candidates(std::slice::from_ref(&root)).into_iter().map(|found| found.name).collect();
        if found.is_empty() {
            parsed
                .mistakes
                .push(Mistake { at: start, message: say!("the link for {app} has no server", app) });
        } else if !found.iter().all(|name| names.contains(name)) {
            names.extend(found);
            parsed.read_as.get_or_insert(say!("a link for {app}", app));
            parsed.roots.push(root);
        }
    }
    parsed
}

/// The parts of a text that may be links, with their places. A text that is one link may contain any character.
fn find_links(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let whole = text.trim();
    let is_whole = !whole.contains(char::is_whitespace) && Url::parse(whole).is_ok();
    let one = is_whole.then(|| (text.len() - text.trim_start().len(), whole));
    let is_end = |it: char| it.is_whitespace() || ENDS.contains(&it);
    let many = text.split(is_end).filter(move |_| !is_whole).map(|part| {
        let part = part.trim_matches(['\'', ',', '.', ';', '*', '_']);
        (part.as_ptr() as usize - text.as_ptr() as usize, part)
    });
    one.into_iter().chain(many.filter(|(_, part)| part.contains(':')))
}

/// Whether a text is a link that installs a server in an app.
pub fn is_link(text: &str) -> bool {
    read(text).is_some() || opened_by_page(text).is_some_and(|link| read(&link).is_some())
}

/// The link that a page of VS Code opens.
fn opened_by_page(link: &str) -> Option<String> {
    let (page, query) = link.split_once('?')?;
    let pages = ["https://vscode.dev/redirect", "https://insiders.vscode.dev/redirect"];
    if pages.contains(&page) { parameter(query, "url") } else { None }
}

/// The app of a link, and the configuration in it. `None` if it is no link that installs a server.
fn read(link: &str) -> Option<(&'static str, Result<Value, Sentence>)> {
    let (scheme, rest) = link.split_once(':')?;
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let path = path.trim_start_matches('/').trim_end_matches('/');
    let (app, is_payload) = match (scheme.to_ascii_lowercase().as_str(), path) {
        ("mooring", "add") => ("Mooring", false),
        ("vscode" | "vscode-insiders", "mcp/install") => ("VS Code", true),
        ("cursor", "anysphere.cursor-deeplink/mcp/install") => ("Cursor", false),
        ("lmstudio", "add_mcp") => ("LM Studio", false),
        ("goose", "extension") => return Some(("Goose", limited(link).map(|()| goose(query)))),
        ("https" | "http", page) => match page.split_once('/')? {
            ("vscode.dev" | "insiders.vscode.dev", "redirect/mcp/install") => ("VS Code", false),
            ("cursor.com" | "www.cursor.com", path) if path.ends_with("install-mcp") => ("Cursor", false),
            ("lmstudio.ai", "install-mcp") => ("LM Studio", false),
            ("kiro.dev", "launch/mcp/add") => ("Kiro", false),
            _ => return None,
        },
        _ => return None,
    };
    let unreadable = || say!("the link for {app} has no readable configuration", app);
    let configuration = || {
        limited(link)?;
        let payload = if is_payload {
            Some(if query.starts_with('{') { query.to_owned() } else { decode(query) })
        } else {
            parameter(query, "config")
        };
        let Some(payload) = payload else { return by_url(query).ok_or_else(unreadable) };
        let json = if payload.trim_start().starts_with('{') {
            payload
        } else {
            base64(&payload).ok_or_else(unreadable)?
        };
        let mut parsed = jsonc::parse_range(&json, &(0..json.len()));
        match parsed.roots.pop() {
            Some(root) if parsed.roots.is_empty() && parsed.mistakes.is_empty() => {
                Ok(named(parameter(query, "name"), root))
            }
            _ => Err(unreadable()),
        }
    };
    Some((app, configuration()))
}

fn limited(link: &str) -> Result<(), Sentence> {
    if link.len() > MAX_LINK_BYTES {
        return Err(say!("the link is larger than {limit} KiB", limit = MAX_LINK_BYTES / 1024));
    }
    Ok(())
}

/// A link that only has the URL of a server.
fn by_url(query: &str) -> Option<Value> {
    let url = member("url", Value::String(parameter(query, "url")?));
    Some(named(parameter(query, "name"), node(Value::Object(vec![url]))))
}

/// The configuration with a server of this name. A configuration that has names itself stays.
fn named(name: Option<String>, server: Node) -> Value {
    match name.filter(|_| is_server(&server)) {
        Some(name) => servers(name, server.value),
        None => server.value,
    }
}

fn servers(name: String, server: Value) -> Value {
    Value::Object(vec![member(
        "mcpServers",
        Value::Object(vec![Member { name, name_at: 0, node: node(server) }]),
    )])
}

/// Goose has no configuration in its links but a parameter for each part.
fn goose(query: &str) -> Value {
    let all = |name: &str| -> Vec<String> {
        pairs(query).filter(|(key, _)| key == name).map(|(_, value)| value).collect()
    };
    let list =
        |texts: Vec<String>| Value::Array(texts.into_iter().map(|text| node(Value::String(text))).collect());
    // A variable comes with its description, whose value the person enters.
    let before_equals = |text: String| text.split('=').next().unwrap_or_default().to_owned();
    let mut members: Vec<Member> = [("cmd", "command"), ("url", "url"), ("timeout", "timeout")]
        .into_iter()
        .filter_map(|(theirs, name)| Some(member(name, Value::String(parameter(query, theirs)?))))
        .collect();
    members.push(member("args", list(all("arg"))));
    members.push(member("envKeys", list(all("env").into_iter().map(before_equals).collect())));
    let headers = all("header").into_iter().filter_map(|header| {
        let (name, value) = header.split_once('=').or_else(|| header.split_once(':'))?;
        Some(member(name.trim(), Value::String(value.trim().to_owned())))
    });
    members.push(member("headers", Value::Object(headers.collect())));
    let name = parameter(query, "name").or_else(|| parameter(query, "id"));
    match name {
        Some(name) => servers(name, Value::Object(members)),
        None => Value::Object(members),
    }
}

/// The parameters of a query. A plus sign is one: base64 has it, and those who build links forget to encode it.
fn pairs(query: &str) -> impl Iterator<Item = (String, String)> {
    let query = query.split('#').next().unwrap_or_default().replace('+', "%2B");
    let pairs: Vec<_> = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    pairs.into_iter()
}

fn parameter(query: &str, name: &str) -> Option<String> {
    pairs(query).find(|(key, value)| key == name && !value.trim().is_empty()).map(|(_, value)| value)
}

/// Decodes percent signs.
fn decode(text: &str) -> String {
    let whole = text.replace('+', "%2B").replace('&', "%26");
    form_urlencoded::parse(format!("whole={whole}").as_bytes()).map(|(_, value)| value.into_owned()).collect()
}

fn base64(text: &str) -> Option<String> {
    let bytes = BASE64.iter().find_map(|base64| base64.decode(text.trim()).ok())?;
    String::from_utf8(bytes).ok()
}

fn node(value: Value) -> Node {
    Node { value, start: 0, end: 0 }
}

fn member(name: &str, value: Value) -> Member {
    Member { name: name.to_owned(), name_at: 0, node: node(value) }
}

/// Gives a configuration the place of its link, because its own places are in the decoded text.
fn move_to(value: Value, start: usize, end: usize) -> Node {
    let value = match value {
        Value::Array(items) => {
            Value::Array(items.into_iter().map(|item| move_to(item.value, start, end)).collect())
        }
        Value::Object(members) => {
            let moved = |member: Member| Member {
                name: member.name,
                name_at: start,
                node: move_to(member.node.value, start, end),
            };
            Value::Object(members.into_iter().map(moved).collect())
        }
        other => other,
    };
    Node { value, start, end }
}
