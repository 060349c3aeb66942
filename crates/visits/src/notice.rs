//! What a command hears while it waits for an answer.

use mooring_calls::CallEvent;
use serde::{Deserialize, Serialize};

/// What a command hears while it waits.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Notice {
    /// The person is asked in the window whether this terminal may use the servers.
    AskedAboutTerminal,
    /// A question waits for the person in the window.
    Asked,
    /// A question of the server was answered as the command said.
    Answered {
        /// What was asked, in the server's words.
        message: String,
        /// What was answered, and why.
        answer: String,
    },
    /// The command is notified of changes of the resource from here on.
    Following,
    /// A resource changed.
    ResourceChanged {
        /// Which.
        uri: String,
    },
    /// What the server says while the request runs.
    Call(CallEvent),
}
