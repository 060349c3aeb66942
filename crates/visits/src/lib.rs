//! What a command does at a server: over a [`Connection`](mooring_connections::Connection) of its own, or through the Mooring
//! that runs already, so that nothing is started twice and what the server knows stays.
//!
//! [`Server`] is the one or the other, with answers of one shape. Through the running Mooring a command is a client of the
//! gateway's socket: [`RunningMooring`] speaks, [`serve`] answers.
//! Verdicts, questions and the log are there as for any call of the person.

mod answer;
mod framing;
mod given;
mod message;
mod notice;
mod request;
mod running;
mod serve;
mod server;

pub use answer::{ItemKind, Limit, ListedItem, Listing, Outcome, Remark, ServerFacts, Step};
pub use given::{GivenAnswers, GivenForms, GivenSampling};
pub use notice::Notice;
pub use request::{ServerRequest, Wanted};
pub use running::{OnNotice, Opened, RunningMooring, RunningServer, Unavailable};
pub use serve::{has_own_authorization, serve};
pub use server::Server;
