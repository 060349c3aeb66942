//! Creates a permission for every command of the table, and writes the capability that grants them to the
//! window.

use std::path::Path;

include!("src/commands/table.rs");

macro_rules! names {
    ($($module:ident { $(
        $(#[doc = $doc:literal])*
        $name:ident $args:tt -> $ret:ty
            $(, streams $stream:ty)? $(, reads $reads:tt)? $(, changes $changes:tt)?;
    )* })*) => {
        &[$($(stringify!($name)),*),*]
    };
}

const COMMANDS: &[&str] = command_table!(names);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    write_capability(Path::new("capabilities/main.json"))?;
    let manifest = tauri_build::AppManifest::new().commands(COMMANDS);
    tauri_build::try_build(tauri_build::Attributes::new().app_manifest(manifest))?;
    Ok(())
}

/// Grants every command of the table, and nothing else, to the window. The file is committed, so that a
/// review shows when the permissions change. It is only written if it differs.
fn write_capability(path: &Path) -> std::io::Result<()> {
    let permission = |name: &&str| format!("    \"allow-{}\"", name.replace('_', "-"));
    let permissions = COMMANDS.iter().map(permission).collect::<Vec<_>>().join(",\n");
    let text = format!(
        r#"{{
  "$schema": "../gen/schemas/desktop-schema.json",
  "identifier": "main",
  "description": "What the one window may ask for: the commands of the table and nothing else.",
  "windows": [
    "main"
  ],
  "permissions": [
{permissions}
  ]
}}
"#
    );
    if std::fs::read_to_string(path).is_ok_and(|written| written == text) {
        return Ok(());
    }
    std::fs::write(path, text)
}
