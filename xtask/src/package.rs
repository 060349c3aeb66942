//! `cargo xtask package`: builds installers with the window, the command line, its bridge and the demo
//! server.

mod check;
mod manual;
mod notices;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::assets;
use crate::binaries::{self, COMPANIONS};
use crate::command::Command;
use crate::setup::{InstallMode, pages, program, python, system};
use crate::workspace::Workspace;

/// The file with the licences of third-party code, next to our own licences.
const NOTICES: &str = "THIRD-PARTY-NOTICES";

/// Builds the binaries in one cargo call, and the installers from them. Tests the .deb if `check` is set.
pub(crate) fn package(
    workspace: &Workspace,
    bundles: &[String],
    check: bool,
    installing: InstallMode,
) -> Result<ExitCode> {
    let bundles = if bundles.is_empty() { default_bundle().to_owned() } else { bundles.join(",") };
    if check {
        check::check_possible(&bundles)?;
        system::ensure(&[system::BUILD, system::HEADLESS, system::LAUNCH], installing)?;
    } else {
        system::ensure(&[system::BUILD], installing)?;
    }
    pages::node()?;
    if check {
        // The check reads the display with a Python script.
        python::ensure(installing)?;
    }
    pages::packages(workspace)?;
    pages::build(workspace)?;
    let built = binaries::release(workspace, &[])?;
    let (staged, triple) = (workspace.target.join("package"), triple()?);
    let config = stage(&built, &staged, &triple)?;
    notices::write(workspace, &triple, &staged.join(NOTICES))?;
    assets::tauri(workspace)
        .args(["bundle", "--ci", "--bundles", &bundles, "--features", "custom-protocol", "--config"])
        .arg(config.to_string())
        .directory(&workspace.root.join("src-tauri"))
        .env("CARGO_TARGET_DIR", &workspace.target)
        .run()?;

    println!();
    let made = installers(&built.join("bundle"))?;
    for path in &made {
        let size = fs::metadata(path)?.len() / 1024;
        println!("{} ({size} KiB)", workspace.relative_path(path));
    }
    if check {
        check::check(workspace, &made, installing)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Copies the companion programs to the names that the bundler expects, which end in the platform's triple.
/// Returns the configuration with them, the manual, and the path of the notices. In tauri.conf.json, every
/// build would need these files.
fn stage(built: &Path, staged: &Path, triple: &str) -> Result<Value> {
    fs::create_dir_all(staged)?;
    let mut named = Vec::new();
    for name in COMPANIONS {
        let from = built.join(binaries::file_name(name));
        let to = staged.join(binaries::file_name(&format!("{name}-{triple}")));
        fs::copy(&from, &to).with_context(|| format!("could not copy: {}", from.display()))?;
        named.push(staged.join(name));
    }
    let manual = manual::write(&staged.join("manual"))?;
    let files = |folder: &str| {
        let mut files = manual.clone();
        files.insert(format!("{folder}/mooring/{NOTICES}"), json!(staged.join(NOTICES)));
        json!({ "files": files })
    };
    let linux = json!({
        "deb": files("/usr/share/doc"),
        "rpm": files("/usr/share/licenses"),
        "appimage": files("/usr/share/doc"),
    });
    Ok(json!({ "bundle": { "externalBin": named, "linux": linux } }))
}

/// This machine's target triple.
pub(crate) fn triple() -> Result<String> {
    let version = Command::new("rustc").args(["--version", "--verbose"]).capture()?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not name its host")?.to_owned())
}

/// The usual kind of installer on this system.
fn default_bundle() -> &'static str {
    if cfg!(windows) {
        "nsis"
    } else if cfg!(target_os = "macos") {
        "dmg"
    } else if program("apt-get").is_none() && program("rpm").is_some() {
        "rpm"
    } else {
        "deb"
    }
}

/// The installers, without the bundler's other files.
fn installers(directory: &Path) -> Result<Vec<PathBuf>> {
    const KINDS: [&str; 6] = ["deb", "rpm", "AppImage", "dmg", "msi", "exe"];
    let mut found = Vec::new();
    for kind in fs::read_dir(directory).with_context(|| format!("no directory: {}", directory.display()))? {
        let kind = kind?.path();
        if !kind.is_dir() {
            continue;
        }
        for entry in fs::read_dir(kind)? {
            let path = entry?.path();
            let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
            if path.is_file() && KINDS.contains(&extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_programs_are_packaged_with_the_window() {
        let folder = tempfile::tempdir().unwrap();
        let (built, staged) = (folder.path().join("release"), folder.path().join("package"));
        fs::create_dir(&built).unwrap();
        for name in COMPANIONS {
            fs::write(built.join(binaries::file_name(name)), format!("the program {name}")).unwrap();
        }
        let config = stage(&built, &staged, "cpu-maker-system").unwrap();
        let named = config["bundle"]["externalBin"].as_array().unwrap();
        for (name, path) in ["mooring", "mooring-bridge", "mooring-demo-server"].iter().zip(named) {
            let path = path.as_str().unwrap();
            assert_eq!(Path::new(path).file_name().unwrap(), *name);
            // The bundler expects the name with the triple, and installs it without.
            let packed = binaries::file_name(&format!("{path}-cpu-maker-system"));
            assert_eq!(fs::read_to_string(packed).unwrap(), format!("the program {name}"));
        }
        assert_eq!(named.len(), 3);
        for kind in ["deb", "rpm", "appimage"] {
            let files = config["bundle"]["linux"][kind]["files"].as_object().unwrap();
            assert!(files.keys().all(|place| place.starts_with("/usr/share/")), "{files:?}");
            let notices = files.iter().find(|(place, _)| place.ends_with("/mooring/THIRD-PARTY-NOTICES"));
            assert_eq!(notices.unwrap().1.as_str(), staged.join("THIRD-PARTY-NOTICES").to_str());
            assert!(files.contains_key("/usr/share/man/man1/mooring.1"), "{files:?}");
        }

        fs::remove_file(built.join(binaries::file_name("mooring"))).unwrap();
        let error = stage(&built, &staged, "cpu-maker-system").unwrap_err();
        assert!(error.to_string().starts_with("could not copy: "), "{error}");
    }

    #[test]
    fn what_the_copyright_file_names_is_installed_beside_it() {
        let shell = Workspace::find().unwrap().root.join("src-tauri");
        let config = fs::read_to_string(shell.join("tauri.conf.json")).unwrap();
        let config: Value = serde_json::from_str(&config).unwrap();
        let files = config["bundle"]["linux"]["deb"]["files"].as_object().unwrap();
        let copyright = fs::read_to_string(shell.join("linux/copyright")).unwrap();
        let words = copyright.split_whitespace().map(|word| word.trim_end_matches(['.', ',', ';']));
        let named: Vec<&str> = words.filter(|word| word.starts_with("/usr/share/doc/")).collect();
        let notices = format!("/usr/share/doc/mooring/{NOTICES}");
        assert!(named.contains(&notices.as_str()), "{named:?}");
        for name in named {
            assert!(name == notices || files.contains_key(name), "{name} is not installed");
        }
    }

    #[test]
    fn what_is_packed_is_built_by_members_of_the_workspace() {
        let programs = Workspace::find().unwrap().targets("bin");
        for name in COMPANIONS.iter().chain([&binaries::DESKTOP]) {
            assert!(programs.iter().any(|known| known == name), "{name}: {programs:?}");
        }
    }
}
