//! `cargo xtask package`: builds packages with the window, the command line, its bridge and the demo server.

#[cfg(target_os = "linux")]
mod appimage;
#[cfg(target_os = "linux")]
mod check;
mod manual;
mod notices;
#[cfg(target_os = "linux")]
mod root;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::assets;
use crate::binaries::{self, COMPANIONS};
use crate::command::Command;
use crate::setup::{InstallMode, pages, program, python, servers, system};
use crate::workspace::Workspace;

/// The file with the licences of third-party code, next to our own licences.
const NOTICES: &str = "THIRD-PARTY-NOTICES";

/// How to package.
#[derive(Debug)]
pub(crate) struct PackageOptions {
    /// The kinds of packages, or none for the one usual on this system.
    pub(crate) bundles: Vec<String>,
    /// Whether to try each package in a clean root.
    pub(crate) check: bool,
    /// Whether to package the development build.
    pub(crate) debug: bool,
    /// The program that an `AppImage` starts with.
    pub(crate) runtime: Option<PathBuf>,
}

/// Builds the binaries in one cargo call, and the packages from them. Tries them if `check` is set.
pub(crate) fn package(
    workspace: &Workspace,
    mut options: PackageOptions,
    installing: InstallMode,
) -> Result<ExitCode> {
    if options.bundles.is_empty() {
        options.bundles.push(default_bundle().to_owned());
    }
    let wants = |kind: &str| options.bundles.iter().any(|bundle| bundle == kind);
    ensure!(options.runtime.is_none() || wants("appimage"), "only an AppImage starts with a runtime");
    let mut needs = vec![system::BUILD];
    if wants("appimage") {
        ensure!(cfg!(target_os = "linux"), "an AppImage is built on Linux only");
        needs.push(system::IMAGE);
    }
    if options.check {
        check_possible(&options.bundles)?;
        needs.extend([system::HEADLESS, system::PACKAGES]);
    }
    system::ensure(&needs, installing)?;
    pages::node()?;
    if options.check {
        // The check reads the display with a Python script.
        python::ensure(installing)?;
    }
    pages::packages(workspace)?;
    if options.check {
        // The check calls a tool as another app, with an SDK.
        servers::install_npm(workspace)?;
    }
    pages::build(workspace)?;
    let built = build_programs(workspace, options.debug)?;
    let (staged, triple) = (workspace.target.join("package"), triple()?);
    let (staged_config, config) = (stage(&built, &staged, &triple)?, staged.join("config.json"));
    fs::write(&config, serde_json::to_vec_pretty(&staged_config)?)?;
    notices::write(workspace, &triple, &staged.join(NOTICES))?;

    // An AppImage is made from the unpacked .deb.
    let mut bundles: Vec<&str> = options.bundles.iter().map(String::as_str).collect();
    bundles.retain(|kind| *kind != "appimage" && (*kind != "deb" || !wants("appimage")));
    if wants("appimage") {
        bundles.push("deb");
    }
    let made = built.join("bundle");
    if made.exists() {
        // What an earlier version left has another name.
        fs::remove_dir_all(&made)?;
    }
    let bundler = assets::tauri(workspace).args(["bundle", "--ci", "--bundles", &bundles.join(",")]);
    let bundler = if options.debug { bundler.arg("--debug") } else { bundler };
    bundler
        .args(["--features", "custom-protocol", "--config"])
        .arg(&config)
        .directory(&workspace.root.join("src-tauri"))
        .env("CARGO_TARGET_DIR", &workspace.target)
        .run()?;
    #[cfg(target_os = "linux")]
    if wants("appimage") {
        appimage::make(workspace, &built, &made, options.runtime.as_deref())?;
    }

    println!();
    let files = installers(&made)?;
    for path in files.iter().filter(|path| path.is_file()) {
        let size = fs::metadata(path)?.len() / 1024;
        println!("{} ({size} KiB)", workspace.relative_path(path));
    }
    #[cfg(target_os = "linux")]
    if options.check {
        check::check(workspace, &files, &options.bundles)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn build_programs(workspace: &Workspace, debug: bool) -> Result<PathBuf> {
    if debug {
        binaries::development(workspace)?;
        return Ok(workspace.binaries());
    }
    binaries::release(workspace, &[])
}

#[cfg(target_os = "linux")]
use check::check_possible;

#[cfg(not(target_os = "linux"))]
fn check_possible(_bundles: &[String]) -> Result<()> {
    anyhow::bail!("packages are checked on Linux only")
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

/// The packages, without the bundler's other files. An `AppImage` is also there as a folder.
fn installers(directory: &Path) -> Result<Vec<PathBuf>> {
    const KINDS: [&str; 7] = ["deb", "rpm", "AppImage", "AppDir", "dmg", "msi", "exe"];
    let mut found = Vec::new();
    for kind in fs::read_dir(directory).with_context(|| format!("no directory: {}", directory.display()))? {
        let kind = kind?.path();
        if !kind.is_dir() {
            continue;
        }
        for entry in fs::read_dir(kind)? {
            let path = entry?.path();
            let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
            if KINDS.contains(&extension) {
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
        for kind in ["deb", "rpm"] {
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
