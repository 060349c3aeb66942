//! The variables that a server inherits from this process.
//!
//! A server gets only these variables and the ones in its settings. Tokens and keys in the environment of
//! this process never reach a server.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Variables that are passed on, on every system.
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

/// Variables that Windows programs need to start.
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

/// Whether a server inherits the variable `name` from this process on this system.
pub fn is_inherited(name: &str) -> bool {
    is_allowed_on(name, cfg!(windows))
}

fn is_allowed_on(name: &str, windows: bool) -> bool {
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

/// The variables of this process, without paths inside the `AppImage` that it runs from. The libraries in the
/// image are only for the image's own programs, and the image is gone when this process ends.
pub(crate) fn own_variables() -> impl Iterator<Item = (OsString, OsString)> {
    let image = find_image();
    env::vars_os()
        .filter_map(move |(name, value)| Some((name, without_image_paths(value, image.as_deref())?)))
}

/// Whether a program is in the `AppImage` that this process runs from. Such a program is gone when this
/// process ends.
pub fn is_in_image(program: &Path) -> bool {
    find_image().is_some_and(|image| program.starts_with(image))
}

/// The file of the `AppImage` that `program` is in, if this process runs from it and the file is known. The
/// variable alone doesn't show this: a terminal that runs from an `AppImage` passes it on to every program.
pub fn image_file_of(program: &Path) -> Option<PathBuf> {
    let file = env::var_os("APPIMAGE").map(PathBuf::from);
    file.filter(|file| file.is_absolute() && is_in_image(program))
}

/// The folder where the `AppImage` of this process is mounted.
fn find_image() -> Option<PathBuf> {
    let image = env::var_os("APPDIR").map(PathBuf::from);
    image.filter(|image| image.is_absolute() && image.parent().is_some())
}

/// Removes the paths inside the mounted image from a list of paths. `None` if all of them are inside.
fn without_image_paths(value: OsString, image: Option<&Path>) -> Option<OsString> {
    let Some(image) = image else { return Some(value) };
    if !env::split_paths(&value).any(|path| path.starts_with(image)) {
        return Some(value);
    }
    let is_outside = |path: &PathBuf| !path.starts_with(image) && !path.as_os_str().is_empty();
    let outside = env::join_paths(env::split_paths(&value).filter(is_outside)).ok()?;
    (!outside.is_empty()).then_some(outside)
}

/// Keeps only the variables that a server inherits.
pub(crate) fn inherited_variables(
    environment: impl Iterator<Item = (OsString, OsString)>,
) -> impl Iterator<Item = (OsString, OsString)> {
    environment.filter(|(name, _)| name.to_str().is_some_and(is_inherited))
}

/// Keeps each variable once, with its last value. On Windows, `Path` and `PATH` are the same name, and the
/// system would choose between them.
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

    #[cfg(unix)]
    #[test]
    fn nothing_of_an_image_is_passed_on() {
        let outside = |value: &str| {
            let left = without_image_paths(value.into(), Some(Path::new("/tmp/.mount_Moor")))?;
            Some(left.into_string().unwrap())
        };
        let kept = |value: &str| assert_eq!(outside(value).as_deref(), Some(value));
        assert_eq!(outside("/tmp/.mount_Moor/usr/bin:/usr/bin::/bin").unwrap(), "/usr/bin:/bin");
        assert_eq!(outside("/tmp/.mount_Moor/cert.pem"), None);
        assert_eq!(outside("/tmp/.mount_Moor/usr/lib:"), None);
        for value in ["/usr/bin::/bin", "http://proxy:8080", "/tmp/.mount_Moor2/x", ""] {
            kept(value);
        }
        assert_eq!(without_image_paths("/x".into(), None), Some("/x".into()));
    }

    #[test]
    fn only_listed_variables_are_inherited() {
        for name in ["HOME", "LC_ALL", "https_proxy", "NO_PROXY", "PIP_CERT", "XDG_RUNTIME_DIR"] {
            assert!(is_allowed_on(name, false), "{name}");
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
            assert!(!is_allowed_on(name, false), "{name}");
        }
    }

    #[test]
    fn windows_names_match_in_any_case() {
        assert!(is_allowed_on("SystemRoot", true));
        assert!(is_allowed_on("Path", true));
        assert!(!is_allowed_on("HOME", true));
        assert!(!is_allowed_on("AWS_SECRET_ACCESS_KEY", true));
    }
}
