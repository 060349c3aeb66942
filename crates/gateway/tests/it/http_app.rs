//! Apps over HTTP, and the events that they receive.

use std::net::TcpListener;
use std::time::Duration;

use mooring_settings::Settings;
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::support::{LIMIT, Scene, initialize};

/// An app over HTTP.
pub(crate) struct HttpApp {
    pub(crate) client: Client,
    pub(crate) url: String,
    pub(crate) token: String,
    pub(crate) session: Option<String>,
}

/// The events of a stream.
pub(crate) struct Events {
    response: Response,
    text: String,
}

pub(crate) async fn json_of(response: Response) -> Value {
    serde_json::from_slice(&response.bytes().await.unwrap()).unwrap()
}

impl Events {
    pub(crate) fn new(response: Response) -> Self {
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { response, text: String::new() }
    }

    /// The next event with data, and its id.
    pub(crate) async fn next(&mut self) -> Option<(String, Value)> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.text = rest;
                let field =
                    |name: &str| event.lines().find_map(|line| line.strip_prefix(name).map(str::trim));
                if let (Some(id), Some(data)) = (field("id:"), field("data:").filter(|data| !data.is_empty()))
                {
                    return Some((id.to_owned(), serde_json::from_str(data).unwrap()));
                }
                continue;
            }
            let chunk =
                timeout(LIMIT, self.response.chunk()).await.expect("the stream is silent").unwrap()?;
            self.text.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }

    pub(crate) async fn message(&mut self) -> Value {
        self.next().await.expect("the stream has ended").1
    }
}

impl HttpApp {
    pub(crate) fn post(&self, body: impl Into<String>) -> RequestBuilder {
        let request = self.headed(self.client.post(&self.url));
        request.header("content-type", "application/json").body(body.into())
    }

    pub(crate) fn headed(&self, request: RequestBuilder) -> RequestBuilder {
        let request = request
            .header("accept", "application/json, text/event-stream")
            .header("authorization", format!("Bearer {}", self.token));
        match &self.session {
            Some(session) => request.header("mcp-session-id", session),
            None => request,
        }
    }

    pub(crate) async fn send(&self, message: Value) -> Response {
        self.post(message.to_string()).send().await.unwrap()
    }

    pub(crate) async fn request(&self, id: u32, method: &str, params: Value) -> Response {
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await
    }

    pub(crate) async fn call(&self, id: u32, tool: &str, arguments: Value) -> Response {
        let meta = json!({"progressToken": id});
        self.request(id, "tools/call", json!({"name": tool, "arguments": arguments, "_meta": meta})).await
    }

    pub(crate) async fn get(&self, last: Option<&str>) -> Response {
        let request = self.headed(self.client.get(&self.url));
        let request = match last {
            Some(last) => request.header("last-event-id", last),
            None => request,
        };
        request.send().await.unwrap()
    }

    /// Begins a session.
    pub(crate) async fn begin(&mut self, capabilities: Value) {
        let mut params = initialize("2025-11-25");
        params["capabilities"] = capabilities;
        let response = self.request(0, "initialize", params).await;
        assert_eq!(response.status(), StatusCode::OK);
        self.session = Some(response.headers()["mcp-session-id"].to_str().unwrap().to_owned());
        let answer: Value = json_of(response).await;
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
        let initialized = self.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        assert_eq!(initialized.status(), StatusCode::ACCEPTED);
    }
}

impl Scene {
    /// Opens the HTTP endpoint for apps and returns its URL.
    pub(crate) async fn open_http(&self) -> String {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let settings = Settings { apps_port: port.into(), ..self.host.settings() };
        self.host.set_settings(settings).await.unwrap();
        let url = format!("http://127.0.0.1:{port}/mcp");
        let open = async {
            while Client::new().get(&url).send().await.is_err() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        timeout(LIMIT, open).await.unwrap();
        url
    }

    pub(crate) async fn http_app(&self, url: &str, name: &str) -> HttpApp {
        let token = self.host.create_app_token(name).await.unwrap();
        HttpApp { client: Client::new(), url: url.to_owned(), token, session: None }
    }
}
