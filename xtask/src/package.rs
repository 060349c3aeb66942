//! `cargo xtask package`: installers that hold the window, the command line and the demo server.

mod check;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::assets;
use crate::binaries::{self, COMPANIONS};
use crate::command::Command;
use crate::setup::{Installing, pages, program, system};
use crate::workspace::Workspace;

/// Builds the three binaries in one cargo call, then the installers around them; tries the .deb when asked to.
pub(crate) fn package(
    workspace: &Workspace,
    bundles: &[String],
    check: bool,
    installing: Installing,
) -> Result<ExitCode> {
    let bundles = if bundles.is_empty() { usual().to_owned() } else { bundles.join(",") };
    if check {
        check::possible(&bundles)?;
        system::ensure(&[system::BUILD, system::HEADLESS, system::LAUNCH], installing)?;
    } else {
        system::ensure(&[system::BUILD], installing)?;
    }
    pages::node()?;
    pages::packages(workspace)?;
    pages::build(workspace)?;
    let built = binaries::release(workspace, &[])?;
    let config = stage(&built, &workspace.target.join("package"), &triple()?)?;
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
        println!("{} ({size} KiB)", workspace.shown(path));
    }
    if check {
        check::check(workspace, &made, installing)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Copies the companions to the names that the bundler expects, which end in the platform's triple, and gives the
/// configuration that names them: in tauri.conf.json, every build would demand these files.
fn stage(built: &Path, staged: &Path, triple: &str) -> Result<Value> {
    fs::create_dir_all(staged)?;
    let mut named = Vec::new();
    for name in COMPANIONS {
        let from = built.join(binaries::file_name(name));
        let to = staged.join(binaries::file_name(&format!("{name}-{triple}")));
        fs::copy(&from, &to).with_context(|| format!("could not copy: {}", from.display()))?;
        named.push(staged.join(name));
    }
    Ok(json!({ "bundle": { "externalBin": named } }))
}

/// This machine's triple.
pub(crate) fn triple() -> Result<String> {
    let version = Command::new("rustc").args(["--version", "--verbose"]).capture()?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not name its host")?.to_owned())
}

/// The kind of installer that people on this machine install with.
fn usual() -> &'static str {
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

/// The installers themselves, without what the bundler leaves beside them.
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
    fn the_command_line_and_the_demo_server_are_packed_beside_the_window() {
        let folder = tempfile::tempdir().unwrap();
        let (built, staged) = (folder.path().join("release"), folder.path().join("package"));
        fs::create_dir(&built).unwrap();
        for name in COMPANIONS {
            fs::write(built.join(binaries::file_name(name)), format!("the program {name}")).unwrap();
        }
        let config = stage(&built, &staged, "cpu-maker-system").unwrap();
        let named = config["bundle"]["externalBin"].as_array().unwrap();
        for (name, path) in ["mooring", "mooring-demo-server"].iter().zip(named) {
            let path = path.as_str().unwrap();
            assert_eq!(Path::new(path).file_name().unwrap(), *name);
            // The bundler looks for the name with the triple, and installs it without.
            let packed = binaries::file_name(&format!("{path}-cpu-maker-system"));
            assert_eq!(fs::read_to_string(packed).unwrap(), format!("the program {name}"));
        }
        assert_eq!(named.len(), 2);

        fs::remove_file(built.join(binaries::file_name("mooring"))).unwrap();
        let error = stage(&built, &staged, "cpu-maker-system").unwrap_err();
        assert!(error.to_string().starts_with("could not copy: "), "{error}");
    }

    #[test]
    fn what_is_packed_is_built_by_members_of_the_workspace() {
        let programs = Workspace::find().unwrap().targets("bin");
        for name in COMPANIONS.iter().chain([&binaries::DESKTOP]) {
            assert!(programs.iter().any(|known| known == name), "{name}: {programs:?}");
        }
    }
}
