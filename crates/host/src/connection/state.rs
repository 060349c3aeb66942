//! The states of a connection and what leads from one to the next: pure, so that every path can be
//! tested without a server.

use std::time::Duration;

use crate::failure::{Failure, FailureCode};
use crate::server::StateName;

/// How often a lost connection is tried again before it is given up.
pub(crate) const MAX_RETRIES: u32 = 5;
/// A connection that held for this long starts counting anew.
pub(crate) const STABLE_AFTER: Duration = Duration::from_mins(1);

/// What a connection is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    /// The person stopped it, or nobody has started it yet.
    Stopped,
    /// The process or the handshake is under way. `attempt` is 0 when the person or the window started it.
    Starting { attempt: u32, was_connected: bool },
    /// Connected. With a failure, something it offers could not be read.
    Connected { attempt: u32, degraded: Option<Failure> },
    /// The server wants a login.
    SignInNeeded(Failure),
    /// Its definition is not what the person approved: nothing is started.
    Changed(Failure),
    /// Its secrets or its login need the vault, which isn't open. It starts once the vault is.
    Locked(Failure),
    /// Waits before the next attempt: to connect again, or for the first time.
    Waiting { attempt: u32, was_connected: bool, failure: Failure },
    /// Given up.
    Failed(Failure),
}

/// What happened to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ConnectionEvent {
    /// It shall run.
    Start,
    /// The person stops it.
    Stop,
    /// The handshake is done.
    Connected,
    /// It could not be connected.
    ConnectFailed(Failure),
    /// What it offers was read, or could not be.
    Listed(Option<Failure>),
    /// The connection ended by itself after `held`.
    Lost { failure: Failure, connected_for: Duration },
    /// The wait before an attempt is over.
    RetryDue,
}

/// Whether a lost connection is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RestartPolicy {
    /// Yes: a saved server in the window.
    Reconnect,
    /// No: a command's own connection.
    Never,
}

impl State {
    /// The state after `event`; `None` when the event means nothing in this state.
    pub(crate) fn next(&self, event: ConnectionEvent, endurance: RestartPolicy) -> Option<Self> {
        match (self, event) {
            (Self::Stopped, ConnectionEvent::Stop) => None,
            (_, ConnectionEvent::Stop) => Some(Self::Stopped),

            (Self::Starting { .. } | Self::Connected { .. }, ConnectionEvent::Start) => None,
            (_, ConnectionEvent::Start) => Some(Self::Starting { attempt: 0, was_connected: false }),

            (Self::Starting { attempt, .. }, ConnectionEvent::Connected) => {
                Some(Self::Connected { attempt: *attempt, degraded: None })
            }
            (Self::Starting { attempt, was_connected }, ConnectionEvent::ConnectFailed(failure)) => {
                Some(after_failure(*attempt, *was_connected, failure, endurance))
            }
            (Self::Connected { attempt, degraded: before }, ConnectionEvent::Listed(degraded)) => {
                (*before != degraded).then_some(Self::Connected { attempt: *attempt, degraded })
            }
            (Self::Connected { attempt, .. }, ConnectionEvent::Lost { failure, connected_for: held }) => {
                let attempt = if held >= STABLE_AFTER { 0 } else { *attempt };
                Some(retry_or_fail(attempt, true, failure, endurance))
            }
            (Self::Waiting { attempt, was_connected, .. }, ConnectionEvent::RetryDue) => {
                Some(Self::Starting { attempt: *attempt, was_connected: *was_connected })
            }

            (
                _,
                ConnectionEvent::Connected
                | ConnectionEvent::ConnectFailed(_)
                | ConnectionEvent::Listed(_)
                | ConnectionEvent::Lost { .. }
                | ConnectionEvent::RetryDue,
            ) => None,
        }
    }

    /// The state's name.
    pub(crate) fn name(&self) -> StateName {
        match self {
            Self::Stopped => StateName::Stopped,
            Self::Starting { .. } | Self::Waiting { was_connected: false, .. } => StateName::Starting,
            Self::Connected { degraded: None, .. } => StateName::Ready,
            Self::Connected { degraded: Some(_), .. } => StateName::Degraded,
            Self::SignInNeeded(_) => StateName::SignInNeeded,
            Self::Changed(_) => StateName::Changed,
            Self::Locked(_) => StateName::Locked,
            Self::Waiting { was_connected: true, .. } => StateName::Reconnecting,
            Self::Failed(_) => StateName::Failed,
        }
    }

    /// Why it is not, or not fully, there.
    pub(crate) fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Connected { degraded, .. } => degraded.as_ref(),
            Self::SignInNeeded(failure)
            | Self::Changed(failure)
            | Self::Locked(failure)
            | Self::Waiting { failure, .. }
            | Self::Failed(failure) => Some(failure),
            Self::Stopped | Self::Starting { .. } => None,
        }
    }

    /// Which repeated attempt is under way or due; 0 when none is.
    pub(crate) fn attempt(&self) -> u32 {
        match self {
            Self::Starting { attempt, .. } | Self::Waiting { attempt, .. } => *attempt,
            _ => 0,
        }
    }
}

/// The state after a failed attempt to connect. A first attempt is repeated only where waiting can help;
/// what was connected before is worth all tries, unless the reason will not go away by itself.
fn after_failure(attempt: u32, was_connected: bool, failure: Failure, endurance: RestartPolicy) -> State {
    let retrying = attempt > 0;
    match failure.code {
        FailureCode::SignIn => State::SignInNeeded(failure),
        FailureCode::DefinitionChanged => State::Changed(failure),
        FailureCode::VaultLocked => State::Locked(failure),
        FailureCode::Refused => retry_or_fail(attempt, was_connected, failure, endurance),
        FailureCode::Exited | FailureCode::Timeout | FailureCode::HttpStatus if retrying => {
            retry_or_fail(attempt, was_connected, failure, endurance)
        }
        _ => State::Failed(failure),
    }
}

fn retry_or_fail(attempt: u32, was_connected: bool, failure: Failure, endurance: RestartPolicy) -> State {
    match (failure.code, endurance) {
        (FailureCode::SignIn, _) => State::SignInNeeded(failure),
        (_, RestartPolicy::Reconnect) if attempt < MAX_RETRIES => {
            State::Waiting { attempt: attempt + 1, was_connected, failure }
        }
        _ => State::Failed(failure),
    }
}

/// How long to wait before an attempt: 1, 2, 4, 8 and 16 s, each up to a quarter shorter or longer, so that
/// servers that died together do not come back together. `random` is any number.
pub(crate) fn retry_delay(attempt: u32, random: u64) -> Duration {
    let base = 1_000_u64 << attempt.saturating_sub(1).min(4);
    let spread = base / 2;
    Duration::from_millis(base - spread / 2 + random % (spread + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(code: FailureCode) -> Failure {
        Failure { code, message: mooring_words::Sentence::quoted("m"), next: None, evidence: None }
    }

    fn starting(attempt: u32) -> State {
        State::Starting { attempt, was_connected: false }
    }

    /// Runs `events` from `state` and returns the names of the states with their attempts.
    fn check(state: State, events: Vec<ConnectionEvent>, endurance: RestartPolicy, expect: &[&str]) {
        let mut state = state;
        let mut names = Vec::new();
        for event in events {
            match state.next(event, endurance) {
                Some(next) => {
                    names.push(match next.attempt() {
                        0 => next.name().as_str().to_owned(),
                        attempt => format!("{} {attempt}", next.name().as_str()),
                    });
                    state = next;
                }
                None => names.push("-".to_owned()),
            }
        }
        assert_eq!(names, expect);
    }

    fn lost(code: FailureCode) -> ConnectionEvent {
        ConnectionEvent::Lost { failure: failure(code), connected_for: Duration::from_secs(1) }
    }

    #[test]
    fn a_server_starts_runs_and_is_stopped() {
        check(
            State::Stopped,
            vec![
                ConnectionEvent::Start,
                ConnectionEvent::Connected,
                ConnectionEvent::Listed(None),
                ConnectionEvent::Stop,
                ConnectionEvent::Stop,
            ],
            RestartPolicy::Reconnect,
            &["starting", "ready", "-", "stopped", "-"],
        );
    }

    // Requirements: STD-11.
    #[test]
    fn a_lost_connection_is_tried_five_times_and_then_given_up() {
        let mut events = vec![lost(FailureCode::Exited)];
        let mut expect = vec!["reconnecting 1".to_owned()];
        for attempt in 1..=MAX_RETRIES {
            events.extend([
                ConnectionEvent::RetryDue,
                ConnectionEvent::ConnectFailed(failure(FailureCode::Exited)),
            ]);
            expect.push(format!("starting {attempt}"));
            expect.push(if attempt < MAX_RETRIES {
                format!("reconnecting {}", attempt + 1)
            } else {
                "failed".to_owned()
            });
        }
        let expect: Vec<&str> = expect.iter().map(String::as_str).collect();
        check(State::Connected { attempt: 0, degraded: None }, events, RestartPolicy::Reconnect, &expect);
    }

    #[test]
    fn a_server_that_dies_right_after_each_start_is_given_up_too() {
        let mut events = Vec::new();
        for _ in 0..=MAX_RETRIES {
            events.extend([ConnectionEvent::Connected, lost(FailureCode::Exited), ConnectionEvent::RetryDue]);
        }
        check(
            starting(0),
            events,
            RestartPolicy::Reconnect,
            &[
                "ready",
                "reconnecting 1",
                "starting 1",
                "ready",
                "reconnecting 2",
                "starting 2",
                "ready",
                "reconnecting 3",
                "starting 3",
                "ready",
                "reconnecting 4",
                "starting 4",
                "ready",
                "reconnecting 5",
                "starting 5",
                "ready",
                "failed",
                "-",
            ],
        );
    }

    #[test]
    fn a_connection_that_held_starts_counting_anew() {
        let held =
            ConnectionEvent::Lost { failure: failure(FailureCode::Exited), connected_for: STABLE_AFTER };
        check(
            State::Connected { attempt: 5, degraded: None },
            vec![held],
            RestartPolicy::Reconnect,
            &["reconnecting 1"],
        );
    }

    #[test]
    fn a_first_start_is_repeated_only_where_waiting_can_help() {
        let check_first = |code, expect| {
            check(
                starting(0),
                vec![ConnectionEvent::ConnectFailed(failure(code))],
                RestartPolicy::Reconnect,
                &[expect],
            );
        };
        check_first(FailureCode::Refused, "starting 1");
        for code in [
            FailureCode::CommandNotFound,
            FailureCode::NotExecutable,
            FailureCode::Exited,
            FailureCode::Timeout,
            FailureCode::NotMcp,
            FailureCode::Handshake,
            FailureCode::HttpStatus,
            FailureCode::Certificate,
        ] {
            check_first(code, "failed");
        }
        check_first(FailureCode::SignIn, "sign_in_needed");
        check_first(FailureCode::DefinitionChanged, "changed");
        check_first(FailureCode::VaultLocked, "locked");
    }

    #[test]
    fn what_never_was_connected_is_not_reconnecting() {
        let refused = || ConnectionEvent::ConnectFailed(failure(FailureCode::Refused));
        check(
            starting(0),
            vec![
                refused(),
                ConnectionEvent::RetryDue,
                refused(),
                ConnectionEvent::RetryDue,
                ConnectionEvent::Connected,
            ],
            RestartPolicy::Reconnect,
            &["starting 1", "starting 1", "starting 2", "starting 2", "ready"],
        );
        let waits = starting(0).next(refused(), RestartPolicy::Reconnect).unwrap();
        assert_eq!(waits.failure(), Some(&failure(FailureCode::Refused)));
        // Started anew by the person, it has not been connected yet.
        check(
            State::Connected { attempt: 0, degraded: None },
            vec![lost(FailureCode::Exited), ConnectionEvent::Start, refused()],
            RestartPolicy::Reconnect,
            &["reconnecting 1", "starting", "starting 1"],
        );
    }

    #[test]
    fn what_will_not_go_away_ends_the_attempts() {
        check(
            starting(2),
            vec![ConnectionEvent::ConnectFailed(failure(FailureCode::CommandNotFound))],
            RestartPolicy::Reconnect,
            &["failed"],
        );
        check(
            State::Connected { attempt: 0, degraded: None },
            vec![lost(FailureCode::SignIn)],
            RestartPolicy::Reconnect,
            &["sign_in_needed"],
        );
    }

    #[test]
    fn nothing_restarts_what_the_person_stopped() {
        for event in [
            ConnectionEvent::Connected,
            ConnectionEvent::ConnectFailed(failure(FailureCode::Refused)),
            ConnectionEvent::Listed(None),
            lost(FailureCode::Exited),
            ConnectionEvent::RetryDue,
        ] {
            assert_eq!(State::Stopped.next(event, RestartPolicy::Reconnect), None);
        }
    }

    #[test]
    fn the_person_starts_again_from_every_resting_state() {
        for state in [
            State::Stopped,
            State::Failed(failure(FailureCode::Exited)),
            State::SignInNeeded(failure(FailureCode::SignIn)),
            State::Locked(failure(FailureCode::VaultLocked)),
            State::Waiting { attempt: 4, was_connected: true, failure: failure(FailureCode::Refused) },
        ] {
            check(state, vec![ConnectionEvent::Start], RestartPolicy::Reconnect, &["starting"]);
        }
        check(starting(1), vec![ConnectionEvent::Start], RestartPolicy::Reconnect, &["-"]);
    }

    #[test]
    fn a_commands_own_connection_is_never_tried_again() {
        check(
            State::Connected { attempt: 0, degraded: None },
            vec![lost(FailureCode::Exited)],
            RestartPolicy::Never,
            &["failed"],
        );
        check(
            starting(0),
            vec![ConnectionEvent::ConnectFailed(failure(FailureCode::Refused))],
            RestartPolicy::Never,
            &["failed"],
        );
    }

    #[test]
    fn an_unreadable_list_degrades_and_a_readable_one_heals() {
        check(
            State::Connected { attempt: 0, degraded: None },
            vec![
                ConnectionEvent::Listed(Some(failure(FailureCode::Timeout))),
                ConnectionEvent::Listed(Some(failure(FailureCode::Timeout))),
                ConnectionEvent::Listed(None),
            ],
            RestartPolicy::Reconnect,
            &["degraded", "-", "ready"],
        );
    }

    #[test]
    fn the_waits_double_and_stay_within_a_quarter() {
        for (attempt, middle) in [(1, 1_000), (2, 2_000), (3, 4_000), (4, 8_000), (5, 16_000), (9, 16_000)] {
            for random in [0, 1, 499, 12_345, u64::MAX] {
                let wait = u64::try_from(retry_delay(attempt, random).as_millis()).unwrap();
                assert!((middle * 3 / 4..=middle * 5 / 4).contains(&wait), "{attempt}: {wait}");
            }
        }
    }
}
