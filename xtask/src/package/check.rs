//! `cargo xtask package --check`: installs each new package in a clean root, uses the application there as a
//! person would, and removes it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::root::{CleanRoot, bring};
use crate::command::Command;
use crate::setup::MissingPrerequisite;
use crate::setup::system::Privilege;
use crate::workspace::Workspace;

/// The package's name.
const PACKAGE: &str = "mooring";
/// The kinds that can be checked.
const KINDS: [&str; 3] = ["deb", "rpm", "appimage"];
/// The folder of the programs in a root where a package is installed.
const PROGRAMS: &str = "/usr/bin";
/// The folder of the `AppImage` in its root.
const IMAGE: &str = "/opt/Mooring.AppDir";
/// The file in place of the image: does what the image's runtime does, but with a folder that is already there.
const IMAGE_FILE: &str = "/opt/Mooring.AppImage";
/// Files that people and desktops expect. Each must have content.
const FILES: [&str; 17] = [
    "/usr/bin/mooring-desktop",
    "/usr/bin/mooring",
    "/usr/bin/mooring-bridge",
    "/usr/bin/mooring-demo-server",
    "/usr/share/icons/hicolor/32x32/apps/mooring-desktop.png",
    "/usr/share/icons/hicolor/64x64/apps/mooring-desktop.png",
    "/usr/share/icons/hicolor/128x128/apps/mooring-desktop.png",
    "/usr/share/icons/hicolor/256x256@2/apps/mooring-desktop.png",
    "/usr/share/icons/hicolor/scalable/apps/mooring-desktop.svg",
    "/usr/share/metainfo/app.mooring.desktop.metainfo.xml",
    "/usr/share/mime/packages/app.mooring.desktop.xml",
    "/usr/share/man/man1/mooring.1",
    "/usr/share/man/man1/mooring-call.1",
    "/usr/share/bash-completion/completions/mooring",
    "/usr/share/zsh/vendor-completions/_mooring",
    "/usr/share/fish/vendor_completions.d/mooring.fish",
    "/usr/share/applications/Mooring.desktop",
];
/// Licences, in the folder that a distribution has for them.
const LICENCES: [&str; 5] =
    ["LICENSE-MIT", "LICENSE-APACHE", "LICENSE-Inter", "LICENSE-JetBrains-Mono", super::NOTICES];

/// What the .rpm may require, and the package of Debian with it. Fedora and openSUSE find packages by the
/// libraries in them: Fedora's are webkit2gtk4.1 and gtk3.
const REQUIREMENTS: [(&str, &str); 5] = [
    ("/bin/sh", "dash"),
    ("ca-certificates", "ca-certificates"),
    ("libwebkit2gtk-4.1.so.0()(64bit)", "libwebkit2gtk-4.1-0"),
    ("libgtk-3.so.0()(64bit)", "libgtk-3-0"),
    ("xdg-utils", "xdg-utils"),
];

/// What an `AppImage` expects of every desktop, as packages of Debian: the C and C++ libraries, fonts, X,
/// Wayland, graphics, sound, and the certificates of authorities.
const DESKTOP: [&str; 25] = [
    "ca-certificates",
    "libstdc++6",
    "libasound2",
    "libcom-err2",
    "libdrm2",
    "libegl1",
    "libexpat1",
    "libfontconfig1",
    "libfreetype6",
    "libfribidi0",
    "libgbm1",
    "libgl1",
    "libgmp10",
    "libgpg-error0",
    "libharfbuzz0b",
    "libice6",
    "libsm6",
    "libuuid1",
    "libwayland-cursor0",
    "libwayland-egl1",
    "libwayland-server0",
    "libx11-xcb1",
    "xkb-data",
    "zlib1g",
    "xdg-utils",
];

/// Fails before the long build if the check could not run after it.
pub(super) fn check_possible(bundles: &[String]) -> Result<()> {
    for kind in bundles {
        ensure!(KINDS.contains(&kind.as_str()), "only {} can be checked, not {kind}", KINDS.join(", "));
    }
    if Privilege::find()? != Privilege::Root {
        return Err(MissingPrerequisite(
            "Packages are tried in a clean root, and only root can make one. Build them first without --check, \
             then run this again as root."
                .to_owned(),
        )
        .into());
    }
    Ok(())
}

/// Installs each package in a root of its own, tries it and removes it. `files` are what was built.
pub(super) fn check(workspace: &Workspace, files: &[PathBuf], bundles: &[String]) -> Result<()> {
    let base = CleanRoot::install(workspace.target.join("package/root"))?;
    for kind in bundles {
        let extension = if kind == "appimage" { "AppDir" } else { kind };
        let found = files.iter().find(|file| file.extension().is_some_and(|known| known == extension));
        let file = found.with_context(|| format!("the bundler left no .{kind}"))?;
        println!("\nTrying {}:", workspace.relative_path(file));
        let root = base.copy(kind)?;
        match kind.as_str() {
            "deb" => try_deb(workspace, &root, file),
            "rpm" => try_rpm(workspace, &root, file),
            _ => try_image(workspace, &root, file),
        }
        .with_context(|| workspace.relative_path(file))?;
    }
    Ok(())
}

/// apt-get installs the package with what it depends on, and nothing that is only recommended.
fn try_deb(workspace: &Workspace, root: &CleanRoot, file: &Path) -> Result<()> {
    let inside = bring(root, file)?;
    root.apt(&["install", &inside]).context("the package does not install")?;
    fs::remove_file(root.path(&inside))?;
    let files = root.command("dpkg").args(["-L", PACKAGE]).capture()?;
    try_installed(workspace, root, "deb", &files, "/usr/share/doc")?;
    root.apt(&["purge", PACKAGE]).context("the package does not go away")?;
    check_removed(root, &files)
}

/// rpm installs the package, after apt-get installed what it requires by Debian's names.
fn try_rpm(workspace: &Workspace, root: &CleanRoot, file: &Path) -> Result<()> {
    let required = Command::new("rpm").args(["--query", "--requires", "--package"]).arg(file).capture()?;
    let mut install = vec!["install"];
    install.extend(debian_packages(&required)?);
    root.apt(&install)?;
    let rpm = || Command::new("rpm").arg("--root").arg(root.path("/"));
    rpm().args(["--install", "--nodeps"]).arg(file).run().context("the package does not install")?;
    rpm().args(["--verify", "--nodeps", PACKAGE]).run().context("what is installed differs")?;
    let files = rpm().args(["--query", "--list", PACKAGE]).capture()?;
    try_installed(workspace, root, "rpm", &files, "/usr/share/licenses")?;
    rpm().args(["--erase", PACKAGE]).run().context("the package does not go away")?;
    check_removed(root, &files)
}

/// The image's folder is started where there is only what every desktop has.
fn try_image(workspace: &Workspace, root: &CleanRoot, folder: &Path) -> Result<()> {
    let mut install = vec!["install"];
    install.extend(DESKTOP);
    root.apt(&install)?;
    Command::new("cp").args(["--archive", "--reflink=auto"]).arg(folder).arg(root.path(IMAGE)).run()?;
    let entry = root.path(&format!("{IMAGE}/{}", super::appimage::ENTRY));
    let programs = format!("{IMAGE}{PROGRAMS}");
    let runtime = format!(
        "#!/bin/sh\nexport APPIMAGE={IMAGE_FILE} APPDIR={IMAGE} ARGV0=\"$0\"\nexec {IMAGE}/AppRun \"$@\"\n"
    );
    fs::write(root.path(IMAGE_FILE), runtime)?;
    fs::set_permissions(root.path(IMAGE_FILE), fs::Permissions::from_mode(0o755))?;
    let line = |name: &str| {
        let program = if name == crate::binaries::DESKTOP { "" } else { name };
        format!("{IMAGE_FILE} {program}")
    };
    root.drive(workspace, &programs, line, &["appimage", &entry.to_string_lossy()])
}

/// Fails if a file is missing, and uses the application.
fn try_installed(
    workspace: &Workspace,
    root: &CleanRoot,
    kind: &str,
    listed: &str,
    licences: &str,
) -> Result<()> {
    let licences = LICENCES.map(|name| format!("{licences}/{PACKAGE}/{name}"));
    let expected: Vec<&str> = FILES.into_iter().chain(licences.iter().map(String::as_str)).collect();
    let absent: Vec<&str> =
        expected.iter().copied().filter(|file| !listed.lines().any(|line| line == *file)).collect();
    ensure!(absent.is_empty(), "the package installs no {}", absent.join(", no "));
    for file in &expected {
        let size = fs::metadata(root.path(file)).with_context(|| format!("not there: {file}"))?.len();
        ensure!(size > 0, "installed, but empty: {file}");
    }
    println!("files         {} are in place, with icons, desktop entry and licences", expected.len());
    let [.., entry] = FILES;
    let line = |name: &str| format!("{PROGRAMS}/{name}");
    root.drive(workspace, PROGRAMS, line, &[kind, &root.path(entry).to_string_lossy()])
}

/// Fails if something of the package is left.
fn check_removed(root: &CleanRoot, files: &str) -> Result<()> {
    let left = files.lines().filter(|file| root.path(file).is_file());
    let left: Vec<String> = left.map(str::to_owned).chain(root.traces()?).collect();
    ensure!(left.is_empty(), "the package was removed, but left {}", left.join(", "));
    println!("removed       nothing of it is left");
    Ok(())
}

/// The packages of Debian for what an .rpm requires. Fails for a name that Fedora may not know.
fn debian_packages(required: &str) -> Result<Vec<&'static str>> {
    let names = required.lines().map(str::trim).filter(|line| !line.is_empty());
    let names = names.filter(|line| !line.starts_with("rpmlib("));
    names
        .map(|name| {
            let known = REQUIREMENTS.iter().find(|(required, _)| *required == name);
            let (_, package) = known.with_context(|| format!("it requires what is not known: {name}"))?;
            Ok(*package)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_rpm_requires_only_what_is_known() {
        let required = "libgtk-3.so.0()(64bit)\nrpmlib(FileDigests) <= 4.6.0-1\nxdg-utils\n\n";
        assert_eq!(debian_packages(required).unwrap(), ["libgtk-3-0", "xdg-utils"]);
        let error = debian_packages("libgtk-4.so.1()(64bit)").unwrap_err();
        assert_eq!(error.to_string(), "it requires what is not known: libgtk-4.so.1()(64bit)");
    }

    #[test]
    fn only_packages_of_linux_are_checked() {
        let error = check_possible(&["deb".to_owned(), "dmg".to_owned()]).unwrap_err();
        assert_eq!(error.to_string(), "only deb, rpm, appimage can be checked, not dmg");
    }
}
