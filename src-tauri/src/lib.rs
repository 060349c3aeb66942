//! Mooring's desktop window: commands, the shapes they exchange, and the window itself. No logic;
//! everything is done by `mooring-host`.

pub mod bindings;
mod commands;
pub mod dto;
