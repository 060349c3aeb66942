//! Each app's share of the gateway, so that no app can take it from another: connections ([`Places`]),
//! messages and bytes, concurrent requests, and memory for incomplete messages ([`Shares`]).

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

/// Whose a connection is. What is counted by app is counted by this.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Owner {
    /// The app's name.
    pub app: Arc<str>,
    /// Whether the app has proven its name.
    pub is_proven: bool,
}

/// Ignores poisoning: after a panic all values here are still consistent.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
