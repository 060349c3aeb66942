//! The connection of one app. In the session era (protocol versions 2024-11-05 to 2025-11-25), the app
//! initializes a session, sends and cancels requests, and is notified of changes, until it disconnects.
//! Stateless requests (2026-07-28) may use the same connection.

use std::sync::{Arc, LazyLock, Mutex};

use mooring_base::app_call::AppCall;
use mooring_catalogue::Catalogue;
use mooring_jsonrpc::{JsonObject, Params, code};
use mooring_revisions::{OfferKind, REVISIONS, server_capabilities, server_info};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::answer::{Answer, Failed, read_params};
use crate::asked::{AppQuestions, RequestResponder};
use crate::changes::Changes;
use crate::exchange::{Exchange, LogLevel, ReportTarget, Reports};
use crate::followed::Followed;
use crate::head::RequestHead;
use crate::locked::locked;
use crate::message::notification;
use crate::outbox::Outbox;
use crate::recorded::AskedFor;
use crate::requests;
use crate::running::Running;
use crate::stateless::Stateless;
use crate::view::AppView;

/// What the requests on one connection share.
pub(crate) struct Session {
    pub(crate) view: Arc<AppView>,
    /// Answers stateless requests.
    pub(crate) stateless: Arc<Stateless>,
    /// For messages that belong to no request.
    out: Outbox,
    followed: Followed,
    /// The open questions of servers to the app.
    pub(crate) asked: Arc<AppQuestions>,
    /// The negotiated protocol version. `None` before `initialize`.
    revision: Mutex<Option<&'static str>>,
    /// The catalogue that the app knows.
    told: Mutex<Option<Arc<Catalogue>>>,
    log_level: Arc<LogLevel>,
    pub(crate) running: Arc<Running>,
}

/// When this process began to count connections. It is part of the ids of questions, so that an answer to a
/// question of an earlier process matches nothing.
static PROCESS_STARTED_NS: LazyLock<u128> = LazyLock::new(|| {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    // With a clock before 1970, ids of another process may match.
    since.map_or(0, |since| since.as_nanos())
});

impl Session {
    /// A session before `initialize`. `out` gets the messages that belong to no request.
    pub(crate) fn new(view: Arc<AppView>, out: Outbox) -> Arc<Self> {
        let (host, catalogues) = (&view.host, &view.catalogues);
        let prefix = format!("mooring:{}:{}:", *PROCESS_STARTED_NS, view.number);
        Arc::new(Self {
            stateless: Arc::new(Stateless::new(view.for_stateless_requests())),
            out,
            followed: Followed::new(host.clone(), Arc::clone(&catalogues.left_resources)),
            asked: Arc::new(AppQuestions::new(prefix)),
            revision: Mutex::default(),
            told: Mutex::default(),
            log_level: Arc::new(LogLevel::all()),
            running: Running::new(&view.share),
            view,
        })
    }

    /// Notifies the app of changes. Returns when the host ends.
    pub(crate) async fn notify_app(&self) {
        let changes = Changes::new(&self.view, &self.followed, &self.told, &OfferKind::ALL);
        let tell = |method: &str, uri: Option<&str>| {
            let params = uri.map(|uri| JsonObject::new().text("uri", uri).whole());
            self.out.send(notification(method, params.as_deref()));
        };
        tokio::select! {
            () = changes.notify_app(tell) => {}
            () = self.ask_where_it_works() => {}
        }
    }

    /// Asks the app for its folders whenever they may have changed, so that its lists follow. Never returns.
    async fn ask_where_it_works(&self) {
        loop {
            self.view.may_have_moved.notified().await;
            if self.revision().is_none() || !self.out.takes_questions() {
                continue;
            }
            let responder = RequestResponder {
                asked: Arc::clone(&self.asked),
                out: self.out.clone(),
                call: None,
                meta: None,
                is_of_one: self.view.is_of_one(),
            };
            self.view.settle_profile(Some(&responder)).await;
        }
    }

    /// The negotiated protocol version. `None` before `initialize`.
    pub(crate) fn revision(&self) -> Option<&'static str> {
        *locked(&self.revision)
    }

    /// A request of the app. Its progress, log messages and questions go to `out`.
    pub(crate) fn new_exchange(
        &self,
        head: &RequestHead,
        out: &Outbox,
        call: AppCall,
        asked_for: &AskedFor,
    ) -> Exchange {
        let target = ReportTarget {
            out: out.clone(),
            token: head.token.clone(),
            log_level: Arc::clone(&self.log_level),
        };
        let responder = RequestResponder {
            asked: Arc::clone(&self.asked),
            out: out.clone(),
            call: asked_for.call_number(),
            meta: head.meta.clone(),
            is_of_one: self.view.is_of_one(),
        };
        Exchange {
            view: Arc::clone(&self.view),
            call,
            reports: Reports::new(target, asked_for.call_number()),
            responder: Arc::new(responder),
        }
    }

    pub(crate) async fn initialize(&self, params: &Params) -> Answer {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct InitializeParams {
            protocol_version: Option<Value>,
            capabilities: Option<Box<RawValue>>,
        }
        let params: InitializeParams = read_params(params)?;
        let newest = REVISIONS[REVISIONS.len() - 1];
        // An app that asks for no version, or not with a string, gets the newest one.
        let wanted = params.protocol_version.as_ref().and_then(Value::as_str).unwrap_or(newest);
        let agreed = REVISIONS.into_iter().find(|known| *known == wanted).unwrap_or(newest);
        // The app is asked where it works once it is initialized.
        let catalogue = self.view.catalogue(&self.view.profile()).await?;
        let offers = requests::offers_without_profile(&self.view, &catalogue).await?;
        {
            let mut revision = locked(&self.revision);
            if revision.is_some() {
                return Err(Failed::new(code::INVALID_REQUEST, "Invalid Request: initialized already"));
            }
            *revision = Some(agreed);
        }
        let mut result = JsonObject::new()
            .text("protocolVersion", agreed)
            .raw("capabilities", &server_capabilities(agreed, &offers))
            .raw("serverInfo", &server_info(agreed));
        if let Some(instructions) = catalogue.instructions.as_deref() {
            result = result.text("instructions", instructions);
        }
        *locked(&self.told) = Some(catalogue);
        if let Some(capabilities) = &params.capabilities {
            self.asked.set_capabilities(capabilities);
        }
        Ok(result.whole())
    }

    pub(crate) async fn set_log_level(&self, params: &Params) -> Answer {
        #[derive(Deserialize)]
        struct LogLevelParams {
            level: String,
        }
        requests::check_offered(&self.view, &self.view.profile(), "logging/setLevel").await?;
        let params: LogLevelParams = read_params(params)?;
        if !self.log_level.set_by_name(&params.level) {
            return Err(Failed::new(code::INVALID_PARAMS, "Invalid params: no such level"));
        }
        Ok("{}".to_owned())
    }

    /// Answers `resources/subscribe`.
    pub(crate) async fn subscribe(&self, exchange: &Exchange, params: &Params) -> Answer {
        let responder = exchange.roots_responder();
        let profile = self.view.settle_profile(responder).await;
        requests::check_offered(&self.view, &profile, "resources/subscribe").await?;
        let SubscribeParams { uri } = read_params(params)?;
        requests::subscribe_to_resource(&self.view, &profile, &self.followed, &uri, responder).await?;
        Ok("{}".to_owned())
    }

    /// Answers `resources/unsubscribe`.
    pub(crate) async fn unsubscribe(&self, params: &Params) -> Answer {
        let SubscribeParams { uri } = read_params(params)?;
        self.followed.unsubscribe(&uri).await?;
        Ok("{}".to_owned())
    }
}

#[derive(Deserialize)]
struct SubscribeParams {
    uri: String,
}
