//! How many rounds of a loop with tools a server has had, whatever it repeats of them in its requests: an answer that wants
//! a tool used is what the next round is made of, and that is counted here (SAMP-14).
//!
//! They are counted from one request of the person's to the next: nothing that a server says or leaves out begins the count
//! anew. What it asks of its own accord is counted over a time.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mooring_base::server_id::ServerId;

use crate::request::MOST_ROUNDS;

/// How long a round counts while the person starts nothing: as long as a call lasts at most, as it is set to begin with.
const LONGEST: Duration = Duration::from_mins(10);

/// Whose they are; none: of what nobody has saved.
type Whose = Option<ServerId>;

/// Rounds of loops with tools, counted by server.
#[derive(Default)]
pub struct Rounds(Mutex<BTreeMap<Whose, Counted>>);

#[derive(Default)]
struct Counted {
    /// How often the person has started something.
    starts: u64,
    /// When the rounds since then began.
    began: VecDeque<Instant>,
}

impl Counted {
    fn begin(&mut self) {
        self.starts += 1;
        self.began.clear();
    }
}

/// A round that a server may have. Dropping it gives it back: there was no answer, or one that ends the loop.
pub struct Round {
    rounds: Arc<Rounds>,
    whose: Whose,
    starts: u64,
    number: u32,
    had: bool,
}

impl Rounds {
    fn counted(&self) -> MutexGuard<'_, BTreeMap<Whose, Counted>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The person starts something at a server.
    pub fn begin(&self, whose: Whose) {
        let mut all = self.counted();
        for whose in [whose, None] {
            if let Some(counted) = all.get_mut(&whose) {
                counted.begin();
            }
        }
    }

    /// Takes the next round, if one is left.
    pub fn take(self: &Arc<Self>, whose: Whose, now: Instant) -> Option<Round> {
        let mut all = self.counted();
        let counted = all.entry(whose).or_default();
        while counted.began.front().is_some_and(|began| now.saturating_duration_since(*began) >= LONGEST) {
            counted.began.pop_front();
        }
        let number = u32::try_from(counted.began.len()).unwrap_or(u32::MAX).saturating_add(1);
        if number > MOST_ROUNDS {
            return None;
        }
        counted.began.push_back(now);
        Some(Round { rounds: Arc::clone(self), whose, starts: counted.starts, number, had: false })
    }
}

impl Round {
    /// Which one it is, from 1.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The server gets an answer that wants a tool used.
    pub fn count(mut self) {
        self.had = true;
    }
}

impl Drop for Round {
    fn drop(&mut self) {
        if self.had {
            return;
        }
        let mut all = self.rounds.counted();
        if let Some(counted) = all.get_mut(&self.whose).filter(|counted| counted.starts == self.starts) {
            counted.began.pop_back();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: Whose = Some(ServerId(1));

    // Requirements: SAMP-14.
    #[test]
    fn ten_rounds_are_allowed_until_a_person_acts_or_time_passes() {
        let rounds = Arc::new(Rounds::default());
        let start = Instant::now();
        let have = |count: u32, at: Instant| {
            for _ in 0..count {
                rounds.take(SERVER, at).unwrap().count();
            }
        };
        have(MOST_ROUNDS, start);
        assert!(rounds.take(SERVER, start).is_none());
        assert!(rounds.take(Some(ServerId(2)), start).is_some(), "of another server");
        assert!(rounds.take(SERVER, start + LONGEST.checked_sub(Duration::from_secs(1)).unwrap()).is_none());
        have(MOST_ROUNDS, start + LONGEST);
        assert!(rounds.take(SERVER, start + LONGEST).is_none());
        rounds.begin(SERVER);
        have(MOST_ROUNDS, start + LONGEST);
        assert!(rounds.take(SERVER, start + LONGEST).is_none());
    }

    #[test]
    fn unused_round_is_returned_to_its_counter() {
        let rounds = Arc::new(Rounds::default());
        let now = Instant::now();
        let taken: Vec<Round> = (0..MOST_ROUNDS).map(|_| rounds.take(SERVER, now).unwrap()).collect();
        assert!(rounds.take(SERVER, now).is_none(), "those that run count");
        rounds.begin(SERVER);
        rounds.take(SERVER, now).unwrap().count();
        drop(taken);
        let left: Vec<Round> = std::iter::from_fn(|| rounds.take(SERVER, now)).collect();
        assert_eq!(u32::try_from(left.len()).unwrap(), MOST_ROUNDS - 1);
        drop(left);
        assert!(rounds.take(SERVER, now).is_some());
    }
}
