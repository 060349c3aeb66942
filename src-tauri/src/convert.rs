//! Between the host's types and the shapes that cross to the window.

mod account;
mod inbox;
mod log;
mod models;
mod offer;
mod policy;
mod root;
mod secret;
mod server;
mod tool;

use std::path::{Path, PathBuf};
use std::time::Duration;

use mooring_host as host;

use crate::dto::{
    AppInfo, Diagnostic, HostEvent, IpcError, Language, Limit, LoginPath, Sentence, SentenceParam, Settings,
    Theme,
};

pub(crate) use log::log_query;

impl IpcError {
    /// An error of the window's own.
    pub(crate) fn new(code: &str, message: host::Sentence) -> Self {
        Self { code: code.to_owned(), message: message.into(), details: None }
    }
}

impl From<host::Sentence> for Sentence {
    fn from(sentence: host::Sentence) -> Self {
        let params = sentence.params().iter().map(|(name, param)| {
            let param = match param {
                host::Param::Text(text) => SentenceParam::Text(text.clone()),
                host::Param::Sentence(sentence) => SentenceParam::Sentence(sentence.clone().into()),
            };
            ((*name).to_owned(), param)
        });
        Self { code: sentence.code().to_owned(), params: params.collect(), text: sentence.into() }
    }
}

impl From<host::KeptSentence> for Sentence {
    fn from(sentence: host::KeptSentence) -> Self {
        let params = sentence.params.into_iter().map(|(name, param)| {
            let param = match param {
                host::KeptParam::Text(text) => SentenceParam::Text(text),
                host::KeptParam::Sentence(sentence) => SentenceParam::Sentence(sentence.into()),
            };
            (name, param)
        });
        Self { code: sentence.code, params: params.collect(), text: sentence.text }
    }
}

impl From<host::HostError> for IpcError {
    fn from(error: host::HostError) -> Self {
        Self { code: error.code().to_owned(), message: error.sentence().into(), details: error.details() }
    }
}

impl From<host::Diagnostic> for Diagnostic {
    fn from(diagnostic: host::Diagnostic) -> Self {
        let host::Diagnostic { code, path, message } = diagnostic;
        Self { code: code.as_str().to_owned(), path, message: message.into() }
    }
}

impl From<host::HostEvent> for HostEvent {
    fn from(event: host::HostEvent) -> Self {
        match event {
            host::HostEvent::ServersChanged => Self::Servers,
            host::HostEvent::ServerAddedElsewhere { server, name } => {
                Self::ServerAddedElsewhere { id: server.0, name: name.to_string() }
            }
            host::HostEvent::ServerChanged(id) => Self::Server { id: id.0 },
            host::HostEvent::ToolsChanged(id) => Self::Tools { id: id.0 },
            host::HostEvent::ResourcesChanged(id) => Self::Resources { id: id.0 },
            host::HostEvent::PromptsChanged(id) => Self::Prompts { id: id.0 },
            host::HostEvent::ResourceUpdated { server, uri } => {
                Self::ResourceUpdated { id: server.0, uri: uri.to_string() }
            }
            host::HostEvent::TasksChanged(id) => Self::Tasks { id: id.0 },
            host::HostEvent::AccountsChanged => Self::Accounts,
            host::HostEvent::SignInChanged(id) => Self::SignIn { id: id.0 },
            host::HostEvent::VaultChanged => Self::Vault,
            host::HostEvent::InboxChanged => Self::Inbox,
            host::HostEvent::RulesChanged => Self::Rules,
            host::HostEvent::TrustChanged(id) => Self::Trust { id: id.0 },
            host::HostEvent::RootsChanged => Self::Roots,
            host::HostEvent::ModelsChanged => Self::Models,
            host::HostEvent::SettingsChanged => Self::Settings,
            host::HostEvent::JournalHealth { failing, message } => {
                Self::Journal { failing, message: message.map(Into::into) }
            }
        }
    }
}

impl From<host::Settings> for Settings {
    fn from(settings: host::Settings) -> Self {
        Self {
            theme: match settings.theme {
                host::Theme::System => Theme::System,
                host::Theme::Light => Theme::Light,
                host::Theme::Dark => Theme::Dark,
            },
            language: match settings.language {
                host::Language::System => Language::System,
                host::Language::English => Language::English,
                host::Language::SimplifiedChinese => Language::SimplifiedChinese,
            },
            max_message_mib: settings.max_message_mib,
            request_idle_seconds: settings.request_idle_seconds,
            request_total_seconds: settings.request_total_seconds,
            start_timeout_seconds: settings.start_timeout_seconds,
            client_document: settings.client_document,
        }
    }
}

impl From<Settings> for host::Settings {
    fn from(settings: Settings) -> Self {
        Self {
            theme: match settings.theme {
                Theme::System => host::Theme::System,
                Theme::Light => host::Theme::Light,
                Theme::Dark => host::Theme::Dark,
            },
            language: match settings.language {
                Language::System => host::Language::System,
                Language::English => host::Language::English,
                Language::SimplifiedChinese => host::Language::SimplifiedChinese,
            },
            max_message_mib: settings.max_message_mib,
            request_idle_seconds: settings.request_idle_seconds,
            request_total_seconds: settings.request_total_seconds,
            start_timeout_seconds: settings.start_timeout_seconds,
            client_document: settings.client_document,
        }
    }
}

impl From<host::HostInfo> for AppInfo {
    fn from(info: host::HostInfo) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            home: shown(&info.home),
            database_bytes: whole(info.database_bytes),
            log_rows: whole(info.log_rows),
            backed_up_ms: info.backed_up_us.map(|at_us| at_us / 1_000),
            demo_server: info.demo_server.is_some(),
            login_path: LoginPath {
                path: all_shown(&info.login_path.directories),
                source: info.login_path.source,
                note: info.login_path.note.map(Into::into),
            },
            limits: info
                .limits
                .into_iter()
                .map(|limit| Limit {
                    name: limit.name.to_owned(),
                    value: whole(limit.value),
                    unit: limit.unit.to_owned(),
                })
                .collect(),
        }
    }
}

/// A path as text; what is not Unicode in it shows as U+FFFD.
fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn all_shown(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|path| shown(path)).collect()
}

/// A count or a size; past what fits it stays at the largest.
pub(crate) fn whole<T: TryInto<i64>>(number: T) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

/// Milliseconds with their fraction.
fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

fn diagnostics(diagnostics: Vec<host::Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.into_iter().map(Into::into).collect()
}
