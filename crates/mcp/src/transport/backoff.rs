//! Delays before reconnecting.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// Increasing delays with jitter and a limit.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    tries: u32,
    /// Whether delays start at one second or more.
    is_slow: bool,
    /// Whether there was a delay already.
    has_waited: bool,
}

impl Backoff {
    /// After this many consecutive failures, the caller gives up.
    pub(crate) const TRIES: u32 = 10;
    const FIRST: Duration = Duration::from_secs(1);
    const LONGEST: Duration = Duration::from_mins(1);
    /// The shortest delay that a server can request. It only applies once.
    const SHORTEST: Duration = Duration::from_millis(100);

    /// Delays for streams that are reopened as long as the connection is open.
    pub(crate) fn slow() -> Self {
        Self { is_slow: true, ..Self::default() }
    }

    /// The next delay, or `None` to give up. `asked` is the delay that the server requested (`retry` of an
    /// event stream). The first delay is exactly `asked`, and later delays increase from there.
    pub(crate) fn next_delay(&mut self, asked: Option<Duration>) -> Option<Duration> {
        if self.tries >= Self::TRIES {
            return None;
        }
        let shortest = if self.is_slow { Self::FIRST } else { Self::SHORTEST };
        let first = asked.unwrap_or(Self::FIRST).clamp(shortest, Self::LONGEST);
        let grown = first.saturating_mul(1 << self.tries.min(16)).min(Self::LONGEST);
        let grown = if self.has_waited { grown.max(Self::FIRST) } else { grown };
        let wait = if self.tries == 0 { grown } else { grown + random_part(grown / 4) };
        self.tries += 1;
        self.has_waited = true;
        Some(wait)
    }

    /// Like [`Self::next_delay`], with jitter every time, for steps that many clients take at the same time.
    pub(crate) fn next_scattered_delay(&mut self) -> Option<Duration> {
        let is_first = self.tries == 0;
        let wait = self.next_delay(None)?;
        Some(if is_first { wait + random_part(wait / 4) } else { wait })
    }

    /// Resets the delay after a success.
    pub(crate) fn reset(&mut self) {
        self.tries = 0;
    }
}

/// A random part of `most`, so that many connections don't reconnect at the same time.
fn random_part(most: Duration) -> Duration {
    let random = u32::try_from(RandomState::new().hash_one(0_u8) >> 32).unwrap_or(u32::MAX);
    most.mul_f64(f64::from(random) / f64::from(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: SHS-11.
    #[test]
    fn waits_grow_from_what_the_server_asks_for_and_end_after_ten() {
        let mut backoff = Backoff::default();
        assert_eq!(backoff.next_delay(Some(Duration::from_millis(500))), Some(Duration::from_millis(500)));
        let mut waits = Vec::new();
        while let Some(wait) = backoff.next_delay(Some(Duration::from_millis(500))) {
            waits.push(wait);
        }
        assert_eq!(waits.len(), 9);
        assert!(waits[0] >= Duration::from_secs(1) && waits[0] <= Duration::from_millis(1250), "{waits:?}");
        assert!(waits.iter().all(|wait| *wait <= Duration::from_secs(75)), "{waits:?}");
        assert_eq!(Backoff::default().next_delay(Some(Duration::ZERO)), Some(Duration::from_millis(100)));
        // The short delay only applies once, even after a success.
        backoff.reset();
        assert_eq!(backoff.next_delay(Some(Duration::ZERO)), Some(Duration::from_secs(1)));
        backoff.reset();
        assert_eq!(backoff.next_delay(Some(Duration::from_hours(1))), Some(Duration::from_mins(1)));
    }

    #[test]
    fn a_stream_that_ends_at_once_is_not_opened_often() {
        let mut backoff = Backoff::slow();
        let waits: Vec<_> = std::iter::from_fn(|| backoff.next_delay(Some(Duration::ZERO))).collect();
        let mut at = Duration::ZERO;
        let opened = waits
            .iter()
            .map(|wait| {
                at += *wait;
                at
            })
            .filter(|at| *at <= Duration::from_mins(5));
        assert!(opened.count() < 10, "{waits:?}");
        assert!(waits.iter().all(|wait| *wait >= Duration::from_secs(1)), "{waits:?}");
    }
}
