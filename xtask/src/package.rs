//! `cargo xtask package`: installers that hold the window, the command line and the demo server.

mod check;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::json;

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
    let companions = stage(workspace, &built)?;

    // Named here and not in tauri.conf.json, where every build would demand these files.
    let config = json!({ "bundle": { "externalBin": companions } });
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

/// Copies the companions to the names that the bundler expects, which end in the platform's triple.
fn stage(workspace: &Workspace, built: &Path) -> Result<Vec<PathBuf>> {
    let triple = triple()?;
    let staged = workspace.target.join("package");
    fs::create_dir_all(&staged)?;
    let mut named = Vec::new();
    for name in COMPANIONS {
        let from = built.join(binaries::file_name(name));
        let to = staged.join(binaries::file_name(&format!("{name}-{triple}")));
        fs::copy(&from, &to).with_context(|| format!("could not copy: {}", from.display()))?;
        named.push(staged.join(name));
    }
    Ok(named)
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
