//! Requests at a server, whoever holds the connection to it.

use std::sync::Arc;
use std::time::Duration;

use mooring_host::{
    Caller, Connection, Host, HostError, OnCallEvent, PromptCall, ResourceRead, ServerId, ToolCall,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::answer::{ItemKind, Listing, Outcome};

/// A request at a server.
#[derive(Debug, Serialize, Deserialize)]
pub struct ServerRequest {
    /// What is wanted.
    pub what: Wanted,
    /// How long it may take, where that differs from the settings.
    pub timeout: Option<Duration>,
}

/// What is wanted of a server. Arguments are a JSON object.
#[derive(Debug, Serialize, Deserialize)]
pub enum Wanted {
    /// This tool is to be called.
    Tool(String, Option<Box<RawValue>>),
    /// This resource is to be read.
    Resource(String),
    /// This prompt is to be filled in.
    Prompt(String, Option<Box<RawValue>>),
}

/// Who holds the connection to a server.
#[derive(Clone, Copy)]
pub(crate) enum Holder<'a> {
    Connection(&'a Connection),
    Host(&'a Host, ServerId),
}

impl Holder<'_> {
    pub(crate) async fn list(self, kind: ItemKind, refresh: bool) -> Result<Listing, HostError> {
        Ok(match (kind, self) {
            (ItemKind::Tools, Self::Connection(at)) => Listing::of_tools(&*at.tools(refresh).await?),
            (ItemKind::Tools, Self::Host(host, id)) => Listing::of_tools(&*host.tools(id, refresh).await?),
            (ItemKind::Prompts, Self::Connection(at)) => Listing::of_prompts(&*at.prompts(refresh).await?),
            (ItemKind::Prompts, Self::Host(host, id)) => {
                Listing::of_prompts(&*host.prompts(id, refresh).await?)
            }
            (kind, Self::Connection(at)) => Listing::of_resources(&*at.resources(refresh).await?, kind),
            (kind, Self::Host(host, id)) => Listing::of_resources(&*host.resources(id, refresh).await?, kind),
        })
    }

    /// `name`: by which its questions are known.
    pub(crate) async fn request(
        self,
        request: ServerRequest,
        name: Option<Arc<str>>,
        on_event: OnCallEvent,
    ) -> Result<Outcome, HostError> {
        let ServerRequest { what, timeout } = request;
        let (caller, request) = (Caller::CommandLine, name);
        let (idle, total) = (timeout, timeout);
        let outcome = match what {
            Wanted::Tool(tool, arguments) => {
                let call = ToolCall { tool, arguments, caller, request, idle, total };
                match self {
                    Self::Connection(at) => at.call_tool(call, on_event).await,
                    Self::Host(host, id) => host.call_tool(id, call, on_event).await,
                }
            }
            Wanted::Resource(uri) => {
                let read = ResourceRead { request, uri, template: None, caller, idle, total };
                match self {
                    Self::Connection(at) => at.read_resource(read, on_event).await,
                    Self::Host(host, id) => host.read_resource(id, read, on_event).await,
                }
            }
            Wanted::Prompt(prompt, arguments) => {
                let call = PromptCall { prompt, arguments, caller, request, idle, total };
                match self {
                    Self::Connection(at) => at.get_prompt(call, on_event).await,
                    Self::Host(host, id) => host.get_prompt(id, call, on_event).await,
                }
            }
        };
        Ok(outcome?.into())
    }
}
