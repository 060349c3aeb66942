//! The stateless era (revision 2026-07-28): every request says for itself which revision it is of and what the app can
//! do, and is answered without any session.

mod listen;
mod rounds;

use std::sync::Arc;

use mooring_host::{AppCall, CallerAdditions, ClientCapabilities};
use mooring_revisions::{REVISIONS, server_capabilities, server_info};
use serde_json::value::RawValue;

use crate::answer::{Answer, Failed};
use crate::asked::{client_capabilities, declared_extensions};
use crate::exchange::{LogLevel, ReportTarget};
use crate::message::{self, RequestId, code, quoted, with_members};
use crate::outbox::Outbox;
use crate::recorded::AppLog;
use crate::view::AppView;

use self::rounds::HeldCalls;

/// The revision of the era.
pub(crate) const REVISION: &str = "2026-07-28";
/// The request that is answered only when nothing is told any more.
pub(crate) const LISTEN: &str = "subscriptions/listen";
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";
const LOG_LEVEL_KEY: &str = "io.modelcontextprotocol/logLevel";
const SERVER_INFO_KEY: &str = "io.modelcontextprotocol/serverInfo";

/// Requests of one app that each stand alone.
pub(crate) struct Stateless {
    pub(crate) view: Arc<AppView>,
    /// The calls that wait for what the app was asked.
    held: Arc<HeldCalls>,
}

/// The name of the call that a request may be, and its number if it is one.
pub(crate) type NamedCall = (AppCall, Option<i64>);

/// What a request says of itself (basic#_meta).
struct RequestMeta {
    able: ClientCapabilities,
    additions: CallerAdditions,
    reports: ReportTarget,
}

/// Whether requests of this method are answered.
pub(crate) fn knows(method: &str) -> bool {
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

/// Whether a request says which revision it is of.
pub(crate) fn names_version(params: Option<&RawValue>) -> bool {
    version(params).is_some()
}

/// The revision that a request names; none where it names none.
pub(crate) fn version(params: Option<&RawValue>) -> Option<String> {
    let meta = message::meta(params)?;
    let members = message::members(meta.get())?;
    let (_, version) = members.into_iter().find(|(name, _)| name == VERSION_KEY)?;
    // What is no text is no revision that anybody knows.
    Some(serde_json::from_str(version.get()).unwrap_or_else(|_| version.get().to_owned()))
}

impl RequestMeta {
    fn read(params: Option<&RawValue>, out: &Outbox) -> Result<Self, Failed> {
        let invalid = |what: &str| Failed::new(code::INVALID_PARAMS, format!("Invalid params: {what}"));
        let meta = message::meta(params).ok_or_else(|| invalid("_meta is missing"))?;
        let members = message::members(meta.get()).ok_or_else(|| invalid("_meta has to be an object"))?;
        let member = |key: &str| members.iter().find(|(name, _)| name == key).map(|(_, value)| *value);
        let missing = |key: &str| invalid(&format!("_meta has no {key}"));
        let version = version(params).ok_or_else(|| missing(VERSION_KEY))?;
        check_version(&version)?;
        let able = member(CAPABILITIES_KEY).ok_or_else(|| missing(CAPABILITIES_KEY))?;
        if !able.get().starts_with('{') {
            return Err(invalid(&format!("{CAPABILITIES_KEY} has to be an object")));
        }
        let log_level = LogLevel::none();
        if let Some(level) = member(LOG_LEVEL_KEY) {
            let is_known = serde_json::from_str::<String>(level.get()).is_ok_and(|name| log_level.set(&name));
            if !is_known {
                return Err(invalid(&format!("{LOG_LEVEL_KEY} is no level")));
            }
        }
        let reports = ReportTarget {
            out: out.clone(),
            token: message::progress_token(params),
            log_level: Arc::new(log_level),
        };
        let (able, extensions) = (client_capabilities(able), declared_extensions(able));
        Ok(Self {
            able,
            additions: CallerAdditions { meta: Some(meta.clone()), extensions: Some(extensions) },
            reports,
        })
    }
}

/// That requests of this revision are answered here without a session.
pub(crate) fn check_version(version: &str) -> Result<(), Failed> {
    if version == REVISION {
        return Ok(());
    }
    let (supported, requested) = (supported_versions(), quoted(version));
    Err(Failed {
        data: Some(format!(r#"{{"supported":{supported},"requested":{requested}}}"#)),
        ..Failed::new(code::UNSUPPORTED_VERSION, "Unsupported protocol version")
    })
}

/// All revisions, the newest first, as JSON.
fn supported_versions() -> String {
    let all = std::iter::once(REVISION).chain(REVISIONS.into_iter().rev()).map(quoted);
    format!("[{}]", all.collect::<Vec<_>>().join(","))
}

impl Stateless {
    pub(crate) fn new(view: Arc<AppView>) -> Self {
        Self { view, held: Arc::default() }
    }

    /// The call that a request goes on with. What is secret in the answers that it brings is kept out of the log.
    pub(crate) fn held_call(&self, params: Option<&RawValue>, log: &AppLog) -> Option<AppCall> {
        self.held.call(params?, log)
    }

    /// Whether calls wait for what the app was asked.
    pub(crate) fn holds_calls(&self) -> bool {
        !self.held.is_empty()
    }

    /// Answers a request. Dropping the future cancels it at the server.
    pub(crate) async fn answer(
        &self,
        id: &RequestId,
        method: &str,
        params: Option<&RawValue>,
        out: &Outbox,
        call: NamedCall,
    ) -> Answer {
        let answered = match RequestMeta::read(params, out) {
            Ok(meta) => self.run(id, method, params, meta, call).await,
            Err(refused) => Err(refused),
        };
        answered.map_err(error)
    }

    async fn run(
        &self,
        id: &RequestId,
        method: &str,
        params: Option<&RawValue>,
        meta: RequestMeta,
        call: NamedCall,
    ) -> Answer {
        if !knows(method) {
            return Err(Failed::new(code::METHOD_NOT_FOUND, format!("Method not found: {method}")));
        }
        match method {
            "server/discover" => self.discover().await.map(cacheable),
            "completion/complete" => self.once(method, params, meta, call).await.map(complete),
            "tools/call" | "prompts/get" => self.round(method, params, meta, call).await.map(complete),
            "resources/read" => {
                let result = self.round(method, params, meta, call).await?;
                // What is asked on the way is not the resource.
                let is_interim =
                    message::text_member(&result, "resultType").as_deref() == Some("input_required");
                Ok(if is_interim { result } else { cacheable(result) })
            }
            LISTEN => listen::listen(&self.view, id, params, &meta.reports.out).await,
            // The lists.
            _ => self.once(method, params, meta, call).await.map(cacheable),
        }
    }

    async fn discover(&self) -> Answer {
        let catalogue = self.view.catalogue().await?;
        let instructions = catalogue.instructions.as_deref().map(quoted);
        let instructions = instructions.map(|text| format!(r#","instructions":{text}"#)).unwrap_or_default();
        let (capabilities, server) =
            (server_capabilities(REVISION, &catalogue.offers), server_info(REVISION));
        let supported = supported_versions();
        Ok(format!(
            r#"{{"supportedVersions":{supported},"capabilities":{capabilities},"_meta":{{"{SERVER_INFO_KEY}":{server}}}{instructions}}}"#
        ))
    }
}

/// A result that says that it is complete.
fn complete(result: String) -> String {
    with_missing(result, &[("resultType", r#""complete""#)])
}

/// The same, and for how long it holds (server/utilities/caching): what the person allows may change at any moment, and
/// asking again costs nothing. It is of this app only.
fn cacheable(result: String) -> String {
    with_missing(result, &[("resultType", r#""complete""#), ("ttlMs", "0"), ("cacheScope", r#""private""#)])
}

/// An object with those of these members that it has not; none of its own is changed.
fn with_missing(object: String, members: &[(&str, &str)]) -> String {
    let Some(own) = message::members(&object) else { return object };
    let is_missing = |name: &str| !own.iter().any(|(own, _)| own == name);
    let missing: Vec<_> = members.iter().copied().filter(|(name, _)| is_missing(name)).collect();
    if missing.is_empty() { object } else { with_members(&object, &missing) }
}

/// An error as this era has it: codes of earlier revisions have others, or none.
pub(crate) fn error(error: Failed) -> Failed {
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
        assert_eq!(complete("{\"a\": 1.0}".to_owned()), r#"{"a":1.0,"resultType":"complete"}"#);
        let stated = r#"{ "resultType":"input_required", "ttlMs":5 }"#;
        assert_eq!(complete(stated.to_owned()), stated);
        assert_eq!(
            cacheable(r#"{"resultType":"complete","ttlMs":60000}"#.to_owned()),
            r#"{"resultType":"complete","ttlMs":60000,"cacheScope":"private"}"#
        );
    }
}
