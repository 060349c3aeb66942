//! What a server may ask of us or tell us. `ping` is answered by the engine itself; requests that nothing here
//! names are refused with -32601 (method not found).

use crate::model::diagnostic::Diagnostic;
use crate::model::notification::Notification;

/// The host's side of a connection.
///
/// The engine calls these in wire order, one at a time, and reads nothing more until they return: they must
/// neither block nor wait.
pub trait Inbound: Send + Sync {
    /// The server told something. Progress goes to its own call instead.
    fn notify(&self, notification: Notification);

    /// The server sent something odd that belongs to no call.
    fn diagnose(&self, diagnostic: Diagnostic);
}
