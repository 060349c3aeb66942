//! Loading over http, which only tests may: no icon is named by such a URL.

use super::*;
use mooring_testkit::http::{HttpReply, HttpScript, HttpServer, RawReply, refused_url, serve};

const SVG: &str = r#"<svg xmlns="http://www.w3.org/2000/svg"/>"#;

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

/// What is loaded where the answer is this, and the server that gave it.
async fn loaded(reply: impl Into<HttpReply>) -> (Result<String, String>, HttpServer) {
    let server = serve(HttpScript::json().on("GET", reply.into())).await;
    let http = Http::new(&Network::direct(), NetworkReach::Loopback);
    let loaded = fetch(&http, &url(&server.url)).await.map_err(|reason| reason.to_string());
    (loaded, server)
}

fn answer(kind: &str, body: &str) -> RawReply {
    RawReply::new(200).header("content-type", kind).text(body)
}

// Requirements: INFO-07.
#[tokio::test]
async fn an_icon_is_asked_for_once_without_anything_of_the_person() {
    let reply = answer("image/svg+xml; charset=utf-8", SVG).header("set-cookie", "canary=1");
    let (icon, server) = loaded(reply).await;
    assert_eq!(icon.unwrap(), format!("data:image/svg+xml;base64,{}", STANDARD.encode(SVG)));
    let http = Http::new(&Network::direct(), NetworkReach::Loopback);
    fetch(&http, &url(&server.url)).await.unwrap();
    let requests = server.requests();
    assert_eq!(server.methods(), ["GET", "GET"]);
    for request in requests {
        let names: Vec<_> = request.headers.iter().map(|(name, _)| name.as_str()).collect();
        let plain = ["accept", "host", "user-agent"];
        assert!(names.iter().all(|name| plain.contains(name)), "{names:?}");
        assert!(request.header("accept").unwrap().starts_with("image/png"));
    }
}

// Requirements: INFO-06.
#[tokio::test]
async fn no_redirect_of_an_icon_is_followed() {
    let target = serve(HttpScript::json()).await;
    for status in [301, 302, 303, 307, 308] {
        let (icon, server) = loaded(HttpReply::redirect(status, &target.url)).await;
        assert_eq!(icon.unwrap_err(), format!("the answer has HTTP status {status}"));
        assert_eq!(server.methods(), ["GET"]);
    }
    assert!(target.requests().is_empty());
}

// Requirements: INFO-08.
#[tokio::test]
async fn an_icon_is_small_and_what_its_first_bytes_say() {
    let largest = format!("{SVG}{}", " ".repeat(MAX_BYTES - SVG.len()));
    assert!(loaded(answer("image/svg+xml", &largest)).await.0.is_ok());
    let (large, _) = loaded(answer("image/svg+xml", &format!("{largest} "))).await;
    assert_eq!(large.unwrap_err(), "it is longer than 65536 bytes");
    for (kind, body) in [("image/png", SVG), ("text/html", SVG), ("image/gif", SVG)] {
        let (icon, _) = loaded(answer(kind, body)).await;
        assert_eq!(icon.unwrap_err(), format!("its Content-Type is {kind}, but it is image/svg+xml"));
    }
    for body in ["GIF89a", "<html><svg/></html>", "", "PK"] {
        let (icon, _) = loaded(answer("image/png", body)).await;
        assert_eq!(icon.unwrap_err(), "it is no PNG, JPEG, WebP or SVG image", "{body}");
    }
    assert!(loaded(RawReply::new(200).text(SVG)).await.0.is_ok());
    let jpeg = [0xff, 0xd8, 0xff, 0xe0];
    assert_eq!(image_type(&jpeg), Some("image/jpeg"));
    assert_eq!(image_type(b"\x89PNG\r\n\x1a\n"), Some("image/png"));
    assert_eq!(image_type(b"RIFF\0\0\0\0WEBPVP8 "), Some("image/webp"));
}

// Requirements: INFO-06, INFO-07, SEC-12.
#[tokio::test]
async fn an_icon_is_loaded_from_the_origin_of_its_server_only() {
    let server = url("https://mcp.example.com/mcp");
    for own in ["https://mcp.example.com/i.png", "https://MCP.example.com:443/a/b?c"] {
        assert!(is_own_url(&server, &url(own)), "{own}");
    }
    for other in [
        "http://mcp.example.com/i.png",
        "https://mcp.example.com:8443/i.png",
        "https://cdn.example.com/i.png",
        "https://example.com/i.png",
        "https://user@mcp.example.com/i.png",
        "file:///etc/passwd",
        "ws://mcp.example.com/i.png",
        "data:image/png,x",
    ] {
        assert!(!is_own_url(&server, &url(other)), "{other}");
    }
    // Not even where the server itself is reached without TLS.
    let local = url("http://127.0.0.1:8000/mcp");
    assert!(!is_own_url(&local, &url("http://127.0.0.1:8000/i.png")));
    // A server on the internet leads to no private address, and an unreachable one is an error like any other.
    let private =
        load(&Network::direct(), &server, &url("https://127.0.0.1/i.png")).await.unwrap_err().to_string();
    assert!(private.contains("private or special IP address"), "{private}");
    let gone = refused_url().await;
    assert!(load(&Network::direct(), &url(&gone), &url(&gone)).await.is_err());
}

#[test]
fn urls_that_definitions_name_are_found_up_to_their_limit() {
    let mut icons = ConnectionIcons::default();
    let server = url("https://a.example/mcp");
    let tool = |src: &str| format!(r#"{{"name":"t","icons":[7,{{"src":"{src}"}},{{"src":null}}]}}"#);
    let read = |icons: &mut ConnectionIcons<&str>, tools: &[String]| {
        icons.set_named(Some("tools"), tools.iter().map(String::as_str));
    };
    read(&mut icons, &[tool("http://a.example/i"), tool("i.png"), r#"{"icons":7}"#.to_owned()]);
    assert!(!icons.names_any_of(&server));
    let many: Vec<_> = (0..=MAX_NAMED).map(|number| tool(&format!("https://a.example/{number}"))).collect();
    read(&mut icons, &many);
    assert!(icons.names_any_of(&server) && !icons.names_any_of(&url("https://b.example/")));
    assert!(icons.names(&url("https://a.example/199")) && !icons.names(&url("https://a.example/200")));
    let long = |length: usize| format!("https://a.example/{}", "a".repeat(length - 18));
    read(&mut icons, &[tool(&long(MAX_URL)), tool(&long(MAX_URL + 1))]);
    assert!(icons.names(&url(&long(MAX_URL))) && !icons.names(&url(&long(MAX_URL + 1))));
    let own = RawJson::from(
        serde_json::value::RawValue::from_string(r#"[{"src":"https://b.example/"}]"#.into()).unwrap(),
    );
    icons.connected(Some(own));
    assert!(icons.names(&url("https://b.example/")) && !icons.names_any_of(&server));
}

// Requirements: INFO-08.
#[test]
fn loaded_icons_are_forgotten_with_connection_consent_and_age() {
    let cache = IconCache::default();
    let (one, two) = (ServerId(1), ServerId(2));
    let icon = |number: usize| url(&format!("https://a.example/{number}"));
    let failed = cache.entry(one, 1, &icon(0));
    failed.set(None).unwrap();
    // A failure is not tried again in the same connection.
    assert!(cache.entry(one, 1, &icon(0)).initialized());
    assert!(!cache.entry(one, 2, &icon(0)).initialized());
    cache.entry(two, 1, &icon(0)).set(Some("x".to_owned())).unwrap();
    cache.forget(one);
    assert!(cache.entry(two, 1, &icon(0)).initialized());
    for number in 0..=MAX_CACHED {
        cache.entry(one, 2, &icon(number)).set(Some("x".to_owned())).unwrap();
    }
    cache.evict();
    assert_eq!(cache.entries().len(), MAX_CACHED);
    assert!(!cache.entry(two, 1, &icon(0)).initialized());
    let largest = "x".repeat(MAX_CACHED_BYTES);
    cache.entry(two, 1, &icon(1)).set(Some(largest)).unwrap();
    cache.evict();
    // One that is being loaded stays beside it.
    let left: Vec<_> = cache.entries().iter().map(|entry| entry.loaded.initialized()).collect();
    assert_eq!(left, [false, true]);
}
