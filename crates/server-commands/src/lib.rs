//! The commands of `mooring` that open one connection to a server and use it.

pub mod bench;
pub mod call;
pub mod listing;
pub mod probe;
pub mod prompt;
pub mod read;
pub mod subscribe;
