//! Reads a manifest. Lenient where nothing depends on it; what the server needs has to be right.

use std::collections::BTreeMap;

use mooring_words::{Sentence, say};
use serde_json::{Map, Value};

use super::fields::{Problems, member, optional_flag, optional_text, plain_text};
use super::{
    BundleAuthor, BundleCompatibility, BundleKind, BundleManifest, BundleServer, BundleTool, LaunchConfig,
    LaunchOverride,
};
use crate::config::{ConfigKind, ConfigOption, ConfigValue};
use crate::error::{BundleError, BundleErrorCode};

/// The newest version of the format that is read.
const NEWEST: (u64, u64) = (0, 4);
/// What some editors write at the beginning of a file.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl BundleManifest {
    /// Reads the bytes of a `manifest.json`. An error names what is missing or wrong.
    pub fn read(bytes: &[u8]) -> Result<Self, BundleError> {
        let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        let value: Value = serde_json::from_slice(bytes).map_err(|error| {
            let error = error.to_string();
            invalid(say!("the bundle’s manifest.json isn’t valid JSON: {error}", error))
        })?;
        let Some(root) = value.as_object() else {
            return Err(invalid(say!("the bundle’s manifest.json isn’t an object")));
        };
        let mut problems = Problems::default();
        // A newer version may have moved everything else.
        let manifest_version = read_manifest_version(root, &mut problems)?;
        let manifest = read_root(root, manifest_version, &mut problems);
        if !problems.missing.is_empty() {
            let fields = problems.missing.join(", ");
            return Err(invalid(say!("the bundle’s manifest.json lacks {fields}", fields)));
        }
        if !problems.wrong.is_empty() {
            let fields = problems.wrong.join(", ");
            return Err(invalid(say!(
                "the bundle’s manifest.json has an unknown kind of value for {fields}",
                fields
            )));
        }
        Ok(manifest)
    }
}

/// `manifest_version`, or `dxt_version` as it was first called.
fn read_manifest_version(root: &Map<String, Value>, problems: &mut Problems) -> Result<String, BundleError> {
    let value = member(Some(root), "manifest_version").or_else(|| member(Some(root), "dxt_version"));
    let Some(value) = value else {
        problems.missing.push("manifest_version".to_owned());
        return Ok(String::new());
    };
    let text = plain_text(value).unwrap_or_default();
    let mut numbers = text.trim().split('.').map(str::parse::<u64>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) if (major, minor) > NEWEST => {
            let newest = format!("{}.{}", NEWEST.0, NEWEST.1);
            let sentence = say!(
                "the bundle uses version {version} of the format, and this Mooring reads versions up to {newest}",
                version = text.trim(),
                newest
            );
            Err(BundleError::new(BundleErrorCode::NewerManifest, sentence))
        }
        (Some(Ok(_)), Some(Ok(minor))) if minor > 0 => Ok(text.trim().to_owned()),
        _ => {
            problems.wrong.push("manifest_version".to_owned());
            Ok(String::new())
        }
    }
}

fn read_root(root: &Map<String, Value>, manifest_version: String, problems: &mut Problems) -> BundleManifest {
    let some = Some(root);
    let tools = list_of(some, "tools").filter_map(|tool| {
        let tool = tool.as_object();
        Some(BundleTool {
            name: optional_text(tool, "name")?,
            description: optional_text(tool, "description"),
        })
    });
    let policies = list_of(some, "privacy_policies").filter_map(Value::as_str).map(str::to_owned);
    BundleManifest {
        manifest_version,
        name: problems.required_text(root.get("name"), "name"),
        display_name: optional_text(some, "display_name"),
        version: problems.required_text(root.get("version"), "version"),
        description: problems.required_text(root.get("description"), "description"),
        long_description: optional_text(some, "long_description"),
        author: read_author(root.get("author"), problems),
        icon: optional_text(some, "icon").or_else(|| {
            let first = list_of(some, "icons").next()?.as_object();
            optional_text(first, "src")
        }),
        homepage: optional_text(some, "homepage"),
        documentation: optional_text(some, "documentation"),
        support: optional_text(some, "support"),
        repository: optional_text(some, "repository")
            .or_else(|| optional_text(member(some, "repository").and_then(Value::as_object), "url")),
        license: optional_text(some, "license"),
        privacy_policies: policies.collect(),
        tools: tools.collect(),
        tools_generated: optional_flag(some, "tools_generated"),
        server: read_server(root.get("server"), problems),
        user_config: read_user_config(member(some, "user_config"), problems),
        compatibility: read_compatibility(member(some, "compatibility").and_then(Value::as_object)),
    }
}

/// An object, or a name alone as in a `package.json`.
fn read_author(value: Option<&Value>, problems: &mut Problems) -> BundleAuthor {
    if let Some(Value::String(_)) = value {
        return BundleAuthor {
            name: problems.required_text(value, "author.name"),
            ..BundleAuthor::default()
        };
    }
    let author = value.and_then(Value::as_object);
    BundleAuthor {
        name: problems.required_text(member(author, "name"), "author.name"),
        email: optional_text(author, "email"),
        url: optional_text(author, "url"),
    }
}

fn read_server(value: Option<&Value>, problems: &mut Problems) -> BundleServer {
    let server = value.and_then(Value::as_object);
    let name = problems.required_text(member(server, "type"), "server.type");
    let kind = match name.as_str() {
        "node" => BundleKind::Node,
        "python" => BundleKind::Python,
        "binary" => BundleKind::Binary,
        "uv" => BundleKind::Uv,
        other => {
            if !other.is_empty() {
                problems.wrong.push("server.type".to_owned());
            }
            BundleKind::Binary
        }
    };
    let entry_point = problems.required_text(member(server, "entry_point"), "server.entry_point");
    let config = match member(server, "mcp_config") {
        Some(Value::Object(config)) => Some(config),
        Some(_) => {
            problems.wrong.push("server.mcp_config".to_owned());
            None
        }
        None if kind == BundleKind::Uv => None,
        None => {
            problems.missing.push("server.mcp_config".to_owned());
            None
        }
    };
    let launch = config.map(|config| {
        let own = read_override(config, "server.mcp_config", problems);
        let command = problems.required_text(config.get("command"), "server.mcp_config.command");
        LaunchConfig { command, args: own.args.unwrap_or_default(), env: own.env.unwrap_or_default() }
    });
    let mut overrides = BTreeMap::new();
    let systems = member(config, "platform_overrides").and_then(Value::as_object);
    for (system, value) in systems.into_iter().flatten() {
        if let Some(value) = value.as_object() {
            let path = format!("server.mcp_config.platform_overrides.{system}");
            overrides.insert(system.clone(), read_override(value, &path, problems));
        }
    }
    BundleServer { kind, entry_point, launch, overrides }
}

fn read_override(config: &Map<String, Value>, path: &str, problems: &mut Problems) -> LaunchOverride {
    let config = Some(config);
    let command = match member(config, "command") {
        None => None,
        Some(Value::String(command)) => Some(command.trim().to_owned()).filter(|command| !command.is_empty()),
        Some(_) => {
            problems.wrong.push(format!("{path}.command"));
            None
        }
    };
    LaunchOverride {
        command,
        args: member(config, "args").map(|args| problems.texts(args, &format!("{path}.args"))),
        env: member(config, "env").map(|env| problems.named_texts(env, &format!("{path}.env"))),
    }
}

fn read_user_config(value: Option<&Value>, problems: &mut Problems) -> Vec<ConfigOption> {
    let options = match value {
        None => return Vec::new(),
        Some(Value::Object(options)) => options,
        Some(_) => {
            problems.wrong.push("user_config".to_owned());
            return Vec::new();
        }
    };
    options.iter().map(|(key, option)| read_option(key, option, problems)).collect()
}

fn read_option(key: &str, value: &Value, problems: &mut Problems) -> ConfigOption {
    let option = value.as_object();
    let path = format!("user_config.{key}");
    let name = problems.required_text(member(option, "type"), &format!("{path}.type"));
    let kind = match name.as_str() {
        "number" => ConfigKind::Number,
        "boolean" => ConfigKind::Boolean,
        "directory" => ConfigKind::Directory,
        "file" => ConfigKind::File,
        other => {
            if !matches!(other, "string" | "") {
                problems.wrong.push(format!("{path}.type"));
            }
            ConfigKind::String
        }
    };
    let default = match member(option, "default") {
        None => None,
        Some(Value::String(text)) => Some(ConfigValue::Text(text.clone())),
        Some(Value::Number(number)) => number.as_f64().map(ConfigValue::Number),
        Some(Value::Bool(is_on)) => Some(ConfigValue::Boolean(*is_on)),
        Some(list) => Some(ConfigValue::List(problems.texts(list, &format!("{path}.default")))),
    };
    let option = ConfigOption {
        key: key.to_owned(),
        kind,
        title: optional_text(option, "title").unwrap_or_else(|| key.to_owned()),
        description: optional_text(option, "description").unwrap_or_default(),
        required: optional_flag(option, "required"),
        default: default.map(|default| convert_default(default, kind)),
        multiple: optional_flag(option, "multiple"),
        sensitive: optional_flag(option, "sensitive"),
        min: member(option, "min").and_then(Value::as_f64),
        max: member(option, "max").and_then(Value::as_f64),
    };
    // A default that isn't allowed would be an error that only the author can correct.
    if option.default.is_some() && option.check(None).is_err() {
        return ConfigOption { default: None, ..option };
    }
    option
}

/// A default as the kind has it. Authors write numbers and booleans as texts, and the other way round.
fn convert_default(default: ConfigValue, kind: ConfigKind) -> ConfigValue {
    match (kind, &default) {
        (ConfigKind::Number, ConfigValue::Text(text)) => {
            text.trim().parse().map(ConfigValue::Number).unwrap_or(default)
        }
        (ConfigKind::Boolean, ConfigValue::Text(text)) => {
            text.trim().parse().map(ConfigValue::Boolean).unwrap_or(default)
        }
        (ConfigKind::String, ConfigValue::Number(_) | ConfigValue::Boolean(_)) => {
            ConfigValue::Text(default.texts().concat())
        }
        _ => default,
    }
}

fn read_compatibility(value: Option<&Map<String, Value>>) -> BundleCompatibility {
    let runtimes = member(value, "runtimes").and_then(Value::as_object);
    let clients = value.into_iter().flatten();
    let clients = clients.filter(|(name, _)| !["platforms", "runtimes"].contains(&name.as_str()));
    let clients = clients.filter_map(|(name, range)| Some((name.clone(), range.as_str()?.to_owned())));
    BundleCompatibility {
        systems: list_of(value, "platforms").filter_map(Value::as_str).map(str::to_owned).collect(),
        node: optional_text(runtimes, "node"),
        python: optional_text(runtimes, "python"),
        clients: clients.collect(),
    }
}

fn list_of<'a>(object: Option<&'a Map<String, Value>>, name: &str) -> impl Iterator<Item = &'a Value> {
    member(object, name).and_then(Value::as_array).into_iter().flatten()
}

fn invalid(sentence: Sentence) -> BundleError {
    BundleError::new(BundleErrorCode::InvalidManifest, sentence)
}
