//! The committed TypeScript bindings match the generated ones.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn bindings_that_are_committed_equal_those_that_are_generated() {
    let directory = tempfile::tempdir().unwrap();
    let generated = directory.path().join("bindings");
    mooring_desktop::bindings::write(&generated).unwrap();
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui/src/ipc/bindings");
    let (generated, committed) = (texts(&generated), texts(&committed));
    let differing: Vec<_> = generated
        .keys()
        .chain(committed.keys())
        .filter(|path| generated.get(*path) != committed.get(*path))
        .collect();
    assert!(differing.is_empty(), "run `cargo xtask bindings`; these differ: {differing:?}");
}

/// The text of every file in a directory, by its relative path.
fn texts(directory: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(next) = pending.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
            } else {
                let text = fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
                found.insert(path.strip_prefix(directory).unwrap().to_owned(), text);
            }
        }
    }
    found
}
