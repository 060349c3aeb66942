//! Runs commands: prints each before it starts, reports failures with their exit code, and can save the
//! output.

use std::collections::VecDeque;
use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, PipeReader, Read, Write};
use std::mem;
use std::path::Path;
use std::process::{self, Child, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::output;

/// How many bytes of a logged command's output are saved, counted from its end.
const TAIL_BYTES: usize = 16 * 1024;
/// How long to read on after a command ended, because child processes may still have its output open.
const DRAIN: Duration = Duration::from_secs(2);

/// A program with its arguments, directory and environment.
#[derive(Debug)]
pub(crate) struct Command {
    inner: process::Command,
    line: String,
}

/// The result of a logged command.
#[derive(Debug)]
pub(crate) struct LoggedOutput {
    /// `None` if it exceeded its time limit and was killed.
    pub(crate) status: Option<ExitStatus>,
    /// All lines that name a failed test.
    pub(crate) failures: Vec<String>,
    /// The end of the output.
    pub(crate) tail: String,
}

/// The saved part of a running command's output.
#[derive(Debug, Default)]
struct Kept {
    tail: VecDeque<u8>,
    line: Vec<u8>,
    failures: Vec<String>,
}

impl Kept {
    fn add(&mut self, bytes: &[u8]) {
        self.tail.extend(bytes);
        let excess = self.tail.len().saturating_sub(TAIL_BYTES);
        self.tail.drain(..excess);
        for &byte in bytes {
            if byte != b'\n' {
                self.line.push(byte);
                continue;
            }
            let line = output::plain(&String::from_utf8_lossy(&self.line)).trim().to_owned();
            self.line.clear();
            if names_failure(&line) && !self.failures.contains(&line) {
                self.failures.push(line);
            }
        }
    }
}

/// Whether Node's, Vitest's or Rust's test runner names a failed test in this line.
fn names_failure(line: &str) -> bool {
    line.starts_with("✖ ") && line != "✖ failing tests:"
        || line.starts_with("FAIL ")
        || line.starts_with("test ") && line.ends_with(" FAILED")
}

/// A running program. Dropping this kills it.
#[derive(Debug)]
pub(crate) struct RunningCommand {
    child: Child,
    line: String,
}

impl Command {
    #[expect(
        clippy::disallowed_methods,
        reason = "tasks start cargo, npm and the like; no server is started here"
    )]
    pub(crate) fn new(program: impl Into<OsString>) -> Self {
        let program = program.into();
        let line = program.to_string_lossy().into_owned();
        let short = Path::new(&line).file_name().map(|name| name.to_string_lossy().into_owned());
        let mut inner = process::Command::new(program);
        // `cargo run` sets these variables for this package. A nested cargo would take them for a change.
        for (name, _) in env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
                inner.env_remove(&name);
            }
        }
        Self { inner, line: short.unwrap_or(line) }
    }

    pub(crate) fn arg(mut self, argument: impl Into<OsString>) -> Self {
        let argument = argument.into();
        self.line.push(' ');
        self.line.push_str(&argument.to_string_lossy());
        self.inner.arg(argument);
        self
    }

    pub(crate) fn args(self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        arguments.into_iter().fold(self, Self::arg)
    }

    pub(crate) fn directory(mut self, directory: &Path) -> Self {
        self.inner.current_dir(directory);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.inner.env(name, value.into());
        self
    }

    /// Runs the command with this process's terminal or capture file. An error names the command and its exit
    /// code.
    pub(crate) fn run(mut self) -> Result<()> {
        output::line(format_args!("  $ {}", self.line));
        if let Some(kept) = output::capture_file()? {
            self.inner.stdin(Stdio::null()).stdout(kept.try_clone()?).stderr(kept);
        }
        let status = self.inner.status().with_context(|| format!("could not start: {}", self.line))?;
        if status.success() {
            return Ok(());
        }
        bail!("{}: {}", describe_exit(status), self.line)
    }

    /// Runs the command with this process's terminal and returns the exit status.
    pub(crate) fn status(mut self) -> Result<ExitStatus> {
        println!("  $ {}", self.line);
        self.inner.status().with_context(|| format!("could not start: {}", self.line))
    }

    /// Runs the command with this process's terminal without printing its line, and returns the exit status.
    pub(crate) fn quiet_status(mut self) -> Result<ExitStatus> {
        self.inner.status().with_context(|| format!("could not start: {}", self.line))
    }

    /// Runs the command silently and returns its output. An error includes its standard error.
    pub(crate) fn capture(mut self) -> Result<String> {
        let output = self
            .inner
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("could not start: {}", self.line))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let complaint = String::from_utf8_lossy(&output.stderr);
        bail!("{}: {}\n{}", describe_exit(output.status), self.line, complaint.trim())
    }

    /// Whether the command starts and succeeds. Prints nothing.
    pub(crate) fn succeeds(mut self) -> bool {
        let status = self.inner.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    }

    /// Runs the command with its output in the file `log`. Returns `None` if it was killed after `limit`.
    pub(crate) fn run_within(mut self, limit: Duration, log: &Path) -> Result<Option<ExitStatus>> {
        let log = File::create(log).with_context(|| format!("could not write: {}", log.display()))?;
        self.inner.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let mut child = self.inner.spawn().with_context(|| format!("could not start: {}", self.line))?;
        let deadline = Instant::now() + limit;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(Some(status));
            }
            if Instant::now() >= deadline {
                child.kill()?;
                child.wait()?;
                return Ok(None);
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Starts the command with its standard error in the file `log`.
    pub(crate) fn start(mut self, log: &Path) -> Result<RunningCommand> {
        let log = File::create(log).with_context(|| format!("could not write: {}", log.display()))?;
        self.inner.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        let child = self.inner.spawn().with_context(|| format!("could not start: {}", self.line))?;
        Ok(RunningCommand { child, line: self.line })
    }

    /// Runs the command for at most `limit`, prints its output, and saves the end of it.
    pub(crate) fn run_logged(mut self, limit: Duration) -> Result<LoggedOutput> {
        output::line(format_args!("  $ {}", self.line));
        let kept = output::capture_file()?;
        let (reader, writer) = io::pipe()?;
        self.inner.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
        let mut child = self.inner.spawn().with_context(|| format!("could not start: {}", self.line))?;
        drop(self); // closes its ends of the pipe
        let log = Arc::default();
        let closed = copy(reader, kept, Arc::clone(&log));

        let deadline = Instant::now() + limit;
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break Some(status);
            }
            if Instant::now() >= deadline {
                child.kill()?;
                child.wait()?;
                break None;
            }
            match closed.recv_timeout(Duration::from_millis(50)) {
                Err(RecvTimeoutError::Timeout) => {}
                // The pipe is closed, so the command has ended or is about to.
                Ok(()) | Err(RecvTimeoutError::Disconnected) => thread::sleep(Duration::from_millis(5)),
            }
        };
        // A background process may keep the pipe open forever. Its later output is ignored.
        let _ = closed.recv_timeout(DRAIN);
        let Kept { tail, failures, .. } = mem::take(&mut *log.lock().unwrap_or_else(PoisonError::into_inner));
        let bytes: Vec<u8> = tail.into();
        Ok(LoggedOutput { status, failures, tail: String::from_utf8_lossy(&bytes).into_owned() })
    }
}

impl RunningCommand {
    /// Waits for the first line of output. Later output is lost.
    pub(crate) fn first_line(&mut self) -> Result<String> {
        let mut first = String::new();
        if let Some(printed) = self.child.stdout.take() {
            BufReader::new(printed).read_line(&mut first)?;
        }
        if first.trim().is_empty() {
            bail!("printed nothing: {}", self.line);
        }
        Ok(first.trim().to_owned())
    }

    /// Fails if the program has ended.
    pub(crate) fn check_running(&mut self) -> Result<()> {
        match self.child.try_wait()? {
            Some(status) => bail!("{}: {}", describe_exit(status), self.line),
            None => Ok(()),
        }
    }
}

impl Drop for RunningCommand {
    fn drop(&mut self) {
        // It may already have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// For example "exit code 3" or "signal: 9 (SIGKILL)".
pub(crate) fn describe_exit(status: ExitStatus) -> String {
    status.code().map_or_else(|| status.to_string(), |code| format!("exit code {code}"))
}

/// Copies to this process's output, or to its capture file, and into `log`. Runs on its own thread until the
/// pipe closes.
fn copy(mut reader: PipeReader, mut kept: Option<File>, log: Arc<Mutex<Kept>>) -> Receiver<()> {
    let (sender, closed) = mpsc::channel();
    thread::spawn(move || {
        let mut buffer = [0; 8192];
        while let Ok(count @ 1..) = reader.read(&mut buffer) {
            let bytes = buffer.get(..count).unwrap_or_default();
            // A closed terminal must not abort the checks.
            let _ = if let Some(file) = &mut kept {
                file.write_all(bytes)
            } else {
                let mut out = io::stdout().lock();
                out.write_all(bytes).and_then(|()| out.flush())
            };
            log.lock().unwrap_or_else(PoisonError::into_inner).add(bytes);
        }
        let _ = sender.send(());
    });
    closed
}
