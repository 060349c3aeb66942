//! Tests that need their own proxy, resolver or clock.

use super::*;
use mooring_network::ProxyChoice;
use reqwest::dns::{Addrs, Name, Resolving};
use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// Resolves `inside` to a private address, `outside` to a public one and `mixed` to both. Other names do not
/// exist.
#[derive(Default)]
struct FixedResolver(AtomicUsize);

impl Resolve for FixedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        self.0.fetch_add(1, Ordering::SeqCst);
        let found: &[&str] = match name.as_str() {
            "inside.example" => &["10.0.0.1", "127.0.0.1", "169.254.169.254"],
            "mixed.example" => &["127.0.0.1", "8.8.8.8", "::1", "2606:4700::1111"],
            "outside.example" => &["8.8.8.8"],
            "nowhere.example" => &[],
            _ => return Box::pin(async { Err("no such name".into()) }),
        };
        let found: Vec<_> = found.iter().map(|ip| SocketAddr::new(ip.parse().unwrap(), 0)).collect();
        Box::pin(async move {
            let found: Addrs = Box::new(found.into_iter());
            Ok(found)
        })
    }
}

#[tokio::test]
async fn only_allowed_addresses_of_a_host_name_are_connected_to() {
    let look = async |reach, name: &str| {
        let filtered = FilteredResolver { reach, inner: Arc::new(FixedResolver::default()) };
        let found = filtered.resolve(name.parse().unwrap()).await;
        found.map(|found| found.map(|found| found.ip().to_string()).collect::<Vec<_>>())
    };
    assert_eq!(look(NetworkReach::Public, "mixed.example").await.unwrap(), ["8.8.8.8", "2606:4700::1111"]);
    assert_eq!(look(NetworkReach::Private, "inside.example").await.unwrap(), ["10.0.0.1"]);
    assert_eq!(look(NetworkReach::Loopback, "inside.example").await.unwrap(), ["10.0.0.1", "127.0.0.1"]);
    assert!(look(NetworkReach::Public, "inside.example").await.unwrap_err().is::<OutOfReach>());
    assert!(!look(NetworkReach::Public, "unknown.example").await.unwrap_err().is::<OutOfReach>());
    assert!(look(NetworkReach::Public, "nowhere.example").await.unwrap().is_empty());
}

/// Reads the head of a request.
async fn head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    String::from_utf8(head).unwrap()
}

/// A proxy that notes the head of each request and refuses the request.
async fn proxy() -> (String, Arc<Mutex<Vec<String>>>, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://someone:password@{}", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&asked);
    let mut serving = JoinSet::new();
    serving.spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let head = head(&mut stream).await;
            told.lock().unwrap().push(head);
            stream.write_all(b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n").await.unwrap();
        }
    });
    (address, asked, serving)
}

fn get(url: &str) -> Request {
    let url = Url::parse(url).unwrap();
    let (headers, body) = (HeaderMap::new(), Bytes::new());
    Request { purpose: Purpose::ServerMetadata, method: Method::GET, url, headers, body }
}

// Requirements: SEC-12
#[tokio::test]
async fn proxy_is_used_except_for_loopback_and_opens_no_inner_network() {
    let (address, asked, _serving) = proxy().await;
    let names = Arc::new(FixedResolver::default());
    let network = Network::direct();
    let except = "direct.example, 10.9.9.9".to_owned();
    network.set(&ProxyChoice::Custom { url: address, except }, &[]).unwrap();
    let http = Http::with_resolver(&network, NetworkReach::Public, Arc::clone(&names) as Arc<dyn Resolve>);
    for url in ["https://outside.example/x", "https://only-the-proxy-knows.example/x", "https://8.8.8.8/x"] {
        let failed = http.send(get(url)).await;
        assert!(matches!(failed, Err(Error::Unreachable(_))), "{url}: {failed:?}");
    }
    let lines: Vec<_> = asked.lock().unwrap().drain(..).collect();
    for (line, host) in lines.iter().zip(["outside.example", "only-the-proxy-knows.example", "8.8.8.8"]) {
        assert!(line.starts_with(&format!("CONNECT {host}:443 HTTP/1.1\r\n")), "{line}");
        assert!(line.contains("c29tZW9uZTpwYXNzd29yZA=="), "{line}");
    }
    assert_eq!(lines.len(), 3);
    for url in [
        "https://10.0.0.1/",
        "https://169.254.169.254/",
        "https://127.0.0.1/",
        "http://localhost:1/",
        "https://[::ffff:a00:1]/",
        "https://inside.example/",
        // This is refused, with and without the proxy.
        "https://10.9.9.9/",
    ] {
        let refused = http.send(get(url)).await;
        assert!(matches!(refused, Err(Error::Refused(_))), "{url}: {refused:?}");
    }
    let before = names.0.load(Ordering::SeqCst);
    let direct = http.send(get("https://direct.example/")).await;
    assert!(matches!(direct, Err(Error::Unreachable(_))), "{direct:?}");
    assert!(names.0.load(Ordering::SeqCst) > before);
    assert_eq!(*asked.lock().unwrap(), [""; 0]);
}

#[tokio::test]
async fn this_machine_is_asked_without_a_proxy() {
    let (address, asked, _serving) = proxy().await;
    let here = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", here.local_addr().unwrap());
    let network = Network::direct();
    network.set(&ProxyChoice::Custom { url: address, except: String::new() }, &[]).unwrap();
    let http = Http::new(&network, NetworkReach::Loopback);
    let answering = async {
        let (mut stream, _) = here.accept().await.unwrap();
        head(&mut stream).await;
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await.unwrap();
        stream
    };
    let (response, _stream) = tokio::join!(http.send(get(&url)), answering);
    assert_eq!(response.unwrap().status, 200);
    assert_eq!(*asked.lock().unwrap(), [""; 0]);
}

// Requirements: SEC-14.
#[tokio::test]
async fn an_answer_that_does_not_end_is_not_read_to_its_end() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
    let http = Http::new(&Network::direct(), NetworkReach::Loopback);
    let mut serving = JoinSet::new();
    // A body of a gibibyte, first with a content length and then without.
    serving.spawn(async move {
        let mut sent = 0_usize;
        for head in ["content-length: 1073741824", "x: y"] {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = self::head(&mut stream).await;
            let head = format!("HTTP/1.1 200 OK\r\n{head}\r\nconnection: close\r\n\r\n");
            let _ = stream.write_all(head.as_bytes()).await;
            for _ in 0..16_384 {
                if stream.write_all(&[b' '; 16 << 10]).await.is_err() {
                    break;
                }
                sent += 16 << 10;
            }
        }
        sent
    });
    for _ in 0..2 {
        let found = http.get(Purpose::ServerMetadata, url.clone(), HeaderMap::new()).await;
        let is_it = |why: &Sentence| why.as_str().contains("longer than 1 MiB");
        assert!(matches!(&found, Err(Error::Refused(why)) if is_it(why)), "{found:?}");
    }
    // Only the bytes that fit into the system's buffers were sent.
    let sent = serving.join_next().await.unwrap().unwrap();
    assert!(sent < 64 << 20, "{sent}");
}

// Requirements: SEC-14.
#[tokio::test]
async fn a_server_that_takes_its_time_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let mut http = Http::new(&Network::direct(), NetworkReach::Loopback);
    http.deadline = Duration::from_millis(300);
    let mut serving = JoinSet::new();
    serving.spawn(async move {
        // One server never answers, one never ends its answer, and one redirects for ever.
        let (silent, _) = listener.accept().await.unwrap();
        let (mut endless, _) = listener.accept().await.unwrap();
        head(&mut endless).await;
        endless.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n").await.unwrap();
        while endless.write_all(b"1\r\nx\r\n").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        drop(silent);
        loop {
            let (mut redirecting, _) = listener.accept().await.unwrap();
            head(&mut redirecting).await;
            tokio::time::sleep(Duration::from_millis(150)).await;
            let _ = redirecting
                .write_all(
                    b"HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
                )
                .await;
        }
    });
    for _ in 0..2 {
        let late = http.send(get(&url)).await;
        assert!(
            matches!(&late, Err(Error::Unreachable(why)) if why.as_str().contains("longer than")),
            "{late:?}"
        );
    }
    let late = http.get(Purpose::ServerMetadata, Url::parse(&url).unwrap(), HeaderMap::new()).await;
    assert!(
        matches!(&late, Err(Error::Unreachable(why)) if why.as_str().contains("longer than")),
        "{late:?}"
    );
}
