//! Finding the binaries of this workspace from a test of any package.
//!
//! Cargo tells a test only about the binaries of its own package, so they are looked up beside the
//! running test in the target directory, and built first when they are missing or older than their
//! source.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

/// Path of `mooring-scripted-server`, built on demand.
///
/// # Panics
///
/// When it can neither be found nor be built with `cargo build -p mooring-testkit`.
pub fn scripted_server_path() -> PathBuf {
    binary_path("mooring-testkit", "mooring-scripted-server")
}

/// Path of the binary `name` of the workspace package `package`, built on demand.
///
/// # Panics
///
/// When it can neither be found nor be built with `cargo build`.
pub fn binary_path(package: &str, name: &str) -> PathBuf {
    static FOUND: Mutex<Option<HashMap<String, PathBuf>>> = Mutex::new(None);
    // One thread at a time: two builds of the same binary would only wait for each other.
    let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    let found = found.get_or_insert_default();
    if let Some(path) = found.get(name) {
        return path.clone();
    }
    let profile = profile_directory();
    let path = profile.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    if !is_fresh(&path, package) {
        build(package, name, &profile);
    }
    assert!(
        path.is_file(),
        "{} does not exist: run `cargo build -p {package} --bin {name}` first",
        path.display()
    );
    found.insert(name.to_owned(), path.clone());
    path
}

/// `target/debug` or its like: tests run from `deps` or `examples` in it, binaries directly.
fn profile_directory() -> PathBuf {
    let test = std::env::current_exe().expect("the path of the running test is known");
    let parent = test.parent().expect("a test lies in a directory");
    match parent.file_name().and_then(|name| name.to_str()) {
        Some("deps" | "examples") => parent.parent().unwrap_or(parent),
        _ => parent,
    }
    .to_owned()
}

/// Whether the binary is newer than every source that it may be built from.
fn is_fresh(binary: &Path, package: &str) -> bool {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    // The scripted server depends on no other crate; the others are built from several.
    let source = if package == env!("CARGO_PKG_NAME") { crates.join("testkit") } else { crates };
    let Ok(built) = binary.metadata().and_then(|data| data.modified()) else {
        return false;
    };
    newest(&source).is_none_or(|changed| changed <= built)
}

fn newest(path: &Path) -> Option<SystemTime> {
    if path.is_file() {
        return path.metadata().and_then(|data| data.modified()).ok();
    }
    std::fs::read_dir(path).ok()?.flatten().filter_map(|entry| newest(&entry.path())).max()
}

fn build(package: &str, name: &str, profile: &Path) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let target = profile.parent().expect("a profile lies in a target directory");
    let kind = match profile.file_name().and_then(|name| name.to_str()) {
        None | Some("debug") => "dev",
        Some(other) => other,
    };
    #[expect(clippy::disallowed_methods, reason = "a test builds the binary it is about to start")]
    let status = std::process::Command::new(cargo)
        // All that the package has: one may need another beside it.
        .args(["build", "--quiet", "--package", package, "--bins", "--profile", kind])
        .arg("--target-dir")
        .arg(target)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .status();
    match status {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("cargo build -p {package} --bins failed: {status}"),
        Err(error) => panic!("cargo could not be started to build {name}: {error}"),
    }
}
