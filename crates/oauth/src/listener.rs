//! Receives the browser's redirect at a loopback address. The address is bound before the browser opens (RFC
//! 8252 §7.3).
//!
//! Every program on this machine can reach the address, and so can every web page in a browser on it.
//! Therefore only one kind of request is accepted, no part of a request is shown, and a request without the
//! secret of the sign-in changes nothing.

mod page;
mod redirect_address;

use crate::error::Error;
use http::header::{CONTENT_LENGTH, HOST, ORIGIN, TRANSFER_ENCODING};
use http::{Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use mooring_words::say;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;
use url::Url;

pub use page::Language;
pub use redirect_address::RedirectAddress;

use page::{PageBody, PageKind};
use redirect_address::LoopbackHost;

/// The most connections at once. Another connection replaces the oldest one without a request.
const MOST_CONNECTIONS: usize = 8;
/// The most bytes of a request.
const MOST_BYTES: usize = 16 * 1024;
/// The most headers of a request.
const MOST_HEADERS: usize = 64;
/// The most parameters of an authorization response.
const MOST_PARAMETERS: usize = 32;
/// How long a request may take to arrive.
const HEADERS_WITHIN: Duration = Duration::from_secs(5);
/// The longest duration of a connection.
const CONNECTION_WITHIN: Duration = Duration::from_secs(10);
/// How long a silent connection is protected from newer ones.
const SILENT_GRACE: Duration = Duration::from_millis(50);
/// How often to try to find a port that is free in both address families.
const TRIES: usize = 16;

/// A bound address that waits for one authorization response. Dropping this closes the address.
#[derive(Debug)]
pub struct CallbackListener {
    sockets: Vec<TcpListener>,
    redirect: Url,
    /// The required `Host` header.
    host: String,
    language: Language,
}

/// The parameters of an authorization response.
pub(crate) type Parameters = Vec<(String, String)>;

/// The verdict about a callback.
#[derive(Debug)]
pub(crate) enum CallbackVerdict<T> {
    /// The callback does not belong to this sign-in, which continues.
    Ignored,
    /// The callback belongs to this sign-in. The page shows success.
    Accepted(T),
    /// The callback belongs to this sign-in. The page shows a failure.
    Rejected(T),
}

impl CallbackListener {
    /// Binds the first of these addresses that is free. No other program can bind it meanwhile. Must be
    /// called within a tokio runtime.
    pub fn bind(places: &[RedirectAddress], language: Language) -> Result<Self, Error> {
        let mut reason = say!("no redirect URI is registered");
        for place in places {
            match bind_sockets(place) {
                Ok((sockets, port)) => {
                    let host = format!("{}:{port}", place.host.as_str());
                    let redirect = Url::parse(&format!("http://{host}{}", place.path));
                    let redirect =
                        redirect.map_err(|_| Error::Refused(say!("the redirect URI isn’t a URL")))?;
                    // Browsers omit the default port.
                    let host = if port == 80 { place.host.as_str().to_owned() } else { host };
                    return Ok(Self { sockets, redirect, host, language });
                }
                Err(error) => {
                    reason = say!(
                        "the redirect port {port} isn’t available: {reason}",
                        port = place.port.map_or_else(|| "0".to_owned(), |port| port.to_string()),
                        reason = error.to_string()
                    );
                }
            }
        }
        Err(Error::Refused(reason))
    }

    /// The `redirect_uri`, which is registered and is part of the authorization request.
    pub fn redirect_uri(&self) -> &Url {
        &self.redirect
    }

    /// Waits for the first response that `judge` accepts or rejects, shows the page and closes.
    pub(crate) async fn wait_for_response<T, J>(self, judge: J) -> T
    where
        T: Send + 'static,
        J: Fn(Parameters) -> CallbackVerdict<T> + Send + Sync + 'static,
    {
        let server = Arc::new(CallbackServer {
            path: self.redirect.path().to_owned(),
            host: self.host,
            language: self.language,
            judge,
            taken: Mutex::new(None),
            closed: AtomicBool::new(false),
        });
        let mut tasks = JoinSet::new();
        let mut open: VecDeque<OpenConnection> = VecDeque::new();
        loop {
            tokio::select! {
                biased;
                Some(ended) = tasks.join_next() => {
                    // When the task that took the response ends, the page has been sent.
                    let taken = ended.unwrap_or(false).then(|| server.taken.lock().unwrap_or_else(PoisonError::into_inner).take());
                    if let Some(taken) = taken.flatten() {
                        return taken;
                    }
                }
                stream = accept_connection(&self.sockets) => {
                    let Some(stream) = stream else { continue };
                    if make_connection_room(&mut open).await {
                        let has_requested = Arc::new(AtomicBool::new(false));
                        let task = tasks.spawn(serve_connection(stream, Arc::clone(&server), Arc::clone(&has_requested)));
                        open.push_back(OpenConnection { task, has_requested, since: Instant::now() });
                    }
                }
            }
        }
    }
}

/// A connection.
struct OpenConnection {
    task: AbortHandle,
    /// Whether the connection has sent a request.
    has_requested: Arc<AtomicBool>,
    since: Instant,
}

/// Closes the oldest connection without a request if there are too many connections. Each connection has a
/// moment to send its request, so that many silent connections can't displace the browser's.
async fn make_connection_room(open: &mut VecDeque<OpenConnection>) -> bool {
    open.retain(|connection| !connection.task.is_finished());
    if open.len() < MOST_CONNECTIONS {
        return true;
    }
    if let Some(oldest) = open.front() {
        tokio::time::sleep_until(oldest.since + SILENT_GRACE).await;
    }
    open.retain(|connection| !connection.task.is_finished());
    if open.len() < MOST_CONNECTIONS {
        return true;
    }
    let silent = open.iter().position(|connection| !connection.has_requested.load(Ordering::SeqCst));
    let Some(silent) = silent.and_then(|place| open.remove(place)) else { return false };
    silent.task.abort();
    true
}

/// Accepts the next connection to any of the sockets. `None` if that failed, or if the peer is not on this
/// machine.
async fn accept_connection(sockets: &[TcpListener]) -> Option<TcpStream> {
    let accepted = match sockets {
        [one, other, ..] => tokio::select! {
            accepted = one.accept() => accepted,
            accepted = other.accept() => accepted,
        },
        [one] => one.accept().await,
        [] => std::future::pending().await,
    };
    match accepted {
        Ok((stream, from)) if from.ip().to_canonical().is_loopback() => Some(stream),
        Ok(_) => None,
        Err(_) => {
            tokio::time::sleep(Duration::from_millis(50)).await;
            None
        }
    }
}

/// Serves at most one request on a connection. Returns whether the request was the expected authorization
/// response.
async fn serve_connection<T, J>(
    stream: TcpStream,
    server: Arc<CallbackServer<T, J>>,
    connected: Arc<AtomicBool>,
) -> bool
where
    T: Send + 'static,
    J: Fn(Parameters) -> CallbackVerdict<T> + Send + Sync + 'static,
{
    let took = AtomicBool::new(false);
    let service = service_fn(|request: Request<Incoming>| {
        connected.store(true, Ordering::SeqCst);
        let (page, taken) = server.answer_request(&request);
        took.fetch_or(taken, Ordering::SeqCst);
        std::future::ready(Ok::<_, Infallible>(page))
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS_WITHIN)
        .max_buf_size(MOST_BYTES)
        .max_headers(MOST_HEADERS)
        .auto_date_header(false)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service);
    // Errors of a connection don't matter.
    let _ = tokio::time::timeout(CONNECTION_WITHIN, connection).await;
    took.load(Ordering::SeqCst)
}

/// The state that all connections of a listener share.
struct CallbackServer<T, J> {
    path: String,
    host: String,
    language: Language,
    judge: J,
    taken: Mutex<Option<T>>,
    closed: AtomicBool,
}

impl<T, J: Fn(Parameters) -> CallbackVerdict<T>> CallbackServer<T, J> {
    fn answer_request(&self, request: &Request<Incoming>) -> (Response<PageBody>, bool) {
        let parameters = match self.read_parameters(request) {
            Ok(parameters) => parameters,
            Err(status) => return (page::error_page(status), false),
        };
        if self.closed.load(Ordering::SeqCst) {
            return (page::error_page(StatusCode::BAD_REQUEST), false);
        }
        let (verdict, taken) = match (self.judge)(parameters) {
            CallbackVerdict::Ignored => return (page::error_page(StatusCode::BAD_REQUEST), false),
            CallbackVerdict::Accepted(taken) => (PageKind::Success, taken),
            CallbackVerdict::Rejected(taken) => (PageKind::Failure, taken),
        };
        // If two responses arrive at once, the second one is refused.
        if self.closed.swap(true, Ordering::SeqCst) {
            return (page::error_page(StatusCode::BAD_REQUEST), false);
        }
        *self.taken.lock().unwrap_or_else(PoisonError::into_inner) = Some(taken);
        (page::result_page(verdict, self.language), true)
    }

    /// Reads the parameters of a request that may be an authorization response. The error is the status for
    /// refusing the request.
    fn read_parameters(&self, request: &Request<Incoming>) -> Result<Parameters, StatusCode> {
        if request.method() != Method::GET {
            return Err(StatusCode::METHOD_NOT_ALLOWED);
        }
        let headers = request.headers();
        let mut hosts = headers.get_all(HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else { return Err(StatusCode::BAD_REQUEST) };
        if host.as_bytes() != self.host.as_bytes() || request.uri().authority().is_some() {
            return Err(StatusCode::MISDIRECTED_REQUEST);
        }
        if headers.contains_key(ORIGIN) {
            return Err(StatusCode::FORBIDDEN);
        }
        let length = headers.get(CONTENT_LENGTH).is_some_and(|length| length.as_bytes() != b"0");
        if length || headers.contains_key(TRANSFER_ENCODING) {
            return Err(StatusCode::BAD_REQUEST);
        }
        if request.uri().path() != self.path {
            return Err(StatusCode::NOT_FOUND);
        }
        let query = request.uri().query().unwrap_or_default();
        let parameters: Parameters = url::form_urlencoded::parse(query.as_bytes())
            .take(MOST_PARAMETERS + 1)
            .map(|(name, value)| (name.into_owned(), value.into_owned()))
            .collect();
        if parameters.len() > MOST_PARAMETERS { Err(StatusCode::BAD_REQUEST) } else { Ok(parameters) }
    }
}

/// Binds an address. For `localhost`, binds both loopback addresses with the same port. A browser may try
/// either one first, and another program could take an address that was left free.
fn bind_sockets(place: &RedirectAddress) -> std::io::Result<(Vec<TcpListener>, u16)> {
    let v4 = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let v6 = IpAddr::V6(Ipv6Addr::LOCALHOST);
    let wanted = place.port.unwrap_or(0);
    match place.host {
        LoopbackHost::V4 => bind_socket(v4, wanted),
        LoopbackHost::V6 => bind_socket(v6, wanted),
        LoopbackHost::Name => {
            let mut tries = TRIES;
            loop {
                tries -= 1;
                let (mut sockets, port) = bind_socket(v4, wanted)?;
                match bind_socket(v6, port) {
                    Ok((other, _)) => {
                        sockets.extend(other);
                        return Ok((sockets, port));
                    }
                    Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => {
                        if wanted != 0 || tries == 0 {
                            return Err(error);
                        }
                    }
                    // This machine doesn't have this address, so no other program can listen there either.
                    Err(_) => return Ok((sockets, port)),
                }
            }
        }
    }
}

fn bind_socket(address: IpAddr, port: u16) -> std::io::Result<(Vec<TcpListener>, u16)> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // On Unix, this allows a port to be used again immediately, but never by two listeners. On Windows, it
    // would allow other programs to listen on the same port.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(SocketAddr::new(address, port))?;
    let listener = socket.listen(1024)?;
    let port = listener.local_addr()?.port();
    Ok((vec![listener], port))
}
