//! The receiver of a command's stream: the window's channel, or a closure in tests.

use serde::Serialize;
use tauri::ipc::Channel;

/// Receives a message. Returns false if the receiver is gone.
pub(crate) type Sink<T> = Box<dyn Fn(T) -> bool + Send + Sync>;

/// The window's end of a stream.
pub(crate) fn to_window<T: Serialize + 'static>(channel: Channel) -> Sink<T> {
    Box::new(move |message| {
        serde_json::to_string(&message).is_ok_and(|json| channel.send(json.into()).is_ok())
    })
}
