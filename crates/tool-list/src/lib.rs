//! What an app gets for the tools of several servers: each under a name of its own, or a search in their place; and their
//! instructions in one text.

pub mod definitions;
pub mod instructions;
mod names;
mod search;
mod strict;

pub use names::exposed_name;
pub use search::ToolIndex;
pub use strict::{ForApps, Unusable, for_apps, usable_tool};
