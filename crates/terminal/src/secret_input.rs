//! Reads secrets from a terminal that does not show them, from a file, or from standard input. They are never
//! read from the command line, because every program on the machine can read it.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use secrecy::SecretString;

use crate::CommandContext;
use mooring_faults::Fault;

/// The longest secret, in bytes.
const MAX_SECRET_BYTES: usize = 64 * 1024;
/// The environment variable that names the file with the vault's passphrase.
const PASSPHRASE_FILE: &str = "MOORING_PASSPHRASE_FILE";

/// The name of a secret, and the source of its value.
#[derive(Debug, PartialEq, Eq)]
pub struct NamedSecret {
    /// The secret's name.
    pub name: String,
    /// The source of its value.
    pub source: SecretSource,
}

/// The source of a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretSource {
    /// The person, at a terminal.
    Terminal,
    /// A file.
    File(PathBuf),
    /// Standard input.
    Stdin,
}

impl NamedSecret {
    /// Reads `NAME`, `NAME=@FILE` or `NAME=-`. Errors do not contain the value.
    pub fn read(text: &str) -> Result<Self, Fault> {
        let (name, source) = match text.split_once('=') {
            None => (text, SecretSource::Terminal),
            Some((name, "-")) => (name, SecretSource::Stdin),
            Some((name, value)) => match value.strip_prefix('@').filter(|path| !path.is_empty()) {
                Some(path) => (name, SecretSource::File(path.into())),
                None => {
                    return Err(Fault::usage(format!("don’t put a secret on the command line: {name}"))
                        .next(format!(
                            "Use {name} to be asked, {name}=@FILE, or {name}=- for standard input."
                        )));
                }
            },
        };
        if name.is_empty() {
            return Err(Fault::usage("a secret requires a name"));
        }
        Ok(Self { name: name.to_owned(), source })
    }
}

/// Reads a secret from its source. Fails if the source is a terminal and there is none.
pub async fn read(
    session: &CommandContext,
    source: SecretSource,
    what: String,
) -> Result<SecretString, Fault> {
    let reading = tokio::task::spawn_blocking(move || match source {
        SecretSource::File(path) => read_file(&path),
        SecretSource::Stdin => read_from(&mut std::io::stdin().lock(), "standard input"),
        SecretSource::Terminal => match ask_secret(&what) {
            Some(secret) => Ok(secret),
            None => Err(Fault::usage(format!("there’s no terminal to ask on: {what}"))
                .next("Use a file (NAME=@FILE, --passphrase-file FILE), or NAME=- for standard input.")),
        },
    });
    session.interrupt.guard(reading).await?.map_err(anyhow::Error::from)?
}

/// Reads a secret from a file, without the line break at its end.
pub fn read_file(path: &Path) -> Result<SecretString, Fault> {
    let place = path.display().to_string();
    let unread = |error| Fault::usage(format!("the file can’t be read: {place}: {error}"));
    read_from(&mut std::fs::File::open(path).map_err(unread)?, &place)
}

fn read_from(reader: &mut dyn std::io::Read, place: &str) -> Result<SecretString, Fault> {
    // Reads into one large buffer, because a growing one would leave copies in memory.
    let mut bytes = zeroize::Zeroizing::new(vec![0; MAX_SECRET_BYTES + 1]);
    let mut length = 0;
    while let Some(rest) = bytes.get_mut(length..).filter(|rest| !rest.is_empty()) {
        match reader.read(rest) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Fault::usage(format!("can’t be read: {place}: {error}"))),
        }
    }
    if length > MAX_SECRET_BYTES {
        return Err(Fault::usage(format!("too long for a secret: {place}")));
    }
    let text = std::str::from_utf8(bytes.get(..length).unwrap_or_default())
        .map_err(|_| Fault::usage(format!("not UTF-8: {place}")))?;
    let line = text.strip_suffix('\n').map_or(text, |line| line.strip_suffix('\r').unwrap_or(line));
    if line.is_empty() {
        return Err(Fault::usage(format!("empty: {place}")));
    }
    Ok(SecretString::from(line))
}

/// The vault's passphrase, from the file that the environment names or from the person. `again` is whether
/// the previous passphrase was wrong.
pub fn passphrase(again: bool) -> Option<SecretString> {
    if let Some(path) = passphrase_file_path() {
        // The file's passphrase was already wrong.
        return if again { None } else { read_file(Path::new(&path)).ok() };
    }
    let words = if again { "Wrong passphrase. Try again" } else { "Vault passphrase" };
    ask_secret(words)
}

/// Whether the environment names a file with the vault's passphrase. The person is then not asked.
pub fn names_passphrase_file() -> bool {
    passphrase_file_path().is_some()
}

fn passphrase_file_path() -> Option<std::ffi::OsString> {
    std::env::var_os(PASSPHRASE_FILE).filter(|path| !path.is_empty())
}

/// Whether the person can be asked at a terminal.
pub fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks the person at a terminal, without showing the typed text. `None` if there is no terminal, or no
/// answer.
fn ask_secret(what: &str) -> Option<SecretString> {
    if can_ask() { terminal::ask_secret(what) } else { None }
}

pub(crate) use terminal::remember_terminal;
pub use terminal::restore_echo;

#[cfg(unix)]
mod terminal {
    use std::fs::File;
    use std::io::{Read as _, Write as _};
    use std::sync::{Mutex, PoisonError};

    use rustix::process::getpgrp;
    use rustix::termios::{
        LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetpgrp, tcsetattr,
    };
    use secrecy::SecretString;
    use zeroize::Zeroizing;

    use super::MAX_SECRET_BYTES;

    /// The terminal's settings before its echo was disabled.
    static SAVED_TERMIOS: Mutex<Option<(File, Termios)>> = Mutex::new(None);

    /// Restores the terminal's settings, including its echo. Also used after an interrupt.
    pub fn restore_echo() {
        if let Some((terminal, before)) = SAVED_TERMIOS.lock().unwrap_or_else(PoisonError::into_inner).take()
        {
            // If the terminal is gone, there is nothing to restore.
            let _gone = tcsetattr(&terminal, OptionalActions::Flush, &before);
        }
    }

    /// Saves the terminal's current settings for [`restore_echo`].
    pub(crate) fn remember_terminal() {
        let terminal = File::options().read(true).write(true).open("/dev/tty").ok();
        let now = terminal.and_then(|terminal| tcgetattr(&terminal).ok().map(|now| (terminal, now)));
        *SAVED_TERMIOS.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }

    /// Reads character by character, because the system limits a whole line to 4,096 characters.
    pub(super) fn ask_secret(what: &str) -> Option<SecretString> {
        let mut terminal = File::options().read(true).write(true).open("/dev/tty").ok()?;
        // The system would stop a background process that reads from the terminal.
        tcgetpgrp(&terminal).ok().filter(|foreground| *foreground == getpgrp())?;
        let before = tcgetattr(&terminal).ok()?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON);
        silent.special_codes[SpecialCodeIndex::VMIN] = 1;
        silent.special_codes[SpecialCodeIndex::VTIME] = 0;
        *SAVED_TERMIOS.lock().unwrap_or_else(PoisonError::into_inner) =
            Some((terminal.try_clone().ok()?, before));
        let answer = tcsetattr(&terminal, OptionalActions::Flush, &silent).ok().and_then(|()| {
            write!(terminal, "{what}: ").ok()?;
            read_hidden_line(&mut terminal)
        });
        restore_echo();
        // The answer is valid even if the line break can't be written.
        let _moved = writeln!(terminal);
        answer
    }

    fn read_hidden_line(terminal: &mut File) -> Option<SecretString> {
        let mut typed = Zeroizing::new(Vec::with_capacity(MAX_SECRET_BYTES));
        let mut byte = [0];
        loop {
            if terminal.read(&mut byte).ok()? == 0 {
                return None;
            }
            match byte[0] {
                b'\r' | b'\n' => break,
                // Ctrl-D.
                4 => return None,
                8 | 127 => while typed.pop().is_some_and(|byte| byte & 0xC0 == 0x80) {},
                // Ctrl-U.
                21 => typed.clear(),
                _ if typed.len() == MAX_SECRET_BYTES => return None,
                byte => typed.push(byte),
            }
        }
        let text = std::str::from_utf8(&typed).ok().filter(|text| !text.is_empty())?;
        Some(SecretString::from(text))
    }
}

#[cfg(not(unix))]
mod terminal {
    use secrecy::SecretString;

    pub fn restore_echo() {}

    pub(crate) fn remember_terminal() {}

    /// Returns `None`, because typed text can't be hidden on this system. Only files and standard input work
    /// here.
    pub(super) fn ask_secret(_what: &str) -> Option<SecretString> {
        None
    }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;

    #[test]
    fn secrets_come_from_terminal_file_or_stdin_but_never_arguments() {
        let source = |text: &str| NamedSecret::read(text).map(|named| (named.name, named.source));
        let named = |source| ("API_KEY".to_owned(), source);
        assert_eq!(source("API_KEY").unwrap(), named(SecretSource::Terminal));
        assert_eq!(source("API_KEY=@a=b").unwrap(), named(SecretSource::File("a=b".into())));
        assert_eq!(source("API_KEY=-").unwrap(), named(SecretSource::Stdin));
        for text in ["API_KEY=canary", "API_KEY=", "API_KEY=@", "=@file", ""] {
            let fault = NamedSecret::read(text).unwrap_err();
            assert!(!format!("{fault:?}").contains("canary"), "{fault:?}");
        }
    }

    #[test]
    fn the_end_of_a_line_is_not_part_of_a_secret() {
        let read =
            |text: &str| read_from(&mut text.as_bytes(), "x").map(|text| text.expose_secret().to_owned());
        assert_eq!(read("a b\n").unwrap(), "a b");
        assert_eq!(read("a\r\n").unwrap(), "a");
        assert_eq!(read("a\nb\n").unwrap(), "a\nb");
        assert!(read("\n").is_err() && read("").is_err());
        assert!(
            read(&"x".repeat(MAX_SECRET_BYTES)).is_ok() && read(&"x".repeat(MAX_SECRET_BYTES + 1)).is_err()
        );
    }
}
