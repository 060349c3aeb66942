//! What a command and the running Mooring say to each other: the command one request at a time, Mooring notices and then
//! the answer.

use mooring_calls::CompletionRequest;
use mooring_faults::Fault;
use serde::{Deserialize, Serialize};

use crate::answer::{ItemKind, Listing, Outcome, ServerFacts};
use crate::given::GivenAnswers;
use crate::notice::Notice;
use crate::request::ServerRequest;

/// What a command asks for.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Request {
    /// The names of the saved servers.
    Names,
    /// To use a saved server from here on.
    Open { server: String, answers: GivenAnswers },
    /// The proof that was asked for.
    Proof(String),
    /// What the server offers.
    List { kind: ItemKind, refresh: bool },
    /// A request at the server.
    Do(ServerRequest),
    /// Values for an argument.
    Values(CompletionRequest),
    /// The changes of a resource, until the command goes.
    Follow(String),
}

/// What Mooring says.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Reply {
    /// The names of the saved servers.
    Names(Vec<String>),
    /// While a request is worked on.
    Notice(Notice),
    /// A challenge to be proven with the vault's key, without asking the person.
    Prove(String),
    /// The server can be used.
    Opened(Box<ServerFacts>),
    /// It doesn't run here: a command has to start it.
    NotRunning,
    /// What the server offers.
    Listing(Box<Listing>),
    /// Values for the argument.
    Values(Vec<String>),
    /// How the request went.
    Outcome(Box<Outcome>),
    /// It could not be done.
    Failed(Fault),
}
