//! How many bytes the searches for credentials look at, counted in tests: text that a server chose must not make them
//! read the same bytes again and again.

#[cfg(test)]
thread_local! {
    static SPENT: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Counts `bytes` as looked at.
#[inline]
#[cfg_attr(not(test), expect(clippy::missing_const_for_fn, reason = "it counts in tests"))]
pub(crate) fn spend(bytes: usize) {
    #[cfg(test)]
    SPENT.with(|spent| spent.set(spent.get() + bytes as u64));
    #[cfg(not(test))]
    let _ = bytes;
}

/// What was counted in this thread since the last time.
#[cfg(test)]
pub(crate) fn spent() -> u64 {
    SPENT.take()
}
