//! A directory to run things in, and helpers that inspect processes.

use mooring_process::{SearchPath, ServerProcess, SpawnOptions, spawn};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::time::{Instant, sleep};

/// Longer than anything here takes on a busy machine.
pub(crate) const AMPLE: Duration = Duration::from_mins(1);

pub(crate) struct TestDir(TempDir);

impl TestDir {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// `sh -c script` in this directory.
    pub(crate) fn shell(&self, script: &str) -> SpawnOptions {
        self.program(Path::new("/bin/sh"), &["-c", script])
    }

    pub(crate) fn program(&self, program: &Path, args: &[&str]) -> SpawnOptions {
        SpawnOptions {
            program: program.to_owned(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            env: BTreeMap::new(),
            cwd: self.path().to_owned(),
            search: SearchPath::from_environment(),
        }
    }

    /// Writes an executable file. A process of its own does it: a file that is open for writing
    /// here could be inherited by a process that another test is just starting, and would then
    /// be busy.
    pub(crate) async fn executable(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path().join(name);
        let mut writer = spawn(&self.shell(&format!("cat > {name} && chmod 755 {name}"))).unwrap();
        writer.stdin.write_all(content.as_bytes()).await.unwrap();
        drop(writer.stdin);
        assert!(writer.control.wait().await.success());
        path
    }
}

/// Everything that the server prints until it ends.
pub(crate) async fn output(spawn_: &SpawnOptions) -> String {
    let mut server = spawn(spawn_).unwrap();
    drop(server.stdin);
    let mut text = String::new();
    server.stdout.read_to_string(&mut text).await.unwrap();
    server.control.wait().await;
    text
}

/// The first `count` lines that the server prints, as process ids.
pub(crate) async fn pids(server: &mut ServerProcess, count: usize) -> Vec<u32> {
    let mut lines = BufReader::new(&mut server.stdout).lines();
    let mut pids = Vec::new();
    for _ in 0..count {
        pids.push(lines.next_line().await.unwrap().unwrap().trim().parse().unwrap());
    }
    pids
}

pub(crate) fn is_alive(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

pub(crate) fn alive(pids: &[u32]) -> Vec<u32> {
    pids.iter().copied().filter(|pid| is_alive(*pid)).collect()
}

/// Waits for the end of processes that are not our children.
pub(crate) async fn all_end(pids: &[u32]) {
    let deadline = Instant::now() + AMPLE;
    while !alive(pids).is_empty() {
        assert!(Instant::now() < deadline, "still alive: {:?}", alive(pids));
        sleep(Duration::from_millis(5)).await;
    }
}
