//! A program without the vault's key adds its own authority and proxy. No encrypted value reaches them.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex};

use mooring_approvals::NetworkDoubt;
use mooring_base::server_id::ServerId;
use mooring_definitions::NewServer;
use mooring_host::{Host, HostOptions};
use mooring_models::NewProvider;
use mooring_network::ProxyChoice;
use mooring_server_state::StateName;
use mooring_settings::Settings;
use mooring_store::{SecretPlace, Store};
use mooring_testkit::oauth;
use mooring_vault::KeyPlacement as VaultChoice;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use crate::people::with_keychain;
use crate::sampling_gates::priced;
use crate::secrets::{CANARY, sealed, secret};
use crate::sign_in::sign_in;
use crate::support::{http, options, until, until_state};
use crate::tampered::sql;

const PASSPHRASE: &str = "a passphrase of some length";

/// A proxy that intercepts TLS with certificates of its own authority and records what it reads.
struct Interceptor {
    url: String,
    /// The authority's certificate as base64.
    der: String,
    seen: Arc<Mutex<String>>,
    _serving: JoinSet<()>,
}

impl Interceptor {
    async fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let key = KeyPair::generate().unwrap();
        let names = ["mcp.test", "login.test", "models.test"].map(str::to_owned);
        let leaf = CertificateParams::new(names).unwrap().signed_by(&key, &authority).unwrap();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let config = ServerConfig::builder().with_no_client_auth();
        let config = config.with_single_cert(vec![leaf.der().clone()], key).unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let der = Host::read_certificates(authority.pem().as_bytes()).unwrap().remove(0).der;
        let (seen, mut serving) = (Arc::default(), JoinSet::new());
        let kept = Arc::clone(&seen);
        serving.spawn(async move {
            let mut open = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                open.spawn(intercept(stream, acceptor.clone(), Arc::clone(&kept)));
            }
        });
        Self { url, der, seen, _serving: serving }
    }

    fn seen(&self) -> String {
        self.seen.lock().unwrap().clone()
    }

    fn proxy(&self) -> ProxyChoice {
        ProxyChoice::Custom { url: self.url.clone(), except: String::new() }
    }

    /// SQL that makes this proxy and its authority the global setting.
    fn forged(&self) -> String {
        format!(
            "INSERT INTO setting VALUES ('settings', '{{}}') ON CONFLICT DO NOTHING;
             UPDATE setting SET value = json_set(value, '$.proxy', json('{{\"custom\":{{\"url\":\"{}\",\"except\":\"\"}}}}'))
             WHERE key = 'settings';
             INSERT OR REPLACE INTO setting VALUES ('certificates', '[\"{}\"]')",
            self.url, self.der
        )
    }
}

/// Reads a whole request.
async fn request(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let (mut read, mut piece) = (Vec::new(), vec![0; 16 << 10]);
    while let Ok(count @ 1..) = stream.read(&mut piece).await {
        read.extend_from_slice(&piece[..count]);
        let text = String::from_utf8_lossy(&read).to_ascii_lowercase();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
        if body.len() >= length.map_or(0, |length| length.trim().parse().unwrap()) {
            break;
        }
    }
    String::from_utf8_lossy(&read).into_owned()
}

async fn intercept(mut stream: TcpStream, acceptor: TlsAcceptor, seen: Arc<Mutex<String>>) {
    const REFUSAL: &[u8] =
        b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let asked = request(&mut stream).await;
    seen.lock().unwrap().push_str(&asked);
    if !asked.starts_with("CONNECT ") {
        let _ended = stream.write_all(REFUSAL).await;
        return;
    }
    let _open = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
    if let Ok(mut inside) = acceptor.accept(stream).await {
        let asked = request(&mut inside).await;
        seen.lock().unwrap().push_str(&asked);
        let _ended = inside.write_all(REFUSAL).await;
        let _ended = inside.shutdown().await;
    }
}

async fn open(home: &Path) -> Host {
    Host::open(HostOptions { vault: with_keychain, ..options(home, true) }).await.unwrap()
}

/// The encrypted values in a profile, and what uses them.
struct Sealed {
    header: ServerId,
    login: ServerId,
    provider: i64,
    refresh_token: String,
    key: &'static str,
}

impl Sealed {
    /// A server's header, an account that needs a refresh, and a provider's key, each for an https URL.
    async fn new(home: &Path) -> Self {
        let server = oauth::serve(oauth::OAuthScript::default()).await;
        let host = open(home).await;
        let secrets = vec![secret(SecretPlace::Header, "X-Key", Some(CANARY))];
        let header = NewServer { secrets, ..http("header", "https://mcp.test/mcp") };
        let header = host.add_server(header).await.unwrap().id;
        let key = "provider-key-canary";
        let provider = NewProvider { key: Some(key.into()), ..priced("https://models.test") };
        let provider = host.save_provider(None, provider).await.unwrap().id;
        let berth = host.add_server(http("berth", &server.resource())).await.unwrap().id;
        until_state(&host, berth, StateName::SignInNeeded).await;
        let login_row = sign_in(&host, "berth").await.unwrap();
        until_state(&host, berth, StateName::Ready).await;
        host.remove_server(berth).await.unwrap();
        let login = host.add_server(http("login", "https://login.test/mcp")).await.unwrap().id;
        // Rewrite the account as if its server had an https URL.
        let store = Store::open(home).await.unwrap();
        let row = store.secrets().get(login_row.secret_id.as_ref().unwrap()).await.unwrap().unwrap();
        let vault = host.sign_ins().vault();
        let text = vault.decrypt(&row.id, &row.purpose, &sealed(&row)).unwrap();
        let moved = |text: &str| text.replace(server.origin(), "https://login.test");
        let mut payload: Value = serde_json::from_str(&moved(text.expose_secret())).unwrap();
        let refresh_token = payload["refresh"].as_str().unwrap().to_owned();
        payload["expires_ms"] = json!(1);
        payload["reach"] = json!("public");
        let again = vault.encrypt(&row.id, &moved(&row.purpose), &payload.to_string().into()).unwrap();
        let hex = |bytes: &[u8]| {
            bytes.iter().fold(String::new(), |mut text, byte| {
                write!(text, "{byte:02x}").unwrap();
                text
            })
        };
        let statements = format!(
            "UPDATE secret SET purpose = '{}', nonce = x'{}', ciphertext = x'{}' WHERE id = '{}';
             UPDATE login SET issuer = '{}', resource = 'https://login.test/mcp', expires_at_us = 1;
             INSERT INTO server_login VALUES ({}, {}, 1)",
            moved(&row.purpose),
            hex(&again.nonce),
            hex(&again.ciphertext),
            row.id,
            moved(&login_row.login.issuer),
            login.0,
            login_row.id,
        );
        store.tamper(statements).await.unwrap();
        store.close().await;
        host.shutdown().await;
        Self { header, login, provider, refresh_token, key }
    }

    /// Uses every encrypted value, and waits until all attempts are over.
    async fn use_all(&self, host: &Host) {
        for id in [self.header, self.login] {
            until(host, id, "settled", |view| view.connection.failure.is_some()).await;
        }
        let provider = NewProvider { key: None, ..priced("https://models.test") };
        let checked = host.check_provider(Some(self.provider), provider).await;
        assert!(checked.is_err() || checked.unwrap().models.is_err());
    }

    fn found_in(&self, seen: &str) -> [bool; 3] {
        [CANARY, self.refresh_token.as_str(), self.key].map(|text| seen.contains(text))
    }
}

#[tokio::test]
async fn nothing_sealed_leaves_through_a_forged_authority() {
    let home = tempfile::tempdir().unwrap();
    let (own, evil) = (Interceptor::new().await, Interceptor::new().await);
    let sealed = Sealed::new(home.path()).await;
    // Without network settings of the person.
    sql(home.path(), &evil.forged()).await;
    let host = open(home.path()).await;
    sealed.use_all(&host).await;
    assert_eq!(evil.seen(), "");
    let problem = host.network_problem().unwrap();
    assert_eq!((problem.doubt, host.settings().proxy), (NetworkDoubt::Changed, ProxyChoice::System));
    assert!(problem.stored.iter().any(|said| said.to_string().contains(&evil.url)), "{problem:?}");
    // With the person's settings: their own proxy proves that encrypted values are sent at all.
    host.set_settings(Settings { proxy: own.proxy(), ..host.settings() }).await.unwrap();
    host.add_certificates(std::slice::from_ref(&own.der)).await.unwrap();
    assert_eq!(host.network_problem(), None);
    host.shutdown().await;
    for forge in [false, true] {
        if forge {
            sql(home.path(), &evil.forged()).await;
        }
        own.seen.lock().unwrap().clear();
        let host = open(home.path()).await;
        sealed.use_all(&host).await;
        assert_eq!(sealed.found_in(&own.seen()), [true; 3], "{}", own.seen());
        assert_eq!(
            host.network_problem().map(|problem| problem.doubt),
            forge.then_some(NetworkDoubt::Changed)
        );
        assert_eq!(host.settings().proxy, own.proxy());
        host.shutdown().await;
    }
    // While the host runs.
    let host = open(home.path()).await;
    sql(home.path(), &evil.forged()).await;
    sealed.use_all(&host).await;
    assert_eq!((host.settings().proxy, host.certificates()[0].der.as_str()), (own.proxy(), &*own.der));
    host.shutdown().await;
    // The signatures are deleted or replaced as well.
    for gone in [
        "DELETE FROM integrity WHERE scope = 'settings'",
        "UPDATE integrity SET ciphertext = zeroblob(64) WHERE scope = 'settings'",
        "DELETE FROM integrity",
    ] {
        own.seen.lock().unwrap().clear();
        sql(home.path(), &format!("{}; {gone}", evil.forged())).await;
        let host = open(home.path()).await;
        host.open_vault().await.unwrap();
        sealed.use_all(&host).await;
        assert_eq!((evil.seen(), own.seen()), (String::new(), String::new()), "{gone}");
        let problem = host.network_problem().unwrap();
        assert_eq!((problem.doubt, host.settings().proxy), (NetworkDoubt::Unverified, ProxyChoice::System));
        assert!(host.settle_network("another", true).await.is_err());
        host.settle_network(&problem.hash, false).await.unwrap();
        assert_eq!((host.network_problem(), host.certificates()), (None, vec![]));
        host.shutdown().await;
    }
    assert_eq!(evil.seen(), "");
}

#[tokio::test]
async fn network_settings_wait_for_a_passphrase() {
    let home = tempfile::tempdir().unwrap();
    let (own, evil) = (Interceptor::new().await, Interceptor::new().await);
    let host = open(home.path()).await;
    host.create_vault(VaultChoice::Passphrase(PASSPHRASE.into())).await.unwrap();
    host.set_settings(Settings { proxy: own.proxy(), ..host.settings() }).await.unwrap();
    host.add_certificates(std::slice::from_ref(&own.der)).await.unwrap();
    host.shutdown().await;
    let document =
        "CREATE TABLE old AS SELECT * FROM integrity; CREATE TABLE old_setting AS SELECT * FROM setting";
    sql(home.path(), document).await;

    let host = open(home.path()).await;
    assert_eq!(host.network_problem().unwrap().doubt, NetworkDoubt::Locked);
    assert_eq!((host.settings().proxy, host.certificates()), (ProxyChoice::System, vec![]));
    // Unrelated settings can still be changed, and the person's network settings are not lost.
    host.set_settings(Settings { zoom_percent: 120, ..host.settings() }).await.unwrap();
    assert!(host.add_certificates(std::slice::from_ref(&evil.der)).await.is_err());
    host.unlock_vault(PASSPHRASE.into()).await.unwrap();
    assert_eq!((host.network_problem(), host.settings().proxy), (None, own.proxy()));
    assert_eq!((host.certificates().len(), host.settings().zoom_percent), (1, 120));
    host.shutdown().await;

    sql(home.path(), &evil.forged()).await;
    let host = open(home.path()).await;
    let id = host.add_server(http("plain", "https://mcp.test/mcp")).await.unwrap().id;
    until(&host, id, "settled", |view| view.connection.failure.is_some()).await;
    assert_eq!((evil.seen(), host.settings().proxy), (String::new(), ProxyChoice::System));
    // The settings that the person makes now take effect and persist.
    host.set_settings(Settings { proxy: ProxyChoice::Direct, ..host.settings() }).await.unwrap();
    assert_eq!(host.settings().proxy, ProxyChoice::Direct);
    host.unlock_vault(PASSPHRASE.into()).await.unwrap();
    assert_eq!((host.settings().proxy, &host.certificates()[0].der), (ProxyChoice::Direct, &own.der));
    let problem = host.network_problem().unwrap();
    assert_eq!(problem.doubt, NetworkDoubt::Changed);
    host.settle_network(&problem.hash, true).await.unwrap();
    assert_eq!((host.network_problem(), &host.certificates()[0].der), (None, &evil.der));
    // Replaying an older signed record is not accepted.
    let replay = "DELETE FROM integrity WHERE scope = 'settings';
        INSERT INTO integrity SELECT * FROM old WHERE scope = 'settings'";
    sql(home.path(), replay).await;
    host.shutdown().await;
    let host = open(home.path()).await;
    host.unlock_vault(PASSPHRASE.into()).await.unwrap();
    assert_eq!(host.network_problem().unwrap().doubt, NetworkDoubt::Unverified);
    assert_eq!((host.settings().proxy, evil.seen()), (ProxyChoice::System, String::new()));
    host.shutdown().await;
}
