//! A server that a command uses: over a connection of its own, or through the running Mooring.

use mooring_faults::Fault;
use mooring_host::{Connection, OnCallEvent};

use crate::answer::{ItemKind, Listing, Outcome, ServerFacts};
use crate::request::{Holder, ServerRequest};
use crate::running::RunningServer;

/// A server that a command uses.
#[derive(Debug)]
pub enum Server<'a> {
    /// Over a connection of its own.
    Own {
        /// The connection.
        connection: &'a Connection,
        /// Its transport.
        transport: &'static str,
    },
    /// Through the running Mooring.
    Running(Box<RunningServer>),
}

impl Server<'_> {
    /// What is known of it.
    pub fn facts(&self) -> ServerFacts {
        match self {
            Self::Own { connection, transport } => ServerFacts::new(connection.view(), transport),
            Self::Running(server) => server.facts().clone(),
        }
    }

    /// What it offers: as it is remembered, or with `refresh` asked for anew.
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
}
