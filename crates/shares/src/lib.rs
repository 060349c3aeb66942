//! What each app may have of the gateway, so that none takes it from another: connections ([`Places`]), messages and bytes,
//! requests that run at once, and memory for what has not come whole ([`Shares`]).

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
    /// It has shown that it is this app: a name alone says nothing.
    pub is_proven: bool,
}

/// What a panic left behind is used on: everything here is whole between two statements.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
