//! Connections over HTTP, of which there are only so many: any program on this computer can open some, with a token or
//! without. Each has a place at once, and keeps it for as long as no other needs it more.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use mooring_shares::{Place, PlaceLimits, Places};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::time::{Sleep, sleep};

use crate::peer::HttpPeer;

/// Connections over HTTP. Whoever has one that is idle knows that it may be closed.
const PLACES: PlaceLimits = PlaceLimits { unnamed: 64, of_app: 64, of_all: 256, replaces_own: true };
/// How long a connection may take until a request of it was let in.
const ADMISSION_TIMEOUT: Duration = Duration::from_secs(5);

/// The place of a connection, which an app has once a request of it was let in, and who is at the other end.
#[derive(Debug, Clone)]
pub(super) struct Admission {
    pub(super) place: Arc<Place>,
    pub(super) peer: HttpPeer,
}

impl Connected<IncomingStream<'_, BoundedListener>> for Admission {
    fn connect_info(stream: IncomingStream<'_, BoundedListener>) -> Self {
        let stream = stream.io();
        Self { place: Arc::clone(&stream.place), peer: stream.peer.clone() }
    }
}

/// Accepts connections, each of which has a place.
pub(super) struct BoundedListener {
    listener: TcpListener,
    places: Arc<Places>,
}

impl BoundedListener {
    pub(super) fn new(listener: TcpListener) -> Self {
        Self { listener, places: Places::new(PLACES) }
    }
}

impl Listener for BoundedListener {
    type Io = BoundedStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        let (stream, address) = Listener::accept(&mut self.listener).await;
        // Answers are small, and whole when they are written. Without it they arrive as well.
        let _delayed = stream.set_nodelay(true);
        let (place, closed) = self.places.take(None);
        let deadline = Some(Box::pin(sleep(ADMISSION_TIMEOUT)));
        let peer = HttpPeer::new(address, stream.local_addr());
        (BoundedStream { stream, deadline, closed: Some(closed), place, peer }, address)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

/// A connection and its place.
pub(super) struct BoundedStream {
    stream: TcpStream,
    /// Until a request was let in.
    deadline: Option<Pin<Box<Sleep>>>,
    /// Ends when another connection has the place; none: it has.
    closed: Option<oneshot::Receiver<()>>,
    place: Arc<Place>,
    peer: HttpPeer,
}

impl BoundedStream {
    /// An error where no request was let in for too long, also of those that ask and don't read the answers; and where
    /// another connection has the place.
    fn check(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
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

impl AsyncRead for BoundedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check(cx)?;
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for BoundedStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.check(cx)?;
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check(cx)?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.check(cx)?;
        Pin::new(&mut self.stream).poll_write_vectored(cx, bytes)
    }
}
