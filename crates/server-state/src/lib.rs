//! The states of connections, what front ends show of servers, and the changes that front ends receive.

mod event;
mod server;
mod state;

pub use event::{HostEvent, event_callback, send_event, server_event_callback};
pub use server::{
    ConnectionView, InstanceView, LimitReached, NegotiationStep, Peer, ServerView, StartStep, StateName,
};
pub use state::{ConnectionEvent, ConnectionState, RestartPolicy, STABLE_AFTER, retry_delay};
