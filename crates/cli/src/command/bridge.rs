//! `mooring bridge`: what an app starts as its MCP server.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::Path;

use mooring_gateway::GatewayError;
use mooring_host::{home_from_environment, start_in_background};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{UnixStream, unix::pipe};

use crate::CommandContext;
use crate::args::Bridge;
use crate::fault::{Exit, Fault};

pub(crate) async fn run(session: &CommandContext, args: &Bridge) -> Result<Exit, Fault> {
    let home = home_from_environment()?;
    let (input, output) = (input()?, output()?);
    let start = || start_service(&home);
    let carried = mooring_gateway::bridge(&home, &args.app, args.server.as_deref(), input, output, start);
    match session.interrupt.guard(carried).await? {
        Ok(()) => Ok(Exit::Ok),
        Err(error) => Err(gateway_fault(&error)),
    }
}

/// Standard input, read without a thread where it is what apps give: a pipe or a socket.
fn input() -> io::Result<Box<dyn AsyncRead + Unpin>> {
    let inherited = io::stdin().as_fd().try_clone_to_owned()?;
    if let Ok(pipe) = pipe::Receiver::from_owned_fd(inherited.try_clone()?) {
        return Ok(Box::new(pipe));
    }
    Ok(match socket(inherited)? {
        Some(socket) => Box::new(socket),
        None => Box::new(tokio::io::stdin()),
    })
}

/// Standard output, the same.
fn output() -> io::Result<Box<dyn AsyncWrite + Send + Unpin>> {
    let inherited = io::stdout().as_fd().try_clone_to_owned()?;
    if let Ok(pipe) = pipe::Sender::from_owned_fd(inherited.try_clone()?) {
        return Ok(Box::new(pipe));
    }
    Ok(match socket(inherited)? {
        Some(socket) => Box::new(socket),
        None => Box::new(tokio::io::stdout()),
    })
}

/// The socket that this is, if it is one. Node.js gives programs sockets.
fn socket(inherited: OwnedFd) -> io::Result<Option<UnixStream>> {
    let socket = StdUnixStream::from(inherited);
    if socket.local_addr().is_err() {
        return Ok(None);
    }
    socket.set_nonblocking(true)?;
    UnixStream::from_std(socket).map(Some)
}

/// Starts `mooring serve` in the background: the app that started this bridge may end without it.
fn start_service(home: &Path) -> io::Result<()> {
    std::fs::create_dir_all(home)?;
    start_in_background(&std::env::current_exe()?, &["serve"], home)
}

pub(crate) fn gateway_fault(error: &GatewayError) -> Fault {
    let (exit, kind) = match error {
        GatewayError::NotRunning => (Exit::Connect, "not_running"),
        GatewayError::Refused(_) | GatewayError::OfAnotherUser(_) => (Exit::Refused, "refused"),
        GatewayError::Socket { .. } | GatewayError::App(_) => (Exit::Usage, "io"),
    };
    Fault::new(exit, kind, error.to_string())
}
