//! The headless engine behind every front end.
//!
//! [`Host`] is the whole public API: saved servers and their connections, tools and calls, the log, and the
//! settings. It is cheap to clone. It returns plain views and reports changes as [`HostEvent`]s.

mod call;
mod connection;
mod era_cache;
mod error;
mod event;
mod failure;
mod host;
mod launch;
mod options;
mod registry;
mod resources;
mod responder;
mod roots;
mod server;
mod trace;

pub use call::Permit;
pub use connection::{Connection, Target};
pub use error::{ErrorCode, HostError};
pub use event::HostEvent;
pub use failure::{Failure, FailureCode};
pub use host::{
    AppImport, CertificateView, DecisionEvents, Host, InstallOutcome, InstallStatus, InstanceLease, VaultView,
};
pub use options::{
    CommandCheck, ConnectOptions, HostInfo, HostOptions, LimitView, LogFacets, LoginPathView, chosen_home,
    home_from_environment, named_home,
};
pub use resources::expand_template;
pub use roots::{RootView, ServerRoots};
pub use server::{
    ConnectionView, InstanceView, LimitReached, NegotiationStep, Peer, ServerView, StartStep, StateName,
};
pub use trace::is_trace_allowed;
