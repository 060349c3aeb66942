//! Connections over HTTP, of which there are only so many: any program on this computer can open some, with a token or
//! without. Each has a place at once, and keeps it for as long as no other needs it more.

use std::io;
use std::net::SocketAddr;
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
    places: Arc<Places>,
}

impl BoundedListener {
    pub(super) fn new(listener: TcpListener) -> Self {
        Self { listener, places: Places::new(PLACES) }
    }
}

impl Listener for BoundedListener {
    type Io = BoundedStream<HttpPeer>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        let (stream, address) = Listener::accept(&mut self.listener).await;
        // Answers are small, and whole when they are written. Without it they arrive as well.
        let _delayed = stream.set_nodelay(true);
        let peer = HttpPeer::new(address, stream.local_addr());
        (BoundedStream::new(stream, &self.places, peer), address)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}
