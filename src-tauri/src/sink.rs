//! The receiver of a command's stream: the window's channel, or a closure in tests.

use serde::Serialize;
use tauri::ipc::Channel;

/// Receives a message. Returns false if the receiver is gone.
pub(crate) type Sink<T> = Box<dyn Fn(T) -> bool + Send + Sync>;

/// The window's end of a stream.
pub(crate) fn to_window<T: Serialize + Send + Sync + 'static>(channel: Channel<T>) -> Sink<T> {
    Box::new(move |message| channel.send(message).is_ok())
}
