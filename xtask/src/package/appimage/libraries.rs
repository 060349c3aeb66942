//! The libraries of an `AppImage`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::find_beside;
use crate::command::Command;

/// Libraries that every desktop has and that must fit its kernel, drivers, display or settings. The list is
/// the one of the `AppImage` project (<https://github.com/AppImageCommunity/pkg2appimage>, `excludelist`), with
/// all libraries of Wayland: a copy of one of them keeps the graphics drivers from working.
const OF_THE_SYSTEM: [&str; 41] = [
    "ld-linux-x86-64.so.2",
    "ld-linux-aarch64.so.1",
    "libBrokenLocale.so.1",
    "libEGL.so.1",
    "libGL.so.1",
    "libGLX.so.0",
    "libGLdispatch.so.0",
    "libICE.so.6",
    "libOpenGL.so.0",
    "libSM.so.6",
    "libX11-xcb.so.1",
    "libX11.so.6",
    "libanl.so.1",
    "libasound.so.2",
    "libc.so.6",
    "libcom_err.so.2",
    "libdl.so.2",
    "libdrm.so.2",
    "libexpat.so.1",
    "libfontconfig.so.1",
    "libfreetype.so.6",
    "libfribidi.so.0",
    "libgbm.so.1",
    "libgcc_s.so.1",
    "libglapi.so.0",
    "libgmp.so.10",
    "libgpg-error.so.0",
    "libharfbuzz.so.0",
    "libm.so.6",
    "libmvec.so.1",
    "libpthread.so.0",
    "libresolv.so.2",
    "librt.so.1",
    "libstdc++.so.6",
    "libusb-1.0.so.0",
    "libutil.so.1",
    "libuuid.so.1",
    "libxcb-dri2.so.0",
    "libxcb-dri3.so.0",
    "libxcb.so.1",
    "libz.so.1",
];

/// The libraries in a folder, and where each was found.
#[derive(Debug)]
pub(super) struct Libraries {
    folder: PathBuf,
    found: BTreeMap<String, PathBuf>,
    /// The files that were copied, and their copies.
    copies: Vec<(PathBuf, PathBuf)>,
}

impl Libraries {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, found: BTreeMap::new(), copies: Vec::new() }
    }

    /// The folder that they are in.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder of the system with a library.
    pub(super) fn folder_of(&self, name: &str) -> Result<PathBuf> {
        let path = self.found.get(name).with_context(|| format!("the window needs no {name}"))?;
        let path = fs::canonicalize(path)?;
        Ok(path.parent().context("a library is in a folder")?.to_owned())
    }

    /// Copies a program or module, and the libraries that it needs.
    pub(super) fn add(&mut self, from: &Path, to: &Path) -> Result<()> {
        fs::copy(from, to).with_context(|| format!("could not copy: {}", from.display()))?;
        self.copies.push((from.to_owned(), to.to_owned()));
        self.add_needs(from)
    }

    /// Copies the libraries that a file of the system needs, directly or by another.
    pub(super) fn add_needs(&mut self, file: &Path) -> Result<()> {
        for (name, path) in needs(&Command::new("ldd").arg(file).capture()?)? {
            if is_of_the_system(&name) || self.found.contains_key(&name) {
                continue;
            }
            let copy = self.folder.join(&name);
            fs::copy(&path, &copy).with_context(|| format!("could not copy: {}", path.display()))?;
            self.copies.push((path.clone(), copy));
            self.found.insert(name, path);
        }
        Ok(())
    }

    /// Replaces the paths of the system that a library has in it: with such a path, it ignores its program's.
    pub(super) fn forget_own_paths(&self) -> Result<()> {
        for (_, copy) in &self.copies {
            let own = Command::new("patchelf").arg("--print-rpath").arg(copy).capture()?;
            if own.trim().starts_with('/') {
                find_beside(copy, "$ORIGIN")?;
            }
        }
        Ok(())
    }

    /// Copies the licences of the packages of Debian that the files are from.
    pub(super) fn add_licences(&self, folder: &Path) -> Result<()> {
        let mut search = Command::new("dpkg-query").arg("--search");
        for (from, _) in &self.copies {
            // A package may have a file under another path, as /lib is a link to /usr/lib.
            let file = fs::canonicalize(from)?;
            let name = file.file_name().context("a library has a name")?;
            search = search.arg(format!("*/{}", name.to_string_lossy()));
        }
        let found = search.capture().context("whose libraries these are is only known on Debian")?;
        for package in packages(&found) {
            let licence = Path::new("/usr/share/doc").join(package).join("copyright");
            let own = folder.join(package);
            fs::create_dir_all(&own)?;
            let copied = fs::copy(&licence, own.join("copyright"));
            copied.with_context(|| format!("could not copy: {}", licence.display()))?;
        }
        Ok(())
    }
}

fn is_of_the_system(name: &str) -> bool {
    OF_THE_SYSTEM.contains(&name) || name.starts_with("libwayland-")
}

/// The packages in what `dpkg-query --search` says.
pub(super) fn packages(said: &str) -> BTreeSet<&str> {
    let names =
        said.lines().filter_map(|line| line.split_once(": /")).flat_map(|(names, _)| names.split(", "));
    names.map(|name| name.split(':').next().unwrap_or(name)).collect()
}

/// The names and paths in what `ldd` says. Fails if a library is missing.
pub(super) fn needs(said: &str) -> Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    for line in said.lines() {
        let Some((name, path)) = line.trim().split_once(" => ") else { continue };
        ensure!(path.starts_with('/'), "the system has no {name}");
        let path = path.rsplit_once(" (").map_or(path, |(path, _address)| path);
        found.push((name.to_owned(), PathBuf::from(path)));
    }
    Ok(found)
}
