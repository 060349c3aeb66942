//! From a challenge to an authorization server.

use mooring_oauth::{Challenge, Error, Purpose, discover, server_metadata};

use crate::site::{
    AS, GOOD_AS, GOOD_PRM, MockServer, OIDC, PRM, ROOT_PRM, ScriptedResponse, discovered, here, naming,
    trail, untold,
};

/// Metadata of the issuer at `/tenant1`.
const TENANT: &str = r#"{"issuer":"{o}/tenant1","authorization_endpoint":"{o}/tenant1/authorize",
    "token_endpoint":"{o}/tenant1/token","code_challenge_methods_supported":["S256"]}"#;

// Requirements: AUTH-07, AUTH-08, AUTH-09, AUTH-12
#[tokio::test]
async fn documents_are_asked_for_in_order_and_no_further_than_needed() {
    let named = |path: &str| Some(format!("{{o}}{path}"));
    const TENANT_PRM: &str = r#"{"resource":"{o}/mcp","authorization_servers":["{o}/tenant1"]}"#;
    const ROOT: &str = r#"{"resource":"{o}","authorization_servers":["{o}/tenant1"]}"#;
    let tenant_path = "/.well-known/oauth-authorization-server/tenant1";
    let cases = [
        // The named document, then the first place.
        (named(PRM), vec![(PRM, GOOD_PRM), (AS, GOOD_AS)], vec![PRM, AS]),
        // Not named: the path's place. OpenID Connect's after OAuth's.
        (None, vec![(PRM, GOOD_PRM), (OIDC, GOOD_AS)], vec![PRM, AS, OIDC]),
        // At the root, and an issuer with a path, whose root is never asked.
        (None, vec![(ROOT_PRM, ROOT), (tenant_path, TENANT)], vec![PRM, ROOT_PRM, tenant_path]),
        // Somewhere, and at the last place.
        (
            named("/custom/metadata/location.json"),
            vec![
                ("/custom/metadata/location.json", TENANT_PRM),
                ("/tenant1/.well-known/openid-configuration", TENANT),
            ],
            vec![
                "/custom/metadata/location.json",
                tenant_path,
                "/.well-known/openid-configuration/tenant1",
                "/tenant1/.well-known/openid-configuration",
            ],
        ),
    ];
    for (metadata, pages, expected) in cases {
        let site = MockServer::start().await;
        for (path, body) in pages {
            site.put(path, &ScriptedResponse::json(body), "");
        }
        let challenge = Challenge {
            resource_metadata: metadata
                .iter()
                .map(|metadata| metadata.replace("{o}", site.origin()))
                .collect(),
            ..Challenge::default()
        };
        let found = discovered(&site, &challenge).await.unwrap();
        assert!(!found.legacy);
        found.server.check_pkce().unwrap();
        let expected: Vec<_> = expected.iter().map(|path| format!("GET {path}")).collect();
        assert_eq!(site.asked(), expected);
    }
}

// Requirements: AUTH-10, AUTH-25
#[tokio::test]
async fn the_resource_is_the_one_that_the_metadata_names() {
    for (place, named, expected) in [
        (PRM, "{o}/mcp", "{o}/mcp"),
        (PRM, "{o}/mcp/", "{o}/mcp/"),
        (ROOT_PRM, "{o}", "{o}"),
        (ROOT_PRM, "{o}/", "{o}/"),
    ] {
        let site = MockServer::good().await;
        site.put(PRM, &ScriptedResponse::status(404), "");
        let body = format!(r#"{{"resource":"{named}","authorization_servers":["{{o}}"]}}"#);
        site.put(place, &ScriptedResponse::json(body), "");
        let found = discovered(&site, &Challenge::default()).await.unwrap();
        assert_eq!(found.resource, Some(expected.replace("{o}", site.origin())));
    }
}

// Requirements: AUTH-04, AUTH-05, AUTH-14
#[tokio::test]
async fn server_without_resource_metadata_is_its_own_issuer() {
    let site = MockServer::start().await;
    site.put(AS, &ScriptedResponse::json(GOOD_AS), "");
    let (trail, _) = trail();
    let url = site.url("/deep/mcp?key=1");
    let found = discover(&here(), &url, &Challenge::default(), None, &trail).await.unwrap();
    assert!(found.legacy && !found.server.assumed);
    assert_eq!(found.resource, None);
    assert_eq!(found.resource_metadata, None);
    assert_eq!(found.servers, [site.origin()]);
    assert_eq!(found.server.token_endpoint, Some(site.url("/auth/token")));
    let path = "GET /.well-known/oauth-protected-resource/deep/mcp?key=1".to_owned();
    assert_eq!(site.asked(), [path, format!("GET {ROOT_PRM}"), format!("GET {AS}")]);
    let heard = site.heard();
    assert_eq!(heard[2].headers["mcp-protocol-version"], "2025-03-26");
}

// Requirements: AUTH-04
#[tokio::test]
async fn issuer_of_such_a_server_is_its_origin_with_or_without_slash() {
    for (issuer, good) in
        [("{o}", true), ("{o}/", true), ("{o}/mcp", false), ("https://honest.example", false), ("{O}", false)]
    {
        let site = MockServer::start().await;
        let issuer = issuer.replace("{O}", &site.origin().to_uppercase());
        site.put(AS, &ScriptedResponse::json(GOOD_AS.replacen("{o}", &issuer, 1)), "");
        let found = discovered(&site, &Challenge::default()).await;
        assert_eq!(found.is_ok(), good, "{issuer}: {found:?}");
    }
}

// Requirements: AUTH-06, AUTH-14, AUTH-23
#[tokio::test]
async fn server_without_metadata_gets_the_default_endpoints() {
    for status in [400, 401, 403, 404, 405, 410] {
        let site = MockServer::start().await;
        for path in [PRM, ROOT_PRM, AS] {
            site.put(path, &ScriptedResponse::status(status), "");
        }
        let (trail, steps) = trail();
        let challenge = Challenge { scope: Some("a b".to_owned()), ..Challenge::default() };
        let found = discover(&here(), &site.url("/mcp"), &challenge, None, &trail).await.unwrap();
        assert!(found.legacy && found.server.assumed);
        assert_eq!(found.server.issuer, site.origin());
        assert_eq!(found.server.authorization_endpoint, Some(site.url("/authorize")));
        assert_eq!(found.server.token_endpoint, Some(site.url("/token")));
        assert_eq!(found.server.registration_endpoint, Some(site.url("/register")));
        assert_eq!(found.scopes, ["a", "b"]);
        found.server.check_pkce().unwrap();
        let steps = steps.lock().unwrap();
        let last = steps.last().unwrap();
        assert!(last.found.as_str().starts_with("legacy discovery: "), "{}", last.found.as_str());
        assert!(steps.iter().all(|step| step.ok));
    }
}

// Requirements: AUTH-14
#[tokio::test]
async fn trouble_or_a_bad_document_never_leads_to_assumed_endpoints() {
    let sibling = r#"{"resource":"{o}/mcp2","authorization_servers":["{o}"]}"#;
    for (place, page) in [
        (PRM, ScriptedResponse::status(500)),
        (PRM, ScriptedResponse::status(503)),
        (PRM, ScriptedResponse::status(429)),
        (PRM, ScriptedResponse::status(408)),
        (PRM, ScriptedResponse::json(sibling)),
        (PRM, ScriptedResponse::json("{}")),
        (PRM, ScriptedResponse::json("[]")),
        (PRM, ScriptedResponse::json("{")),
        (PRM, ScriptedResponse::status(200)),
        (PRM, ScriptedResponse::status(204)),
        (PRM, ScriptedResponse::to(302, "https://login.example/")),
        (ROOT_PRM, ScriptedResponse::status(502)),
        (ROOT_PRM, ScriptedResponse::json(sibling)),
        (ROOT_PRM, ScriptedResponse::json("null")),
        (AS, ScriptedResponse::status(500)),
        (AS, ScriptedResponse::status(429)),
        (AS, ScriptedResponse::json("{")),
        (AS, ScriptedResponse::json(r#"{"issuer":"https://other.example"}"#)),
        (AS, ScriptedResponse::to(307, "https://login.example/")),
    ] {
        let site = MockServer::start().await;
        site.put(place, &page, "");
        let found = discovered(&site, &Challenge::default()).await;
        let unreachable = matches!(found, Err(Error::Unreachable(_)));
        assert!(found.is_err(), "{place} {page:?}: {found:?}");
        let trouble = format!("{page:?}").contains("status: 5") || format!("{page:?}").contains("status: 4");
        assert_eq!(unreachable, trouble, "{place} {page:?}: {found:?}");
        assert!(site.asked().iter().all(|asked| asked.contains("/.well-known/")), "{:?}", site.asked());
    }
    // Nothing listens there at all.
    let gone = MockServer::start().await.url("/mcp");
    let found = discover(&here(), &gone, &Challenge::default(), None, &untold()).await;
    assert!(matches!(found, Err(Error::Unreachable(_))), "{found:?}");
    // A document that is named in vain leads to none that are assumed either.
    let site = MockServer::start().await;
    let found = discovered(&site, &naming(format!("{}/missing", site.origin()))).await;
    assert!(matches!(&found, Err(Error::Refused(why)) if why.as_str().contains("/missing")), "{found:?}");
    let asked = ["/missing", PRM, ROOT_PRM, AS].map(|path| format!("GET {path}"));
    assert_eq!(site.asked(), asked);
}

// Requirements: AUTH-08, AUTH-09
#[tokio::test]
async fn a_wrong_address_does_not_hide_the_right_one() {
    let page = || {
        ScriptedResponse::status(200)
            .with("content-type", "text/html")
            .saying("<!doctype html><title>App</title>")
    };
    let sibling = || ScriptedResponse::json(r#"{"resource":"{o}/mcp2","authorization_servers":["{o}"]}"#);
    for wrong in [
        ScriptedResponse::status(404),
        ScriptedResponse::status(500),
        ScriptedResponse::status(429),
        page(),
        sibling(),
        ScriptedResponse::json("{"),
    ] {
        // Of several that are named, and beside the well-known ones.
        let site = MockServer::good().await;
        site.put("/wrong", &wrong, "");
        site.put("/right", &ScriptedResponse::json(GOOD_PRM), "");
        let named = ["/wrong", "/wrong", "/right"].map(|path| format!("{}{path}", site.origin()));
        let challenge = Challenge { resource_metadata: named.to_vec(), ..Challenge::default() };
        let found = discovered(&site, &challenge).await.unwrap();
        assert_eq!((found.legacy, found.resource), (false, Some(site.url("/mcp").to_string())));
        assert_eq!(site.asked(), ["/wrong", "/right", AS].map(|path| format!("GET {path}")));
        let found = discovered(&site, &naming(format!("{}/wrong", site.origin()))).await.unwrap();
        assert!(!found.legacy, "{wrong:?}");
        // At the address for the path, beside the origin's own.
        let site = MockServer::good().await;
        site.put(PRM, &wrong, "");
        site.put(ROOT_PRM, &ScriptedResponse::json(GOOD_PRM), "");
        assert!(!discovered(&site, &Challenge::default()).await.unwrap().legacy, "{wrong:?}");
    }
    // One that is not safe is not asked, and the right one is.
    let site = MockServer::good().await;
    let found = discovered(&site, &naming("http://192.0.2.1/metadata")).await.unwrap();
    assert!(!found.legacy);
}

// Requirements: AUTH-04, AUTH-14
#[tokio::test]
async fn a_web_page_or_trouble_hides_no_document_of_the_origin() {
    let page = |kind: &str| {
        ScriptedResponse::status(200).with("content-type", kind).saying("\n<!DOCTYPE html><html></html>")
    };
    for page in [
        page("text/html; charset=utf-8"),
        page("application/json"),
        ScriptedResponse::status(500),
        ScriptedResponse::status(429),
    ] {
        let site = MockServer::start().await;
        for path in [PRM, ROOT_PRM, OIDC] {
            site.put(path, &page, "");
        }
        site.put(AS, &ScriptedResponse::json(GOOD_AS), "");
        let found = discovered(&site, &Challenge::default()).await.unwrap();
        assert!(found.legacy && !found.server.assumed, "{page:?}");
    }
    // So it is for an authorization server, whichever of its addresses answers.
    for (wrong, right) in [(AS, OIDC), (OIDC, AS)] {
        for page in [page("text/html"), ScriptedResponse::status(503), ScriptedResponse::status(403)] {
            let site = MockServer::good().await;
            site.put(wrong, &page, "");
            site.put(right, &ScriptedResponse::json(GOOD_AS), "");
            assert!(discovered(&site, &Challenge::default()).await.is_ok(), "{wrong} {page:?}");
        }
    }
}

// Requirements: AUTH-13
#[tokio::test]
async fn an_issuer_may_differ_by_the_slash_of_an_empty_path() {
    for (named, written) in [("{o}", "{o}/"), ("{o}/", "{o}")] {
        let site = MockServer::start().await;
        site.put(
            PRM,
            &ScriptedResponse::json(GOOD_PRM.replacen(r#"["{o}"]"#, &format!(r#"["{named}"]"#), 1)),
            "",
        );
        site.put(AS, &ScriptedResponse::json(GOOD_AS.replacen("{o}", written, 1)), "");
        let found = discovered(&site, &Challenge::default()).await.unwrap();
        // From there on the metadata's own spelling counts, also for the one that is taken as before.
        let written = written.replace("{o}", site.origin());
        assert_eq!(found.server.issuer, written);
        let url = site.url("/mcp");
        let again = discover(&here(), &url, &Challenge::default(), Some(&written), &untold()).await.unwrap();
        assert_eq!(again.server.issuer, written);
    }
}

// Requirements: AUTH-12
#[tokio::test]
async fn metadata_below_the_mount_of_a_framework_is_found_last() {
    let site = MockServer::start().await;
    site.put("/tenant1/.well-known/oauth-authorization-server", &ScriptedResponse::json(TENANT), "");
    let issuer = format!("{}/tenant1", site.origin());
    let server = server_metadata(&here(), &issuer, &untold()).await.unwrap();
    assert_eq!(server.token_endpoint, Some(site.url("/tenant1/token")));
    assert_eq!(site.asked().len(), 4);
}

// Requirements: AUTH-11
#[tokio::test]
async fn first_usable_authorization_server_is_chosen_and_kept() {
    let (first, second) = (MockServer::start().await, MockServer::good().await);
    let server = MockServer::start().await;
    let body = format!(
        r#"{{"resource":"{{o}}/mcp","authorization_servers":["{}","https://10.0.0.1","{}"]}}"#,
        first.origin(),
        second.origin()
    );
    server.put(PRM, &ScriptedResponse::json(body), "");
    let (trail, steps) = trail();
    let url = server.url("/mcp");
    let (http, challenge) = (here(), Challenge::default());
    let discovering = |remembered| discover(&http, &url, &challenge, remembered, &trail);
    // The first publishes nothing, the next is out of everyone's reach.
    let found = Box::pin(discovering(None)).await.unwrap();
    assert_eq!(found.server.issuer, second.origin());
    assert_eq!(found.servers, [first.origin(), "https://10.0.0.1", second.origin()]);
    let told: Vec<_> = steps.lock().unwrap().iter().map(|step| step.found.to_string()).collect();
    let taken = format!("{} was chosen from 3 that the server names: the first usable one", second.origin());
    assert!(told.contains(&taken), "{told:?}");
    // The one of last time is taken though another now comes first.
    first.put(AS, &ScriptedResponse::json(GOOD_AS), "");
    let asked = first.asked().len();
    let found = Box::pin(discovering(Some(second.origin()))).await.unwrap();
    assert_eq!(found.server.issuer, second.origin());
    assert_eq!(first.asked().len(), asked);
    // In trouble it is not given up for another.
    second.put(AS, &ScriptedResponse::status(500), "");
    let failed = Box::pin(discovering(Some(second.origin()))).await;
    assert!(matches!(failed, Err(Error::Unreachable(_))), "{failed:?}");
    assert_eq!(first.asked().len(), asked);
    // No longer named, it is not asked.
    let found = Box::pin(discovering(Some("https://gone.example"))).await.unwrap();
    assert_eq!(found.server.issuer, first.origin());
}

// Requirements: AUTH-12, AUTH-13
#[tokio::test]
async fn metadata_of_another_issuer_is_skipped_for_its_own() {
    let site = MockServer::start().await;
    // A server that answers every path with the document of its root.
    let root = GOOD_AS;
    site.put("/.well-known/oauth-authorization-server/tenant1", &ScriptedResponse::json(root), "");
    site.put("/tenant1/.well-known/openid-configuration", &ScriptedResponse::json(TENANT), "");
    let issuer = format!("{}/tenant1", site.origin());
    let server = server_metadata(&here(), &issuer, &untold()).await.unwrap();
    assert_eq!(server.token_endpoint, Some(site.url("/tenant1/token")));
    // Without the other document it is refused, and the error says why.
    site.put("/tenant1/.well-known/openid-configuration", &ScriptedResponse::status(404), "");
    let refused = server_metadata(&here(), &issuer, &untold()).await.unwrap_err();
    assert!(matches!(&refused, Error::Refused(why) if why.as_str().contains("was asked")), "{refused}");
}

#[tokio::test]
async fn every_step_is_told_with_what_was_found_and_no_query() {
    let site = MockServer::good().await;
    let prm = r#"{"resource":"{o}/mcp","authorization_servers":["{o}"],"scopes_supported":["a"],"resource_name":"Files"}"#;
    site.put(PRM, &ScriptedResponse::json(prm), "");
    let (trail, steps) = trail();
    let challenge = Challenge {
        resource_metadata: vec![format!("{}{PRM}?secret=1", site.origin())],
        scope: Some("files:read".to_owned()),
        ..Challenge::default()
    };
    let found = discover(&here(), &site.url("/mcp?key=secret"), &challenge, None, &trail).await.unwrap();
    assert_eq!(found.scopes, ["files:read"]);
    assert_eq!(found.resource_metadata.unwrap().resource_name.as_deref(), Some("Files"));
    let steps = steps.lock().unwrap();
    let told: Vec<_> =
        steps.iter().map(|step| (step.purpose, step.url.clone(), step.status, step.ok)).collect();
    assert_eq!(
        told,
        [
            (Purpose::Challenge, None, None, true),
            (Purpose::ResourceMetadata, Some(site.url(PRM).to_string()), Some(200), true),
            (Purpose::ServerMetadata, Some(site.url(AS).to_string()), Some(200), true),
        ]
    );
    let found = steps[1].found.as_str();
    assert_eq!(found, format!("metadata of {0}/mcp, which names {0}", site.origin()));
}
