//! The window's commands on Tauri's mock runtime: the real configuration, permissions and handlers,
//! without a display.

mod bindings;
mod permissions;
mod support;
