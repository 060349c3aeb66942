//! The use of a server by a command: over a separate [`Connection`](mooring_connections::Connection), or through a
//! Mooring that already runs, so that nothing is started twice and the server keeps its state.
//!
//! [`Server`] is one of the two, with results in the same form. For the running Mooring, a command is a
//! client of the gateway's socket: [`RunningMooring`] is the client, and [`serve`] the server. Verdicts,
//! questions and the log work like for any other call of the person.

mod answer;
mod framing;
mod message;
mod notice;
mod request;
mod running;
mod serve;
mod server;

pub use answer::{ItemKind, Limit, ListedItem, Listing, Outcome, Remark, ServerFacts, Step};
pub use notice::Notice;
pub use request::{ServerRequest, Wanted};
pub use running::{OnNotice, Opened, RunningMooring, RunningServer, Unavailable};
pub use serve::{has_own_authorization, serve};
pub use server::Server;
