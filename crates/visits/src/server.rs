//! A server that a command uses: over a separate connection, or through the running Mooring.

use mooring_calls::{CompletionRequest, Follower, OnCallEvent};
use mooring_connections::Connection;
use mooring_faults::Fault;

use crate::answer::{ItemKind, Listing, Outcome, ServerFacts};
use crate::notice::Notice;
use crate::request::{Holder, ServerRequest};
use crate::running::RunningServer;

/// A server that a command uses.
#[derive(Debug, Clone, Copy)]
pub enum Server<'a> {
    /// Over a separate connection.
    Own {
        /// The connection.
        connection: &'a Connection,
        /// The transport.
        transport: &'static str,
    },
    /// Through the running Mooring.
    Running(&'a RunningServer),
}

impl Server<'_> {
    /// The facts about the server.
    pub fn facts(&self) -> ServerFacts {
        match self {
            Self::Own { connection, transport } => ServerFacts::new(connection.view(), transport),
            Self::Running(server) => server.facts().clone(),
        }
    }

    /// The server's items: the remembered list, or with `refresh` a new one.
    pub async fn list(&self, kind: ItemKind, refresh: bool) -> Result<Listing, Fault> {
        match self {
            Self::Own { connection, .. } => Ok(Holder::Connection(connection).list(kind, refresh).await?),
            Self::Running(server) => server.list(kind, refresh).await,
        }
    }

    /// Has it do something. Dropping the future cancels it.
    pub async fn request(&self, request: ServerRequest, on_event: OnCallEvent) -> Result<Outcome, Fault> {
        match self {
            Self::Own { connection, .. } => {
                Ok(Holder::Connection(connection).request(request, None, on_event).await?)
            }
            Self::Running(server) => server.request(request, on_event).await,
        }
    }

    /// The values that the server proposes for an argument; `None` if it has no completion.
    pub async fn values(&self, wanted: CompletionRequest) -> Result<Vec<String>, Fault> {
        match self {
            Self::Own { connection, .. } => Ok(Holder::Connection(connection).values(&wanted).await?),
            Self::Running(server) => server.values(wanted).await,
        }
    }

    /// Calls `tell` for each change of a resource or of its parts, until `until` is done. Through a running
    /// Mooring, this connection can't be used for anything else after that.
    pub async fn follow(
        &self,
        uri: &str,
        until: impl Future<Output = ()>,
        tell: impl FnMut(Notice),
    ) -> Result<(), Fault> {
        match self {
            Self::Own { connection, .. } => {
                Ok(Holder::Connection(connection).follow(uri, Follower::Person, until, tell).await?)
            }
            Self::Running(server) => tokio::select! {
                ended = server.follow(uri, tell) => ended,
                () = until => Ok(()),
            },
        }
    }
}
