//! Unpacked bundles: their folders, versions, programs and removal.

use std::fs;
use std::ops::ControlFlow;

use super::zips::{Member, write_zip};
use super::{MANIFEST, Sandbox, go_on};
use crate::{Bundle, BundleErrorCode, CleaningLock, InstallLock, UnpackProgress, find_installed};

fn open_with_manifest(sandbox: &Sandbox, manifest: &str, members: &[Member]) -> Bundle {
    let mut all = vec![Member::file("manifest.json", manifest)];
    all.extend_from_slice(members);
    Bundle::open(&sandbox.write("other.mcpb", &write_zip(&all))).unwrap()
}

#[test]
fn a_bundle_is_unpacked_once_to_its_own_folder() {
    let sandbox = Sandbox::new();
    let members = [Member::folder("empty/"), Member::stored("server/lib/tide.js", "flow")];
    let bundle = sandbox.open(&members).unwrap();
    let installed = bundle.unpack(&sandbox.target(), &mut go_on).unwrap();
    let digest = &bundle.sha256()[..12];
    let folder = format!("bundles/harbour/1.2.0-{digest}");
    assert_eq!(installed.digest_start(), digest);
    let expected =
        ["", "/empty", "/manifest.json", "/server", "/server/index.js", "/server/lib", "/server/lib/tide.js"];
    let mut expected: Vec<String> = expected.iter().map(|end| format!("{folder}{end}")).collect();
    expected.splice(0..0, ["bundles".to_owned(), "bundles/harbour".to_owned()]);
    assert_eq!(sandbox.list(), expected);
    assert_eq!(fs::read_to_string(installed.folder().join("server/lib/tide.js")).unwrap(), "flow");
    let index = installed.folder().join("server/index.js");
    fs::write(&index, "changed by its owner").unwrap();
    assert_eq!(sandbox.open(&members).unwrap().unpack(&sandbox.target(), &mut go_on).unwrap(), installed);
    assert_eq!(fs::read_to_string(&index).unwrap(), "changed by its owner");
    assert_eq!(sandbox.list(), expected);
    assert_eq!(installed.read_manifest().unwrap(), *bundle.manifest());
}

#[test]
fn versions_are_beside_each_other_until_removed() {
    let sandbox = Sandbox::new();
    assert!(find_installed(&sandbox.target()).unwrap().is_empty());
    let one = open_with_manifest(&sandbox, MANIFEST, &[]).unpack(&sandbox.target(), &mut go_on).unwrap();
    let newer = MANIFEST.replace("1.2.0", "1.10.0");
    let two = open_with_manifest(&sandbox, &newer, &[]).unpack(&sandbox.target(), &mut go_on).unwrap();
    // Its version is the same, but not its content.
    let changed = [Member::file("a.txt", "a")];
    let three = open_with_manifest(&sandbox, &newer, &changed).unpack(&sandbox.target(), &mut go_on).unwrap();
    let other = MANIFEST.replace("harbour", "quay");
    let quay = open_with_manifest(&sandbox, &other, &[]).unpack(&sandbox.target(), &mut go_on).unwrap();
    let found = find_installed(&sandbox.target()).unwrap();
    assert_eq!(found.len(), 4);
    assert!([&one, &two, &three, &quay].iter().all(|it| found.contains(it)));
    two.remove().unwrap();
    two.remove().unwrap();
    assert_eq!(find_installed(&sandbox.target()).unwrap().len(), 3);
    for installed in [one, three, quay] {
        installed.remove().unwrap();
    }
    assert_eq!(sandbox.list(), ["bundles"]);
}

#[test]
fn folders_have_safe_names() {
    let sandbox = Sandbox::new();
    let mut folders = Vec::new();
    for (name, version) in [
        ("../../evil", "../1"),
        ("Filesystem", "1.0.0 beta/2"),
        ("filesystem", ".."),
        ("con", "nul"),
        (".hidden", "1"),
        ("漢字", "1"),
        ("a b", "1"),
        ("a_b", "1"),
    ] {
        let manifest = MANIFEST.replace("harbour", name).replace("1.2.0", version);
        let installed =
            open_with_manifest(&sandbox, &manifest, &[]).unpack(&sandbox.target(), &mut go_on).unwrap();
        let inside = installed.folder().strip_prefix(sandbox.target()).unwrap();
        let parts: Vec<&str> = inside.iter().map(|part| part.to_str().unwrap()).collect();
        assert_eq!(parts.len(), 2, "{parts:?}");
        let is_safe =
            |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "-_.+".contains(letter);
        assert!(parts.iter().all(|part| part.chars().all(is_safe) && !part.starts_with('.')), "{parts:?}");
        folders.push(parts.first().unwrap().to_string());
    }
    assert_eq!(folders.last().unwrap(), "a_b");
    folders.sort();
    folders.dedup();
    assert_eq!(folders.len(), 8, "each name has its own folder: {folders:?}");
    assert_eq!(find_installed(&sandbox.target()).unwrap().len(), 8);
}

#[test]
fn what_an_ended_process_left_is_removed() {
    let sandbox = Sandbox::new();
    let target = sandbox.target();
    assert!(CleaningLock::try_acquire(&target).unwrap().is_none(), "there is nothing to clean");
    let kept = sandbox.open(&[]).unwrap().unpack(&target, &mut go_on).unwrap();
    let unused = open_with_manifest(&sandbox, &MANIFEST.replace("harbour", "quay"), &[]);
    unused.unpack(&target, &mut go_on).unwrap();
    let left = [target.join("harbour/.unfinished-a/server"), target.join("pier/.unfinished-b")];
    for left in &left {
        fs::create_dir_all(left).unwrap();
    }
    let installing = InstallLock::acquire(&target).unwrap();
    let other = InstallLock::acquire(&target).unwrap();
    assert!(CleaningLock::try_acquire(&target).unwrap().is_none(), "another process unpacks a bundle");
    drop((installing, other));
    let cleaning = CleaningLock::try_acquire(&target).unwrap().unwrap();
    cleaning.remove_unused(|installed| *installed == kept).unwrap();
    drop(cleaning);
    assert!(left.iter().all(|left| !left.exists()));
    assert_eq!(find_installed(&target).unwrap(), [kept]);
    CleaningLock::try_acquire(&target).unwrap().unwrap().remove_unused(|_| false).unwrap();
    assert_eq!(sandbox.list(), ["bundles", "bundles/.lock"]);
}

#[test]
fn unpacking_is_watched_and_can_be_cancelled() {
    let sandbox = Sandbox::new();
    let mut members: Vec<Member> =
        (0..600).map(|number| Member::stored(&format!("files/{number}"), "content")).collect();
    members.push(Member::file("large", vec![1; 1 << 20]));
    let bundle = sandbox.open(&members).unwrap();
    for end in [1, 300, 602, 603] {
        let error = bundle
            .unpack(&sandbox.target(), &mut |progress| {
                if progress.done == end { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
            .unwrap_err();
        assert_eq!(error.code(), BundleErrorCode::Cancelled);
        assert_eq!(sandbox.list(), ["bundles"]);
    }
    let mut seen = Vec::new();
    let installed = bundle.unpack(&sandbox.target(), &mut |progress| {
        seen.push(progress);
        ControlFlow::Continue(())
    });
    assert!(installed.unwrap().folder().join("files/599").is_file());
    assert!(seen.is_sorted_by_key(|progress| progress.done));
    assert_eq!(seen.last(), Some(&UnpackProgress { done: 603, total: 603 }));
}

#[test]
fn a_folder_that_is_a_link_is_not_followed() {
    #[cfg(unix)]
    {
        let sandbox = Sandbox::new();
        let elsewhere = sandbox.root.path().join("elsewhere");
        fs::create_dir_all(&elsewhere).unwrap();
        fs::create_dir_all(sandbox.target()).unwrap();
        std::os::unix::fs::symlink(&elsewhere, sandbox.target().join("harbour")).unwrap();
        sandbox.open(&[]).unwrap().unpack(&sandbox.target(), &mut go_on).unwrap_err();
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
    }
}

#[cfg(unix)]
#[test]
fn only_programs_can_be_executed() {
    use std::os::unix::fs::PermissionsExt as _;
    let members = [
        Member::file("server/run", "run"),
        Member::file("server/helper", "help").with_mode(0o104_755),
        Member::file("server/data", "data"),
        Member::file("server/other", "other").with_mode(0o100_777),
    ];
    let check = |kind: &str, command: &str, entry_point: &str, expected: &[&str]| {
        let sandbox = Sandbox::new();
        let manifest = MANIFEST
            .replace(
                "\"node\",\n        \"entry_point\": \"server/index.js\"",
                &format!("\"{kind}\",\n \"entry_point\": \"{entry_point}\""),
            )
            .replace("\"command\": \"node\"", &format!("\"command\": \"{command}\""));
        let installed =
            open_with_manifest(&sandbox, &manifest, &members).unpack(&sandbox.target(), &mut go_on).unwrap();
        let mut found = Vec::new();
        for name in ["run", "helper", "data", "other"] {
            let mode =
                fs::metadata(installed.folder().join("server").join(name)).unwrap().permissions().mode();
            assert_eq!(mode & 0o7002, 0, "{name}");
            if mode & 0o111 != 0 {
                found.push(name);
            }
        }
        assert_eq!(found, expected, "{kind} {command}");
    };
    check("node", "node", "server/index.js", &[]);
    check("binary", "server/run", "server/run", &["run", "helper", "other"]);
    check("binary", "${__dirname}/server/data", "server/run", &["run", "helper", "data", "other"]);
    check("python", "${__dirname}${/}server/run", "server/main.py", &["run"]);
}

#[test]
fn a_file_of_a_bundle_is_read_without_unpacking() {
    let sandbox = Sandbox::new();
    let bundle = sandbox.open(&[Member::file("icon.png", [7; 100])]).unwrap();
    assert_eq!(bundle.read_file("./icon.png", 100).unwrap(), Some(vec![7; 100]));
    assert_eq!(bundle.read_file("none.png", 100).unwrap(), None);
    bundle.read_file("icon.png", 99).unwrap_err();
    assert!(bundle.file_bytes() > 300);
}
