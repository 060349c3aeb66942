//! The only `unsafe` code of the project: what the safe interfaces of the standard library and
//! of rustix do not reach.

#![cfg(unix)]
#![expect(
    unsafe_code,
    reason = "hooks between fork and exec and before main, inherited files and the allocator have no safe interface"
)]

use rustix::io::{FdFlags, fcntl_getfd, fcntl_setfd};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::fs;
use std::os::fd::{BorrowedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::Once;
#[cfg(target_os = "linux")]
use std::{io, os::fd::OwnedFd};
#[cfg(target_os = "linux")]
use tokio::io::{Interest, unix::AsyncFd};

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

/// Lets the process that `command` starts open `limit` files, and no more of those that we may.
pub(crate) fn limit_files(command: &mut Command, limit: u64) {
    // SAFETY: as above; `getrlimit` and `setrlimit` are bare system calls, too.
    unsafe {
        command.pre_exec(move || {
            let usual = getrlimit(Resource::Nofile);
            setrlimit(Resource::Nofile, Rlimit { current: Some(limit), ..usual })?;
            Ok(())
        });
    }
}

/// A descriptor that tells when it can be read.
#[cfg(target_os = "linux")]
pub(crate) fn watch_readable(file: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: an `OwnedFd` is open, is always the same descriptor, and nothing can close or replace it while the
    // result owns it.
    unsafe { Ok(AsyncFd::register_with_interest(file, Interest::READABLE)?) }
}

/// Gives memory that was freed back to the system.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn trim_memory() {
    unsafe extern "C" {
        fn malloc_trim(pad: usize) -> std::ffi::c_int;
    }
    // SAFETY: this is how glibc declares it. It takes a number, touches only what the allocator holds free, and may be
    // called at any time from any thread.
    unsafe { malloc_trim(0) };
}

/// Has the loader call a function before `main`, in every program that this crate is linked into.
#[cfg(target_os = "linux")]
macro_rules! before_main {
    ($enter:path) => {
        #[expect(unsafe_code, reason = "what is called before main has no safe interface")]
        #[used]
        // SAFETY: the loader calls what stands in this section once, on the only thread there is, after the C library
        // was initialized. The standard library may be used by then on Linux, where it needs nothing of its own
        // `main`.
        #[unsafe(link_section = ".init_array")]
        static BEFORE_MAIN: extern "C" fn() = {
            extern "C" fn enter() {
                $enter();
            }
            enter
        };
    };
}
#[cfg(target_os = "linux")]
pub(crate) use before_main;

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
