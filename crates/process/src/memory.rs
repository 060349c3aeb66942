//! Returns memory to the system after a burst.
//!
//! The allocator keeps the memory of a flood of messages for later, but a program that runs all day next to
//! others should not.

/// Memory is returned when this much more is resident than once was enough, in bytes.
const WORTH_IT: u64 = 8 << 20;

/// Watches this process's resident memory, and returns free memory to the system.
#[derive(Debug, Default)]
pub struct MemoryTrimmer {
    /// The least that was ever left.
    least: Option<u64>,
}

impl MemoryTrimmer {
    /// Gives free memory back if much more is resident than once was enough. Takes some milliseconds then, and next to
    /// nothing otherwise; where the system does not say how much is resident, it does nothing.
    pub fn trim(&mut self) {
        let Some(before) = resident() else {
            return;
        };
        if self.least.is_some_and(|least| before <= least + WORTH_IT) {
            return;
        }
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        crate::sys::trim_memory();
        let after = resident().unwrap_or(before);
        self.least = Some(self.least.map_or(after, |least| least.min(after)));
    }
}

/// Makes the system protect this process's memory against other programs of the same person, including
/// servers, which could otherwise read secrets from it. Also keeps it out of crash dumps. Started processes
/// are not affected. Other systems than Linux do this automatically, or not at all.
pub fn keep_memory_private() -> std::io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    Ok(())
}

/// Resident memory in bytes, from `/proc`.
fn resident() -> Option<u64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = pages.split(' ').nth(1)?.parse().ok()?;
    // With larger pages, more is resident than this says. That only affects the time of the next check.
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
        // Small pieces, of which every hundredth stays: what lies between is free, and the allocator keeps it.
        let mut pieces: Vec<Option<Vec<u8>>> = (0..64_000).map(|_| Some(vec![1; 1024])).collect();
        let full = resident().unwrap();
        for (index, piece) in pieces.iter_mut().enumerate() {
            if index % 100 != 0 {
                *piece = None;
            }
        }
        memory.trim();
        assert!(full - resident().unwrap() > 32 << 20, "{full} bytes before");
        assert_eq!(pieces.iter().flatten().count(), 640);
    }
}
