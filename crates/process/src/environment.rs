//! Which variables of our own environment a server inherits.
//!
//! A server gets these and what its settings declare, nothing else: tokens and keys that happen
//! to be in the environment of the window never reach a server.

use std::collections::BTreeMap;
use std::ffi::OsString;

/// Names that are passed on everywhere.
const EVERYWHERE: [&str; 10] = [
    "LANG",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "PIP_CERT",
];

const UNIX: [&str; 14] = [
    "HOME",
    "PATH",
    "TMPDIR",
    "USER",
    "LOGNAME",
    "SHELL",
    "TZ",
    "XDG_CONFIG_HOME",
    "XDG_CONFIG_DIRS",
    "XDG_DATA_HOME",
    "XDG_DATA_DIRS",
    "XDG_CACHE_HOME",
    "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR",
];

const LOWER_CASE: [&str; 4] = ["http_proxy", "https_proxy", "all_proxy", "no_proxy"];

/// What Windows programs need to start at all.
const WINDOWS: [&str; 23] = [
    "ALLUSERSPROFILE",
    "APPDATA",
    "COMSPEC",
    "COMMONPROGRAMFILES",
    "COMMONPROGRAMFILES(X86)",
    "COMPUTERNAME",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "NUMBER_OF_PROCESSORS",
    "OS",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "PROGRAMFILES(X86)",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
];

/// Whether a server inherits the variable `name` from our environment on this platform.
pub fn is_inherited(name: &str) -> bool {
    is_allowed(name, cfg!(windows))
}

fn is_allowed(name: &str, windows: bool) -> bool {
    if windows {
        let name = name.to_ascii_uppercase();
        EVERYWHERE.contains(&name.as_str()) || WINDOWS.contains(&name.as_str())
    } else {
        EVERYWHERE.contains(&name)
            || UNIX.contains(&name)
            || LOWER_CASE.contains(&name)
            || name.starts_with("LC_")
    }
}

/// The part of `environment` that a server inherits.
pub(crate) fn inherited_variables(
    environment: impl Iterator<Item = (OsString, OsString)>,
) -> impl Iterator<Item = (OsString, OsString)> {
    environment.filter(|(name, _)| name.to_str().is_some_and(is_inherited))
}

/// Each variable once, with the last of its values. On Windows `Path` and `PATH` are one name: both left in, the system
/// would choose between them.
pub(crate) fn merge_variables(
    variables: impl Iterator<Item = (OsString, OsString)>,
    windows: bool,
) -> Vec<(OsString, OsString)> {
    let mut merged: BTreeMap<OsString, OsString> = BTreeMap::new();
    for (name, value) in variables {
        if windows {
            merged.retain(|known, _| !known.eq_ignore_ascii_case(&name));
        }
        merged.insert(name, value);
    }
    merged.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_value_of_a_variable_wins_ignoring_case_on_windows() {
        let check = |windows: bool, expect: &[(&str, &str)]| {
            let pair = |(name, value): (&str, &str)| (OsString::from(name), OsString::from(value));
            let variables = [("Path", "inherited"), ("TMP", "t"), ("PATH", "resolved"), ("path", "declared")];
            let expect: Vec<_> = expect.iter().copied().map(pair).collect();
            assert_eq!(merge_variables(variables.into_iter().map(pair), windows), expect);
        };
        check(true, &[("TMP", "t"), ("path", "declared")]);
        check(false, &[("PATH", "resolved"), ("Path", "inherited"), ("TMP", "t"), ("path", "declared")]);
    }

    #[test]
    fn only_listed_variables_are_inherited() {
        for name in ["HOME", "LC_ALL", "https_proxy", "NO_PROXY", "PIP_CERT", "XDG_RUNTIME_DIR"] {
            assert!(is_allowed(name, false), "{name}");
        }
        for name in [
            "GITHUB_TOKEN",
            "LD_PRELOAD",
            "NODE_OPTIONS",
            "DYLD_INSERT_LIBRARIES",
            "XDG_SESSION_ID",
            "SSH_AUTH_SOCK",
            "home",
            "SystemRoot",
        ] {
            assert!(!is_allowed(name, false), "{name}");
        }
    }

    #[test]
    fn windows_names_match_in_any_case() {
        assert!(is_allowed("SystemRoot", true));
        assert!(is_allowed("Path", true));
        assert!(!is_allowed("HOME", true));
        assert!(!is_allowed("AWS_SECRET_ACCESS_KEY", true));
    }
}
