//! The only `unsafe` code of the project: what the safe interfaces of the standard library and
//! of rustix do not reach.

#![cfg(unix)]
#![expect(unsafe_code, reason = "a hook between fork and exec, and inherited files, have no safe interface")]

use rustix::io::{FdFlags, fcntl_getfd, fcntl_setfd};
use std::fs;
use std::os::fd::{BorrowedFd, RawFd};
use std::sync::Once;
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

/// Keeps the files that whoever started us has left open from the processes that we start. Files
/// that we open ourselves are closed on exec anyway, so that once is enough.
pub(crate) fn keep_inherited_files() {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        let open = fs::read_dir("/dev/fd").into_iter().flatten();
        let numbers = open.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<RawFd>().ok());
        for number in numbers.filter(|number| *number > 2) {
            // SAFETY: only the file's flags are read and set, and nothing keeps the borrow. If
            // another thread closes the file meanwhile, the calls fail; if it opens another one
            // under the number, that one is closed on exec already.
            let file = unsafe { BorrowedFd::borrow_raw(number) };
            if let Ok(flags) = fcntl_getfd(file) {
                let _closed_meanwhile = fcntl_setfd(file, flags | FdFlags::CLOEXEC);
            }
        }
    });
}
