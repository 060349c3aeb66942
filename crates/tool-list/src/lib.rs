//! What an app gets for the tools of several servers: each under a name of its own, or a search in their place.

pub mod definitions;
mod names;
mod search;

pub use names::exposed_name;
pub use search::ToolIndex;
