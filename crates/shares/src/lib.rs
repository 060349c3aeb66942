//! Each app's share of the gateway, which prevents one app from taking the resources of others: connections
//! ([`Places`]), messages and bytes, concurrent requests, and memory for incomplete messages ([`Shares`]).

mod body;
mod places;
mod share;
mod stream;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use body::{BodyError, read_body};
pub use places::{Place, PlaceLimits, PlaceUse, Places};
pub use share::{
    LONG_MESSAGE, MESSAGE_TIMEOUT, REQUESTS_OF_APP, Room, RunningRequest, SESSION_COST, SMALL_MESSAGE, Share,
    Shares,
};
pub use stream::BoundedStream;

/// The owner of a connection. Limits for each app apply to all connections of an owner.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Owner {
    /// The app's name.
    pub app: Arc<str>,
    /// Whether the app has proven its name.
    pub is_proven: bool,
}

/// Locks a mutex and ignores poisoning, because all values here are consistent even after a panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
