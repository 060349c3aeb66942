//! The only `unsafe` code of the project, for calls that have no safe interface in the standard library or in
//! rustix.

#![cfg(unix)]
#![expect(
    unsafe_code,
    reason = "hooks between fork and exec and before main, inherited files, the list of accounts and the allocator have no safe interface"
)]

use crate::account::Account;
use rustix::fs::Mode;
use rustix::io::{FdFlags, fcntl_getfd, fcntl_setfd};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::ffi::{CStr, OsStr, OsString};
use std::fs;
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::Once;
#[cfg(target_os = "linux")]
use std::{
    io,
    os::fd::{AsRawFd, FromRawFd, OwnedFd},
};
#[cfg(target_os = "linux")]
use tokio::io::{Interest, unix::AsyncFd};

/// Makes the process that `command` starts the leader of a new session.
pub(crate) fn start_new_session(command: &mut Command) {
    // SAFETY: between fork and exec, only async-signal-safe functions may run. `setsid` is one. rustix makes
    // the bare system call, which takes no lock and allocates nothing.
    unsafe {
        command.pre_exec(|| {
            rustix::process::setsid()?;
            Ok(())
        });
    }
}

/// Lets the process that `command` starts open only `limit` files, although this process may open more.
pub(crate) fn limit_files(command: &mut Command, limit: u64) {
    // SAFETY: as above. `getrlimit` and `setrlimit` are also bare system calls.
    unsafe {
        command.pre_exec(move || {
            let usual = getrlimit(Resource::Nofile);
            setrlimit(Resource::Nofile, Rlimit { current: Some(limit), ..usual })?;
            Ok(())
        });
    }
}

/// Detaches the process that `command` starts from the program that started this process. The new process
/// leads a new session without a terminal, ignores no signal, and has no umask or soft limit that is tighter
/// than a login's.
pub(crate) fn detach_from_starter(command: &mut Command) {
    const LIMITS: [Resource; 4] = [Resource::As, Resource::Cpu, Resource::Data, Resource::Fsize];
    // SAFETY: as above. `signal`, `umask` and the limits are also bare system calls, and the default action
    // of a signal is not a function of this program.
    unsafe {
        command.pre_exec(|| {
            rustix::process::setsid()?;
            for signal in 1..=31 {
                // Signals that can't be changed never were changed.
                let _before = libc::signal(signal, libc::SIG_DFL);
            }
            let before = rustix::process::umask(Mode::empty());
            rustix::process::umask(before | Mode::WGRP | Mode::WOTH);
            for limit in LIMITS {
                let Rlimit { maximum, .. } = getrlimit(limit);
                // A limit that can't be raised does not prevent the start.
                let _stays = setrlimit(limit, Rlimit { current: maximum, maximum });
            }
            Ok(())
        });
    }
}

/// Finds the account of a user in the system's list.
pub(crate) fn find_account(uid: u32) -> Option<Account> {
    const MAX_ENTRY: usize = 1 << 20;
    let mut room = 1024;
    loop {
        let mut text: Vec<libc::c_char> = vec![0; room];
        let mut entry = MaybeUninit::<libc::passwd>::uninit();
        let mut found = std::ptr::null_mut();
        // SAFETY: all pointers are to memory that lives until after the call, and the length is that of `text`.
        let error = unsafe {
            libc::getpwuid_r(uid, entry.as_mut_ptr(), text.as_mut_ptr(), text.len(), &raw mut found)
        };
        if error == libc::ERANGE && room < MAX_ENTRY {
            room *= 2;
            continue;
        }
        if error != 0 || found.is_null() {
            return None;
        }
        // SAFETY: a result that isn't null says that the entry was filled in.
        let entry = unsafe { entry.assume_init() };
        let copy = |field: *mut libc::c_char| {
            if field.is_null() {
                return OsString::new();
            }
            // SAFETY: a field that isn't null points to text in `text`, which ends with a zero and still
            // exists.
            let field = unsafe { CStr::from_ptr(field) };
            OsStr::from_bytes(field.to_bytes()).to_owned()
        };
        return Some(Account {
            name: copy(entry.pw_name),
            home: copy(entry.pw_dir).into(),
            shell: copy(entry.pw_shell).into(),
        });
    }
}

/// Opens a descriptor of the process that connected to a local socket. It still refers to that process if the
/// pid is reused. Only on newer systems (Linux 6.5).
#[cfg(target_os = "linux")]
pub(crate) fn open_peer_process(socket: BorrowedFd<'_>) -> Option<OwnedFd> {
    let mut file: RawFd = -1;
    let mut length = libc::socklen_t::try_from(size_of::<RawFd>()).ok()?;
    // SAFETY: both pointers are to values that live until after the call, and the length is that of the first.
    let error = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERPIDFD,
            (&raw mut file).cast(),
            &raw mut length,
        )
    };
    if error != 0 || file < 0 {
        return None;
    }
    // SAFETY: the system has just opened this descriptor for this call, and no other code knows its number.
    Some(unsafe { OwnedFd::from_raw_fd(file) })
}

/// Wraps a descriptor, so that a task can wait until it is readable.
#[cfg(target_os = "linux")]
pub(crate) fn watch_readable(file: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: an `OwnedFd` is open, is always the same descriptor, and nothing can close or replace it while the
    // result owns it.
    unsafe { Ok(AsyncFd::register_with_interest(file, Interest::READABLE)?) }
}

/// Returns freed memory to the system.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn trim_memory() {
    unsafe extern "C" {
        fn malloc_trim(pad: usize) -> std::ffi::c_int;
    }
    // SAFETY: glibc declares the function this way. It takes a number, changes only free memory of the
    // allocator, and may be called at any time from any thread.
    unsafe { malloc_trim(0) };
}

/// Makes the loader call a function before `main`, in every program that links this crate.
#[cfg(target_os = "linux")]
macro_rules! before_main {
    ($enter:path) => {
        #[expect(unsafe_code, reason = "what is called before main has no safe interface")]
        #[used]
        // SAFETY: the loader calls the functions in this section once, on the only thread, after the C
        // library was initialized. The standard library may be used then on Linux, where it doesn't depend on
        // its own `main`.
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

/// Prevents started processes from inheriting the open files that this process has inherited. Files that this
/// process opens are closed on exec anyway, so one call is enough.
pub(crate) fn close_inherited_files_on_exec() {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        let open = fs::read_dir("/dev/fd").into_iter().flatten();
        let numbers = open.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<RawFd>().ok());
        for number in numbers.filter(|number| *number > 2) {
            // SAFETY: only the file's flags are read and set, and nothing keeps the borrow. If another thread
            // closes the file meanwhile, the calls fail. If it opens another file with the same number, that
            // file is closed on exec already.
            let file = unsafe { BorrowedFd::borrow_raw(number) };
            if let Ok(flags) = fcntl_getfd(file) {
                let _closed_meanwhile = fcntl_setfd(file, flags | FdFlags::CLOEXEC);
            }
        }
    });
}
