//! Released migrations never change.

use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::fs;
use std::path::Path;

#[test]
fn every_migration_is_listed_with_its_hash_and_none_has_changed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations");
    let mut names: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "hashes.txt")
        .collect();
    names.sort();
    let mut actual = String::new();
    for name in names {
        for byte in Sha256::digest(fs::read(folder.join(&name)).unwrap()) {
            write!(actual, "{byte:02x}").unwrap();
        }
        writeln!(actual, "  {name}").unwrap();
    }
    let listed = fs::read_to_string(folder.join("hashes.txt")).unwrap();
    assert_eq!(
        listed, actual,
        "a migration was changed, or a new one is not in hashes.txt (sha256sum *.sql)"
    );
}
