//! The address for the answer, and other programs on this machine that connect to it.

use crate::support::{BackgroundTask, FakeBrowser, flow, kind, listener};
use base64::Engine as _;
use mooring_oauth::{AuthorizationCodeFlow, CallbackListener, Error, Language, RedirectAddress};
use mooring_testkit::oauth::{IssParameter, OAuthScript, OAuthServer, Page, follow_redirects, serve};
use sha2::{Digest as _, Sha256};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use url::Url;

/// Sends bytes and reads until the end.
pub(crate) async fn raw(address: &str, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // The other side may close before it has read all.
    let _ = stream.write_all(bytes).await;
    let mut answer = Vec::new();
    let read = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut answer)).await;
    let _ = read.expect("the connection ends");
    answer
}

pub(crate) fn redirect_of(url: &mooring_oauth::AuthorizationUrl) -> (Url, String) {
    let find =
        |name: &str| url.as_url().query_pairs().find(|(known, _)| known == name).unwrap().1.into_owned();
    (Url::parse(&find("redirect_uri")).unwrap(), find("state"))
}

/// Requests that are not a plain GET for this host and path, each with what is wrong with it.
pub(crate) fn impolite(redirect: &Url, state: &str) -> Vec<(String, String)> {
    let (path, port) = (redirect.path().to_owned(), redirect.port().unwrap());
    let host = format!("127.0.0.1:{port}");
    let target = format!("{path}?code=stolen&state={state}");
    // Every one knows the state, so that only the rule in question keeps it out.
    let mut requests: Vec<(String, String)> = Vec::new();
    let mut add = |what: &str, request: String| requests.push((what.to_owned(), request));
    for method in ["POST", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "get", "PROPFIND"]
    {
        add(method, format!("{method} {target} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    }
    for other in [
        "evil.com".to_owned(),
        format!("evil.com:{port}"),
        "127.0.0.1".to_owned(),
        format!("127.0.0.1:{}", port ^ 1),
        format!("localhost:{port}"),
        format!("LOCALHOST:{port}"),
        format!("[::1]:{port}"),
        format!("127.0.0.1.:{port}"),
        format!("127.1:{port}"),
        format!("2130706433:{port}"),
        format!("user@127.0.0.1:{port}"),
        format!("{host}, evil.com"),
        String::new(),
    ] {
        add(&format!("host {other}"), format!("GET {target} HTTP/1.1\r\nHost: {other}\r\n\r\n"));
    }
    add("no host", format!("GET {target} HTTP/1.1\r\n\r\n"));
    add("HTTP/1.0 without host", format!("GET {target} HTTP/1.0\r\n\r\n"));
    add("two hosts", format!("GET {target} HTTP/1.1\r\nHost: {host}\r\nHost: {host}\r\n\r\n"));
    add("absolute", format!("GET http://evil.com{target} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    add("absolute, ours", format!("GET http://{host}{target} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    for origin in ["https://evil.com", "null", &format!("http://{host}"), ""] {
        add(
            &format!("origin {origin}"),
            format!("GET {target} HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\n\r\n"),
        );
    }
    add("body", format!("GET {target} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 3\r\n\r\nabc"));
    let chunked = "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
    add("chunked", format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n{chunked}"));
    for other in ["/", "/callback", "/callback/", &format!("{path}/"), &path.to_uppercase(), "/favicon.ico"] {
        add(
            &format!("path {other}"),
            format!("GET {other}?code=c&state={state} HTTP/1.1\r\nHost: {host}\r\n\r\n"),
        );
    }
    for other in [
        format!("/x/..{path}"),
        format!("/{path}"),
        format!("{path};x"),
        format!("{path}%00"),
        path.replace("back", "b%61ck"),
    ] {
        add(
            &format!("path {other}"),
            format!("GET {other}?code=c&state={state} HTTP/1.1\r\nHost: {host}\r\n\r\n"),
        );
    }
    let theirs = RedirectAddress::path_for_issuer("https://other.example");
    add(
        "path of another issuer",
        format!("GET {theirs}?code=c&state={state} HTTP/1.1\r\nHost: {host}\r\n\r\n"),
    );
    add("many parameters", format!("GET {target}{} HTTP/1.1\r\nHost: {host}\r\n\r\n", "&a=b".repeat(40)));
    add("long", format!("GET {target}&a={} HTTP/1.1\r\nHost: {host}\r\n\r\n", "x".repeat(20_000)));
    add("many headers", format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n{}\r\n", "a: b\r\n".repeat(100)));
    add("long header", format!("GET {target} HTTP/1.1\r\nHost: {host}\r\na: {}\r\n\r\n", "x".repeat(17_000)));
    add("HTTP/0.9", format!("GET {target}\r\n"));
    add("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned());
    add("HTTP/3.0", format!("GET {target} HTTP/3.0\r\nHost: {host}\r\n\r\n"));
    add("TLS", "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}".to_owned());
    add("nonsense", "\0\0\0\0\r\n\r\n".to_owned());
    requests
}

// Requirements: AUTH-24, AUTH-30, SEC-24
#[tokio::test]
async fn nothing_but_a_plain_get_for_this_host_and_path_is_taken() {
    let running = serve(OAuthScript::default()).await;
    let (url, pending) = flow(&running).begin(listener(&running.issuer())).unwrap();
    let (redirect, state) = redirect_of(&url);
    let host = format!("127.0.0.1:{}", redirect.port().unwrap());
    let finish = BackgroundTask::new(pending.finish());
    let requests = impolite(&redirect, &state);
    assert!(requests.len() > 50, "{}", requests.len());
    for (what, request) in &requests {
        let answer = raw(&host, request.as_bytes()).await;
        let line = String::from_utf8_lossy(&answer[..answer.len().min(12)]).into_owned();
        assert!(
            answer.is_empty() || line.starts_with("HTTP/1.1 4") || line.starts_with("HTTP/1.0 4"),
            "{what}: {line}"
        );
        let text = String::from_utf8_lossy(&answer).to_ascii_lowercase();
        assert!(
            !text.contains("access-control") && !text.contains(&state.to_ascii_lowercase()),
            "{what}: {text}"
        );
        assert!(!finish.is_finished(), "{what}");
    }
    assert!(running.requests_to("/token").is_empty());
    // And the person's own browser still finds it.
    assert_eq!(follow_redirects(url.as_url().as_str()).await.unwrap().status, 200);
    finish.end().await.unwrap();
}

// Requirements: AUTH-30
#[tokio::test]
async fn hundred_silent_connections_do_not_delay_a_sign_in() {
    let running = serve(OAuthScript::default()).await;
    let (url, pending) = flow(&running).begin(listener(&running.issuer())).unwrap();
    let (redirect, _) = redirect_of(&url);
    let address = redirect.socket_addrs(|| None).unwrap()[0];
    let mut silent = Vec::new();
    for place in 0..100 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        if place % 2 == 0 {
            stream.write_all(b"GET /callback HTTP/1.1\r\nHost: ").await.unwrap();
        }
        silent.push(stream);
    }
    let began = Instant::now();
    let finish = BackgroundTask::new(pending.finish());
    assert_eq!(follow_redirects(url.as_url().as_str()).await.unwrap().status, 200);
    finish.end().await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    drop(silent);
}

#[tokio::test]
async fn a_request_that_does_not_end_is_ended() {
    let running = serve(OAuthScript::default()).await;
    let (url, pending) = flow(&running).begin(listener(&running.issuer())).unwrap();
    let (redirect, _) = redirect_of(&url);
    let finish = BackgroundTask::new(pending.finish());
    let mut stream = TcpStream::connect(redirect.socket_addrs(|| None).unwrap()[0]).await.unwrap();
    let began = Instant::now();
    let mut answer = Vec::new();
    loop {
        let dripped = stream.write_all(b"G").await;
        let wait = Duration::from_millis(400);
        match tokio::time::timeout(wait, stream.read_to_end(&mut answer)).await {
            Ok(_) => break,
            Err(_) if dripped.is_err() => break,
            Err(_) => assert!(began.elapsed() < Duration::from_secs(8), "it goes on for too long"),
        }
    }
    assert!(began.elapsed() > Duration::from_secs(3));
    assert!(!finish.is_finished());
}

/// The whole answer of one sign-in to one way of ending, as bytes.
pub(crate) async fn page(language: Language, more: &str, good: bool) -> Vec<u8> {
    let running = serve(OAuthScript::default()).await;
    let listener =
        CallbackListener::bind(&[RedirectAddress::for_issuer(&running.issuer())], language).unwrap();
    let (url, pending) = flow(&running).begin(listener).unwrap();
    let (redirect, state) = redirect_of(&url);
    let host = format!("127.0.0.1:{}", redirect.port().unwrap());
    let iss: String = url::form_urlencoded::byte_serialize(running.issuer().as_bytes()).collect();
    let finish = BackgroundTask::new(pending.finish());
    let outcome = if good { "code=c" } else { "error=access_denied" };
    let path = redirect.path();
    let request = format!(
        "GET {path}?{outcome}&state={state}&iss={iss}{more} HTTP/1.1\r\nHost: {host}\r\nAccept-Language: {more}\r\n\r\n"
    );
    let answer = raw(&host, request.as_bytes()).await;
    let _ = finish.end().await;
    answer
}

/// What somebody may want to see on the page at the end.
pub(crate) const ATTEMPTS: [&str; 7] = [
    "&error_description=%3Cscript%3Ealert(1)%3C/script%3E",
    "&error_uri=javascript:alert(1)",
    "&lang=fr&title=%3Cimg%20src=x%20onerror=alert(1)%3E",
    "&%22%3E%3Csvg/onload=alert(1)%3E=1",
    "&x=%0d%0aSet-Cookie:a=b",
    "&session_state=1&scope=read",
    "&x=%ff%fe%00",
];

#[tokio::test]
async fn the_page_at_the_end_is_the_same_whatever_was_asked() {
    for good in [true, false] {
        let plain = page(Language::English, "", good).await;
        let text = String::from_utf8(plain.clone()).unwrap();
        assert!(text.starts_with("HTTP/1.1 200 OK\r\n"), "{text}");
        for attempt in ATTEMPTS {
            assert_eq!(page(Language::English, attempt, good).await, plain, "{attempt}");
        }
    }
    assert_ne!(page(Language::English, "", true).await, page(Language::English, "", false).await);
    let chinese = String::from_utf8(page(Language::Chinese, "", true).await).unwrap();
    assert!(chinese.contains("lang=\"zh-CN\"") && chinese.contains("请回到 Mooring"));
}

#[tokio::test]
async fn the_page_allows_nothing_but_its_own_style() {
    let running = serve(OAuthScript::default()).await;
    let browser = FakeBrowser::default();
    flow(&running).run(listener(&running.issuer()), &browser).await.unwrap();
    let page: Page = browser.pages.lock().unwrap()[0].clone();
    let style = page.body.split("<style>").nth(1).unwrap().split("</style>").next().unwrap();
    let hash = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(style.as_bytes()));
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert_eq!(
        policy,
        format!(
            "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
    );
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("cache-control", "no-store"),
        ("referrer-policy", "no-referrer"),
        ("x-frame-options", "DENY"),
        ("connection", "close"),
        ("content-type", "text/html; charset=utf-8"),
    ] {
        assert_eq!(page.headers[name], value, "{name}");
    }
    assert!(
        !page.body.contains("<script") && !page.body.contains("style=") && !page.body.contains("http"),
        "{}",
        page.body
    );
    assert!(page.body.contains("prefers-color-scheme:dark"));
}

async fn signs_in_at(running: &OAuthServer, place: RedirectAddress) -> Result<String, Error> {
    let browser = FakeBrowser::default();
    let bound = CallbackListener::bind(&[place], Language::English)?;
    let redirect = bound.redirect_uri().to_string();
    flow(running).run(bound, &browser).await.map(|_| redirect)
}

// Requirements: AUTH-30
#[tokio::test]
async fn registered_redirect_uri_is_kept_exactly_except_the_port() {
    let running = serve(OAuthScript { iss: IssParameter::Right, ..OAuthScript::default() }).await;
    for (registered, host) in [
        ("http://127.0.0.1/callback", "127.0.0.1"),
        ("http://localhost/cb/one", "localhost"),
        ("http://127.0.0.1", "127.0.0.1"),
    ] {
        let registered = Url::parse(registered).unwrap();
        let redirect =
            signs_in_at(&running, RedirectAddress::from_registered(&registered).unwrap()).await.unwrap();
        let redirect = Url::parse(&redirect).unwrap();
        assert_eq!((redirect.host_str(), redirect.path()), (Some(host), registered.path()));
        assert!(redirect.port().is_some());
    }
    for bad in [
        "https://127.0.0.1/callback",
        "http://example.com/callback",
        "http://127.0.0.2/callback",
        "http://0.0.0.0/callback",
        "http://10.0.0.1/callback",
        "http://localhost.evil.example/callback",
        "http://user@127.0.0.1/callback",
        "http://127.0.0.1/callback?x=y",
        "http://127.0.0.1/callback#x",
        "mooring://callback",
        "com.example.mooring:/callback",
        "urn:ietf:wg:oauth:2.0:oob",
    ] {
        assert!(
            matches!(RedirectAddress::from_registered(&Url::parse(bad).unwrap()), Err(Error::Refused(_))),
            "{bad}"
        );
    }
}

// Requirements: AUTH-24, AUTH-30, SEC-24
#[tokio::test]
async fn a_port_that_another_holds_is_left_to_it() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let place = || RedirectAddress::for_issuer("https://as.example").with_port(port);
    let refused = CallbackListener::bind(&[place()], Language::English).unwrap_err();
    assert_eq!(kind(&refused), "refused");
    assert!(refused.to_string().contains(&port.to_string()), "{refused}");
    // The next one that is registered is taken.
    let next = CallbackListener::bind(
        &[place(), RedirectAddress::for_issuer("https://as.example")],
        Language::English,
    )
    .unwrap();
    let ours = next.redirect_uri().port().unwrap();
    assert_ne!(ours, port);
    // No other program can bind our port, not even with `SO_REUSEADDR`.
    assert!(std::net::TcpListener::bind(("127.0.0.1", ours)).is_err());
    let sharing = tokio::net::TcpSocket::new_v4().unwrap();
    sharing.set_reuseaddr(true).unwrap();
    let address = std::net::SocketAddr::from(([127, 0, 0, 1], ours));
    assert!(sharing.bind(address).and_then(|()| sharing.listen(1)).is_err());
    assert!(matches!(CallbackListener::bind(&[], Language::English), Err(Error::Refused(_))));
}

#[tokio::test]
async fn localhost_is_ours_under_both_of_its_addresses() {
    let place = RedirectAddress::from_registered(&Url::parse("http://localhost/callback").unwrap()).unwrap();
    let bound = CallbackListener::bind(std::slice::from_ref(&place), Language::English).unwrap();
    let port = bound.redirect_uri().port().unwrap();
    assert!(std::net::TcpListener::bind(("127.0.0.1", port)).is_err());
    if std::net::TcpListener::bind("[::1]:0").is_ok() {
        assert!(std::net::TcpListener::bind(("::1", port)).is_err());
        drop(bound);
        // Where another has the one, we do not make do with the other.
        let theirs = std::net::TcpListener::bind(("::1", port)).unwrap();
        assert!(CallbackListener::bind(&[place.with_port(port)], Language::English).is_err());
        drop(theirs);
    }
}

#[tokio::test]
async fn each_issuer_has_a_path_of_its_own() {
    let issuers = [
        "https://a.example",
        "https://a.example/",
        "https://A.example",
        "https://a.example/t",
        "http://a.example",
    ];
    let paths: std::collections::HashSet<_> =
        issuers.iter().map(|issuer| RedirectAddress::path_for_issuer(issuer)).collect();
    assert_eq!(paths.len(), issuers.len());
    assert!(paths.iter().all(|path| path.starts_with("/callback/") && path.len() == 26), "{paths:?}");
}

#[tokio::test]
async fn two_answers_at_once_bring_one_code() {
    let running = serve(OAuthScript::default()).await;
    let (url, pending) = flow(&running).begin(listener(&running.issuer())).unwrap();
    let (redirect, state) = redirect_of(&url);
    let finish = BackgroundTask::new(pending.finish());
    let iss: String = url::form_urlencoded::byte_serialize(running.issuer().as_bytes()).collect();
    let hits: Vec<_> = (0..8)
        .map(|place| {
            let address = format!("{redirect}?code=c{place}&state={state}&iss={iss}");
            BackgroundTask::new(async move {
                follow_redirects(&address).await.map(|page| page.status).unwrap_or(0)
            })
        })
        .collect();
    let mut good = 0;
    for hit in hits {
        good += usize::from(hit.end().await == 200);
    }
    assert_eq!(good, 1);
    assert!(finish.end().await.is_err(), "the code is none that was given out");
    assert_eq!(running.requests_to("/token").len(), 1);
}

#[tokio::test]
async fn a_sign_in_in_chinese_ends_in_chinese() {
    let running = serve(OAuthScript::default()).await;
    let place = RedirectAddress::for_issuer(&running.issuer());
    let browser = FakeBrowser::default();
    let bound = CallbackListener::bind(&[place], Language::Chinese).unwrap();
    AuthorizationCodeFlow { ..flow(&running) }.run(bound, &browser).await.unwrap();
    assert!(browser.pages.lock().unwrap()[0].body.contains("可以关闭此页面"));
}
