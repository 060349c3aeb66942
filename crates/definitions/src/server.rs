//! A server as the person defines it.

mod secret;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use mooring_base::url_error::url_error_sentence;
use mooring_base::view_serde;
use mooring_store::{SecretPlace, ServerRow};
use mooring_words::{Sentence, say};
use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;
use url::Url;

pub use self::secret::ServerSecret;
pub use self::secret::check_header_origins;

/// The longest name of a server, in characters.
const MAX_NAME: usize = 128;

/// Why a definition is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidServer {
    /// The field's name in the form.
    pub field: &'static str,
    /// What is wrong with the field.
    pub message: Sentence,
}

/// How a server is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// A program on this computer, through its standard streams.
    Stdio,
    /// An address, through HTTP.
    Http,
}

impl Transport {
    /// `stdio` or `http`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
        }
    }
}

/// The person's choice of the era to negotiate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum EraOverride {
    /// Detect the era.
    #[default]
    Auto,
    /// The stateless protocol, in which each request is independent.
    Modern,
    /// A session.
    Session,
    /// HTTP+SSE of old.
    Sse,
}

impl EraOverride {
    /// All choices.
    pub const ALL: [Self; 4] = [Self::Auto, Self::Modern, Self::Session, Self::Sse];

    /// `auto`, `modern`, `session` or `sse`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Modern => "modern",
            Self::Session => "session",
            Self::Sse => "sse",
        }
    }

    /// The choice of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|era| era.as_str() == name)
    }
}

/// When a saved server is started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum StartRule {
    /// Together with Mooring. It runs until Mooring quits.
    #[default]
    WithMooring,
    /// When something is asked of it, once it is known what it offers. It is stopped when it has not been used
    /// for a while.
    OnUse,
}

/// A server to save, as it comes from the form or an import, before validation.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "ServerInput")]
pub struct NewServer {
    /// The person's name for it, unique among the saved servers.
    pub name: String,
    /// How the server is reached.
    pub transport: Transport,
    /// The program to start, for [`Transport::Stdio`].
    pub command: Option<String>,
    /// The program's arguments.
    pub args: Vec<String>,
    /// Environment variables declared for the program.
    pub env: BTreeMap<String, String>,
    /// The program's working directory. `None` for a private directory.
    pub cwd: Option<String>,
    /// The URL, for [`Transport::Http`].
    pub url: Option<String>,
    /// Headers that are sent with every request.
    pub headers: BTreeMap<String, String>,
    /// How long a request may be silent. `None` uses the global setting.
    #[serde(rename = "timeoutMs", default, with = "view_serde::whole_millis")]
    #[ts(type = "number | null")]
    pub timeout: Option<Duration>,
    /// The era to negotiate.
    pub era: EraOverride,
    /// When the server is started.
    #[serde(default)]
    pub start: StartRule,
    /// Variables and headers with encrypted values. Their names are in neither of the maps above.
    pub secrets: Vec<ServerSecret>,
}

impl NewServer {
    /// Whether it sleeps until something uses it.
    pub fn starts_on_use(&self) -> bool {
        self.start == StartRule::OnUse
    }

    /// A server with a name and a transport, and nothing else.
    pub fn new(name: &str, transport: Transport) -> Self {
        Self {
            name: name.to_owned(),
            transport,
            command: None,
            args: Vec::new(),
            env: BTreeMap::new(),
            cwd: None,
            url: None,
            headers: BTreeMap::new(),
            timeout: None,
            era: EraOverride::Auto,
            start: StartRule::WithMooring,
            secrets: Vec::new(),
        }
    }
}

impl fmt::Debug for NewServer {
    /// Shows only the names of variables and headers, because their values may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewServer")
            .field("name", &self.name)
            .field("transport", &self.transport)
            .field("command", &self.command)
            .field("args", &self.args.len())
            .field("env", &self.env.keys())
            .field("cwd", &self.cwd)
            .field("headers", &self.headers.keys())
            .field("timeout", &self.timeout)
            .field("era", &self.era)
            .field("start", &self.start)
            .field("secrets", &self.secrets)
            .finish_non_exhaustive()
    }
}

impl NewServer {
    /// The fields, without the name and the secrets, and without those that have the value of [`NewServer::new`]: so a
    /// new field changes neither the saved document nor a hash of a server that doesn't use it. The transport is always
    /// there.
    pub fn to_members(&self) -> Result<Map<String, Value>, serde_json::Error> {
        let defaults = serde_json::to_value(Self::new(&self.name, self.transport))?;
        let mut members: Map<String, Value> = serde_json::from_value(serde_json::to_value(self)?)?;
        members.retain(|name, value| {
            name == "transport" || (name != "secrets" && defaults.get(name) != Some(value))
        });
        Ok(members)
    }

    /// The document that is saved of it, as a JSON object.
    pub fn to_document(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(&self.to_members()?)
    }

    /// Sets the fields that `members` names, as in [`Self::to_document`]. The name and the secrets stay.
    pub fn with_members(self, members: Map<String, Value>) -> Result<Self, serde_json::Error> {
        let mut all: Map<String, Value> = serde_json::from_value(serde_json::to_value(&self)?)?;
        all.extend(members);
        let changed: Self = serde_json::from_value(all.into())?;
        Ok(Self { name: self.name, secrets: self.secrets, ..changed })
    }

    /// Reads a saved document. A field that it does not have has the value of [`NewServer::new`].
    fn from_row(row: &ServerRow) -> Result<Self, serde_json::Error> {
        let empty = Self::without_definition(row);
        let saved: Map<String, Value> = serde_json::from_str(&row.definition)?;
        let known: Map<String, Value> = serde_json::from_value(serde_json::to_value(&empty)?)?;
        // A newer version may share this database. Without its fields, the server would be another one, and saving
        // it would lose them.
        if let Some(unknown) = saved.keys().find(|name| !known.contains_key(*name)) {
            return Err(serde_json::Error::custom(format!("unknown field: {unknown}")));
        }
        empty.with_members(saved)
    }

    /// What is known of a saved server without its document: the name, and the names of the encrypted values,
    /// which also say whether it had a URL.
    fn without_definition(row: &ServerRow) -> Self {
        let secrets: Vec<_> = row.secrets.iter().map(ServerSecret::from).collect();
        let is_remote = secrets.iter().any(|secret| secret.place == SecretPlace::Header);
        let transport = if is_remote { Transport::Http } else { Transport::Stdio };
        Self { secrets, ..Self::new(&row.name, transport) }
    }
}

/// A saved server: its row, and the definition in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedServer {
    /// The row.
    pub row: ServerRow,
    /// What the row's document defines.
    pub config: NewServer,
}

impl From<ServerRow> for SavedServer {
    /// Reads the definition. If another program or a newer version made it unreadable, nothing of it is used but
    /// the names of the encrypted values, so that they stay when the person enters the rest again. The server is
    /// listed and can be changed or removed, but not started.
    fn from(row: ServerRow) -> Self {
        let config = NewServer::from_row(&row).unwrap_or_else(|error| {
            tracing::warn!(server = row.id, %error, "the saved definition of a server could not be read");
            NewServer::without_definition(&row)
        });
        Self { row, config }
    }
}

impl NewServer {
    /// Normalizes the definition before it is saved: trims it, and removes what belongs to the other
    /// transport. Refuses what can't work, with the name of the field.
    pub fn validated(mut self) -> Result<Self, InvalidServer> {
        let invalid = |field, message: Sentence| Err(InvalidServer { field, message });
        self.name = String::from(self.name.trim());
        if self.name.is_empty() {
            return invalid("name", say!("a name is required"));
        }
        if self.name.chars().count() > MAX_NAME {
            return invalid("name", say!("the name is longer than {limit} characters", limit = MAX_NAME));
        }
        if self.name.chars().any(char::is_control) {
            return invalid("name", say!("the name contains a control character"));
        }
        if self.timeout.is_some_and(|timeout| timeout.is_zero()) {
            return invalid("timeoutMs", say!("the time must be longer than zero"));
        }
        self.secrets = secret::validated_secrets(&self)?;
        match self.transport {
            Transport::Stdio => self.validate_stdio(),
            Transport::Http => self.validate_http(),
        }
    }

    fn validate_stdio(self) -> Result<Self, InvalidServer> {
        let invalid = |field, message: Sentence| Err(InvalidServer { field, message });
        let command = self.command.as_deref().map(str::trim).unwrap_or_default().to_owned();
        if command.is_empty() {
            return invalid("command", say!("a command is required"));
        }
        if command.contains('\0') {
            return invalid("command", say!("the command contains a NUL character"));
        }
        if let Some(index) = self.args.iter().position(|argument| argument.contains('\0')) {
            return invalid(
                "args",
                say!("an argument contains a NUL character: number {number}", number = index + 1),
            );
        }
        for (name, value) in &self.env {
            if name.is_empty() || name.contains(['=', '\0']) {
                return invalid("env", say!("not a variable name: {name}", name = format!("{name:?}")));
            }
            if value.contains('\0') {
                return invalid("env", say!("the value contains a NUL character: {name}", name));
            }
        }
        if self.era == EraOverride::Sse {
            return invalid("era", say!("HTTP+SSE needs a URL; this server is a program"));
        }
        let cwd = self.cwd.filter(|cwd| !cwd.trim().is_empty());
        if let Some(cwd) = cwd.as_deref().filter(|cwd| !Path::new(cwd).is_absolute()) {
            return invalid("cwd", say!("enter the folder’s full path: {path}", path = cwd));
        }
        Ok(Self { command: Some(command), cwd, url: None, headers: BTreeMap::new(), ..self })
    }

    fn validate_http(self) -> Result<Self, InvalidServer> {
        let invalid = |field, message: Sentence| Err(InvalidServer { field, message });
        let url = self.url.as_deref().map(str::trim).unwrap_or_default().to_owned();
        if let Err(message) = check_url(&url) {
            return invalid("url", message);
        }
        for (name, value) in &self.headers {
            if http::HeaderName::from_bytes(name.as_bytes()).is_err() {
                return invalid("headers", say!("not a header name: {name}", name = format!("{name:?}")));
            }
            if http::HeaderValue::from_str(value).is_err() {
                return invalid("headers", say!("the value can’t be sent in a header: {name}", name));
            }
        }
        Ok(Self { url: Some(url), command: None, args: Vec::new(), env: BTreeMap::new(), cwd: None, ..self })
    }
}

/// Refuses anything but the URL of an MCP server. The error is a sentence for the person.
pub fn check_url(url: &str) -> Result<(), Sentence> {
    if url.is_empty() {
        return Err(say!("a URL is required"));
    }
    match Url::parse(url) {
        Err(error) => Err(say!("not a URL ({reason}): {url}", reason = url_error_sentence(error), url)),
        Ok(parsed) if !matches!(parsed.scheme(), "http" | "https") => {
            Err(say!("the URL must start with https:// or http://: {url}", url))
        }
        Ok(parsed) if parsed.host_str().is_none_or(str::is_empty) => {
            Err(say!("the URL has no host: {url}", url))
        }
        Ok(parsed) if !parsed.username().is_empty() || parsed.password().is_some() => {
            Err(say!("a URL shouldn’t contain a user name or password: use a header"))
        }
        Ok(_) => Ok(()),
    }
}

impl NewServer {
    /// Whether a connection must be restarted when `self` is changed to `other`.
    pub fn needs_restart(&self, other: &Self) -> bool {
        let same =
            Self { name: other.name.clone(), timeout: other.timeout, start: other.start, ..self.clone() };
        same != *other
    }
}

#[cfg(test)]
mod tests {
    use mooring_store::ServerSecretRow;

    use super::*;

    fn row(definition: &str) -> ServerRow {
        ServerRow {
            id: 1,
            name: "s".to_owned(),
            definition: definition.to_owned(),
            enabled: true,
            loads_icons: false,
            instances: "automatic".to_owned(),
            asks_for_roots: false,
            asks_apps: false,
            secrets: Vec::new(),
            created_at_us: 0,
            updated_at_us: 0,
        }
    }

    #[test]
    fn a_definition_is_read_as_it_was_saved() {
        let server = NewServer {
            command: Some("npx".to_owned()),
            args: vec!["-y".to_owned(), "a \"b\"\n\u{2028}日本".to_owned()],
            env: BTreeMap::from([("KEY".to_owned(), "v".to_owned())]),
            cwd: Some("/tmp".to_owned()),
            timeout: Some(Duration::from_millis(1_500)),
            era: EraOverride::Session,
            ..NewServer::new("s", Transport::Stdio)
        };
        let document = server.to_document().unwrap();
        assert_eq!(SavedServer::from(row(&document)).config, server);
        let remote = NewServer { url: Some("https://a".to_owned()), ..NewServer::new("s", Transport::Http) };
        let document = remote.to_document().unwrap();
        assert_eq!(document, r#"{"transport":"http","url":"https://a"}"#);
        assert_eq!(SavedServer::from(row(&document)).config, remote);
    }

    #[test]
    fn a_document_holds_neither_the_name_nor_a_secret() {
        let secret = ServerSecret {
            place: SecretPlace::Env,
            name: "TOKEN".to_owned(),
            value: Some("CANARY".to_owned().into()),
            entered: true,
        };
        let server = NewServer { secrets: vec![secret], ..NewServer::new("CANARY", Transport::Stdio) };
        assert_eq!(server.to_document().unwrap(), r#"{"transport":"stdio"}"#);
        // Nor is either believed that another program wrote there.
        let foreign =
            r#"{"transport":"stdio","name":"x","secrets":[{"place":"env","name":"X","entered":true}]}"#;
        let read = SavedServer::from(row(foreign)).config;
        assert_eq!((read.name.as_str(), read.secrets.len()), ("s", 0));
    }

    #[test]
    fn nothing_is_used_of_a_document_that_can_not_be_read() {
        for text in [
            r#"{"transport":"stdio","command":"x","newer":1}"#,
            r#"{"transport":"stdio","args":"[]"}"#,
            r#"{"transport":"stdio","args":null}"#,
            r#"{"transport":"stdio","env":"{}"}"#,
            r#"{"transport":"stdio","command":["x"]}"#,
            "",
            "[]",
            "{}x",
            r#"{"transport":"pigeon"}"#,
            r#"{"transport":"stdio","command":"x","args":"["}"#,
        ] {
            let read = SavedServer::from(row(text)).config;
            assert_eq!(read, NewServer::new("s", Transport::Stdio), "{text}");
        }
    }

    #[test]
    fn secrets_of_an_unreadable_definition_say_its_transport() {
        for (place, transport) in
            [(SecretPlace::Env, Transport::Stdio), (SecretPlace::Header, Transport::Http)]
        {
            let secret = ServerSecretRow { place, name: "X-KEY".to_owned(), secret_id: None };
            let read = SavedServer::from(ServerRow { secrets: vec![secret], ..row("[]") }).config;
            let server = if transport == Transport::Http {
                NewServer { url: Some("https://a.example".to_owned()), ..read }
            } else {
                NewServer { command: Some("x".to_owned()), ..read }
            };
            // Entering the rest again keeps them.
            assert_eq!(server.validated().unwrap().secrets.len(), 1, "{place:?}");
        }
    }
}
