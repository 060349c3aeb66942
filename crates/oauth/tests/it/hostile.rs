//! Documents that are malformed or mean harm, each with its verdict.
//!
//! `{o}` is the server's origin, `{x}` that of another server, which nothing may be asked of.

use mooring_network::Network;
use mooring_oauth::{Challenge, Error, Http, NetworkReach, check_address, discover};

use crate::site::{AS, GOOD_AS, GOOD_PRM, MockServer, OIDC, PRM, ROOT_PRM, ScriptedResponse, here, untold};

/// What becomes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExpectedOutcome {
    /// It is good, and a code may be asked for.
    Good,
    /// It can be read, but a code must not be asked for.
    NoCode,
    /// It is refused, and nothing else is tried.
    Refused,
    /// It says nothing for now.
    Trouble,
}
use ExpectedOutcome::{Good, NoCode, Refused, Trouble};

struct Case {
    name: String,
    challenge: Option<String>,
    pages: Vec<(&'static str, ScriptedResponse)>,
    verdict: ExpectedOutcome,
}

async fn check(case: &Case, http: &Http) {
    let (site, other) = (MockServer::good().await, MockServer::good().await);
    for (path, page) in &case.pages {
        site.put(path, page, other.origin());
    }
    let filled = |named: &String| named.replace("{o}", site.origin()).replace("{x}", other.origin());
    let resource_metadata = case.challenge.iter().map(filled).collect();
    let challenge = Challenge { resource_metadata, ..Challenge::default() };
    let found = discover(http, &site.url("/mcp"), &challenge, None, &untold()).await;
    let name = &case.name;
    match (case.verdict, &found) {
        (Good, Ok(found)) => found.server.check_pkce().unwrap_or_else(|error| panic!("{name}: {error}")),
        (NoCode, Ok(found)) => assert!(found.server.check_pkce().is_err(), "{name}"),
        (Refused, Err(Error::Refused(_))) | (Trouble, Err(Error::Unreachable(_))) => {}
        (verdict, found) => panic!("{name}: {verdict:?}, but {found:?}"),
    }
    // Only documents were asked for, and only here.
    let wander: Vec<_> = site.asked().into_iter().filter(|asked| !asked.starts_with("GET /")).collect();
    assert_eq!(wander, [""; 0], "{name}");
    for endpoint in ["/auth/", "/authorize", "/token", "/register"] {
        assert!(!site.asked().iter().any(|asked| asked.contains(endpoint)), "{name}: {:?}", site.asked());
    }
    assert_eq!(other.asked(), [""; 0], "{name}");
}

async fn check_all(cases: Vec<Case>, at_least: usize) {
    assert!(cases.len() >= at_least, "{} cases", cases.len());
    let http = here();
    for case in &cases {
        check(case, &http).await;
    }
}

fn prm(body: impl Into<String>, verdict: ExpectedOutcome) -> Case {
    let body = body.into();
    let shown: String = body.chars().take(200).collect();
    let page = ScriptedResponse::json(body);
    Case { name: format!("resource metadata {shown}"), challenge: None, pages: vec![(PRM, page)], verdict }
}

fn at_prm(name: &str, page: ScriptedResponse, verdict: ExpectedOutcome) -> Case {
    Case {
        name: format!("resource metadata: {name}"),
        challenge: None,
        pages: vec![(PRM, page), (ROOT_PRM, ScriptedResponse::status(404))],
        verdict,
    }
}

fn at_as(name: &str, page: ScriptedResponse, verdict: ExpectedOutcome) -> Case {
    Case { name: format!("server metadata: {name}"), challenge: None, pages: vec![(AS, page)], verdict }
}

/// The good document of an authorization server with one field as given; nothing for none.
fn with(field: &str, value: Option<&str>, verdict: ExpectedOutcome) -> Case {
    let mut document: serde_json::Map<String, serde_json::Value> = serde_json::from_str(GOOD_AS).unwrap();
    match value {
        Some(value) => {
            document.insert(field.to_owned(), serde_json::from_str(value).unwrap());
        }
        None => {
            document.remove(field);
        }
    }
    let page = ScriptedResponse::json(serde_json::Value::from(document).to_string());
    at_as(&format!("{field} = {value:?}"), page, verdict)
}

// Requirements: AUTH-10, AUTH-14
#[tokio::test]
async fn resource_metadata_is_taken_as_it_should_be_or_not_at_all() {
    let servers = r#""authorization_servers":["{o}"]"#;
    let about = |resource: &str| format!(r#"{{"resource":{resource},{servers}}}"#);
    let mut cases = vec![
        prm(GOOD_PRM, Good),
        prm(about(r#""{o}/mcp/""#), Good),
        // A path-inserted address speaks for its origin.
        prm(about(r#""{o}""#), Good),
        // What the resource must not be.
        prm(format!("{{{servers}}}"), Refused),
        prm(about("null"), Refused),
        prm(about("7"), Refused),
        prm(about(r#"["{o}/mcp"]"#), Refused),
        prm(about(r#"{"uri":"{o}/mcp"}"#), Refused),
        prm(about(r#""""#), Refused),
        prm(about(r#"" {o}/mcp""#), Refused),
        prm(about(r#""{o}/mcp\n""#), Refused),
        prm(about(r#""{o}/mcp2""#), Refused),
        prm(about(r#""{o}/mc""#), Refused),
        prm(about(r#""{o}/mcp/other""#), Refused),
        prm(about(r#""{o}/other""#), Refused),
        prm(about(r#""{o}/MCP""#), Refused),
        prm(about(r#""{o}/m%63p""#), Refused),
        prm(about(r#""{o}/mcp//""#), Refused),
        prm(about(r#""{o}/mcp?x=1""#), Refused),
        prm(about(r#""{o}/mcp#x""#), Refused),
        prm(about(r#""{x}/mcp""#), Refused),
        prm(about(r#""https://evil.example/mcp""#), Refused),
        prm(about(r#""/mcp""#), Refused),
        prm(about(r#""javascript:alert(1)""#), Refused),
        prm(about(r#""http://user@127.0.0.1/mcp""#), Refused),
        // Whom it may name.
        prm(r#"{"resource":"{o}/mcp"}"#, Refused),
        prm(r#"{"resource":"{o}/mcp","authorization_servers":null}"#, Refused),
        prm(r#"{"resource":"{o}/mcp","authorization_servers":[]}"#, Refused),
        prm(r#"{"resource":"{o}/mcp","authorization_servers":"{o}"}"#, Refused),
        prm(r#"{"resource":"{o}/mcp","authorization_servers":[7,null,{"issuer":"{o}"}]}"#, Refused),
        prm(r#"{"resource":"{o}/mcp","authorization_servers":[""]}"#, Refused),
        prm(r#"{"resource":"{o}/mcp","authorization_servers":["javascript:alert(1)"]}"#, Refused),
        prm(r#"{"resource":"{o}/mcp","authorization_servers":["file:///etc/passwd"]}"#, Refused),
        prm(r#"{"resource":"{o}/mcp","authorization_servers":["http://as.example"]}"#, Refused),
        prm(r#"{"resource":"{o}/mcp","authorization_servers":["https://169.254.169.254"]}"#, Refused),
        prm(r#"{"resource":"{o}/mcp","authorization_servers":["{o}?x"]}"#, Refused),
        prm(r#"{"resource":"{o}/mcp","authorization_servers":["{o}#x"]}"#, Refused),
        prm(r#"{"resource":"{o}/mcp","authorization_servers":["https://u:p@as.example"]}"#, Refused),
        prm(r#"{"resource":"{o}/mcp","authorization_servers":[7,"{o}"]}"#, Good),
        // Fields that matter less are left out when they are wrong.
        prm(
            r#"{"resource":"{o}/mcp","authorization_servers":["{o}"],"scopes_supported":"a b","resource_name":7}"#,
            Good,
        ),
        prm(r#"{"resource":"{o}/mcp","authorization_servers":["{o}"],"unknown":{"a":[1,2]}}"#, Good),
    ];
    let good = || ScriptedResponse::json(GOOD_PRM);
    cases.extend([
        // Not a document.
        at_prm("empty", ScriptedResponse::json(""), Refused),
        at_prm("an array", ScriptedResponse::json("[]"), Refused),
        at_prm("a string", ScriptedResponse::json("\"x\""), Refused),
        at_prm("cut off", ScriptedResponse::json(r#"{"resource":"{o}/mcp","#), Refused),
        at_prm("two in one", ScriptedResponse::json(format!("{GOOD_PRM}{GOOD_PRM}")), Refused),
        at_prm("not UTF-8", ScriptedResponse::json("").saying(b"{\"resource\":\"\xff\"}".to_vec()), Refused),
        at_prm("with a byte-order mark", ScriptedResponse::json(format!("\u{feff}{GOOD_PRM}")), Refused),
        at_prm("deep", ScriptedResponse::json("[".repeat(100_000)), Refused),
        at_prm(
            "endless",
            ScriptedResponse::json(format!("{{\"x\":\"{}\"}}", "x".repeat(Http::MOST_BYTES))),
            Refused,
        ),
        // As if there were nothing: the origin's own authorization server is.
        at_prm(
            "a page",
            ScriptedResponse::status(200).with("content-type", "text/html").saying(GOOD_PRM),
            Good,
        ),
        at_prm(
            "a plain text",
            ScriptedResponse::status(200).with("content-type", "text/plain").saying(GOOD_PRM),
            Good,
        ),
        at_prm("without a type", ScriptedResponse::status(200).saying(GOOD_PRM), Good),
        at_prm("compressed", good().with("content-encoding", "gzip").saying(vec![0x1f, 0x8b, 8, 0]), Refused),
        at_prm("created", good().answering(201), Refused),
        at_prm("partial", good().answering(206), Refused),
        at_prm("not modified", good().answering(304), Refused),
        at_prm("failed with HTTP status", good().answering(500), Good),
        at_prm("busy", good().answering(503), Good),
        at_prm("too often", good().answering(429), Good),
    ]);
    for status in [301, 302, 303, 307, 308] {
        cases.push(at_prm(
            &format!("{status} away"),
            ScriptedResponse::to(status, format!("{{x}}{PRM}")),
            Refused,
        ));
        cases.push(Case {
            pages: vec![(PRM, ScriptedResponse::to(status, "/moved")), ("/moved", good())],
            ..at_prm(&format!("{status} within"), good(), Good)
        });
        let chain = |to: &str| {
            vec![
                (PRM, ScriptedResponse::to(status, "/1")),
                ("/1", ScriptedResponse::to(status, "2")),
                ("/2", ScriptedResponse::to(status, "{o}/3")),
                ("/3", ScriptedResponse::to(status, to)),
                ("/4", good()),
                (ROOT_PRM, ScriptedResponse::status(404)),
            ]
        };
        let mut three = chain("/4");
        three[3].1 = good();
        cases.push(Case { pages: three, ..at_prm(&format!("{status} three times"), good(), Good) });
        cases.push(Case { pages: chain("/4"), ..at_prm(&format!("{status} four times"), good(), Refused) });
        let mut away = chain("");
        away[2].1 = ScriptedResponse::to(status, format!("{{x}}{PRM}"));
        cases.push(Case { pages: away, ..at_prm(&format!("{status} away at last"), good(), Refused) });
    }
    cases.extend([
        at_prm("redirect to itself", ScriptedResponse::to(302, PRM), Refused),
        at_prm("redirect to nowhere", ScriptedResponse::status(302), Refused),
        at_prm("redirect to a file", ScriptedResponse::to(302, "file:///etc/passwd"), Refused),
        at_prm("redirect to a script", ScriptedResponse::to(302, "javascript:alert(1)"), Refused),
        at_prm("redirect with a user name", ScriptedResponse::to(302, "http://u:p@127.0.0.1/"), Refused),
    ]);
    check_all(cases, 60).await;
}

// Requirements: AUTH-08, AUTH-31
#[tokio::test]
async fn a_challenge_names_a_safe_address_or_none_that_is_asked() {
    let mut cases = Vec::new();
    let mut case = |challenge: &str, verdict| {
        let (name, challenge) = (format!("challenge {challenge:?}"), Some(challenge.to_owned()));
        cases.push(Case { name, challenge, pages: vec![("/m", ScriptedResponse::json(GOOD_PRM))], verdict });
    };
    case("{o}/m", Good);
    case("{o}/m?x=1", Good);
    // Those that are not safe are not asked: what is well known is found all the same.
    for challenge in [
        "",
        "/m",
        "m",
        "//{x}/m",
        "{o}/m#x",
        "{o}/m\n",
        "{o}\\m",
        "http://u@127.0.0.1/m",
        "http://example.com/m",
        "https:example.com",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "data:application/json,{}",
        "ftp://example.com/m",
        "https://169.254.169.254/latest/meta-data",
        "http://[fe80::1]/m",
        "http://0.0.0.0/m",
        "https://[::]/m",
        "{o}/none",
    ] {
        case(challenge, Good);
    }
    check_all(cases, 20).await;
}

// Requirements: AUTH-13, AUTH-31
#[tokio::test]
async fn server_metadata_is_taken_as_it_should_be_or_not_at_all() {
    let good = || ScriptedResponse::json(GOOD_AS);
    let mut cases = vec![
        at_as("good", good(), Good),
        at_as("empty", ScriptedResponse::json(""), Refused),
        at_as("an array", ScriptedResponse::json("[1]"), Refused),
        at_as("an empty object", ScriptedResponse::json("{}"), Refused),
        at_as("cut off", ScriptedResponse::json(r#"{"issuer":"{o}","#), Refused),
        at_as("deep", ScriptedResponse::json("{\"a\":".repeat(10_000)), Refused),
        at_as(
            "endless",
            ScriptedResponse::json(format!("{{\"x\":\"{}\"}}", "x".repeat(Http::MOST_BYTES))),
            Refused,
        ),
        at_as(
            "a page",
            ScriptedResponse::status(200).with("content-type", "text/html").saying(GOOD_AS),
            Refused,
        ),
        at_as("failed with HTTP status", good().answering(502), Trouble),
        at_as("too often", good().answering(429), Trouble),
        at_as("missing", ScriptedResponse::status(404), Refused),
        at_as("forbidden", good().answering(403), Refused),
        at_as("away", ScriptedResponse::to(302, format!("{{x}}{AS}")), Refused),
        with("unknown", Some(r#"{"a":[]}"#), Good),
    ];
    // Whose it is, letter by letter.
    for issuer in [
        r#"" {o}""#,
        r#""{o} ""#,
        r#""{o}//""#,
        r#""{o}/.""#,
        r#""{o}?""#,
        r#""{o}#""#,
        r#""{o}/tenant""#,
        r#""{x}""#,
        r#""HTTP://127.0.0.1""#,
        r#""https://honest.example""#,
        r#""https://honest.example:443""#,
        r#""https://HONEST.example""#,
        r#""https://honest%2eexample""#,
        r#"["{o}"]"#,
        r#"{"url":"{o}"}"#,
        "null",
        "7",
        "true",
        r#""""#,
    ] {
        cases.push(with("issuer", Some(issuer), Refused));
    }
    cases.push(with("issuer", None, Refused));
    // Whether codes are safe with it.
    for methods in [
        "[]",
        r#"["plain"]"#,
        r#"["s256"]"#,
        r#"["S256 "]"#,
        r#"["S512"]"#,
        r#""S256""#,
        r#"{"S256":true}"#,
        "null",
        "true",
        "[null]",
        "[[\"S256\"]]",
    ] {
        cases.push(with("code_challenge_methods_supported", Some(methods), NoCode));
    }
    cases.push(with("code_challenge_methods_supported", None, NoCode));
    cases.push(with("code_challenge_methods_supported", Some(r#"["plain","S256"]"#), Good));
    // Fields that matter less are left out when they are wrong.
    for (field, value) in [
        ("scopes_supported", "7"),
        ("scopes_supported", r#"["a",7,"a",""]"#),
        ("token_endpoint_auth_methods_supported", r#""none""#),
        ("grant_types_supported", "{}"),
        ("authorization_response_iss_parameter_supported", r#""true""#),
        ("client_id_metadata_document_supported", "1"),
        ("registration_endpoint", "null"),
        ("registration_endpoint", r#""""#),
        ("revocation_endpoint", "null"),
    ] {
        cases.push(with(field, Some(value), Good));
    }
    check_all(cases, 56).await;
}

/// Addresses that no endpoint may have.
pub(crate) const ADDRESSES: [&str; 45] = [
    "http://x/$(calc)",
    "https://x/$(calc)",
    "https://x/%USERPROFILE%",
    "https://x/a\"&calc&\"",
    "--flag",
    "https://x/a\nb",
    "https://x/a\tb",
    "https://x/`calc`",
    "https://x/|calc",
    "https://x/\u{202e}",
    "\u{1}javascript:alert(1)",
    "javascript:alert(1)",
    "JaVaScRiPt://x/%0aalert(1)",
    "data:text/html,x",
    "file:///bin/sh",
    "vbscript:x",
    "smb://x/y",
    "ms-msdt:/id",
    "tel:1",
    "mailto:a@b",
    "intent://x#Intent;end",
    "ws://x/",
    "blob:https://x/y",
    "about:blank",
    "ftp://x/",
    "view-source:https://x/",
    "search-ms:query=x",
    "\\\\x\\share",
    "//x/y",
    "/token",
    "token",
    "https://user:password@x/",
    "https://bank.example@evil.example/",
    "https://@x/",
    "https://x/#f",
    "https:x",
    "https:///x",
    "http://x.example/",
    "http://192.168.0.1/",
    "http://169.254.169.254/",
    "https://169.254.169.254/",
    "https://[fd00:ec2::254]/",
    "http://[::]/",
    "https://x:0/",
    " https://x/",
];

// Requirements: AUTH-31, SEC-11
#[tokio::test]
async fn endpoints_must_be_https_or_loopback() {
    let mut cases = Vec::new();
    for field in [
        "authorization_endpoint",
        "token_endpoint",
        "registration_endpoint",
        "revocation_endpoint",
        "userinfo_endpoint",
    ] {
        for value in ADDRESSES {
            let value = serde_json::Value::from(value).to_string();
            cases.push(with(field, Some(&value), Refused));
        }
        cases.push(with(field, Some("7"), Refused));
        cases.push(with(field, Some(r#"["https://x/"]"#), Refused));
        cases.push(with(field, Some(r#""https://other.example/endpoint""#), Good));
    }
    check_all(cases, 5 * 40).await;
}

// Requirements: AUTH-13, AUTH-31
#[tokio::test]
async fn whatever_kind_of_value_a_field_has_what_is_taken_is_safe() {
    let http = here();
    let long = format!("\"{}\"", "x".repeat(100_000));
    let many = format!("[{}\"x\"]", "\"scope\",".repeat(50_000));
    let values = [
        "null",
        "true",
        "7",
        "-1.5e300",
        r#""x""#,
        "[]",
        "[null,7,[]]",
        "{}",
        r#"{"a":{"b":[]}}"#,
        &long,
        &many,
    ];
    let fields = [
        "issuer",
        "authorization_endpoint",
        "token_endpoint",
        "registration_endpoint",
        "revocation_endpoint",
        "userinfo_endpoint",
        "scopes_supported",
        "grant_types_supported",
        "token_endpoint_auth_methods_supported",
        "token_endpoint_auth_signing_alg_values_supported",
        "code_challenge_methods_supported",
        "authorization_response_iss_parameter_supported",
        "client_id_metadata_document_supported",
        "dpop_signing_alg_values_supported",
        "assumed",
    ];
    let (mut taken, mut refused) = (0, 0);
    for field in fields {
        for value in values {
            let site = MockServer::good().await;
            site.put(AS, &with(field, Some(value), Good).pages[0].1, "");
            match discover(&http, &site.url("/mcp"), &Challenge::default(), None, &untold()).await {
                Ok(found) => {
                    taken += 1;
                    let server = found.server;
                    assert_eq!(server.issuer, site.origin());
                    assert!(!server.assumed, "{field} = {value}");
                    let endpoints = [
                        server.authorization_endpoint,
                        server.token_endpoint,
                        server.registration_endpoint,
                        server.revocation_endpoint,
                        server.userinfo_endpoint,
                    ];
                    for endpoint in endpoints.iter().flatten() {
                        check_address(endpoint.as_str()).unwrap();
                    }
                    assert!(server.scopes_supported.unwrap_or_default().len() <= 256);
                }
                Err(Error::Refused(_)) => refused += 1,
                Err(error) => panic!("{field} = {value}: {error}"),
            }
        }
    }
    // All kinds of issuers, and all kinds of endpoints but null.
    assert_eq!((taken, refused), (15 * 11 - 11 - 5 * 10, 11 + 5 * 10));
}

// Requirements: AUTH-12, AUTH-13
#[tokio::test]
async fn the_last_place_counts_when_those_before_have_nothing_usable() {
    for (name, page) in [
        ("missing", ScriptedResponse::status(404)),
        ("a page", ScriptedResponse::status(200).with("content-type", "text/html").saying("<html>")),
        ("not JSON", ScriptedResponse::json("no")),
        ("another's", ScriptedResponse::json(r#"{"issuer":"https://honest.example"}"#)),
        ("failed with HTTP status", ScriptedResponse::status(500)),
    ] {
        let case = Case {
            pages: vec![(AS, page), (OIDC, ScriptedResponse::json(GOOD_AS))],
            ..at_as(name, ScriptedResponse::status(404), Good)
        };
        check(&case, &here()).await;
    }
}

// Requirements: SEC-12
#[tokio::test]
async fn a_public_client_asks_nothing_of_this_machine() {
    let http = Http::new(&Network::direct(), NetworkReach::Public);
    let (site, other) = (MockServer::good().await, MockServer::good().await);
    for metadata in [format!("{}{PRM}", site.origin()), format!("http://localhost:{}{PRM}", other.port())] {
        let challenge = Challenge { resource_metadata: vec![metadata], ..Challenge::default() };
        let found = discover(&http, &site.url("/mcp"), &challenge, None, &untold()).await;
        assert!(matches!(found, Err(Error::Refused(_))), "{found:?}");
    }
    let found = discover(&http, &site.url("/mcp"), &Challenge::default(), None, &untold()).await;
    assert!(matches!(found, Err(Error::Refused(_))), "{found:?}");
    assert_eq!(site.asked().len() + other.asked().len(), 0);
}
