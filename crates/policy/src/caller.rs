//! Who wants something of a server.

use mooring_base::codes;
use serde::Deserialize;

codes! {
    /// Who wants a tool called.
    #[derive(Deserialize)]
    pub enum Caller {
        /// The person pressed Run.
        Workbench = "workbench",
        /// The person named the tool on the command line.
        CommandLine = "command_line",
        /// A model that a server asked wants its tool called.
        Sampling = "sampling",
    }
}

impl Caller {
    /// Whether a call is the person's own doing.
    pub fn is_person(self) -> bool {
        matches!(self, Self::Workbench | Self::CommandLine)
    }
}
