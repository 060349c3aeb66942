//! The client under everything: redirects, bounds, what it says.

use axum::http::{HeaderMap, Method};
use bytes::Bytes;
use mooring_network::Network;
use mooring_oauth::{Error, Http, NetworkReach, Purpose, Request};
use mooring_words::say;
use url::Url;

use crate::site::{MockServer, ScriptedResponse, here, trail};

fn post(url: Url) -> Request {
    let body = Bytes::from_static(b"grant_type=refresh_token&refresh_token=secret");
    Request { purpose: Purpose::Token, method: Method::POST, url, headers: HeaderMap::new(), body }
}

// Requirements: SEC-13
#[tokio::test]
async fn a_redirect_of_anything_but_metadata_is_an_answer_and_no_way() {
    let (site, other) = (MockServer::start().await, MockServer::start().await);
    for status in [301, 302, 303, 307, 308] {
        for to in ["{o}/elsewhere", "{x}/elsewhere"] {
            site.put("/token", &ScriptedResponse::to(status, to), other.origin());
            let response = here().send(post(site.url("/token"))).await.unwrap();
            assert_eq!(response.status, status);
        }
    }
    assert_eq!(other.asked(), [""; 0]);
    assert!(site.asked().iter().all(|asked| asked == "POST /token"), "{:?}", site.asked());
}

// Requirements: SEC-13
#[tokio::test]
async fn metadata_may_move_three_times_within_its_origin() {
    let (site, other) = (MockServer::start().await, MockServer::start().await);
    for (path, to) in [("/0", "/1"), ("/1", "/2"), ("/2", "{o}/3"), ("/away", "{x}/3")] {
        site.put(path, &ScriptedResponse::to(307, to), other.origin());
    }
    let localhost = format!("http://localhost:{}/3", site.port());
    site.put("/other-name", &ScriptedResponse::to(307, localhost), "");
    site.put("/3", &ScriptedResponse::json("{}"), "");
    let get = async |path: &str| here().get(Purpose::ServerMetadata, site.url(path), HeaderMap::new()).await;
    assert_eq!(get("/0").await.unwrap().status, 200);
    for path in ["/away", "/other-name"] {
        let refused = get(path).await;
        assert!(matches!(refused, Err(Error::Refused(_))), "{refused:?}");
    }
    site.put("/start", &ScriptedResponse::to(302, "/0"), "");
    let refused = get("/start").await;
    assert!(matches!(refused, Err(Error::Refused(_))), "{refused:?}");
    assert_eq!(other.asked(), [""; 0]);
}

#[tokio::test]
async fn an_answer_is_read_up_to_a_mebibyte() {
    let site = MockServer::start().await;
    site.put("/most", &ScriptedResponse::status(200).saying(vec![b'x'; Http::MOST_BYTES]), "");
    site.put("/more", &ScriptedResponse::status(200).saying(vec![b'x'; Http::MOST_BYTES + 1]), "");
    assert_eq!(here().send(post(site.url("/most"))).await.unwrap().body.len(), Http::MOST_BYTES);
    let more = here().send(post(site.url("/more"))).await;
    assert!(matches!(more, Err(Error::Refused(_))), "{more:?}");
}

#[tokio::test]
async fn nothing_is_unpacked_and_no_unpacking_is_asked_for() {
    let site = MockServer::start().await;
    let packed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0];
    site.put(
        "/token",
        &ScriptedResponse::status(200).with("content-encoding", "gzip").saying(packed.clone()),
        "",
    );
    let response = here().send(post(site.url("/token"))).await.unwrap();
    assert_eq!(response.body, packed);
    let heard = &site.heard()[0];
    assert!(!heard.headers.contains_key("accept-encoding"));
    assert!(!heard.headers.contains_key("cookie") && !heard.headers.contains_key("referer"));
    assert_eq!(heard.headers["accept"], "application/json");
    assert!(heard.headers["user-agent"].to_str().unwrap().starts_with("Mooring/"));
}

// Requirements: AUTH-31
#[tokio::test]
async fn plain_http_is_loopback_only_and_user_info_is_rejected() {
    let site = MockServer::start().await;
    for address in [
        "http://example.com/token".to_owned(),
        "http://192.168.0.1/token".to_owned(),
        "ftp://example.com/token".to_owned(),
        site.origin().replace("http://", "http://user:password@"),
        site.origin().replace("http://", "http://user@"),
    ] {
        let refused = here().send(post(Url::parse(&address).unwrap())).await;
        assert!(matches!(refused, Err(Error::Refused(_))), "{address}: {refused:?}");
    }
    assert_eq!(site.asked(), [""; 0]);
}

#[tokio::test]
async fn a_failure_names_the_host_and_its_cause_and_never_the_address() {
    let gone = MockServer::start().await.url("/token?code=secret");
    let (trail, steps) = trail();
    let failed = here().ask(&trail, post(gone), |_| Ok(((), say!("it is JSON, but not an object")))).await;
    let failed = failed.unwrap_err();
    assert!(matches!(failed, Error::Unreachable(_)));
    assert!(failed.to_string().starts_with("127.0.0.1 couldn’t be reached: "), "{failed}");
    assert!(!format!("{failed:?}").contains("secret"));
    let steps = steps.lock().unwrap();
    assert_eq!(steps.len(), 1);
    assert!(!steps[0].ok && steps[0].status.is_none());
    assert!(steps[0].url.as_ref().unwrap().ends_with("/token"));
    assert_eq!(steps[0].found.to_string(), failed.to_string());
}

#[tokio::test]
async fn what_was_made_of_an_answer_is_told_with_its_status() {
    let site = MockServer::start().await;
    site.put("/token", &ScriptedResponse::json("{}").answering(400), "");
    let (trail, steps) = trail();
    let http = here();
    let read = http.ask(&trail, post(site.url("/token?x=1")), |response| {
        assert_eq!(response.status, 400);
        Err::<((), _), _>(Error::Refused(say!("it is a web page, not JSON")))
    });
    read.await.unwrap_err();
    let steps = steps.lock().unwrap();
    assert_eq!((steps[0].status, steps[0].ok), (Some(400), false));
    assert_eq!(steps[0].url.as_deref(), Some(site.url("/token").as_str()));
}

#[tokio::test]
async fn a_client_says_how_far_it_goes() {
    assert_eq!(Http::new(&Network::direct(), NetworkReach::Private).reach(), NetworkReach::Private);
    for (url, reach) in [
        ("http://127.0.0.1:1/mcp", NetworkReach::Loopback),
        ("https://10.1.2.3/mcp", NetworkReach::Private),
        ("https://localhost/mcp", NetworkReach::Loopback),
        ("https://8.8.8.8/mcp", NetworkReach::Public),
    ] {
        assert_eq!(NetworkReach::of_resolved(&Url::parse(url).unwrap()).await, reach, "{url}");
    }
}
