//! Apps that answer the questions that servers ask during the apps' calls.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use mooring_mcp::{
    CallerAdditions, ClientCapabilities, PendingRequest, QuestionContext, QuestionKind, QuestionOrigin,
    RequestCaller,
};
use serde_json::value::RawValue;

use crate::prompter::ResponseToServer;

/// An app that can answer a server's questions.
pub trait AppResponder: Send + Sync {
    /// The questions that the app can answer.
    fn capabilities(&self) -> ClientCapabilities;

    /// What the app added to its request for the server.
    fn additions(&self) -> CallerAdditions {
        CallerAdditions::default()
    }

    /// Whether the app only sees this server, under its own name, so that it knows who asks.
    fn sees_one_server(&self) -> bool {
        false
    }

    /// Whether the app waits for its request now. It doesn't between the rounds of a request.
    fn is_listening(&self) -> bool {
        true
    }

    /// Asks the app. `key` is the server's own name for the question, if it has one. `None` if the app can't
    /// answer this question, so that the person is asked. Dropping the future withdraws the question.
    fn answer(
        &self,
        kind: QuestionKind,
        params: &RawValue,
        key: Option<&str>,
    ) -> Option<BoxFuture<'static, ResponseToServer>>;
}

/// The connection and the responder of the app, by request.
type ByRequest = HashMap<Arc<str>, (u64, Arc<dyn AppResponder>)>;

/// The apps whose requests are running, by the requests' names.
#[derive(Default)]
pub struct AppResponders(Arc<Mutex<ByRequest>>);

impl fmt::Debug for AppResponders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AppResponders").finish_non_exhaustive()
    }
}

/// Registers an app for the questions that a request causes, until it is dropped.
#[must_use]
pub struct AppRegistration {
    by_request: Arc<Mutex<ByRequest>>,
    request: Arc<str>,
}

impl fmt::Debug for AppRegistration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AppRegistration").field(&self.request).finish()
    }
}

fn locked(by_request: &Mutex<ByRequest>) -> MutexGuard<'_, ByRequest> {
    by_request.lock().unwrap_or_else(PoisonError::into_inner)
}

impl AppResponders {
    /// Registers `app` for questions that belong to its request `request`.
    pub fn register(
        &self,
        request: Arc<str>,
        connection: u64,
        app: Arc<dyn AppResponder>,
    ) -> AppRegistration {
        locked(&self.0).insert(Arc::clone(&request), (connection, app));
        AppRegistration { by_request: Arc::clone(&self.0), request }
    }

    /// What the app that made this request can answer.
    pub fn capabilities(&self, caller: &RequestCaller) -> ClientCapabilities {
        let by_request = locked(&self.0);
        let app = caller.request.as_ref().and_then(|request| by_request.get(request));
        app.map(|(_, app)| app.capabilities()).unwrap_or_default()
    }

    /// What the app that made this request added to it.
    pub fn additions(&self, caller: &RequestCaller) -> CallerAdditions {
        let app = {
            let by_request = locked(&self.0);
            caller
                .request
                .as_ref()
                .and_then(|request| by_request.get(request))
                .map(|(_, app)| Arc::clone(app))
        };
        app.map(|app| app.additions()).unwrap_or_default()
    }

    /// Whether a question belongs to a call of an app.
    pub fn are_calling(&self, origin: &QuestionOrigin) -> bool {
        let by_request = locked(&self.0);
        let is_of_app = |call: &PendingRequest| {
            let caller = call.caller.as_ref().and_then(|caller| caller.request.as_ref());
            caller.is_some_and(|request| by_request.contains_key(request))
        };
        match origin {
            QuestionOrigin::Request {
                occasion: QuestionContext::Request(call) | QuestionContext::OnlyPending(call),
                ..
            } => is_of_app(call),
            QuestionOrigin::Request { occasion: QuestionContext::AnyPending(calls), .. } => {
                calls.iter().any(is_of_app)
            }
            _ => false,
        }
    }

    /// The app that a question is for: the one whose request it belongs to. If it may belong to several
    /// requests of one app, a request that the app waits for is preferred. `None` if it may also belong to
    /// another's request.
    pub fn of(&self, origin: &QuestionOrigin) -> Option<Arc<dyn AppResponder>> {
        let by_request = locked(&self.0);
        let of = |call: &PendingRequest| by_request.get(call.caller.as_ref()?.request.as_ref()?);
        match origin {
            QuestionOrigin::InputRequired { call, .. }
            | QuestionOrigin::Task { call, .. }
            | QuestionOrigin::UrlRequired { call, .. }
            | QuestionOrigin::Request {
                occasion: QuestionContext::Request(call) | QuestionContext::OnlyPending(call),
                ..
            } => of(call).map(|(_, app)| Arc::clone(app)),
            QuestionOrigin::Request { occasion: QuestionContext::AnyPending(calls), .. } => {
                let (running, others): (Vec<_>, Vec<_>) = calls.iter().partition(|call| of(call).is_some());
                let apps: Vec<_> = running.iter().filter_map(|call| of(call)).collect();
                let (connection, first) = apps.first()?;
                // An unknown call of the same app ended after the question arrived.
                let name = |call: &PendingRequest| call.caller.as_ref().map(|caller| caller.name.clone());
                let own = running.first().and_then(|call| name(call));
                let are_others = others.iter().any(|call| name(call) != own);
                if are_others || apps.iter().any(|(other, _)| other != connection) {
                    return None;
                }
                let listening = apps.iter().map(|(_, app)| app).find(|app| app.is_listening());
                Some(Arc::clone(listening.unwrap_or(first)))
            }
            QuestionOrigin::Request {
                occasion: QuestionContext::Unprompted | QuestionContext::Unknown,
                ..
            } => None,
        }
    }
}

impl Drop for AppRegistration {
    fn drop(&mut self) {
        locked(&self.by_request).remove(&self.request);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the app waits for its request.
    struct App(bool);

    impl AppResponder for App {
        fn capabilities(&self) -> ClientCapabilities {
            ClientCapabilities { roots: self.0, ..ClientCapabilities::default() }
        }

        fn is_listening(&self) -> bool {
            self.0
        }

        fn answer(
            &self,
            _: QuestionKind,
            _: &RawValue,
            _: Option<&str>,
        ) -> Option<BoxFuture<'static, ResponseToServer>> {
            None
        }
    }

    fn call(request: &str) -> PendingRequest {
        let caller = RequestCaller { name: "app:a".into(), request: Some(request.into()) };
        PendingRequest { method: "tools/call", subject: None, caller: Some(caller) }
    }

    fn asked(occasion: QuestionContext) -> QuestionOrigin {
        QuestionOrigin::Request { id: "1".into(), task: None, occasion }
    }

    #[test]
    fn a_question_is_for_the_app_that_it_surely_belongs_to() {
        let apps = AppResponders::default();
        let register =
            |request: &str, connection| apps.register(request.into(), connection, Arc::new(App(true)));
        let _both = [register("a", 1), register("b", 1)];
        let third = register("c", 2);
        let any = |requests: &[&str]| {
            asked(QuestionContext::AnyPending(requests.iter().map(|request| call(request)).collect()))
        };
        assert!(apps.of(&asked(QuestionContext::Request(call("a")))).is_some());
        assert!(apps.of(&asked(QuestionContext::OnlyPending(call("c")))).is_some());
        assert!(apps.of(&any(&["a", "b"])).is_some());
        for unclear in [&["a", "c"][..], &[]] {
            assert!(apps.of(&any(unclear)).is_none(), "{unclear:?}");
        }
        // A call that has just ended is unknown but has the same caller. The others have other callers or
        // none.
        assert!(apps.of(&any(&["a", "ended"])).is_some());
        let person = RequestCaller { name: "you".into(), request: Some("1".into()) };
        let other = PendingRequest { caller: Some(person), ..call("") };
        for unknown in [other.clone(), PendingRequest { caller: None, ..other }] {
            let both = asked(QuestionContext::AnyPending(vec![call("a"), unknown]));
            assert!(apps.of(&both).is_none());
        }
        assert!(apps.of(&asked(QuestionContext::Unprompted)).is_none());
        let able = |request: &str| apps.capabilities(&call(request).caller.unwrap()).roots;
        assert!(able("a") && !able("d"));
        drop(third);
        assert!(apps.of(&asked(QuestionContext::Request(call("c")))).is_none());
    }

    #[test]
    fn a_question_comes_with_the_request_that_its_app_waits_for() {
        let apps = AppResponders::default();
        let left = apps.register("left".into(), 1, Arc::new(App(false)));
        let waits = apps.register("waits".into(), 1, Arc::new(App(true)));
        let both = asked(QuestionContext::AnyPending(vec![call("left"), call("waits")]));
        assert!(apps.of(&both).unwrap().is_listening());
        drop(waits);
        // The call that ended leaves the other one.
        assert!(!apps.of(&both).unwrap().is_listening());
        let only = asked(QuestionContext::AnyPending(vec![call("left")]));
        assert!(!apps.of(&only).unwrap().is_listening());
        drop(left);
    }
}
