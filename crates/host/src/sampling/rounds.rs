//! How many rounds in a row a server has had a model use its tools (SAMP-14). What a server sends of earlier rounds is
//! its own to leave out: here is counted what it was answered.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::server::ServerId;

/// Rounds of one loop.
pub(crate) const MOST: u32 = 10;
/// After how long without an answer a loop is over, whoever began it.
const OVER: Duration = Duration::from_mins(10);

/// The loops of all servers.
#[derive(Debug, Default)]
pub(crate) struct Rounds {
    /// How many answers in a row wanted a tool used, and when the last one was given.
    answered: Mutex<BTreeMap<ServerId, (u32, Instant)>>,
}

impl Rounds {
    /// Which round a request with tools would begin, from 1.
    pub(crate) fn next(&self, server: ServerId, now: Instant) -> u32 {
        let answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        match answered.get(&server) {
            Some((count, last)) if now.duration_since(*last) < OVER => count.saturating_add(1),
            _ => 1,
        }
    }

    /// A request with tools was answered: with the wish to use one, which goes on, or otherwise, which ends the loop.
    pub(crate) fn answered(&self, server: ServerId, uses_tools: bool, now: Instant) {
        let count = self.next(server, now);
        let mut answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        if uses_tools {
            answered.insert(server, (count, now));
        } else {
            answered.remove(&server);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: SAMP-14.
    #[test]
    fn a_loop_goes_on_until_an_answer_uses_no_tool_or_ten_minutes_pass() {
        let (rounds, start) = (Rounds::default(), Instant::now());
        let (one, other) = (ServerId(1), ServerId(2));
        for round in 1..=MOST {
            assert_eq!(rounds.next(one, start), round);
            rounds.answered(one, true, start);
        }
        assert_eq!((rounds.next(one, start), rounds.next(other, start)), (MOST + 1, 1));
        assert_eq!(rounds.next(one, start + OVER.saturating_sub(Duration::from_secs(1))), MOST + 1);
        assert_eq!(rounds.next(one, start + OVER), 1);
        rounds.answered(one, false, start);
        assert_eq!(rounds.next(one, start), 1);
    }
}
