//! How much a server may say unasked: notifications, requests, noise and answers to nothing. Answers to our own
//! requests are bounded by the number in flight instead.

use std::time::Duration;

use tokio::time::Instant;

use crate::limits::{LimitKind, Limits};

/// A bucket of messages and one of bytes, both filled at a steady rate.
#[derive(Debug, Default)]
pub(crate) struct RateLimiter {
    seen: Option<Instant>,
    messages: f64,
    bytes: f64,
}

impl RateLimiter {
    /// Takes so many messages of `bytes` in all. Returns how long the reader has to wait where a bucket is empty, and
    /// which.
    #[expect(clippy::cast_precision_loss, reason = "limits and sizes are far below 2^52")]
    pub(crate) fn take(
        &mut self,
        messages: usize,
        bytes: usize,
        limits: &Limits,
    ) -> Option<(Duration, LimitKind)> {
        let now = Instant::now();
        let (burst, rate) = (limits.unasked_burst as f64, limits.unasked_per_second as f64);
        // A second's worth of bytes may come at once, and the largest message always.
        let byte_rate = limits.unasked_bytes_per_second as f64;
        match self.seen.replace(now) {
            None => (self.messages, self.bytes) = (burst, byte_rate),
            Some(seen) => {
                let passed = now.duration_since(seen).as_secs_f64();
                self.messages = (self.messages + passed * rate).min(burst);
                self.bytes = (self.bytes + passed * byte_rate).min(byte_rate);
            }
        }
        self.messages -= messages as f64;
        self.bytes -= bytes as f64;
        let (by_count, by_bytes) = (-self.messages / rate, -self.bytes / byte_rate);
        let bound = if by_count >= by_bytes { LimitKind::Unasked } else { LimitKind::UnaskedBytes };
        let wait = by_count.max(by_bytes);
        (wait > 0.0).then(|| (Duration::from_secs_f64(wait), bound))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: LOG-06.
    #[tokio::test]
    async fn a_burst_is_free_and_what_follows_waits_its_turn() {
        let limits = Limits::default();
        let mut rate = RateLimiter::default();
        for number in 0..limits.unasked_burst {
            assert_eq!(rate.take(1, 100, &limits), None, "{number}");
        }
        let waits: Vec<_> = (0..1000).filter_map(|_| rate.take(1, 100, &limits)).collect();
        let (last, bound) = waits.last().unwrap();
        assert_eq!(*bound, LimitKind::Unasked);
        assert!(
            waits.len() > 900 && *last > Duration::from_millis(500) && *last <= Duration::from_secs(1),
            "{last:?}"
        );
    }

    // Requirements: LOG-06, PROG-05.
    #[tokio::test]
    async fn burst_is_free_and_one_message_or_byte_more_is_not() {
        let slow = Limits { unasked_burst: 5, unasked_per_second: 1, ..Limits::default() };
        let mut rate = RateLimiter::default();
        assert!((0..5).all(|_| rate.take(1, 1, &slow).is_none()));
        assert!(matches!(rate.take(1, 1, &slow), Some((_, LimitKind::Unasked))));
        let small = Limits { unasked_bytes_per_second: 10, ..Limits::default() };
        let mut rate = RateLimiter::default();
        assert_eq!(rate.take(1, 10, &small), None);
        assert!(matches!(rate.take(1, 1, &small), Some((_, LimitKind::UnaskedBytes))));
    }

    #[tokio::test]
    async fn bytes_are_counted_as_well() {
        let limits = Limits::default();
        let mut rate = RateLimiter::default();
        for _ in 0..4 {
            assert_eq!(rate.take(1, 4 * 1024 * 1024, &limits), None);
        }
        assert!(matches!(rate.take(1, 4 * 1024 * 1024, &limits), Some((_, LimitKind::UnaskedBytes))));
    }
}
