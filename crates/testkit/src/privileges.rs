//! Drops root's right to bypass file permissions for a while.

use rustix::thread::{CapabilitySet, capabilities, set_capabilities};

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
