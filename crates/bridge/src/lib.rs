//! The bridge: the program that an app (an MCP client) starts as its server. It carries messages between the
//! app and the gateway of the user's data folder, and connects the app again when the gateway restarts.
//!
//! A bridge runs as long as its app, so it is a separate, small program. `mooring-bridge` only calls
//! [`carry_standard_streams`]. The gateway uses this crate for the code that both ends of the local socket
//! share: the first lines, and reading messages.

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

/// The largest message from an app, in bytes. It equals the default limit for results of servers.
pub const MAX_MESSAGE: usize = 16 << 20;

/// Why an app has no gateway. The messages are for people and apps.
#[derive(Debug, thiserror::Error)]
pub enum BridgeError {
    /// No gateway listens for this data folder.
    #[error("Mooring isn’t running. Open it, and try again.")]
    NotRunning,
    /// The gateway refused the app.
    #[error("Mooring refused the connection: {0}")]
    Refused(String),
    /// The socket belongs to another user.
    #[error("{} belongs to another user", .0.display())]
    OfAnotherUser(PathBuf),
    /// The data folder can't be used.
    #[error("{0}")]
    Home(String),
    /// Reading from or writing to the app failed.
    #[error("the app’s connection failed: {0}")]
    App(std::io::Error),
}
