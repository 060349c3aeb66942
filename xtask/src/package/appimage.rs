//! Makes an `AppImage`: a folder with the programs, the web view and every library that not every desktop
//! has, and one file with that folder in it.
//!
//! The programs find their libraries by a path relative to themselves, without `LD_LIBRARY_PATH`, which
//! everything that they start would inherit. `src-tauri/linux/AppRun` says what else the libraries need.

mod libraries;

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use self::libraries::Libraries;
use crate::binaries::DESKTOP;
use crate::command::Command;
use crate::workspace::Workspace;

/// The desktop entry, named like the application: KDE finds a window's icon by this name.
pub(super) const ENTRY: &str = "app.mooring.desktop.desktop";
/// The entry's name in the other packages, which the bundler chooses.
const BUNDLED_ENTRY: &str = "Mooring.desktop";
/// The mark in the program of the kind of package that it is in, which the updater reads: unknown, and ours.
const KIND: (&[u8], &[u8]) = (b"__TAURI_BUNDLE_TYPE_VAR_UNK", b"__TAURI_BUNDLE_TYPE_VAR_APP");
/// The web view's processes.
const HELPERS: [&str; 2] = ["WebKitNetworkProcess", "WebKitWebProcess"];
/// Plugins that play the sounds in a tool's result.
const PLUGINS: [&str; 18] = [
    "app",
    "audioconvert",
    "audioparsers",
    "audioresample",
    "autodetect",
    "coreelements",
    "flac",
    "id3demux",
    "isomp4",
    "mpg123",
    "ogg",
    "opus",
    "playback",
    "pulseaudio",
    "typefindfunctions",
    "volume",
    "vorbis",
    "wavparse",
];

/// Makes the folder from the unpacked .deb, and the image from the folder where its runtime is given.
pub(super) fn make(workspace: &Workspace, built: &Path, made: &Path, runtime: Option<&Path>) -> Result<()> {
    let folder = made.join("appimage/Mooring.AppDir");
    fs::create_dir_all(made.join("appimage"))?;
    let unpacked = unpacked_deb(&made.join("deb"))?;
    Command::new("cp").arg("--archive").arg(&unpacked).arg(&folder).run()?;
    let program = folder.join("usr/bin").join(DESKTOP);
    fs::copy(built.join(DESKTOP), &program)?;
    replace_bytes(&program, KIND.0, KIND.1)?;
    add_entry(workspace, &folder)?;
    add_libraries(&folder, &program)?;

    let name = unpacked.parent().and_then(Path::file_name).context("the .deb has a name")?;
    let image = made.join("appimage").join(format!("{}.AppImage", name.to_string_lossy()));
    if let Some(runtime) = runtime {
        return pack(&folder, runtime, &image);
    }
    println!(
        "\n{}: only the folder of the AppImage was made. The image starts with a program that no package registry \
         has: download it from https://github.com/AppImage/type2-runtime, and name it with --runtime.",
        workspace.relative_path(&folder)
    );
    Ok(())
}

/// The folder with a .deb's files, which the bundler leaves.
fn unpacked_deb(made: &Path) -> Result<PathBuf> {
    for entry in fs::read_dir(made).with_context(|| format!("no directory: {}", made.display()))? {
        let data = entry?.path().join("data");
        if data.is_dir() {
            return Ok(data);
        }
    }
    bail!("the bundler left no unpacked .deb")
}

/// The program that starts the image, its desktop entry and its icon.
fn add_entry(workspace: &Workspace, folder: &Path) -> Result<()> {
    let start = folder.join("AppRun");
    fs::copy(workspace.root.join("src-tauri/linux/AppRun"), &start)?;
    fs::set_permissions(&start, fs::Permissions::from_mode(0o755))?;
    let entries = folder.join("usr/share/applications");
    fs::rename(entries.join(BUNDLED_ENTRY), entries.join(ENTRY))?;
    let description = folder.join("usr/share/metainfo/app.mooring.desktop.metainfo.xml");
    let text = fs::read_to_string(&description)?.replace(BUNDLED_ENTRY, ENTRY);
    fs::write(&description, text)?;
    symlink(format!("usr/share/applications/{ENTRY}"), folder.join(ENTRY))?;
    let icons = Path::new("usr/share/icons/hicolor");
    symlink(icons.join("scalable/apps/mooring-desktop.svg"), folder.join("mooring-desktop.svg"))?;
    symlink(icons.join("256x256@2/apps/mooring-desktop.png"), folder.join(".DirIcon"))?;
    Ok(())
}

/// The web view, its processes, plugins and settings, and every library that they need.
fn add_libraries(folder: &Path, program: &Path) -> Result<()> {
    let inside = folder.join("usr/lib");
    let plugins = inside.join("gstreamer-1.0");
    let modules = inside.join("gio-modules");
    for place in [&plugins, &modules] {
        fs::create_dir_all(place)?;
    }
    let mut libraries = Libraries::new(inside.clone());
    libraries.add_needs(program)?;
    let system = libraries.folder_of("libwebkit2gtk-4.1.so.0")?;

    let (helpers, own) = (system.join("webkit2gtk-4.1"), inside.join("webkit2gtk-4.1"));
    fs::create_dir_all(own.join("injected-bundle"))?;
    for helper in HELPERS {
        libraries.add(&helpers.join(helper), &own.join(helper))?;
        find_beside(&own.join(helper), "$ORIGIN/..")?;
    }
    let bundle = "injected-bundle/libwebkit2gtkinjectedbundle.so";
    libraries.add(&helpers.join(bundle), &own.join(bundle))?;
    let place = system.to_string_lossy();
    let (absolute, relative) = (format!("{place}/webkit2gtk-4.1"), relative_place(&place)?);
    replace_bytes(
        &inside.join("libwebkit2gtk-4.1.so.0"),
        absolute.as_bytes(),
        format!("{relative}/webkit2gtk-4.1").as_bytes(),
    )?;

    let scanner = inside.join("gst-plugin-scanner");
    libraries.add(&system.join("gstreamer1.0/gstreamer-1.0/gst-plugin-scanner"), &scanner)?;
    find_beside(&scanner, "$ORIGIN")?;
    for name in PLUGINS {
        let file = format!("libgst{name}.so");
        libraries.add(&system.join("gstreamer-1.0").join(&file), &plugins.join(&file))?;
    }
    // The person's theme and fonts, on Wayland.
    let dconf = "libdconfsettings.so";
    libraries.add(&system.join("gio/modules").join(dconf), &modules.join(dconf))?;
    add_modules(&mut libraries, &system.join("gdk-pixbuf-2.0/2.10.0/loaders.cache"), |file| {
        file == "libpixbufloader-svg.so"
    })?;
    add_modules(&mut libraries, &system.join("gtk-3.0/3.0.0/immodules.cache"), |_| true)?;
    libraries.forget_own_paths()?;
    libraries.add_licences(&folder.join("usr/share/doc"))?;
    find_beside(program, "$ORIGIN/../lib")?;

    let schemas = folder.join("usr/share/glib-2.0/schemas");
    fs::create_dir_all(schemas.parent().context("a folder has a parent")?)?;
    Command::new("cp").arg("--recursive").arg("/usr/share/glib-2.0/schemas").arg(&schemas).run()?;
    Command::new("glib-compile-schemas").arg(&schemas).run()
}

/// Copies the modules that a list names and `wanted` chooses. The copy of the list has their file names alone,
/// which the dynamic linker finds beside the other libraries.
fn add_modules(libraries: &mut Libraries, list: &Path, wanted: impl Fn(&str) -> bool) -> Result<()> {
    let text = fs::read_to_string(list).with_context(|| format!("could not read: {}", list.display()))?;
    let mut kept = String::new();
    for paragraph in text.split("\n\n") {
        let Some(path) = module_path(paragraph) else { continue };
        let name = path.rsplit('/').next().unwrap_or(path);
        if !wanted(name) {
            continue;
        }
        libraries.add(Path::new(path), &libraries.folder().join(name))?;
        kept.push_str(paragraph.replace(path, name).trim_start());
        kept.push_str("\n\n");
    }
    ensure!(!kept.is_empty(), "no module is in {}", list.display());
    let name = list.file_name().context("a list has a name")?;
    fs::write(libraries.folder().join(name), kept)?;
    Ok(())
}

/// The path of a module, which starts its paragraph in a list. Comments are before the first.
fn module_path(paragraph: &str) -> Option<&str> {
    let line = paragraph.lines().find(|line| !line.starts_with('#') && !line.trim().is_empty())?;
    let path = line.strip_prefix('"')?.split('"').next()?;
    Path::new(path).extension().is_some_and(|extension| extension == "so").then_some(path)
}

/// Lets a program find libraries in a folder relative to itself, and so everything that it loads. An `RPATH`
/// does this, a `RUNPATH` would only count for its own libraries.
fn find_beside(program: &Path, folder: &str) -> Result<()> {
    Command::new("patchelf").args(["--force-rpath", "--set-rpath", folder]).arg(program).run()
}

/// A path of the same length as an absolute one, which is the folder `lib` of the working directory: a
/// program has its length in its code.
fn relative_place(absolute: &str) -> Result<String> {
    let slashes = absolute.len().checked_sub(".lib".len()).filter(|count| *count > 0);
    let slashes = slashes.with_context(|| format!("too short to replace: {absolute}"))?;
    Ok(format!(".{}lib", "/".repeat(slashes)))
}

/// Replaces each place of some bytes in a file by as many others. Fails if there is none.
fn replace_bytes(file: &Path, from: &[u8], to: &[u8]) -> Result<()> {
    ensure!(from.len() == to.len(), "not of the same length");
    let mut bytes = fs::read(file).with_context(|| format!("could not read: {}", file.display()))?;
    let mut at = 0;
    let mut count = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| find_bytes(rest, from)) {
        let place = bytes.get_mut(at + found..at + found + from.len()).context("a place in the file")?;
        place.copy_from_slice(to);
        at += found + from.len();
        count += 1;
    }
    ensure!(count > 0, "{} has no {}", file.display(), String::from_utf8_lossy(from));
    fs::write(file, bytes)?;
    Ok(())
}

fn find_bytes(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

/// The image: its runtime, and behind it the folder.
fn pack(folder: &Path, runtime: &Path, image: &Path) -> Result<()> {
    let packed = image.with_extension("squashfs");
    Command::new("mksquashfs")
        .arg(folder)
        .arg(&packed)
        .args([
            "-root-owned",
            "-noappend",
            "-no-progress",
            "-quiet",
            "-comp",
            "zstd",
            "-Xcompression-level",
            "19",
        ])
        .run()?;
    fs::copy(runtime, image).with_context(|| format!("could not copy: {}", runtime.display()))?;
    let mut whole = File::options().append(true).open(image)?;
    io::copy(&mut File::open(&packed)?, &mut whole)?;
    fs::set_permissions(image, fs::Permissions::from_mode(0o755))?;
    fs::remove_file(packed)?;
    Ok(())
}

#[cfg(test)]
mod tests;
