//! Who calls a server's tools.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use mooring_base::app_call::APP_PREFIX;
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize, Serializer};
use ts_rs::TS;

/// Who wants to call a tool.
#[derive(Debug, Clone, PartialEq, Eq, Hash, TS)]
#[ts(type = "\"workbench\" | \"command_line\" | \"sampling\" | `app:${string}`")]
pub enum Caller {
    /// The person pressed Run.
    Workbench,
    /// The person named the tool on the command line.
    CommandLine,
    /// A model wants to call a tool of the server that asked it (sampling).
    Sampling,
    /// Another app, through the gateway.
    App(AppCaller),
}

/// The app that calls. Two callers are equal if their names are equal, because rules are about names.
#[derive(Debug, Clone)]
pub struct AppCaller {
    /// `app:`, followed by the app's name.
    word: Arc<str>,
    key: CallerKey,
}

/// Whether the app's key proves its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallerKey {
    Proven,
    /// The key can't be checked while the vault is locked.
    Sealed,
    None,
}

impl PartialEq for AppCaller {
    fn eq(&self, other: &Self) -> bool {
        self.word == other.word
    }
}

impl Eq for AppCaller {}

impl Hash for AppCaller {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.word.hash(state);
    }
}

impl Caller {
    /// The app with this name, proven by its key.
    pub fn app(name: &str) -> Self {
        Self::App(AppCaller { word: format!("{APP_PREFIX}{name}").into(), key: CallerKey::Proven })
    }

    /// An app that claims this name without the key that Mooring gave the app with this name.
    pub fn app_without_key(name: &str) -> Self {
        Self::App(AppCaller { word: format!("{APP_PREFIX}{name}").into(), key: CallerKey::None })
    }

    /// An app with this name whose key can't be checked because the vault is locked.
    pub fn app_with_sealed_key(name: &str) -> Self {
        Self::App(AppCaller { word: format!("{APP_PREFIX}{name}").into(), key: CallerKey::Sealed })
    }

    /// Whether this is an app whose name is not proven.
    pub fn is_keyless(&self) -> bool {
        matches!(self, Self::App(app) if app.key != CallerKey::Proven)
    }

    /// Whether the name is not proven because the vault is locked.
    pub fn is_key_sealed(&self) -> bool {
        matches!(self, Self::App(app) if app.key == CallerKey::Sealed)
    }

    /// Whether the person makes the call.
    pub fn is_person(&self) -> bool {
        matches!(self, Self::Workbench | Self::CommandLine)
    }

    /// The calling app's name. `None` if the caller is not an app.
    pub fn app_name(&self) -> Option<&str> {
        if let Self::App(app) = self { Some(app.name()) } else { None }
    }

    /// The caller's name in the log, the database and the window.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Workbench => "workbench",
            Self::CommandLine => "command_line",
            Self::Sampling => "sampling",
            Self::App(app) => &app.word,
        }
    }

    /// The caller with this name. If the caller is an app, its name counts as proven.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "workbench" => Some(Self::Workbench),
            "command_line" => Some(Self::CommandLine),
            "sampling" => Some(Self::Sampling),
            _ => name.strip_prefix(APP_PREFIX).filter(|name| !name.is_empty()).map(Self::app),
        }
    }
}

impl AppCaller {
    /// The app's name.
    pub fn name(&self) -> &str {
        self.word.strip_prefix(APP_PREFIX).unwrap_or(&self.word)
    }
}

impl Serialize for Caller {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Caller {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::from_name(&name).ok_or_else(|| D::Error::custom("unknown caller"))
    }
}
