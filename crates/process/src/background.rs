//! Programs of ours that go on when whoever started them has ended, or in its place.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Starts a program that nobody waits for, without a terminal, in this data folder, with this variable. It is not ended with
/// this process, and it has nothing of it: its other variables are those that a login gives, and it gets no files, no
/// ignored signals and no narrower limits. Needs a tokio runtime.
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
    // Not waited for, but once it has ended the runtime takes it off the system's list.
    tokio::process::Command::from(command).spawn().map(|_goes_on| ())
}

/// Becomes another program, with the process and the standard streams of this one. Returns only where that can't be done.
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "this is the crate that may start processes")]
pub fn become_program(program: &Path, arguments: &[OsString]) -> io::Error {
    std::os::unix::process::CommandExt::exec(Command::new(program).args(arguments))
}
