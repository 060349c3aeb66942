//! One request of an app that is being worked on, and what the app is told of it until it is answered.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use mooring_base::app_call::AppCall;
use mooring_inbox::{AppRegistration, AppResponder};
use mooring_jsonrpc::JsonObject;
use serde_json::value::RawValue;

use crate::locked::locked;
use crate::message::notification;
use crate::outbox::Outbox;
use crate::view::AppView;

/// The levels of log messages, the least important first (RFC 5424).
const LOG_LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// One request of an app.
#[derive(Clone)]
pub(crate) struct Exchange {
    pub(crate) view: Arc<AppView>,
    pub(crate) call: AppCall,
    pub(crate) reports: Arc<Reports>,
    /// How the app is asked what servers ask because of the request.
    pub(crate) responder: Arc<dyn AppResponder>,
}

impl Exchange {
    /// How the app is asked for its folders. With a request that stands alone only its server asks for them.
    pub(crate) fn roots(&self) -> Option<&dyn AppResponder> {
        (!self.view.is_alone()).then_some(&*self.responder)
    }

    /// Has the app asked what servers ask because of this request, for as long as the registration is held.
    pub(crate) fn answers(&self, request: &Arc<str>) -> AppRegistration {
        self.view.host.register_app(Arc::clone(request), self.view.number, Arc::clone(&self.responder))
    }
}

/// The least important level of log messages that an app gets, as its place in [`LOG_LEVELS`].
#[derive(Debug)]
pub(crate) struct LogLevel(AtomicUsize);

impl LogLevel {
    /// All messages.
    pub(crate) fn all() -> Self {
        Self(AtomicUsize::new(0))
    }

    /// No messages.
    pub(crate) fn none() -> Self {
        Self(AtomicUsize::new(usize::MAX))
    }

    /// Takes messages of this level and of more important ones. False where there is no such level.
    pub(crate) fn set(&self, name: &str) -> bool {
        let level = LOG_LEVELS.iter().position(|level| *level == name);
        if let Some(level) = level {
            self.0.store(level, Ordering::Relaxed);
        }
        level.is_some()
    }

    /// Whether messages of this level are taken. One that nobody knows is not left out.
    fn takes(&self, level: &str) -> bool {
        let wanted = self.0.load(Ordering::Relaxed);
        wanted != usize::MAX
            && LOG_LEVELS.iter().position(|known| *known == level).is_none_or(|level| level >= wanted)
    }
}

/// What an app is told of a request: how far it is, and what the server logs.
pub(crate) struct Reports {
    /// None while nobody listens.
    to: Mutex<Option<ReportTarget>>,
    /// How far it was, as the app was told.
    progress: Mutex<f64>,
    /// The number of the call, where the request is one.
    call: Option<i64>,
}

/// Where reports go, and which ones.
pub(crate) struct ReportTarget {
    pub(crate) out: Outbox,
    /// Under which the app wants to hear of progress.
    pub(crate) token: Option<Box<RawValue>>,
    pub(crate) log_level: Arc<LogLevel>,
}

impl Reports {
    /// Less than any step of a server.
    const STEP: f64 = 1e-6;

    pub(crate) fn new(to: ReportTarget, call: Option<i64>) -> Arc<Self> {
        Arc::new(Self { to: Mutex::new(Some(to)), progress: Mutex::new(f64::NEG_INFINITY), call })
    }

    /// From now on they go there; none: they are for nobody.
    pub(crate) fn send_to(&self, to: Option<ReportTarget>) {
        *locked(&self.to) = to;
    }

    /// Tells the app how far the request is, where it wants to hear. `progress` none: as far as it was. Each is more than
    /// the last (basic/utilities/progress).
    pub(crate) fn progress(&self, progress: Option<f64>, total: Option<f64>, message: Option<&str>) {
        let to = locked(&self.to);
        let Some(ReportTarget { out, token: Some(token), .. }) = &*to else { return };
        let progress = {
            let mut last = locked(&self.progress);
            let next = progress.filter(|progress| *progress > *last);
            *last = next.unwrap_or_else(|| last.max(0.0) + Self::STEP);
            *last
        };
        let mut params =
            JsonObject::new().raw("progressToken", token.get()).raw("progress", &number(progress));
        if let Some(total) = total {
            params = params.raw("total", &number(total));
        }
        if let Some(message) = message {
            params = params.text("message", message);
        }
        out.send(notification("notifications/progress", Some(&params.whole())).of_call(self.call));
    }

    /// Passes a log message of a server on, where the app wants those of its level.
    pub(crate) fn log(&self, level: &str, logger: Option<&str>, data: &str) {
        let to = locked(&self.to);
        let Some(to) = to.as_ref().filter(|to| to.log_level.takes(level)) else { return };
        let mut params = JsonObject::new().text("level", level);
        if let Some(logger) = logger {
            params = params.text("logger", logger);
        }
        let params = params.json("data", data).whole();
        to.out.send(notification("notifications/message", Some(&params)).of_call(self.call));
    }
}

/// A number as JSON: whole ones without a fraction.
fn number(value: f64) -> String {
    serde_json::Number::from_f64(value).map_or_else(
        || "0".to_owned(),
        |number| {
            let text = number.to_string();
            text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
        },
    )
}
