//! The environment of a login, for processes that outlive the process that started them and also serve
//! others.
//!
//! A program that an app starts has the app's variables: its proxy and certificates, its `PATH`, its secrets,
//! and settings that make interpreters and loaders run other code. None of them may reach a process that
//! serves all apps. The user's name comes from the system's list of accounts, and their home folder from the
//! data folder. Only the variables of the session are passed on, and only if they have a value that a session
//! would have.
//!
//! With these variables, an app can still choose the display on which a program shows itself, the language,
//! and the bus on which the keychain is searched. A program that answers there instead of the keychain can
//! only return a wrong key, which opens nothing. Secrets are not sent there. The variables that move a
//! person's own files (`XDG_CONFIG_HOME` and the like) are not passed on, because they decide where package
//! managers find their settings, such as the source of programs.

use crate::account::Account;
use crate::home::read_login_home;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

/// The search path until the login shell has answered.
const SYSTEM_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/// The shell of an account without a shell.
const USUAL_SHELL: &str = "/bin/sh";

/// The variables of a login of this process's user, for a data folder. `inherited` are the variables of this
/// process.
pub(crate) fn login_environment(
    data: &Path,
    inherited: impl Iterator<Item = (OsString, OsString)>,
) -> BTreeMap<OsString, OsString> {
    let uid = rustix::process::geteuid().as_raw();
    let inherited: BTreeMap<OsString, OsString> = inherited.collect();
    let mut account =
        crate::sys::find_account(uid).filter(|account| account.home.is_absolute()).or_else(|| {
            // In some containers, the user is in no list. The variables then say who the user is.
            let home = inherited.get(OsStr::new("HOME")).map(PathBuf::from);
            let home = home.filter(|home| is_private_folder(home, uid))?;
            let name = inherited.get(OsStr::new("USER")).cloned().unwrap_or_else(|| uid.to_string().into());
            Some(Account { name, home, shell: PathBuf::new() })
        });
    if let Some(account) = &mut account
        && let Some(noted) = read_login_home(data).filter(|noted| is_private_folder(noted, uid))
    {
        account.home = noted;
    }
    login_variables(inherited, account, uid)
}

fn login_variables(
    inherited: BTreeMap<OsString, OsString>,
    account: Option<Account>,
    uid: u32,
) -> BTreeMap<OsString, OsString> {
    let mut variables = inherited;
    variables.retain(|name, value| name.to_str().is_some_and(|name| is_session_variable(name, value, uid)));
    variables.insert("PATH".into(), SYSTEM_PATH.into());
    if let Some(Account { name, home, shell }) = account {
        let shell = if shell.is_absolute() { shell } else { USUAL_SHELL.into() };
        variables.insert("USER".into(), name.clone());
        variables.insert("LOGNAME".into(), name);
        variables.insert("HOME".into(), home.into());
        variables.insert("SHELL".into(), shell.into());
    }
    let runtime = PathBuf::from(format!("/run/user/{uid}"));
    if is_private_folder(&runtime, uid) {
        let bus = runtime.join("bus");
        variables.entry("XDG_RUNTIME_DIR".into()).or_insert_with(|| runtime.into());
        if is_own_socket(&bus, uid) {
            let address = format!("unix:path={}", bus.display());
            variables.entry("DBUS_SESSION_BUS_ADDRESS".into()).or_insert_with(|| address.into());
        }
    }
    variables
}

/// Whether a variable belongs to the session, and has a value that a session would have.
fn is_session_variable(name: &str, value: &OsStr, uid: u32) -> bool {
    let path = Path::new(value);
    let Some(text) = value.to_str() else { return false };
    match name {
        "LANG" | "LANGUAGE" | "XDG_CURRENT_DESKTOP" | "XDG_SESSION_DESKTOP" | "XDG_SESSION_TYPE" => {
            is_plain_text(text, "")
        }
        name if name.starts_with("LC_") => is_plain_text(text, ""),
        // This may be the name of a time zone or a rule, but not a file.
        "TZ" => is_plain_text(text, "/,+<>") && !text.starts_with(['/', ':']) && !text.contains(".."),
        "DISPLAY" => is_plain_text(text, "/"),
        "WAYLAND_DISPLAY" => is_plain_text(text, "/") && (path.is_absolute() || !text.contains('/')),
        "XAUTHORITY" => is_own_file(path, uid),
        "XDG_RUNTIME_DIR" => is_private_folder(path, uid),
        "DBUS_SESSION_BUS_ADDRESS" => is_own_bus(text, uid),
        "TMPDIR" => is_temporary_folder(path, uid),
        // The person's setting for how the vault is unlocked. A wrong passphrase unlocks nothing.
        "MOORING_PASSPHRASE_FILE" => is_own_file(path, uid),
        _ => false,
    }
}

/// Whether a text consists of letters, digits, a few signs and the characters in `also`.
fn is_plain_text(text: &str, also: &str) -> bool {
    let is_usual = |character: char| character.is_ascii_alphanumeric() || "_.@:-".contains(character);
    text.len() < 256 && text.chars().all(|character| is_usual(character) || also.contains(character))
}

/// Whether a D-Bus address only leads to sockets that the user's own programs created. An address that starts
/// a program is rejected.
fn is_own_bus(address: &str, uid: u32) -> bool {
    let is_own = |address: &str| {
        let Some(options) = address.strip_prefix("unix:") else { return false };
        options.split(',').all(|option| match option.split_once('=') {
            Some(("path", path)) => is_own_socket(Path::new(path), uid),
            Some(("abstract" | "guid", _)) => true,
            _ => false,
        })
    };
    address.split(';').all(is_own)
}

fn read_metadata(path: &Path) -> Option<Metadata> {
    if path.is_absolute() { fs::metadata(path).ok() } else { None }
}

fn is_own_socket(path: &Path, uid: u32) -> bool {
    read_metadata(path).is_some_and(|found| found.file_type().is_socket() && found.uid() == uid)
}

/// Whether the path is a file of the user that only the user can write to.
fn is_own_file(path: &Path, uid: u32) -> bool {
    read_metadata(path)
        .is_some_and(|found| found.is_file() && found.uid() == uid && found.mode() & 0o022 == 0)
}

/// Whether the path is a folder of the user that only the user can write to.
fn is_private_folder(path: &Path, uid: u32) -> bool {
    read_metadata(path).is_some_and(|found| found.is_dir() && found.uid() == uid && found.mode() & 0o022 == 0)
}

/// Whether the path is a private folder, or a sticky folder of the system, in which users can't remove each
/// other's files.
fn is_temporary_folder(path: &Path, uid: u32) -> bool {
    let is_shared = |found: Metadata| found.is_dir() && found.uid() == 0 && found.mode() & 0o1000 != 0;
    is_private_folder(path, uid) || read_metadata(path).is_some_and(is_shared)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn uid() -> u32 {
        rustix::process::geteuid().as_raw()
    }

    fn left(given: &[(&str, &str)]) -> Vec<String> {
        let given = given.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect();
        let all = login_variables(given, None, uid());
        let set = ["PATH", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"];
        let names = all.keys().map(|name| name.to_str().unwrap().to_owned());
        names.filter(|name| !set.contains(&name.as_str())).collect()
    }

    #[test]
    fn only_variables_of_the_session_are_left() {
        let hostile = [
            "HTTPS_PROXY",
            "https_proxy",
            "ALL_PROXY",
            "NO_PROXY",
            "SSL_CERT_FILE",
            "SSL_CERT_DIR",
            "NODE_EXTRA_CA_CERTS",
            "REQUESTS_CA_BUNDLE",
            "CURL_CA_BUNDLE",
            "LD_PRELOAD",
            "LD_LIBRARY_PATH",
            "BASH_ENV",
            "ENV",
            "ZDOTDIR",
            "RUST_LOG",
            "NODE_OPTIONS",
            "PYTHONPATH",
            "PYTHONHOME",
            "APPDIR",
            "APPIMAGE",
            "XDG_CONFIG_HOME",
            "XDG_DATA_HOME",
            "UV_INDEX_URL",
            "npm_config_registry",
            "GITHUB_TOKEN",
            "MOORING_GUARDIAN",
            "MOORING_PROCESS_TREE",
            "SSH_AUTH_SOCK",
            "HOME",
            "SHELL",
        ];
        assert_eq!(left(&hostile.map(|name| (name, "/x"))), Vec::<String>::new());
        let good = [("LANG", "de_DE.UTF-8"), ("LC_ALL", "C"), ("TZ", "Europe/Berlin"), ("DISPLAY", ":0")];
        assert_eq!(left(&good), ["DISPLAY", "LANG", "LC_ALL", "TZ"]);
        let odd = [
            ("LANG", "../x"),
            ("TZ", "/etc/x"),
            ("TZ", "a/../../x"),
            ("DISPLAY", "a b"),
            ("WAYLAND_DISPLAY", "x/y"),
            ("XDG_RUNTIME_DIR", "run"),
            ("TMPDIR", "tmp"),
            ("XAUTHORITY", "."),
            ("DBUS_SESSION_BUS_ADDRESS", "unixexec:path=/bin/sh"),
            ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere;tcp:host=x"),
            ("MOORING_PASSPHRASE_FILE", "x"),
        ];
        for (name, value) in odd {
            assert!(!is_session_variable(name, OsStr::new(value), uid()), "{name}={value}");
        }
    }

    #[test]
    fn paths_of_a_session_are_the_users_own() {
        let place = tempfile::tempdir().unwrap();
        let (folder, file) = (place.path(), place.path().join("file"));
        fs::write(&file, "").unwrap();
        let check = |name: &str, path: &Path| is_session_variable(name, path.as_os_str(), uid());
        let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        assert!(check("XDG_RUNTIME_DIR", folder) && check("TMPDIR", folder));
        assert!(check("MOORING_PASSPHRASE_FILE", &file) && check("XAUTHORITY", &file));
        for path in [folder, &file] {
            set(path, 0o777);
        }
        assert!(!check("XDG_RUNTIME_DIR", folder) && !check("TMPDIR", folder));
        assert!(!check("MOORING_PASSPHRASE_FILE", &file) && !check("XAUTHORITY", &file));
    }

    #[test]
    fn the_account_says_who_the_user_is() {
        let account = crate::sys::find_account(0).unwrap();
        assert_eq!(account.name, "root");
        assert!(account.home.is_absolute() && account.shell.is_absolute(), "{account:?}");
        let account = Account { name: "me".into(), home: "/home/me".into(), shell: "".into() };
        let found = login_variables(BTreeMap::new(), Some(account), uid());
        let value = |name: &str| found[OsStr::new(name)].to_str().unwrap().to_owned();
        assert_eq!(["HOME", "USER", "SHELL"].map(value), ["/home/me", "me", "/bin/sh"]);
    }
}
