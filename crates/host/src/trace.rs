//! Which events may appear in traces, wherever the traces go.

use tracing::Level;

/// Libraries that see credentials and may log them below the warning level.
const CREDENTIAL_LIBRARIES: [&str; 12] = [
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

/// Whether an event of this level may be traced. Libraries that see credentials may only trace warnings and
/// errors, whatever the filter asks for.
pub fn is_trace_allowed(target: &str, level: Level) -> bool {
    let library = target.split("::").next().unwrap_or(target);
    level <= Level::WARN || !CREDENTIAL_LIBRARIES.contains(&library)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_that_see_credentials_say_no_more_than_warnings() {
        for target in
            ["hyper", "hyper_util::client", "reqwest::connect", "zbus::connection::socket", "oauth2"]
        {
            assert!(
                is_trace_allowed(target, Level::WARN) && is_trace_allowed(target, Level::ERROR),
                "{target}"
            );
            assert!(
                !is_trace_allowed(target, Level::INFO) && !is_trace_allowed(target, Level::TRACE),
                "{target}"
            );
        }
        for target in ["mooring_host", "hyperion", "sqlx::query", ""] {
            assert!(is_trace_allowed(target, Level::TRACE), "{target}");
        }
    }
}
