//! Zip files made to do harm. Each is refused with its reason, and nothing is written.

use std::io;
use std::time::{Duration, Instant};

use super::zips::{Member, write_zip, write_zip_with_count};
use super::{Sandbox, go_on, with_server};
use crate::limits::Limits;
use crate::unpack::Unpacking;
use crate::{Bundle, BundleErrorCode};

#[track_caller]
fn check_refused(members: &[Member], reason: &str) {
    let sandbox = Sandbox::new();
    let error = sandbox.open(members).unwrap_err();
    assert_eq!(error.code(), BundleErrorCode::UnsafeEntry, "{error}");
    assert!(error.to_string().contains(reason), "{error}");
    assert!(sandbox.list().is_empty());
}

#[test]
fn paths_that_lead_elsewhere_are_refused() {
    for name in ["../evil.js", "server/../../evil.js", "..", "/etc/evil", "//host/share/evil"] {
        check_refused(&[Member::file(name, "evil")], "leads out of the bundle’s folder");
    }
    for name in
        ["C:evil.js", "C:/evil.js", "server\\..\\evil.js", "\\\\host\\evil", "a\0b", "index.js:stream"]
    {
        check_refused(&[Member::file(name, "evil")], "a character that file names can’t have");
    }
    for name in ["a//b", "./a", "a/./b", "//"] {
        let error = Sandbox::new().open(&[Member::file(name, "evil")]).unwrap_err();
        assert_eq!(error.code(), BundleErrorCode::UnsafeEntry, "{name}: {error}");
    }
    check_refused(&[Member::folder("../evil/")], "leads out of the bundle’s folder");
    check_refused(&[Member { name: b"pier\xe9".to_vec(), ..Member::file("", "evil") }], "isn’t valid UTF-8");
}

#[test]
fn names_that_some_systems_cannot_have_are_refused() {
    for name in ["CON", "nul.txt", "server/aux.js", "COM1", "lpt9.log", "com¹", "conin$", "NUL .txt"] {
        check_refused(&[Member::file(name, "")], "Windows keeps its name for a device");
    }
    for name in ["server./a", "a ", "server/a."] {
        check_refused(&[Member::file(name, "")], "ends with a dot or a space");
    }
    for name in ["what?", "a*b", "<a>", "a|b", "\"a\"", "bell\u{7}"] {
        check_refused(&[Member::file(name, "")], "a character that file names can’t have");
    }
    for name in ["a".repeat(256), format!("{}b", "a/".repeat(500))] {
        check_refused(&[Member::file(&name, "")], "too long");
    }
    for name in ["com10", "console.js", "lptx", "com", ".config", "a b", "ü", "a+b@1.2.js", "a/..b"] {
        Sandbox::new().open(&[Member::file(name, "")]).unwrap();
    }
}

#[test]
fn links_and_devices_are_refused() {
    check_refused(&[Member::stored("etc", "/etc").with_mode(0o120_777)], "it is a link");
    for mode in [0o020_666, 0o060_660, 0o010_644, 0o140_755] {
        check_refused(&[Member::file("device", "").with_mode(mode)], "isn’t a file or a folder");
    }
    check_refused(&[Member::file("folder", "").with_mode(0o040_755)], "a file and a folder at once");
    check_refused(&[Member::file("file/", "").with_mode(0o100_644)], "a file and a folder at once");
    check_refused(&[Member::file("full/", "text").with_mode(0o040_755)], "a file and a folder at once");
}

#[test]
fn names_that_are_equal_on_some_systems_are_refused() {
    let pair = |one: &str, other: &str| [Member::file(one, "1"), Member::file(other, "2")];
    check_refused(&pair("Readme.md", "README.md"), "its name equals that of “Readme.md”");
    check_refused(&pair("quai\u{e9}", "quaie\u{301}"), "its name equals that of");
    check_refused(&pair("lib/a", "LIB/b"), "its name equals that of “lib”");
    check_refused(&pair("ſ", "s"), "its name equals that of “ſ”");
    check_refused(&pair("a", "a"), "it is there twice");
    check_refused(&pair("a", "a/b"), "a file and a folder at once");
    check_refused(&pair("a/b", "a"), "a file and a folder at once");
    check_refused(&[Member::folder("a/"), Member::folder("a/")], "it is there twice");
    let fine =
        [Member::folder("a/"), Member::file("a/b", ""), Member::file("a/c/d", ""), Member::folder("a/c/")];
    Sandbox::new().open(&fine).unwrap();
}

#[test]
fn entries_that_share_bytes_are_refused() {
    let inner = Member::stored("inner.txt", "the inner text");
    let mut content = inner.header();
    content.extend(&inner.stored);
    let outer = Member::stored("outer.txt", content);
    let server_bytes: usize = with_server(&[]).iter().map(|it| it.header().len() + it.stored.len()).sum();
    let at = u32::try_from(server_bytes + outer.header().len()).unwrap();
    check_refused(&[outer, Member { header_at: Some(at), ..inner }], "shares bytes");
    let first = Member { header_at: Some(0), ..Member::file("manifest.json", super::MANIFEST) };
    let copy = Member { name: b"copy.json".to_vec(), ..first };
    check_refused(&[copy], "describes it in two different ways");
    let unlike = Member { local_name: Some(b"good.js".to_vec()), ..Member::file("evil.js", "evil") };
    check_refused(&[unlike], "describes it in two different ways");
}

#[test]
fn encrypted_and_unusual_entries_are_refused() {
    check_refused(&[Member { flags: 0x801, ..Member::file("a", "secret") }], "it is encrypted");
    check_refused(&[Member { method: 12, ..Member::file("a", "bzip2") }], "a method that bundles don’t use");
}

#[test]
fn a_hundred_thousand_files_are_refused_at_once() {
    let many: Vec<Member> = (0..100_000).map(|number| Member::stored(&format!("f/{number}"), "")).collect();
    let sandbox = Sandbox::new();
    for zip in [write_zip(&many), write_zip_with_count(&many, 3)] {
        let path = sandbox.write("many.mcpb", &zip);
        let before = Instant::now();
        let error = Bundle::open(&path).unwrap_err();
        assert!(before.elapsed() < Duration::from_secs(10));
        assert_eq!(error.code(), BundleErrorCode::TooLarge);
        assert_eq!(error.to_string(), "the bundle has more than 20000 files");
    }
    assert!(sandbox.list().is_empty());
}

#[test]
fn bombs_are_stopped_while_they_are_unpacked() {
    let limits = Limits { free_bytes: 1 << 20, ratio: 10, ..Limits::DEFAULT };
    let bomb = Member::file("bomb.bin", vec![0; 8 << 20]);
    let liar = Member { size: 10, ..bomb.clone() };
    // What is longer than it says is damaged before it is too large.
    for (bomb, code) in [(bomb, BundleErrorCode::TooLarge), (liar, BundleErrorCode::Unreadable)] {
        let sandbox = Sandbox::new();
        let bundle = sandbox.open_within(&[bomb], limits).unwrap();
        let error = bundle.unpack(&sandbox.target(), &mut go_on).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert_eq!(sandbox.list(), ["bundles"]);
    }
    let whole = Limits { unpacked_bytes: 4 << 20, ..Limits::DEFAULT };
    let sandbox = Sandbox::new();
    let parts: Vec<_> =
        (0..5).map(|part| Member::file(&format!("{part}.bin"), vec![part; 1 << 20])).collect();
    let error =
        sandbox.open_within(&parts, whole).unwrap().unpack(&sandbox.target(), &mut go_on).unwrap_err();
    assert_eq!(error.code(), BundleErrorCode::TooLarge);
    assert_eq!(sandbox.list(), ["bundles"]);
}

#[test]
fn a_manifest_that_is_a_bomb_is_refused() {
    let manifest = Member::file("manifest.json", vec![b' '; 2 << 20]);
    let sandbox = Sandbox::new();
    let error = Bundle::open(&sandbox.write("a.mcpb", &write_zip(&[manifest]))).unwrap_err();
    assert_eq!(error.code(), BundleErrorCode::TooLarge);
    let small = Limits { file_bytes: 100, ..Limits::DEFAULT };
    assert_eq!(sandbox.open_within(&[], small).unwrap_err().code(), BundleErrorCode::TooLarge);
}

/// A disk that is full.
struct FullDisk;

impl io::Write for FullDisk {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_named() {
    let mut watch = go_on;
    let copied = Unpacking::new(100, 1, &mut watch).copy(&mut &b"content"[..], &mut FullDisk);
    let error = copied.unwrap_err();
    assert_eq!(error.code(), BundleErrorCode::DiskFull);
    assert_eq!(error.to_string(), "the bundle can’t be unpacked: the disk is full");
}
