//! Temporarily drops root's privileges.

use rustix::process::{Uid, geteuid};
use rustix::thread::{CapabilitySet, capabilities, set_capabilities, set_thread_res_uid};

/// Runs `work` in a thread that may read and write no more than the permissions of files say, as for everybody who is
/// not root; so may the threads that it starts.
pub fn without_dac_override<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let limited = || {
        let mut held = capabilities(None).expect("what this thread may do");
        let given_up = CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH;
        held.effective -= given_up;
        held.permitted -= given_up;
        held.inheritable -= given_up;
        set_capabilities(None, held).expect("a thread may give up what it may do");
        work()
    };
    std::thread::scope(|scope| {
        scope.spawn(limited).join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// A user who owns nothing.
const NOBODY: u32 = 65534;

/// Runs `work` in a thread as the user `nobody`. `None` if this process is not root and can't change its
/// user.
pub fn as_another_user<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    if !geteuid().is_root() {
        return None;
    }
    let other = Uid::from_raw(NOBODY);
    let changed = || {
        set_thread_res_uid(other, other, other).expect("root can become anybody");
        work()
    };
    std::thread::scope(|scope| {
        let done = scope.spawn(changed).join();
        Some(done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}
