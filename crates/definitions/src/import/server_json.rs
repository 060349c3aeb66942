//! Entries of an MCP registry (`server.json`, alone or as its API lists them): each package and each remote becomes a
//! configuration that starts or reaches the server.
//!
//! Format: `server.json` of 2025-12-11; the older names with underscores are read too.

use std::collections::BTreeMap;

use super::members::find_member;
use super::node::{Member, Node, Value};

/// Marks a configuration that another one of the same entry replaces. Only the first of them is selected.
pub(super) const ALTERNATIVE: &str = "alternative";
/// Maximum number of bytes of a value with its variables. A variable that would make it longer stays as it is.
const MAX_FILLED_BYTES: usize = 64 * 1024;

/// The configurations of the registry entries in a document. `None` if it has no entry.
pub(super) fn read(root: &Node) -> Option<Node> {
    let listed = items(root, "servers").filter_map(|item| item.member("server"));
    let entries: Vec<&Node> =
        listed.chain(root.member("server")).chain([root]).filter(|it| is_entry(it)).collect();
    let found: Vec<Member> = entries.iter().copied().flat_map(configurations).collect();
    let servers = made("mcpServers", Value::Object(found), root);
    (!entries.is_empty()).then(|| node(Value::Object(vec![servers]), root))
}

fn is_entry(node: &Node) -> bool {
    let has_list = |name| node.member(name).is_some_and(|list| matches!(list.value, Value::Array(_)));
    text(node, "name").is_some() && (has_list("packages") || has_list("remotes"))
}

/// A way to run or reach a server.
struct Way<'a> {
    /// The package or the remote.
    source: &'a Node,
    kind: &'a str,
    members: Vec<Member>,
}

/// One configuration for each package and remote of an entry, packages that run here first.
fn configurations(entry: &Node) -> Vec<Member> {
    let name = text(entry, "name").unwrap_or_default();
    let name = name.rsplit('/').next().unwrap_or_default();
    let packages = items(entry, "packages").filter_map(package_way);
    let ways: Vec<Way<'_>> = packages.chain(items(entry, "remotes").filter_map(remote_way)).collect();
    let is_only = ways.len() == 1;
    let mut made_before: BTreeMap<&str, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for Way { source, kind, mut members } in ways {
        let number = made_before.entry(kind).or_default();
        *number += 1;
        let name = match number {
            _ if is_only => name.to_owned(),
            1 => format!("{name} ({kind})"),
            number => format!("{name} ({kind} {number})"),
        };
        if !found.is_empty() {
            members.push(made(ALTERNATIVE, Value::Bool(true), source));
        }
        found.push(Member { name, name_at: source.start, node: node(Value::Object(members), source) });
    }
    found
}

/// How a package is run. `None` for a kind that Mooring can't run.
fn package_way(package: &Node) -> Option<Way<'_>> {
    let kind = text_of(package, &["registrytype", "registryname"])?;
    let identifier = text_of(package, &["identifier", "name"])?;
    let version = text(package, "version").filter(|version| *version != "latest");
    // Others, such as `python`, would need other arguments.
    let runner = text_of(package, &["runtimehint"])
        .filter(|it| ["npx", "uvx", "docker", "podman", "dnx"].contains(it));
    let registry = text_of(package, &["registrybaseurl"]).and_then(|url| url.split("://").nth(1));
    let host = registry.map(|rest| rest.trim_end_matches('/')).filter(|host| *host != "docker.io");
    // A package of the same name in the usual registry may be another one.
    let usual = match kind {
        "npm" => "registry.npmjs.org",
        "pypi" => "pypi.org",
        "nuget" => "api.nuget.org",
        _ => "",
    };
    if host.is_some_and(|host| !host.starts_with(usual)) {
        return None;
    }
    let variables: Vec<&Node> =
        find_member(package, &["environmentvariables"]).map(list).unwrap_or_default().iter().collect();
    let mut before = arguments(package, "runtimearguments");
    let after = arguments(package, "packagearguments");
    let at = |separator: &str| {
        version.map_or_else(|| identifier.to_owned(), |it| format!("{identifier}{separator}{it}"))
    };
    let (program, words) = match kind {
        "npm" => {
            let asks_nothing = |word: &String| matches!(word.as_str(), "-y" | "--yes");
            if runner.is_none_or(|runner| runner == "npx") && !before.iter().any(asks_nothing) {
                before.insert(0, "-y".to_owned());
            }
            (runner.unwrap_or("npx"), [before, vec![at("@")], after].concat())
        }
        "pypi" => (runner.unwrap_or("uvx"), [before, vec![at("==")], after].concat()),
        "oci" | "docker" => {
            let mut words = vec!["run".to_owned(), "-i".to_owned(), "--rm".to_owned()];
            before.retain(|word| word != "-i" && word != "--rm");
            words.extend(before);
            let names = variables.iter().filter_map(|variable| text(variable, "name"));
            words.extend(names.flat_map(|name| ["-e".to_owned(), name.to_owned()]));
            let has_version = identifier.rsplit('/').next().is_some_and(|last| last.contains([':', '@']));
            let image = if has_version { identifier.to_owned() } else { at(":") };
            let has_host = image.split_once('/').is_some_and(|(first, _)| first.contains(['.', ':']));
            let host = host.filter(|_| !has_host);
            words.push(host.map_or_else(|| image.clone(), |host| format!("{host}/{image}")));
            words.extend(after);
            (runner.unwrap_or("docker"), words)
        }
        "nuget" => {
            (runner.unwrap_or("dnx"), [before, vec![at("@"), "--yes".to_owned()], separated(after)].concat())
        }
        _ => return None,
    };
    // A package that listens on a port is started by hand.
    let transport =
        package.member("transport").and_then(|transport| text(transport, "type")).unwrap_or("stdio");
    if transport != "stdio" {
        return None;
    }
    let words = words.into_iter().map(|word| node(Value::String(word), package)).collect();
    let members = vec![
        made("command", Value::String(program.to_owned()), package),
        made("args", Value::Array(words), package),
        made("env", inputs(&variables), package),
    ];
    Some(Way { source: package, kind: if kind == "oci" { "docker" } else { kind }, members })
}

/// Arguments of the program itself follow two dashes.
fn separated(after: Vec<String>) -> Vec<String> {
    if after.is_empty() { after } else { [vec!["--".to_owned()], after].concat() }
}

/// How a remote is reached.
fn remote_way(remote: &Node) -> Option<Way<'_>> {
    let url = text(remote, "url")?;
    let kind = text_of(remote, &["type", "transporttype"]).unwrap_or("streamable-http");
    let headers: Vec<&Node> =
        find_member(remote, &["headers"]).map(list).unwrap_or_default().iter().collect();
    let members = vec![
        made("type", Value::String(kind.to_owned()), remote),
        made("url", Value::String(filled(url, remote)), remote),
        made("headers", inputs(&headers), remote),
    ];
    Some(Way { source: remote, kind: "remote", members })
}

/// Variables or headers. Those that need a value of the person have a placeholder; optional ones are left out.
fn inputs(inputs: &[&Node]) -> Value {
    let members = inputs.iter().filter_map(|input| {
        let name = text(input, "name")?;
        let value = value(input)
            .or_else(|| (is_set(input, "isrequired") || is_set(input, "issecret")).then(|| hint(name)))?;
        Some(made(name, Value::String(value), input))
    });
    Value::Object(members.collect())
}

/// The arguments of a list: fixed ones, defaults, and placeholders for what the person has to say. Optional ones
/// without a value are left out.
fn arguments(package: &Node, name: &str) -> Vec<String> {
    let mut words = Vec::new();
    for argument in find_member(package, &[name]).map(list).unwrap_or_default() {
        let named = text(argument, "name").filter(|_| text(argument, "type") != Some("positional"));
        let what = text_of(argument, &["valuehint"]).or(text(argument, "name")).unwrap_or("value");
        let is_required = is_set(argument, "isrequired");
        // A name that never has a value is a switch.
        let takes_value = named.is_none()
            || ["valuehint", "choices", "placeholder", "format"]
                .iter()
                .any(|name| find_member(argument, &[*name]).is_some());
        let value = value(argument)
            .or_else(|| (is_required && takes_value).then(|| hint(what.trim_start_matches('-'))));
        match (named, value) {
            (Some(name), Some(value)) => words.extend([name.to_owned(), value]),
            (Some(name), None) if is_required => words.push(name.to_owned()),
            (None, Some(value)) => words.push(value),
            (_, None) => {}
        }
    }
    words
}

/// The fixed or default value of an input, with its variables.
fn value(input: &Node) -> Option<String> {
    plain_value(input).map(|value| filled(value, input))
}

fn plain_value(input: &Node) -> Option<&str> {
    text(input, "value").or_else(|| text(input, "default"))
}

/// Replaces `{name}` by the variable's value or default, or by a placeholder. Variables have no variables.
fn filled(template: &str, holder: &Node) -> String {
    let mut text = template.to_owned();
    for variable in holder.member("variables").and_then(Node::members).unwrap_or_default() {
        let given = plain_value(&variable.node).map_or_else(|| hint(&variable.name), str::to_owned);
        let place = format!("{{{}}}", variable.name);
        if text.len() + text.matches(&place).count() * given.len() <= MAX_FILLED_BYTES {
            text = text.replace(&place, &given);
        }
    }
    text
}

/// A placeholder for the person's value.
fn hint(name: &str) -> String {
    format!("${{{name}}}")
}

fn is_set(node: &Node, name: &str) -> bool {
    find_member(node, &[name]).is_some_and(|found| found.value == Value::Bool(true))
}

fn text<'a>(node: &'a Node, name: &str) -> Option<&'a str> {
    node.member(name).and_then(Node::text).map(str::trim).filter(|text| !text.is_empty())
}

fn text_of<'a>(node: &'a Node, names: &[&str]) -> Option<&'a str> {
    find_member(node, names).and_then(Node::text).map(str::trim)
}

fn list(node: &Node) -> &[Node] {
    if let Value::Array(items) = &node.value { items } else { &[] }
}

fn items<'a>(node: &'a Node, name: &str) -> impl Iterator<Item = &'a Node> {
    node.member(name).map(list).unwrap_or_default().iter()
}

/// A value with the place of what it was made from.
fn node(value: Value, source: &Node) -> Node {
    Node { value, start: source.start, end: source.end }
}

fn made(name: &str, value: Value, source: &Node) -> Member {
    Member { name: name.to_owned(), name_at: source.start, node: node(value, source) }
}
