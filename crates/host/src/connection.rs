//! One connection: the task that owns it, and the handle that callers hold.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use crate::error::HostError;
use crate::server::ConnectionView;
use crate::tools::{CallOutcome, OnCallEvent, ToolCall, ToolList};

/// What the command line connects to.
pub enum Target {
    /// A saved server.
    Saved {
        /// Its name.
        name: String,
    },
    /// A command, in the caller's directory and with the caller's search path. Nothing is saved.
    Command {
        /// The program's name or path.
        program: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables declared for it.
        env: BTreeMap<String, String>,
        /// The directory it runs in.
        cwd: PathBuf,
    },
    /// An address. Nothing is saved.
    Url {
        /// The address.
        url: String,
        /// Headers sent with every request.
        headers: BTreeMap<String, String>,
    },
}

impl fmt::Debug for Target {
    /// Values of variables and headers may be secrets: they are not shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Saved { name } => f.debug_struct("Saved").field("name", name).finish(),
            Self::Command { program, .. } => {
                f.debug_struct("Command").field("program", program).finish_non_exhaustive()
            }
            Self::Url { .. } => f.debug_struct("Url").finish_non_exhaustive(),
        }
    }
}

/// A connection. Dropping it ends the process or the session.
#[derive(Debug)]
pub struct Connection {}

impl Connection {
    /// What it looks like now.
    pub fn view(&self) -> ConnectionView {
        todo!()
    }

    /// Its tools: those remembered, or with `refresh` asked for anew.
    pub async fn tools(&self, refresh: bool) -> Result<ToolList, HostError> {
        todo!()
    }

    /// Calls a tool. Dropping the future cancels the call.
    pub async fn call_tool(&self, call: ToolCall, on_event: OnCallEvent) -> Result<CallOutcome, HostError> {
        todo!()
    }

    /// Ends it in good order.
    pub async fn close(self) {
        todo!()
    }
}
