//! Recognizes JSON documents that are not a configuration, such as bundle manifests and registry entries, and
//! says what to do with them.

use mooring_words::{Sentence, say};

use super::node::{Node, Value};

/// Describes a document that can't be imported yet, with the offset of its start.
pub(super) fn describe_foreign(roots: &[Node]) -> Option<(usize, Sentence)> {
    roots.iter().find_map(|root| Some((root.start, bundle_message(root).or_else(|| registry_message(root))?)))
}

/// A bundle's `manifest.json`.
fn bundle_message(root: &Node) -> Option<Sentence> {
    root.member("manifest_version").or_else(|| root.member("dxt_version"))?;
    root.member("server")?.members()?;
    Some(say!(
        "this is the manifest of a bundle (.mcpb or .dxt), which can’t be read yet: unpack the bundle and add the command under server.mcp_config, with the bundle’s folder in place of {placeholder}",
        placeholder = "${__dirname}"
    ))
}

/// A `server.json` of the MCP registry, alone or in a response of the registry's API.
fn registry_message(root: &Node) -> Option<Sentence> {
    let listed = items(root, "servers")
        .find_map(|item| item.member("server").filter(|server| is_registry_entry(server)));
    let wrapped = || root.member("server").filter(|server| is_registry_entry(server));
    let entry = listed.or_else(wrapped).or_else(|| is_registry_entry(root).then_some(root))?;
    let url = || Some(text(items(entry, "remotes").next()?, "url")?.to_owned());
    Some(match items(entry, "packages").find_map(package_command).or_else(url) {
        Some(how) => say!(
            "this is an entry of the MCP registry, which can’t be read yet: add its server as {how}",
            how
        ),
        None => say!(
            "this is an entry of the MCP registry, which can’t be read yet: add its server by its command or URL"
        ),
    })
}

fn is_registry_entry(node: &Node) -> bool {
    let has_list = |name| node.member(name).is_some_and(|list| matches!(list.value, Value::Array(_)));
    text(node, "name").is_some() && (has_list("packages") || has_list("remotes"))
}

/// The command that runs a package.
fn package_command(package: &Node) -> Option<String> {
    let either = |new, old| text(package, new).or_else(|| text(package, old));
    let (kind, name) = (either("registryType", "registry_type")?, either("identifier", "name")?);
    let version = text(package, "version");
    match kind {
        "npm" => {
            Some(format!("npx -y {name}{}", version.map(|version| format!("@{version}")).unwrap_or_default()))
        }
        "pypi" => {
            Some(format!("uvx {name}{}", version.map(|version| format!("@{version}")).unwrap_or_default()))
        }
        "oci" | "docker" => Some(format!("docker run -i --rm {name}")),
        _ => None,
    }
}

fn text<'a>(node: &'a Node, name: &str) -> Option<&'a str> {
    node.member(name).and_then(Node::text)
}

fn items<'a>(node: &'a Node, name: &str) -> impl Iterator<Item = &'a Node> {
    let list = node.member(name).map(|list| &list.value);
    let items =
        list.and_then(|list| if let Value::Array(items) = list { Some(items.as_slice()) } else { None });
    items.unwrap_or_default().iter()
}
