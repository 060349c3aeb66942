//! Counts the rounds of a server's tool loop. Each answer with a tool use counts as a round, regardless of
//! the messages that the server repeats in its requests (SAMP-14).
//!
//! Rounds are counted from one action of the person to the next. A server can't reset the count. Rounds of
//! unprompted requests are counted over a period of time.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mooring_base::server_id::ServerId;

use crate::request::MOST_ROUNDS;

/// How long a round counts if the person starts nothing meanwhile. This is the default deadline of a call.
const ROUND_LIFETIME: Duration = Duration::from_mins(10);

/// The server that rounds are counted for. `None` for all servers that are not saved.
type RoundOwner = Option<ServerId>;

/// The rounds of tool loops, counted for each server.
#[derive(Default)]
pub struct ToolRounds(Mutex<BTreeMap<RoundOwner, RoundCount>>);

#[derive(Default)]
struct RoundCount {
    /// How often the person has started something.
    resets: u64,
    /// When the rounds since the last reset began.
    began: VecDeque<Instant>,
}

impl RoundCount {
    fn reset(&mut self) {
        self.resets += 1;
        self.began.clear();
    }
}

/// A round that a server may use. Dropping it without a commit gives the round back, because there was no
/// answer with a tool use.
pub struct ToolRound {
    rounds: Arc<ToolRounds>,
    whose: RoundOwner,
    resets: u64,
    number: u32,
    is_committed: bool,
}

impl ToolRounds {
    fn lock_counts(&self) -> MutexGuard<'_, BTreeMap<RoundOwner, RoundCount>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Resets the count, because the user started something at a server.
    pub fn reset(&self, whose: RoundOwner) {
        let mut all = self.lock_counts();
        for whose in [whose, None] {
            if let Some(counted) = all.get_mut(&whose) {
                counted.reset();
            }
        }
    }

    /// Takes the next round. `None` if no round is left.
    pub fn take(self: &Arc<Self>, whose: RoundOwner, now: Instant) -> Option<ToolRound> {
        let mut all = self.lock_counts();
        let counted = all.entry(whose).or_default();
        while counted
            .began
            .front()
            .is_some_and(|began| now.saturating_duration_since(*began) >= ROUND_LIFETIME)
        {
            counted.began.pop_front();
        }
        let number = u32::try_from(counted.began.len()).unwrap_or(u32::MAX).saturating_add(1);
        if number > MOST_ROUNDS {
            return None;
        }
        counted.began.push_back(now);
        Some(ToolRound {
            rounds: Arc::clone(self),
            whose,
            resets: counted.resets,
            number,
            is_committed: false,
        })
    }
}

impl ToolRound {
    /// The number of the round, from 1.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Counts the round, because the server gets an answer with a tool use.
    pub fn commit(mut self) {
        self.is_committed = true;
    }
}

impl Drop for ToolRound {
    fn drop(&mut self) {
        if self.is_committed {
            return;
        }
        let mut all = self.rounds.lock_counts();
        if let Some(counted) = all.get_mut(&self.whose).filter(|counted| counted.resets == self.resets) {
            counted.began.pop_back();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: RoundOwner = Some(ServerId(1));

    // Requirements: SAMP-14.
    #[test]
    fn ten_rounds_are_allowed_until_a_person_acts_or_time_passes() {
        let rounds = Arc::new(ToolRounds::default());
        let start = Instant::now();
        let have = |count: u32, at: Instant| {
            for _ in 0..count {
                rounds.take(SERVER, at).unwrap().commit();
            }
        };
        have(MOST_ROUNDS, start);
        assert!(rounds.take(SERVER, start).is_none());
        assert!(rounds.take(Some(ServerId(2)), start).is_some(), "of another server");
        assert!(
            rounds
                .take(SERVER, start + ROUND_LIFETIME.checked_sub(Duration::from_secs(1)).unwrap())
                .is_none()
        );
        have(MOST_ROUNDS, start + ROUND_LIFETIME);
        assert!(rounds.take(SERVER, start + ROUND_LIFETIME).is_none());
        rounds.reset(SERVER);
        have(MOST_ROUNDS, start + ROUND_LIFETIME);
        assert!(rounds.take(SERVER, start + ROUND_LIFETIME).is_none());
    }

    #[test]
    fn unused_round_is_returned_to_its_counter() {
        let rounds = Arc::new(ToolRounds::default());
        let now = Instant::now();
        let taken: Vec<ToolRound> = (0..MOST_ROUNDS).map(|_| rounds.take(SERVER, now).unwrap()).collect();
        assert!(rounds.take(SERVER, now).is_none(), "those that run count");
        rounds.reset(SERVER);
        rounds.take(SERVER, now).unwrap().commit();
        drop(taken);
        let left: Vec<ToolRound> = std::iter::from_fn(|| rounds.take(SERVER, now)).collect();
        assert_eq!(u32::try_from(left.len()).unwrap(), MOST_ROUNDS - 1);
        drop(left);
        assert!(rounds.take(SERVER, now).is_some());
    }
}
