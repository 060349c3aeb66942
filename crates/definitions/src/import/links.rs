//! Links that install a server in an app: Mooring's own, and those of VS Code, Visual Studio, Cursor, LM Studio, Kiro and
//! Goose, also as the web pages that lead to them.
//!
//! A link is a text like any other: what it describes goes through the same review. The formats are published: [VS
//! Code](https://code.visualstudio.com/api/extension-guides/ai/mcp), [Cursor](https://cursor.com/docs/mcp/install-links),
//! [LM Studio](https://lmstudio.ai/docs/app/mcp/deeplink). Those of Kiro and Goose are read as READMEs have them.

use std::collections::HashSet;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use mooring_words::{Sentence, say};
use url::form_urlencoded;

use super::jsonc;
use super::members::{ARGS, COMMAND, URL, find_member, texts};
use super::node::{Mistake, Node, ParsedText, Place, Value};
use super::sections::{Candidate, candidates, is_server};

/// Maximum number of bytes of a link. Those of real servers have some hundreds.
pub const MAX_LINK_BYTES: usize = 64 * 1024;
/// Maximum number of links that are read from one text.
const MAX_LINKS: usize = 100;
/// Characters that end a link in Markdown, HTML or a sentence.
const ENDS: [char; 9] = ['(', ')', '<', '>', '[', ']', '"', '`', '|'];
/// A configuration that was decoded has no place in the text.
const DECODED: Place = Place { start: 0, end: 0 };

/// Base64 as links have it: in both alphabets, with or without padding.
const PADDING: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const BASE64: [GeneralPurpose; 2] =
    [GeneralPurpose::new(&alphabet::STANDARD, PADDING), GeneralPurpose::new(&alphabet::URL_SAFE, PADDING)];

/// How a link contains its configuration.
enum Payload {
    /// The whole query is JSON.
    Query,
    /// The parameter `config` is JSON, or base64 of it. Instead, the parameter `url` may have the server's URL.
    Config,
    /// Each part is a parameter of its own.
    Parameters,
}

/// The servers of all links in a text. READMEs have links to one server for several apps; it counts once.
pub(super) fn parse(text: &str) -> ParsedText {
    let mut parsed = ParsedText::default();
    let (mut names, mut reached) = (HashSet::new(), HashSet::new());
    let links = find_links(text).filter_map(|(start, link)| {
        let plain = link.replace("&amp;", "&").replace("&#38;", "&");
        Some((Place { start, end: start + link.len() }, read_or_follow(&plain)?))
    });
    for (place, (app, read)) in links.take(MAX_LINKS) {
        let configuration = match read {
            Ok(configuration) => configuration.moved_to(place),
            Err(message) => {
                parsed.mistakes.push(Mistake { at: place.start, message });
                continue;
            }
        };
        let found = candidates(std::slice::from_ref(&configuration));
        if found.is_empty() {
            let message = say!("the link for {app} has no server", app);
            parsed.mistakes.push(Mistake { at: place.start, message });
        }
        let mut servers = Vec::new();
        for Candidate { name, node, .. } in found {
            if !reached.insert(connection_key(node)) {
                continue;
            }
            let is_other = !names.insert(name.clone());
            if is_other {
                parsed.alternatives.insert(place.start);
            }
            let name = if is_other { format!("{name} ({app})") } else { name };
            let mut server = node.clone();
            // The values beside the servers are asked for, too.
            if let (Some(inputs), Value::Object(members)) =
                (configuration.member("inputs"), &mut server.value)
            {
                members.push(place.member("inputs", inputs.clone()));
            }
            servers.push(place.member(name, server));
        }
        if !servers.is_empty() {
            parsed.read_as.get_or_insert(say!("a link for {app}", app));
            parsed.roots.push(place.servers(servers));
        }
    }
    parsed
}

/// The command or URL of a server.
fn connection_key(server: &Node) -> (Option<String>, Vec<String>) {
    let text = |names: &[&str]| find_member(server, names).and_then(Node::text).map(str::to_owned);
    let args = find_member(server, &ARGS).and_then(|args| texts(args, "args").ok()).unwrap_or_default();
    (text(&COMMAND).or_else(|| text(&URL)), args)
}

/// The parts of a text that may be links, with their places. A text that is one link may contain any character.
fn find_links(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let whole = text.trim();
    let is_whole = !whole.contains(char::is_whitespace) && is_link(whole);
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
    read_or_follow(text).is_some()
}

/// Reads a link, or the link that a page of VS Code opens.
fn read_or_follow(link: &str) -> Option<(&'static str, Result<Node, Sentence>)> {
    let opened = || {
        let (page, query) = link.split_once('?')?;
        let pages = ["https://vscode.dev/redirect", "https://insiders.vscode.dev/redirect"];
        if pages.contains(&page) { read(&find_parameter(query, "url")?) } else { None }
    };
    read(link).or_else(opened)
}

/// The app of a link, and the configuration in it. `None` if it is no link that installs a server.
fn read(link: &str) -> Option<(&'static str, Result<Node, Sentence>)> {
    let (scheme, rest) = link.split_once(':')?;
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let path = path.trim_matches('/').replace("%2F", "/");
    let (app, payload) = match (scheme.to_ascii_lowercase().as_str(), path.as_str()) {
        ("mooring", "add") => ("Mooring", Payload::Config),
        ("vscode" | "vscode-insiders", "mcp/install") => ("VS Code", Payload::Query),
        ("cursor", "anysphere.cursor-deeplink/mcp/install") => ("Cursor", Payload::Config),
        ("lmstudio", "add_mcp") => ("LM Studio", Payload::Config),
        ("goose", "extension") => ("Goose", Payload::Parameters),
        ("https" | "http", page) => match page.split_once('/')? {
            ("vscode.dev" | "insiders.vscode.dev", "redirect/mcp/install") => ("VS Code", Payload::Config),
            ("vs-open.link", "mcp-install") | ("aka.ms", "vs/mcp-install") => {
                ("Visual Studio", Payload::Query)
            }
            ("cursor.com" | "www.cursor.com", path)
                if path.ends_with("install-mcp") || path.ends_with("link/mcp/install") =>
            {
                ("Cursor", Payload::Config)
            }
            ("lmstudio.ai", "install-mcp") => ("LM Studio", Payload::Config),
            ("kiro.dev", "launch/mcp/add") => ("Kiro", Payload::Config),
            _ => return None,
        },
        _ => return None,
    };
    if link.len() > MAX_LINK_BYTES {
        return Some((app, Err(say!("the link is larger than {limit} KiB", limit = MAX_LINK_BYTES / 1024))));
    }
    let configuration = match payload {
        Payload::Query => {
            read_json(&if query.starts_with('{') { query.to_owned() } else { decode_percent(query) })
        }
        Payload::Config => read_config_parameter(query),
        Payload::Parameters => Some(read_parameters(query)),
    };
    Some((app, configuration.ok_or_else(|| say!("the link for {app} has no readable configuration", app))))
}

fn read_json(json: &str) -> Option<Node> {
    let mut parsed = jsonc::parse_range(json, &(0..json.len()));
    let root = parsed.roots.pop()?;
    (parsed.roots.is_empty() && parsed.mistakes.is_empty()).then_some(root)
}

/// The configuration in the parameters `name` and `config` or `url`. A configuration that has names itself keeps them.
fn read_config_parameter(query: &str) -> Option<Node> {
    let mut server = match find_parameter(query, "config") {
        Some(json) if json.trim_start().starts_with('{') => read_json(&json)?,
        Some(base64) => read_json(&decode_base64(&base64)?)?,
        None => DECODED.object([DECODED.member("url", DECODED.text(find_parameter(query, "url")?))]),
    };
    let is_one = is_server(&server);
    let inputs = find_parameter(query, "inputs").and_then(|json| read_json(&json));
    if let (Some(inputs), Value::Object(members), true) = (inputs, &mut server.value, is_one) {
        members.push(DECODED.member("inputs", inputs));
    }
    let name = find_parameter(query, "name").filter(|_| is_one);
    Some(add_name(name, server))
}

/// Goose's parameters.
fn read_parameters(query: &str) -> Node {
    let all =
        |name: &'static str| query_pairs(query).filter(move |(key, _)| key == name).map(|(_, value)| value);
    // A variable comes with its description, whose value the person enters.
    let variables = all("env").map(|text| text.split('=').next().unwrap_or_default().to_owned());
    let headers = all("header").filter_map(|header| {
        let (name, value) = header.split_once('=').or_else(|| header.split_once(':'))?;
        Some(DECODED.member(name.trim(), DECODED.text(value.trim())))
    });
    let single = [("cmd", "command"), ("url", "url"), ("timeout", "timeout")].into_iter();
    let single = single.filter_map(|(theirs, name)| {
        Some(DECODED.member(name, DECODED.text(find_parameter(query, theirs)?)))
    });
    let lists = [
        DECODED.member("args", DECODED.texts(all("arg"))),
        DECODED.member("envKeys", DECODED.texts(variables)),
        DECODED.member("headers", DECODED.object(headers)),
    ];
    add_name(
        find_parameter(query, "name").or_else(|| find_parameter(query, "id")),
        DECODED.object(single.chain(lists)),
    )
}

fn add_name(name: Option<String>, server: Node) -> Node {
    match name {
        Some(name) => DECODED.servers([DECODED.member(name, server)]),
        None => server,
    }
}

fn query_pairs(query: &str) -> impl Iterator<Item = (String, String)> {
    let query = query.split('#').next().unwrap_or_default();
    form_urlencoded::parse(query.as_bytes()).into_owned()
}

fn find_parameter(query: &str, name: &str) -> Option<String> {
    query_pairs(query).find(|(key, value)| key == name && !value.trim().is_empty()).map(|(_, value)| value)
}

/// Decodes percent signs only.
fn decode_percent(text: &str) -> String {
    let whole = text.replace('+', "%2B").replace('&', "%26");
    form_urlencoded::parse(format!("whole={whole}").as_bytes()).map(|(_, value)| value.into_owned()).collect()
}

/// Decodes base64. Its plus signs became spaces where the link's maker left them as they are.
fn decode_base64(text: &str) -> Option<String> {
    let text = text.trim().replace(' ', "+");
    let bytes = BASE64.iter().find_map(|base64| base64.decode(&text).ok())?;
    String::from_utf8(bytes).ok()
}
