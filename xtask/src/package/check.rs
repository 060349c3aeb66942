//! `cargo xtask package --check`: installs the new .deb, uses the application as a person would, and removes
//! it. If the package was installed before, the new version stays.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::command::Command;
use crate::headless;
use crate::setup::system::Privilege;
use crate::setup::{InstallMode, MissingPrerequisite, program};
use crate::workspace::Workspace;

/// The package's name.
const PACKAGE: &str = "mooring";
/// The desktop entry.
const ENTRY: &str = "/usr/share/applications/Mooring.desktop";
/// The folder of the programs.
const PROGRAMS: &str = "/usr/bin";
/// The arguments of apt-get.
const INSTALL: [&str; 5] =
    ["install", "--yes", "--no-install-recommends", "--reinstall", "--allow-downgrades"];
/// Files that people, desktops or lawyers expect. Each must have content.
const FILES: [&str; 22] = [
    "/usr/bin/mooring-desktop",
    "/usr/bin/mooring",
    "/usr/bin/mooring-bridge",
    "/usr/bin/mooring-demo-server",
    ENTRY,
    "/usr/share/icons/hicolor/32x32/apps/mooring-desktop.png",
    "/usr/share/icons/hicolor/64x64/apps/mooring-desktop.png",
    "/usr/share/icons/hicolor/128x128/apps/mooring-desktop.png",
    "/usr/share/icons/hicolor/256x256@2/apps/mooring-desktop.png",
    "/usr/share/icons/hicolor/scalable/apps/mooring-desktop.svg",
    "/usr/share/metainfo/app.mooring.desktop.metainfo.xml",
    "/usr/share/doc/mooring/copyright",
    "/usr/share/doc/mooring/LICENSE-MIT",
    "/usr/share/doc/mooring/LICENSE-APACHE",
    "/usr/share/doc/mooring/LICENSE-Inter",
    "/usr/share/doc/mooring/LICENSE-JetBrains-Mono",
    "/usr/share/doc/mooring/THIRD-PARTY-NOTICES",
    "/usr/share/man/man1/mooring.1",
    "/usr/share/man/man1/mooring-call.1",
    "/usr/share/bash-completion/completions/mooring",
    "/usr/share/zsh/vendor-completions/_mooring",
    "/usr/share/fish/vendor_completions.d/mooring.fish",
];

/// Fails before the long build if the check could not run after it.
pub(super) fn check_possible(bundles: &str) -> Result<()> {
    ensure!(
        bundles.split(',').any(|kind| kind == "deb"),
        "only a .deb can be checked, and none is built: {bundles}"
    );
    for name in ["apt-get", "dpkg", "dpkg-query"] {
        ensure!(program(name).is_some(), "a .deb is checked by installing it, and this system has no {name}");
    }
    Ok(())
}

/// Installs the newest .deb in `made`, tests it and removes it. Returns the first error.
pub(super) fn check(workspace: &Workspace, made: &[PathBuf], installing: InstallMode) -> Result<()> {
    let deb = newest(made)?;
    let right = Privilege::find()?;
    let line = format!("{}apt-get {} {}", right.prefix(), INSTALL.join(" "), deb.display());
    if installing == InstallMode::Print {
        return Err(MissingPrerequisite(format!(
            "Nothing was installed or checked. To install it, run:\n  {line}"
        ))
        .into());
    }
    if right == Privilege::None {
        return Err(MissingPrerequisite(format!(
            "Installing it needs root, and there is no sudo here. Have an administrator run:\n  {line}"
        ))
        .into());
    }
    let before = version()?;
    println!("\nInstalling {} on this system, to try it:", workspace.relative_path(deb));
    let apt = |arguments: &[&str]| {
        right.command("apt-get").args(arguments).env("DEBIAN_FRONTEND", "noninteractive")
    };
    install_and_remove(&apt, deb, before.as_deref(), || try_installed(workspace))
}

/// Removes the package even after an error, because a failed installation may leave half of it.
fn install_and_remove(
    apt: &impl Fn(&[&str]) -> Command,
    deb: &Path,
    before: Option<&str>,
    use_it: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let installed = apt(&INSTALL).arg(deb).run().context("the package does not install");
    let tried = installed.and_then(|()| use_it());
    let removed = remove(apt, before);
    tried.and(removed)
}

/// Tests the installed application.
fn try_installed(workspace: &Workspace) -> Result<()> {
    let files = Command::new("dpkg").args(["-L", PACKAGE]).capture()?;
    check_complete(&files)?;
    println!("files         {} are in place, with icons, desktop entry and licences", FILES.len());
    let script = workspace.root.join("tests/e2e/installed-run.mjs");
    headless::session(workspace, Path::new(PROGRAMS))?
        .arg(script)
        .arg(ENTRY)
        .run()
        .context("what was installed does not work")
}

/// Fails unless the package lists every one of the files and none is empty.
fn check_complete(listed: &str) -> Result<()> {
    let absent: Vec<&str> =
        FILES.into_iter().filter(|file| !listed.lines().any(|line| line == *file)).collect();
    ensure!(absent.is_empty(), "the package installs no {}", absent.join(", no "));
    for file in FILES {
        let size = fs::metadata(file).with_context(|| format!("installed, but not there: {file}"))?.len();
        ensure!(size > 0, "installed, but empty: {file}");
    }
    Ok(())
}

/// Removes the package, unless it was installed before.
fn remove(apt: &impl Fn(&[&str]) -> Command, before: Option<&str>) -> Result<()> {
    if let Some(before) = before {
        println!("The package stays: version {before} was installed before.");
        return Ok(());
    }
    println!("Removing it again:");
    apt(&["purge", "--yes", PACKAGE]).run().context("the package does not go away")?;
    let left: Vec<&str> = FILES.into_iter().filter(|file| Path::new(file).exists()).collect();
    ensure!(left.is_empty(), "the package was removed, but left {}", left.join(", "));
    Ok(())
}

/// The installed version, if there is one.
fn version() -> Result<Option<String>> {
    let query = || {
        Command::new("dpkg-query").args(["--show", "--showformat=${db:Status-Status} ${Version}", PACKAGE])
    };
    // The query fails for an unknown package.
    if !query().succeeds() {
        return Ok(None);
    }
    Ok(query().capture()?.strip_prefix("installed ").map(|version| version.trim().to_owned()))
}

/// The newest .deb: the directory may also contain other versions.
fn newest(made: &[PathBuf]) -> Result<&Path> {
    let mut found = None;
    for path in made.iter().filter(|path| path.extension().is_some_and(|extension| extension == "deb")) {
        found = found.max(Some((fs::metadata(path)?.modified()?, path)));
    }
    let Some((_, path)) = found else { bail!("the bundler left no .deb") };
    Ok(path)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    /// The calls of an apt-get that fails at `failing`, and the output of the check.
    fn run_check(failing: &str, before: Option<&str>) -> (Vec<String>, String) {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let script = format!("echo \"$1\" >> '{}'; [ \"$1\" != {failing} ]", log.display());
        let apt = |arguments: &[&str]| {
            Command::new("/bin/sh").args(["-c", &script, "apt-get"]).args(arguments.iter().copied())
        };
        let outcome = install_and_remove(&apt, Path::new("mooring.deb"), before, || bail!("it was used"));
        let called = fs::read_to_string(&log).unwrap().lines().map(str::to_owned).collect();
        (called, format!("{:#}", outcome.unwrap_err()))
    }

    #[test]
    fn a_package_is_removed_also_where_it_did_not_install() {
        let (called, error) = run_check("install", None);
        assert_eq!(called, ["install", "purge"]);
        assert!(error.starts_with("the package does not install"), "{error}");
        let (called, error) = run_check("nothing", None);
        assert_eq!((called.len(), error.as_str()), (2, "it was used"));
        // A package that was installed before belongs to the person.
        assert_eq!(run_check("install", Some("0.1.0")).0, ["install"]);
    }
}
