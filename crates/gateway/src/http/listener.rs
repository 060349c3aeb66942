//! Connections over HTTP. Their number is limited, because any program on this computer can open some, with
//! or without a token. Each connection gets a place at once, and keeps it until another connection replaces
//! it.

use std::io;
use std::net::{Ipv6Addr, SocketAddr};
use std::sync::Arc;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use mooring_shares::{BoundedStream, Place, PlaceLimits, Places};
use tokio::net::TcpListener;

use crate::peer::HttpPeer;

/// The limits of connections over HTTP. HTTP clients expect that an idle connection may be closed.
const PLACES: PlaceLimits = PlaceLimits { unnamed: 64, of_app: 64, of_all: 256, replaces_own: true };

/// The place of a connection, and the program at the other end. The place belongs to an app once a request
/// was accepted.
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

/// Accepts connections and gives each a place.
pub(super) struct BoundedListener {
    listener: TcpListener,
    /// A listener for the port at `::1`, which `localhost` may resolve to first. `None` if this machine has
    /// no IPv6 loopback address.
    second: Option<TcpListener>,
    places: Arc<Places>,
}

impl BoundedListener {
    /// Listens on a port of this machine.
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
        // Dropping the other `accept` loses nothing: its connection stays in the listener.
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
        // Answers are small, and written whole. If this fails, they still arrive.
        let _delayed = stream.set_nodelay(true);
        let peer = HttpPeer::new(address, stream.local_addr());
        (BoundedStream::new(stream, &self.places, peer), address)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        Listener::local_addr(&self.listener)
    }
}
