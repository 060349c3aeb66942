//! The program of the desktop window.

// A console window is only useful during development.
#![cfg_attr(all(windows, not(debug_assertions)), windows_subsystem = "windows")]

fn main() -> anyhow::Result<()> {
    mooring_desktop::run()
}
