//! The connections to servers: the registry of saved servers, the tasks that keep them connected, and the
//! calls.
//!
//! Front ends receive changes as [`HostEvent`](mooring_server_state::HostEvent).

mod call;
mod connection;
mod era_cache;
mod launch;
mod open;
mod registry;

pub use call::Permit;
pub use connection::responder::{MakeResponder, Responder};
pub use connection::{Connection, ConnectionFactory, ConnectionRole, ConnectionSpec, Dialer, Handle, Target};
pub use era_cache::{EraCache, era_choice};
pub use launch::{FoundProgram, LaunchContext, find_program, known_secrets};
pub use open::{ConnectOptions, connect, resolve_target};
pub use registry::{Registry, read_all_lists};
