//! What apps do now: the connections that are open and the calls that run, as the gateway says.

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

/// A call that is over sooner is not announced: nobody could read it.
const ANNOUNCED_AFTER: Duration = Duration::from_millis(500);

/// What an app does now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AppActivityView {
    /// The app's name.
    pub app: Arc<str>,
    /// How many connections it has.
    pub connections: usize,
    /// Its calls that run, the oldest first.
    pub calls: Vec<RunningCallView>,
}

/// A call of an app that runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunningCallView {
    /// Its number, which its rows in the log have too.
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

/// What all apps do now.
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
    /// By their numbers.
    calls: BTreeMap<i64, RunningCall>,
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
    /// Nothing yet.
    pub fn new(on_change: OnActivityChange) -> Arc<Self> {
        Arc::new(Self { state: Mutex::default(), on_change })
    }

    fn state(&self) -> MutexGuard<'_, ActivityState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn announce(&self) {
        (self.on_change)();
    }

    /// An app is connected, until what this gives is dropped.
    pub fn connect(self: &Arc<Self>, app: &Arc<str>) -> AppConnection {
        *self.state().connections.entry(Arc::clone(app)).or_default() += 1;
        self.announce();
        AppConnection { activity: Arc::clone(self), app: Arc::clone(app) }
    }

    /// A server works on a call of an app, until what this gives is dropped. `subject` is as the server names it.
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
        self.state().calls.insert(call.number, running);
        RunningAppCall { activity: Arc::clone(self), call: call.number, cancel, announced: false }
    }

    /// Has a call cancelled; false where it does not run any more.
    pub fn cancel(&self, call: i64) -> bool {
        let state = self.state();
        let running = state.calls.get(&call);
        if let Some(running) = running {
            // Remembered until it is looked for.
            running.cancel.notify_one();
        }
        running.is_some()
    }

    /// The apps that are connected or have a call running.
    pub fn view(&self) -> Vec<AppActivityView> {
        let state = self.state();
        let mut views: BTreeMap<&Arc<str>, AppActivityView> = BTreeMap::new();
        let none =
            |app: &Arc<str>| AppActivityView { app: Arc::clone(app), connections: 0, calls: Vec::new() };
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

impl RunningAppCall {
    /// Resolves when a person cancels the call. Front ends are told of one that takes long enough to be seen.
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
        drop(activity.start(&call(1), ServerId(1), "tools/call", "echo"));
        assert_eq!(told.load(Ordering::Relaxed), 0);

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
        assert_eq!(activity.view(), []);
    }
}
