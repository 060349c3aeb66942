//! Who wants something of a server.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use mooring_base::app_call::APP_PREFIX;
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize, Serializer};
use ts_rs::TS;

/// Who wants a tool called.
#[derive(Debug, Clone, PartialEq, Eq, Hash, TS)]
#[ts(type = "\"workbench\" | \"command_line\" | \"sampling\" | `app:${string}`")]
pub enum Caller {
    /// The person pressed Run.
    Workbench,
    /// The person named the tool on the command line.
    CommandLine,
    /// A model that a server asked wants its tool called.
    Sampling,
    /// Another app wants it, through the gateway.
    App(AppCaller),
}

/// The app that calls. Two are the same if their names are: rules are about names.
#[derive(Debug, Clone)]
pub struct AppCaller {
    /// The word for it: `app:` and its name.
    word: Arc<str>,
    key: CallerKey,
}

/// Whether an app's key shows that it is the one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallerKey {
    Proven,
    /// It can't be told while the vault is locked.
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
    /// The app of this name, which has proven it.
    pub fn app(name: &str) -> Self {
        Self::App(AppCaller { word: format!("{APP_PREFIX}{name}").into(), key: CallerKey::Proven })
    }

    /// An app that says that this is its name, without the key that Mooring gave the app of this name.
    pub fn app_without_key(name: &str) -> Self {
        Self::App(AppCaller { word: format!("{APP_PREFIX}{name}").into(), key: CallerKey::None })
    }

    /// An app of this name whose key can't be checked while the vault is locked.
    pub fn app_with_sealed_key(name: &str) -> Self {
        Self::App(AppCaller { word: format!("{APP_PREFIX}{name}").into(), key: CallerKey::Sealed })
    }

    /// Whether it is an app whose name is only what it says.
    pub fn is_keyless(&self) -> bool {
        matches!(self, Self::App(app) if app.key != CallerKey::Proven)
    }

    /// Whether that is because the vault is locked.
    pub fn is_key_sealed(&self) -> bool {
        matches!(self, Self::App(app) if app.key == CallerKey::Sealed)
    }

    /// Whether a call is the person's own doing.
    pub fn is_person(&self) -> bool {
        matches!(self, Self::Workbench | Self::CommandLine)
    }

    /// The name of the app that calls; none: it is no app.
    pub fn app_name(&self) -> Option<&str> {
        if let Self::App(app) = self { Some(app.name()) } else { None }
    }

    /// The word for it in the log, the database and the page.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Workbench => "workbench",
            Self::CommandLine => "command_line",
            Self::Sampling => "sampling",
            Self::App(app) => &app.word,
        }
    }

    /// The one of this word.
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
