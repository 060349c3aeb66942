//! Starts programs that outlive this process or take its place.

use std::ffi::OsStr;
#[cfg(unix)]
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::environment::image_file_of;

/// Starts a program in the background, without a terminal, in the folder `directory`, with one additional
/// variable. The program outlives this process and inherits nothing from it. Its other variables are those of
/// a login, and it gets no open files, no ignored signals and no tighter limits. A program of an `AppImage` is
/// started from the image's file, because the folder of this process's image ends with it. Needs a tokio
/// runtime.
#[expect(clippy::disallowed_methods, reason = "this is the crate that may start processes")]
pub fn start_in_background(
    program: &Path,
    arguments: &[&str],
    directory: &Path,
    (variable, value): (&str, &OsStr),
) -> io::Result<()> {
    let image = image_file_of(program);
    let mut command = Command::new(image.as_deref().unwrap_or(program));
    // An image starts the program that its first argument names.
    command.args(image.and(program.file_name())).args(arguments).current_dir(directory);
    #[cfg(unix)]
    {
        let variables = crate::login_environment::login_environment(directory, std::env::vars_os());
        command.env_clear().envs(variables);
        crate::sys::detach_from_starter(&mut command);
        crate::sys::close_inherited_files_on_exec();
    }
    command.env(variable, value);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // The runtime reaps the program once it has ended, although no one waits for it.
    tokio::process::Command::from(command).spawn().map(|_goes_on| ())
}

/// Replaces this process by another program, which keeps the standard streams. Returns only if that fails.
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "this is the crate that may start processes")]
pub fn become_program(program: &Path, arguments: &[OsString]) -> io::Error {
    std::os::unix::process::CommandExt::exec(Command::new(program).args(arguments))
}
