//! Programs of ours that go on when whoever started them has ended, or in its place.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Starts a program that nobody waits for, without a terminal, in this folder, with this variable besides those of this
/// process. It is not ended with this process. Needs a tokio runtime.
#[expect(clippy::disallowed_methods, reason = "this is the crate that may start processes")]
pub fn start_in_background(
    program: &Path,
    arguments: &[&str],
    directory: &Path,
    (variable, value): (&str, &OsStr),
) -> io::Result<()> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(directory).env(variable, value);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    // Not waited for, but once it has ended the runtime takes it off the system's list.
    tokio::process::Command::from(command).spawn().map(|_goes_on| ())
}

/// Becomes another program, with the process and the standard streams of this one. Returns only where that can't be done.
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "this is the crate that may start processes")]
pub fn become_program(program: &Path, arguments: &[OsString]) -> io::Error {
    std::os::unix::process::CommandExt::exec(Command::new(program).args(arguments))
}
