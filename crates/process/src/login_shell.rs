//! The search path of the person's login shell.
//!
//! A program of the desktop does not have the `PATH` from the shell's start-up files, so it would not find
//! `npx`, `uvx` or version managers. The shell is asked once.

use crate::command::{Separation, new_command, start_tree, unique_marker};
use crate::environment::own_variables;
use crate::exit::ProcessExit;
use crate::search_path::{SearchPath, usual_directories};
use crate::tree::{StopSignal, Tree};
use mooring_words::{Sentence, io_error_sentence, say};
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::process::Child;
use tokio::time::{Instant, timeout_at};

/// How long the shell may take.
const LIMIT: Duration = Duration::from_secs(3);
/// How long the programs of start-up files may take to clean up after they were stopped.
const CLEAN_UP: Duration = Duration::from_millis(500);
/// The most bytes of output that are read before the path.
const MAX_OUTPUT: usize = 1024 * 1024;

/// The search path, and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginShellPath {
    /// The directories in which commands are searched.
    pub path: SearchPath,
    /// Where the path came from.
    pub source: PathSource,
}

/// Where a search path came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathSource {
    /// The login shell.
    Shell {
        /// The shell.
        shell: PathBuf,
    },
    /// The environment of this process and the usual directories, because the shell could not be asked.
    Environment {
        /// Why the shell could not be asked.
        reason: Sentence,
    },
}

/// Asks the login shell (`$SHELL -ilc`, three seconds) for its `PATH`. If that fails, uses the environment's
/// path and the usual directories, with the reason. Needs a running tokio runtime.
pub async fn login_shell_path() -> LoginShellPath {
    if cfg!(windows) {
        return fall_back_to_environment(say!("on Windows every program has the same PATH"));
    }
    match env::var_os("SHELL") {
        Some(shell) if !shell.is_empty() => match ask_shell(Path::new(&shell), LIMIT).await {
            Ok(path) => LoginShellPath { path, source: PathSource::Shell { shell: shell.into() } },
            Err(reason) => fall_back_to_environment(reason),
        },
        _ => fall_back_to_environment(say!("the variable SHELL isn’t set")),
    }
}

fn fall_back_to_environment(reason: Sentence) -> LoginShellPath {
    let mut path = SearchPath::from_environment();
    path.extend(usual_directories(env::home_dir().as_deref()));
    LoginShellPath { path, source: PathSource::Environment { reason } }
}

/// Runs the shell with its start-up files, and returns the path that it prints between two markers. Start-up
/// files may print other text before and after.
async fn ask_shell(shell: &Path, limit: Duration) -> Result<SearchPath, Sentence> {
    let name = shell.to_string_lossy().into_owned();
    if !shell.is_absolute() {
        return Err(say!("SHELL isn’t an absolute path: {name}", name));
    }
    let deadline = Instant::now() + limit;
    let marker = format!("mooring-path-{}", unique_marker());
    let mut command = new_command(shell);
    // This works in sh, bash, zsh and fish. `printf` combines the parts of the markers, so that a shell that
    // echoes its commands doesn't print whole markers.
    let question = format!("printf '%s<' {marker}; printenv PATH; printf '>%s' {marker}");
    command.arg("-ilc").arg(question).stdout(Stdio::piped()).env_clear().envs(own_variables());
    let (child, tree) = start_tree(command, &unique_marker(), Separation::Session).map_err(|error| {
        say!(
            "the shell {name} couldn’t be started: {reason}",
            name = &name,
            reason = io_error_sentence(&error)
        )
    })?;
    // The guard also ends the shell if this future is dropped before the shell has answered.
    let mut shell = scopeguard::guard(
        ShellProcess { child, tree, finished: false },
        ShellProcess::terminate_in_background,
    );
    let Ok(answer) = timeout_at(deadline, shell.read_answer(&marker)).await else {
        return Err(say!(
            "the shell {name} didn’t answer within {seconds} s",
            name,
            seconds = limit.as_secs_f32()
        ));
    };
    let answer = answer.map_err(|problem| say!("the shell {name} {problem}", name = &name, problem))?;
    // A shell that hangs after its answer is not an error.
    let _slow = timeout_at(deadline, shell.wait_for_exit()).await;
    let path = SearchPath::from_value(OsStr::new(&answer));
    if path.directories().is_empty() {
        return Err(say!("the shell {name} has an empty PATH", name));
    }
    Ok(path)
}

/// A shell that is being asked. If the shell has not finished, its tree is killed on drop. Otherwise,
/// programs that its start-up files left running (an agent, for instance) belong to the person and stay.
struct ShellProcess {
    child: Child,
    tree: Tree,
    finished: bool,
}

impl ShellProcess {
    async fn read_answer(&mut self, marker: &str) -> Result<String, Sentence> {
        let Some(mut stdout) = self.child.stdout.take() else {
            return Err(say!("has no output"));
        };
        let mut output = Vec::new();
        loop {
            if let Some(answer) = text_between_markers(&output, marker) {
                return Ok(answer);
            }
            if output.len() > MAX_OUTPUT {
                return Err(say!("printed too much"));
            }
            match stdout.read_buf(&mut output).await {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => {
                    return Err(say!("couldn’t be read: {reason}", reason = io_error_sentence(&error)));
                }
            }
        }
        Err(match self.wait_for_exit().await {
            Some(exit) => say!("printed no PATH ({exit})", exit = exit.sentence()),
            None => say!("printed no PATH"),
        })
    }

    async fn wait_for_exit(&mut self) -> Option<ProcessExit> {
        let status = self.child.wait().await.ok()?;
        self.tree.note_leader_ended();
        self.finished = true;
        Some(ProcessExit::from(status))
    }

    /// Ends the processes that still run, unless the shell has finished. First asks them to terminate.
    /// Version managers hold locks while they search for programs, and a killed one would leave its lock for
    /// every later shell of the person. This requires a thread, because the runtime may be ending.
    fn terminate_in_background(mut self) {
        if self.finished {
            return;
        }
        self.tree.signal_tree(StopSignal::Terminate);
        // An interactive shell only reacts if its terminal is gone.
        self.tree.signal_leader(StopSignal::HangUp);
        // Without a thread, the shell is dropped here and killed.
        let _no_thread =
            thread::Builder::new().name("login-shell".to_owned()).spawn(move || self.wait_and_kill());
    }

    /// Waits until the processes have ended, and kills those that take too long.
    fn wait_and_kill(mut self) {
        const LOOK_AGAIN: Duration = Duration::from_millis(10);
        let deadline = Instant::now() + CLEAN_UP;
        loop {
            if !self.finished && matches!(self.child.try_wait(), Ok(Some(_))) {
                self.tree.note_leader_ended();
                self.finished = true;
            }
            if !self.tree.refresh_members() || Instant::now() >= deadline {
                break;
            }
            thread::sleep(LOOK_AGAIN);
        }
        self.tree.signal_tree(StopSignal::Kill);
    }
}

impl Drop for ShellProcess {
    fn drop(&mut self) {
        if !self.finished {
            self.tree.signal_tree(StopSignal::Kill);
        }
    }
}

/// The text between `marker<` and `>marker`.
fn text_between_markers(output: &[u8], marker: &str) -> Option<String> {
    let output = String::from_utf8_lossy(output);
    let (_, rest) = output.split_once(&format!("{marker}<"))?;
    let (answer, _) = rest.split_once(&format!(">{marker}"))?;
    Some(answer.trim_end_matches(['\r', '\n']).to_owned())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use tokio::task::JoinSet;

    /// Asks a shell that runs `body` instead of start-up files, and then the question.
    async fn check(body: &str, limit: Duration) -> Result<String, String> {
        let home = tempfile::tempdir().unwrap();
        let shell = home.path().join("shell");
        let script = format!("#!/bin/sh\n{body}\n[ \"$1\" = -ilc ] && eval \"$2\"\n");
        // A separate process writes the file. If this process had it open for writing, a process that another
        // test starts at the same time could inherit it, and the file would be busy.
        let mut write = new_command("/bin/sh");
        write.args(["-c", "printf %s \"$1\" > \"$0\"; chmod 755 \"$0\""]).arg(&shell).arg(script);
        assert!(write.status().await.unwrap().success());
        ask_shell(&shell, limit)
            .await
            .map(|path| path.to_env().into_string().unwrap())
            .map_err(|reason| reason.as_str().replace(shell.to_str().unwrap(), "SHELL"))
    }

    const AMPLE: Duration = Duration::from_mins(1);

    #[tokio::test]
    async fn the_path_is_found_among_the_noise_of_start_up_files() {
        let noisy =
            "export PATH=/x/bin:/usr/bin:/bin\necho welcome; echo '>mooring-path-<'\nset -v -x\necho bye >&2";
        assert_eq!(check(noisy, AMPLE).await, Ok("/x/bin:/usr/bin:/bin".into()));
    }

    #[tokio::test]
    async fn background_process_holding_the_output_does_not_block() {
        let body = "export PATH=/x/bin:/usr/bin:/bin\nsleep 300 &\nchild=$!\ntrap 'kill $child' EXIT";
        assert_eq!(check(body, AMPLE).await, Ok("/x/bin:/usr/bin:/bin".into()));
    }

    /// Waits until `holds` returns true, because ending processes takes some time.
    async fn soon(what: &str, mut holds: impl FnMut() -> bool) {
        let begun = Instant::now();
        while !holds() {
            assert!(begun.elapsed() < AMPLE, "{what}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    fn is_gone(pid: &str) -> bool {
        let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        state.is_empty() || state.contains(") Z ")
    }

    #[tokio::test]
    async fn a_shell_that_hangs_is_given_up_and_killed_with_its_children() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("pids");
        // Neither process reacts if it is asked to end.
        let body =
            format!("trap '' TERM HUP; sleep 300 & echo $! > {0}; echo $$ >> {0}; wait", file.display());
        // On a busy machine, the shell may take longer to start.
        for seconds in [1, 4, 16] {
            let reason = check(&body, Duration::from_secs(seconds)).await;
            assert_eq!(reason, Err(format!("the shell SHELL didn’t answer within {seconds} s")));
            let pids = fs::read_to_string(&file).unwrap_or_default();
            for pid in pids.lines() {
                soon("it still runs", || is_gone(pid)).await;
            }
            if pids.lines().count() == 2 {
                return;
            }
        }
        panic!("the shell never began");
    }

    /// Start-up files that hold `lock`. Their shell only reacts to a hang-up, like a person's interactive
    /// shell.
    fn locking(lock: &Path) -> String {
        format!(
            "trap : TERM; ( trap 'rm {0}; exit' TERM; : > {0}; while :; do sleep 0.01; done ); sleep 300",
            lock.display()
        )
    }

    #[tokio::test]
    async fn abandoned_startup_files_remove_their_locks() {
        let home = tempfile::tempdir().unwrap();
        let lock = home.path().join("lock");
        let body = locking(&lock);
        // The caller drops the request while the lock is held.
        let mut asked = JoinSet::new();
        asked.spawn(async move { check(&body, AMPLE).await });
        soon("the shell never began", || lock.exists()).await;
        asked.abort_all();
        assert!(asked.join_next().await.unwrap().unwrap_err().is_cancelled());
        soon("the lock was left behind", || !lock.exists()).await;
    }

    #[test]
    fn start_up_files_remove_their_locks_although_the_runtime_ends() {
        let home = tempfile::tempdir().unwrap();
        let lock = home.path().join("lock");
        let body = locking(&lock);
        let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let ending = runtime();
        let mut asked = JoinSet::new();
        ending.block_on(async {
            asked.spawn(async move { check(&body, AMPLE).await });
            soon("the shell never began", || lock.exists()).await;
        });
        drop(ending);
        runtime().block_on(soon("the lock was left behind", || !lock.exists()));
    }

    #[tokio::test]
    async fn start_up_files_that_take_too_long_remove_their_locks() {
        let home = tempfile::tempdir().unwrap();
        let [lock, held] = ["lock", "held"].map(|name| home.path().join(name));
        let body = format!(": > {}; {}", held.display(), locking(&lock));
        for seconds in [1, 4, 16] {
            let _given_up = check(&body, Duration::from_secs(seconds)).await;
            if held.exists() {
                soon("the lock was left behind", || !lock.exists()).await;
                return;
            }
        }
        panic!("the shell never began");
    }

    #[tokio::test]
    async fn a_shell_that_says_nothing_is_described() {
        assert_eq!(check("exit 3", AMPLE).await, Err("the shell SHELL printed no PATH (exit code 3)".into()));
        assert_eq!(
            check("export PATH=relative:.; printenv() { /usr/bin/printenv \"$@\"; }", AMPLE).await,
            Err("the shell SHELL has an empty PATH".into())
        );
    }

    #[tokio::test]
    async fn a_shell_that_cannot_be_started_is_described() {
        let reason = ask_shell(Path::new("/nonexistent/shell"), AMPLE).await.unwrap_err();
        assert!(reason.starts_with("the shell /nonexistent/shell couldn’t be started: "), "{reason}");
        let reason = ask_shell(Path::new("zsh"), AMPLE).await.unwrap_err();
        assert_eq!(reason, "SHELL isn’t an absolute path: zsh");
    }

    #[test]
    fn the_fallback_says_why_and_still_finds_the_system() {
        let login = fall_back_to_environment(Sentence::quoted("because"));
        assert_eq!(login.source, PathSource::Environment { reason: Sentence::quoted("because") });
        assert!(login.path.directories().contains(&PathBuf::from("/usr/bin")));
    }
}
