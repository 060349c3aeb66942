//! What the installers are made of, read off their configuration: every file it names is there, and the desktop entry
//! starts the window. Building and installing one is left to `cargo xtask package`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

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
        // Width and height stand at a fixed place of every PNG.
        let bytes = fs::read(shell().join(icon)).unwrap();
        let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!((number(16), number(20)), (size, size), "{icon}");
    }
}

#[test]
fn every_file_that_a_linux_package_installs_is_there_and_lands_where_desktops_look() {
    let configuration = configuration();
    for kind in ["deb", "rpm", "appimage"] {
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
fn the_desktop_entry_starts_the_window_by_its_own_name_in_both_languages() {
    let configuration = configuration();
    for kind in ["deb", "rpm"] {
        let path = configuration["bundle"]["linux"][kind]["desktopTemplate"].as_str().unwrap();
        let entry = fs::read_to_string(shell().join(path)).unwrap();
        let value = |key: &str| {
            let line = entry.lines().find_map(|line| line.strip_prefix(&format!("{key}=")));
            line.unwrap_or_else(|| panic!("no {key} in {path}")).to_owned()
        };
        assert_eq!(entry.lines().next(), Some("[Desktop Entry]"));
        // The bundler puts the window's binary, the icon and the name in these places.
        let filled = (value("Type"), value("Exec"), value("Icon"), value("Name"), value("Terminal"));
        let expected = ("Application", "{{exec}}", "{{icon}}", "{{name}}", "false");
        assert_eq!((&*filled.0, &*filled.1, &*filled.2, &*filled.3, &*filled.4), expected, "{path}");
        assert!(value("Categories").ends_with(';') && !value("Comment[zh_CN]").is_empty());
    }
    assert_eq!(configuration["productName"], "Mooring");
    assert_eq!(configuration["identifier"], "app.mooring.desktop");
}

#[test]
fn the_command_line_and_the_demo_server_are_packed_beside_the_window() {
    let manifest = |path: &str| fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let packing = manifest("src/package.rs");
    assert!(packing.contains("externalBin"), "the companions are handed to the bundler");
    let companions = manifest("src/binaries.rs");
    for (name, member) in
        [("mooring", "../crates/cli/Cargo.toml"), ("mooring-demo-server", "../crates/demo-server/Cargo.toml")]
    {
        assert!(companions.contains(&format!("\"{name}\"")), "{name}");
        assert!(manifest(member).contains(&format!("name = \"{name}\"")), "{member} builds no {name}");
    }
}
