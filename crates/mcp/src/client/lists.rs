//! Lists over all their pages, and cached results.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use mooring_jsonrpc::code::{INVALID_PARAMS, METHOD_NOT_FOUND};
use mooring_jsonrpc::{JsonObject, Members, elements, raw};
use mooring_words::say;
use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::client::Client;
use crate::client::calls::{TaskSupport, ToolFacts};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::error::RequestError;
use crate::headers;
use crate::limits::LimitTracker;
use crate::model::listing::{Listing, PageCollector};
use crate::model::prompt::Prompt;
use crate::model::resource::{Resource, ResourceTemplate};
use crate::model::tool::Tool;
use crate::peer::cache::Cache;
use crate::raw_json::RawJson;
use crate::request::{Request, ResultKind, Success};
use crate::revision::Revision;

impl Client {
    /// Lists all tools over all pages (`tools/list`).
    pub async fn list_tools(&self) -> Result<Listing<Tool>, RequestError> {
        let mut listing = self.list_items("tools/list", "tools", Tool::read).await?;
        Tool::note_duplicate_names(&mut listing.items);
        if self.handshake.revision <= Revision::SESSION {
            listing.items.iter_mut().for_each(Tool::check_output);
        }
        self.remember_tool_facts(&mut listing);
        Ok(listing)
    }

    /// Remembers tools' headers and task support, and drops tools with invalid header annotations (XMH-06).
    fn remember_tool_facts(&self, listing: &mut Listing<Tool>) {
        let has_headers = self.mirrors_arguments();
        let mut by_name = HashMap::with_capacity(listing.items.len());
        let Listing { items, raw, diagnostics } = listing;
        let mut refused_items: Vec<String> = Vec::new();
        items.retain(|tool| {
            let schema = tool.input_schema.as_deref().filter(|_| has_headers);
            let mirrored = schema.map_or(Ok(Vec::new()), headers::param_headers);
            let refused =
                mirrored.as_ref().err().map(|reason| say!("the tool isn’t offered: {reason}", reason));
            if let Some(message) = &refused {
                let path = format!("tools.{}.inputSchema", tool.name);
                diagnostics.push(Diagnostic::new(DiagnosticCode::Header, path, message.clone()));
                refused_items.push(tool.raw.get().to_owned());
            }
            let is_offered = refused.is_none();
            let task_support = TaskSupport::read(tool.raw.get());
            let facts = ToolFacts { mirrored: mirrored.unwrap_or_default(), refused, task_support };
            by_name.insert(tool.name.clone(), Arc::new(facts));
            is_offered
        });
        if !refused_items.is_empty()
            && let Some(rest) = remove_items(raw.get(), "tools", &refused_items)
        {
            *raw = rest;
        }
        *self.tools.lock().unwrap_or_else(PoisonError::into_inner) = by_name;
    }

    /// Lists all resources over all pages (`resources/list`). Sends nothing to a server without resources.
    pub async fn list_resources(&self) -> Result<Listing<Resource>, RequestError> {
        if self.is_known_to_lack(|offers| offers.resources) {
            return Ok(empty_listing("resources"));
        }
        self.list_if_offered("resources/list", "resources", Resource::read).await
    }

    /// Lists all resource templates over all pages (`resources/templates/list`). Sends nothing to a server
    /// without resources.
    pub async fn list_templates(&self) -> Result<Listing<ResourceTemplate>, RequestError> {
        if self.is_known_to_lack(|offers| offers.resources) {
            return Ok(empty_listing("resourceTemplates"));
        }
        self.list_if_offered("resources/templates/list", "resourceTemplates", ResourceTemplate::read).await
    }

    /// Lists all prompts over all pages (`prompts/list`). Sends nothing to a server without prompts.
    pub async fn list_prompts(&self) -> Result<Listing<Prompt>, RequestError> {
        if self.is_known_to_lack(|offers| offers.prompts) {
            return Ok(empty_listing("prompts"));
        }
        self.list_if_offered("prompts/list", "prompts", Prompt::read).await
    }

    /// Whether the server declared its capabilities, and not the one that `offered` reads (BASE-28).
    fn is_known_to_lack(
        &self,
        offered: impl Fn(&crate::model::handshake::ServerCapabilities) -> bool,
    ) -> bool {
        self.handshake.offers.known && !offered(&self.handshake.offers)
    }

    /// Lists items of a kind that the server may not support.
    async fn list_if_offered<T>(
        &self,
        method: &'static str,
        member: &'static str,
        read: impl Fn(&str, &str, &LimitTracker) -> Result<T, Diagnostic>,
    ) -> Result<Listing<T>, RequestError> {
        match self.list_items(method, member, read).await {
            Err(RequestError::Rpc(error)) if error.code == METHOD_NOT_FOUND => {
                let mut listing = empty_listing(member);
                if self.handshake.offers.known {
                    let message = say!("is missing, though the server declares this capability");
                    listing.diagnostics.push(Diagnostic::new(DiagnosticCode::Missing, method, message));
                }
                Ok(listing)
            }
            listing => listing,
        }
    }

    /// Lists items over all pages. If a cursor has become invalid, starts again once (PAGE-06, CACHE-13).
    pub(crate) async fn list_items<T>(
        &self,
        method: &'static str,
        member: &'static str,
        read: impl Fn(&str, &str, &LimitTracker) -> Result<T, Diagnostic>,
    ) -> Result<Listing<T>, RequestError> {
        match Box::pin(self.collect_pages(method, member)).await {
            Err((RequestError::Rpc(error), page)) if error.code == INVALID_PARAMS && page > 0 => {
                self.wire.peer.cache.invalidate(method);
                let mut gathering =
                    Box::pin(self.collect_pages(method, member)).await.map_err(|(error, _)| error)?;
                gathering.note_restart();
                Ok(gathering.finish(read))
            }
            gathering => Ok(gathering.map_err(|(error, _)| error)?.finish(read)),
        }
    }

    /// Collects all pages of a list. The error has the number of pages that arrived before.
    async fn collect_pages(
        &self,
        method: &'static str,
        member: &'static str,
    ) -> Result<PageCollector<'_>, (RequestError, usize)> {
        let empty_cursors = self.handshake.revision.has_empty_cursors();
        let mut gathering = PageCollector::new(member, &self.wire.link.limits, empty_cursors);
        let mut cursor: Option<String> = None;
        let mut pages = 0;
        loop {
            let params = cursor.map(|cursor| JsonObject::new().json("cursor", &cursor));
            let page = self.request_cached(Request::new(method, params.as_ref())).await;
            let page = page.map_err(|error| (error, pages))?;
            pages += 1;
            gathering.add_diagnostics(page.diagnostics);
            let Some(next) = gathering.add_page(page.raw) else { return Ok(gathering) };
            cursor = Some(next);
        }
    }

    /// Sends a request unless its result is cached and fresh. Caches the result.
    pub(super) async fn request_cached(&self, request: Request<'_>) -> Result<Success, RequestError> {
        if !self.wire.is_modern() || !Cache::is_cacheable(request.method) {
            return self.wire.request_with_input(request).await;
        }
        let cache = &self.wire.peer.cache;
        let params = request.params.cloned().map(JsonObject::whole).unwrap_or_default();
        if !self.fresh
            && let Some(raw) = cache.get(request.method, &params, Instant::now())
        {
            let (diagnostics, elapsed) = (Vec::new(), Duration::ZERO);
            return Ok(Success { id: 0, raw, diagnostics, elapsed, kind: ResultKind::Plain });
        }
        let ticket = cache.version_for(request.method, &params);
        let answer = self.wire.request_with_input(request).await?;
        // A result after questions depends on the answers, so it is not cached (CACHE-08).
        if answer.kind == ResultKind::Plain {
            cache.put(ticket, &answer.raw, &self.wire.link.limits, Instant::now());
        }
        Ok(answer)
    }
}

/// A result without some of its list's items. Everything else is copied.
pub(crate) fn remove_items(result: &str, list: &str, items: &[String]) -> Option<RawJson> {
    let is_kept = |item: &&RawValue| items.iter().all(|refused| refused != item.get());
    let members = Members::of(result);
    let rest = members.iter().fold(JsonObject::new(), |rest, member| {
        match elements(member.value).filter(|_| member.name() == list) {
            Some(all) => rest.list(list, all.into_iter().filter(is_kept).map(RawValue::get)),
            None => rest.member(member),
        }
    });
    raw(&rest.whole()).map(Into::into)
}

fn empty_listing<T>(member: &str) -> Listing<T> {
    let raw = raw(&JsonObject::new().list(member, [""; 0]).whole()).unwrap_or_default();
    Listing { items: Vec::new(), raw: raw.into(), diagnostics: Vec::new() }
}
