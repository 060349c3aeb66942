//! Programs of ours that outlive the process that started them, or take its place.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Starts a program in the background, without a terminal, in the folder `directory`, with one additional
/// variable. It does not end with this process, and it inherits nothing from it: its other variables are
/// those of a login, and it gets no open files, no ignored signals and no tighter limits. Needs a tokio
/// runtime.
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
