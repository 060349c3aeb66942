//! Allows one window per data folder. A second start connects to a socket in the folder and asks the first
//! to come to the front and open the given arguments. This needs no session bus. Only the process with the
//! folder's lock listens.

use std::fs::Permissions;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::UnixStream as BlockingStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::geteuid;
use tauri::{AppHandle, Manager as _, Runtime};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use crate::dto::IpcCode;
use crate::state::{AppState, WINDOW_SOCKET};
use crate::window;
use mooring_errors::ErrorCode;

/// How long the first start may take to answer. After that the second one reports that the window is
/// already open.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);
/// How long a second start may take to send its arguments.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(1);
/// How often the second start retries while the first one doesn't listen yet.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// How many later starts are answered at the same time.
const MAX_ANSWERING: usize = 16;
/// The longest request, in bytes: about as much as a command line can hold.
const MAX_REQUEST: u64 = 2 << 20;
/// The answer to a request that was accepted.
const ACCEPTED: [u8; 3] = *b"ok\n";

/// The socket of a data folder.
fn socket(home: &Path) -> PathBuf {
    home.join(WINDOW_SOCKET)
}

/// Asks the first start on this data folder to show its window and open `arguments`. Returns false if there
/// is none, or it doesn't answer in time.
pub(crate) fn hand_over(home: &Path, arguments: &[String]) -> bool {
    let accepted = request(home, arguments);
    if let Err(error) = &accepted {
        tracing::debug!(%error, "no other start took this over");
    }
    accepted.is_ok()
}

fn request(home: &Path, arguments: &[String]) -> io::Result<()> {
    let path = socket(home);
    if path.symlink_metadata()?.uid() != geteuid().as_raw() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let mut stream = BlockingStream::connect(path)?;
    stream.set_write_timeout(Some(ANSWER_TIMEOUT))?;
    stream.set_read_timeout(Some(ANSWER_TIMEOUT))?;
    let mut line = serde_json::to_vec(arguments)?;
    line.push(b'\n');
    stream.write_all(&line)?;
    let mut answer = [0; ACCEPTED.len()];
    stream.read_exact(&mut answer)?;
    if answer == ACCEPTED { Ok(()) } else { Err(io::ErrorKind::InvalidData.into()) }
}

/// Opens `arguments` in this window. If another start has the data folder and only now begins to listen,
/// opens them there and exits.
pub(crate) async fn open_in_one_window<R: Runtime>(app: AppHandle<R>, arguments: Vec<String>) {
    let state = app.state::<AppState>();
    if let Err(error) = state.host().await
        && error.code == IpcCode::Host(ErrorCode::AlreadyOpen)
        && let Some(home) = state.home()
    {
        let deadline = Instant::now() + ANSWER_TIMEOUT;
        while Instant::now() < deadline {
            let (home, arguments) = (home.to_owned(), arguments.clone());
            let asked = tokio::task::spawn_blocking(move || hand_over(&home, &arguments)).await;
            if asked.unwrap_or(false) {
                app.exit(0);
                return;
            }
            sleep(POLL_INTERVAL).await;
        }
    }
    state.opened.add(arguments).await;
}

/// Lets later starts use this window. It must have the data folder's lock.
pub(crate) fn listen_for_later_starts<R: Runtime>(app: &AppHandle<R>) {
    let state = app.state::<AppState>();
    let Some(home) = state.home() else { return };
    match listen(home) {
        Ok(listener) => state.spawn_listener(serve(app.clone(), listener)),
        Err(error) => tracing::warn!(%error, "a second start can't bring this window to the front"),
    }
}

/// Listens for later starts. The caller has the data folder's lock, so an existing socket is a leftover.
fn listen(home: &Path) -> io::Result<UnixListener> {
    remove_socket(home);
    let listener = UnixListener::bind(socket(home))?;
    std::fs::set_permissions(socket(home), Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// Stops listening, so that later starts open a window of their own.
pub(crate) fn stop_listening(state: &AppState) {
    if state.holds_home()
        && let Some(home) = state.home()
    {
        remove_socket(home);
    }
}

fn remove_socket(home: &Path) {
    if let Err(error) = std::fs::remove_file(socket(home))
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(%error, "the socket for later starts could not be removed");
    }
}

/// Answers later starts.
async fn serve<R: Runtime>(app: AppHandle<R>, listener: UnixListener) {
    let mut answering = JoinSet::new();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                while answering.try_join_next().is_some() {}
                if answering.len() >= MAX_ANSWERING {
                    answering.join_next().await;
                }
                answering.spawn(open_for(app.clone(), stream));
            }
            Err(error) => {
                tracing::warn!(%error, "a later start could not be heard");
                sleep(POLL_INTERVAL).await;
            }
        }
    }
}

/// Answers a later start and opens its arguments.
async fn open_for<R: Runtime>(app: AppHandle<R>, stream: UnixStream) {
    match timeout(REQUEST_TIMEOUT, answer(&app, stream)).await {
        Ok(Ok(arguments)) => app.state::<AppState>().opened.add(arguments).await,
        Ok(Err(error)) => tracing::warn!(%error, "a later start was not understood"),
        Err(_) => tracing::warn!("a later start did not say what it wants"),
    }
}

/// Raises the window for a later start, and returns the arguments of that start.
async fn answer<R: Runtime>(app: &AppHandle<R>, stream: UnixStream) -> io::Result<Vec<String>> {
    if stream.peer_cred()?.uid() != geteuid().as_raw() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let mut stream = BufReader::new(stream);
    let mut line = Vec::new();
    (&mut stream).take(MAX_REQUEST).read_until(b'\n', &mut line).await?;
    let arguments = serde_json::from_slice(&line)?;
    window::raise(app);
    stream.write_all(&ACCEPTED).await?;
    Ok(arguments)
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener as StdListener;

    use mooring_host::Host;
    use tauri::App;
    use tauri::async_runtime::block_on;
    use tauri::test::{MockRuntime, mock_builder};
    use tokio::sync::mpsc;

    use super::*;
    use crate::lifecycle::allow_next_instance;
    use crate::opened::Opened;
    use crate::test_host::window_options;

    /// Builds an application that is the first start on this data folder and already listens.
    fn first(home: &Path) -> App<MockRuntime> {
        let options = Ok(window_options(home));
        let app = crate::build(mock_builder(), crate::context(), options, Duration::ZERO).unwrap();
        block_on(app.state::<AppState>().host()).unwrap();
        let deadline = std::time::Instant::now() + Duration::from_secs(30);
        while !hand_over(home, &[]) {
            assert!(std::time::Instant::now() < deadline, "nobody listens");
            std::thread::sleep(Duration::from_millis(10));
        }
        app
    }

    /// Returns the next thing that the window of `app` would open.
    fn next_opened(app: &App<MockRuntime>) -> Opened {
        let (sender, mut receiver) = mpsc::channel(1);
        block_on(async {
            let state = app.state::<AppState>();
            let forward = state.opened.forward(|opened| {
                sender.try_send(opened).unwrap();
                false
            });
            timeout(Duration::from_secs(30), forward).await.unwrap();
            receiver.recv().await.unwrap()
        })
    }

    #[test]
    fn second_start_hands_what_it_was_given_to_the_first() {
        let home = tempfile::tempdir().unwrap();
        assert!(!hand_over(home.path(), &[]), "before there is a first");
        let app = first(home.path());
        let mode = socket(home.path()).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(hand_over(home.path(), &["https://harbour.test/mcp".to_owned()]));
        assert_eq!(next_opened(&app), Opened::Url { url: "https://harbour.test/mcp".to_owned() });
        assert!(hand_over(home.path(), &[]), "without anything to open");
        block_on(crate::close(app.handle()));
    }

    #[test]
    fn nonsense_gets_no_answer_and_harms_nobody() {
        let home = tempfile::tempdir().unwrap();
        let app = first(home.path());
        for nonsense in [&b"hello\n"[..], b"{}\n", b"[1]\n", b""] {
            let mut stream = BlockingStream::connect(socket(home.path())).unwrap();
            stream.write_all(nonsense).unwrap();
            stream.shutdown(std::net::Shutdown::Write).unwrap();
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer).unwrap();
            assert_eq!(answer, b"");
        }
        // A connection that sends nothing doesn't block others.
        let silent = BlockingStream::connect(socket(home.path())).unwrap();
        assert!(hand_over(home.path(), &["x.txt".to_owned()]));
        assert!(matches!(next_opened(&app), Opened::Rejected { .. }));
        drop(silent);
        block_on(crate::close(app.handle()));
    }

    #[test]
    fn first_that_does_not_answer_in_time_is_not_waited_for() {
        let home = tempfile::tempdir().unwrap();
        let deaf = StdListener::bind(socket(home.path())).unwrap();
        let begun = std::time::Instant::now();
        assert!(!hand_over(home.path(), &[]));
        let took = begun.elapsed();
        assert!(took >= ANSWER_TIMEOUT && took < ANSWER_TIMEOUT * 3, "{took:?}");
        drop(deaf);
        // A socket left by a crash is no obstacle.
        let begun = std::time::Instant::now();
        assert!(!hand_over(home.path(), &[]));
        assert!(begun.elapsed() < ANSWER_TIMEOUT);
        let app = first(home.path());
        block_on(crate::close(app.handle()));
    }

    #[test]
    fn closing_first_is_not_asked_any_more() {
        let home = tempfile::tempdir().unwrap();
        let app = first(home.path());
        allow_next_instance(app.handle());
        assert!(!hand_over(home.path(), &[]));
        block_on(crate::close(app.handle()));
    }

    #[test]
    fn lock_held_without_a_window_is_still_an_error() {
        let home = tempfile::tempdir().unwrap();
        // This host has the folder but no window.
        let holder = block_on(Host::open(window_options(home.path()))).unwrap();
        let options = Ok(window_options(home.path()));
        let app = crate::build(mock_builder(), crate::context(), options, Duration::ZERO).unwrap();
        block_on(open_in_one_window(app.handle().clone(), Vec::new()));
        let error = block_on(app.state::<AppState>().host()).unwrap_err();
        assert_eq!(error.code.as_str(), "already_open");
        block_on(holder.shutdown());
    }
}
