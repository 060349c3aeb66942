//! Where a command's stream goes: the window's channel, or a closure in tests.

use serde::Serialize;
use tauri::ipc::Channel;

/// Takes one message; false when there is nobody left to take it.
pub(crate) type Sink<T> = Box<dyn Fn(T) -> bool + Send + Sync>;

/// The window's end of a stream.
pub(crate) fn to_window<T: Serialize + Send + Sync + 'static>(channel: Channel<T>) -> Sink<T> {
    Box::new(move |message| channel.send(message).is_ok())
}
