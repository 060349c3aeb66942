//! Writes saved servers in the formats of other applications.

use std::collections::{BTreeMap, BTreeSet};

use mooring_base::credentials::looks_secret;
use mooring_policy::secret_arguments;
use serde_json::{Map, Value, json};
use url::Url;

use crate::NewServer;
use crate::import::move_secrets;
use crate::{EraOverride, Transport};
use mooring_store::SecretPlace;

/// The format of a configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigFormat {
    /// An object `mcpServers`, as most applications have it.
    McpServers,
    /// [VS Code's](https://code.visualstudio.com/docs/copilot/reference/mcp-configuration) `servers` and `inputs`.
    VsCode,
    /// [Codex's](https://developers.openai.com/codex/mcp) `mcp_servers`, in TOML.
    Codex,
    /// [`OpenCode`'s](https://opencode.ai/docs/mcp-servers) `mcp`.
    OpenCode,
}

/// A configuration file for other applications.
#[derive(Debug)]
pub struct WrittenConfig {
    /// The file's text.
    pub text: String,
    /// The text as JSON.
    pub content: Value,
    /// The names of the values that are left out: encrypted ones, and variables and headers that look secret. The
    /// content says that the application, or Mooring when it reads the file, asks for them or finds them in
    /// variables with these names.
    pub missing: BTreeSet<String>,
    /// The servers whose arguments or URL seem to contain a secret. The content includes it.
    pub exposed: Vec<String>,
    /// What the format can't say about a server: the server's name, and what is left out.
    pub lost: Vec<(String, &'static str)>,
    /// The servers whose names the format doesn't allow, and how they are written.
    pub renamed: Vec<(String, String)>,
}

/// Writes a configuration file for these servers.
pub fn write_config<'a>(
    servers: impl IntoIterator<Item = &'a NewServer>,
    format: ConfigFormat,
) -> Result<WrittenConfig, toml::ser::Error> {
    let mut written = WrittenConfig {
        text: String::new(),
        content: Value::Null,
        missing: BTreeSet::new(),
        exposed: Vec::new(),
        lost: Vec::new(),
        renamed: Vec::new(),
    };
    let mut entries = Map::new();
    for server in servers {
        let server = move_secrets(server.clone());
        let url = server.url.as_deref().and_then(|url| Url::parse(url).ok());
        let in_url = url.is_some_and(|url| {
            url.password().is_some() || url.query_pairs().any(|(name, _)| looks_secret(&name))
        });
        if in_url || !secret_arguments(&server.args).is_empty() {
            written.exposed.push(server.name.clone());
        }
        let entry = match format {
            ConfigFormat::McpServers | ConfigFormat::VsCode => usual_entry(&server, format, &mut written),
            ConfigFormat::Codex => codex_entry(&server, &mut written),
            ConfigFormat::OpenCode => opencode_entry(&server, &mut written),
        };
        let name = format.name_of(&server.name, |name| entries.contains_key(name));
        if name != server.name {
            written.renamed.push((server.name, name.clone()));
        }
        entries.insert(name, entry.into());
    }
    written.content = match format {
        ConfigFormat::McpServers => json!({ "mcpServers": entries }),
        ConfigFormat::VsCode => {
            let input = |name: &String| json!({ "type": "promptString", "id": name, "description": name, "password": true });
            let inputs: Vec<Value> = written.missing.iter().map(input).collect();
            json!({ "inputs": inputs, "servers": entries })
        }
        ConfigFormat::Codex => json!({ "mcp_servers": entries }),
        ConfigFormat::OpenCode => json!({ "$schema": "https://opencode.ai/config.json", "mcp": entries }),
    };
    written.text = match format {
        ConfigFormat::Codex => toml::to_string_pretty(&written.content)?,
        _ => format!("{:#}\n", written.content),
    };
    Ok(written)
}

impl ConfigFormat {
    /// A server's name in the file.
    fn name_of(self, name: &str, is_taken: impl Fn(&str) -> bool) -> String {
        if self != Self::Codex {
            return name.to_owned();
        }
        let allowed =
            |sign: char| if sign.is_ascii_alphanumeric() || "_-".contains(sign) { sign } else { '-' };
        let name: String = name.chars().map(allowed).collect();
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        std::iter::once(name.clone()).chain(numbered).find(|name| !is_taken(name)).unwrap_or(name)
    }
}

/// A member, unless its value is empty.
fn insert_filled(members: &mut Map<String, Value>, name: &str, values: Map<String, Value>) {
    if !values.is_empty() {
        members.insert(name.to_owned(), values.into());
    }
}

fn plain(values: &BTreeMap<String, String>) -> Map<String, Value> {
    values.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect()
}

/// The names of the secrets in a place.
fn secrets(server: &NewServer, place: SecretPlace) -> impl Iterator<Item = &str> {
    server.secrets.iter().filter(move |secret| secret.place == place).map(|secret| &*secret.name)
}

fn usual_entry(server: &NewServer, format: ConfigFormat, written: &mut WrittenConfig) -> Map<String, Value> {
    let mut values = |values: &BTreeMap<String, String>, place: SecretPlace| {
        let mut values = plain(values);
        for name in secrets(server, place) {
            // VS Code shares what the person entered between servers that name the same input.
            let key = match format {
                ConfigFormat::VsCode => format!("{}-{name}", server.name.replace(['{', '}'], "-")),
                _ => name.to_owned(),
            };
            values.insert(name.to_owned(), format!("${{input:{key}}}").into());
            written.missing.insert(key);
        }
        values
    };
    let mut members = Map::new();
    match server.transport {
        Transport::Stdio => {
            if format == ConfigFormat::VsCode {
                members.insert("type".to_owned(), "stdio".into());
            }
            members.insert("command".to_owned(), server.command.as_deref().into());
            members.insert("args".to_owned(), server.args.as_slice().into());
            insert_filled(&mut members, "env", values(&server.env, SecretPlace::Env));
            if let Some(cwd) = &server.cwd {
                members.insert("cwd".to_owned(), cwd.as_str().into());
            }
        }
        Transport::Http => {
            let kind = if server.era == EraOverride::Sse { "sse" } else { "http" };
            members.insert("type".to_owned(), kind.into());
            members.insert("url".to_owned(), server.url.as_deref().into());
            insert_filled(&mut members, "headers", values(&server.headers, SecretPlace::Header));
        }
    }
    members
}

fn codex_entry(server: &NewServer, written: &mut WrittenConfig) -> Map<String, Value> {
    let mut members = Map::new();
    match server.transport {
        Transport::Stdio => {
            members.insert("command".to_owned(), server.command.as_deref().into());
            members.insert("args".to_owned(), server.args.as_slice().into());
            let passed: Vec<&str> = secrets(server, SecretPlace::Env).collect();
            if !passed.is_empty() {
                members.insert("env_vars".to_owned(), passed.clone().into());
            }
            written.missing.extend(passed.into_iter().map(str::to_owned));
            if let Some(cwd) = &server.cwd {
                members.insert("cwd".to_owned(), cwd.as_str().into());
            }
            insert_filled(&mut members, "env", plain(&server.env));
        }
        Transport::Http => {
            note_sse(server, written);
            members.insert("url".to_owned(), server.url.as_deref().into());
            insert_filled(&mut members, "http_headers", plain(&server.headers));
            let mut named = Map::new();
            for header in secrets(server, SecretPlace::Header) {
                let variable = variable_for(server, header);
                written.missing.insert(variable.clone());
                named.insert(header.to_owned(), variable.into());
            }
            insert_filled(&mut members, "env_http_headers", named);
        }
    }
    members
}

fn opencode_entry(server: &NewServer, written: &mut WrittenConfig) -> Map<String, Value> {
    let mut members = Map::new();
    let (name, values) = match server.transport {
        Transport::Stdio => {
            let words = server.command.iter().chain(&server.args);
            let words: Vec<&str> = words.map(String::as_str).collect();
            members.insert("type".to_owned(), "local".into());
            members.insert("command".to_owned(), words.into());
            if server.cwd.is_some() {
                written.lost.push((server.name.clone(), "its folder"));
            }
            let mut values = plain(&server.env);
            for name in secrets(server, SecretPlace::Env) {
                values.insert(name.to_owned(), format!("{{env:{name}}}").into());
                written.missing.insert(name.to_owned());
            }
            ("environment", values)
        }
        Transport::Http => {
            members.insert("type".to_owned(), "remote".into());
            members.insert("url".to_owned(), server.url.as_deref().into());
            let mut values = plain(&server.headers);
            for header in secrets(server, SecretPlace::Header) {
                let variable = variable_for(server, header);
                values.insert(header.to_owned(), format!("{{env:{variable}}}").into());
                written.missing.insert(variable);
            }
            ("headers", values)
        }
    };
    members.insert("enabled".to_owned(), true.into());
    insert_filled(&mut members, name, values);
    members
}

/// The name of a variable for a server's header.
fn variable_for(server: &NewServer, header: &str) -> String {
    let sign = |sign: char| if sign.is_ascii_alphanumeric() { sign.to_ascii_uppercase() } else { '_' };
    format!("{}_{header}", server.name).chars().map(sign).collect()
}

fn note_sse(server: &NewServer, written: &mut WrittenConfig) {
    if server.era == EraOverride::Sse {
        written.lost.push((server.name.clone(), "its old transport HTTP+SSE, which Codex doesn’t have"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ServerSecret;
    use crate::import::read_config;

    #[test]
    fn what_is_written_is_read_as_the_same_server() {
        let mut local = NewServer::new("files", Transport::Stdio);
        local.command = Some("npx".to_owned());
        local.args = ["-y", "a-package", "a b", "\"q\""].map(str::to_owned).to_vec();
        local.env = [("UNITS".to_owned(), "metric".to_owned())].into();
        local.cwd = Some("/srv/files".to_owned());
        let mut remote = NewServer::new("far 青岛", Transport::Http);
        remote.url = Some("https://mcp.example.com/mcp?team=1".to_owned());
        remote.headers = [("X-Team".to_owned(), "a".to_owned())].into();
        let mut old = NewServer::new("old", Transport::Http);
        old.url = Some("https://old.example.com/sse".to_owned());
        old.era = EraOverride::Sse;
        let mut servers = [local, remote, old];
        let written = write_config(&servers, ConfigFormat::McpServers).unwrap();
        assert!(written.missing.is_empty() && written.exposed.is_empty(), "{written:?}");
        let text = written.text;
        let read = read_config(&text, |_| false);
        let found: Vec<NewServer> = read.entries.into_iter().map(|entry| entry.server.unwrap()).collect();
        assert!(text.contains(r#""type": "sse""#), "{text}");
        // The era is not exported; it is detected after the import.
        servers[2].era = EraOverride::Auto;
        assert_eq!(found, servers, "{text}");
    }

    #[test]
    fn an_encrypted_value_is_asked_for_by_whoever_reads_it() {
        let mut server = NewServer::new("weather", Transport::Stdio);
        server.command = Some("weather".to_owned());
        let name = "API_KEY".to_owned();
        server.secrets = vec![ServerSecret { place: SecretPlace::Env, name, value: None, entered: true }];
        server.env = [("GITHUB_TOKEN".to_owned(), "canary".to_owned())].into();
        server.args = ["--api-key".to_owned(), "abc".to_owned()].into();
        let written = write_config([&server], ConfigFormat::McpServers).unwrap();
        let names = ["API_KEY", "GITHUB_TOKEN"];
        assert!(written.missing.iter().eq(&names), "{written:?}");
        assert_eq!(written.exposed, ["weather"]);
        let text = written.text;
        for name in names {
            assert!(text.contains(&format!(r#""{name}": "${{input:{name}}}""#)), "{text}");
        }
        assert!(!text.contains("canary"), "{text}");
        let entry = read_config(&text, |_| false).entries.remove(0);
        let asked: Vec<String> =
            entry.server.unwrap().secrets.into_iter().map(|secret| secret.name).collect();
        assert_eq!(asked, names);
    }

    #[test]
    fn every_format_is_read_as_the_same_servers() {
        let mut local = NewServer::new("my files", Transport::Stdio);
        local.command = Some("npx".to_owned());
        local.args = ["-y", "a b", "\"q\" 青"].map(str::to_owned).to_vec();
        local.env =
            [("UNITS".to_owned(), "metric".to_owned()), ("KEY".to_owned(), "canary".to_owned())].into();
        local.cwd = Some("/srv/files".to_owned());
        let mut remote = NewServer::new("my-files", Transport::Http);
        remote.url = Some("https://mcp.example.com/mcp?team=1".to_owned());
        remote.headers =
            [("X-Team".to_owned(), "a".to_owned()), ("Authorization".to_owned(), "Bearer canary".to_owned())]
                .into();
        let servers = [local, remote];
        for (format, missing, name) in [
            (ConfigFormat::VsCode, ["my files-KEY", "my-files-Authorization"], "my files"),
            (ConfigFormat::Codex, ["KEY", "MY_FILES_AUTHORIZATION"], "my-files"),
            (ConfigFormat::OpenCode, ["KEY", "MY_FILES_AUTHORIZATION"], "my files"),
        ] {
            let written = write_config(&servers, format).unwrap();
            let text = written.text;
            assert!(!text.contains("canary") && written.missing.iter().eq(&missing), "{text}");
            let report = read_config(&text, |_| false);
            assert!(report.error.is_none(), "{report:?} {text}");
            let is_codex = format == ConfigFormat::Codex;
            let second = if is_codex { "my-files-2" } else { "my-files" };
            let found: Vec<NewServer> =
                report.entries.into_iter().map(|entry| entry.server.unwrap()).collect();
            let names: Vec<&str> = found.iter().map(|server| &*server.name).collect();
            assert_eq!(names, [name, second]);
            assert_eq!(written.renamed.len(), if is_codex { 2 } else { 0 });
            assert_eq!(written.lost.len(), usize::from(format == ConfigFormat::OpenCode));
            for (found, server) in found.iter().zip(&servers) {
                assert_eq!(
                    (&found.command, &found.args, &found.url),
                    (&server.command, &server.args, &server.url)
                );
                assert_eq!(found.secrets.len(), 1, "{text}");
                let plain = server.env.len() + server.headers.len() - 1;
                assert_eq!(found.env.len() + found.headers.len(), plain, "{text}");
            }
        }
    }
}
