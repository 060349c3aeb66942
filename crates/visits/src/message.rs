//! Messages between a command and the running Mooring: the command sends one request at a time, and Mooring
//! sends notices and then the response.

use mooring_answers::GivenAnswers;
use mooring_calls::CompletionRequest;
use mooring_faults::Fault;
use serde::{Deserialize, Serialize};

use crate::answer::{ItemKind, Listing, Outcome, ServerFacts};
use crate::notice::Notice;
use crate::request::ServerRequest;

/// A command's request.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Request {
    /// The names of the saved servers.
    Names,
    /// Use a saved server for the following requests.
    Open { server: String, answers: GivenAnswers },
    /// The proof that was asked for.
    Proof(String),
    /// List the server's items.
    List { kind: ItemKind, refresh: bool },
    /// A request at the server.
    Do(ServerRequest),
    /// Values for an argument.
    Values(CompletionRequest),
    /// The changes of a resource, until the command goes.
    Follow(String),
}

/// Mooring's response.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Reply {
    /// The names of the saved servers.
    Names(Vec<String>),
    /// A notice that comes before the response.
    Notice(Notice),
    /// A challenge to be proven with the vault's key, without asking the person.
    Prove(String),
    /// The server can be used.
    Opened(Box<ServerFacts>),
    /// The server doesn't run here, so the command has to start it.
    NotRunning,
    /// The server's items.
    Listing(Box<Listing>),
    /// Values for the argument.
    Values(Vec<String>),
    /// The outcome of the request.
    Outcome(Box<Outcome>),
    /// The request failed.
    Failed(Fault),
}
