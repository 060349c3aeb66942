//! What closing the window does, and whether the window is hidden.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use mooring_settings::WhenClosed;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use ts_rs::TS;

/// The argument of a start at login: the window stays hidden until the person opens it.
pub(crate) const HIDDEN: &str = "--hidden";
/// A second press on the close button within this time counts as the same press.
const SAME_PRESS: Duration = Duration::from_secs(1);

/// The person's answer when they close the window for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CloseAnswer {
    /// Closing the window keeps everything running from now on.
    KeepRunning,
    /// Closing the window quits the application from now on.
    Quit,
    /// The window stays open, and the next close asks again.
    Cancel,
}

/// What this desktop supports for running in the background.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BackgroundView {
    /// Whether there is a tray with Mooring's icon; without one, the window is minimised instead of hidden.
    pub tray: bool,
    /// Whether Mooring starts at login.
    pub starts_at_login: bool,
    /// Whether servers are paused.
    pub paused: bool,
}

/// What a command asks the window to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WindowRequest {
    /// Hide the window and keep everything running.
    PutAway,
    /// Quit the application.
    Quit,
}

/// What a press on the close button does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CloseAction {
    Ask,
    PutAway,
    Quit,
}

/// Decides what the close button does. `when` is `None` while the data can't be opened: nothing runs then
/// that could continue. Without a page nothing can ask, so the application quits. A second press after the
/// question was `asked` quits too.
fn close_action(when: Option<WhenClosed>, has_page: bool, asked: Option<Duration>) -> CloseAction {
    match when {
        None | Some(WhenClosed::Quit) => CloseAction::Quit,
        Some(WhenClosed::KeepRunning) => CloseAction::PutAway,
        Some(WhenClosed::Ask) if !has_page => CloseAction::Quit,
        Some(WhenClosed::Ask) => match asked {
            Some(ago) if ago >= SAME_PRESS => CloseAction::Quit,
            _ => CloseAction::Ask,
        },
    }
}

/// Whether the window is hidden, whether there is a tray, and when the first close was asked about.
pub(crate) struct Background {
    tray: watch::Sender<bool>,
    hidden: watch::Sender<bool>,
    asked: Mutex<Option<Instant>>,
    window: OnceLock<Box<dyn Fn(WindowRequest) + Send + Sync>>,
}

impl Default for Background {
    fn default() -> Self {
        Self {
            tray: watch::Sender::new(false),
            hidden: watch::Sender::new(false),
            asked: Mutex::default(),
            window: OnceLock::new(),
        }
    }
}

impl Background {
    /// Whether the desktop shows the tray's icon, as a channel of changes.
    pub(crate) fn tray(&self) -> &watch::Sender<bool> {
        &self.tray
    }

    /// Whether the window is hidden, as a channel of changes.
    pub(crate) fn hidden(&self) -> watch::Receiver<bool> {
        self.hidden.subscribe()
    }

    /// Sets whether the window is hidden.
    pub(crate) fn set_hidden(&self, hidden: bool) {
        self.hidden.send_replace(hidden);
    }

    /// Sets the function that carries out [`WindowRequest`]s. Only the first call counts.
    pub(crate) fn connect(&self, act: impl Fn(WindowRequest) + Send + Sync + 'static) {
        // A second window would be a bug. The first one stays in charge.
        let _second = self.window.set(Box::new(act));
    }

    /// Asks the window to do something. Does nothing if there is no window.
    pub(crate) fn request(&self, request: WindowRequest) {
        if let Some(act) = self.window.get() {
            act(request);
        }
    }

    /// Ends the question that the first close asks.
    pub(crate) fn end_question(&self) {
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Decides what a press on the close button does.
    pub(crate) fn close_action(&self, when: Option<WhenClosed>, has_page: bool) -> CloseAction {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let action = close_action(when, has_page, asked.map(|at| at.elapsed()));
        if action == CloseAction::Ask {
            asked.get_or_insert_with(Instant::now);
        }
        action
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_does_what_was_set_and_asks_first() {
        let ask = Some(WhenClosed::Ask);
        for (when, has_page, asked, action) in [
            (ask, true, None, CloseAction::Ask),
            (ask, true, Some(SAME_PRESS / 2), CloseAction::Ask),
            // A second press during the question quits.
            (ask, true, Some(SAME_PRESS), CloseAction::Quit),
            // There is no page to ask the question.
            (ask, false, None, CloseAction::Quit),
            (None, true, None, CloseAction::Quit),
            (Some(WhenClosed::KeepRunning), false, None, CloseAction::PutAway),
            (Some(WhenClosed::Quit), true, None, CloseAction::Quit),
        ] {
            assert_eq!(close_action(when, has_page, asked), action, "{when:?} {has_page} {asked:?}");
        }
    }

    #[test]
    fn a_question_that_was_left_is_asked_again() {
        let background = Background::default();
        let ask = || background.close_action(Some(WhenClosed::Ask), true);
        assert_eq!(ask(), CloseAction::Ask);
        *background.asked.lock().unwrap() = Instant::now().checked_sub(SAME_PRESS);
        assert_eq!(ask(), CloseAction::Quit);
        background.end_question();
        assert_eq!(ask(), CloseAction::Ask);
    }
}
