//! The desktop window's program.

// A console beside the window is of use while developing only.
#![cfg_attr(all(windows, not(debug_assertions)), windows_subsystem = "windows")]

fn main() -> anyhow::Result<()> {
    mooring_desktop::run()
}
