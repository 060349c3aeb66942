//! Sign-ins in the background: at most one in progress for each server, and the result of the last one. Their
//! tasks end with the host.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mooring_base::clock::now_ms;
use mooring_base::server_id::ServerId;
use mooring_oauth::{
    AuthorizationCodeFlow, AuthorizationUrl, Browser, BrowserFuture, Purpose, Step, StepObserver,
};
use serde::Serialize;
use tokio::task::{AbortHandle, JoinSet};
use ts_rs::TS;

use crate::problem::SignInProblem;

/// How many steps of a sign-in are remembered. If there are more, the last step replaces the one before.
const MOST_STEPS: usize = 200;

/// The progress of a sign-in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SignInStatus {
    /// The sign-in continues without the person.
    Working,
    /// The sign-in waits for the person in the browser.
    Browser,
    /// The person is signed in.
    Done,
    /// The sign-in failed.
    Failed,
    /// The person cancelled the sign-in, or the host ended.
    Cancelled,
}

/// One step of a sign-in.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(rename = "SignInStepView")]
pub struct AttemptStep {
    /// The step and what it found.
    #[serde(flatten)]
    pub step: Step,
    /// When the step ended, in milliseconds since the Unix epoch.
    #[serde(rename = "at")]
    pub at_ms: i64,
}

/// A sign-in to a saved server, in progress or ended. Contains no secrets.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "SignInView")]
pub struct SignInAttempt {
    /// The server.
    pub server: ServerId,
    /// The progress of the sign-in.
    pub status: SignInStatus,
    /// When the sign-in began, in milliseconds since the Unix epoch.
    #[serde(rename = "startedAt")]
    pub started_ms: i64,
    /// When the sign-in ended, in milliseconds since the Unix epoch.
    #[serde(rename = "endedAt")]
    pub ended_ms: Option<i64>,
    /// When waiting for the browser ends, in milliseconds since the Unix epoch. `None` while the sign-in
    /// doesn't wait for it.
    #[serde(rename = "deadline")]
    pub deadline_ms: Option<i64>,
    /// The host that the browser was sent to.
    pub browser_host: Option<String>,
    /// The steps so far.
    pub steps: Vec<AttemptStep>,
    /// Why the sign-in failed.
    pub problem: Option<SignInProblem>,
    /// The login that the sign-in created.
    #[serde(rename = "account")]
    pub login: Option<i64>,
}

impl SignInAttempt {
    fn is_in_progress(&self) -> bool {
        self.ended_ms.is_none()
    }
}

/// Called when the sign-in to a server has changed.
pub type OnSignInChange = Arc<dyn Fn(ServerId) + Send + Sync>;

/// The sign-ins of a host.
pub struct SignInAttempts {
    on_change: OnSignInChange,
    attempts: Mutex<HashMap<ServerId, Arc<AttemptHandle>>>,
    tasks: Mutex<JoinSet<()>>,
}

/// One sign-in, in progress or ended. Its task updates it, and the window reads it.
pub struct AttemptHandle {
    on_change: OnSignInChange,
    progress: Mutex<Progress>,
}

#[derive(Debug)]
struct Progress {
    view: SignInAttempt,
    /// The URL that was opened in the browser, while its response is awaited.
    url: Option<AuthorizationUrl>,
    task: Option<AbortHandle>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SignInAttempts {
    /// Creates a list without sign-ins. `changed` is called after each step.
    pub fn new(changed: OnSignInChange) -> Self {
        Self { on_change: changed, attempts: Mutex::default(), tasks: Mutex::default() }
    }

    /// Starts a sign-in to a server, unless one is in progress. Returns a snapshot of the one in progress.
    pub fn begin<F>(&self, server: ServerId, work: impl FnOnce(Arc<AttemptHandle>) -> F) -> SignInAttempt
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let mut known = lock(&self.attempts);
        if let Some(view) =
            known.get(&server).map(|attempt| attempt.view()).filter(SignInAttempt::is_in_progress)
        {
            return view;
        }
        let attempt = Arc::new(AttemptHandle::new(server, Arc::clone(&self.on_change)));
        known.insert(server, Arc::clone(&attempt));
        let mut tasks = lock(&self.tasks);
        while tasks.try_join_next().is_some() {}
        let task = tasks.spawn(work(Arc::clone(&attempt)));
        lock(&attempt.progress).task = Some(task);
        drop((tasks, known));
        attempt.notify_change();
        attempt.view()
    }

    /// The sign-in to a server that is in progress, or else the last one.
    pub fn get(&self, server: ServerId) -> Option<Arc<AttemptHandle>> {
        lock(&self.attempts).get(&server).cloned()
    }

    /// Cancels the sign-in to a server. Returns whether one was in progress.
    pub fn cancel(&self, server: ServerId) -> bool {
        self.get(server).is_some_and(|attempt| attempt.cancel())
    }

    /// Cancels all sign-ins and waits for their tasks.
    pub async fn close(&self) {
        let all: Vec<_> = lock(&self.attempts).values().cloned().collect();
        for attempt in all {
            attempt.cancel();
        }
        let mut tasks = std::mem::take(&mut *lock(&self.tasks));
        tasks.shutdown().await;
    }
}

impl AttemptHandle {
    fn new(server: ServerId, changed: OnSignInChange) -> Self {
        let view = SignInAttempt {
            server,
            status: SignInStatus::Working,
            started_ms: now_ms(),
            ended_ms: None,
            deadline_ms: None,
            browser_host: None,
            steps: Vec::new(),
            problem: None,
            login: None,
        };
        Self { on_change: changed, progress: Mutex::new(Progress { view, url: None, task: None }) }
    }

    /// A snapshot for the window.
    pub fn view(&self) -> SignInAttempt {
        lock(&self.progress).view.clone()
    }

    fn notify_change(&self) {
        let server = lock(&self.progress).view.server;
        (self.on_change)(server);
    }

    /// Changes the progress and reports the change, if the sign-in is still in progress. Returns whether it
    /// is.
    fn update_if_active(&self, change: impl FnOnce(&mut Progress)) -> bool {
        {
            let mut progress = lock(&self.progress);
            if !progress.view.is_in_progress() {
                return false;
            }
            change(&mut progress);
        }
        self.notify_change();
        true
    }

    fn end_with(&self, status: SignInStatus, settle: impl FnOnce(&mut SignInAttempt)) -> bool {
        self.update_if_active(|progress| {
            progress.clear_browser_wait();
            progress.view.status = status;
            progress.view.ended_ms = Some(now_ms());
            settle(&mut progress.view);
        })
    }

    /// Ends the sign-in with the login it created.
    pub fn succeed(&self, login: i64) {
        self.end_with(SignInStatus::Done, |view| view.login = Some(login));
    }

    /// Ends the sign-in with a problem.
    pub fn fail(&self, problem: SignInProblem) {
        self.end_with(SignInStatus::Failed, |view| view.problem = Some(problem));
    }

    fn cancel(&self) -> bool {
        let mut task = None;
        let cancelled = self.update_if_active(|progress| {
            task = progress.task.take();
            progress.clear_browser_wait();
            progress.view.status = SignInStatus::Cancelled;
            progress.view.ended_ms = Some(now_ms());
        });
        if let Some(task) = task {
            task.abort();
        }
        cancelled
    }

    /// An observer that adds steps to this sign-in.
    pub fn step_observer(self: &Arc<Self>) -> StepObserver {
        let attempt = Arc::clone(self);
        StepObserver::new(move |step| attempt.add_step(step))
    }

    fn add_step(&self, step: Step) {
        self.update_if_active(|progress| {
            if step.purpose == Purpose::Authorization && progress.view.status == SignInStatus::Browser {
                progress.clear_browser_wait();
                progress.view.status = SignInStatus::Working;
            }
            if progress.view.steps.len() >= MOST_STEPS {
                progress.view.steps.pop();
            }
            progress.view.steps.push(AttemptStep { step, at_ms: now_ms() });
        });
    }

    /// The authorization URL, while the sign-in waits for the browser.
    pub fn authorization_url(&self) -> Option<AuthorizationUrl> {
        lock(&self.progress).url.clone()
    }
}

impl Progress {
    fn clear_browser_wait(&mut self) {
        self.url = None;
        self.view.deadline_ms = None;
    }
}

/// Opens the browser for a sign-in. Meanwhile the sign-in shows that it waits for the browser.
pub struct AttemptBrowser {
    /// The sign-in.
    pub attempt: Arc<AttemptHandle>,
    /// The browser to open.
    pub browser: Arc<dyn Browser>,
}

impl Browser for AttemptBrowser {
    fn open<'a>(&'a self, url: &'a AuthorizationUrl) -> BrowserFuture<'a> {
        let within = i64::try_from(AuthorizationCodeFlow::WITHIN.as_millis()).unwrap_or(i64::MAX);
        self.attempt.update_if_active(|progress| {
            progress.view.status = SignInStatus::Browser;
            progress.view.deadline_ms = Some(now_ms().saturating_add(within));
            progress.view.browser_host = Some(url.host().to_owned());
            progress.url = Some(url.clone());
        });
        self.browser.open(url)
    }
}
