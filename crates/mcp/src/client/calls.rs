//! Calls tools, as the newest tool list describes them, and with retries.

use std::sync::{Arc, PoisonError};

use mooring_jsonrpc::code::{HEADER_MISMATCH, INVALID_PARAMS, METHOD_NOT_FOUND};
use mooring_jsonrpc::{JsonObject, Members};
use mooring_words::Sentence;
use reqwest::header::{HeaderName, HeaderValue};
use serde_json::value::RawValue;

use crate::client::Client;
use crate::error::RequestError;
use crate::headers::ParamHeader;
use crate::model::call_result::CallResult;
use crate::request::{CallOptions, Request, ResendReason, ResultKind, Success};
use crate::revision::Revision;
use crate::tasks::is_created_task;

/// What the newest tool list says about calling a tool.
#[derive(Debug, Default)]
pub(crate) struct ToolFacts {
    /// The arguments that are mirrored into headers (XMH-13).
    pub(super) mirrored: Vec<ParamHeader>,
    /// Why the tool is not offered (XMH-06).
    pub(super) refused: Option<Sentence>,
    pub(super) task_support: TaskSupport,
}

/// Whether a tool runs as a task (`execution.taskSupport` of 2025-11-25, TSKX-02).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum TaskSupport {
    #[default]
    Forbidden,
    Optional,
    Required,
}

impl TaskSupport {
    /// Parses a tool's raw definition.
    pub(crate) fn read(tool: &str) -> Self {
        match Members::of(tool).inside("execution").text("taskSupport").as_deref() {
            Some("required") => Self::Required,
            Some("optional") => Self::Optional,
            _ => Self::Forbidden,
        }
    }
}

impl Client {
    /// Calls a tool (`tools/call`). `arguments` is a JSON object, and defaults to `{}`. Dropping the future
    /// cancels the call. If the server turns the call into a task, the result is still the tool's.
    pub async fn call_tool(
        &self,
        name: &str,
        arguments: Option<&RawValue>,
        options: CallOptions,
    ) -> Result<CallResult, RequestError> {
        // Servers that validate arguments require an object, even if the tool has none.
        let given = arguments.map_or("{}", RawValue::get);
        let mut params = JsonObject::new().text("name", name).json("arguments", given);
        let facts = self.find_tool_facts(name);
        let augmented = facts.as_ref().is_some_and(|facts| self.asks_for_task(facts));
        if augmented {
            // The longest time of the call, and some time to fetch the result.
            let ttl = options.total.unwrap_or(self.wire.deadlines.total).as_millis() + 300_000;
            let ttl = u64::try_from(ttl).unwrap_or(u64::MAX);
            params = params.object("task", &JsonObject::new().number("ttl", ttl));
        }
        let request = Request {
            subject: Some(name.into()),
            options: options.clone(),
            mirrored: build_param_headers(facts.as_deref(), given)?,
            augmented,
            ..Request::new("tools/call", Some(&params))
        };
        let once_more = request.clone();
        let again = self.mirrors_arguments().then(|| request.clone());
        let answer = match (self.wire.request_with_input(request).await, again) {
            (Err(RequestError::Rpc(error)), Some(request)) if error.code == HEADER_MISMATCH => {
                // The tool's schema may have changed. List the tools and retry with the new headers (XMH-14).
                // A caller that checks definitions lists the tools itself.
                if request.options.check_resend.is_some() {
                    request.options.check_may_resend(ResendReason::HeaderMismatch).await?;
                } else {
                    Box::pin(self.fresh().list_tools()).await?;
                }
                let mirrored = build_param_headers(self.find_tool_facts(name).as_deref(), given)?;
                Box::pin(self.wire.request_with_input(Request { mirrored, ..request })).await
            }
            (answer, _) => answer,
        };
        let answer = answer.inspect_err(|error| self.invalidate_list("tools/list", error))?;
        let is_task = answer.kind == ResultKind::Task || (augmented && is_created_task(&answer));
        let Success { raw, diagnostics, elapsed, .. } =
            if is_task { Box::pin(self.wire.follow_call(answer, name, &once_more)).await? } else { answer };
        Ok(CallResult::read(raw, diagnostics, elapsed))
    }

    /// Waits for the result of a task that this or an earlier connection started.
    pub async fn resume_task(
        &self,
        id: &str,
        tool: &str,
        options: CallOptions,
    ) -> Result<CallResult, RequestError> {
        let Success { raw, diagnostics, elapsed, .. } =
            Box::pin(self.wire.resume_task(id, tool, &options)).await?;
        Ok(CallResult::read(raw, diagnostics, elapsed))
    }

    fn find_tool_facts(&self, name: &str) -> Option<Arc<ToolFacts>> {
        self.tools.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// Whether tools' arguments are mirrored into headers, as their definitions require. Only in the
    /// stateless era over HTTP (2026-07-28, Streamable HTTP), and only after the first [`Self::list_tools`].
    pub fn mirrors_arguments(&self) -> bool {
        self.wire.is_modern() && self.wire.http.is_some()
    }

    /// Whether a call requests a task (TSKX-01, TSKX-02).
    fn asks_for_task(&self, facts: &ToolFacts) -> bool {
        let may = self.handshake.revision == Revision::R2025_11_25 && self.handshake.offers.task_calls;
        match facts.task_support {
            TaskSupport::Forbidden => false,
            TaskSupport::Optional => may && self.prefer_tasks,
            TaskSupport::Required => may,
        }
    }

    /// Invalidates a cached list after an error that says that one of its items does not exist (CACHE-11).
    pub(super) fn invalidate_list(&self, list: &'static str, error: &RequestError) {
        if let RequestError::Rpc(error) = error
            && matches!(error.code, METHOD_NOT_FOUND | INVALID_PARAMS)
        {
            self.wire.peer.cache.invalidate(list);
        }
    }
}

fn build_param_headers(
    facts: Option<&ToolFacts>,
    arguments: &str,
) -> Result<Vec<(HeaderName, HeaderValue)>, RequestError> {
    if let Some(reason) = facts.and_then(|facts| facts.refused.clone()) {
        return Err(RequestError::Unsendable { reason });
    }
    let mirrored = facts.map_or(&[][..], |facts| &facts.mirrored);
    let headers: Result<Vec<_>, Sentence> =
        mirrored.iter().filter_map(|one| one.to_header(arguments).transpose()).collect();
    headers.map_err(|reason| RequestError::Unsendable { reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: TSKX-02.
    #[test]
    fn a_tool_says_whether_it_runs_as_a_task() {
        assert_eq!(TaskSupport::read(r#"{"execution":{"taskSupport":"required"}}"#), TaskSupport::Required);
        assert_eq!(TaskSupport::read(r#"{"execution":{"taskSupport":"optional"}}"#), TaskSupport::Optional);
        for text in [r#"{"execution":{"taskSupport":"forbidden"}}"#, r#"{"execution":7}"#, "{}"] {
            assert_eq!(TaskSupport::read(text), TaskSupport::Forbidden, "{text}");
        }
    }
}
