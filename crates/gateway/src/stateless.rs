//! The stateless era (protocol version 2026-07-28). Every request has its own protocol version and client
//! capabilities, and is answered without a session.

mod listen;
mod rounds;

use std::sync::Arc;

use mooring_base::app_call::AppCall;
use mooring_jsonrpc::{Change, JsonObject, Members, Params, RequestId, code, string, text_member};
use mooring_mcp::{CallerAdditions, ClientCapabilities};
use mooring_revisions::{REVISIONS, server_capabilities, server_info};

use self::rounds::HeldCalls;
use crate::answer::{Answer, Failed, invalid};
use crate::asked::declared_extensions;
use crate::exchange::{LogLevel, ReportTarget};
use crate::head::{CAPABILITIES_KEY, LOG_LEVEL_KEY, RequestHead, VERSION_KEY};
use crate::outbox::Outbox;
use crate::recorded::AppLog;
use crate::requests;
use crate::view::AppView;

/// The protocol version of this era.
pub(crate) const REVISION: &str = "2026-07-28";
/// The request that is answered only when its notifications end.
pub(crate) const LISTEN: &str = "subscriptions/listen";
const SERVER_INFO_KEY: &str = "io.modelcontextprotocol/serverInfo";

/// Answers the stateless requests of one app.
pub(crate) struct Stateless {
    pub(crate) view: Arc<AppView>,
    /// The calls that wait for answers of the app.
    held: Arc<HeldCalls>,
}

/// The name of a request's call, and its number if the request is a call.
pub(crate) type NamedCall = (AppCall, Option<i64>);

/// The `_meta` of a request (basic#_meta).
struct RequestMeta {
    able: ClientCapabilities,
    additions: CallerAdditions,
    reports: ReportTarget,
}

/// Whether the gateway answers requests of this method.
pub(crate) fn knows_method(method: &str) -> bool {
    let known = [
        "server/discover",
        "tools/list",
        "tools/call",
        "prompts/list",
        "prompts/get",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "completion/complete",
        LISTEN,
    ];
    known.contains(&method)
}

impl RequestMeta {
    fn read(head: RequestHead, out: &Outbox) -> Result<Self, Failed> {
        let meta = head.meta.ok_or_else(|| invalid("_meta is missing"))?;
        if !meta.get().starts_with('{') {
            return Err(invalid("_meta has to be an object"));
        }
        let missing = |key: &str| invalid(&format!("_meta has no {key}"));
        check_version(&head.version.ok_or_else(|| missing(VERSION_KEY))?)?;
        let able = head.capabilities.ok_or_else(|| missing(CAPABILITIES_KEY))?;
        if !able.get().starts_with('{') {
            return Err(invalid(&format!("{CAPABILITIES_KEY} has to be an object")));
        }
        let log_level = LogLevel::none();
        if let Some(level) = head.log_level
            && !string(level.get()).is_some_and(|name| log_level.set_by_name(&name))
        {
            return Err(invalid(&format!("{LOG_LEVEL_KEY} is no level")));
        }
        let reports = ReportTarget { out: out.clone(), token: head.token, log_level: Arc::new(log_level) };
        let (able, extensions) = (ClientCapabilities::from_declared(&able), declared_extensions(&able));
        Ok(Self {
            able,
            additions: CallerAdditions { meta: Some(meta), extensions: Some(extensions) },
            reports,
        })
    }
}

/// Refuses every protocol version except the one of this era.
pub(crate) fn check_version(version: &str) -> Result<(), Failed> {
    if version == REVISION {
        return Ok(());
    }
    let data = JsonObject::new().texts("supported", supported_versions()).text("requested", version);
    Err(Failed {
        data: Some(data.whole()),
        ..Failed::new(code::UNSUPPORTED_VERSION, "Unsupported protocol version")
    })
}

/// All protocol versions, the newest first.
fn supported_versions() -> impl Iterator<Item = &'static str> {
    std::iter::once(REVISION).chain(REVISIONS.into_iter().rev())
}

impl Stateless {
    pub(crate) fn new(view: Arc<AppView>) -> Self {
        Self { view, held: Arc::default() }
    }

    /// The call that a request continues. Keeps secrets in the app's answers out of the log.
    pub(crate) fn find_held_call(
        &self,
        params: &Params,
        state: Option<&str>,
        log: &AppLog,
    ) -> Option<AppCall> {
        self.held.call(params, state?, log)
    }

    /// Whether calls wait for answers of the app.
    pub(crate) fn has_held_calls(&self) -> bool {
        !self.held.is_empty()
    }

    /// Answers a request. Dropping the future cancels the request at its server.
    pub(crate) async fn answer_request(
        &self,
        id: &RequestId,
        method: &str,
        (params, head): (Params, RequestHead),
        out: &Outbox,
        call: NamedCall,
    ) -> Answer {
        let answered = match RequestMeta::read(head, out) {
            Ok(meta) => self.run_request(id, method, params, meta, call).await,
            Err(refused) => Err(refused),
        };
        answered.map_err(convert_error)
    }

    async fn run_request(
        &self,
        id: &RequestId,
        method: &str,
        params: Params,
        meta: RequestMeta,
        call: NamedCall,
    ) -> Answer {
        if !knows_method(method) {
            return Err(Failed::new(code::METHOD_NOT_FOUND, format!("Method not found: {method}")));
        }
        match method {
            "server/discover" => self.answer_discover().await.map(add_cache_hints),
            "completion/complete" => self.once(method, params, meta, call).await.map(mark_complete),
            "tools/call" | "prompts/get" => self.round(method, params, meta, call).await.map(mark_complete),
            "resources/read" => {
                let result = self.round(method, params, meta, call).await?;
                // An interim result must not be cached, because it isn't the resource.
                let is_interim = text_member(&result, "resultType").as_deref() == Some("input_required");
                Ok(if is_interim { result } else { add_cache_hints(result) })
            }
            LISTEN => listen::listen(&self.view, id, &params, &meta.reports.out).await,
            // These are the lists.
            _ => self.once(method, params, meta, call).await.map(add_cache_hints),
        }
    }

    async fn answer_discover(&self) -> Answer {
        let catalogue = self.view.catalogue(&self.view.profile()).await?;
        let offers = requests::offers_without_profile(&self.view, &catalogue).await?;
        let meta = JsonObject::new().raw(SERVER_INFO_KEY, &server_info(REVISION));
        let mut result = JsonObject::new()
            .texts("supportedVersions", supported_versions())
            .raw("capabilities", &server_capabilities(REVISION, &offers))
            .object("_meta", &meta);
        if let Some(instructions) = catalogue.instructions.as_deref() {
            result = result.text("instructions", instructions);
        }
        Ok(result.whole())
    }
}

/// Marks a result as complete.
fn mark_complete(result: String) -> String {
    add_missing_members(result, &[("resultType", r#""complete""#)])
}

/// Marks a result as complete, private, and outdated at once (server/utilities/caching). The user may change
/// what the app sees at any time, and repeating the request costs nothing.
fn add_cache_hints(result: String) -> String {
    add_missing_members(
        result,
        &[("resultType", r#""complete""#), ("ttlMs", "0"), ("cacheScope", r#""private""#)],
    )
}

/// Adds the members that an object doesn't have, and leaves its own unchanged. If a name occurs twice, only
/// one is kept.
fn add_missing_members(object: String, added: &[(&str, &str)]) -> String {
    let own = Members::of(&object);
    let missing = added.iter().filter(|(name, _)| own.get(name).is_none());
    let missing: Vec<_> = missing.map(|(name, value)| (*name, Change::Set(value))).collect();
    let is_whole = missing.is_empty() && own.repeated().is_none();
    if is_whole || !object.starts_with('{') { object } else { own.with(&missing) }
}

/// Converts an error to this era, which has other codes for some errors.
pub(crate) fn convert_error(error: Failed) -> Failed {
    match error.code {
        code::RESOURCE_NOT_FOUND => Failed { code: code::INVALID_PARAMS, ..error },
        code::TOO_MANY => Failed { code: code::INTERNAL_ERROR, ..error },
        code::URL_REQUIRED => Failed {
            code: code::MISSING_CAPABILITY,
            data: Some(r#"{"requiredCapabilities":{"elicitation":{"url":{}}}}"#.to_owned()),
            ..error
        },
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_say_what_they_are_and_keep_what_they_said() {
        assert_eq!(mark_complete("{\"a\": 1.0}".to_owned()), r#"{"a":1.0,"resultType":"complete"}"#);
        let stated = r#"{ "resultType":"input_required", "ttlMs":5 }"#;
        assert_eq!(mark_complete(stated.to_owned()), stated);
        assert_eq!(
            add_cache_hints(r#"{"resultType":"complete","ttlMs":60000}"#.to_owned()),
            r#"{"resultType":"complete","ttlMs":60000,"cacheScope":"private"}"#
        );
    }
}
