//! Files that are damaged, or aren't bundles at all.

use std::fs;

use super::zips::{Member, write_zip, write_zip_with_count};
use super::{MANIFEST, Sandbox, go_on, with_server};
use crate::{Bundle, BundleErrorCode};

#[track_caller]
fn check_unreadable(bytes: &[u8], reason: &str) {
    let sandbox = Sandbox::new();
    let error = Bundle::open(&sandbox.write("a.mcpb", bytes)).unwrap_err();
    assert_eq!(error.code(), BundleErrorCode::Unreadable, "{error}");
    assert!(error.to_string().contains(reason), "{error}");
}

#[test]
fn what_is_no_bundle_is_named_so() {
    for bytes in [&b""[..], b"PK", b"#!/bin/sh\nexit 1\n", &[0; 10_000]] {
        check_unreadable(bytes, "it isn’t a complete zip file");
    }
    check_unreadable(&write_zip(&[]), "it has no manifest.json");
    check_unreadable(&write_zip(&[Member::file("Manifest.json", MANIFEST)]), "it has no manifest.json");
    let nested =
        [Member::file("harbour/manifest.json", MANIFEST), Member::file("harbour/server/index.js", "")];
    check_unreadable(&write_zip(&nested), "is in the folder “harbour” and should be at the top");
    let sandbox = Sandbox::new();
    let error = Bundle::open(&sandbox.target()).unwrap_err();
    assert_eq!(error.to_string(), "the bundle can’t be read: it doesn’t exist");
    assert_eq!(Bundle::open(sandbox.root.path()).unwrap_err().code(), BundleErrorCode::Unreadable);
}

#[test]
fn a_cut_or_shifted_zip_file_is_refused() {
    let zip = write_zip(&with_server(&[Member::file("notes.txt", "ebb and flow")]));
    for end in 0..zip.len() {
        check_unreadable(&zip[..end], "");
    }
    check_unreadable(&[b"MZ".as_slice(), &zip].concat(), "");
    check_unreadable(&[&zip, b"tail".as_slice()].concat(), "its end doesn’t match");
    check_unreadable(&write_zip_with_count(&with_server(&[]), 3), "3 entries, 2 found");
    check_unreadable(&write_zip_with_count(&with_server(&[]), 1), "1 entries, 2 found");
}

#[test]
fn a_comment_of_the_zip_file_is_allowed() {
    let mut zip = write_zip(&with_server(&[]));
    let at = zip.len() - 2;
    zip.splice(at.., [5, 0]);
    zip.extend(b"hello");
    let sandbox = Sandbox::new();
    Bundle::open(&sandbox.write("a.mcpb", &zip)).unwrap();
}

#[test]
fn damaged_content_leaves_nothing() {
    let good = Member::file("data.txt", "ebb and flow");
    let wrong_sum = Member { checksum: 7, ..good.clone() };
    let wrong_size = Member { size: 5, ..good.clone() };
    let garbage = Member { stored: vec![0xff; 40], ..good };
    for member in [wrong_sum, wrong_size, garbage] {
        let sandbox = Sandbox::new();
        let bundle = sandbox.open(&[Member::file("before/a.txt", "a"), member]).unwrap();
        let error = bundle.unpack(&sandbox.target(), &mut go_on).unwrap_err();
        assert_eq!(error.code(), BundleErrorCode::Unreadable, "{error}");
        assert_eq!(sandbox.list(), ["bundles"]);
    }
}

#[test]
fn a_file_that_changed_since_it_was_opened_is_refused() {
    let sandbox = Sandbox::new();
    let bundle = sandbox.open(&[Member::stored("data.txt", "ebb")]).unwrap();
    let path = sandbox.root.path().join("files/harbour.mcpb");
    let mut bytes = fs::read(&path).unwrap();
    // The time of an entry, which no checksum covers.
    bytes[10] ^= 1;
    fs::write(&path, bytes).unwrap();
    let error = bundle.unpack(&sandbox.target(), &mut go_on).unwrap_err();
    assert_eq!(error.code(), BundleErrorCode::Changed);
    assert_eq!(sandbox.list(), ["bundles"]);
}
