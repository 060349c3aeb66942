//! Tests of what makes an `AppImage`, and of the script that starts it.

use std::process::Output;

use super::libraries::{needs, packages};
use super::*;

/// Runs `AppRun` in a folder with programs that print their name, arguments and surroundings.
fn start(variables: &[(&str, &str)], arguments: &[&str]) -> (PathBuf, String) {
    let place = tempfile::tempdir().unwrap();
    let folder = fs::canonicalize(place.path()).unwrap().join("Mooring.AppDir");
    fs::create_dir_all(folder.join("usr/bin")).unwrap();
    let script = Workspace::find().unwrap().root.join("src-tauri/linux/AppRun");
    fs::copy(script, folder.join("AppRun")).unwrap();
    for name in crate::binaries::COMPANIONS.iter().chain(&[DESKTOP]) {
        let program = folder.join("usr/bin").join(name);
        let body = "#!/bin/sh\necho \"$(basename \"$0\") $*\"\npwd\nenv\n";
        fs::write(&program, body).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    }
    fs::write(place.path().join("tides.mcpb"), "").unwrap();
    let output = run_in(place.path(), &folder.join("AppRun"), variables, arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (folder, String::from_utf8(output.stdout).unwrap())
}

#[expect(clippy::disallowed_methods, reason = "no server is started")]
fn run_in(place: &Path, program: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    let path = std::env::var_os("PATH").unwrap();
    let variables = variables.iter().copied();
    let mut command = std::process::Command::new(program);
    command.env_clear().env("PATH", path).envs(variables).args(arguments).current_dir(place);
    command.output().unwrap()
}

#[test]
fn the_image_opens_the_window_with_whole_paths() {
    let (folder, said) = start(&[("OWD", "/x")], &["tides.mcpb", "mooring://add", "--hidden"]);
    let file = folder.parent().unwrap().join("tides.mcpb");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], format!("mooring-desktop {} mooring://add --hidden", file.display()));
    assert_eq!(lines[1], folder.join("usr").display().to_string());
    assert!(lines.contains(&&*format!("APPDIR={}", folder.display())), "{said}");
    // What another program must not inherit has a path in the image, by which Mooring knows it.
    let added = lines[2..].iter().filter(|line| {
        !["PATH", "PWD", "OLDPWD", "_", "SHLVL"].iter().any(|name| line.starts_with(&format!("{name}=")))
    });
    for line in added {
        assert!(line.split_once('=').unwrap().1.starts_with(folder.to_str().unwrap()), "{line}");
    }
    for absent in ["LD_LIBRARY_PATH", "GDK_BACKEND", "OWD", "XDG_DATA_DIRS"] {
        assert!(!said.contains(&format!("\n{absent}=")), "{said}");
    }
}

#[test]
fn the_image_is_also_the_command_line_and_the_bridge() {
    let (folder, said) = start(&[], &["mooring", "tools", "a b"]);
    assert!(said.starts_with("mooring tools a b\n"), "{said}");
    assert!(!said.contains("GIO_MODULE_DIR"), "{said}");
    assert!(said.lines().nth(1) == folder.parent().unwrap().to_str(), "{said}");
    let (_, said) = start(&[], &["mooring-bridge"]);
    assert!(said.starts_with("mooring-bridge \n"), "{said}");
}

#[test]
fn an_unpacked_image_is_not_taken_for_another() {
    let (_, said) = start(&[("APPIMAGE", "/x.AppImage"), ("APPDIR", "/x"), ("ARGV0", "mooring")], &[]);
    assert!(said.starts_with("mooring-desktop \n"), "{said}");
    assert!(!said.contains("\nAPPIMAGE=") && !said.contains("\nARGV0="), "{said}");
}

#[test]
fn libraries_are_read_from_what_the_linker_says() {
    let said =
        "\tlinux-vdso.so.1 (0x7)\n\tlibz.so.1 => /lib/libz.so.1 (0x7)\n\t/lib64/ld-linux-x86-64.so.2 (0x7)\n";
    assert_eq!(needs(said).unwrap(), [("libz.so.1".to_owned(), PathBuf::from("/lib/libz.so.1"))]);
    let error = needs("\tlibgone.so.2 => not found\n").unwrap_err();
    assert_eq!(error.to_string(), "the system has no libgone.so.2");
}

#[test]
fn a_path_in_a_library_is_replaced_by_one_as_long() {
    let place = relative_place("/usr/lib/x86_64-linux-gnu").unwrap();
    assert_eq!((place.len(), place.starts_with("./"), place.ends_with("//lib")), (25, true, true));
    assert!(relative_place("/lib").is_err());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("library");
    fs::write(&file, "\0/usr/lib/x\0..\0/usr/lib/x/y\0").unwrap();
    replace_bytes(&file, b"/usr/lib/x", b".//////lib").unwrap();
    assert_eq!(fs::read(&file).unwrap(), b"\0.//////lib\0..\0.//////lib/y\0");
    assert!(replace_bytes(&file, b"/usr/lib/x", b".//////lib").is_err());
}

#[test]
fn modules_are_listed_by_their_file_names() {
    let list = "# made by\n# LoaderDir = /usr/lib\n\n\"/usr/lib/loaders/libpixbufloader-svg.so\"\n\"svg\" 6 \"gdk-pixbuf\"\n";
    let paths: Vec<_> = list.split("\n\n").map(module_path).collect();
    assert_eq!(paths, [None, Some("/usr/lib/loaders/libpixbufloader-svg.so")]);
}

#[test]
fn packages_of_libraries_are_read_from_the_database() {
    let said = "libx1:amd64: /lib/libx.so.1\nlibx1:amd64, libx-alt: /usr/lib/libx.so.1.2\n";
    let found: Vec<_> = packages(said).into_iter().collect();
    assert_eq!(found, ["libx-alt", "libx1"]);
}
