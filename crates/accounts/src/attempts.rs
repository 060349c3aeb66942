//! Sign-ins that the host itself carries: one under way for each server, and what became of the last. Their tasks end
//! with the host.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mooring_base::clock::now_ms;
use mooring_base::server_id::ServerId;
use mooring_oauth::{AuthorizationUrl, Browser, BrowserFuture, Flow, Purpose, Step, Trail};
use serde::Serialize;
use tokio::task::{AbortHandle, JoinSet};
use ts_rs::TS;

use crate::problem::SignInProblem;

/// Most steps that are remembered of a sign-in; of more, the last one.
const MOST_STEPS: usize = 200;

/// How far a sign-in is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SignInStatus {
    /// It goes on by itself.
    Working,
    /// The person is awaited in the browser.
    Browser,
    /// Signed in.
    Done,
    /// It failed.
    Failed,
    /// The person gave it up, or the host ended.
    Cancelled,
}

/// One step of a sign-in.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(rename = "SignInStepView")]
pub struct AttemptStep {
    /// What was done, with what was found.
    #[serde(flatten)]
    pub step: Step,
    /// When it ended, in milliseconds since the Unix epoch.
    #[serde(rename = "at")]
    pub at_ms: i64,
}

/// A sign-in to a saved server: under way, or how the last one ended. Nothing of it is secret.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "SignInView")]
pub struct SignInAttempt {
    /// The server.
    pub server: ServerId,
    /// How far it is.
    pub status: SignInStatus,
    /// When it began, in milliseconds since the Unix epoch.
    #[serde(rename = "startedAt")]
    pub started_ms: i64,
    /// When it ended.
    #[serde(rename = "endedAt")]
    pub ended_ms: Option<i64>,
    /// While the browser is awaited: until when.
    #[serde(rename = "deadline")]
    pub deadline_ms: Option<i64>,
    /// The host that the browser was sent to.
    pub browser_host: Option<String>,
    /// What was done so far.
    pub steps: Vec<AttemptStep>,
    /// Why it failed.
    pub problem: Option<SignInProblem>,
    /// The login that came of it.
    #[serde(rename = "account")]
    pub login: Option<i64>,
}

impl SignInAttempt {
    fn is_under_way(&self) -> bool {
        self.ended_ms.is_none()
    }
}

/// Is told that something about the sign-in to a server changed.
pub type OnSignInChange = Arc<dyn Fn(ServerId) + Send + Sync>;

/// The sign-ins of a host.
pub struct Attempts {
    changed: OnSignInChange,
    known: Mutex<HashMap<ServerId, Arc<Attempt>>>,
    tasks: Mutex<JoinSet<()>>,
}

/// One of them.
pub struct Attempt {
    changed: OnSignInChange,
    progress: Mutex<Progress>,
}

#[derive(Debug)]
struct Progress {
    view: SignInAttempt,
    /// Where the browser was sent, while it is awaited.
    url: Option<AuthorizationUrl>,
    task: Option<AbortHandle>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Attempts {
    /// No sign-in yet; `changed` is told of each step.
    pub fn new(changed: OnSignInChange) -> Self {
        Self { changed, known: Mutex::default(), tasks: Mutex::default() }
    }

    /// Begins one, unless one is under way.
    pub fn begin<F>(&self, server: ServerId, work: impl FnOnce(Arc<Attempt>) -> F) -> SignInAttempt
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let mut known = lock(&self.known);
        if let Some(view) =
            known.get(&server).map(|attempt| attempt.view()).filter(SignInAttempt::is_under_way)
        {
            return view;
        }
        let attempt = Arc::new(Attempt::new(server, Arc::clone(&self.changed)));
        known.insert(server, Arc::clone(&attempt));
        let mut tasks = lock(&self.tasks);
        while tasks.try_join_next().is_some() {}
        let task = tasks.spawn(work(Arc::clone(&attempt)));
        lock(&attempt.progress).task = Some(task);
        drop((tasks, known));
        attempt.announce();
        attempt.view()
    }

    /// The one to a server that is under way, or the last.
    pub fn of(&self, server: ServerId) -> Option<Arc<Attempt>> {
        lock(&self.known).get(&server).cloned()
    }

    /// Ends the one to a server; whether there was one.
    pub fn cancel(&self, server: ServerId) -> bool {
        self.of(server).is_some_and(|attempt| attempt.cancel())
    }

    /// Ends all.
    pub async fn close(&self) {
        let all: Vec<_> = lock(&self.known).values().cloned().collect();
        for attempt in all {
            attempt.cancel();
        }
        let mut tasks = std::mem::take(&mut *lock(&self.tasks));
        tasks.shutdown().await;
    }
}

impl Attempt {
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
        Self { changed, progress: Mutex::new(Progress { view, url: None, task: None }) }
    }

    /// As it is shown.
    pub fn view(&self) -> SignInAttempt {
        lock(&self.progress).view.clone()
    }

    fn announce(&self) {
        let server = lock(&self.progress).view.server;
        (self.changed)(server);
    }

    /// Changes what is seen of it, while it is under way; whether it was.
    fn change(&self, change: impl FnOnce(&mut Progress)) -> bool {
        {
            let mut progress = lock(&self.progress);
            if !progress.view.is_under_way() {
                return false;
            }
            change(&mut progress);
        }
        self.announce();
        true
    }

    fn end(&self, status: SignInStatus, settle: impl FnOnce(&mut SignInAttempt)) -> bool {
        self.change(|progress| {
            progress.no_longer_awaited();
            progress.view.status = status;
            progress.view.ended_ms = Some(now_ms());
            settle(&mut progress.view);
        })
    }

    /// It has led to this login.
    pub fn done(&self, login: i64) {
        self.end(SignInStatus::Done, |view| view.login = Some(login));
    }

    /// It failed.
    pub fn failed(&self, problem: SignInProblem) {
        self.end(SignInStatus::Failed, |view| view.problem = Some(problem));
    }

    fn cancel(&self) -> bool {
        let mut task = None;
        let cancelled = self.change(|progress| {
            task = progress.task.take();
            progress.no_longer_awaited();
            progress.view.status = SignInStatus::Cancelled;
            progress.view.ended_ms = Some(now_ms());
        });
        if let Some(task) = task {
            task.abort();
        }
        cancelled
    }

    /// Takes its steps.
    pub fn trail(self: &Arc<Self>) -> Trail {
        let attempt = Arc::clone(self);
        Trail::new(move |step| attempt.tell(step))
    }

    fn tell(&self, step: Step) {
        self.change(|progress| {
            if step.purpose == Purpose::Authorization && progress.view.status == SignInStatus::Browser {
                progress.no_longer_awaited();
                progress.view.status = SignInStatus::Working;
            }
            if progress.view.steps.len() >= MOST_STEPS {
                progress.view.steps.pop();
            }
            progress.view.steps.push(AttemptStep { step, at_ms: now_ms() });
        });
    }

    /// Where the browser is awaited from, if it is.
    pub fn awaited(&self) -> Option<AuthorizationUrl> {
        lock(&self.progress).url.clone()
    }
}

impl Progress {
    fn no_longer_awaited(&mut self) {
        self.url = None;
        self.view.deadline_ms = None;
    }
}

/// The browser of a sign-in, which is seen to be awaited.
pub struct Awaited {
    /// The sign-in.
    pub attempt: Arc<Attempt>,
    /// The browser that is opened for it.
    pub browser: Arc<dyn Browser>,
}

impl Browser for Awaited {
    fn open<'a>(&'a self, url: &'a AuthorizationUrl) -> BrowserFuture<'a> {
        let within = i64::try_from(Flow::WITHIN.as_millis()).unwrap_or(i64::MAX);
        self.attempt.change(|progress| {
            progress.view.status = SignInStatus::Browser;
            progress.view.deadline_ms = Some(now_ms().saturating_add(within));
            progress.view.browser_host = Some(url.host().to_owned());
            progress.url = Some(url.clone());
        });
        self.browser.open(url)
    }
}
