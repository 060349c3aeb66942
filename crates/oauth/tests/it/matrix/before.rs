//! What a server says before anybody signs in: addresses, issuers, resources, PKCE, redirects (A1, A2, A5, A7, A12,
//! A14).

use mooring_oauth::{RequestedAccess, TokenSet};
use mooring_testkit::oauth::{OAuthScript, OAuthServer};
use secrecy::SecretString;
use serde_json::{Value, json};

use super::{AttackMatrix, AttackSetup, LONG, word};
use crate::hostile::ADDRESSES;
use crate::support::{EndpointParts, kind};

const AS: &str = "/.well-known/oauth-authorization-server";
const PRM: &str = "/.well-known/oauth-protected-resource";
const JSON: &[(&str, &str)] = &[("content-type", "application/json")];

pub(super) async fn attack(matrix: &mut AttackMatrix) {
    Box::pin(addresses(matrix)).await;
    Box::pin(issuers(matrix)).await;
    Box::pin(challenges(matrix)).await;
    Box::pin(redirects(matrix)).await;
    Box::pin(resources(matrix)).await;
}

/// Says of itself what it should, but for one field.
fn describe(honest: &OAuthServer, field: &str, value: &Value) {
    let mut document = honest.metadata();
    document[field] = value.clone();
    honest.reply_always(AS, 200, JSON, &document.to_string());
}

/// A sign-in at a server whose description is wrong in one field: refused, before anybody is asked for anything.
async fn with(matrix: &mut AttackMatrix, row: &'static str, scene: &AttackSetup, field: &str, value: &Value) {
    describe(&scene.honest, field, value);
    let came = scene.sign_in(LONG).await;
    let nothing = scene.browser.opened() == 0
        && scene.honest.requests_to("/register").is_empty()
        && scene.tokens_asked() == 0
        && scene.wrong.requests().is_empty();
    let came = if nothing { word(&came) } else { "something was asked" };
    matrix.tell_and_look(row, format!("{field} is {value}"), "refused", came, scene);
}

async fn addresses(matrix: &mut AttackMatrix) {
    let scene = AttackSetup::new(OAuthScript::default()).await;
    let fields = ["authorization_endpoint", "token_endpoint", "registration_endpoint", "revocation_endpoint"];
    for address in ADDRESSES {
        for field in fields {
            with(matrix, "A1", &scene, field, &address.into()).await;
        }
    }
    for scheme in [
        "javascript:alert(document.domain)",
        "JAVASCRIPT:alert(1)",
        "java\tscript:alert(1)",
        "java\nscript:alert(1)",
        "\u{0}javascript:alert(1)",
        " javascript:alert(1)",
        "javascript://as.example/%0Aalert(1)",
        "data:text/html;base64,PHNjcmlwdD4=",
        "DATA:text/html,x",
        "file:///etc/passwd",
        "file://as.example/share",
        "vbscript:msgbox(1)",
        "smb://as.example/share",
        "ms-msdt:/id PCWDiagnostic",
        "search-ms:query=x&crumb=location:as.example",
        "tel:112",
        "mailto:a@b.example?body=x",
        "intent://as.example/#Intent;scheme=http;end",
        "wss://as.example/",
        "blob:https://as.example/1",
        "filesystem:https://as.example/temporary/x",
        "about:srcdoc",
        "\\\\as.example\\share",
        "mooring://callback",
    ] {
        with(matrix, "A2", &scene, "authorization_endpoint", &scheme.into()).await;
    }
}

async fn issuers(matrix: &mut AttackMatrix) {
    let scene = AttackSetup::new(OAuthScript::default()).await;
    let (honest, wrong) = (scene.honest.issuer(), scene.wrong.issuer());
    let port = honest.rsplit(':').next().unwrap();
    for issuer in [
        json!(wrong),
        json!(format!("{honest}//")),
        json!(format!("{honest}/.")),
        json!(format!("{honest}?")),
        json!(format!("{honest}#")),
        json!(format!(" {honest}")),
        json!(format!("{honest} ")),
        json!(format!("{honest}/tenant")),
        json!(honest.to_uppercase()),
        json!(honest.replace("127.0.0.1", "localhost")),
        json!(honest.replace("127.0.0.1", "127.1")),
        json!(honest.replace("127.0.0.1", "%31%32%37.0.0.1")),
        json!(honest.replace("http://", "http://user@")),
        json!(honest.replace(&format!(":{port}"), "")),
        json!("https://honest.example"),
        json!([honest]),
        json!({ "url": honest }),
        json!(""),
        Value::Null,
    ] {
        with(matrix, "A5", &scene, "issuer", &issuer).await;
    }
}

async fn challenges(matrix: &mut AttackMatrix) {
    let scene = AttackSetup::new(OAuthScript::default()).await;
    for methods in [
        json!(["plain"]),
        json!([]),
        json!(["s256"]),
        json!(["S256 "]),
        json!(["S512"]),
        json!(["plain", "s256"]),
        json!("S256"),
        json!({ "S256": true }),
        json!([["S256"]]),
        json!([null]),
        json!(true),
        Value::Null,
    ] {
        describe(&scene.honest, "code_challenge_methods_supported", &methods);
        let came = scene.sign_in(LONG).await;
        let opened = scene.browser.opened() + scene.tokens_asked();
        let came = match word(&came) {
            _ if opened > 0 => "a code was asked for",
            // If the metadata does not mention PKCE, the person may allow it; here they have not.
            "pkce unannounced" => "refused",
            came => came,
        };
        matrix.tell_and_look("A7", format!("PKCE with {methods}"), "refused", came, &scene);
    }
}

async fn redirects(matrix: &mut AttackMatrix) {
    for status in [301, 302, 303, 307, 308] {
        for place in [PRM, AS, "/register", "/token", "refresh", "/revoke", "/userinfo"] {
            let scene = AttackSetup::new(OAuthScript { rotates: true, ..OAuthScript::default() }).await;
            let path = if place == "refresh" { "/token" } else { place };
            let location = format!("{}{path}", scene.wrong.origin());
            let (access, refresh) = scene.honest.issue_tokens("read");
            scene.honest.reply_always(path, status, &[("location", &location)], "");
            let parts = EndpointParts::new(&scene.honest);
            let endpoint = parts.endpoint();
            let kept = TokenSet { refresh: Some(refresh.into()), ..endpoint_tokens(&access, &parts) };
            let came = match place {
                "refresh" => endpoint.refresh(kept.refresh.as_ref().unwrap(), None).await.map(drop),
                "/revoke" => endpoint.revoke(&kept).await.map(drop),
                "/userinfo" => mooring_oauth::UserInfo::fetch(&endpoint, &kept, None).await.map(drop),
                _ => scene.sign_in(LONG).await.map(drop),
            };
            let strayed = scene.wrong.requests().len();
            let came = match &came {
                Err(_) if strayed == 0 => "not followed".to_owned(),
                Err(error) => format!("{} with {strayed} requests elsewhere", kind(error)),
                Ok(()) => format!("good, with {strayed} requests elsewhere"),
            };
            matrix.tell_and_look("A12", format!("{status} at {place}"), "not followed", came, &scene);
        }
    }
}

fn endpoint_tokens(access: &str, parts: &EndpointParts) -> TokenSet {
    TokenSet {
        access: access.into(),
        token_type: mooring_oauth::TokenType::Bearer,
        refresh: None,
        id_token: None,
        scopes: None,
        expires_at: None,
        received_at: parts.clock.now(),
    }
}

async fn resources(matrix: &mut AttackMatrix) {
    let scene = AttackSetup::new(OAuthScript::default()).await;
    let (honest, wrong) = (scene.honest.resource(), scene.wrong.resource());
    for resource in [
        json!(wrong),
        json!(format!("{honest}2")),
        json!(honest.trim_end_matches('p')),
        json!(format!("{honest}/other")),
        json!(format!("{honest}//")),
        json!(format!("{honest}?x=1")),
        json!(format!("{honest}#x")),
        json!(format!(" {honest}")),
        json!(format!("{honest}\n")),
        json!(honest.replace("/mcp", "/MCP")),
        json!(honest.replace("/mcp", "/m%63p")),
        json!(honest.replace("/mcp", "/other")),
        json!(honest.replace("http://", "http://user@")),
        json!("https://evil.example/mcp"),
        json!("/mcp"),
        json!([honest]),
        json!(""),
        Value::Null,
    ] {
        let document = json!({ "resource": resource, "authorization_servers": [scene.honest.issuer()] });
        scene.honest.reply_always(PRM, 200, JSON, &document.to_string());
        let came = scene.sign_in(LONG).await;
        let asked =
            scene.browser.opened() + scene.honest.requests_to("/register").len() + scene.tokens_asked();
        let came = if asked == 0 { word(&came) } else { "something was asked" };
        matrix.tell_and_look("A14", format!("the resource is {resource}"), "refused", came, &scene);
    }

    // And every request for a token says for which server it is.
    let scene = AttackSetup::new(OAuthScript { rotates: true, ..OAuthScript::default() }).await;
    let resource = scene.honest.resource();
    let signed_in = scene.sign_in(LONG).await;
    let said = |path: &str| {
        let asked = scene.honest.requests_to(path);
        let said = asked.last().and_then(|asked| asked.parameter("resource")).map(str::to_owned);
        if said.as_deref() == Some(resource.as_str()) { "named" } else { "not named" }
    };
    matrix.tell("A14", "resource when a person is sent to sign in", "named", said("/authorize"));
    matrix.tell("A14", "resource when a code is exchanged", "named", said("/token"));
    let parts = EndpointParts::new(&scene.honest);
    let refresh = signed_in.unwrap().refresh.unwrap();
    let _tokens = parts.endpoint().refresh(&refresh, Some(&resource)).await.unwrap();
    matrix.tell("A14", "resource when a token is renewed", "named", said("/token"));
    let wanted = || RequestedAccess { resource: Some(&resource), scopes: &[] };
    let _tokens = parts.endpoint().client_credentials(wanted()).await.unwrap();
    matrix.tell("A14", "resource when a client asks for itself", "named", said("/token"));
    let _tokens = parts.endpoint().jwt_bearer(&SecretString::from("assertion"), wanted()).await.unwrap();
    matrix.tell_and_look("A14", "resource when an assertion is redeemed", "named", said("/token"), &scene);
}
