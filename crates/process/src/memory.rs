//! Returns memory to the system after a burst.
//!
//! After many messages, the allocator keeps their memory for later. A program that runs all day next to
//! others should return it.

/// Memory is returned if this many bytes more are resident than the least so far.
const WORTH_IT: u64 = 8 << 20;

/// The most calls between two attempts while what is resident is in use.
const LONGEST_PAUSE: u32 = 60;

/// Watches this process's resident memory, and returns free memory to the system.
#[derive(Debug, Default)]
pub struct MemoryTrimmer {
    /// The fewest resident bytes after any attempt.
    least: Option<u64>,
    /// The resident bytes after the last attempt.
    last: u64,
    /// The calls between the last attempt and the next one.
    pause: u32,
    /// The calls since the last attempt.
    calls: u32,
}

impl MemoryTrimmer {
    /// Returns free memory to the system if much more is resident than the least so far. This takes some
    /// milliseconds, and almost no time otherwise. While the memory is in use, later calls try less often. Does
    /// nothing if the system does not say how much is resident.
    pub fn trim(&mut self) {
        let Some(before) = resident_bytes() else {
            return;
        };
        if self.is_worth_trying(before) {
            #[cfg(all(target_os = "linux", target_env = "gnu"))]
            crate::sys::trim_memory();
            self.note_attempt(before, resident_bytes().unwrap_or(before));
        }
    }

    fn is_worth_trying(&mut self, resident: u64) -> bool {
        let Some(least) = self.least else { return true };
        self.calls += 1;
        let has_grown = resident > self.last + WORTH_IT;
        if has_grown {
            self.pause = 0;
        }
        self.last = self.last.min(resident);
        resident > least + WORTH_IT && (has_grown || self.calls > self.pause)
    }

    fn note_attempt(&mut self, before: u64, after: u64) {
        let is_worth_it = before > after + WORTH_IT;
        self.pause = if is_worth_it { 0 } else { (self.pause * 2).clamp(1, LONGEST_PAUSE) };
        self.least = Some(self.least.map_or(after, |least| least.min(after)));
        (self.last, self.calls) = (after, 0);
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
    fn memory_in_use_is_tried_less_and_less_often() {
        const MIB: u64 = 1 << 20;
        let mut memory = MemoryTrimmer::default();
        memory.note_attempt(50 * MIB, 50 * MIB);
        assert!(!memory.is_worth_trying(58 * MIB));
        let mut attempts = |resident: u64, calls: u32| -> Vec<u32> {
            let is_tried = |_: &u32| {
                let is_tried = memory.is_worth_trying(resident);
                if is_tried {
                    memory.note_attempt(resident, resident);
                }
                is_tried
            };
            (1..=calls).filter(is_tried).collect()
        };
        assert_eq!(attempts(100 * MIB, 200), [1, 3, 6, 11, 20, 37, 70, 131, 192]);
        // What a burst leaves is soon returned, also if the burst was seen at its peak.
        assert_eq!(attempts(200 * MIB, 6), [1, 3, 6]);
        // A second burst of the same height counts, after the memory of the first was returned by itself.
        assert_eq!(attempts(100 * MIB, 1), []);
        assert_eq!(attempts(200 * MIB, 1), [1]);
        memory.note_attempt(200 * MIB, 100 * MIB);
        assert!(memory.is_worth_trying(100 * MIB), "more may be returned after an attempt that was worth it");
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
