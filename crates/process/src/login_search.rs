//! The search path of the person's login shell, and the programs on it. The shell is asked again if a program
//! is missing, because the program may have been installed since, and if asking failed before.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use mooring_words::{Sentence, say};
use tokio::sync::{Mutex, watch};
use tokio::time::Instant;

use crate::login_shell::{LoginShellPath, PathSource, login_shell_path};
use crate::resolve::{ResolveError, resolve};
use crate::search_path::SearchPath;

/// The least time between two queries, because the shell's start-up files may be slow.
const MIN_QUERY_INTERVAL: Duration = Duration::from_secs(10);

type QueryShell = Arc<dyn Fn() -> BoxFuture<'static, LoginShellPath> + Send + Sync>;

/// The login shell's search path. The shell is asked when the first saved server starts.
#[derive(Clone)]
pub struct LoginShell {
    query_shell: QueryShell,
    between: Duration,
    /// Whether the shell may be asked.
    ready: watch::Receiver<bool>,
    last_answer: watch::Sender<Option<ShellAnswer>>,
    /// Locked while the shell is asked. Other callers wait for the same answer.
    query_lock: Arc<Mutex<()>>,
}

/// The shell's search path, and when the shell was asked.
#[derive(Clone)]
struct ShellAnswer {
    path: Arc<LoginShellPath>,
    at: Instant,
}

impl fmt::Debug for LoginShell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoginShell").field("known", &self.cached_path()).finish_non_exhaustive()
    }
}

/// The result of a search.
#[derive(Debug)]
pub struct ProgramSearch {
    /// The program.
    pub program: Result<PathBuf, ResolveError>,
    /// The login shell's path that was searched.
    pub login: Arc<LoginShellPath>,
}

impl LoginShell {
    /// A login shell that isn't asked before `ready` is true.
    pub fn new(ready: watch::Receiver<bool>) -> Self {
        Self::with_query(Arc::new(|| Box::pin(login_shell_path())), MIN_QUERY_INTERVAL, ready)
    }

    fn with_query(ask: QueryShell, between: Duration, ready: watch::Receiver<bool>) -> Self {
        Self {
            query_shell: ask,
            between,
            ready,
            last_answer: watch::Sender::new(None),
            query_lock: Arc::default(),
        }
    }

    /// The path, if the shell has answered.
    pub fn cached_path(&self) -> Option<Arc<LoginShellPath>> {
        self.last_answer.borrow().as_ref().map(|answer| Arc::clone(&answer.path))
    }

    /// The path. The first caller waits for the shell. Later callers also wait if the shell could not be
    /// asked before.
    pub async fn path(&self) -> Arc<LoginShellPath> {
        match self.cached_path() {
            Some(path) if matches!(path.source, PathSource::Shell { .. }) => path,
            _ => self.refresh_path(self.between).await,
        }
    }

    /// The shell's current path, or the last answer if that is newer than `between`.
    pub async fn refresh_path(&self, between: Duration) -> Arc<LoginShellPath> {
        let _turn = self.query_lock.lock().await;
        let before = self.last_answer.borrow().clone();
        if let Some(answer) = &before
            && answer.at.elapsed() < between
        {
            return Arc::clone(&answer.path);
        }
        // An error means that the sender is gone, so there is nothing to wait for.
        let _ = self.ready.clone().wait_for(|ready| *ready).await;
        let now = Arc::new((self.query_shell)().await);
        let path = match before {
            // If the shell can't be asked now but has answered before, that answer is kept.
            Some(answer) if matches!(now.source, PathSource::Environment { .. }) => {
                match answer.path.source {
                    PathSource::Shell { .. } => answer.path,
                    PathSource::Environment { .. } => now,
                }
            }
            _ => now,
        };
        self.last_answer.send_replace(Some(ShellAnswer { path: Arc::clone(&path), at: Instant::now() }));
        path
    }

    /// Searches for a program in the directories of `declared`, then on the login shell's path. If it is not
    /// found, the shell is asked for its path again.
    pub async fn find(&self, command: &str, declared: Option<&str>, base: &Path) -> ProgramSearch {
        let login = self.path().await;
        let program = resolve(command, &join_search_path(declared, &login.path), base);
        if !is_not_found(&program, command) {
            return ProgramSearch { program, login };
        }
        let anew = self.refresh_path(self.between).await;
        if anew.path == login.path {
            return ProgramSearch { program, login };
        }
        ProgramSearch {
            program: resolve(command, &join_search_path(declared, &anew.path), base),
            login: anew,
        }
    }
}

/// Whether a program was not found, but may be on another search path. A program that is given by its path
/// never is.
fn is_not_found(program: &Result<PathBuf, ResolveError>, command: &str) -> bool {
    matches!(program, Err(ResolveError::NotFound { .. })) && !command.contains(std::path::is_separator)
}

/// The directories of a `PATH` that was declared for a server, followed by the directories of `search`.
pub fn join_search_path(declared: Option<&str>, search: &SearchPath) -> SearchPath {
    let Some(declared) = declared else { return search.clone() };
    let mut path = SearchPath::from_value(OsStr::new(declared));
    path.extend(search.directories().iter().cloned());
    path
}

/// The name of a search path in a message.
pub fn path_name(path: &LoginShellPath, declared: Option<&str>) -> Sentence {
    let own = match path.source {
        PathSource::Shell { .. } => say!("your login shell’s PATH"),
        PathSource::Environment { .. } => say!("the PATH (the login shell couldn’t be read)"),
    };
    with_declared_path(own, declared)
}

/// Adds the server's own `PATH` to the name, if the server declares one.
pub fn with_declared_path(whose: Sentence, declared: Option<&str>) -> Sentence {
    if declared.is_none() { whose } else { say!("the server’s own PATH and {whose}", whose) }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::sync::PoisonError;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    const NEVER_AGAIN: Duration = Duration::from_hours(1);

    /// A shell whose next answer the test chooses, and the folders that may be on its path.
    struct ShellFixture {
        root: tempfile::TempDir,
        answer: Arc<std::sync::Mutex<LoginShellPath>>,
        asked: Arc<AtomicUsize>,
        login: LoginShell,
    }

    impl ShellFixture {
        fn new(between: Duration, first: impl Fn(&Self) -> LoginShellPath) -> Self {
            let answer: Arc<std::sync::Mutex<LoginShellPath>> =
                Arc::new(std::sync::Mutex::new(slow(&SearchPath::default())));
            let asked = Arc::new(AtomicUsize::new(0));
            let (says, count) = (Arc::clone(&answer), Arc::clone(&asked));
            let ask: QueryShell = Arc::new(move || {
                count.fetch_add(1, Ordering::Relaxed);
                let path = says.lock().unwrap_or_else(PoisonError::into_inner).clone();
                Box::pin(std::future::ready(path))
            });
            let login = LoginShell::with_query(ask, between, watch::Sender::new(true).subscribe());
            let scene = Self { root: tempfile::tempdir().unwrap(), answer, asked, login };
            for folder in ["a", "b"] {
                fs::create_dir(scene.folder(folder)).unwrap();
            }
            scene.says(first(&scene));
            scene
        }

        fn says(&self, path: LoginShellPath) {
            *self.answer.lock().unwrap() = path;
        }

        fn folder(&self, name: &str) -> PathBuf {
            self.root.path().join(name)
        }

        fn path(&self, names: &[&str]) -> SearchPath {
            let mut path = SearchPath::default();
            path.extend(names.iter().map(|name| self.folder(name)));
            path
        }

        fn installs(&self, name: &str) -> PathBuf {
            let program = self.root.path().join(name);
            fs::write(&program, "#!/bin/sh\n").unwrap();
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
            program
        }

        async fn finds(&self, command: &str, declared: Option<&str>) -> Option<PathBuf> {
            self.login.find(command, declared, self.root.path()).await.program.ok()
        }

        fn asked(&self) -> usize {
            self.asked.load(Ordering::Relaxed)
        }
    }

    fn shell(path: &SearchPath) -> LoginShellPath {
        LoginShellPath { path: path.clone(), source: PathSource::Shell { shell: "/bin/sh".into() } }
    }

    fn slow(path: &SearchPath) -> LoginShellPath {
        let reason = Sentence::quoted("it is slow");
        LoginShellPath { path: path.clone(), source: PathSource::Environment { reason } }
    }

    #[tokio::test]
    async fn newly_installed_program_is_found_in_the_same_run() {
        let scene = ShellFixture::new(Duration::ZERO, |scene| shell(&scene.path(&["a"])));
        assert_eq!(scene.finds("uvx", None).await, None);
        // The program's installer adds its folder to the shell's start-up files.
        let program = scene.installs("b/uvx");
        scene.says(shell(&scene.path(&["a", "b"])));
        assert_eq!(scene.finds("uvx", None).await, Some(program.clone()));
        assert_eq!(scene.login.cached_path().unwrap().path, scene.path(&["a", "b"]));
        let asked = scene.asked();
        assert_eq!(scene.finds("uvx", None).await, Some(program));
        assert_eq!(scene.finds("./missing", None).await, None);
        assert_eq!(scene.asked(), asked);
    }

    #[tokio::test]
    async fn the_shell_is_not_asked_again_and_again() {
        let scene = ShellFixture::new(NEVER_AGAIN, |scene| shell(&scene.path(&["a"])));
        let (one, other) = tokio::join!(scene.finds("uvx", None), scene.finds("npx", None));
        assert_eq!((one, other, scene.asked()), (None, None, 1));
        assert_eq!((scene.finds("uvx", None).await, scene.asked()), (None, 1));
        let scene = ShellFixture::new(NEVER_AGAIN, |scene| slow(&scene.path(&["a"])));
        assert_eq!((scene.finds("uvx", None).await, scene.asked()), (None, 1));
    }

    #[tokio::test]
    async fn slow_login_shell_is_asked_again_and_its_answer_is_cached() {
        let scene = ShellFixture::new(Duration::ZERO, |scene| slow(&scene.path(&["a"])));
        let (usual, own) = (scene.installs("a/uvx"), scene.installs("b/uvx"));
        assert_eq!(scene.finds("uvx", None).await, Some(usual));
        scene.says(shell(&scene.path(&["b"])));
        assert_eq!(scene.finds("uvx", None).await, Some(own.clone()));
        scene.says(slow(&scene.path(&["a"])));
        assert_eq!(scene.finds("npx", None).await, None);
        assert_eq!(scene.finds("uvx", None).await, Some(own));
        assert_eq!(scene.login.cached_path().unwrap().source, shell(&SearchPath::default()).source);
    }

    #[tokio::test]
    async fn the_path_that_is_declared_for_a_server_comes_first() {
        let scene = ShellFixture::new(NEVER_AGAIN, |scene| shell(&scene.path(&["a"])));
        let (common, own) = (scene.installs("a/tool"), scene.installs("b/tool"));
        let declared = format!("{}:$PATH", scene.folder("b").display());
        assert_eq!(scene.finds("tool", Some(&declared)).await, Some(own));
        assert_eq!(scene.finds("tool", Some("relative:")).await, Some(common.clone()));
        assert_eq!(scene.finds("tool", None).await, Some(common));
        let missing = scene.login.find("missing", Some(&declared), scene.root.path()).await.program;
        let searched = vec![scene.folder("b"), scene.folder("a")];
        assert_eq!(missing, Err(ResolveError::NotFound { name: "missing".into(), searched }));
    }
}
