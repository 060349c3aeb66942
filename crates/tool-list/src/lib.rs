//! The tools of several servers for an app: with unique names, or as a search in place of them. Also the
//! servers' instructions as one text.

pub mod definitions;
pub mod instructions;
mod names;
mod search;
mod strict;

pub use names::exposed_name;
pub use search::ToolIndex;
pub use strict::{ForApps, Unusable, for_apps, usable_tool};
