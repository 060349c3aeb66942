//! A server as the person defines it.

mod secret;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use mooring_base::url_error::url_error_sentence;
use mooring_base::view_serde;
use mooring_store::{EraOverride, ServerRow, Transport};
use mooring_words::{Sentence, say};
use serde::{Deserialize, Serialize};
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
    /// Variables and headers with encrypted values. Their names are in neither of the maps above.
    pub secrets: Vec<ServerSecret>,
}

impl NewServer {
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
            .field("secrets", &self.secrets)
            .finish_non_exhaustive()
    }
}

impl From<&ServerRow> for NewServer {
    fn from(row: &ServerRow) -> Self {
        Self {
            name: row.name.clone(),
            transport: row.transport,
            command: row.command.clone(),
            args: row.args.clone(),
            env: row.env.clone(),
            cwd: row.cwd.clone(),
            url: row.url.clone(),
            headers: row.headers.clone(),
            timeout: row.timeout_ms.and_then(|ms| u64::try_from(ms).ok()).map(Duration::from_millis),
            era: row.era,
            secrets: row.secrets.iter().map(ServerSecret::from).collect(),
        }
    }
}

impl From<NewServer> for mooring_store::NewServer {
    fn from(server: NewServer) -> Self {
        Self {
            name: server.name,
            transport: server.transport,
            command: server.command,
            args: server.args,
            env: server.env,
            cwd: server.cwd,
            url: server.url,
            headers: server.headers,
            timeout_ms: server.timeout.map(|time| i64::try_from(time.as_millis()).unwrap_or(i64::MAX)),
            era: server.era,
        }
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
        let same = Self { name: other.name.clone(), timeout: other.timeout, ..self.clone() };
        same != *other
    }
}
