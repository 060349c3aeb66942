//! Entries of an MCP registry (`server.json`, alone or as its API lists them): each package and each remote becomes a
//! configuration that starts or reaches the server.
//!
//! Format: `server.json` of 2025-12-11; the older names with underscores are read too.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use mooring_words::{Sentence, say};

use super::inputs::MAX_INPUTS;
use super::members::find_member;
use super::node::{Member, Node, Place, Value};

/// Maximum number of bytes of a value with its variables. A variable that would make it longer stays as it is.
const MAX_FILLED_BYTES: usize = 64 * 1024;

/// What the registry entries of a document describe.
pub(super) struct RegistryServers {
    /// A configuration with a server for each package and remote.
    pub(super) root: Node,
    /// Where the servers start that are other ways to run or reach the one before.
    pub(super) alternatives: Vec<usize>,
    pub(super) read_as: Sentence,
}

/// A way to run or reach a server.
struct Way<'a> {
    /// The package or the remote.
    source: &'a Node,
    kind: &'a str,
    members: Vec<Member>,
}

/// The values of a way that the person enters, described as VS Code's `inputs` are.
struct Inputs {
    place: Place,
    inputs: Vec<(String, Node)>,
}

/// What is known about a value beside its own description.
#[derive(Clone, Copy, Default)]
struct Use<'a> {
    is_optional: bool,
    is_secret: bool,
    /// The argument before it that is left out with it.
    flag: Option<&'a str>,
    /// Whether all values of this name are one.
    is_shared: bool,
}

impl Inputs {
    fn new(place: Place) -> Self {
        Self { place, inputs: Vec::new() }
    }

    /// A placeholder for a value that `about` describes.
    fn ask(&mut self, name: &str, about: Option<&Node>, used: Use<'_>) -> String {
        let name = name.trim().replace(['{', '}'], "");
        let is_known = |name: &str| self.inputs.iter().any(|(known, _)| known == name);
        // Asking for too many is an error anyway.
        if self.inputs.len() > MAX_INPUTS || (used.is_shared && is_known(&name)) {
            return placeholder_for(&name);
        }
        let mut numbered = (2..=MAX_INPUTS + 2).map(|number| format!("{name} {number}"));
        let key = if is_known(&name) { numbered.find(|key| !is_known(key)) } else { None };
        let key = key.unwrap_or(name);
        let described = self.describe(&key, about, used);
        self.inputs.push((key.clone(), described));
        placeholder_for(&key)
    }

    fn describe(&self, key: &str, about: Option<&Node>, used: Use<'_>) -> Node {
        let place = self.place;
        let is = |name: &str| about.is_some_and(|about| is_set(about, name));
        let mut members = vec![
            place.member("id", place.text(key)),
            place.member("password", place.node(Value::Bool(used.is_secret || is("issecret")))),
            place.member("optional", place.node(Value::Bool(used.is_optional))),
            place.member("repeated", place.node(Value::Bool(is("isrepeated")))),
        ];
        members.extend(used.flag.map(|flag| place.member("flag", place.text(flag))));
        let copied = [
            ("description", "description"),
            ("format", "format"),
            ("default", "default"),
            ("placeholder", "placeholder"),
            ("choices", "options"),
        ];
        members.extend(copied.into_iter().filter_map(|(theirs, name)| {
            let found = find_member(about?, &[theirs])?;
            Some(place.member(name, found.clone().moved_to(place)))
        }));
        place.object(members)
    }

    fn into_member(self) -> Member {
        let inputs = self.inputs.into_iter().map(|(_, input)| input).collect();
        self.place.member("inputs", self.place.node(Value::Array(inputs)))
    }
}

/// Reads the registry entries of a document. `None` if it has none.
pub(super) fn read(root: &Node) -> Option<RegistryServers> {
    let entries = find_entries(root);
    let names: BTreeSet<&str> = entries.iter().filter_map(|entry| text(entry, "name")).collect();
    let read_as = match names.first()? {
        name if names.len() == 1 => say!("the entry {name} of an MCP registry", name = *name),
        _ => say!("entries of an MCP registry"),
    };
    let (mut servers, mut alternatives) = (Vec::new(), Vec::new());
    for entry in entries {
        let full = text(entry, "name").unwrap_or_default();
        let (publisher, short) = full.rsplit_once('/').unwrap_or(("", full));
        let is_shared = names.iter().filter(|name| name.rsplit('/').next() == Some(short)).count() > 1;
        let name = if is_shared { format!("{short} ({publisher})") } else { short.to_owned() };
        for (index, (name, way)) in name_ways(entry, &name).into_iter().enumerate() {
            let place = way.source.place();
            if index > 0 {
                alternatives.push(place.start);
            }
            servers.push(place.member(name, place.object(way.members)));
        }
    }
    Some(RegistryServers { root: root.place().servers(servers), alternatives, read_as })
}

/// The entries of a document: itself, the one in it, or a list of the API. Of several versions, the latest is kept.
fn find_entries(root: &Node) -> Vec<&Node> {
    let is_latest = |item: &Node| {
        let about =
            item.member("_meta").and_then(|meta| meta.member("io.modelcontextprotocol.registry/official"));
        about
            .and_then(|about| about.member("isLatest"))
            .is_none_or(|latest| latest.value != Value::Bool(false))
    };
    let listed: Vec<&Node> = root.items().iter().chain(items(root, "servers")).collect();
    let any_latest = listed.iter().any(|item| is_latest(item));
    let listed = listed.into_iter().filter(|item| is_latest(item) || !any_latest);
    let listed = listed.map(|item| item.member("server").unwrap_or(item));
    listed.chain(root.member("server")).chain([root]).filter(|entry| is_entry(entry)).collect()
}

fn is_entry(node: &Node) -> bool {
    let of = |list, names: &[&str]| items(node, list).any(|item| text_of(item, names).is_some());
    text(node, "name").is_some()
        && (of("packages", &["registrytype", "registryname", "identifier"]) || of("remotes", &["url"]))
}

/// The ways of an entry with a name for each, packages that run here first.
fn name_ways<'a>(entry: &'a Node, name: &str) -> Vec<(String, Way<'a>)> {
    let packages = items(entry, "packages").filter_map(read_package);
    let ways: Vec<Way<'_>> = packages.chain(items(entry, "remotes").filter_map(read_remote)).collect();
    let is_only = ways.len() == 1;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let named = |way: Way<'a>| {
        let number = counts.entry(way.kind).or_default();
        *number += 1;
        let name = match number {
            _ if is_only => name.to_owned(),
            1 => format!("{name} ({})", way.kind),
            number => format!("{name} ({} {number})", way.kind),
        };
        (name, way)
    };
    ways.into_iter().map(named).collect()
}

/// How a package is run. `None` for a kind that Mooring can't run.
fn read_package(package: &Node) -> Option<Way<'_>> {
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
    let variables = find_member(package, &["environmentvariables"]).map(Node::items).unwrap_or_default();
    let mut inputs = Inputs::new(package.place());
    let mut env = read_inputs(variables, &mut inputs);
    let mut before = read_arguments(package, "runtimearguments", &mut inputs);
    let after = read_arguments(package, "packagearguments", &mut inputs);
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
        // `--from` names the package already.
        "pypi" if before.iter().any(|word| word == "--from") => {
            (runner.unwrap_or("uvx"), [before, after].concat())
        }
        "pypi" => (runner.unwrap_or("uvx"), [before, vec![at("==")], after].concat()),
        "oci" | "docker" => {
            let mut words = vec!["run".to_owned(), "-i".to_owned(), "--rm".to_owned()];
            before.retain(|word| word != "-i" && word != "--rm");
            words.extend(move_variables(before, &mut env, package.place()));
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
        "nuget" => (
            runner.unwrap_or("dnx"),
            [before, vec![at("@"), "--yes".to_owned()], separate_arguments(after)].concat(),
        ),
        _ => return None,
    };
    // A package that listens on a port is started by hand.
    let transport =
        package.member("transport").and_then(|transport| text(transport, "type")).unwrap_or("stdio");
    if transport != "stdio" {
        return None;
    }
    let place = package.place();
    let members = vec![
        place.member("command", place.text(program)),
        place.member("args", place.texts(words)),
        place.member("env", place.object(env)),
        inputs.into_member(),
    ];
    Some(Way { source: package, kind: if kind == "oci" { "docker" } else { kind }, members })
}

/// Moves the value of `-e NAME=VALUE` to the variables if the person has to enter it: arguments are saved as they are.
fn move_variables(words: Vec<String>, env: &mut Vec<Member>, place: Place) -> Vec<String> {
    let mut is_variable = false;
    let moved = |word: String| {
        let pair = word.split_once('=').filter(|(_, value)| is_variable && value.contains("${"));
        is_variable = matches!(word.as_str(), "-e" | "--env");
        let Some((name, value)) = pair else { return word };
        env.push(place.member(name, place.text(value)));
        name.to_owned()
    };
    words.into_iter().map(moved).collect()
}

/// Arguments of the program itself follow two dashes.
fn separate_arguments(after: Vec<String>) -> Vec<String> {
    if after.is_empty() { after } else { [vec!["--".to_owned()], after].concat() }
}

/// How a remote is reached.
fn read_remote(remote: &Node) -> Option<Way<'_>> {
    let url = text(remote, "url")?;
    let kind = text_of(remote, &["type", "transporttype"]).unwrap_or("streamable-http");
    let headers = find_member(remote, &["headers"]).map(Node::items).unwrap_or_default();
    let place = remote.place();
    let mut inputs = Inputs::new(place);
    let members = vec![
        place.member("type", place.text(kind)),
        place.member("url", place.text(fill_variables(url, remote, Use::default(), &mut inputs))),
        place.member("headers", place.object(read_inputs(headers, &mut inputs))),
        inputs.into_member(),
    ];
    Some(Way { source: remote, kind: "remote", members })
}

/// Variables or headers, with placeholders for the values that the person can enter.
fn read_inputs(nodes: &[Node], inputs: &mut Inputs) -> Vec<Member> {
    let member = |node: &Node| {
        let name = text(node, "name")?;
        let used =
            Use { is_optional: !is_needed(node), is_secret: is_set(node, "issecret"), ..Use::default() };
        let value = match text(node, "value") {
            Some(value) => fill_variables(value, node, used, inputs),
            None => inputs.ask(name, Some(node), used),
        };
        Some(node.place().member(name, node.place().text(value)))
    };
    nodes.iter().filter_map(member).collect()
}

/// Whether the person has to enter a value if there is none.
fn is_needed(input: &Node) -> bool {
    is_set(input, "isrequired") || is_set(input, "issecret")
}

/// The arguments of a list, with placeholders for the values that the person can enter.
fn read_arguments(package: &Node, name: &str, inputs: &mut Inputs) -> Vec<String> {
    let mut words = Vec::new();
    for argument in find_member(package, &[name]).map(Node::items).unwrap_or_default() {
        let named = text(argument, "name").filter(|_| text(argument, "type") != Some("positional"));
        let hint = text_of(argument, &["valuehint"]).or(text(argument, "name")).unwrap_or("value");
        let is_required = is_set(argument, "isrequired");
        let used = Use {
            is_optional: !is_required,
            is_secret: is_set(argument, "issecret"),
            flag: named,
            is_shared: false,
        };
        // A name that never has a value is a switch.
        let takes_value = named.is_none()
            || ["valuehint", "choices", "placeholder", "format", "default"]
                .iter()
                .any(|name| find_member(argument, &[*name]).is_some());
        let value = match text(argument, "value") {
            Some(value) => Some(fill_variables(value, argument, used, inputs)),
            None if takes_value => {
                let key = named.unwrap_or(hint).trim_start_matches('-');
                Some(inputs.ask(key, Some(argument), used))
            }
            None => None,
        };
        match (named, value) {
            (Some(name), Some(value)) => words.extend([name.to_owned(), value]),
            (Some(name), None) if is_required => words.push(name.to_owned()),
            (None, Some(value)) => words.push(value),
            (_, None) => {}
        }
    }
    words
}

/// Replaces `{name}` by the variable's value, or by a placeholder; of a name without a variable only if the whole is
/// needed. Variables have no variables.
fn fill_variables(template: &str, holder: &Node, used: Use<'_>, inputs: &mut Inputs) -> String {
    let members = holder.member("variables").and_then(Node::members).unwrap_or_default();
    let variables: HashMap<&str, &Node> =
        members.iter().map(|member| (member.name.as_str(), &member.node)).collect();
    let used = Use { is_shared: true, ..used };
    let (mut filled, mut rest) = (String::new(), template);
    while let Some((before, behind)) = rest.split_once('{') {
        let Some((name, after)) = behind.split_once('}') else { break };
        let is_word = !name.is_empty() && name.chars().all(|it| it.is_alphanumeric() || "_-".contains(it));
        let given = match variables.get(name) {
            Some(variable) => Some(text(variable, "value").map_or_else(
                || {
                    let is_optional = used.is_optional && !is_needed(variable);
                    inputs.ask(name, Some(variable), Use { is_optional, ..used })
                },
                str::to_owned,
            )),
            None => {
                (!used.is_optional && is_word && !before.ends_with('$')).then(|| inputs.ask(name, None, used))
            }
        };
        let given = given.filter(|given| filled.len() + given.len() <= MAX_FILLED_BYTES);
        filled.push_str(before);
        filled.push_str(&given.unwrap_or_else(|| format!("{{{name}}}")));
        rest = after;
    }
    filled + rest
}

/// A placeholder for the person's value.
fn placeholder_for(name: &str) -> String {
    format!("${{input:{name}}}")
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

fn items<'a>(node: &'a Node, name: &str) -> impl Iterator<Item = &'a Node> {
    node.member(name).map(Node::items).unwrap_or_default().iter()
}
