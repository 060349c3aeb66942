//! What may be said in traces, wherever they go.

use tracing::Level;

/// Libraries that see credentials, and would tell of them below a warning.
const SEE_CREDENTIALS: [&str; 12] = [
    "h2",
    "hyper",
    "hyper_util",
    "keyring",
    "keyring_core",
    "oauth2",
    "reqwest",
    "rustls",
    "secret_service",
    "tokio_rustls",
    "zbus",
    "zbus_secret_service_keyring_store",
];

/// Whether something of this level may be said: libraries that see credentials say warnings and no more, whatever a filter
/// asks for.
pub fn may_be_traced(target: &str, level: Level) -> bool {
    let library = target.split("::").next().unwrap_or(target);
    level <= Level::WARN || !SEE_CREDENTIALS.contains(&library)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_that_see_credentials_say_no_more_than_warnings() {
        for target in
            ["hyper", "hyper_util::client", "reqwest::connect", "zbus::connection::socket", "oauth2"]
        {
            assert!(may_be_traced(target, Level::WARN) && may_be_traced(target, Level::ERROR), "{target}");
            assert!(!may_be_traced(target, Level::INFO) && !may_be_traced(target, Level::TRACE), "{target}");
        }
        for target in ["mooring_host", "hyperion", "sqlx::query", ""] {
            assert!(may_be_traced(target, Level::TRACE), "{target}");
        }
    }
}
