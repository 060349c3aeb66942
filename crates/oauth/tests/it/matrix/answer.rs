//! What comes back from the browser, and who else comes (A3, A4, A6, A8, A9, A10).

use mooring_oauth::{AuthorizationCodeFlow, CallbackListener, Language, RedirectAddress, register};
use mooring_testkit::oauth::{IssParameter, OAuthScript, follow_redirects};
use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use url::Url;

use super::{AttackMatrix, AttackSetup, LONG, SHORT, word};
use crate::authorization::forgeries;
use crate::listener::{ATTEMPTS, impolite, page, raw, redirect_of};
use crate::support::{BackgroundTask, flow, http, kind, listener, nobody, public};

pub(super) async fn attack(matrix: &mut AttackMatrix) {
    Box::pin(pages(matrix)).await;
    Box::pin(mixed_up(matrix)).await;
    Box::pin(states(matrix)).await;
    Box::pin(ports(matrix)).await;
    Box::pin(visitors(matrix)).await;
    Box::pin(loiterers(matrix)).await;
}

async fn pages(matrix: &mut AttackMatrix) {
    for good in [true, false] {
        let plain = page(Language::English, "", good).await;
        let whole =
            plain.windows(12).any(|bytes| bytes == b"</html>\n".as_slice() || bytes.ends_with(b"</html>"));
        assert!(whole, "{}", String::from_utf8_lossy(&plain));
        for attempt in ATTEMPTS {
            let same = page(Language::English, attempt, good).await == plain;
            let came = if same { "the same page" } else { "another page" };
            let done = format!("{attempt} with {}", if good { "a code" } else { "an error" });
            matrix.tell("A3", done, "the same page", came);
        }
    }
}

async fn mixed_up(matrix: &mut AttackMatrix) {
    let with = |more: &str| IssParameter::WithSuffix(more.to_owned());
    let other = |iss: &str| IssParameter::Other(iss.to_owned());
    for (announced, iss, done) in [
        (true, IssParameter::Absent, "no iss where one is announced"),
        (true, other("https://evil.example"), "iss of another, announced"),
        (false, other("https://evil.example"), "iss of another, unannounced"),
        (true, with("/"), "iss with a slash"),
        (false, with("/"), "iss with a slash, unannounced"),
        (true, with("?"), "iss with a question mark"),
        (true, with("#"), "iss with a hash"),
        (true, with(" "), "iss with a space"),
        (true, with("/."), "iss with a dot"),
        (true, with("%2F"), "iss with an escaped slash"),
        (true, with("\u{0}"), "iss with a null"),
        (true, other(""), "an empty iss"),
        (false, other(""), "an empty iss, unannounced"),
        (true, other("null"), "iss null"),
    ] {
        let scene =
            AttackSetup::new(OAuthScript { announces_iss: announced, iss, ..OAuthScript::default() }).await;
        let came = scene.sign_in(LONG).await;
        let came = if scene.tokens_asked() == 0 { word(&came) } else { "the code was sent" };
        matrix.tell_and_look("A4", done, "refused", came, &scene);
    }

    // A wrong party sends the browser on to an honest one, in the hope that its code is brought to the wrong party.
    for (announced, iss, expected) in [
        (true, IssParameter::Right, "refused"),
        (false, IssParameter::Right, "refused"),
        (false, IssParameter::Absent, "ended"),
    ] {
        let absent = matches!(iss, IssParameter::Absent);
        let done = format!("the person is led on to another, iss announced: {announced}, there: {}", !absent);
        let scene =
            AttackSetup::new(OAuthScript { iss, announces_iss: !absent, ..OAuthScript::default() }).await;
        let (honest, wrong) = (&scene.honest, &scene.wrong);
        // Where no `iss` tells, the honest one knows our client by an address of its own.
        let client = if absent {
            let honest_listener = listener(&honest.issuer());
            let redirects = [honest_listener.redirect_uri().clone()];
            let server = serde_json::from_value(honest.metadata()).unwrap();
            register(&http(), &server, &redirects, &[], &nobody()).await.unwrap().client
        } else {
            public()
        };
        let mut mixed = AuthorizationCodeFlow { client, within: SHORT, ..flow(wrong) };
        mixed.server.authorization_response_iss_parameter_supported = announced;
        mixed.server.authorization_endpoint =
            Some(Url::parse(&format!("{}/authorize", honest.issuer())).unwrap());
        let came = mixed.run(listener(&wrong.issuer()), &scene.browser).await;
        let came = if wrong.requests_to("/token").is_empty() { word(&came) } else { "the code was sent" };
        matrix.tell_and_look("A4", done, expected, came, &scene);
    }
}

async fn states(matrix: &mut AttackMatrix) {
    let scene = AttackSetup::new(OAuthScript::default()).await;
    let (foreign, abandoned) = flow(&scene.honest).begin(listener("https://other.example")).unwrap();
    let (_, foreign) = redirect_of(&foreign);
    drop(abandoned);
    let (url, pending) = flow(&scene.honest).begin(listener(&scene.honest.issuer())).unwrap();
    let (redirect, state) = redirect_of(&url);
    let finish = BackgroundTask::new(pending.finish());
    for (place, forgery) in forgeries(&state, &foreign).iter().enumerate() {
        let status = follow_redirects(&format!("{redirect}{forgery}")).await.unwrap().status;
        let came = if finish.is_finished() { "the sign-in ended".to_owned() } else { status.to_string() };
        let shown = forgery.replace(&state, "STATE").replace(&foreign, "FOREIGN");
        matrix.tell_and_look(
            "A6",
            format!("{place}: {}", &shown[..shown.len().min(60)]),
            "400",
            came,
            &scene,
        );
    }
    let page = follow_redirects(url.as_url().as_str()).await.unwrap();
    let came = if page.status == 200 && finish.end().await.is_ok() { "signed in" } else { "not signed in" };
    matrix.tell_and_look("A6", "the real answer after all of these", "signed in", came, &scene);
    let again = follow_redirects(&page.url).await;
    let came = if again.is_err() && scene.tokens_asked() == 1 { "nobody there" } else { "heard again" };
    matrix.tell_and_look("A6", "the same answer once more", "nobody there", came, &scene);

    for state in ["", "guess", "0000000000000000000000000000000000000000000", "null"] {
        let scene =
            AttackSetup::new(OAuthScript { state: Some(state.to_owned()), ..OAuthScript::default() }).await;
        let came = scene.sign_in(SHORT).await;
        let came = if scene.tokens_asked() == 0 { word(&came) } else { "the code was sent" };
        matrix.tell_and_look("A6", format!("the server makes up the state {state:?}"), "ended", came, &scene);
    }
    let scene = AttackSetup::new(OAuthScript::default()).await;
    let late = AuthorizationCodeFlow { within: Duration::from_millis(50), ..flow(&scene.honest) };
    let (url, pending) = late.begin(listener(&scene.honest.issuer())).unwrap();
    let came = pending.finish().await;
    let late = follow_redirects(url.as_url().as_str()).await;
    let came = if late.is_err() && scene.tokens_asked() == 0 { word(&came) } else { "heard too late" };
    matrix.tell_and_look("A6", "an answer after the time is over", "ended", came, &scene);
}

async fn ports(matrix: &mut AttackMatrix) {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let place = || RedirectAddress::for_issuer("https://as.example").with_port(port);
    let came = CallbackListener::bind(&[place()], Language::English);
    matrix.tell("A8", "the only port is another's", "refused", came.as_ref().map_or_else(kind, |_| "bound"));
    let next = CallbackListener::bind(
        &[place(), RedirectAddress::for_issuer("https://as.example")],
        Language::English,
    )
    .unwrap();
    let ours = next.redirect_uri().port().unwrap();
    let came = if ours == port { "shared" } else { "the next" };
    matrix.tell("A8", "the first port is another's", "the next", came);
    let came = std::net::TcpListener::bind(("127.0.0.1", ours)).map_or("refused", |_| "bound");
    matrix.tell("A8", "another wants our port", "refused", came);
    let sharing = tokio::net::TcpSocket::new_v4().unwrap();
    sharing.set_reuseaddr(true).unwrap();
    let address = std::net::SocketAddr::from(([127, 0, 0, 1], ours));
    let came = sharing.bind(address).and_then(|()| sharing.listen(1)).map_or("refused", |_| "bound");
    matrix.tell("A8", "another wants to share our port", "refused", came);

    let scene = AttackSetup::new(OAuthScript::default()).await;
    let (url, pending) = flow(&scene.honest).begin(listener(&scene.honest.issuer())).unwrap();
    let (redirect, _) = redirect_of(&url);
    let finish = BackgroundTask::new(pending.finish());
    for racer in ["?code=theirs", "?code=theirs&state=guess", "?error=access_denied", ""] {
        let status = follow_redirects(&format!("{redirect}{racer}")).await.unwrap().status;
        let came = if finish.is_finished() { "the sign-in ended".to_owned() } else { status.to_string() };
        matrix.tell_and_look("A8", format!("somebody is quicker with {racer:?}"), "400", came, &scene);
    }
    let page = follow_redirects(url.as_url().as_str()).await.unwrap();
    let came = if page.status == 200 && finish.end().await.is_ok() { "signed in" } else { "not signed in" };
    matrix.tell_and_look("A8", "the person is slower", "signed in", came, &scene);
}

async fn visitors(matrix: &mut AttackMatrix) {
    let scene = AttackSetup::new(OAuthScript::default()).await;
    let (url, pending) = flow(&scene.honest).begin(listener(&scene.honest.issuer())).unwrap();
    let (redirect, state) = redirect_of(&url);
    let host = format!("127.0.0.1:{}", redirect.port().unwrap());
    let finish = BackgroundTask::new(pending.finish());
    for (done, request) in impolite(&redirect, &state) {
        let answer = String::from_utf8_lossy(&raw(&host, request.as_bytes()).await).to_ascii_lowercase();
        let polite =
            answer.is_empty() || answer.starts_with("http/1.1 4") || answer.starts_with("http/1.0 4");
        let shares = answer.contains("access-control") || answer.contains(&state.to_ascii_lowercase());
        let came = if polite && !shares && !finish.is_finished() { "turned away" } else { "let in" };
        let done: String = done.replace(&state, "STATE").chars().take(60).collect();
        let done = done.replace(&host, "HOST").replace(redirect.path(), "PATH");
        let done = done.replace(&redirect.port().unwrap().to_string(), "PORT");
        matrix.tell_and_look("A9", done, "turned away", came, &scene);
    }
    let came = follow_redirects(url.as_url().as_str()).await.unwrap().status.to_string();
    finish.end().await.unwrap();
    matrix.tell_and_look("A9", "the person's own browser after all of these", "200", came, &scene);
}

async fn loiterers(matrix: &mut AttackMatrix) {
    for (done, bytes) in [
        ("a hundred that say nothing", String::new()),
        ("a hundred that say half", "GET /callback HTTP/1.1\r\nHost: ".to_owned()),
        ("a hundred with endless headers", format!("GET / HTTP/1.1\r\na: {}", "x".repeat(12_000))),
        (
            "a hundred with endless bodies",
            "POST / HTTP/1.1\r\nContent-Length: 1000000000\r\n\r\nx".to_owned(),
        ),
    ] {
        let scene = AttackSetup::new(OAuthScript::default()).await;
        let (url, pending) = flow(&scene.honest).begin(listener(&scene.honest.issuer())).unwrap();
        let (redirect, _) = redirect_of(&url);
        let address = redirect.socket_addrs(|| None).unwrap()[0];
        let mut there = Vec::new();
        for _ in 0..100 {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let _told = stream.write_all(bytes.as_bytes()).await;
            there.push(stream);
        }
        let began = Instant::now();
        let finish = BackgroundTask::new(pending.finish());
        let good = follow_redirects(url.as_url().as_str()).await.is_ok_and(|page| page.status == 200);
        let good = good && finish.end().await.is_ok();
        let came = match (good, began.elapsed() < Duration::from_secs(2)) {
            (true, true) => "signed in",
            (true, false) => "signed in late",
            (false, _) => "not signed in",
        };
        matrix.tell_and_look("A10", done, "signed in", came, &scene);
        drop(there);
    }
}
