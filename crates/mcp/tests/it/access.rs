//! Authorization of requests to a server with a URL, and refusals.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use mooring_mcp::{
    AccessRefusal, AccessRequest, AccessResponse, AccessRetry, Authorize, CallOptions, Client, ClientOptions,
    RequestError,
};
use mooring_testkit::http::{HttpReply, HttpScript, HttpServer, RawReply, serve};
use mooring_words::Sentence;
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};

use crate::support::{Recorder, call, endpoint, options};

/// An authorizer with one token, which is counted up when the server refuses it, up to a limit.
#[derive(Default)]
struct CountingTokens {
    now: AtomicU32,
    last: u32,
    refused: Mutex<Vec<String>>,
    nonces: Mutex<Vec<String>>,
}

impl Authorize for CountingTokens {
    fn headers<'a>(
        &'a self,
        _: AccessRequest<'a>,
    ) -> BoxFuture<'a, Result<Vec<(HeaderName, HeaderValue)>, Sentence>> {
        let mut value =
            HeaderValue::from_str(&format!("Bearer t{}", self.now.load(Ordering::Relaxed))).unwrap();
        value.set_sensitive(true);
        Box::pin(std::future::ready(Ok(vec![(AUTHORIZATION, value)])))
    }

    fn on_refusal<'a>(&'a self, refusal: AccessRefusal<'a>) -> BoxFuture<'a, AccessRetry> {
        let AccessRefusal { status, challenge, authorization: shown, request: asked, .. } = refusal;
        let shown = shown.map(|value| value.to_str().unwrap());
        let line = format!("{} {status} {} {}", asked.method, challenge.unwrap_or("-"), shown.unwrap_or("-"));
        self.refused.lock().unwrap().push(line);
        let renewed = self.now.load(Ordering::Relaxed) < self.last;
        if renewed {
            self.now.fetch_add(1, Ordering::Relaxed);
        }
        Box::pin(std::future::ready(if renewed { AccessRetry::Yes } else { AccessRetry::No }))
    }

    fn on_response(&self, response: AccessResponse<'_>) {
        if let Some(nonce) = response.headers.get("dpop-nonce") {
            self.nonces.lock().unwrap().push(nonce.to_str().unwrap().to_owned());
        }
    }
}

async fn connect(server: &HttpServer, tokens: &Arc<CountingTokens>) -> Client {
    let access: Arc<dyn Authorize> = Arc::clone(tokens) as _;
    let options = ClientOptions { access: Some(access), ..options() };
    let memory = Arc::new(Recorder::default());
    Client::connect(endpoint(&server.url), options, Arc::clone(&memory) as _, memory).await.unwrap()
}

fn refusing() -> HttpReply {
    RawReply::new(401)
        .header("www-authenticate", r#"Bearer realm="a""#)
        .header("www-authenticate", r#"DPoP algs="ES256""#)
        .header("dpop-nonce", "n1")
        .into()
}

// Requirements: AUTH-03.
#[tokio::test]
async fn every_request_sends_the_token_in_a_header_never_in_the_url() {
    let server = serve(HttpScript::json()).await;
    let client = connect(&server, &Arc::new(CountingTokens::default())).await;
    call(&client, "echo", r#"{"text":"x"}"#).await;
    client.shutdown().await;
    server.wait_for_message("GET").await;
    server.wait_for_message("DELETE").await;
    for request in server.requests() {
        assert_eq!(request.header("authorization"), Some("Bearer t0"), "{}", request.rpc_method);
        assert!(!request.path.contains("t0"), "{}", request.path);
    }
}

// Requirements: AUTH-38.
#[tokio::test]
async fn rejected_request_is_repeated_with_a_renewed_token() {
    let nonced = RawReply::new(200).header("content-type", "application/json").header("dpop-nonce", "n2");
    let listed = nonced.text(r#"{"jsonrpc":"2.0","id":$ID,"result":{"tools":[]}}"#).into();
    let server = serve(HttpScript::json().once("tools/call", refusing()).on("tools/list", listed)).await;
    let tokens = Arc::new(CountingTokens { last: 1, ..CountingTokens::default() });
    let client = connect(&server, &tokens).await;
    client.list_tools().await.unwrap();
    assert_eq!(call(&client, "echo", r#"{"text":"in at last"}"#).await, "in at last");
    let refused = tokens.refused.lock().unwrap().clone();
    assert_eq!(refused, [r#"POST 401 Bearer realm="a", DPoP algs="ES256" Bearer t0"#]);
    assert!(tokens.nonces.lock().unwrap().contains(&"n2".to_owned()));
    let calls: Vec<_> =
        server.requests().into_iter().filter(|sent| sent.rpc_method == "tools/call").collect();
    let shown: Vec<_> = calls.iter().map(|sent| sent.header("authorization").unwrap()).collect();
    assert_eq!(shown, ["Bearer t0", "Bearer t1"]);
    assert_eq!(calls[0].body, calls[1].body);
}

// Requirements: AUTH-38.
#[tokio::test]
async fn server_rejecting_every_token_is_asked_five_times() {
    for (last, sent) in [(0, 1), (9, 5)] {
        let server = serve(HttpScript::json().on("tools/call", refusing())).await;
        let tokens = Arc::new(CountingTokens { last, ..CountingTokens::default() });
        let client = connect(&server, &tokens).await;
        let error = client.call_tool("echo", None, CallOptions::default()).await.unwrap_err();
        assert!(matches!(&error, RequestError::SignIn { status: 401, challenge: Some(_) }), "{error}");
        assert_eq!(server.methods().iter().filter(|method| *method == "tools/call").count(), sent);
    }
}

#[tokio::test]
async fn a_server_that_forbids_without_a_challenge_is_not_asked_again() {
    let server = serve(HttpScript::json().on("tools/call", RawReply::new(403).into())).await;
    let tokens = Arc::new(CountingTokens { last: 9, ..CountingTokens::default() });
    let client = connect(&server, &tokens).await;
    let error = client.call_tool("echo", None, CallOptions::default()).await.unwrap_err();
    assert!(matches!(error, RequestError::Status { status: 403, .. }), "{error}");
    assert!(tokens.refused.lock().unwrap().is_empty());
}
