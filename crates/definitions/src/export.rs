//! Writes saved servers in the format of other applications: an object `mcpServers`.

use mooring_base::credentials::looks_secret;
use mooring_policy::secret_arguments;
use serde_json::{Map, Value, json};
use url::Url;

use crate::NewServer;
use crate::import::move_secrets;
use crate::{EraOverride, Transport};
use mooring_store::SecretPlace;

/// A configuration file for other applications.
#[derive(Debug)]
pub struct WrittenConfig {
    /// The file's content. Encrypted values, and variables and headers that look secret, are replaced by a
    /// placeholder `${input:NAME}`. Mooring asks for its value when it reads the file.
    pub content: Value,
    /// Whether the content has placeholders.
    pub has_placeholders: bool,
    /// The servers whose arguments or URL seem to contain a secret. The content includes it.
    pub exposed: Vec<String>,
}

/// Writes a configuration file for these servers.
pub fn write_config<'a>(servers: impl IntoIterator<Item = &'a NewServer>) -> WrittenConfig {
    let (mut entries, mut has_placeholders, mut exposed) = (Map::new(), false, Vec::new());
    for server in servers {
        let server = move_secrets(server.clone());
        has_placeholders |= !server.secrets.is_empty();
        let url = server.url.as_deref().and_then(|url| Url::parse(url).ok());
        let in_url = url.is_some_and(|url| {
            url.password().is_some() || url.query_pairs().any(|(name, _)| looks_secret(&name))
        });
        if in_url || !secret_arguments(&server.args).is_empty() {
            exposed.push(server.name.clone());
        }
        entries.insert(server.name.clone(), entry(&server));
    }
    WrittenConfig { content: json!({ "mcpServers": entries }), has_placeholders, exposed }
}

fn entry(server: &NewServer) -> Value {
    let mut members = Map::new();
    let secrets = |place: SecretPlace| {
        let here = server.secrets.iter().filter(move |secret| secret.place == place);
        here.map(|secret| (secret.name.clone(), Value::from(format!("${{input:{}}}", secret.name))))
    };
    let values =
        |plain: &std::collections::BTreeMap<String, String>, place: SecretPlace| -> Map<String, Value> {
            let plain = plain.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str())));
            plain.chain(secrets(place)).collect()
        };
    match server.transport {
        Transport::Stdio => {
            members.insert("command".to_owned(), server.command.as_deref().into());
            members.insert("args".to_owned(), server.args.as_slice().into());
            let env = values(&server.env, SecretPlace::Env);
            if !env.is_empty() {
                members.insert("env".to_owned(), env.into());
            }
            if let Some(cwd) = &server.cwd {
                members.insert("cwd".to_owned(), cwd.as_str().into());
            }
        }
        Transport::Http => {
            let kind = if server.era == EraOverride::Sse { "sse" } else { "http" };
            members.insert("type".to_owned(), kind.into());
            members.insert("url".to_owned(), server.url.as_deref().into());
            let headers = values(&server.headers, SecretPlace::Header);
            if !headers.is_empty() {
                members.insert("headers".to_owned(), headers.into());
            }
        }
    }
    members.into()
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
        let written = write_config(&servers);
        assert!(!written.has_placeholders && written.exposed.is_empty(), "{written:?}");
        let text = written.content.to_string();
        let read = read_config(&text, |_| false);
        let found: Vec<NewServer> = read.entries.into_iter().map(|entry| entry.server.unwrap()).collect();
        assert!(text.contains(r#""type":"sse""#), "{text}");
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
        let written = write_config([&server]);
        assert_eq!((written.has_placeholders, &*written.exposed), (true, &["weather".to_owned()][..]));
        let text = written.content.to_string();
        for name in ["API_KEY", "GITHUB_TOKEN"] {
            assert!(text.contains(&format!(r#""{name}":"${{input:{name}}}""#)), "{text}");
        }
        assert!(!text.contains("canary"), "{text}");
        let entry = read_config(&text, |_| false).entries.remove(0);
        let asked: Vec<String> =
            entry.server.unwrap().secrets.into_iter().map(|secret| secret.name).collect();
        assert_eq!(asked, ["API_KEY", "GITHUB_TOKEN"]);
    }
}
