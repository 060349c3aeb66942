//! Requests to a server, over a connection of this process or of the host.

use std::sync::Arc;
use std::time::Duration;

use mooring_base::server_id::ServerId;
use mooring_calls::{CompletionRequest, Follower, OnCallEvent, PromptCall, ResourceRead, ToolCall};
use mooring_connections::Connection;
use mooring_errors::HostError;
use mooring_host::Host;
use mooring_mcp::is_resource_within;
use mooring_policy::Caller;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::sync::broadcast::error::RecvError;

use crate::answer::{ItemKind, Listing, Outcome};
use crate::notice::Notice;

/// How long a server may take to suggest values.
const VALUES_WITHIN: Duration = Duration::from_secs(2);

/// A request to a server, with its timeout.
#[derive(Debug, Serialize, Deserialize)]
pub struct ServerRequest {
    /// What the server is asked for.
    pub what: Wanted,
    /// The timeout, if it differs from the settings.
    pub timeout: Option<Duration>,
}

/// A request to a server. Arguments are a JSON object.
#[derive(Debug, Serialize, Deserialize)]
pub enum Wanted {
    /// This tool is to be called.
    Tool(String, Option<Box<RawValue>>),
    /// This resource is to be read.
    Resource {
        /// The resource's URI.
        uri: String,
        /// The template that expanded to it.
        template: Option<String>,
    },
    /// This prompt is to be filled in.
    Prompt(String, Option<Box<RawValue>>),
}

/// Waits until a server is disabled or removed. One that is lost comes back, and what is followed with it.
async fn until_disabled(host: &Host, id: ServerId) -> Result<(), HostError> {
    let mut events = host.events();
    loop {
        let server = host.server(id)?;
        if !server.enabled {
            return Err(HostError::NotConnected { name: server.config.name, why: None });
        }
        if let Err(RecvError::Closed) = events.recv().await {
            return Ok(());
        }
    }
}

/// The owner of the connection to a server.
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

    /// The values that the server proposes; `None` if it has no completion.
    pub(crate) async fn values(self, wanted: &CompletionRequest) -> Result<Vec<String>, HostError> {
        let proposed = async {
            match self {
                Self::Connection(at) => at.complete_argument(wanted).await,
                Self::Host(host, id) => host.complete_argument(id, wanted).await,
            }
        };
        // Suggestions are optional, so the person need not wait for them.
        match tokio::time::timeout(VALUES_WITHIN, proposed).await {
            Ok(proposed) => Ok(proposed?.values),
            Err(_late) => Ok(Vec::new()),
        }
    }

    /// Calls `tell` for each change of a resource or of its parts, until `until` is done. A caller that drops
    /// this future must unsubscribe with [`leave`](Self::leave).
    pub(crate) async fn follow(
        self,
        uri: &str,
        follower: Follower,
        until: impl Future<Output = ()>,
        mut tell: impl FnMut(Notice),
    ) -> Result<(), HostError> {
        let mut changes = match self {
            Self::Connection(at) => at.follow(uri, follower).await,
            Self::Host(host, id) => host.follow(id, uri, follower).await,
        }?;
        tell(Notice::Following);
        let lost = async {
            match self {
                Self::Connection(at) => at.lost().await,
                Self::Host(host, id) => until_disabled(host, id).await,
            }
        };
        tokio::pin!(until, lost);
        loop {
            tokio::select! {
                change = changes.recv() => match change {
                    Ok(changed) if is_resource_within(&changed, uri) => {
                        tell(Notice::ResourceChanged { uri: changed.to_string() });
                    }
                    Ok(_) => {}
                    // What changed is lost; it may have been this one.
                    Err(RecvError::Lagged(_)) => tell(Notice::ResourceChanged { uri: uri.to_owned() }),
                    Err(RecvError::Closed) => return Ok(()),
                },
                () = &mut until => return self.leave(uri, follower).await,
                lost = &mut lost => return lost,
            }
        }
    }

    /// Unsubscribes from a resource.
    pub(crate) async fn leave(self, uri: &str, follower: Follower) -> Result<(), HostError> {
        match self {
            Self::Connection(at) => at.unsubscribe(uri, follower).await,
            Self::Host(host, id) => host.unsubscribe(id, uri, follower).await,
        }
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
            Wanted::Resource { uri, template } => {
                let read = ResourceRead { request, uri, template, caller, idle, total };
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
