//! A server whose certificate comes from an authority that this computer doesn't know.

use std::collections::BTreeMap;
use std::sync::Arc;

use mooring_connections::Target;
use mooring_doctor::{CheckCode, CheckOutcome, Fix, check_server};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use crate::support::open;

#[tokio::test]
async fn unknown_authority_is_named_and_the_rest_is_skipped() {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name.push(DnType::CommonName, "Harbour Authority");
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let leaf = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    let leaf = leaf.signed_by(&key, &authority).unwrap();
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let config = ServerConfig::builder().with_no_client_auth();
    let config = config.with_single_cert(vec![leaf.der().clone()], key).unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://localhost:{}/mcp", listener.local_addr().unwrap().port());
    let mut serving = JoinSet::new();
    serving.spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            // The client refuses the certificate, except where it only reads who issued it.
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            let mut seen = [0; 4_096];
            if stream.read(&mut seen).await.is_ok() {
                let _gone = stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await;
            }
        }
    });

    let home = tempfile::tempdir().unwrap();
    let host = open(home.path(), false).await;
    let target = Target::Url { url, headers: BTreeMap::new() };
    let report = check_server(&host, target, None, &|_| {}).await.unwrap();
    host.shutdown().await;

    let tls = report.checks.iter().position(|check| check.code == CheckCode::Tls).unwrap();
    let (before, rest) = report.checks.split_at(tls);
    assert!(before.iter().all(|check| check.outcome != CheckOutcome::Failed), "{before:#?}");
    assert_eq!(rest[0].outcome, CheckOutcome::Failed, "{rest:#?}");
    assert!(rest[0].evidence[0].contains("Harbour Authority"), "{:?}", rest[0]);
    assert_eq!(rest[0].error.as_deref(), Some("certificate"));
    assert_eq!(rest[0].fix, Some(Fix::OpenNetworkSettings));
    assert!(rest[1..].iter().all(|check| check.outcome == CheckOutcome::Skipped), "{rest:#?}");
}
