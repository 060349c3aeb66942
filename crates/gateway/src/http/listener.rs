//! Connections over HTTP, of which there are only so many: any program on this computer can open some, with a token or
//! without.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Sleep, sleep};

/// The most connections at once. Others wait until one ends.
const MAX_CONNECTIONS: usize = 256;
/// How long a connection may take until a request of it was let in.
const ADMISSION_TIMEOUT: Duration = Duration::from_secs(10);

/// Whether a request of a connection was let in: then an app has it, and keeps it.
#[derive(Debug, Clone, Default)]
pub(super) struct Admission(Arc<AtomicBool>);

impl Admission {
    /// A request of the connection has a token.
    pub(super) fn admit(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Connected<IncomingStream<'_, BoundedListener>> for Admission {
    fn connect_info(stream: IncomingStream<'_, BoundedListener>) -> Self {
        stream.io().admission.clone()
    }
}

/// Accepts connections while there is room.
pub(super) struct BoundedListener {
    listener: TcpListener,
    places: Arc<Semaphore>,
}

impl BoundedListener {
    pub(super) fn new(listener: TcpListener) -> Self {
        Self { listener, places: Arc::new(Semaphore::new(MAX_CONNECTIONS)) }
    }
}

impl Listener for BoundedListener {
    type Io = BoundedStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        // It is never closed: without a place this waits.
        let place = Arc::clone(&self.places).acquire_owned().await.ok();
        let (stream, address) = Listener::accept(&mut self.listener).await;
        // Answers are small, and whole when they are written. Without it they arrive as well.
        let _delayed = stream.set_nodelay(true);
        let deadline = Some(Box::pin(sleep(ADMISSION_TIMEOUT)));
        (BoundedStream { stream, deadline, admission: Admission::default(), _place: place }, address)
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
    admission: Admission,
    _place: Option<OwnedSemaphorePermit>,
}

impl BoundedStream {
    /// An error where no request was let in for too long: also of those that ask and don't read the answers.
    fn check_deadline(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        if self.admission.0.load(Ordering::Relaxed) {
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
        self.check_deadline(cx)?;
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for BoundedStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.check_deadline(cx)?;
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check_deadline(cx)?;
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
        self.check_deadline(cx)?;
        Pin::new(&mut self.stream).poll_write_vectored(cx, bytes)
    }
}
