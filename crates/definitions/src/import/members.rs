//! The members of a server's entry, by the names that applications use.

use mooring_words::say;

use super::node::{Node, Value};
use super::{EntryError, entry_error};

pub(super) const COMMAND: [&str; 2] = ["command", "cmd"];
pub(super) const ARGS: [&str; 2] = ["args", "arguments"];
pub(super) const ENV: [&str; 5] = ["env", "environment", "envs", "environmentvariables", "envvars"];
/// Names of variables whose values are saved elsewhere by the application.
pub(super) const ENV_NAMES: [&str; 2] = ["envkeys", "envvars"];
pub(super) const CWD: [&str; 4] = ["cwd", "workingdirectory", "workdir", "workingdir"];
pub(super) const URL: [&str; 7] = ["httpurl", "url", "serverurl", "uri", "baseurl", "endpoint", "sseurl"];
pub(super) const HEADERS: [&str; 4] = ["headers", "httpheaders", "requestheaders", "customheaders"];
/// Where Continue has the headers, next to settings of the connection.
pub(super) const REQUEST_OPTIONS: &str = "requestoptions";
pub(super) const TYPE: [&str; 4] = ["type", "transport", "transporttype", "connectiontype"];
pub(super) const NAME: [&str; 5] = ["name", "serverlabel", "servername", "label", "id"];
pub(super) const TIMEOUT: [&str; 6] =
    ["timeout", "timeoutms", "requesttimeout", "requesttimeoutms", "tooltimeoutsec", "timeoutsec"];
pub(super) const DISABLED: [&str; 2] = ["disabled", "disable"];
pub(super) const ENABLED: [&str; 5] = ["enabled", "isactive", "active", "isenabled", "enable"];
/// Name of the variable with the bearer token.
pub(super) const BEARER_VARIABLE: [&str; 2] = ["bearertokenenvvar", "tokenenvvar"];
/// Headers whose values are in variables.
pub(super) const ENV_HEADERS: [&str; 1] = ["envhttpheaders"];
/// The bearer token itself.
pub(super) const BEARER: [&str; 3] = ["bearertoken", "authorizationtoken", "accesstoken"];
/// Permissions: what runs without a question, and which tools are available.
pub(super) const PERMISSIONS: [&str; 15] = [
    "autoapprove",
    "alwaysallow",
    "alwaysallowed",
    "trust",
    "requireapproval",
    "includetools",
    "excludetools",
    "enabledtools",
    "disabledtools",
    "allowedtools",
    "availabletools",
    "toolfilter",
    "tools",
    "autoapprovedtools",
    "defaulttoolsapprovalmode",
];
pub(super) const OAUTH: [&str; 3] = ["oauth", "auth", "authentication"];
/// Members that only describe a server, or the values that the person enters.
pub(super) const DESCRIPTIVE: [&str; 23] = [
    "description",
    "title",
    "displayname",
    "icon",
    "logourl",
    "homepage",
    "website",
    "provider",
    "providerurl",
    "tags",
    "version",
    "source",
    "comment",
    "note",
    "notes",
    "gallery",
    "schema",
    "registryurl",
    "author",
    "installsource",
    "bundled",
    "faviconurl",
    "inputs",
];

/// A name's letters and digits in lower case, so that `serverUrl`, `server_url` and `server-url` are equal.
pub(super) fn canonical(name: &str) -> String {
    name.chars().filter(|it| it.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The first non-empty member with one of these names, in the order of `names`.
pub(super) fn find_member<'a>(node: &'a Node, names: &[&str]) -> Option<&'a Node> {
    let members = node.members()?;
    // The last of several members with the same name counts, like in every JSON parser.
    let named = |name: &&str| {
        members.iter().rev().find(|member| canonical(&member.name) == **name && !is_empty(&member.node))
    };
    let own = names.iter().find_map(named).map(|member| &member.node);
    own.or_else(|| {
        // Continue and the registry put the connection into an object of its own.
        let inner = node.member("transport").filter(|inner| inner.members().is_some())?;
        find_member(inner, names)
    })
}

/// Whether there is a member with one of these names, with any value.
pub(super) fn has_member(node: &Node, names: &[&str]) -> bool {
    let is_named = |node: &Node| {
        let members = node.members().unwrap_or_default();
        members.iter().any(|member| names.contains(&canonical(&member.name).as_str()))
    };
    is_named(node) || node.member("transport").is_some_and(is_named)
}

/// Whether a value is empty. Exporters write such values for missing input, so they count as missing.
pub(super) fn is_empty(node: &Node) -> bool {
    match &node.value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

/// A list of strings. Numbers and booleans become strings as they are written.
pub(super) fn texts(node: &Node, name: &str) -> Result<Vec<String>, EntryError> {
    let Value::Array(items) = &node.value else {
        return Err(entry_error(
            node.start,
            say!("{name} must be a list, but this is {kind}", name, kind = node.kind()),
        ));
    };
    items.iter().map(|item| scalar_text(item, name)).collect()
}

pub(super) fn scalar_text(node: &Node, name: &str) -> Result<String, EntryError> {
    match &node.value {
        Value::String(text) | Value::Number(text) => Ok(text.clone()),
        Value::Bool(value) => Ok(value.to_string()),
        _ => Err(entry_error(
            node.start,
            say!("a string is required in {name}, but this is {kind}", name, kind = node.kind()),
        )),
    }
}
