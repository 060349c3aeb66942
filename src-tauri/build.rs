//! Gives every command of the table a permission, which `capabilities/main.json` then grants.

include!("src/commands/table.rs");

macro_rules! names {
    ($($module:ident { $(
        $(#[doc = $doc:literal])*
        $name:ident($($arg:ident: $ty:ty),*) -> $ret:ty $(, streams $stream:ty)?;
    )* })*) => {
        &[$($(stringify!($name)),*),*]
    };
}

const COMMANDS: &[&str] = command_table!(names);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let manifest = tauri_build::AppManifest::new().commands(COMMANDS);
    tauri_build::try_build(tauri_build::Attributes::new().app_manifest(manifest))?;
    Ok(())
}
