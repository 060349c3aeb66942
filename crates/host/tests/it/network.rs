//! The network settings: their effect, and that they are saved.

use std::sync::{Arc, Mutex};

use mooring_errors::HostError;
use mooring_network::ProxyChoice;
use mooring_server_state::StateName;
use mooring_settings::Settings;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::support::{http, until, window};

/// The certificate of an authority that issued no certificates, as base64.
const AUTHORITY: &str = include_str!("authority.txt");

/// A proxy that records the first line of each request and refuses it.
async fn proxy() -> (String, Arc<Mutex<Vec<String>>>, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let lines = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&lines);
    let mut serving = JoinSet::new();
    serving.spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut head = vec![0; 4_096];
            let read = stream.read(&mut head).await.unwrap();
            let text = String::from_utf8_lossy(&head[..read]).into_owned();
            kept.lock().unwrap().extend(text.lines().next().map(str::to_owned));
            let refusal = b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
            let _ended = stream.write_all(refusal).await;
        }
    });
    (url, lines, serving)
}

#[tokio::test]
async fn a_proxy_from_the_settings_carries_the_next_connection() {
    let home = tempfile::tempdir().unwrap();
    let (url, lines, _serving) = proxy().await;
    let host = window(home.path()).await;
    let except = "past.test".to_owned();
    let proxy = ProxyChoice::Custom { url: url.clone(), except };
    host.set_settings(Settings { proxy: proxy.clone(), ..host.settings() }).await.unwrap();
    drop(host);

    let host = window(home.path()).await;
    assert_eq!(host.settings().proxy, proxy);
    let id = host.add_server(http("through", "http://mcp.test/mcp")).await.unwrap().id;
    let failed = until(&host, id, "a failure", |view| view.connection.failure.is_some()).await;
    let asked = lines.lock().unwrap().clone();
    assert!(asked.iter().any(|line| line.starts_with("POST http://mcp.test/mcp ")), "{asked:?}");
    let said = failed.connection.failure.unwrap().message.to_string();
    assert!(said.contains(&format!("through the proxy {url}")), "{said}");

    let past = host.add_server(http("past", "http://past.test/mcp")).await.unwrap().id;
    let failed = until(&host, past, "a failure", |view| view.connection.failure.is_some()).await;
    assert_ne!(failed.connection.state, StateName::Ready);
    let asked = lines.lock().unwrap().clone();
    assert!(!asked.iter().any(|line| line.contains("past.test")), "{asked:?}");
}

#[tokio::test]
async fn a_proxy_that_cannot_be_is_refused_and_nothing_changes() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    for url in ["", "proxy.test", "http://me:hunter2@proxy.test", "ftp://proxy.test"] {
        let proxy = ProxyChoice::Custom { url: url.to_owned(), except: String::new() };
        let refused = host.set_settings(Settings { proxy, ..host.settings() }).await.unwrap_err();
        let HostError::InvalidSetting { field: "proxy", message } = refused else { panic!("{refused:?}") };
        assert!(!message.to_string().contains("hunter2"), "{message}");
    }
    assert_eq!(host.settings(), Settings::default());
}

#[tokio::test]
async fn authorities_are_kept_until_they_are_removed() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let der = AUTHORITY.split_whitespace().collect::<String>();
    host.add_certificates(&[der.clone(), der.clone()]).await.unwrap();
    host.add_certificates(std::slice::from_ref(&der)).await.unwrap();
    let kept = host.certificates();
    assert_eq!(kept.len(), 1);
    assert_eq!((kept[0].name.as_str(), kept[0].der.as_str()), ("Mooring test authority", der.as_str()));
    for bad in ["", "?", "AAAA", &der[..der.len() / 2]] {
        let refused = host.add_certificates(&[der.clone(), bad.to_owned()]).await;
        assert!(matches!(refused, Err(HostError::InvalidSetting { field: "certificates", .. })), "{bad}");
    }
    drop(host);

    let host = window(home.path()).await;
    assert_eq!(host.certificates(), kept);
    host.remove_certificate(&kept[0].fingerprint).await.unwrap();
    assert_eq!(host.certificates(), []);
    drop(host);
    assert_eq!(window(home.path()).await.certificates(), []);
}
