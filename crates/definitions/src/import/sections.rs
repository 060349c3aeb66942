//! Finds the sections with servers in a configuration, by their names in each application, at any depth.

use super::entry;
use super::jsonc::{Member, Node, Value};
use super::members::{ARGS, COMMAND, NAME, URL, canonical, find_member};

/// A node that is where a server should be.
pub(super) struct Candidate<'a> {
    pub(super) name: String,
    /// Name of the member that contains it, such as a project's path; none: the top level.
    pub(super) parent: Option<&'a str>,
    pub(super) node: &'a Node,
    /// From its name to its end.
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Sections that hold nothing but servers, in the letters of their names.
const SECTIONS: [&str; 3] = ["mcpservers", "contextservers", "modelcontextprotocolservers"];
/// Sections that may also hold something else.
const AMBIGUOUS_SECTIONS: [&str; 3] = ["servers", "extensions", "tools"];

/// The entries of all sections that the configuration has, or of a configuration that is one itself.
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

/// Every section inside `node`, at any depth.
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

/// `mcp` holds the section of VS Code's settings, or is one itself beside settings, as `OpenCode` has it.
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

/// A configuration without a section of a known name: one under another name, servers by their names, or one server.
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

/// The entries of a section. A whole configuration that stands in the place of an entry is looked into.
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

/// Looks into what stands in the place of an entry; false when it is no configuration itself.
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

/// Whether some of what a value holds are servers.
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

/// Whether a value describes a server: it says how it is started or reached. A server may have a name like that.
fn is_server(node: &Node) -> bool {
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

/// A name for a server that stands without one: its `name`, its program's or package's, or its host's.
fn derive_name(node: &Node) -> String {
    let text = |names: &[&str]| find_member(node, names).and_then(Node::text).map(str::trim);
    if let Some(name) = text(&NAME) {
        return name.to_owned();
    }
    if let Some(command) = text(&COMMAND) {
        let args = find_member(node, &ARGS);
        let args = args.and_then(|args| entry::texts(args, "args").ok()).unwrap_or_default();
        return super::command_name(command, &args);
    }
    let host = text(&URL).and_then(|url| url::Url::parse(url).ok());
    host.as_ref().and_then(url::Url::host_str).unwrap_or("server").to_owned()
}
