//! Uses everything that a peer offers once, over one connection.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mooring_mcp::{
    CallOptions, Client, ClientOptions, CompletionRef, Era, EraChoice, NoTap, RequestError, ServerTarget,
    http_client,
};
use mooring_network::Network;
use mooring_testkit::eventually;
use serde_json::{Value, json};

use super::handler::{ANSWERS, AnsweringHandler};
use super::{arguments, parsed};

/// The timeout on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// A connection, with a label for messages.
struct PeerSession<'a> {
    client: Client,
    person: Arc<AnsweringHandler>,
    about: &'a str,
}

pub(super) async fn use_everything(
    target: ServerTarget,
    choice: EraChoice,
    name: &str,
    era: Era,
    about: &str,
) {
    let http = http_client("mooring-tests/0", &Network::direct());
    let options = ClientOptions { era: choice, ..ClientOptions::new("mooring-tests", "0", http) };
    let person = Arc::new(AnsweringHandler::default());
    let client = Client::connect(target, options, person.clone(), Arc::new(NoTap))
        .await
        .unwrap_or_else(|error| panic!("{about}: {error}"));
    let handshake = client.handshake();
    assert_eq!((handshake.server_name.as_deref(), handshake.era), (Some(name), era), "{about}");

    let visit = PeerSession { client, person, about };
    visit.tools().await;
    visit.counting().await;
    visit.resources_and_prompts().await;
    visit.completion().await;
    visit.questions().await;
    visit.log(era).await;
    visit.a_call_that_nobody_waits_for().await;
    visit.end().await;
}

impl PeerSession<'_> {
    async fn call(&self, tool: &str, given: Value) -> Value {
        let result = self.client.call_tool(tool, Some(&arguments(&given)), CallOptions::default()).await;
        let result = result.unwrap_or_else(|error| panic!("{} {tool}: {error}", self.about));
        parsed(&result.raw)
    }

    async fn tools(&self) {
        let about = self.about;
        let tools = self.client.list_tools().await.unwrap();
        let mut names: Vec<&str> = tools.items.iter().map(|tool| tool.name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, ["add", "ask", "count", "echo", "fail", "log", "wait"], "{about}");
        assert!(tools.diagnostics.is_empty(), "{about}: {:?}", tools.diagnostics);
        let echo = self.call("echo", json!({"text": "青岛 🚢"})).await;
        assert_eq!(echo["content"][0]["text"], "青岛 🚢", "{about}");
        let added = self.call("add", json!({"a": 2, "b": 40.5})).await;
        assert_eq!(added["structuredContent"]["sum"], 42.5, "{about}");
        let failed = self.call("fail", json!({})).await;
        assert_eq!(failed["isError"], true, "{about}: {failed}");
        assert!(failed.to_string().contains("on purpose"), "{about}: {failed}");
    }

    /// Progress arrives in order and before the result.
    async fn counting(&self) {
        let about = self.about;
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&seen);
        let options = CallOptions {
            on_progress: Some(Arc::new(move |progress| {
                sink.lock().unwrap().push((progress.progress, progress.total));
            })),
            ..CallOptions::default()
        };
        let given = arguments(&json!({"to": 5}));
        let counted = self.client.call_tool("count", Some(&given), options).await.unwrap();
        assert_eq!(parsed(&counted.raw)["content"][0]["text"], "counted to 5", "{about}");
        let seen = seen.lock().unwrap();
        let expected: Vec<_> = (1..=5).map(|step| (f64::from(step), Some(5.0))).collect();
        assert_eq!(*seen, expected, "{about}");
    }

    async fn resources_and_prompts(&self) {
        let (client, about) = (&self.client, self.about);
        let resources = client.list_resources().await.unwrap();
        assert_eq!(
            resources.items.iter().map(|one| one.uri.as_str()).collect::<Vec<_>>(),
            ["peer://note"],
            "{about}"
        );
        let templates = client.list_templates().await.unwrap();
        assert_eq!(templates.items.len(), 1, "{about}");
        for (uri, text) in [("peer://note", "a note"), ("peer://notes/Ana", "a note for Ana")] {
            let read = client.read_resource(uri, CallOptions::default()).await.unwrap();
            assert_eq!(parsed(&read.raw)["contents"][0]["text"], text, "{about}");
        }
        let missing = client.read_resource("peer://nowhere", CallOptions::default()).await;
        assert!(matches!(missing, Err(RequestError::Rpc { .. })), "{about}: {missing:?}");
        let prompts = client.list_prompts().await.unwrap();
        assert_eq!(prompts.items.len(), 1, "{about}");
        let given = arguments(&json!({"name": "Ana"}));
        let greeting = client.get_prompt("greet", Some(&given), CallOptions::default()).await.unwrap();
        assert_eq!(parsed(&greeting.raw)["messages"][0]["content"]["text"], "Greet Ana.", "{about}");
    }

    /// Completes the prompt's argument and the template's variable.
    async fn completion(&self) {
        for of in [CompletionRef::Prompt("greet"), CompletionRef::Template("peer://notes/{name}")] {
            let answer = self.client.complete(&of, "name", "An", None).await.unwrap();
            let values = parsed(&answer.raw)["completion"]["values"].clone();
            assert_eq!(values, json!(["Ana", "Anselm"]), "{} {of:?}", self.about);
            assert!(answer.diagnostics.is_empty(), "{}: {:?}", self.about, answer.diagnostics);
        }
    }

    /// Answers a form, a sampling request and a roots request. In a session these are requests, otherwise a
    /// result.
    async fn questions(&self) {
        let asked = self.call("ask", json!({})).await;
        assert_eq!(asked["content"][0]["text"], ANSWERS, "{}: {asked}", self.about);
    }

    /// Log messages start at the level that was set. In the stateless era there are none without a level. In
    /// a session, a server without the logging capability sends all of them.
    async fn log(&self, era: Era) {
        let about = self.about;
        if era == Era::Modern {
            self.call("log", json!({})).await;
            assert!(self.person.levels_of("").is_empty(), "{about}");
        }
        let chooses = era == Era::Modern || self.client.handshake().offers("logging");
        if chooses {
            self.client.set_log_level("warning").await.unwrap();
        }
        self.call("log", json!({})).await;
        let what = format!("{about}: the fog is told of");
        eventually(&what, PATIENCE, || !self.person.levels_of("fog").is_empty()).await;
        assert_eq!(self.person.levels_of("fog"), ["warning"], "{about}");
        let mist = self.person.levels_of("mist");
        assert_eq!(mist, if chooses { &[][..] } else { &["debug"] }, "{about}");
    }

    /// A call that timed out doesn't block the next one.
    async fn a_call_that_nobody_waits_for(&self) {
        let about = self.about;
        let short = CallOptions { total: Some(Duration::from_millis(300)), ..CallOptions::default() };
        let endless = self.client.call_tool("wait", Some(&arguments(&json!({}))), short).await;
        assert!(matches!(endless, Err(RequestError::Timeout { .. })), "{about}: {endless:?}");
        let again = self.call("echo", json!({"text": "again"})).await;
        assert_eq!(again["content"][0]["text"], "again", "{about}");
    }

    async fn end(self) {
        let pid = self.client.pid();
        self.client.shutdown().await;
        assert!(pid.is_none_or(|pid| !mooring_testkit::is_alive(pid)), "{}", self.about);
        let remarks = self.person.remarks();
        assert!(remarks.is_empty(), "{}: {remarks:?}", self.about);
    }
}
