//! What the window may ask for.

include!("commands/table.rs");
pub(crate) use command_table;
