//! Starts a server with its pipes, its directory and a short list of variables.

use crate::command::{is_usable_directory, unique_marker};
use crate::control::ServerProcess;
use crate::environment::{inherited_variables, merge_variables, own_variables};
use crate::files::{former_limit, raise_file_limit};
use crate::launch::launch_server;
use crate::plan::LaunchPlan;
use crate::search_path::SearchPath;
use crate::tree::{MARKER, platform};
use mooring_words::{Sentence, io_error_sentence, say};
use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// The program to start, with its arguments, variables and directory.
#[derive(Clone, PartialEq, Eq)]
pub struct SpawnOptions {
    /// The absolute path of the program, from [`resolve`](crate::resolve).
    pub program: PathBuf,
    /// The program's arguments, without its name.
    pub args: Vec<String>,
    /// Variables declared in the server's settings. They override inherited ones.
    pub env: BTreeMap<String, String>,
    /// The absolute path of the directory in which the program runs.
    pub cwd: PathBuf,
    /// The value of the program's `PATH`.
    pub search: SearchPath,
}

impl fmt::Debug for SpawnOptions {
    /// Shows only the names of variables and the number of arguments, because their values may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpawnOptions")
            .field("program", &self.program)
            .field("args", &self.args.len())
            .field("env", &self.env.keys())
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}

/// Why a server could not be started.
#[derive(Debug)]
pub enum SpawnError {
    /// The program's path is not absolute, so it was not resolved.
    NotAbsolute {
        /// The program.
        program: PathBuf,
    },
    /// The working directory does not exist.
    WorkingDirectory {
        /// The directory.
        cwd: PathBuf,
    },
    /// A declared variable cannot be passed to a program.
    Variable {
        /// The variable's name.
        name: String,
    },
    /// The program is gone.
    NotFound {
        /// The program.
        program: PathBuf,
    },
    /// The program is a script, and the interpreter in its first line does not exist.
    Interpreter {
        /// The script.
        program: PathBuf,
    },
    /// The system does not allow running the program.
    NotPermitted {
        /// The program.
        program: PathBuf,
    },
    /// The file is not a program that this system can run.
    Format {
        /// The file.
        program: PathBuf,
    },
    /// The interpreter of batch files would interpret a character in an argument (Windows).
    Batch {
        /// The batch file.
        program: PathBuf,
        /// The unsafe character in the argument.
        character: char,
    },
    /// Any other error of the system.
    Io {
        /// The program.
        program: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl SpawnError {
    /// The error as a sentence for the person.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::NotAbsolute { program } => {
                say!("the program isn’t an absolute path: {program}", program = program.to_string_lossy())
            }
            Self::WorkingDirectory { cwd } => {
                say!("the working directory doesn’t exist: {path}", path = cwd.to_string_lossy())
            }
            Self::Variable { name } => {
                say!("this name or value can’t be an environment variable: {name}", name)
            }
            Self::NotFound { program } => {
                say!("the program doesn’t exist: {program}", program = program.to_string_lossy())
            }
            Self::Interpreter { program } => say!(
                "the interpreter named in the first line doesn’t exist: {program}",
                program = program.to_string_lossy()
            ),
            Self::NotPermitted { program } => {
                say!("not permitted to run: {program}", program = program.to_string_lossy())
            }
            Self::Format { program } => say!(
                "not a program for this system (a script needs a first line like #!/bin/sh): {program}",
                program = program.to_string_lossy()
            ),
            Self::Batch { program, character } => say!(
                "arguments of a batch file can’t contain {character}, which would be run: {program}",
                character = format!("{character:?}"),
                program = program.to_string_lossy()
            ),
            Self::Io { program, source } => say!(
                "couldn’t be started: {program}: {reason}",
                program = program.to_string_lossy(),
                reason = io_error_sentence(source)
            ),
        }
    }
}

impl fmt::Display for SpawnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentence().fmt(f)
    }
}

impl Error for SpawnError {}

/// Starts a server in a new process group, with the inherited variables of
/// [`is_inherited`](crate::is_inherited), the declared variables, and no open files except its pipes. Needs a
/// running tokio runtime.
pub fn spawn(spawn: &SpawnOptions) -> Result<ServerProcess, SpawnError> {
    let program = || spawn.program.clone();
    if !spawn.program.is_absolute() {
        return Err(SpawnError::NotAbsolute { program: program() });
    }
    if !is_usable_directory(&spawn.cwd) {
        return Err(SpawnError::WorkingDirectory { cwd: spawn.cwd.clone() });
    }
    if let Some(name) = spawn.env.iter().find_map(invalid_variable_name) {
        return Err(SpawnError::Variable { name });
    }
    raise_file_limit();
    let marker = unique_marker();
    let mut plan = LaunchPlan {
        program: program(),
        args: spawn.args.clone(),
        env: build_environment(spawn, &marker),
        cwd: spawn.cwd.clone(),
        files: former_limit(),
    };
    platform::replace_batch_file(&mut plan)
        .map_err(|character| SpawnError::Batch { program: program(), character })?;
    launch_server(&plan, &marker).map_err(|source| to_spawn_error(spawn, source))
}

/// All environment variables of a server.
fn build_environment(spawn: &SpawnOptions, marker: &str) -> Vec<(OsString, OsString)> {
    let declared = spawn.env.iter().map(|(name, value)| (name.into(), value.into()));
    let variables = inherited_variables(own_variables())
        .chain([("PATH".into(), spawn.search.to_env())])
        .chain(declared)
        .chain([(MARKER.into(), marker.into())]);
    merge_variables(variables, cfg!(windows))
}

/// The name of the variable, if it can't be passed to a program.
fn invalid_variable_name((name, value): (&String, &String)) -> Option<String> {
    let bad = name.is_empty() || name.contains(['=', '\0']) || value.contains('\0');
    bad.then(|| name.clone())
}

/// Finds the reason for the system's error.
fn to_spawn_error(spawn: &SpawnOptions, source: io::Error) -> SpawnError {
    let program = spawn.program.clone();
    match source.kind() {
        io::ErrorKind::NotFound if program.exists() => SpawnError::Interpreter { program },
        io::ErrorKind::NotFound => SpawnError::NotFound { program },
        io::ErrorKind::PermissionDenied => SpawnError::NotPermitted { program },
        _ if platform::is_format_error(&source) => SpawnError::Format { program },
        _ => SpawnError::Io { program, source },
    }
}
