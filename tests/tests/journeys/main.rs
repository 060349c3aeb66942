//! Journeys: real servers, through the command line and through the Host, as a person uses them.
//!
//! They need what `cargo xtask test` installs: the folder in `MOORING_SERVERS`, with server-everything and
//! server-filesystem from npm, including old versions, and mcp-server-git, mcp-server-time and two
//! versions of the Python SDK from the Python Package Index, all pinned. Without it they fail with a message.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::needless_pass_by_value,
    reason = "the helpers of tests are tests too, and these start the programs by themselves"
)]

mod apps;
mod bad;
mod bench;
mod command_line;
mod demo;
mod http;
mod inbox;
mod independent;
mod offers;
mod peers;
mod questions;
mod real;
mod saved;
mod sign_in;
mod window;
