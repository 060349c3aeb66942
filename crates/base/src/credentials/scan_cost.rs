//! How many bytes the searches for credentials look at. Debug builds count them, for tests: text that a server
//! chose must not make the searches read the same bytes again and again.

#[cfg(debug_assertions)]
thread_local! {
    static SPENT: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Counts `bytes` as looked at.
#[inline]
#[cfg_attr(not(debug_assertions), expect(clippy::missing_const_for_fn, reason = "it counts in debug builds"))]
pub fn count_bytes(bytes: usize) {
    #[cfg(debug_assertions)]
    SPENT.with(|spent| spent.set(spent.get() + bytes as u64));
    #[cfg(not(debug_assertions))]
    let _ = bytes;
}

/// What was counted in this thread since the last time.
#[cfg(debug_assertions)]
pub fn take_count() -> u64 {
    SPENT.take()
}
