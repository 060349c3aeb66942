//! What a command hears while it waits for an answer.

use mooring_host::CallEvent;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

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
    /// The changes of the resource are told from here on.
    Following,
    /// A resource changed.
    ResourceChanged {
        /// Which.
        uri: String,
    },
    /// How far the request is.
    Progress {
        /// How far.
        progress: f64,
        /// How far it goes.
        total: Option<f64>,
        /// The server's words.
        message: Option<String>,
    },
    /// The server logged something.
    Log {
        /// Its level.
        level: String,
        /// The server's name for its logger.
        logger: Option<String>,
        /// The data.
        data: Box<RawValue>,
    },
}

impl From<CallEvent> for Notice {
    fn from(event: CallEvent) -> Self {
        match event {
            CallEvent::Progress { progress, total, message } => Self::Progress { progress, total, message },
            CallEvent::Log { level, logger, data } => {
                let data = RawValue::from_string(data.get().to_owned());
                Self::Log { level, logger, data: data.unwrap_or_else(|_| RawValue::NULL.to_owned()) }
            }
        }
    }
}

impl Notice {
    /// What the host says while a call runs; none: it is about the command.
    pub(crate) fn call_event(self) -> Result<CallEvent, Self> {
        match self {
            Self::Progress { progress, total, message } => {
                Ok(CallEvent::Progress { progress, total, message })
            }
            Self::Log { level, logger, data } => Ok(CallEvent::Log { level, logger, data: data.into() }),
            other => Err(other),
        }
    }
}
