//! The only `unsafe` code of the project: what the safe interfaces of the standard library do
//! not reach.

#![cfg(unix)]
#![expect(unsafe_code, reason = "a hook between fork and exec cannot be set safely")]

use tokio::process::Command;

/// Makes the process that `command` starts the leader of a new session.
pub(crate) fn new_session(command: &mut Command) {
    // SAFETY: between fork and exec only async-signal-safe functions may run. `setsid` is one,
    // and rustix makes the bare system call: it takes no lock and allocates nothing.
    unsafe {
        command.pre_exec(|| {
            rustix::process::setsid()?;
            Ok(())
        });
    }
}
