//! Shows a folder in the desktop's file manager, and opens a URL in the browser.

use mooring_words::{Sentence, io_error_sentence, say};
use std::error::Error;
use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
#[cfg(not(windows))]
use std::process::{Command, Stdio};
#[cfg(not(windows))]
use std::thread;
use std::time::Duration;
#[cfg(not(windows))]
use std::time::Instant;

/// Why a folder could not be shown.
#[derive(Debug)]
pub enum OpenError {
    /// The folder does not exist.
    NotAFolder {
        /// The requested folder.
        path: PathBuf,
    },
    /// The desktop has no program for folders, or starting that program failed.
    Desktop {
        /// The requested folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl OpenError {
    /// The error as a sentence for the person.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::NotAFolder { path } => {
                say!("there is no folder at this path: {path}", path = path.to_string_lossy())
            }
            Self::Desktop { path, source } => say!(
                "the file manager couldn’t be started for {path}: {reason}",
                path = path.to_string_lossy(),
                reason = io_error_sentence(source)
            ),
        }
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentence().fmt(f)
    }
}

impl Error for OpenError {}

/// Opens the folder `path` in the desktop's file manager, without waiting for it.
pub fn reveal_folder(path: &Path) -> Result<(), OpenError> {
    if !path.is_absolute() || !path.is_dir() {
        return Err(OpenError::NotAFolder { path: path.into() });
    }
    open_by_desktop(path.as_os_str(), Duration::ZERO)
        .map_err(|source| OpenError::Desktop { path: path.into(), source })
}

/// How long to wait whether a program that may open a URL fails. A program that runs for longer is considered
/// to be the browser itself. `xdg-open` is a shell script that tries several programs, so it takes a while
/// until it finds that there is no browser.
const TO_FAIL: Duration = Duration::from_secs(2);

/// How often to check whether such a program has ended.
#[cfg(not(windows))]
const PAUSE: Duration = Duration::from_millis(20);

/// Opens a URL in the person's browser. Blocks until this has failed or has probably worked, up to two
/// seconds for each program that is tried. The caller must have checked the URL, and that the person wants to
/// open it.
pub fn open_address(address: &str) -> io::Result<()> {
    open_by_desktop(address.as_ref(), TO_FAIL)
}

/// Opens a folder or URL with the first program that can. The programs don't get variables that name files
/// of our `AppImage`.
#[cfg(not(windows))]
fn open_by_desktop(target: &OsStr, to_fail: Duration) -> io::Result<()> {
    let mut failed = io::Error::from(io::ErrorKind::NotFound);
    for mut command in open::commands(target) {
        command.env_clear().envs(crate::environment::own_variables());
        match start_opener(command, to_fail) {
            Ok(()) => return Ok(()),
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

/// Starts a program that opens something, and waits whether it fails in this time.
#[cfg(not(windows))]
fn start_opener(mut command: Command, to_fail: Duration) -> io::Result<()> {
    use std::os::unix::process::CommandExt;
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    crate::tree::platform::close_files_on_exec();
    let mut program = command.spawn()?;
    let end = Instant::now() + to_fail;
    while Instant::now() < end {
        match program.try_wait()? {
            Some(status) if status.success() => return Ok(()),
            Some(status) => return Err(io::Error::other(status.to_string())),
            None => thread::sleep(PAUSE),
        }
    }
    // Its end has to be waited for, or it is a zombie as long as this process runs.
    thread::spawn(move || program.wait());
    Ok(())
}

#[cfg(windows)]
fn open_by_desktop(target: &OsStr, _to_fail: Duration) -> io::Result<()> {
    open::that_detached(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_absolute_existing_folder_is_opened() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("file");
        std::fs::write(&file, "").unwrap();
        for path in [&file, &home.path().join("missing"), Path::new(".")] {
            assert!(matches!(reveal_folder(path), Err(OpenError::NotAFolder { .. })));
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn an_opener_that_fails_in_time_is_an_error() {
        let start = |line: &str, to_fail| {
            let mut command = crate::command::new_std_command(Path::new("/bin/sh"));
            command.args(["-c", line]);
            start_opener(command, to_fail)
        };
        assert!(start("exit 0", TO_FAIL).is_ok());
        assert!(start("exit 4", TO_FAIL).unwrap_err().to_string().contains('4'));
        assert!(start("sleep 5; exit 4", Duration::from_millis(100)).is_ok());
        assert!(
            start_opener(crate::command::new_std_command(Path::new("/missing/xdg-open")), TO_FAIL).is_err()
        );
    }
}
