//! Watching for something to become true.

use std::time::{Duration, Instant};

/// Whether a process with this id exists and has not ended; one that only waits to be reaped has.
pub fn is_alive(pid: u32) -> bool {
    if cfg!(target_os = "linux") {
        let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else {
            return false;
        };
        // The state follows the command name, which is in parentheses and may contain anything.
        let state = stat.rsplit_once(") ").map(|(_, rest)| rest.chars().next());
        return !matches!(state, Some(Some('Z' | 'X')));
    }
    i32::try_from(pid)
        .ok()
        .and_then(rustix::process::Pid::from_raw)
        .is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
}

/// Waits until `condition` is true, and panics with `what` if it is still false after `limit`.
///
/// For external conditions without notification, such as the end of a process that is not our child. The
/// condition is checked every 10 ms.
pub async fn eventually(what: &str, limit: Duration, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < limit, "not within {limit:?}: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
