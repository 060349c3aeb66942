//! Returns memory to the system after a burst.
//!
//! After many messages, the allocator keeps their memory for later. A program that runs all day next to
//! others should return it.

/// Memory is returned if this many bytes more are resident than the least so far.
const WORTH_IT: u64 = 8 << 20;

/// Watches this process's resident memory, and returns free memory to the system.
#[derive(Debug, Default)]
pub struct MemoryTrimmer {
    /// The fewest resident bytes after any call.
    least: Option<u64>,
}

impl MemoryTrimmer {
    /// Returns free memory to the system if much more is resident than the least so far. This takes some
    /// milliseconds, and almost no time otherwise. Does nothing if the system does not say how much is
    /// resident.
    pub fn trim(&mut self) {
        let Some(before) = resident_bytes() else {
            return;
        };
        if self.least.is_some_and(|least| before <= least + WORTH_IT) {
            return;
        }
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        crate::sys::trim_memory();
        let after = resident_bytes().unwrap_or(before);
        self.least = Some(self.least.map_or(after, |least| least.min(after)));
    }
}

/// Makes the system protect this process's memory against other programs of the same person, including
/// servers, which could otherwise read secrets from it. Also keeps the memory out of crash dumps. Started
/// processes are not affected. Systems other than Linux do this automatically, or not at all.
pub fn keep_memory_private() -> std::io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    Ok(())
}

/// Resident memory in bytes, from `/proc`.
fn resident_bytes() -> Option<u64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = pages.split(' ').nth(1)?.parse().ok()?;
    // With larger pages, more memory is resident than this number says. That only affects when memory is
    // returned.
    Some(pages * 4096)
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_private_is_read_by_no_other_program() {
        use rustix::process::{DumpableBehavior, dumpable_behavior, set_dumpable_behavior};
        let before = dumpable_behavior().unwrap();
        keep_memory_private().unwrap();
        let private = dumpable_behavior().unwrap();
        set_dumpable_behavior(before).unwrap();
        assert_eq!(private, DumpableBehavior::NotDumpable);
    }

    #[test]
    fn what_was_freed_is_given_back() {
        let mut memory = MemoryTrimmer::default();
        memory.trim();
        // Small pieces, of which every hundredth stays. The memory between them is free, but the allocator
        // keeps it.
        let mut pieces: Vec<Option<Vec<u8>>> = (0..64_000).map(|_| Some(vec![1; 1024])).collect();
        let full = resident_bytes().unwrap();
        for (index, piece) in pieces.iter_mut().enumerate() {
            if index % 100 != 0 {
                *piece = None;
            }
        }
        memory.trim();
        assert!(full - resident_bytes().unwrap() > 32 << 20, "{full} bytes before");
        assert_eq!(pieces.iter().flatten().count(), 640);
    }
}
