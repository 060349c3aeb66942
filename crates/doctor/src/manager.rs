//! The version manager that a program belongs to, as its path shows.

use std::path::Path;

/// Parts of a path and the version manager that uses them.
const MANAGERS: [(&str, &str); 11] = [
    (".nvm/versions", "nvm"),
    ("fnm_multishells", "fnm"),
    ("fnm/node-versions", "fnm"),
    (".volta", "volta"),
    ("mise/shims", "mise"),
    ("mise/installs", "mise"),
    (".asdf", "asdf"),
    (".pyenv", "pyenv"),
    ("uv/tools", "uv"),
    ("homebrew", "Homebrew"),
    (".cargo/bin", "Cargo"),
];

/// The version manager that a program belongs to. Also follows the link that a shim may be.
pub(crate) fn version_manager(program: &Path) -> Option<&'static str> {
    let real = program.canonicalize().ok();
    [Some(program), real.as_deref()].into_iter().flatten().find_map(manager_of)
}

fn manager_of(path: &Path) -> Option<&'static str> {
    let text = path.to_string_lossy().replace('\\', "/");
    let inside = |part: &str| text.contains(&format!("/{part}/"));
    MANAGERS.iter().find(|(part, _)| inside(part)).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_managers_are_known_by_their_folders() {
        for (path, manager) in [
            ("/home/a/.nvm/versions/node/v22.3.1/bin/npx", Some("nvm")),
            ("/run/user/1000/fnm_multishells/12_3/bin/npx", Some("fnm")),
            ("/home/a/.volta/bin/npx", Some("volta")),
            ("/home/a/.local/share/mise/shims/npx", Some("mise")),
            ("/home/a/.asdf/shims/npx", Some("asdf")),
            ("/home/a/.local/share/uv/tools/x/bin/x", Some("uv")),
            ("/usr/bin/npx", None),
            ("/home/a/my.nvm/versions", None),
        ] {
            assert_eq!(manager_of(Path::new(path)), manager, "{path}");
        }
    }
}
