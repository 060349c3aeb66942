//! Notices for a command that waits for a response.

use mooring_calls::CallEvent;
use serde::{Deserialize, Serialize};

/// A notice for a command that waits.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Notice {
    /// The person is asked in the window whether this terminal may use the servers.
    AskedAboutTerminal,
    /// A question waits for the person in the window.
    Asked,
    /// A question of the server was answered as the command specified.
    Answered {
        /// The server's message.
        message: String,
        /// The answer, and the reason for it.
        answer: String,
    },
    /// The command is notified of changes of the resource from here on.
    Following,
    /// A resource changed.
    ResourceChanged {
        /// Which.
        uri: String,
    },
    /// A message of the server during the request.
    Call(CallEvent),
}
