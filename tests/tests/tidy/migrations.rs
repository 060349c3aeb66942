//! Migrations are only ever added: the list beside them holds the hash of each.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::source::{Source, sources};
use crate::{assert_found, assert_none};

/// Holds migrations against the list, whose lines are as `sha256sum` prints them.
fn changed(list: &str, migrations: &[Source]) -> Vec<String> {
    let mut offences = Vec::new();
    for (number, migration) in (1..).zip(migrations) {
        let name = migration.path.rsplit('/').next().unwrap_or_default();
        if !name.starts_with(&format!("{number:04}_")) {
            offences.push(format!("{name}: expected number {number:04}"));
        }
        let mut hash = String::new();
        for byte in Sha256::digest(migration.text.as_bytes()) {
            write!(hash, "{byte:02x}").unwrap();
        }
        if !list.lines().any(|line| line == format!("{hash}  {name}")) {
            offences.push(format!("{name}: changed, or not yet in migrations/hashes.txt: {hash}  {name}"));
        }
    }
    let listed = list.lines().filter(|line| !line.trim().is_empty()).count();
    if listed > migrations.len() {
        offences.push(format!("hashes.txt lists {listed} migrations, there are {}", migrations.len()));
    }
    offences
}

#[test]
fn no_migration_changed_since_it_was_listed() {
    let mut migrations = sources(&["sql"]);
    migrations.retain(|source| source.path.starts_with("migrations/"));
    migrations.sort_by(|left, right| left.path.cmp(&right.path));
    let lists = sources(&["txt"]);
    let list = lists.iter().find(|source| source.path == "migrations/hashes.txt").unwrap();
    assert!(!migrations.is_empty(), "no migrations found");
    assert_none(&changed(&list.text, &migrations));
}

#[test]
fn a_changed_a_missing_and_a_misnumbered_migration_are_found() {
    let first = || Source::sample("migrations/0001_start.sql", "abc");
    let list = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  0001_start.sql\n";
    assert_none(&changed(list, &[first()]));
    assert_found(&changed(list, &[Source::sample("migrations/0001_start.sql", "other")]), "changed");
    assert_found(&changed(list, &[]), "lists 1");
    let renamed = list.replace("0001", "0003");
    assert_found(
        &changed(&renamed, &[Source::sample("migrations/0003_start.sql", "abc")]),
        "expected number 0001",
    );
}
