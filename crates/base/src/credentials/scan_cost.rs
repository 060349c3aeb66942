//! Counts the bytes that the searches for credentials read. Tests check in debug builds that hostile text
//! can't make the searches read the same bytes again and again.

#[cfg(debug_assertions)]
thread_local! {
    static SPENT: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Adds `bytes` to the count of this thread.
#[inline]
#[cfg_attr(not(debug_assertions), expect(clippy::missing_const_for_fn, reason = "it counts in debug builds"))]
pub fn count_bytes(bytes: usize) {
    #[cfg(debug_assertions)]
    SPENT.with(|spent| spent.set(spent.get() + bytes as u64));
    #[cfg(not(debug_assertions))]
    let _ = bytes;
}

/// Returns this thread's count and resets it.
#[cfg(debug_assertions)]
pub fn take_count() -> u64 {
    SPENT.take()
}
