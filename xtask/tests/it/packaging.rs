//! Checks the installers' configuration: every file exists, and the desktop entry starts the window. `cargo
//! xtask package` builds and installs them.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sha2::{Digest, Sha256};

/// The directory that paths of the configuration are relative to.
fn shell() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../src-tauri")
}

fn configuration() -> Value {
    serde_json::from_str(&fs::read_to_string(shell().join("tauri.conf.json")).unwrap()).unwrap()
}

fn is_there(path: &str) {
    let found = fs::metadata(shell().join(path));
    assert!(found.is_ok_and(|found| found.is_file() && found.len() > 0), "not there, or empty: {path}");
}

#[test]
fn every_icon_that_an_installer_needs_is_there_in_its_size() {
    let configuration = configuration();
    let icons: Vec<&str> = configuration["bundle"]["icon"]
        .as_array()
        .unwrap()
        .iter()
        .map(|icon| icon.as_str().unwrap())
        .collect();
    for kind in ["32x32.png", "128x128.png", "128x128@2x.png", "icon.icns", "icon.ico"] {
        assert!(icons.iter().any(|icon| icon.ends_with(kind)), "{kind}: {icons:?}");
    }
    for entry in fs::read_dir(shell().join("../icons")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let used = icons.iter().any(|icon| icon.ends_with(&format!("/{name}")));
        assert!(used || name.starts_with("mooring.svg"), "nothing uses the icon {name}");
    }
    for icon in icons {
        is_there(icon);
        let Some((_, size)) =
            icon.rsplit('/').next().and_then(|name| name.strip_suffix(".png")).map(|name| {
                let (size, double) = name.split_once('@').map_or((name, false), |(size, _)| (size, true));
                let edge: u32 = size.split('x').next().unwrap().parse().unwrap();
                (name, if double { edge * 2 } else { edge })
            })
        else {
            continue;
        };
        // A PNG has its width and height at a fixed position.
        let bytes = fs::read(shell().join(icon)).unwrap();
        let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!((number(16), number(20)), (size, size), "{icon}");
    }
}

#[test]
fn linux_package_files_exist_and_install_where_desktops_look() {
    let configuration = configuration();
    for kind in ["deb", "rpm"] {
        let package = &configuration["bundle"]["linux"][kind];
        let files = package["files"].as_object().unwrap();
        for (place, file) in files {
            assert!(place.starts_with("/usr/share/"), "{place}");
            is_there(file.as_str().unwrap());
        }
        for place in ["/usr/share/metainfo/", "/usr/share/icons/hicolor/scalable/apps/"] {
            assert!(files.keys().any(|file| file.starts_with(place)), "{kind} installs nothing in {place}");
        }
        for licence in ["/LICENSE-MIT", "/LICENSE-APACHE", "/LICENSE-Inter", "/LICENSE-JetBrains-Mono"] {
            assert!(files.keys().any(|file| file.ends_with(licence)), "{kind} brings no {licence}");
        }
    }
}

#[test]
fn a_linux_package_brings_a_browser_opener_and_certificates() {
    let configuration = configuration();
    for kind in ["deb", "rpm"] {
        let depends = configuration["bundle"]["linux"][kind]["depends"].as_array().unwrap();
        for needed in ["ca-certificates", "xdg-utils"] {
            assert!(depends.iter().any(|name| name == needed), "{kind}: {depends:?}");
        }
    }
}

#[test]
fn desktop_entry_starts_the_window_by_name_in_both_languages() {
    let configuration = configuration();
    for kind in ["deb", "rpm"] {
        let path = configuration["bundle"]["linux"][kind]["desktopTemplate"].as_str().unwrap();
        let entry = fs::read_to_string(shell().join(path)).unwrap();
        let value = |key: &str| {
            let line = entry.lines().find_map(|line| line.strip_prefix(&format!("{key}=")));
            line.unwrap_or_else(|| panic!("no {key} in {path}")).to_owned()
        };
        assert_eq!(entry.lines().next(), Some("[Desktop Entry]"));
        // The bundler fills in the window's binary, the icon and the name.
        let filled = (value("Type"), value("Exec"), value("Icon"), value("Name"), value("Terminal"));
        // `%u` is the link that it is opened with.
        let expected = ("Application", "{{exec}} %u", "{{icon}}", "{{name}}", "false");
        assert_eq!((&*filled.0, &*filled.1, &*filled.2, &*filled.3, &*filled.4), expected, "{path}");
        assert!(value("Categories").ends_with(';') && !value("Comment[zh_CN]").is_empty());
        assert_eq!(value("MimeType"), "x-scheme-handler/mooring;application/x-mcpb;", "{path}");
    }
    assert_eq!(configuration["productName"], "Mooring");
    assert_eq!(configuration["identifier"], "app.mooring.desktop");
}

#[test]
fn every_installer_kind_is_configured_with_existing_files() {
    let configuration = configuration();
    let bundle = &configuration["bundle"];
    assert_eq!(bundle["active"], true);
    let kinds: Vec<&str> =
        bundle["targets"].as_array().unwrap().iter().map(|kind| kind.as_str().unwrap()).collect();
    for kind in ["deb", "rpm", "dmg", "msi", "nsis"] {
        assert!(kinds.contains(&kind), "{kind}: {kinds:?}");
    }
    let mut named = Vec::new();
    paths(bundle, &mut named);
    for path in &named {
        is_there(path);
    }
    for file in ["linux/mooring.desktop", "linux/copyright", "../icons/icon.icns", "../icons/icon.ico"] {
        assert!(named.iter().any(|path| path == file), "{file}: {named:?}");
    }
}

/// Collects the paths in a configuration. All relative paths contain a slash. URLs, absolute paths and kinds of
/// files are skipped.
fn paths(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) if text.contains('/') && !text.contains([' ', ':']) && !text.starts_with('/') => {
            found.push(text.clone());
        }
        Value::Array(items) => items.iter().for_each(|item| paths(item, found)),
        Value::Object(members) => {
            let other = members.iter().filter(|(name, _)| *name != "mimeType");
            other.for_each(|(_, member)| paths(member, found));
        }
        _ => {}
    }
}

#[test]
fn the_icons_are_drawn_from_the_drawing_as_it_is() {
    let icons = shell().join("../icons");
    let mut hash = String::new();
    for byte in Sha256::digest(fs::read(icons.join("mooring.svg")).unwrap()) {
        write!(hash, "{byte:02x}").unwrap();
    }
    let noted = fs::read_to_string(icons.join("mooring.svg.sha256")).unwrap();
    assert_eq!(noted, format!("{hash}  mooring.svg\n"), "icons/mooring.svg changed: run `cargo xtask icons`");
}
