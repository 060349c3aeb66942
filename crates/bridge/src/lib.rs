//! The bridge: what an app (an MCP client) starts as its server. It carries messages between the app and the gateway of
//! the person's data folder, and brings both together again when one gateway goes and another comes.
//!
//! It runs beside every app all day, so it is a small program of its own: [`carry_standard_streams`] is all that
//! `mooring-bridge` does. The gateway takes from here what both ends of the local socket have in common: its first lines,
//! and how messages are read.

mod carrier;
mod hello;
mod lines;
mod queue;
mod replay;
mod streams;

use std::path::PathBuf;

pub use carrier::carry;
pub use hello::{
    AppHello, CommandHello, Connected, Hello, Signed, Welcome, connect, is_own, line, socket_path,
};
pub use lines::{Line, Lines, Part};
pub use streams::{become_bridge, carry_standard_streams};

/// The only revision with batches.
pub const BATCH_REVISION: &str = "2025-03-26";
/// The largest message of an app, in bytes: as large as a result that is accepted from a server by default.
pub const MAX_MESSAGE: usize = 16 << 20;

/// Why an app has no gateway, in words for a person or an app.
#[derive(Debug, thiserror::Error)]
pub enum BridgeError {
    /// Nobody listens for this data folder.
    #[error("Mooring isn’t running. Open it, and try again.")]
    NotRunning,
    /// The gateway refused the app.
    #[error("Mooring refused the connection: {0}")]
    Refused(String),
    /// The socket belongs to another user.
    #[error("{} belongs to another user", .0.display())]
    OfAnotherUser(PathBuf),
    /// The data folder is not one to be used.
    #[error("{0}")]
    Home(String),
    /// The app could not be read or written.
    #[error("the app’s connection failed: {0}")]
    App(std::io::Error),
}
