//! Writes the TypeScript bindings to `ui/src/ipc/bindings`, or to the directory named by the first
//! argument. Files that are no longer generated are removed.

use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = std::env::args_os()
        .nth(1)
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui/src/ipc/bindings"), PathBuf::from);
    mooring_desktop::bindings::write(&directory)?;
    Ok(())
}
