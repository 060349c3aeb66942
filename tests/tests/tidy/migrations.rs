//! Migrations are only ever added: a list next to them contains their hashes.

use std::collections::BTreeSet;
use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::source::{Source, sources};
use crate::{assert_found, assert_none};

/// Compares migrations with the list, which has the format of `sha256sum`.
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

/// All migrations in order.
fn migrations() -> Vec<Source> {
    let mut migrations = sources(&["sql"]);
    migrations.retain(|source| source.path.starts_with("migrations/"));
    migrations.sort_by(|left, right| left.path.cmp(&right.path));
    assert!(!migrations.is_empty(), "no migrations found");
    migrations
}

#[test]
fn no_migration_changed_since_it_was_listed() {
    let migrations = migrations();
    let lists = sources(&["txt"]);
    let list = lists.iter().find(|source| source.path == "migrations/hashes.txt").unwrap();
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

/// The tables that exist after all migrations.
fn tables(migrations: &[Source]) -> BTreeSet<&str> {
    let mut tables = BTreeSet::new();
    for line in migrations.iter().flat_map(|migration| migration.text.lines()) {
        let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        match words.as_slice() {
            ["CREATE", "TABLE", name, ..] => drop(tables.insert(*name)),
            ["DROP", "TABLE", name, ..] => drop(tables.remove(name)),
            ["ALTER", "TABLE", before, "RENAME", "TO", name, ..] => {
                tables.remove(before);
                tables.insert(name);
            }
            _ => {}
        }
    }
    tables
}

/// The tables that are missing in the document's list.
fn unlisted_tables(migrations: &[Source], document: &str) -> Vec<String> {
    let named: Vec<&str> = document.lines().filter(|line| line.starts_with("| `")).collect();
    let is_named = |table: &str| {
        let words =
            |line: &str| line.split('|').nth(1).is_some_and(|cell| cell.contains(&format!("`{table}`")));
        named.iter().any(|line| words(line))
            || (table.starts_with("log_") && named.iter().any(|line| line.contains("`log_*`")))
    };
    tables(migrations)
        .into_iter()
        .filter(|table| !is_named(table))
        .map(|table| format!("{table}: ADR 0012 does not say what a program that writes it would get"))
        .collect()
}

#[test]
fn adr_0012_lists_every_table() {
    let migrations = migrations();
    let documents = sources(&["md"]);
    let document = documents.iter().find(|source| source.path.starts_with("docs/adr/0012-")).unwrap();
    assert!(tables(&migrations).len() > 20, "the tables were not found");
    assert_none(&unlisted_tables(&migrations, &document.text));
}

#[test]
fn a_table_that_is_not_listed_is_found() {
    let migrations = [
        Source::sample(
            "migrations/0001_start.sql",
            "CREATE TABLE old (\n);\nCREATE TABLE log_row (\n);\nDROP TABLE old;",
        ),
        Source::sample(
            "migrations/0002_next.sql",
            "CREATE TABLE new (\n);\nALTER TABLE new RENAME TO server;",
        ),
    ];
    assert_none(&unlisted_tables(&migrations, "| `server`: all | a | b |\n| `log`, `log_*` | evidence |"));
    assert_found(&unlisted_tables(&migrations, "| `log_*` | of `server` |"), "server");
}
