//! A TCP connection that has a place, and ends when its place is given to another connection.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::time::{Sleep, sleep};

use crate::{Place, Places};

/// How long a connection may take until a request on it identifies its owner.
const ADMISSION_TIMEOUT: Duration = Duration::from_secs(5);
/// How long the rest of an unwanted body is read after the last response. If the connection closes earlier,
/// the client loses the response (RFC 9112 section 9.6).
const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

/// A connection and its place.
#[derive(Debug)]
pub struct BoundedStream<P> {
    stream: TcpStream,
    /// Set until the connection's owner is known.
    deadline: Option<Pin<Box<Sleep>>>,
    /// Set once nothing more is written. Until this deadline, the rest of the body is read.
    draining: Option<Pin<Box<Sleep>>>,
    /// Ends when another connection gets the place. `None` after that.
    closed: Option<oneshot::Receiver<()>>,
    /// The connection's place.
    pub place: Arc<Place>,
    /// The peer at the other end.
    pub peer: P,
}

impl<P> BoundedStream<P> {
    /// Gives the connection a place at once.
    pub fn new(stream: TcpStream, places: &Arc<Places>, peer: P) -> Self {
        let (place, closed) = places.take(None);
        let deadline = Some(Box::pin(sleep(ADMISSION_TIMEOUT)));
        Self { stream, deadline, draining: None, closed: Some(closed), place, peer }
    }

    /// Fails if another connection has the place, or if the owner was not known in time. This also ends
    /// connections that send requests and don't read the responses.
    fn check_open(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        let is_closed = self.closed.as_mut().is_none_or(|closed| Pin::new(closed).poll(cx).is_ready());
        if is_closed {
            self.closed = None;
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        if self.deadline.is_some() && self.place.is_named() {
            self.deadline = None;
        }
        let is_late = self.deadline.as_mut().is_some_and(|deadline| deadline.as_mut().poll(cx).is_ready());
        if is_late { Err(io::ErrorKind::TimedOut.into()) } else { Ok(()) }
    }
}

impl<P: Unpin> AsyncRead for BoundedStream<P> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check_open(cx)?;
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl<P: Unpin> AsyncWrite for BoundedStream<P> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.check_open(cx)?;
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check_open(cx)?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.draining.is_none() {
            ready!(Pin::new(&mut self.stream).poll_shutdown(cx))?;
            self.draining = Some(Box::pin(sleep(DRAIN_TIMEOUT)));
        }
        let mut unwanted = [0; 8 << 10];
        while self.check_open(cx).is_ok()
            && self.draining.as_mut().is_some_and(|end| end.as_mut().poll(cx).is_pending())
        {
            let mut unwanted = ReadBuf::new(&mut unwanted);
            if ready!(Pin::new(&mut self.stream).poll_read(cx, &mut unwanted)).is_err()
                || unwanted.filled().is_empty()
            {
                break;
            }
        }
        Poll::Ready(Ok(()))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.check_open(cx)?;
        Pin::new(&mut self.stream).poll_write_vectored(cx, bytes)
    }
}
