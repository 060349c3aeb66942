//! Programs of ours that outlive the process that started them, or take its place.

use std::ffi::OsStr;
#[cfg(unix)]
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Starts a program in the background, without a terminal, in the folder `directory`, with one additional
/// variable. It outlives this process and inherits nothing from it: its other variables are those of a login,
/// and it gets no open files, no ignored signals and no tighter limits. Needs a tokio runtime.
#[expect(clippy::disallowed_methods, reason = "this is the crate that may start processes")]
pub fn start_in_background(
    program: &Path,
    arguments: &[&str],
    directory: &Path,
    (variable, value): (&str, &OsStr),
) -> io::Result<()> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(directory);
    #[cfg(unix)]
    {
        let variables = crate::login_environment::login_environment(directory, std::env::vars_os());
        command.env_clear().envs(variables);
        crate::sys::free_from_starter(&mut command);
        crate::sys::keep_inherited_files();
    }
    command.env(variable, value);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Not awaited, but the runtime reaps it once it has ended.
    tokio::process::Command::from(command).spawn().map(|_goes_on| ())
}

/// Replaces this process by another program, keeping the standard streams. Only returns if that fails.
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "this is the crate that may start processes")]
pub fn become_program(program: &Path, arguments: &[OsString]) -> io::Error {
    std::os::unix::process::CommandExt::exec(Command::new(program).args(arguments))
}
