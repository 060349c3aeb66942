//! Runs the bridge on the standard streams of its program.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::{Path, PathBuf};

use mooring_app_key::{AppKey, VARIABLE};
use mooring_process::{become_program, check_home, keep_memory_private, prepare_home, start_in_background};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{UnixStream, unix::pipe};

use crate::{AppHello, BridgeError, carry};

/// Replaces this process with the bridge of an app. `program` is the path of `mooring-bridge`, and `home` is
/// the data folder. With a `server`, the app sees only that server. Returns only if it fails.
pub fn become_bridge(program: &Path, home: PathBuf, app: String, server: Option<String>) -> io::Error {
    let mut words = vec![home.into_os_string(), app.into()];
    words.extend(server.map(Into::into));
    become_program(program, &words)
}

/// Carries an app's messages from standard input to the gateway of a data folder, and back to standard
/// output. The app's key is in the environment, because anyone can read arguments. `mooring` is the program
/// that is started in the background if no gateway is running.
pub async fn carry_standard_streams(
    home: &Path,
    app: &str,
    server: Option<&str>,
    mooring: &Path,
) -> Result<(), BridgeError> {
    check_home(home).map_err(|error| BridgeError::Home(error.to_string()))?;
    // Messages may contain secrets. If this memory can't be protected from other programs, messages are
    // carried anyway.
    let _readable = keep_memory_private();
    // The gateway runs in the background, because it has to survive if the app ends this program.
    let start = || {
        prepare_home(home).map_err(io::Error::other)?;
        start_in_background(mooring, &["serve"], home, ("MOORING_HOME", home.as_os_str()))
    };
    let (input, output) = (open_input().map_err(BridgeError::App)?, open_output().map_err(BridgeError::App)?);
    let text = std::env::var(VARIABLE).ok().filter(|key| !key.is_empty());
    let key = text.as_deref().and_then(AppKey::parse);
    // A malformed key is sent as an empty one, so that the gateway refuses it with a reason.
    let broken = text.filter(|_| key.is_none()).map(|_| String::new());
    let app = AppHello { app: app.to_owned(), server: server.map(str::to_owned), key: broken };
    carry(home, app, key, input, output, start).await
}

/// Opens standard input. Apps pass a pipe or a socket, which need no thread to read.
fn open_input() -> io::Result<Box<dyn AsyncRead + Unpin>> {
    let inherited = io::stdin().as_fd().try_clone_to_owned()?;
    if let Ok(pipe) = pipe::Receiver::from_owned_fd(inherited.try_clone()?) {
        return Ok(Box::new(pipe));
    }
    Ok(match as_socket(inherited)? {
        Some(socket) => Box::new(socket),
        None => Box::new(tokio::io::stdin()),
    })
}

/// Opens standard output. Apps pass a pipe or a socket, which need no thread to write.
fn open_output() -> io::Result<Box<dyn AsyncWrite + Unpin>> {
    let inherited = io::stdout().as_fd().try_clone_to_owned()?;
    if let Ok(pipe) = pipe::Sender::from_owned_fd(inherited.try_clone()?) {
        return Ok(Box::new(pipe));
    }
    Ok(match as_socket(inherited)? {
        Some(socket) => Box::new(socket),
        None => Box::new(tokio::io::stdout()),
    })
}

/// The socket, if `inherited` is one. Node.js passes sockets to the programs that it starts.
fn as_socket(inherited: OwnedFd) -> io::Result<Option<UnixStream>> {
    let socket = StdUnixStream::from(inherited);
    if socket.local_addr().is_err() {
        return Ok(None);
    }
    socket.set_nonblocking(true)?;
    UnixStream::from_std(socket).map(Some)
}
