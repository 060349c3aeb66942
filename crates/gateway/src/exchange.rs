//! A running request of an app, and the messages that the app receives before the answer.

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

/// The levels of log messages, from the least to the most important (RFC 5424).
const LOG_LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// One request of an app.
#[derive(Clone)]
pub(crate) struct Exchange {
    pub(crate) view: Arc<AppView>,
    pub(crate) call: AppCall,
    pub(crate) reports: Arc<Reports>,
    /// Asks the app the questions that servers ask because of the request.
    pub(crate) responder: Arc<dyn AppResponder>,
}

impl Exchange {
    /// The responder that asks the app for its roots. `None` for a stateless request, because there only the
    /// server asks for roots.
    pub(crate) fn roots_responder(&self) -> Option<&dyn AppResponder> {
        (!self.view.is_stateless()).then_some(&*self.responder)
    }

    /// Sends the app the questions that servers ask because of this request, until the registration is
    /// dropped.
    pub(crate) fn register_responder(&self, request: &Arc<str>) -> AppRegistration {
        self.view.host.register_app(Arc::clone(request), self.view.number, Arc::clone(&self.responder))
    }
}

/// The least important level of log messages that an app receives, as an index into [`LOG_LEVELS`].
#[derive(Debug)]
pub(crate) struct LogLevel(AtomicUsize);

impl LogLevel {
    /// Includes all messages.
    pub(crate) fn all() -> Self {
        Self(AtomicUsize::new(0))
    }

    /// Includes no messages.
    pub(crate) fn none() -> Self {
        Self(AtomicUsize::new(usize::MAX))
    }

    /// Includes messages of this level and of more important ones. Returns false if there is no such level.
    pub(crate) fn set_by_name(&self, name: &str) -> bool {
        let level = LOG_LEVELS.iter().position(|level| *level == name);
        if let Some(level) = level {
            self.0.store(level, Ordering::Relaxed);
        }
        level.is_some()
    }

    /// Whether messages of this level are included. Messages of an unknown level are included unless no
    /// messages are.
    fn includes(&self, level: &str) -> bool {
        let wanted = self.0.load(Ordering::Relaxed);
        wanted != usize::MAX
            && LOG_LEVELS.iter().position(|known| *known == level).is_none_or(|level| level >= wanted)
    }
}

/// Sends an app the progress of a request, and the log messages of its server.
pub(crate) struct Reports {
    /// `None` while no one listens.
    to: Mutex<Option<ReportTarget>>,
    /// The last progress that was sent.
    progress: Mutex<f64>,
    /// The number of the call, if the request is one.
    call: Option<i64>,
}

/// Where reports go, and which ones the app wants.
pub(crate) struct ReportTarget {
    pub(crate) out: Outbox,
    /// The app's progress token. Without a token, the app gets no progress.
    pub(crate) token: Option<Box<RawValue>>,
    pub(crate) log_level: Arc<LogLevel>,
}

impl Reports {
    /// By how much the progress grows without a value from the server. It is smaller than any step of a
    /// server.
    const STEP: f64 = 1e-6;

    pub(crate) fn new(to: ReportTarget, call: Option<i64>) -> Arc<Self> {
        Arc::new(Self { to: Mutex::new(Some(to)), progress: Mutex::new(f64::NEG_INFINITY), call })
    }

    /// Sends further reports to another place. `None` drops them.
    pub(crate) fn send_to(&self, to: Option<ReportTarget>) {
        *locked(&self.to) = to;
    }

    /// Sends the progress of the request, if the app wants it. Without `progress`, the value grows by
    /// [`Self::STEP`], because each value has to be larger than the last (basic/utilities/progress).
    pub(crate) fn send_progress(&self, progress: Option<f64>, total: Option<f64>, message: Option<&str>) {
        let to = locked(&self.to);
        let Some(ReportTarget { out, token: Some(token), .. }) = &*to else { return };
        let progress = {
            let mut last = locked(&self.progress);
            let next = progress.filter(|progress| *progress > *last);
            *last = next.unwrap_or_else(|| last.max(0.0) + Self::STEP);
            *last
        };
        let mut params =
            JsonObject::new().raw("progressToken", token.get()).raw("progress", &number_to_json(progress));
        if let Some(total) = total {
            params = params.raw("total", &number_to_json(total));
        }
        if let Some(message) = message {
            params = params.text("message", message);
        }
        out.send(notification("notifications/progress", Some(&params.whole())).of_call(self.call));
    }

    /// Passes on a log message of a server, if the app wants its level.
    pub(crate) fn send_log(&self, level: &str, logger: Option<&str>, data: &str) {
        let to = locked(&self.to);
        let Some(to) = to.as_ref().filter(|to| to.log_level.includes(level)) else { return };
        let mut params = JsonObject::new().text("level", level);
        if let Some(logger) = logger {
            params = params.text("logger", logger);
        }
        let params = params.json("data", data).whole();
        to.out.send(notification("notifications/message", Some(&params)).of_call(self.call));
    }
}

/// A number as JSON. Whole numbers have no fraction.
fn number_to_json(value: f64) -> String {
    serde_json::Number::from_f64(value).map_or_else(
        || "0".to_owned(),
        |number| {
            let text = number.to_string();
            text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
        },
    )
}
