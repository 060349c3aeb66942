//! Limits how much a peer may send, with a token bucket for messages and one for bytes.

use std::time::{Duration, Instant};

/// A steady rate and a burst, for messages and bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Messages a second.
    pub messages: usize,
    /// Maximum number of messages at once.
    pub burst: usize,
    /// Bytes a second. One second's worth may arrive at once, and the largest message is always allowed.
    pub bytes: usize,
}

impl Default for Rate {
    /// The limit for unsolicited messages of a server, and for all messages of an app.
    fn default() -> Self {
        Self { messages: 1_000, burst: 2_000, bytes: 16 << 20 }
    }
}

/// The bucket that is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmptyBucket {
    /// The bucket of messages.
    Messages,
    /// The bucket of bytes.
    Bytes,
}

/// The state of a bucket of messages and a bucket of bytes.
#[derive(Debug, Default)]
pub struct RateLimiter {
    seen: Option<Instant>,
    messages: f64,
    bytes: f64,
}

impl RateLimiter {
    /// Takes `messages` messages with `bytes` bytes in all. If a bucket is empty, returns how long the reader
    /// has to wait, and which bucket it is.
    #[expect(clippy::cast_precision_loss, reason = "limits and sizes are far below 2^52")]
    pub fn take(
        &mut self,
        messages: usize,
        bytes: usize,
        rate: &Rate,
        now: Instant,
    ) -> Option<(Duration, EmptyBucket)> {
        let (burst, per_second, byte_rate) = (rate.burst as f64, rate.messages as f64, rate.bytes as f64);
        match self.seen.replace(now) {
            None => (self.messages, self.bytes) = (burst, byte_rate),
            Some(seen) => {
                let passed = now.saturating_duration_since(seen).as_secs_f64();
                self.messages = (self.messages + passed * per_second).min(burst);
                self.bytes = (self.bytes + passed * byte_rate).min(byte_rate);
            }
        }
        self.messages -= messages as f64;
        self.bytes -= bytes as f64;
        let (by_count, by_bytes) = (-self.messages / per_second, -self.bytes / byte_rate);
        let bucket = if by_count >= by_bytes { EmptyBucket::Messages } else { EmptyBucket::Bytes };
        let wait = by_count.max(by_bytes);
        (wait > 0.0).then(|| (Duration::try_from_secs_f64(wait).unwrap_or(Duration::MAX), bucket))
    }

    /// Returns `messages` messages to the bucket, at most up to the burst.
    #[expect(clippy::cast_precision_loss, reason = "limits and sizes are far below 2^52")]
    pub fn put_back(&mut self, messages: usize, rate: &Rate) {
        self.messages = (self.messages + messages as f64).min(rate.burst as f64);
    }

    /// Whether both buckets are full.
    #[expect(clippy::cast_precision_loss, reason = "limits and sizes are far below 2^52")]
    pub fn is_full(&mut self, rate: &Rate, now: Instant) -> bool {
        self.take(0, 0, rate, now).is_none()
            && self.messages >= rate.burst as f64
            && self.bytes >= rate.bytes as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: LOG-06.
    #[test]
    fn a_burst_is_free_and_what_follows_waits_its_turn() {
        let (rate, now) = (Rate::default(), Instant::now());
        let mut limiter = RateLimiter::default();
        for number in 0..rate.burst {
            assert_eq!(limiter.take(1, 100, &rate, now), None, "{number}");
        }
        let waits: Vec<_> = (0..1000).filter_map(|_| limiter.take(1, 100, &rate, now)).collect();
        assert_eq!(waits.len(), 1_000);
        assert_eq!(waits.last(), Some(&(Duration::from_secs(1), EmptyBucket::Messages)));
        assert_eq!(limiter.take(0, 0, &rate, now + Duration::from_secs(1)), None);
        assert!(!limiter.is_full(&rate, now + Duration::from_secs(2)));
        assert!(limiter.is_full(&rate, now + Duration::from_secs(4)));
    }

    // Requirements: LOG-06, PROG-05.
    #[test]
    fn burst_is_free_and_one_message_or_byte_more_is_not() {
        let now = Instant::now();
        let slow = Rate { burst: 5, messages: 1, ..Rate::default() };
        let mut limiter = RateLimiter::default();
        assert!((0..5).all(|_| limiter.take(1, 1, &slow, now).is_none()));
        assert!(matches!(limiter.take(1, 1, &slow, now), Some((_, EmptyBucket::Messages))));
        let small = Rate { bytes: 10, ..Rate::default() };
        let mut limiter = RateLimiter::default();
        assert_eq!(limiter.take(1, 10, &small, now), None);
        assert!(matches!(limiter.take(1, 1, &small, now), Some((_, EmptyBucket::Bytes))));
    }

    #[test]
    fn a_clock_that_was_before_fills_nothing_and_takes_nothing() {
        let (rate, now) = (Rate { messages: 1, burst: 1, bytes: 1 }, Instant::now());
        let mut limiter = RateLimiter::default();
        assert_eq!(limiter.take(1, 1, &rate, now), None);
        let before = now.checked_sub(Duration::from_secs(1)).unwrap();
        assert_eq!(limiter.take(0, 0, &rate, before), None);
        assert_eq!(limiter.take(1, 0, &rate, before), Some((Duration::from_secs(1), EmptyBucket::Messages)));
    }
}
