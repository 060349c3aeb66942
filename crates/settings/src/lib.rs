//! The settings of the application: defaults, limits, and storage.

use std::fmt;
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use mooring_approvals::NetworkSettings;
use mooring_network::ProxyChoice;
use mooring_oauth::check_document_url;
use mooring_policy::Caller;
use mooring_registry::RegistryBase;
use mooring_words::{Sentence, say};
use serde::{Deserialize, Serialize};
use tokio::net::TcpSocket;
use ts_rs::TS;
use url::Url;

/// Why a setting cannot be what it is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidSetting {
    /// The setting, by its name in the window's settings.
    pub field: &'static str,
    /// What is wrong with the setting.
    pub message: Sentence,
}

impl fmt::Display for InvalidSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

impl std::error::Error for InvalidSetting {}

/// The colours of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    /// Follow the system.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// The language of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub enum Language {
    /// Follow the system.
    #[default]
    #[serde(rename = "system")]
    System,
    /// English.
    #[serde(rename = "en")]
    English,
    /// Simplified Chinese.
    #[serde(rename = "zh-CN")]
    SimplifiedChinese,
}

/// How dense the window's layout is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Density {
    /// With more space.
    #[default]
    Comfortable,
    /// More on a screen.
    Compact,
}

/// Whether desktop notifications are suppressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum DoNotDisturb {
    /// They are shown.
    #[default]
    Off,
    /// Until then, in milliseconds since the Unix epoch.
    Until(i64),
    /// Until the person changes it.
    Always,
}

impl DoNotDisturb {
    /// Whether they are suppressed at this time, in milliseconds since the Unix epoch.
    pub fn is_on(self, at_ms: i64) -> bool {
        match self {
            Self::Off => false,
            Self::Until(end_ms) => at_ms < end_ms,
            Self::Always => true,
        }
    }
}

/// What closing the window does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum WhenClosed {
    /// The person is asked, and their answer takes this one's place.
    #[default]
    Ask,
    /// The window goes; servers and other apps' access to them stay.
    KeepRunning,
    /// Everything ends.
    Quit,
}

/// Everything that can be set for the whole application. Every field must be present: one that is left out
/// would fall back to its default unnoticed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Settings {
    /// The colours.
    pub theme: Theme,
    /// The language.
    pub language: Language,
    /// The density of the layout.
    pub density: Density,
    /// The zoom in percent: 80 to 200.
    pub zoom_percent: u32,
    /// What closing the window does.
    pub when_closed: WhenClosed,
    /// Kinds of questions that show no desktop notification, by their names.
    pub muted_kinds: Vec<String>,
    /// Whether desktop notifications are suppressed.
    pub do_not_disturb: DoNotDisturb,
    /// The largest message accepted from a server, in MiB: 16 to 64.
    #[serde(rename = "maxMessageMiB")]
    pub max_message_mib: u32,
    /// How long a request may be silent, in seconds: 1 to 3,600.
    pub request_idle_seconds: u32,
    /// How long a request may take in all, in seconds: 1 to 86,400.
    pub request_total_seconds: u32,
    /// How long a server may take for its first response, in seconds: 1 to 600.
    pub start_timeout_seconds: u32,
    /// How long a server that starts on first use runs without being used, in seconds: 1 to 86,400.
    pub sleep_after_seconds: u32,
    /// Size of the log above which its oldest rows are deleted, in MiB: 64 to 3,072.
    #[serde(rename = "maxLogMiB")]
    pub max_log_mib: u32,
    /// Age in days after which a row of the log is deleted: 1 to 3,650. With 0, rows are only deleted when
    /// the log is too large.
    pub keep_log_days: u32,
    /// The proxy that requests to servers, for sign-ins and to model providers go through.
    pub proxy: ProxyChoice,
    /// The port of this computer at which apps may connect over HTTP; 0: at none.
    pub apps_port: u32,
    /// The URL of our client's metadata document (`cargo xtask cimd` generates it). Empty if there is none.
    pub client_document: String,
    /// The URL of the MCP registry that the catalog shows. Empty for the official one.
    pub catalog_url: String,
}

/// How long an app's request may be silent, unless the person has set a limit.
const APP_IDLE: Duration = Duration::from_hours(1);
/// How long an app's request may take in all.
const APP_TOTAL: Duration = Duration::from_hours(24);
/// Whether an address can be listened at. Nothing listens meanwhile: who connects would take it for us.
fn can_bind(address: SocketAddr) -> io::Result<()> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // Earlier connections may still be closing. On Windows this option would allow a port that is in use.
    #[cfg(not(windows))]
    socket.set_reuseaddr(true)?;
    socket.bind(address)
}

/// Longer than anyone keeps a log.
const MAX_LOG_DAYS: u32 = 3_650;

/// An age of events in days; `None` for 0.
pub fn days(days: u32) -> Option<Duration> {
    (days > 0).then(|| Duration::from_hours(24) * days)
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: Theme::default(),
            language: Language::default(),
            density: Density::default(),
            zoom_percent: 100,
            when_closed: WhenClosed::default(),
            muted_kinds: Vec::new(),
            do_not_disturb: DoNotDisturb::default(),
            max_message_mib: 16,
            request_idle_seconds: 60,
            request_total_seconds: 600,
            start_timeout_seconds: 120,
            sleep_after_seconds: 300,
            max_log_mib: 1_024,
            keep_log_days: 0,
            proxy: ProxyChoice::default(),
            apps_port: 0,
            client_document: String::new(),
            catalog_url: String::new(),
        }
    }
}

impl Settings {
    /// Settings as any version stored them: defaults for fields it did not know, without those this one does not know,
    /// and within today's bounds: the largest message was 4 MiB at first.
    pub fn from_stored(text: &str) -> serde_json::Result<Self> {
        let mut fields = serde_json::to_value(Self::default())?;
        for (name, value) in serde_json::from_str::<serde_json::Map<_, _>>(text)? {
            if let Some(field) = fields.get_mut(name) {
                *field = value;
            }
        }
        let mut settings: Self = serde_json::from_value(fields)?;
        settings.max_message_mib = settings.max_message_mib.max(Self::default().max_message_mib);
        Ok(settings)
    }

    /// The largest message accepted from a server, in bytes.
    pub fn max_message_bytes(&self) -> usize {
        usize::try_from(self.max_message_mib).unwrap_or(usize::MAX).saturating_mul(1024 * 1024)
    }

    /// The size limit of the log in bytes.
    pub fn max_log_bytes(&self) -> u64 {
        u64::from(self.max_log_mib) * 1024 * 1024
    }

    /// The age limit of the log. `None` if there is none.
    pub fn log_age(&self) -> Option<Duration> {
        days(self.keep_log_days)
    }

    /// How long a request may be silent.
    pub fn request_idle(&self) -> Duration {
        Duration::from_secs(self.request_idle_seconds.into())
    }

    /// How long a request may take in all.
    pub fn request_total(&self) -> Duration {
        Duration::from_secs(self.request_total_seconds.into())
    }

    /// How long a request with the idle timeout `own` may take in all. Never less than that timeout.
    pub fn request_total_for(&self, own: Option<Duration>) -> Duration {
        own.map_or_else(|| self.request_total(), |own| own.max(self.request_total()))
    }

    /// How long a request may be silent, and how long it may take in all: the limits of the request or its
    /// server, or else the person's general ones. An app sets its own deadlines, which our defaults must not
    /// shorten.
    pub fn deadlines(
        &self,
        caller: &Caller,
        own: Option<Duration>,
        total: Option<Duration>,
    ) -> (Duration, Duration) {
        let defaults = Self::default();
        let is_app = caller.app_name().is_some();
        let of_app = |seconds: u32, default: u32, patience: Duration| {
            if is_app && seconds == default { patience } else { Duration::from_secs(seconds.into()) }
        };
        let idle = of_app(self.request_idle_seconds, defaults.request_idle_seconds, APP_IDLE);
        let longest = of_app(self.request_total_seconds, defaults.request_total_seconds, APP_TOTAL);
        (own.unwrap_or(idle), total.unwrap_or_else(|| own.map_or(longest, |own| own.max(longest))))
    }

    /// How long a server may take for its first response.
    pub fn start_timeout(&self) -> Duration {
        Duration::from_secs(self.start_timeout_seconds.into())
    }

    /// How long a server that starts on first use runs without being used.
    pub fn sleep_after(&self) -> Duration {
        Duration::from_secs(self.sleep_after_seconds.into())
    }

    /// The address where apps may connect over HTTP, on loopback only. `None` if they may not.
    pub fn apps_address(&self) -> Option<SocketAddr> {
        let port = u16::try_from(self.apps_port).ok().filter(|port| *port > 0)?;
        Some((Ipv4Addr::LOCALHOST, port).into())
    }

    /// Refuses an address for apps that cannot be listened at.
    pub fn check_apps_address(&self) -> Result<(), InvalidSetting> {
        let Some(address) = self.apps_address() else { return Ok(()) };
        // Who is at the port by its other address would be sent what is meant for us: `localhost` is both.
        let second = can_bind((Ipv6Addr::LOCALHOST, address.port()).into());
        let second =
            second.or_else(|error| if error.kind() == ErrorKind::AddrInUse { Err(error) } else { Ok(()) });
        can_bind(address).and(second).map_err(|error| InvalidSetting {
            field: "appsPort",
            message: say!(
                "port {port} can’t be used: {error}",
                port = self.apps_port,
                error = error.to_string()
            ),
        })
    }

    /// Has those that say where secrets go say what counts.
    pub fn follow(&mut self, network: &NetworkSettings) {
        let NetworkSettings { proxy, client_document, apps_port, certificates: _ } = network.clone();
        let following = Self { proxy, apps_port, client_document, ..self.clone() };
        // Invalid settings were not saved by us.
        if following.check().is_ok() {
            *self = following;
        }
    }

    /// The URL of our client's metadata document: the person's setting, or else the variable
    /// `MOORING_CLIENT_DOCUMENT` at build time.
    pub fn client_document(&self) -> Option<Url> {
        let chosen = Some(self.client_document.as_str()).filter(|url| !url.is_empty());
        Url::parse(chosen.or(option_env!("MOORING_CLIENT_DOCUMENT"))?).ok()
    }

    /// Refuses values outside their bounds, naming the first.
    pub fn check(&self) -> Result<(), InvalidSetting> {
        let bounds = [
            ("maxMessageMiB", self.max_message_mib, 16, 64),
            ("requestIdleSeconds", self.request_idle_seconds, 1, 3_600),
            ("requestTotalSeconds", self.request_total_seconds, 1, 86_400),
            ("startTimeoutSeconds", self.start_timeout_seconds, 1, 600),
            ("sleepAfterSeconds", self.sleep_after_seconds, 1, 86_400),
            ("zoomPercent", self.zoom_percent, 80, 200),
            ("maxLogMiB", self.max_log_mib, 64, 3_072),
            ("appsPort", self.apps_port, 0, u16::MAX.into()),
            ("keepLogDays", self.keep_log_days, 0, MAX_LOG_DAYS),
        ];
        for (field, value, least, most) in bounds {
            if !(least..=most).contains(&value) {
                return Err(InvalidSetting {
                    field,
                    message: say!(
                        "{field} must be from {least} to {most}: {value}",
                        field,
                        least,
                        most,
                        value
                    ),
                });
            }
        }
        self.proxy.check().map_err(|message| InvalidSetting { field: "proxy", message })?;
        if !self.client_document.is_empty() && check_document_url(&self.client_document).is_err() {
            return Err(InvalidSetting {
                field: "clientDocument",
                message: say!(
                    "the client metadata URL must be https with a path, without query or fragment: {address}",
                    address = &self.client_document
                ),
            });
        }
        RegistryBase::parse(&self.catalog_url)
            .map_err(|message| InvalidSetting { field: "catalogUrl", message })?;
        if self.request_total_seconds < self.request_idle_seconds {
            return Err(InvalidSetting {
                field: "requestTotalSeconds",
                message: say!(
                    "the total time must not be shorter than the idle time: {total} s < {idle} s",
                    total = self.request_total_seconds,
                    idle = self.request_idle_seconds
                ),
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_within_bounds_and_survive_json() {
        let settings = Settings::default();
        settings.check().unwrap();
        let text = serde_json::to_string(&settings).unwrap();
        assert!(text.contains("\"maxMessageMiB\":16"), "{text}");
        assert_eq!(serde_json::from_str::<Settings>(&text).unwrap(), settings);
    }

    #[test]
    fn settings_of_an_older_version_get_defaults_for_new_fields() {
        let settings = Settings::from_stored(r#"{"theme":"dark","gone":1}"#).unwrap();
        assert_eq!(settings, Settings { theme: Theme::Dark, ..Settings::default() });
        let lower = Settings::from_stored(r#"{"maxMessageMiB":4}"#).unwrap();
        assert_eq!(lower, Settings::default());
    }

    #[test]
    fn settings_that_are_set_name_every_field_and_no_other() {
        let whole = serde_json::to_value(Settings::default()).unwrap();
        let refusal = |value| serde_json::from_value::<Settings>(value).unwrap_err().to_string();
        for name in whole.as_object().unwrap().keys() {
            let mut part = whole.clone();
            part.as_object_mut().unwrap().remove(name);
            let refusal = refusal(part);
            assert!(refusal.contains(&format!("missing field `{name}`")), "{refusal}");
        }
        let mut more = whole;
        more["gone"] = 1.into();
        let refusal = refusal(more);
        assert!(refusal.contains("unknown field `gone`"), "{refusal}");
    }

    #[test]
    fn silence_ends_when_it_was_set_to() {
        let text = |silence| serde_json::to_string(&silence).unwrap();
        let all = [DoNotDisturb::Off, DoNotDisturb::Until(5), DoNotDisturb::Always];
        assert_eq!(all.map(text), [r#""off""#, r#"{"until":5}"#, r#""always""#]);
        assert_eq!(all.map(|silence| silence.is_on(4)), [false, true, true]);
        assert_eq!(all.map(|silence| silence.is_on(5)), [false, false, true]);
    }

    #[test]
    fn values_out_of_bounds_are_refused_by_name() {
        let check = |settings: Settings, field: &str| match settings.check() {
            Err(InvalidSetting { field: named, .. }) => assert_eq!(named, field),
            other => panic!("{other:?}"),
        };
        check(Settings { max_message_mib: 15, ..Settings::default() }, "maxMessageMiB");
        check(Settings { max_message_mib: 65, ..Settings::default() }, "maxMessageMiB");
        check(
            Settings { catalog_url: "http://registry.example.com".to_owned(), ..Settings::default() },
            "catalogUrl",
        );
        check(Settings { start_timeout_seconds: 0, ..Settings::default() }, "startTimeoutSeconds");
        check(Settings { sleep_after_seconds: 0, ..Settings::default() }, "sleepAfterSeconds");
        check(Settings { zoom_percent: 79, ..Settings::default() }, "zoomPercent");
        check(Settings { zoom_percent: 201, ..Settings::default() }, "zoomPercent");
        check(Settings { max_log_mib: 63, ..Settings::default() }, "maxLogMiB");
        check(Settings { max_log_mib: 3_073, ..Settings::default() }, "maxLogMiB");
        check(Settings { keep_log_days: 3_651, ..Settings::default() }, "keepLogDays");
        check(Settings { request_total_seconds: 10, ..Settings::default() }, "requestTotalSeconds");
        let document = |url: &str| Settings { client_document: url.to_owned(), ..Settings::default() };
        document("https://mooring.example/client.json").check().unwrap();
        check(document("http://mooring.example/client.json"), "clientDocument");
        check(document("https://mooring.example"), "clientDocument");
    }
}
