//! Finds the sections with servers in a configuration, by each application's names, at any depth.

use super::members::{ARGS, COMMAND, NAME, URL, canonical, find_member, texts};
use super::node::{Member, Node, Value};

/// A node where a server should be.
pub(super) struct Candidate<'a> {
    pub(super) name: String,
    /// Name of the containing member, such as a project's path. `None` at the top level.
    pub(super) parent: Option<&'a str>,
    pub(super) node: &'a Node,
    /// Start of its name. `end` is the end of its value.
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Normalized names of sections that only contain servers.
const SECTIONS: [&str; 3] = ["mcpservers", "contextservers", "modelcontextprotocolservers"];
/// Normalized names of sections that may contain other things.
const AMBIGUOUS_SECTIONS: [&str; 3] = ["servers", "extensions", "tools"];

/// The entries of all sections, or of a configuration that is a section itself.
pub(super) fn candidates(roots: &[Node]) -> Vec<Candidate<'_>> {
    let mut found = Vec::new();
    for root in roots {
        let before = found.len();
        find_sections(root, None, &mut found);
        if found.len() == before {
            find_without_section(root, &mut found);
        }
    }
    found
}

/// Whether a member is a section: `mcpServers`, `mcp_servers`, `amp.mcpServers`, `mcp.servers`.
fn is_section(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or_default();
    SECTIONS.contains(&canonical(last).as_str()) || name.ends_with("mcp.servers")
}

/// Finds all sections in `node`, at any depth.
fn find_sections<'a>(node: &'a Node, within: Option<&'a str>, found: &mut Vec<Candidate<'a>>) {
    for member in node.members().unwrap_or_default() {
        if is_section(&member.name) {
            add_section(&member.node, within, found);
        } else if member.name == "mcp" {
            find_in_mcp(&member.node, within, found);
        } else if !is_server(&member.node) {
            find_sections(&member.node, Some(&member.name), found);
        }
    }
}

/// In VS Code's settings `mcp` contains the section. In `OpenCode` it is the section, with other settings in
/// it.
fn find_in_mcp<'a>(node: &'a Node, within: Option<&'a str>, found: &mut Vec<Candidate<'a>>) {
    if let Some(servers) = node.member("servers") {
        return add_section(servers, within, found);
    }
    let before = found.len();
    find_sections(node, within, found);
    let members = node.members().unwrap_or_default();
    if found.len() == before && members.iter().any(looks_like_server) {
        found.extend(
            members
                .iter()
                .filter(|member| is_object(&member.node))
                .map(|member| Candidate::from_member(member, within)),
        );
    }
}

/// Handles a configuration without a known section: a section with another name, servers by name, or one
/// server.
fn find_without_section<'a>(root: &'a Node, found: &mut Vec<Candidate<'a>>) {
    let places = AMBIGUOUS_SECTIONS.iter().filter_map(|name| root.member(name));
    if let Some(place) = places.clone().find(|place| holds_servers(place)) {
        return add_section(place, None, found);
    }
    if let Some(servers) = root.member("servers") {
        return add_section(servers, None, found);
    }
    match &root.value {
        Value::Object(_) if is_server(root) => found.push(Candidate::without_name(root, None)),
        _ if holds_servers(root) => add_section(root, None, found),
        _ => {}
    }
}

/// Adds the entries of a section. If an entry is a whole configuration itself, its sections are searched.
fn add_section<'a>(node: &'a Node, within: Option<&'a str>, found: &mut Vec<Candidate<'a>>) {
    match &node.value {
        Value::Object(_) if is_server(node) => found.push(Candidate::without_name(node, within)),
        Value::Object(members) => {
            for member in members {
                if !add_nested(&member.node, is_section(&member.name), within, found) {
                    found.push(Candidate::from_member(member, within));
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                if !add_nested(item, false, within, found) {
                    found.push(Candidate::without_name(item, within));
                }
            }
        }
        _ => {}
    }
}

/// Searches an entry that may be a configuration itself. False if it is not.
fn add_nested<'a>(
    node: &'a Node,
    is_named: bool,
    within: Option<&'a str>,
    found: &mut Vec<Candidate<'a>>,
) -> bool {
    if is_server(node) {
        return false;
    }
    let before = found.len();
    if !is_named {
        find_sections(node, within, found);
    }
    if found.len() == before && (is_named || holds_servers(node)) {
        add_section(node, within, found);
    }
    found.len() > before
}

/// Whether a value contains servers.
fn holds_servers(node: &Node) -> bool {
    match &node.value {
        Value::Object(members) => members.iter().any(looks_like_server),
        Value::Array(items) => items.iter().any(|item| is_server(item) || holds_servers(item)),
        _ => false,
    }
}

fn is_object(node: &Node) -> bool {
    node.members().is_some()
}

/// Whether a value is a server, that is, has a command or a URL. A member `command` or `url` with an object is
/// a server of that name instead, unless the object has the path of a program.
pub(super) fn is_server(node: &Node) -> bool {
    let says_how = |member: &Member| {
        let name = canonical(&member.name);
        (COMMAND.contains(&name.as_str()) || URL.contains(&name.as_str()))
            && (!is_object(&member.node)
                || find_member(&member.node, &["path", "command"]).is_some_and(|path| path.text().is_some()))
    };
    let says_it = |node: &Node| node.members().unwrap_or_default().iter().any(says_how);
    says_it(node) || node.member("transport").is_some_and(says_it)
}

fn looks_like_server(member: &Member) -> bool {
    is_server(&member.node)
}

impl<'a> Candidate<'a> {
    fn from_member(member: &'a Member, within: Option<&'a str>) -> Self {
        let name = member.name.trim().to_owned();
        Self { name, parent: within, node: &member.node, start: member.name_at, end: member.node.end }
    }

    fn without_name(node: &'a Node, within: Option<&'a str>) -> Self {
        Self { name: derive_name(node), parent: within, node, start: node.start, end: node.end }
    }
}

/// Derives a name for a server without one: from its `name`, its program or package, or its host.
fn derive_name(node: &Node) -> String {
    let text = |names: &[&str]| find_member(node, names).and_then(Node::text).map(str::trim);
    if let Some(name) = text(&NAME) {
        return name.to_owned();
    }
    if let Some(command) = text(&COMMAND) {
        let args = find_member(node, &ARGS);
        let args = args.and_then(|args| texts(args, "args").ok()).unwrap_or_default();
        return super::command_name(command, &args);
    }
    let host = text(&URL).and_then(|url| url::Url::parse(url).ok());
    host.as_ref().and_then(url::Url::host_str).unwrap_or("server").to_owned()
}
