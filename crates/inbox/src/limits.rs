//! Limits how many questions a server or the calls of an app may cause, so that the person reads each one.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use mooring_base::app_call::APP_PREFIX;
use mooring_base::clock::Moment;
use mooring_base::server_id::ServerId;
use mooring_words::{Sentence, say};

use crate::question::InteractionQuestion;
use crate::view::{InteractionOccasion, Remember};

/// Maximum number of questions of a server at once: one is shown, the others wait behind it.
const MAX_WAITING: usize = 4;
/// Maximum number of questions of a server within [`MINUTE`].
const PER_MINUTE: usize = 6;
const MINUTE: Duration = Duration::from_mins(1);
/// Consecutive dismissals after which a server is silenced.
const DISMISSALS: u32 = 3;
/// Length of the first silence.
pub(crate) const SILENCE_MS: i64 = 60 * 60 * 1_000;
/// Maximum number of questions at once that the person caused. The limits above don't count them.
const MAX_WAITING_CONSENTS: usize = 32;

/// Maximum questions at once for the calls of all apps together, because an app can choose any name.
pub(crate) const MAX_OF_APPS: usize = 32;

/// Whose questions are counted together.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Asker {
    /// The questions of a server.
    Server(ServerId),
    /// The questions whether calls of an app may run.
    App(String),
}

impl Asker {
    /// Whose limits a question counts against.
    pub(crate) fn of(
        server: ServerId,
        occasion: &InteractionOccasion,
        question: &InteractionQuestion,
    ) -> Self {
        match (question, occasion.caller.as_deref().and_then(|caller| caller.strip_prefix(APP_PREFIX))) {
            (InteractionQuestion::Tool { .. }, Some(app)) => Self::App(app.to_owned()),
            _ => Self::Server(server),
        }
    }

    /// The app's name, if this is an app.
    pub(crate) fn app(&self) -> Option<&str> {
        match self {
            Self::Server(_) => None,
            Self::App(app) => Some(app),
        }
    }
}

/// Why a question is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SuppressReason {
    /// Too many questions wait already.
    Queue,
    /// The asker asks too often.
    Rate,
    /// The asker was dismissed too often.
    Silenced,
}

impl SuppressReason {
    pub(crate) fn sentence(self, asker: &Asker) -> Sentence {
        match (self, asker) {
            (Self::Queue, Asker::App(_)) => say!("too many of the app’s calls already wait for an answer"),
            (Self::Rate, Asker::App(_)) => {
                say!("{count} of the app’s calls within a minute had no answer", count = PER_MINUTE)
            }
            (Self::Silenced, Asker::App(_)) => {
                say!("{count} of the app’s calls in a row were dismissed", count = DISMISSALS)
            }
            (Self::Queue, _) => say!("{count} of its questions are already waiting", count = MAX_WAITING),
            (Self::Rate, _) => say!("it sends more than {count} questions a minute", count = PER_MINUTE),
            (Self::Silenced, _) => {
                say!("its questions were dismissed {count} times in a row", count = DISMISSALS)
            }
        }
    }
}

/// How long a server is silenced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Silence {
    /// Until this time, in milliseconds since the Unix epoch.
    Until(i64),
    /// Until the person ends it.
    UntilLifted,
    /// Until the person ends it or the run ends.
    Session,
}

/// Rate limit and silence of one server or app.
#[derive(Debug, Default)]
pub(crate) struct QuestionLimiter {
    /// When its questions of the last minute were admitted.
    asked: VecDeque<Instant>,
    dismissals: u32,
    /// How often it was silenced since the person last ended a silence.
    silence_count: u32,
    silence: Option<Silence>,
    suppressed: u32,
    /// When and why a question was last suppressed.
    last_suppressed: Option<(Moment, SuppressReason)>,
}

impl QuestionLimiter {
    /// A limiter with a silence that an earlier session saved.
    pub(crate) fn with_silence(silence: Silence) -> Self {
        let spells = if silence == Silence::UntilLifted { 2 } else { 1 };
        Self { silence_count: spells, silence: Some(silence), ..Self::default() }
    }

    /// Admits one more question beside `waiting` others. With `counts` unset, only the number of waiting
    /// questions is limited.
    pub(crate) fn admit(&mut self, waiting: usize, counts: bool, now: Moment) -> Result<(), SuppressReason> {
        if !counts {
            return if waiting < MAX_WAITING_CONSENTS { Ok(()) } else { Err(SuppressReason::Queue) };
        }
        while self.asked.front().is_some_and(|asked| now.instant.duration_since(*asked) >= MINUTE) {
            self.asked.pop_front();
        }
        let aside = if self.silence(now).is_some() {
            SuppressReason::Silenced
        } else if waiting >= MAX_WAITING {
            SuppressReason::Queue
        } else if self.asked.len() >= PER_MINUTE {
            SuppressReason::Rate
        } else {
            self.asked.push_back(now.instant);
            return Ok(());
        };
        self.suppressed = self.suppressed.saturating_add(1);
        Err(aside)
    }

    /// Whether this is the first question within a minute that is suppressed for this reason. Only that one
    /// is saved.
    pub(crate) fn is_first_suppressed(&mut self, aside: SuppressReason, now: Moment) -> bool {
        let first = self
            .last_suppressed
            .is_none_or(|(last, why)| why != aside || now.instant.duration_since(last.instant) >= MINUTE);
        if first {
            self.last_suppressed = Some((now, aside));
        }
        first
    }

    /// Forgets an answered question, so that it no longer counts.
    pub(crate) fn forget_answered(&mut self) {
        self.asked.pop_front();
    }

    /// Whether the limiter's state is that of a new one.
    pub(crate) fn is_at_rest(&self, now: Moment) -> bool {
        let is_old = |asked: &Instant| now.instant.duration_since(*asked) >= MINUTE;
        self.silence.is_none() && self.dismissals == 0 && self.asked.iter().all(is_old)
    }

    /// Resets the count of dismissals after an answer, be it a no.
    pub(crate) fn reset_dismissals(&mut self) {
        self.dismissals = 0;
    }

    /// Counts a dismissal by the person. Returns the silence that starts with it.
    pub(crate) fn count_dismissal(&mut self, now: Moment) -> Option<Silence> {
        self.dismissals += 1;
        if self.dismissals < DISMISSALS {
            return None;
        }
        self.dismissals = 0;
        self.silence_count += 1;
        let silence = if self.silence_count > 1 {
            Silence::UntilLifted
        } else {
            Silence::Until(now.wall_ms.saturating_add(SILENCE_MS))
        };
        self.silence = Some(silence);
        Some(silence)
    }

    /// Starts the silence that the person asked for.
    pub(crate) fn silence_for(&mut self, remember: Remember, now: Moment) -> Silence {
        let silence = match remember {
            Remember::Always => Silence::UntilLifted,
            Remember::Session => Silence::Session,
            Remember::Hour | Remember::Once => Silence::Until(now.wall_ms.saturating_add(SILENCE_MS)),
        };
        self.silence = Some(silence);
        silence
    }

    fn silence(&mut self, now: Moment) -> Option<Silence> {
        if matches!(self.silence, Some(Silence::Until(until)) if until <= now.wall_ms) {
            self.silence = None;
        }
        self.silence
    }

    /// Why questions are suppressed at the moment, and until when.
    pub(crate) fn silenced_until(&mut self, now: Moment) -> Option<(Option<i64>, SuppressReason)> {
        match self.silence(now) {
            Some(Silence::Until(until)) => return Some((Some(until), SuppressReason::Silenced)),
            Some(Silence::UntilLifted | Silence::Session) => return Some((None, SuppressReason::Silenced)),
            None => {}
        }
        let (last, why) = self.last_suppressed.filter(|(_, why)| *why != SuppressReason::Silenced)?;
        let left = MINUTE.checked_sub(now.instant.duration_since(last.instant))?;
        let left = i64::try_from(left.as_millis()).unwrap_or(i64::MAX);
        Some((Some(now.wall_ms.saturating_add(left)), why))
    }

    /// The number of suppressed questions.
    pub(crate) fn suppressed_count(&self) -> u32 {
        self.suppressed
    }

    /// Ends the silence and resets the limits, but keeps the number of suppressed questions.
    pub(crate) fn lift(&mut self) {
        *self = Self { suppressed: self.suppressed, ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(start: Instant, after: Duration) -> Moment {
        let wall = i64::try_from(after.as_millis()).unwrap();
        Moment { instant: start + after, wall_ms: 1_000_000 + wall }
    }

    // Requirements: ELIC-19.
    #[test]
    fn fifth_queued_and_seventh_per_minute_are_dismissed() {
        let start = Instant::now();
        let mut allowance = QuestionLimiter::default();
        let now = at(start, Duration::ZERO);
        for held in 0..MAX_WAITING {
            assert_eq!(allowance.admit(held, true, now), Ok(()));
        }
        assert_eq!(allowance.admit(MAX_WAITING, true, now), Err(SuppressReason::Queue));
        assert_eq!(allowance.admit(0, true, now), Ok(()));
        assert_eq!(allowance.admit(0, true, now), Ok(()));
        assert_eq!(allowance.admit(0, true, now), Err(SuppressReason::Rate));
        assert_eq!(
            allowance.admit(0, true, at(start, Duration::from_millis(59_999))),
            Err(SuppressReason::Rate)
        );
        assert_eq!(allowance.admit(0, true, at(start, MINUTE)), Ok(()));
        assert_eq!(allowance.suppressed_count(), 3);
    }

    // Requirements: ELIC-19.
    #[test]
    fn consent_for_what_the_person_started_is_not_counted() {
        let mut allowance = QuestionLimiter::default();
        let now = at(Instant::now(), Duration::ZERO);
        for _ in 0..100 {
            assert_eq!(allowance.admit(MAX_WAITING, false, now), Ok(()));
        }
        assert_eq!(allowance.admit(MAX_WAITING_CONSENTS, false, now), Err(SuppressReason::Queue));
        assert_eq!(allowance.admit(0, true, now), Ok(()));
    }

    #[test]
    fn what_the_person_answers_counts_no_longer() {
        let now = at(Instant::now(), Duration::ZERO);
        let mut allowance = QuestionLimiter::default();
        for _ in 0..100 {
            assert_eq!(allowance.admit(0, true, now), Ok(()));
            allowance.forget_answered();
        }
        assert!(allowance.is_at_rest(now));
        for _ in 0..PER_MINUTE {
            assert_eq!(allowance.admit(0, true, now), Ok(()));
        }
        assert_eq!(allowance.admit(0, true, now), Err(SuppressReason::Rate));
        assert!(!allowance.is_at_rest(now) && allowance.is_at_rest(at(now.instant, MINUTE)));
    }

    // Requirements: ELIC-19.
    #[test]
    fn three_dismissals_mute_for_an_hour_three_more_until_unmuted() {
        let start = Instant::now();
        let mut allowance = QuestionLimiter::default();
        let now = at(start, Duration::ZERO);
        for _ in 0..3 {
            assert_eq!(allowance.count_dismissal(now), None);
            assert_eq!(allowance.count_dismissal(now), None);
            allowance.reset_dismissals();
        }
        assert_eq!(allowance.admit(0, true, now), Ok(()));
        assert_eq!((allowance.count_dismissal(now), allowance.count_dismissal(now)), (None, None));
        let until = now.wall_ms + SILENCE_MS;
        assert_eq!(allowance.count_dismissal(now), Some(Silence::Until(until)));
        assert_eq!(allowance.silenced_until(now).unwrap().0, Some(until));
        let hour = Duration::from_hours(1);
        let last = at(start, hour.saturating_sub(Duration::from_millis(1)));
        assert_eq!(allowance.admit(0, true, last), Err(SuppressReason::Silenced));
        let later = at(start, hour);
        assert_eq!(allowance.admit(0, true, later), Ok(()));
        assert_eq!(allowance.silenced_until(later), None);
        assert_eq!((allowance.count_dismissal(later), allowance.count_dismissal(later)), (None, None));
        assert_eq!(allowance.count_dismissal(later), Some(Silence::UntilLifted));
        let year = at(start, hour * 24 * 365);
        assert_eq!(allowance.admit(0, true, year), Err(SuppressReason::Silenced));
        assert_eq!(allowance.silenced_until(year).unwrap().0, None);
        allowance.lift();
        assert_eq!(allowance.admit(0, true, year), Ok(()));
        assert_eq!(allowance.suppressed_count(), 2);
    }

    #[test]
    fn only_the_first_of_many_that_are_put_aside_is_worth_a_row() {
        let start = Instant::now();
        let mut allowance = QuestionLimiter::default();
        let now = at(start, Duration::ZERO);
        assert!(allowance.is_first_suppressed(SuppressReason::Queue, now));
        assert!(!allowance.is_first_suppressed(SuppressReason::Queue, now));
        assert_eq!(allowance.silenced_until(now).unwrap().0, Some(now.wall_ms + 60_000));
        assert!(allowance.is_first_suppressed(SuppressReason::Rate, now));
        assert!(allowance.is_first_suppressed(SuppressReason::Rate, at(start, MINUTE)));
    }
}
