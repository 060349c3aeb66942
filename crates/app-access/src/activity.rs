//! The current activity of apps: open connections and running calls, as the gateway reports them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mooring_base::app_call::AppCall;
use mooring_base::clock::now_ms;
use mooring_base::server_id::ServerId;
use serde::Serialize;
use tokio::sync::Notify;
use ts_rs::TS;

/// A shorter call is not announced, because it would be over before a person could read it.
const ANNOUNCED_AFTER: Duration = Duration::from_millis(500);

/// The shortest interval between announcements of the same action of an app, in milliseconds.
const ANNOUNCED_AGAIN_MS: i64 = 10_000;

/// Maximum number of names of apps whose last actions are remembered.
const MAX_NAMES: usize = 256;

/// The current activity of an app.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AppActivityView {
    /// The app's name.
    pub app: Arc<str>,
    /// Number of its open connections.
    pub connections: usize,
    /// When it last asked for the tools since Mooring was started, in milliseconds since the Unix epoch.
    #[serde(rename = "listedAt")]
    pub listed_ms: Option<i64>,
    /// When it last called a tool since Mooring was started, in milliseconds since the Unix epoch.
    #[serde(rename = "calledAt")]
    pub called_ms: Option<i64>,
    /// Its running calls, oldest first.
    pub calls: Vec<RunningCallView>,
}

/// A call of an app that runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunningCallView {
    /// The call's number, which its rows in the log have, too.
    pub call: i64,
    /// The server that works on it.
    pub server_id: ServerId,
    /// The request's method.
    pub method: &'static str,
    /// The tool or prompt, or the resource's URI, as the server names it.
    pub subject: Arc<str>,
    /// Since when, in milliseconds since the Unix epoch.
    #[serde(rename = "startedAt")]
    pub started_ms: i64,
}

/// Called when what apps do has changed.
pub type OnActivityChange = Arc<dyn Fn() + Send + Sync>;

/// The current activity of all apps.
pub struct AppActivity {
    state: Mutex<ActivityState>,
    on_change: OnActivityChange,
}

impl fmt::Debug for AppActivity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AppActivity").field("state", &self.state).finish_non_exhaustive()
    }
}

#[derive(Debug, Default)]
struct ActivityState {
    connections: BTreeMap<Arc<str>, usize>,
    /// When each app last asked for the tools, and last called one.
    listed: BTreeMap<Arc<str>, LastTime>,
    called: BTreeMap<Arc<str>, LastTime>,
    /// Running calls by number.
    calls: BTreeMap<i64, RunningCall>,
}

/// When something was done last, and when that was announced last, in milliseconds since the Unix epoch.
#[derive(Clone, Copy, Debug)]
struct LastTime {
    at: i64,
    announced: i64,
}

#[derive(Debug)]
struct RunningCall {
    app: Arc<str>,
    view: RunningCallView,
    cancel: Arc<Notify>,
}

/// An app is connected until this is dropped.
#[derive(Debug)]
#[must_use]
pub struct AppConnection {
    activity: Arc<AppActivity>,
    app: Arc<str>,
}

/// A call of an app runs until this is dropped.
#[derive(Debug)]
#[must_use]
pub struct RunningAppCall {
    activity: Arc<AppActivity>,
    call: i64,
    cancel: Arc<Notify>,
    announced: bool,
}

impl AppActivity {
    /// Starts without any activity.
    pub fn new(on_change: OnActivityChange) -> Arc<Self> {
        Arc::new(Self { state: Mutex::default(), on_change })
    }

    fn state(&self) -> MutexGuard<'_, ActivityState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn announce(&self) {
        (self.on_change)();
    }

    /// Counts an app as connected until the returned [`AppConnection`] is dropped.
    pub fn connect(self: &Arc<Self>, app: &Arc<str>) -> AppConnection {
        *self.state().connections.entry(Arc::clone(app)).or_default() += 1;
        self.announce();
        AppConnection { activity: Arc::clone(self), app: Arc::clone(app) }
    }

    /// Records that a server works on an app's call, until the returned [`RunningAppCall`] is dropped. `subject` is
    /// the name that the server uses.
    pub fn start(
        self: &Arc<Self>,
        call: &AppCall,
        server: ServerId,
        method: &'static str,
        subject: &str,
    ) -> RunningAppCall {
        let cancel = Arc::new(Notify::new());
        let view = RunningCallView {
            call: call.number,
            server_id: server,
            method,
            subject: subject.into(),
            started_ms: now_ms(),
        };
        let running = RunningCall { app: Arc::clone(&call.app), view, cancel: Arc::clone(&cancel) };
        let is_first = {
            let mut state = self.state();
            state.calls.insert(call.number, running);
            method == "tools/call" && note_time(&mut state.called, &call.app, now_ms())
        };
        if is_first {
            self.announce();
        }
        RunningAppCall { activity: Arc::clone(self), call: call.number, cancel, announced: false }
    }

    /// An app got the list of tools.
    pub fn note_listed(&self, app: &Arc<str>) {
        let is_first = note_time(&mut self.state().listed, app, now_ms());
        if is_first {
            self.announce();
        }
    }

    /// Cancels a call. False if it no longer runs.
    pub fn cancel(&self, call: i64) -> bool {
        let state = self.state();
        let running = state.calls.get(&call);
        if let Some(running) = running {
            // The permit is stored until the call waits for it.
            running.cancel.notify_one();
        }
        running.is_some()
    }

    /// The apps that are connected, have a call running, or did something since Mooring was started.
    pub fn view(&self) -> Vec<AppActivityView> {
        let state = self.state();
        let mut views: BTreeMap<&Arc<str>, AppActivityView> = BTreeMap::new();
        let none = |app: &Arc<str>| AppActivityView {
            app: Arc::clone(app),
            connections: 0,
            listed_ms: state.listed.get(app).map(|last| last.at),
            called_ms: state.called.get(app).map(|last| last.at),
            calls: Vec::new(),
        };
        for app in state.listed.keys().chain(state.called.keys()) {
            views.entry(app).or_insert_with(|| none(app));
        }
        for (app, connections) in &state.connections {
            views.entry(app).or_insert_with(|| none(app)).connections = *connections;
        }
        for running in state.calls.values() {
            let view = views.entry(&running.app).or_insert_with(|| none(&running.app));
            view.calls.push(running.view.clone());
        }
        views.into_values().collect()
    }
}

/// Notes that an app did something now; whether that is to be announced. Of many names the one that did it longest ago is
/// forgotten.
fn note_time(times: &mut BTreeMap<Arc<str>, LastTime>, app: &Arc<str>, now: i64) -> bool {
    let before = times.get(app).map(|last| last.announced);
    let is_due = before.is_none_or(|announced| now - announced >= ANNOUNCED_AGAIN_MS);
    let announced = before.filter(|_| !is_due).unwrap_or(now);
    times.insert(Arc::clone(app), LastTime { at: now, announced });
    if times.len() > MAX_NAMES
        && let Some(oldest) = times.iter().min_by_key(|(_, last)| last.at).map(|(app, _)| Arc::clone(app))
    {
        times.remove(&oldest);
    }
    is_due
}

impl RunningAppCall {
    /// Resolves when a person cancels the call. If the call takes long enough to be seen, it is announced to
    /// front ends.
    pub async fn cancelled(&mut self) {
        let cancelled = self.cancel.notified();
        tokio::pin!(cancelled);
        if !self.announced && tokio::time::timeout(ANNOUNCED_AFTER, &mut cancelled).await.is_ok() {
            return;
        }
        self.announced = true;
        self.activity.announce();
        cancelled.await;
    }
}

impl Drop for AppConnection {
    fn drop(&mut self) {
        {
            let mut state = self.activity.state();
            if let Some(count) = state.connections.get_mut(&self.app) {
                *count -= 1;
                if *count == 0 {
                    state.connections.remove(&self.app);
                }
            }
        }
        self.activity.announce();
    }
}

impl Drop for RunningAppCall {
    fn drop(&mut self) {
        self.activity.state().calls.remove(&self.call);
        if self.announced {
            self.activity.announce();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn only_calls_that_last_are_announced_and_can_be_cancelled() {
        let told = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&told);
        let activity = AppActivity::new(Arc::new(move || {
            counted.fetch_add(1, Ordering::Relaxed);
        }));
        let call = |number| AppCall { app: "cursor".into(), number };
        // The first one of an app is, and the first list.
        for _ in 0..2 {
            drop(activity.start(&call(1), ServerId(1), "tools/call", "echo"));
            activity.note_listed(&"cursor".into());
        }
        assert_eq!(told.swap(0, Ordering::Relaxed), 2);

        let mut running = activity.start(&call(2), ServerId(1), "tools/call", "echo");
        let connection = activity.connect(&"cursor".into());
        assert_eq!(told.load(Ordering::Relaxed), 1);
        let waited = tokio::time::timeout(ANNOUNCED_AFTER * 2, running.cancelled()).await;
        assert!(waited.is_err(), "nobody has cancelled it");
        assert_eq!(told.load(Ordering::Relaxed), 2);
        let [view] = activity.view().try_into().unwrap();
        assert_eq!((&*view.app, view.connections, view.calls[0].call), ("cursor", 1, 2));
        assert!(activity.cancel(2) && !activity.cancel(1));
        tokio::time::timeout(Duration::from_secs(30), running.cancelled()).await.unwrap();
        drop((running, connection));
        let [view] = activity.view().try_into().unwrap();
        assert_eq!((view.connections, view.calls), (0, vec![]));
        assert!(view.listed_ms.is_some() && view.called_ms.is_some());
        // Of what goes on, every ten seconds are.
        let (mut times, app) = (BTreeMap::new(), Arc::from("cursor"));
        let due: Vec<i64> = (0..25).filter(|at| note_time(&mut times, &app, at * 1_000)).collect();
        assert_eq!(due, [0, 10, 20]);
        for number in 0..MAX_NAMES {
            activity.note_listed(&format!("app-{number}").into());
        }
        assert_eq!(activity.view().iter().filter(|view| view.listed_ms.is_some()).count(), MAX_NAMES);
    }
}
