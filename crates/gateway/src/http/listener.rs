//! Connections over HTTP, of which there are only so many: any program on this computer can open some, with a token or
//! without. Each has a place at once, and keeps it for as long as no other needs it more.

use std::io;
use std::net::{Ipv6Addr, SocketAddr};
use std::sync::Arc;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use mooring_shares::{BoundedStream, Place, PlaceLimits, Places};
use tokio::net::TcpListener;

use crate::peer::HttpPeer;

/// Connections over HTTP. Whoever has one that is idle knows that it may be closed.
const PLACES: PlaceLimits = PlaceLimits { unnamed: 64, of_app: 64, of_all: 256, replaces_own: true };

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
    /// The same port at `::1`, which `localhost` may lead to first; none: this machine has no such address.
    second: Option<TcpListener>,
    places: Arc<Places>,
}

impl BoundedListener {
    /// Listens at a port of this machine.
    pub(super) async fn bind(address: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let second = match TcpListener::bind((Ipv6Addr::LOCALHOST, address.port())).await {
            Ok(second) => Some(second),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => return Err(error),
            Err(error) => {
                tracing::debug!(%error, "apps can’t connect at ::1");
                None
            }
        };
        Ok(Self { listener, second, places: Places::new(PLACES) })
    }
}

impl Listener for BoundedListener {
    type Io = BoundedStream<HttpPeer>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        // Nothing is lost of the one that is dropped: a connection waits in its listener.
        let second = async {
            match &mut self.second {
                Some(listener) => Listener::accept(listener).await,
                None => std::future::pending().await,
            }
        };
        let (stream, address) = tokio::select! {
            accepted = Listener::accept(&mut self.listener) => accepted,
            accepted = second => accepted,
        };
        // Answers are small, and whole when they are written. Without it they arrive as well.
        let _delayed = stream.set_nodelay(true);
        let peer = HttpPeer::new(address, stream.local_addr());
        (BoundedStream::new(stream, &self.places, peer), address)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        Listener::local_addr(&self.listener)
    }
}
