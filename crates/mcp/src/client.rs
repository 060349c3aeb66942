//! The client: one connection to one server, with a verb for each thing that can be asked of it.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mooring_process::Spawn;
use serde_json::value::RawValue;
use tokio::sync::watch;
use url::Url;

use crate::call::{CallOptions, Request, Success};
use crate::era::{EraChoice, Negotiation, PROBE};
use crate::error::{CloseReason, ConnectError, RequestError};
use crate::headers::{self, Mirrored};
use crate::inbound::Inbound;
use crate::limits::{Deadlines, Limits};
use crate::model::call_result::CallResult;
use crate::model::diagnostic::{Code, Diagnostic};
use crate::model::handshake::Handshake;
use crate::model::listing::{Gathering, Listing};
use crate::model::prompt::Prompt;
use crate::model::resource::{Resource, ResourceTemplate};
use crate::model::tool::Tool;
use crate::transport::tap::Tap;
use crate::wire::Wire;

/// Where a server is.
#[derive(Clone)]
pub enum Target {
    /// A program that we start and own.
    Stdio(Spawn),
    /// An MCP endpoint.
    Http {
        /// Its address.
        url: Url,
        /// What every request carries besides the protocol's own headers. May hold secrets.
        headers: Vec<(String, String)>,
    },
}

impl fmt::Debug for Target {
    /// Headers and the parts of an address after its path may be secrets: of headers only the names are shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdio(spawn) => f.debug_tuple("Stdio").field(spawn).finish(),
            Self::Http { url, headers } => {
                let names: Vec<_> = headers.iter().map(|(name, _)| name).collect();
                let place = format!("{}{}", url.origin().ascii_serialization(), url.path());
                f.debug_struct("Http").field("url", &place).field("headers", &names).finish()
            }
        }
    }
}

/// How a connection is made.
#[derive(Clone)]
pub struct ClientOptions {
    /// Our name and version for the server.
    pub name: &'static str,
    /// Our version for the server.
    pub version: &'static str,
    /// The HTTP client to use, from [`crate::http_client`].
    pub http: reqwest::Client,
    /// What the connection may cost.
    pub limits: Limits,
    /// How long we wait.
    pub deadlines: Deadlines,
    /// Which era to try.
    pub era: EraChoice,
    /// How long a stdio server may be silent to the first question before it is taken for one of the session era.
    pub probe: Duration,
}

/// What values are wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompletionOf<'a> {
    /// An argument of the prompt with this name.
    Prompt(&'a str),
    /// A variable of the resource template with this URI template.
    Template(&'a str),
}

/// An answer that is kept as it came.
#[derive(Debug, Clone)]
pub struct Answered {
    /// The result.
    pub raw: Box<RawValue>,
    /// What was odd about it.
    pub diagnostics: Vec<Diagnostic>,
    /// From the request's start to its answer.
    pub elapsed: Duration,
}

impl From<Success> for Answered {
    fn from(Success { raw, diagnostics, elapsed }: Success) -> Self {
        Self { raw, diagnostics, elapsed }
    }
}

/// A connection to one server. Clones share it; when the last is dropped, the connection and the server's process
/// tree end at once. [`Client::shutdown`] ends them gently.
#[derive(Clone)]
pub struct Client {
    wire: Arc<Wire>,
    handshake: Arc<Handshake>,
    /// What the newest list of tools mirrors into headers, by tool (XMH-13).
    mirrored: Arc<Mutex<HashMap<String, Arc<[Mirrored]>>>>,
}

impl ClientOptions {
    /// Options with every limit and deadline as it is by default, for a client of this name and version.
    pub fn new(name: &'static str, version: &'static str, http: reqwest::Client) -> Self {
        Self {
            name,
            version,
            http,
            limits: Limits::default(),
            deadlines: Deadlines::default(),
            era: EraChoice::Auto,
            probe: PROBE,
        }
    }
}

impl Client {
    /// Connects: starts the server or reaches its address, and agrees on a revision with `initialize`.
    pub async fn connect(
        target: Target,
        options: ClientOptions,
        inbound: Arc<dyn Inbound>,
        tap: Arc<dyn Tap>,
    ) -> Result<Self, ConnectError> {
        let negotiation = Negotiation::new(target, options, inbound, tap);
        let (wire, handshake) = Box::pin(negotiation.run()).await?;
        Ok(Self { wire: Arc::new(wire), handshake: Arc::new(handshake), mirrored: Arc::default() })
    }

    /// What was agreed with the server.
    pub fn handshake(&self) -> &Handshake {
        &self.handshake
    }

    /// The id of the server's process, where we started one.
    pub fn pid(&self) -> Option<u32> {
        self.wire.pid
    }

    /// The last lines of the server's stderr, oldest first.
    pub fn stderr_tail(&self, lines: usize) -> Vec<String> {
        self.wire.tail.last(lines)
    }

    /// Tells when the connection is over, and why.
    pub fn closed(&self) -> watch::Receiver<Option<CloseReason>> {
        self.wire.link.closed()
    }

    /// All tools, over all pages (`tools/list`).
    pub async fn list_tools(&self) -> Result<Listing<Tool>, RequestError> {
        let mut listing = self.list("tools/list", "tools", Tool::read).await?;
        Tool::note_namesakes(&mut listing.items);
        if self.wire.is_modern() && self.wire.http.is_some() {
            self.keep_mirrored(&mut listing);
        }
        Ok(listing)
    }

    /// Keeps what the tools mirror into headers. A tool that does so wrongly is not offered (XMH-06).
    fn keep_mirrored(&self, listing: &mut Listing<Tool>) {
        let mut kept = HashMap::new();
        let Listing { items, diagnostics, .. } = listing;
        items.retain(|tool| match tool.input_schema.as_deref().map_or(Ok(Vec::new()), headers::mirrored) {
            Ok(mirrored) => {
                kept.insert(tool.name.clone(), mirrored.into());
                true
            }
            Err(reason) => {
                let path = format!("tools.{}.inputSchema", tool.name);
                diagnostics.push(Diagnostic::new(
                    Code::Header,
                    path,
                    format!("the tool is not offered: {reason}"),
                ));
                false
            }
        });
        *self.mirrored.lock().unwrap_or_else(PoisonError::into_inner) = kept;
    }

    /// Calls a tool (`tools/call`). `arguments` is a JSON object; dropping the future cancels the call.
    pub async fn call_tool(
        &self,
        name: &str,
        arguments: Option<&RawValue>,
        options: CallOptions,
    ) -> Result<CallResult, RequestError> {
        let quoted = quote(name);
        let members = match arguments {
            Some(arguments) => format!(r#""name":{quoted},"arguments":{}"#, one_line(arguments.get())),
            None => format!(r#""name":{quoted}"#),
        };
        let mirrored = self.mirrored.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
        let given = arguments.map_or("{}", RawValue::get);
        let headers: Result<Vec<_>, String> = mirrored
            .iter()
            .flat_map(|all| all.iter())
            .filter_map(|one| one.header(given).transpose())
            .collect();
        let request = Request {
            subject: Some(name.into()),
            options,
            mirrored: headers.map_err(|reason| RequestError::Unsendable { reason })?,
            ..Request::new("tools/call", Some(&members))
        };
        let answer = self.wire.complete(request).await?;
        Ok(CallResult::read(answer.raw, answer.diagnostics, answer.elapsed))
    }

    /// All resources, over all pages (`resources/list`).
    pub async fn list_resources(&self) -> Result<Listing<Resource>, RequestError> {
        self.list("resources/list", "resources", Resource::read).await
    }

    /// All resource templates, over all pages (`resources/templates/list`).
    pub async fn list_templates(&self) -> Result<Listing<ResourceTemplate>, RequestError> {
        self.list("resources/templates/list", "resourceTemplates", ResourceTemplate::read).await
    }

    /// All prompts, over all pages (`prompts/list`).
    pub async fn list_prompts(&self) -> Result<Listing<Prompt>, RequestError> {
        self.list("prompts/list", "prompts", Prompt::read).await
    }

    /// Reads a resource (`resources/read`).
    pub async fn read_resource(&self, uri: &str, options: CallOptions) -> Result<Answered, RequestError> {
        self.answered("resources/read", uri, &format!(r#""uri":{}"#, quote(uri)), options).await
    }

    /// Expands a prompt (`prompts/get`). `arguments` is a JSON object of strings.
    pub async fn get_prompt(
        &self,
        name: &str,
        arguments: Option<&RawValue>,
        options: CallOptions,
    ) -> Result<Answered, RequestError> {
        let mut members = format!(r#""name":{}"#, quote(name));
        if let Some(arguments) = arguments {
            members.extend([r#","arguments":"#, &one_line(arguments.get())]);
        }
        self.answered("prompts/get", name, &members, options).await
    }

    /// Asks for values of one argument that begin as `value` does (`completion/complete`). `chosen` are the arguments
    /// that have a value already, as a JSON object; servers before 2025-06-18 are not told (COMP-03).
    pub async fn complete(
        &self,
        about: &CompletionOf<'_>,
        argument: &str,
        value: &str,
        chosen: Option<&RawValue>,
    ) -> Result<Answered, RequestError> {
        let reference = match about {
            CompletionOf::Prompt(name) => format!(r#"{{"type":"ref/prompt","name":{}}}"#, quote(name)),
            CompletionOf::Template(uri) => format!(r#"{{"type":"ref/resource","uri":{}}}"#, quote(uri)),
        };
        let mut members = format!(
            r#""ref":{reference},"argument":{{"name":{},"value":{}}}"#,
            quote(argument),
            quote(value)
        );
        if let Some(chosen) = chosen.filter(|_| self.handshake.revision.has_completion_context()) {
            members.extend([r#","context":{"arguments":"#, &one_line(chosen.get()), "}"]);
        }
        let answer = self.wire.complete(Request::new("completion/complete", Some(&members))).await?;
        Ok(answer.into())
    }

    /// Asks to be told when a resource changes (`resources/subscribe`, session era).
    pub async fn subscribe(&self, uri: &str) -> Result<(), RequestError> {
        self.answered(
            "resources/subscribe",
            uri,
            &format!(r#""uri":{}"#, quote(uri)),
            CallOptions::default(),
        )
        .await?;
        Ok(())
    }

    /// Takes that back (`resources/unsubscribe`, session era).
    pub async fn unsubscribe(&self, uri: &str) -> Result<(), RequestError> {
        self.answered(
            "resources/unsubscribe",
            uri,
            &format!(r#""uri":{}"#, quote(uri)),
            CallOptions::default(),
        )
        .await?;
        Ok(())
    }

    /// A list, over all its pages.
    async fn list<T>(
        &self,
        method: &'static str,
        member: &'static str,
        read: impl Fn(&str, &str, &Limits) -> Result<T, Diagnostic>,
    ) -> Result<Listing<T>, RequestError> {
        let empty_cursors = self.handshake.revision.has_empty_cursors();
        let mut gathering = Gathering::new(member, &self.wire.link.limits, empty_cursors);
        let mut cursor: Option<String> = None;
        loop {
            let members = cursor.map(|cursor| format!(r#""cursor":{cursor}"#));
            let page = self.wire.complete(Request::new(method, members.as_deref())).await?;
            let Some(next) = gathering.page(page.raw) else { return Ok(gathering.finish(read)) };
            cursor = Some(next);
        }
    }

    async fn answered(
        &self,
        method: &'static str,
        subject: &str,
        members: &str,
        options: CallOptions,
    ) -> Result<Answered, RequestError> {
        let request =
            Request { subject: Some(subject.into()), options, ..Request::new(method, Some(members)) };
        Ok(self.wire.complete(request).await?.into())
    }

    /// Asks whether the server lives (`ping`); returns how long it took.
    pub async fn ping(&self) -> Result<Duration, RequestError> {
        Ok(self.wire.complete(Request::new("ping", None)).await?.elapsed)
    }

    /// Asks for log messages of `level` and above (`logging/setLevel`): debug, info, notice, warning, error,
    /// critical, alert or emergency.
    pub async fn set_log_level(&self, level: &str) -> Result<(), RequestError> {
        self.wire.set_log_level(level).await
    }

    /// Ends the connection gently: a process gets its stdin closed and time to end, a session is deleted.
    pub async fn shutdown(&self) {
        self.wire.shutdown().await;
    }
}

fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// JSON without line ends, which the stdio transport cannot carry. Inside strings JSON has none.
fn one_line(json: &str) -> std::borrow::Cow<'_, str> {
    if json.contains(['\n', '\r']) { json.replace(['\n', '\r'], " ").into() } else { json.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_header_or_query_shows_in_debug_output() {
        let url = "https://user:CANARY@host/mcp?key=CANARY".parse().unwrap();
        let headers = vec![("Authorization".to_owned(), "Bearer CANARY".to_owned())];
        let shown = format!("{:?}", Target::Http { url, headers });
        assert!(
            !shown.contains("CANARY") && shown.contains("Authorization") && shown.contains("/mcp"),
            "{shown}"
        );
    }
}
