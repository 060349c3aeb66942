//! Nonces for answers. They prove that an answer comes from where the question was opened, and that the
//! question was shown long enough to be read.

use std::time::{Duration, Instant};

use mooring_vault::{VaultError, random_id};
use secrecy::{ExposeSecret, SecretString};
use subtle::ConstantTimeEq;

/// How long a question must be shown before a yes counts.
pub(crate) const ARMING_DELAY: Duration = Duration::from_secs(1);

/// The nonce of an open question.
#[derive(Debug)]
pub(crate) struct Nonce {
    value: SecretString,
    opened: Instant,
}

/// Why a nonce is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NonceError {
    Wrong,
    Early,
}

impl Nonce {
    pub(crate) fn new(now: Instant) -> Result<Self, VaultError> {
        Ok(Self { value: random_id()?.into(), opened: now })
    }

    pub(crate) fn expose(&self) -> &str {
        self.value.expose_secret()
    }

    /// The time until a yes counts.
    pub(crate) fn armed_in(&self, now: Instant) -> Duration {
        ARMING_DELAY.saturating_sub(now.duration_since(self.opened))
    }

    /// Checks the nonce of an answer, and that a yes does not come too early.
    pub(crate) fn check(&self, given: &str, is_yes: bool, now: Instant) -> Result<(), NonceError> {
        if !bool::from(self.expose().as_bytes().ct_eq(given.as_bytes())) {
            Err(NonceError::Wrong)
        } else if is_yes && !self.armed_in(now).is_zero() {
            Err(NonceError::Early)
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: SEC-01, SEC-26.
    #[test]
    fn accept_counts_after_one_second_and_decline_at_once() {
        let start = Instant::now();
        let nonce = Nonce::new(start).unwrap();
        let (given, before) =
            (nonce.expose().to_owned(), start + ARMING_DELAY.saturating_sub(Duration::from_millis(1)));
        assert_eq!(given.len(), 32);
        assert_eq!(nonce.check(&given, true, before), Err(NonceError::Early));
        assert_eq!(nonce.check(&given, false, start), Ok(()));
        assert_eq!(nonce.check(&given, true, start + ARMING_DELAY), Ok(()));
        for wrong in ["", "0", &given.to_uppercase().replace(|c: char| c.is_ascii_digit(), "x"), &given[1..]]
        {
            assert_eq!(nonce.check(wrong, false, start + ARMING_DELAY), Err(NonceError::Wrong), "{wrong}");
        }
        assert_ne!(Nonce::new(start).unwrap().expose(), given);
        assert_eq!(nonce.armed_in(start), ARMING_DELAY);
        assert!(!format!("{nonce:?}").contains(&given));
    }
}
