//! Addresses that a server in public must not send us to, in every disguise, at every place where something is fetched.

use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mooring_network::Network;
use mooring_oauth::{
    AuthorizationServer, Challenge, Client, ClientAuthentication, Clock, Error, Http, NetworkReach,
    TokenEndpoint, TokenSet, TokenType, UserInfo, discover, register, server_metadata,
};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use url::Url;

use crate::site::untold;

/// Names whose addresses change from one look to the next; the last stay.
#[derive(Default)]
struct RebindingResolver {
    known: Mutex<BTreeMap<String, VecDeque<Vec<IpAddr>>>>,
    looks: AtomicUsize,
}

impl RebindingResolver {
    fn with(self, name: &str, looks: &[&[&str]]) -> Self {
        let looks = looks.iter().map(|found| found.iter().map(|address| address.parse().unwrap()).collect());
        self.known.lock().unwrap().insert(name.to_owned(), looks.collect());
        self
    }
}

impl RebindingResolver {
    /// Polls until a name has been resolved; connecting to its address may take long or fail at once.
    async fn until_looked_at(&self, asking: impl Future<Output = Result<(), Error>>) {
        let looked = async {
            while self.looks.load(Ordering::SeqCst) == 0 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::select! {
            asked = asking => assert!(matches!(asked, Err(Error::Unreachable(_))), "{asked:?}"),
            () = looked => {}
        }
    }
}

impl Resolve for RebindingResolver {
    fn resolve(&self, name: Name) -> Resolving {
        self.looks.fetch_add(1, Ordering::SeqCst);
        let mut known = self.known.lock().unwrap();
        let found = known.get_mut(name.as_str()).map(|looks| match looks.len() {
            1 => looks[0].clone(),
            _ => looks.pop_front().unwrap(),
        });
        Box::pin(async move {
            let found = found.ok_or("no such name")?;
            let found: Addrs = Box::new(found.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(found)
        })
    }
}

/// A server of this machine that counts who comes.
struct Canary {
    port: u16,
    hits: Arc<AtomicUsize>,
    _serving: JoinSet<()>,
}

impl Canary {
    async fn start() -> Self {
        let hits = Arc::new(AtomicUsize::new(0));
        let mut serving = JoinSet::new();
        let first = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = first.local_addr().unwrap().port();
        let mut listeners = vec![first];
        listeners.extend(TcpListener::bind(("::1", port)).await);
        for listener in listeners {
            let hits = Arc::clone(&hits);
            serving.spawn(async move {
                loop {
                    let (mut stream, _) = listener.accept().await.unwrap();
                    hits.fetch_add(1, Ordering::SeqCst);
                    let mut head = [0; 1024];
                    let _ = stream.read(&mut head).await;
                    let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
                    let _ = stream.write_all(answer).await;
                }
            });
        }
        Self { port, hits, _serving: serving }
    }

    fn hits(&self) -> usize {
        self.hits.load(Ordering::SeqCst)
    }
}

/// Ways to write this machine, and the metadata service of a cloud.
const HERE: [&str; 18] = [
    "127.0.0.1",
    "127.1",
    "127.255.255.254",
    "2130706433",
    "0177.0.0.1",
    "0x7f000001",
    "0x7F.1",
    "%31%32%37.0.0.1",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "0.0.0.0",
    "localhost",
    "LocalHost.",
    "app.localhost",
    "inside.example",
    "mapped.example",
];
const ELSEWHERE: [&str; 14] = [
    "[::]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b::127.0.0.1]",
    "[2002:7f00:1::]",
    "[2001:0:808:808::80ff:fffe]",
    "169.254.169.254",
    "2852039166",
    "0251.0376.0251.0376",
    "0xa9fea9fe",
    "[::ffff:a9fe:a9fe]",
    "[64:ff9b::a9fe:a9fe]",
    "[fd00:ec2::254]",
    "metadata.example",
];

fn names() -> RebindingResolver {
    RebindingResolver::default()
        .with("localhost", &[&["127.0.0.1"]])
        .with("localhost.", &[&["127.0.0.1"]])
        .with("app.localhost", &[&["127.0.0.1"]])
        .with("inside.example", &[&["127.0.0.1"]])
        .with("mapped.example", &[&["::ffff:127.0.0.1"]])
        .with("metadata.example", &[&["169.254.169.254"]])
}

/// Sixteen ways to write an inner address, one of each kind.
const ENCODINGS: [(&str, &str); 16] = [
    ("dotted", "127.0.0.1"),
    ("short", "127.1"),
    ("decimal", "2130706433"),
    ("octal", "0177.0.0.1"),
    ("hexadecimal", "0x7f000001"),
    ("percent-encoded", "%31%32%37.0.0.1"),
    ("unspecified", "0.0.0.0"),
    ("IPv6", "[::1]"),
    ("IPv6, mapped", "[::ffff:7f00:1]"),
    ("IPv6, mapped to the metadata of a cloud", "[::ffff:a9fe:a9fe]"),
    ("NAT64", "[64:ff9b::7f00:1]"),
    ("6to4", "[2002:7f00:1::]"),
    ("the metadata of a cloud, decimal", "2852039166"),
    ("localhost with a dot", "LocalHost."),
    ("a name inside", "inside.example"),
    ("a name that turns inward", TURNING),
];
/// First it is outside, then here.
const TURNING: &str = "turning.example";

/// Each of the sixteen at each of the five places where something is fetched because a server says so; what came of
/// it, and how often somebody was reached here.
pub(crate) async fn sixteen_times_five() -> Vec<(String, bool, usize)> {
    let points = [
        RequestTarget::ResourceMetadata,
        RequestTarget::ServerMetadata,
        RequestTarget::Registration,
        RequestTarget::Token,
        RequestTarget::Profile,
    ];
    let canary = Canary::start().await;
    let mut cases = Vec::new();
    for (encoding, host) in ENCODINGS {
        for point in points {
            // 198.18.0.0/15 leads nowhere from here.
            let names = Arc::new(names().with(TURNING, &[&["198.18.0.1"], &["127.0.0.1"]]));
            let http = Http::with_resolver(
                &Network::direct(),
                NetworkReach::Public,
                Arc::clone(&names) as Arc<dyn Resolve>,
            );
            let address = format!("https://{host}:{}/x", canary.port);
            let before = canary.hits();
            if host == TURNING {
                names.until_looked_at(point.ask(&http, &address)).await;
            }
            let asked = point.ask(&http, &address).await;
            let refused = matches!(asked, Err(Error::Refused(_)));
            cases.push((format!("{encoding}, {point:?}"), refused, canary.hits() - before));
        }
    }
    cases
}

#[derive(Debug, Clone, Copy)]
enum RequestTarget {
    ResourceMetadata,
    ServerMetadata,
    Registration,
    Token,
    Revocation,
    Profile,
}

impl RequestTarget {
    const ALL: [Self; 6] = [
        Self::ResourceMetadata,
        Self::ServerMetadata,
        Self::Registration,
        Self::Token,
        Self::Revocation,
        Self::Profile,
    ];

    /// Asks what is asked at such a place, of an address.
    async fn ask(self, http: &Http, address: &str) -> Result<(), Error> {
        let url = Some(Url::parse(address).unwrap());
        let server = AuthorizationServer {
            issuer: "https://as.example".to_owned(),
            registration_endpoint: url.clone(),
            token_endpoint: url.clone(),
            revocation_endpoint: url.clone(),
            userinfo_endpoint: url,
            ..AuthorizationServer::default()
        };
        let client =
            Client { id: "client".to_owned(), secret: None, authentication: ClientAuthentication::None };
        let (trail, clock) = (untold(), Clock::system());
        let endpoint = TokenEndpoint {
            http,
            trail: &trail,
            server: &server,
            client: &client,
            dpop: None,
            clock: &clock,
        };
        let tokens = TokenSet {
            access: "secret".into(),
            token_type: TokenType::Bearer,
            refresh: Some("secret".into()),
            id_token: None,
            scopes: None,
            expires_at: None,
            received_at: clock.now(),
        };
        match self {
            Self::ResourceMetadata => {
                let challenge =
                    Challenge { resource_metadata: vec![address.to_owned()], ..Challenge::default() };
                let server = Url::parse("https://server.example/mcp").unwrap();
                Box::pin(discover(http, &server, &challenge, None, &trail)).await.map(drop)
            }
            Self::ServerMetadata => Box::pin(server_metadata(http, address, &trail)).await.map(drop),
            Self::Registration => Box::pin(register(http, &server, &[], &[], &trail)).await.map(drop),
            Self::Token => Box::pin(endpoint.refresh(&"secret".into(), None)).await.map(drop),
            Self::Revocation => Box::pin(endpoint.revoke(&tokens)).await.map(drop),
            Self::Profile => Box::pin(UserInfo::fetch(&endpoint, &tokens, None)).await.map(drop),
        }
    }
}

// Requirements: SEC-11, SEC-12
#[tokio::test]
async fn no_disguise_of_an_inner_address_is_followed_from_outside() {
    let canary = Canary::start().await;
    let mut cases = 0;
    for reach in [NetworkReach::Public, NetworkReach::Private] {
        let http = Http::with_resolver(&Network::direct(), reach, Arc::new(names()));
        for host in HERE.iter().chain(&ELSEWHERE) {
            for scheme in ["http", "https"] {
                for point in RequestTarget::ALL {
                    let address = format!("{scheme}://{host}:{}/x", canary.port);
                    let asked = point.ask(&http, &address).await;
                    assert!(matches!(asked, Err(Error::Refused(_))), "{point:?} {address}: {asked:?}");
                    cases += 1;
                }
            }
        }
    }
    assert_eq!(canary.hits(), 0);
    assert!(cases >= 2 * 16 * 5, "{cases}");
}

// The test above proves something only if each of these leads to the canary without the check.
#[tokio::test]
async fn the_same_addresses_lead_inside_when_nobody_looks() {
    let canary = Canary::start().await;
    let careless = reqwest::Client::builder().no_proxy().dns_resolver(Arc::new(names())).build().unwrap();
    let mut expected = 0;
    for host in HERE {
        // Not every system lets a program listen at all of 127.0.0.0/8.
        if host == "127.255.255.254" {
            continue;
        }
        let url = format!("http://{host}:{}/x", canary.port);
        careless.get(&url).send().await.unwrap_or_else(|error| panic!("{url}: {error}"));
        expected += 1;
        assert_eq!(canary.hits(), expected, "{url}");
    }
    // And a client for a server on this machine may go there.
    let http = Http::with_resolver(&Network::direct(), NetworkReach::Loopback, Arc::new(names()));
    for host in ["127.0.0.1", "2130706433", "0x7f000001", "[::1]", "localhost", "LocalHost.", "app.localhost"]
    {
        for point in RequestTarget::ALL {
            // What it makes of the answer is another matter.
            let address = format!("http://{host}:{}/x", canary.port);
            let _ = point.ask(&http, &address).await;
            assert!(canary.hits() > expected, "{point:?} {address}");
            expected = canary.hits();
        }
    }
    // Over https a name leads it there too, where TLS then fails.
    let asked = RequestTarget::Token.ask(&http, &format!("https://inside.example:{}/x", canary.port)).await;
    assert!(matches!(asked, Err(Error::Unreachable(_))), "{asked:?}");
    assert_eq!(canary.hits(), expected + 1);
}

// Requirements: SEC-12
#[tokio::test]
async fn a_name_that_turns_inward_between_two_connections_is_refused() {
    let canary = Canary::start().await;
    for point in RequestTarget::ALL {
        // 198.18.0.0/15 leads nowhere from here.
        let names = Arc::new(
            RebindingResolver::default().with("turning.example", &[&["198.18.0.1"], &["127.0.0.1"]]),
        );
        let http = Http::with_resolver(
            &Network::direct(),
            NetworkReach::Public,
            Arc::clone(&names) as Arc<dyn Resolve>,
        );
        let address = format!("https://turning.example:{}/x", canary.port);
        names.until_looked_at(point.ask(&http, &address)).await;
        let asked = point.ask(&http, &address).await;
        assert!(matches!(asked, Err(Error::Refused(_))), "{point:?}: {asked:?}");
        assert!(names.looks.load(Ordering::SeqCst) >= 2);
    }
    assert_eq!(canary.hits(), 0);
}

// Requirements: SEC-12
#[tokio::test]
async fn a_name_of_this_machine_is_not_led_away_from_it() {
    let canary = Canary::start().await;
    let names = RebindingResolver::default()
        .with("localhost", &[&["198.18.0.1"]])
        .with("inner.example", &[&["10.0.0.1"]]);
    let http = Http::with_resolver(&Network::direct(), NetworkReach::Loopback, Arc::new(names));
    let asked = RequestTarget::Token.ask(&http, &format!("http://localhost:{}/", canary.port)).await;
    assert!(matches!(asked, Err(Error::Refused(_))), "{asked:?}");
}
