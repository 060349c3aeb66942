//! The tools of several servers for an app: either all of them with unique names, or three tools that search
//! for, describe and call them. Also combines the servers' instructions into one text.

pub mod definitions;
pub mod instructions;
mod names;
mod search;
mod strict;

pub use names::exposed_name;
pub use search::ToolIndex;
pub use strict::{ForApps, Unusable, for_apps, usable_tool};
