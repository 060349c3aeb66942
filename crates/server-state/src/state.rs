//! The states of a connection and their transitions. This code has no side effects, so tests can cover every
//! path without a server.

use std::time::Duration;

use mooring_errors::{Failure, FailureCode};

use crate::server::StateName;

/// The longest delay between two attempts in milliseconds, before jitter.
const LONGEST_DELAY_MS: u64 = 60_000;
/// After a connection has lasted this long, attempts are counted from the beginning.
pub const STABLE_AFTER: Duration = Duration::from_mins(1);

/// What a connection is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectionState {
    /// The person stopped the connection, or it was not started yet.
    Stopped,
    /// Not used. The next use starts it.
    Asleep,
    /// The process or the handshake is starting. `attempt` is 0 when the person or the window started it.
    Starting {
        /// The number of the attempt to reconnect.
        attempt: u32,
        /// Whether the server was connected before.
        was_connected: bool,
    },
    /// Connected. `degraded` means that part of what the server offers could not be read.
    Connected {
        /// The number of the attempt to reconnect.
        attempt: u32,
        /// Why a part is missing.
        degraded: Option<Failure>,
    },
    /// The server requires the person to sign in.
    SignInNeeded(Failure),
    /// The server's definition differs from the approved one. It is not started.
    Changed(Failure),
    /// The server's secrets or account need the vault, which is locked. The connection starts once the vault
    /// is open.
    Locked(Failure),
    /// Waiting before the next attempt to connect.
    Waiting {
        /// The number of the attempt to reconnect.
        attempt: u32,
        /// Whether the server was connected before.
        was_connected: bool,
        /// Why it is not connected.
        failure: Failure,
    },
    /// Given up, because another attempt would not help.
    Failed(Failure),
}

/// An event in the life of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectionEvent {
    /// The connection is to start.
    Start,
    /// The person or the application stops the connection.
    Stop,
    /// The connection is not needed before its next use.
    Sleep,
    /// Sleep instead of further attempts, because the profiles in use leave the server out.
    LeaveOut,
    /// The handshake is complete.
    Connected,
    /// The attempt to connect failed.
    ConnectFailed(Failure),
    /// The lists were read, or reading failed.
    Listed(Option<Failure>),
    /// The connection ended unexpectedly.
    Lost {
        /// Why it is not connected.
        failure: Failure,
        /// How long the connection lasted.
        connected_for: Duration,
    },
    /// The delay before the next attempt has passed.
    RetryDue,
}

/// Whether to retry a failed connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestartPolicy {
    /// Retry until it succeeds. Used for saved servers that are kept running.
    Reconnect,
    /// Do not retry. Used for a command's own connection.
    Never,
}

impl ConnectionState {
    /// The state after `event`, or `None` if the event has no effect in this state.
    pub fn next_state(&self, event: ConnectionEvent, policy: RestartPolicy) -> Option<Self> {
        match (self, event) {
            (Self::Stopped, ConnectionEvent::Stop) => None,
            (_, ConnectionEvent::Stop) => Some(Self::Stopped),

            (Self::Stopped | Self::Connected { .. }, ConnectionEvent::Sleep) => Some(Self::Asleep),

            (Self::Asleep | Self::Starting { .. } | Self::Connected { .. }, ConnectionEvent::LeaveOut) => {
                None
            }
            (_, ConnectionEvent::LeaveOut) => Some(Self::Asleep),

            (Self::Starting { .. } | Self::Connected { .. }, ConnectionEvent::Start) => None,
            (_, ConnectionEvent::Start) => Some(Self::Starting { attempt: 0, was_connected: false }),

            (Self::Starting { attempt, .. }, ConnectionEvent::Connected) => {
                Some(Self::Connected { attempt: *attempt, degraded: None })
            }
            (Self::Starting { attempt, was_connected }, ConnectionEvent::ConnectFailed(failure)) => {
                Some(state_after_failure(*attempt, *was_connected, failure, policy))
            }
            (Self::Connected { attempt, degraded: before }, ConnectionEvent::Listed(degraded)) => {
                (*before != degraded).then_some(Self::Connected { attempt: *attempt, degraded })
            }
            (Self::Connected { attempt, .. }, ConnectionEvent::Lost { failure, connected_for: held }) => {
                let attempt = if held >= STABLE_AFTER { 0 } else { *attempt };
                Some(state_after_failure(attempt, true, failure, policy))
            }
            (Self::Waiting { attempt, was_connected, .. }, ConnectionEvent::RetryDue) => {
                Some(Self::Starting { attempt: *attempt, was_connected: *was_connected })
            }

            (
                _,
                ConnectionEvent::Sleep
                | ConnectionEvent::Connected
                | ConnectionEvent::ConnectFailed(_)
                | ConnectionEvent::Listed(_)
                | ConnectionEvent::Lost { .. }
                | ConnectionEvent::RetryDue,
            ) => None,
        }
    }

    /// The state's name.
    pub fn name(&self) -> StateName {
        match self {
            Self::Stopped => StateName::Stopped,
            Self::Asleep => StateName::Asleep,
            Self::Starting { .. } => StateName::Starting,
            Self::Connected { degraded: None, .. } => StateName::Ready,
            Self::Connected { degraded: Some(_), .. } => StateName::Degraded,
            Self::SignInNeeded(_) => StateName::SignInNeeded,
            Self::Changed(_) => StateName::Changed,
            Self::Locked(_) => StateName::Locked,
            Self::Waiting { .. } => StateName::Reconnecting,
            Self::Failed(_) => StateName::Failed,
        }
    }

    /// Why the connection is not established, or only degraded.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Connected { degraded, .. } => degraded.as_ref(),
            Self::SignInNeeded(failure)
            | Self::Changed(failure)
            | Self::Locked(failure)
            | Self::Waiting { failure, .. }
            | Self::Failed(failure) => Some(failure),
            Self::Stopped | Self::Asleep | Self::Starting { .. } => None,
        }
    }

    /// The number of the running or scheduled reconnection attempt. 0 if there is none.
    pub fn attempt(&self) -> u32 {
        match self {
            Self::Starting { attempt, .. } | Self::Waiting { attempt, .. } => *attempt,
            _ => 0,
        }
    }
}

/// The state after a failed attempt or a lost connection. Transient failures are retried indefinitely. A
/// server that was connected before is also retried indefinitely, whatever it responds while it restarts.
fn state_after_failure(
    attempt: u32,
    was_connected: bool,
    failure: Failure,
    policy: RestartPolicy,
) -> ConnectionState {
    match failure.code {
        FailureCode::SignIn => ConnectionState::SignInNeeded(failure),
        FailureCode::DefinitionChanged => ConnectionState::Changed(failure),
        FailureCode::VaultLocked => ConnectionState::Locked(failure),
        _ if policy == RestartPolicy::Never => ConnectionState::Failed(failure),
        _ if failure.is_transient || was_connected && !needs_person(failure.code) => {
            ConnectionState::Waiting { attempt: attempt.saturating_add(1), was_connected, failure }
        }
        _ => ConnectionState::Failed(failure),
    }
}

/// Whether only a person can fix the failure, even for a server that was connected before.
fn needs_person(code: FailureCode) -> bool {
    matches!(
        code,
        FailureCode::CommandNotFound
            | FailureCode::NotExecutable
            | FailureCode::SecretMissing
            | FailureCode::Internal
    )
}

/// The delay before an attempt: 1, 2, 4, 8, 16, 32 and then 60 s. Each delay has a jitter of up to a quarter,
/// so that servers that failed together do not all reconnect at once. `random` is any number.
pub fn retry_delay(attempt: u32, random: u64) -> Duration {
    let base = (1_000_u64 << attempt.saturating_sub(1).min(6)).min(LONGEST_DELAY_MS);
    let spread = base / 2;
    Duration::from_millis(base - spread / 2 + random % (spread + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(code: FailureCode) -> Failure {
        Failure::new(code, mooring_words::Sentence::quoted("m"))
    }

    fn starting(attempt: u32) -> ConnectionState {
        ConnectionState::Starting { attempt, was_connected: false }
    }

    /// Applies `events` to `state` and compares the names and attempts of the states.
    fn check(state: ConnectionState, events: Vec<ConnectionEvent>, policy: RestartPolicy, expect: &[&str]) {
        let mut state = state;
        let mut names = Vec::new();
        for event in events {
            match state.next_state(event, policy) {
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
            ConnectionState::Stopped,
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

    #[test]
    fn a_server_sleeps_wakes_and_is_stopped_asleep() {
        check(
            ConnectionState::Stopped,
            vec![
                ConnectionEvent::Sleep,
                ConnectionEvent::Sleep,
                ConnectionEvent::Start,
                ConnectionEvent::Sleep,
                ConnectionEvent::Connected,
                ConnectionEvent::Sleep,
                ConnectionEvent::Stop,
            ],
            RestartPolicy::Reconnect,
            &["asleep", "-", "starting", "-", "ready", "asleep", "stopped"],
        );
    }

    // Requirements: STD-11.
    #[test]
    fn a_server_that_is_away_is_tried_without_an_end() {
        for first in [starting(0), ConnectionState::Connected { attempt: 0, degraded: None }] {
            let mut state = first;
            for attempt in 1..=100 {
                let event = match state {
                    ConnectionState::Connected { .. } => lost(FailureCode::Exited),
                    _ => ConnectionEvent::ConnectFailed(failure(FailureCode::Refused)),
                };
                state = state.next_state(event, RestartPolicy::Reconnect).unwrap();
                assert_eq!((state.name(), state.attempt()), (StateName::Reconnecting, attempt));
                state = state.next_state(ConnectionEvent::RetryDue, RestartPolicy::Reconnect).unwrap();
                assert_eq!((state.name(), state.attempt()), (StateName::Starting, attempt));
            }
        }
    }

    #[test]
    fn a_server_that_dies_after_each_start_is_tried_less_and_less() {
        let mut events = Vec::new();
        for _ in 0..3 {
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
            ],
        );
    }

    #[test]
    fn a_connection_that_held_starts_counting_anew() {
        let held =
            ConnectionEvent::Lost { failure: failure(FailureCode::Exited), connected_for: STABLE_AFTER };
        check(
            ConnectionState::Connected { attempt: 5, degraded: None },
            vec![held],
            RestartPolicy::Reconnect,
            &["reconnecting 1"],
        );
    }

    #[test]
    fn what_may_pass_is_tried_again_and_the_rest_waits_for_a_person() {
        let check_failed = |was_connected, code, expect| {
            check(
                ConnectionState::Starting { attempt: 0, was_connected },
                vec![ConnectionEvent::ConnectFailed(failure(code))],
                RestartPolicy::Reconnect,
                &[expect],
            );
        };
        for was_connected in [false, true] {
            for code in [FailureCode::Refused, FailureCode::Exited, FailureCode::Timeout] {
                check_failed(was_connected, code, "reconnecting 1");
            }
            for code in [
                FailureCode::CommandNotFound,
                FailureCode::NotExecutable,
                FailureCode::SecretMissing,
                FailureCode::Internal,
            ] {
                check_failed(was_connected, code, "failed");
            }
            check_failed(was_connected, FailureCode::SignIn, "sign_in_needed");
            check_failed(was_connected, FailureCode::DefinitionChanged, "changed");
            check_failed(was_connected, FailureCode::VaultLocked, "locked");
        }
        // While a server restarts, something else may respond at its URL.
        for code in [
            FailureCode::NotMcp,
            FailureCode::Handshake,
            FailureCode::HttpStatus,
            FailureCode::Certificate,
            FailureCode::TooLarge,
        ] {
            check_failed(false, code, "failed");
            check_failed(true, code, "reconnecting 1");
        }
        let unavailable = Failure { is_transient: true, ..failure(FailureCode::HttpStatus) };
        check(
            starting(0),
            vec![ConnectionEvent::ConnectFailed(unavailable)],
            RestartPolicy::Reconnect,
            &["reconnecting 1"],
        );
        check(
            ConnectionState::Connected { attempt: 0, degraded: None },
            vec![lost(FailureCode::SignIn)],
            RestartPolicy::Reconnect,
            &["sign_in_needed"],
        );
    }

    #[test]
    fn a_start_by_the_person_counts_anew() {
        let refused = || ConnectionEvent::ConnectFailed(failure(FailureCode::Refused));
        check(
            ConnectionState::Connected { attempt: 0, degraded: None },
            vec![lost(FailureCode::Exited), ConnectionEvent::Start, refused()],
            RestartPolicy::Reconnect,
            &["reconnecting 1", "starting", "reconnecting 1"],
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
            assert_eq!(ConnectionState::Stopped.next_state(event, RestartPolicy::Reconnect), None);
        }
    }

    #[test]
    fn the_person_starts_again_from_every_resting_state() {
        for state in [
            ConnectionState::Stopped,
            ConnectionState::Failed(failure(FailureCode::Exited)),
            ConnectionState::SignInNeeded(failure(FailureCode::SignIn)),
            ConnectionState::Locked(failure(FailureCode::VaultLocked)),
            ConnectionState::Waiting {
                attempt: 4,
                was_connected: true,
                failure: failure(FailureCode::Refused),
            },
        ] {
            check(state, vec![ConnectionEvent::Start], RestartPolicy::Reconnect, &["starting"]);
        }
        check(starting(1), vec![ConnectionEvent::Start], RestartPolicy::Reconnect, &["-"]);
    }

    #[test]
    fn a_commands_own_connection_is_never_tried_again() {
        check(
            ConnectionState::Connected { attempt: 0, degraded: None },
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
            ConnectionState::Connected { attempt: 0, degraded: None },
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
        for (attempt, middle) in
            [(1, 1_000), (2, 2_000), (5, 16_000), (6, 32_000), (7, 60_000), (u32::MAX, 60_000)]
        {
            for random in [0, 1, 499, 12_345, u64::MAX] {
                let wait = u64::try_from(retry_delay(attempt, random).as_millis()).unwrap();
                assert!((middle * 3 / 4..=middle * 5 / 4).contains(&wait), "{attempt}: {wait}");
            }
        }
    }
}
