//! Programs of ours that go on when whoever started them has ended.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Starts a program that nobody waits for, without a terminal, in this folder. It is not ended with this process.
#[expect(clippy::disallowed_methods, reason = "this is the crate that may start processes")]
pub fn start_in_background(program: &Path, arguments: &[&str], directory: &Path) -> io::Result<()> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(directory);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().map(|_goes_on| ())
}
