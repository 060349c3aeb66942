//! Analyses our code once. Cargo calls this program instead of the compiler for the workspace's packages. It
//! runs clippy on each and saves the arguments, so that rustdoc can use the same dependencies later.
//!
//! Cargo alone would analyse everything three times: `cargo clippy` and `cargo doc` can't reuse the results
//! of `cargo build`, not even those of dependencies.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::command::Command;
use crate::workspace::Workspace;

/// The folder of the saved calls. Cargo sets this variable when it starts this program as the compiler.
const CALLS: &str = "MOORING_RUSTC_CALLS";
/// Clippy's separator between its arguments.
const SEPARATOR: &str = "__CLIPPY_HACKERY__";
/// The compiler's arguments that rustdoc also accepts, with their values.
const SHARED: [&str; 7] =
    ["--crate-name", "--crate-type", "--cfg", "--check-cfg", "--extern", "-L", "--edition"];

/// How cargo called the compiler for one target.
#[derive(Debug, Serialize, Deserialize)]
struct Call {
    arguments: Vec<String>,
    /// Cargo's variables about the package, and the output folder of its build script.
    environment: Vec<(String, String)>,
}

/// The environment that makes cargo compile this repository's packages with clippy.
pub(crate) fn environment(workspace: &Workspace) -> Result<[(&'static str, OsString); 3]> {
    let calls = calls(workspace);
    fs::create_dir_all(&calls).with_context(|| format!("could not make: {}", calls.display()))?;
    // A copy, because the build replaces this program, and it is missing for a moment.
    let this = env::current_exe().context("this program has no path")?;
    let wrapper = workspace.target.join("checks").join(format!("clippy{}", env::consts::EXE_SUFFIX));
    let fresh = wrapper.with_extension("new");
    fs::copy(&this, &fresh)
        .and_then(|_| fs::rename(&fresh, &wrapper))
        .with_context(|| format!("could not write: {}", wrapper.display()))?;
    Ok([
        ("RUSTC_WORKSPACE_WRAPPER", wrapper.into()),
        (CALLS, calls.into()),
        ("CLIPPY_ARGS", format!("--deny{SEPARATOR}warnings{SEPARATOR}").into()),
    ])
}

fn calls(workspace: &Workspace) -> PathBuf {
    workspace.target.join("checks/rustc")
}

/// Compiles if cargo started this program instead of the compiler. Otherwise returns `None`.
pub(crate) fn as_compiler() -> Option<ExitCode> {
    let calls = PathBuf::from(env::var_os(CALLS)?);
    let arguments: Vec<String> = env::args().skip(1).collect();
    let is_compiler = arguments
        .first()
        .is_some_and(|first| Path::new(first).file_stem().is_some_and(|name| name == "rustc"));
    is_compiler.then(|| match compile(&calls, &arguments) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    })
}

/// Whether this variable of cargo describes the package. The job server is only for the compiler.
fn is_of_package(name: &str) -> bool {
    name.starts_with("CARGO_") && name != "CARGO_MAKEFLAGS" || name == "OUT_DIR"
}

fn compile(calls: &Path, arguments: &[String]) -> Result<ExitCode> {
    let of_package = || env::vars().filter(|(name, _)| is_of_package(name));
    let clippy = Command::new("clippy-driver").args(arguments);
    let status =
        of_package().fold(clippy, |clippy, (name, value)| clippy.env(&name, value)).quiet_status()?;
    if status.success()
        && let Some(name) = documented(arguments)
    {
        let call = Call {
            arguments: arguments.iter().skip(1).cloned().collect(),
            environment: of_package().collect(),
        };
        let file = calls.join(format!("{name}.json"));
        fs::write(&file, serde_json::to_vec(&call)?)
            .with_context(|| format!("could not write: {}", file.display()))?;
    }
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}

/// The name to save a call under. `None` for tests, examples and build scripts, which have no documentation.
fn documented(arguments: &[String]) -> Option<String> {
    let value = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).map(String::as_str)
    };
    let (name, kind) = (value("--crate-name")?, value("--crate-type")?);
    let source = arguments.iter().find(|argument| is_source(argument))?;
    let is_other = arguments.iter().any(|argument| argument == "--test")
        || name.starts_with("build_script_")
        || Path::new(source)
            .components()
            .any(|part| part.as_os_str() == "examples" || part.as_os_str() == "benches");
    (!is_other).then(|| format!("{name}-{kind}"))
}

fn is_source(argument: &str) -> bool {
    !argument.starts_with('-') && Path::new(argument).extension().is_some_and(|extension| extension == "rs")
}

/// Builds the documentation of all compiled targets, on all processors. A warning is an error.
pub(crate) fn document(workspace: &Workspace) -> Result<()> {
    let folder = calls(workspace);
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder).with_context(|| format!("no directory: {}", folder.display()))? {
        files.push(entry?.path());
    }
    if files.is_empty() {
        bail!("nothing was compiled");
    }
    files.sort();
    let at_once = thread::available_parallelism().map_or(2, usize::from);
    let shares: Vec<Vec<&PathBuf>> =
        (0..at_once).map(|share| files.iter().skip(share).step_by(at_once).collect()).collect();
    let failed: Vec<String> = thread::scope(|scope| {
        let works: Vec<_> = shares
            .into_iter()
            .map(|files| {
                scope.spawn(move || {
                    let document = |file: &PathBuf| document_one(workspace, file).err();
                    files
                        .into_iter()
                        .filter_map(document)
                        .map(|error| format!("{error:#}"))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        works
            .into_iter()
            .flat_map(|work| work.join().unwrap_or_else(|_| vec!["it panicked".to_owned()]))
            .collect()
    });
    if failed.is_empty() { Ok(()) } else { bail!("{}", failed.join("\n")) }
}

fn document_one(workspace: &Workspace, file: &Path) -> Result<()> {
    let call: Call = serde_json::from_slice(&fs::read(file)?)
        .with_context(|| format!("can’t be read: {}", file.display()))?;
    let Some(source) = call.arguments.iter().find(|argument| is_source(argument)) else {
        bail!("it names no source: {}", file.display());
    };
    // The source was removed since then.
    if !workspace.root.join(source).is_file() {
        return fs::remove_file(file).with_context(|| format!("could not remove: {}", file.display()));
    }
    let mut rustdoc = Command::new("rustdoc").arg(source).directory(&workspace.root);
    let mut arguments = call.arguments.iter().peekable();
    while let Some(argument) = arguments.next() {
        if SHARED.contains(&argument.as_str()) {
            rustdoc = rustdoc.arg(argument).args(arguments.next());
        } else if argument.starts_with("--edition=") {
            rustdoc = rustdoc.arg(argument);
        }
    }
    if call.arguments.iter().any(|argument| argument == "bin") {
        // Everything in a program is private, including the targets of its links.
        rustdoc = rustdoc.args(["--document-private-items", "--allow", "rustdoc::private-intra-doc-links"]);
    }
    for (name, value) in &call.environment {
        rustdoc = rustdoc.env(name, value);
    }
    rustdoc
        .args(["--deny", "warnings", "--out-dir"])
        .arg(workspace.target.join("checks/doc"))
        .capture()
        .map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_and_programs_are_documented_and_nothing_else() {
        let call = |line: &str| documented(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        let library = "rustc --crate-name a --edition=2024 crates/a/src/lib.rs --crate-type lib --cfg x";
        assert_eq!(call(library).as_deref(), Some("a-lib"));
        assert_eq!(call("rustc --crate-name b src/main.rs --crate-type bin").as_deref(), Some("b-bin"));
        for other in [
            "rustc -vV",
            "rustc --crate-name a crates/a/src/lib.rs --crate-type lib --test",
            "rustc --crate-name a crates/a/examples/a.rs --crate-type bin",
            "rustc --crate-name build_script_build build.rs --crate-type bin",
        ] {
            assert_eq!(call(other), None, "{other}");
        }
    }
}
