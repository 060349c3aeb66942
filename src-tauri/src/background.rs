//! Running without a window: what closing it does, and bringing it back.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use mooring_host::WhenClosed;
use serde::{Deserialize, Serialize};
use tauri::{AppHandle, Manager as _, Runtime};
use tokio::sync::watch;
use tokio::time::timeout;
use ts_rs::TS;

use crate::opened::Opened;
use crate::state::AppState;
use crate::{lifecycle, placement, window};

/// The argument of a start at login: the window stays hidden until someone wants it.
pub(crate) const HIDDEN: &str = "--hidden";
/// A second press on the close button within this time is the same press.
const SAME_PRESS: Duration = Duration::from_secs(1);
/// How long a hidden start waits for a tray: the desktop's panel starts at the same time.
const TRAY_TIMEOUT: Duration = Duration::from_secs(15);

/// What the person answers when the window is closed for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CloseAnswer {
    /// From now on closing keeps everything running.
    KeepRunning,
    /// From now on closing ends everything.
    Quit,
    /// The window stays, and the next close asks again.
    Cancel,
}

/// What this desktop offers for running in the background.
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

/// What is done with the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WindowRequest {
    /// It goes, and everything else stays.
    PutAway,
    /// Everything ends.
    Quit,
}

/// What a press on the close button does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CloseAction {
    Ask,
    PutAway,
    Quit,
}

/// Decides on a press on the close button. `when` is unknown while the data can't be opened: then there is nothing to
/// keep running. A page that is not there can't ask, and whoever presses again after the question was `asked` means it.
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

/// Whether the window is away, whether there is a tray, and the question of the first close.
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
    /// Whether the desktop shows the tray's icon, as it changes.
    pub(crate) fn tray(&self) -> &watch::Sender<bool> {
        &self.tray
    }

    /// Whether the window is hidden, as it changes.
    pub(crate) fn hidden(&self) -> watch::Receiver<bool> {
        self.hidden.subscribe()
    }

    /// Says that the window is hidden, or shown.
    pub(crate) fn set_hidden(&self, hidden: bool) {
        self.hidden.send_replace(hidden);
    }

    /// Has `act` do from now on what commands want of the window. The first one counts.
    pub(crate) fn connect(&self, act: impl Fn(WindowRequest) + Send + Sync + 'static) {
        // A second window would be a mistake; the first one stays in charge.
        let _second = self.window.set(Box::new(act));
    }

    /// Asks for something to be done with the window. Without one nothing is.
    pub(crate) fn request(&self, request: WindowRequest) {
        if let Some(act) = self.window.get() {
            act(request);
        }
    }

    /// Ends the question of the first close.
    pub(crate) fn end_question(&self) {
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn close_action(&self, when: Option<WhenClosed>, has_page: bool) -> CloseAction {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let action = close_action(when, has_page, asked.map(|at| at.elapsed()));
        if action == CloseAction::Ask {
            asked.get_or_insert_with(Instant::now);
        }
        action
    }
}

/// Whether this start is to stay hidden.
pub(crate) fn starts_hidden() -> bool {
    std::env::args_os().skip(1).any(|argument| argument == HIDDEN)
}

/// Someone presses the close button; true when the window stays, or is only put away.
pub(crate) fn keep_open<R: Runtime>(app: &AppHandle<R>) -> bool {
    let state = app.state::<AppState>();
    let when = state.settings().map(|settings| settings.when_closed);
    match state.background.close_action(when, state.opened.has_reader()) {
        CloseAction::Quit => return false,
        CloseAction::PutAway => put_away(app),
        CloseAction::Ask => {
            state.opened.push(Opened::CloseQuestion { tray: *state.background.tray.borrow() });
        }
    }
    true
}

/// Does what commands want of the window.
pub(crate) fn act<R: Runtime>(app: &AppHandle<R>, request: WindowRequest) {
    placement::save(app);
    match request {
        WindowRequest::PutAway => put_away(app),
        WindowRequest::Quit => lifecycle::shut_down(app),
    }
}

/// Hides the window where the tray can bring it back, and minimises it elsewhere.
fn put_away<R: Runtime>(app: &AppHandle<R>) {
    let background = &app.state::<AppState>().background;
    let has_tray = *background.tray.borrow();
    let Some(window) = app.get_webview_window(window::LABEL) else { return };
    let away = if has_tray { window.hide() } else { window.minimize() };
    match away {
        Ok(()) => background.set_hidden(has_tray),
        Err(error) => tracing::warn!(%error, "the window could not be put away"),
    }
}

/// After a hidden start: where no tray comes, the window is minimised, so that it can be reached. The same is done
/// whenever the tray goes while the window is hidden.
pub(crate) async fn stay_reachable<R: Runtime>(app: AppHandle<R>) {
    let background = &app.state::<AppState>().background;
    let (mut tray, mut hidden) = (background.tray.subscribe(), background.hidden.subscribe());
    loop {
        if hidden.wait_for(|hidden| *hidden).await.is_err() {
            return;
        }
        // Panels go and come back when they are restarted.
        if timeout(TRAY_TIMEOUT, tray.wait_for(|tray| *tray)).await.is_err() {
            if *hidden.borrow() {
                show_minimized(&app);
            }
            continue;
        }
        tokio::select! {
            gone = tray.wait_for(|tray| !*tray) => if gone.is_err() { return },
            shown = hidden.wait_for(|hidden| !*hidden) => if shown.is_err() { return },
        }
    }
}

fn show_minimized<R: Runtime>(app: &AppHandle<R>) {
    app.state::<AppState>().background.set_hidden(false);
    if let Some(window) = app.get_webview_window(window::LABEL)
        && let Err(error) = window.minimize().and_then(|()| window.show())
    {
        tracing::warn!(%error, "the window could not be minimised");
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
            // Whoever presses again while the question stands wants the window gone.
            (ask, true, Some(SAME_PRESS), CloseAction::Quit),
            // Nothing could ask, and nothing could be answered.
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
