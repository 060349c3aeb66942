//! The network settings in force, and HTTP clients that follow them.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use hyper_util::client::proxy::matcher::Matcher;
use reqwest::ClientBuilder;
use url::Url;

use crate::certificate::Certificate;
use crate::proxy::{Proxy, ProxyChoice};

/// The network settings in force. Clones share them.
#[derive(Clone)]
pub struct Network(Arc<RwLock<Arc<InForce>>>);

struct InForce {
    /// Grows with each change.
    version: u64,
    proxies: Matcher,
    certificates: Vec<reqwest::Certificate>,
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network").field("version", &self.settings_in_force().version).finish_non_exhaustive()
    }
}

impl Default for Network {
    /// The system's settings, without other certificates.
    fn default() -> Self {
        Self::with_matcher(Matcher::from_system())
    }
}

impl Network {
    /// Settings without a proxy.
    pub fn direct() -> Self {
        Self::with_matcher(ProxyChoice::Direct.build_matcher())
    }

    fn with_matcher(proxies: Matcher) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(InForce { version: 0, proxies, certificates: Vec::new() }))))
    }

    /// Applies these settings to every request that begins from now on. If no client can be built with them,
    /// fails and changes nothing.
    pub fn set(&self, proxy: &ProxyChoice, certificates: &[Certificate]) -> reqwest::Result<()> {
        let certificates: Vec<_> =
            certificates.iter().map(Certificate::to_client_certificate).collect::<reqwest::Result<_>>()?;
        trust_certificates(reqwest::Client::builder(), &certificates).build()?;
        let proxies = proxy.build_matcher();
        let mut now = self.0.write().unwrap_or_else(PoisonError::into_inner);
        *now = Arc::new(InForce { version: now.version + 1, proxies, certificates });
        Ok(())
    }

    fn settings_in_force(&self) -> Arc<InForce> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The proxy that requests to `url` go through.
    pub fn proxy(&self, url: &Url) -> Option<Proxy> {
        Proxy::of(&self.settings_in_force().proxies, url)
    }

    /// A client whose requests all go through `proxy`.
    pub fn client_through(&self, proxy: &Proxy, builder: ClientBuilder) -> reqwest::Result<reqwest::Client> {
        trust_certificates(builder, &self.settings_in_force().certificates)
            .proxy(proxy.to_client_proxy()?)
            .build()
    }
}

fn trust_certificates(builder: ClientBuilder, certificates: &[reqwest::Certificate]) -> ClientBuilder {
    if certificates.is_empty() { builder } else { builder.tls_certs_merge(certificates.iter().cloned()) }
}

/// An HTTP client with one configuration. Clones share their connections.
#[derive(Clone)]
pub struct NetworkClient {
    network: Network,
    through_proxies: bool,
    configure: Arc<dyn Fn(ClientBuilder) -> ClientBuilder + Send + Sync>,
    built: Arc<Mutex<Option<(u64, reqwest::Client)>>>,
}

impl fmt::Debug for NetworkClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NetworkClient").field("network", &self.network).finish_non_exhaustive()
    }
}

impl NetworkClient {
    /// A client that uses the proxy in force for all requests, except to this machine.
    pub fn new(
        network: &Network,
        configure: impl Fn(ClientBuilder) -> ClientBuilder + Send + Sync + 'static,
    ) -> Self {
        let (network, configure) = (network.clone(), Arc::new(configure));
        Self { network, through_proxies: true, configure, built: Arc::default() }
    }

    /// A client that uses no proxy.
    pub fn without_proxy(
        network: &Network,
        configure: impl Fn(ClientBuilder) -> ClientBuilder + Send + Sync + 'static,
    ) -> Self {
        Self { through_proxies: false, ..Self::new(network, configure) }
    }

    /// The settings that the client follows.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The client for a request that begins now.
    pub fn get(&self) -> reqwest::Result<reqwest::Client> {
        let in_force = self.network.settings_in_force();
        let mut built: MutexGuard<'_, _> = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((version, client)) = &*built
            && *version == in_force.version
        {
            return Ok(client.clone());
        }
        let version = in_force.version;
        let builder =
            trust_certificates((self.configure)(reqwest::Client::builder()), &in_force.certificates);
        let client = if self.through_proxies {
            let proxy = move |url: &Url| Proxy::of(&in_force.proxies, url)?.url_with_login();
            builder.proxy(reqwest::Proxy::custom(proxy)).build()?
        } else {
            builder.no_proxy().build()?
        };
        *built = Some((version, client.clone()));
        Ok(client)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;
    use tokio::task::JoinSet;
    use tokio_rustls::TlsAcceptor;
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::pki_types::PrivateKeyDer;

    use super::*;
    use crate::certificate::read_certificates;

    const ANSWER: &[u8] = b"HTTP/1.1 204 No Content\r\n\r\n";

    /// Answers each request on a connection.
    async fn answer(mut stream: impl tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin) {
        let mut seen = [0; 4_096];
        while let Ok(1..) = stream.read(&mut seen).await {
            if stream.write_all(ANSWER).await.is_err() {
                return;
            }
        }
    }

    /// A server without TLS. Returns its port and the number of connections that it got.
    async fn server() -> (u16, Arc<AtomicUsize>, JoinSet<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (port, count, mut tasks) =
            (listener.local_addr().unwrap().port(), Arc::new(AtomicUsize::new(0)), JoinSet::new());
        let counted = Arc::clone(&count);
        tasks.spawn(async move {
            let mut answering = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                counted.fetch_add(1, Ordering::SeqCst);
                answering.spawn(answer(stream));
            }
        });
        (port, count, tasks)
    }

    #[tokio::test]
    async fn an_authority_is_trusted_from_when_it_is_added_until_removed() {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let key = KeyPair::generate().unwrap();
        let leaf = CertificateParams::new(vec!["localhost".to_owned()])
            .unwrap()
            .signed_by(&key, &authority)
            .unwrap();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let config = ServerConfig::builder().with_no_client_auth();
        let config = config.with_single_cert(vec![leaf.der().clone()], key).unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://localhost:{}/", listener.local_addr().unwrap().port());
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut answering = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let acceptor = acceptor.clone();
                answering.spawn(async move {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        answer(stream).await;
                    }
                });
            }
        });

        let network = Network::direct();
        let client = NetworkClient::new(&network, |builder| builder);
        let trusted = read_certificates(authority.pem().as_bytes()).unwrap();
        let ask =
            async || client.get().unwrap().get(&url).send().await.map(|answer| answer.status().as_u16());
        ask().await.unwrap_err();
        network.set(&ProxyChoice::Direct, &trusted).unwrap();
        assert_eq!(ask().await.unwrap(), 204);
        network.set(&ProxyChoice::Direct, &[]).unwrap();
        ask().await.unwrap_err();
    }

    #[tokio::test]
    async fn a_new_proxy_takes_the_next_request() {
        let (first, asked_first, _first) = server().await;
        let (second, asked_second, _second) = server().await;
        let network = Network::direct();
        let client = NetworkClient::new(&network, |builder| builder);
        let ask = async || client.get().unwrap().get("http://mcp.test/").send().await;
        let through = |port: u16| ProxyChoice::Custom {
            url: format!("http://127.0.0.1:{port}"),
            except: String::new(),
        };
        for (choice, counts) in
            [(through(first), (1, 0)), (through(second), (1, 1)), (through(first), (2, 1))]
        {
            network.set(&choice, &[]).unwrap();
            for _ in 0..2 {
                assert_eq!(ask().await.unwrap().status(), 204);
            }
            let asked = (asked_first.load(Ordering::SeqCst), asked_second.load(Ordering::SeqCst));
            assert_eq!(asked, counts);
        }
        network.set(&ProxyChoice::Direct, &[]).unwrap();
        ask().await.unwrap_err();
        let direct = NetworkClient::without_proxy(&network, |builder| builder);
        network.set(&through(first), &[]).unwrap();
        direct.get().unwrap().get("http://mcp.test/").send().await.unwrap_err();
        assert_eq!(asked_first.load(Ordering::SeqCst), 2);
    }
}
