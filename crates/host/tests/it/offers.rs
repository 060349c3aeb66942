//! What servers offer besides tools: resources, templates, prompts, completion, subscriptions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mooring_base::server_id::ServerId;
use mooring_calls::{
    CallOutcome, CallStatus, Completion, CompletionReference, CompletionRequest, Follower, PromptCall,
    ResourceRead,
};
use mooring_errors::HostError;
use mooring_host::Host;
use mooring_log::{LogKind, LogQuery, LogRow, LogStatus};
use mooring_mcp::SkillFiles;
use mooring_policy::Caller;
use mooring_server_state::{ConnectionView, HostEvent, ServerView, StateName};
use mooring_testkit::offers;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio::sync::broadcast;

use crate::support::{LIMIT, call, ignore_events, scripted, until, until_state, window};

/// A window with one server that follows a script.
struct ScriptedWindow {
    host: Host,
    id: ServerId,
    file: PathBuf,
    _home: tempfile::TempDir,
}

impl ScriptedWindow {
    async fn with(change: impl FnOnce(&mut Map<String, Value>)) -> Self {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("script.json");
        let mut script = offers::script();
        change(&mut script);
        write(&file, &script);
        let host = window(home.path()).await;
        let server = scripted("harbour", &["script", file.to_str().unwrap()]);
        let id = host.add_server(server).await.unwrap().id;
        until_state(&host, id, StateName::Ready).await;
        Self { host, id, file, _home: home }
    }

    async fn open() -> Self {
        Self::with(|_| {}).await
    }

    /// Waits until the lists were read. Otherwise a requested list might be read twice.
    async fn until_listed(&self) {
        let counted = |view: &ServerView| {
            let ConnectionView { tool_count, resource_count, prompt_count, .. } = view.connection;
            tool_count.is_some() && (resource_count, prompt_count) == (Some(3), Some(2))
        };
        until(&self.host, self.id, "listed", counted).await;
    }

    /// Calls a tool of the scripted server, and returns the text of its result.
    async fn tool(&self, name: &str, arguments: &Value) -> String {
        let outcome = self.host.call_tool(self.id, call(name, arguments), ignore_events()).await.unwrap();
        let result: Value = serde_json::from_str(outcome.result.unwrap().get()).unwrap();
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Makes the server send a notification.
    async fn notify(&self, method: &str, params: &Value) {
        self.tool("notify", &json!({"method": method, "params": params})).await;
    }

    /// How often the server received this method.
    async fn seen(&self, method: &str) -> usize {
        let seen: Vec<String> = serde_json::from_str(&self.tool("seen", &json!({})).await).unwrap();
        seen.iter().filter(|seen| *seen == method).count()
    }

    async fn read(&self, uri: &str) -> CallOutcome {
        self.host.read_resource(self.id, read(uri), ignore_events()).await.unwrap()
    }

    async fn complete(&self, argument: &str) -> Completion {
        let prompt = CompletionReference::Prompt { name: "plan".to_owned() };
        let chosen = BTreeMap::from([("tone".to_owned(), "brief".to_owned())]);
        let (argument, begun) = (argument.to_owned(), "Q".to_owned());
        let wanted = CompletionRequest { of: prompt, argument, begun, chosen };
        self.host.complete_argument(self.id, &wanted).await.unwrap()
    }

    /// Waits for a matching committed row of the log.
    async fn until_logged(&self, wanted: impl Fn(&LogRow) -> bool) -> LogRow {
        let look = async {
            loop {
                self.host.flush_log().await;
                let query = LogQuery { limit: 500, ..LogQuery::default() };
                if let Some(row) = self.host.log_page(&query).await.unwrap().into_iter().find(&wanted) {
                    return row;
                }
            }
        };
        tokio::time::timeout(LIMIT, look).await.unwrap()
    }
}

fn write(file: &Path, script: &Map<String, Value>) {
    std::fs::write(file, serde_json::to_vec(script).unwrap()).unwrap();
}

pub(crate) fn read(uri: &str) -> ResourceRead {
    ResourceRead {
        request: None,
        uri: uri.to_owned(),
        template: None,
        caller: Caller::Workbench,
        idle: None,
        total: None,
    }
}

fn plan(arguments: &Value) -> PromptCall {
    let arguments = Some(RawValue::from_string(arguments.to_string()).unwrap());
    PromptCall {
        request: None,
        prompt: "plan".to_owned(),
        arguments,
        caller: Caller::Workbench,
        idle: None,
        total: None,
    }
}

/// Waits for an event.
pub(crate) async fn until_event(events: &mut broadcast::Receiver<HostEvent>, wanted: &HostEvent) {
    let wait = async { while events.recv().await.unwrap() != *wanted {} };
    tokio::time::timeout(LIMIT, wait).await.unwrap();
}

// Requirements: RES-01, PROM-01.
#[tokio::test]
async fn what_a_server_offers_is_listed_counted_and_remembered() {
    let harbour = ScriptedWindow::open().await;
    harbour.until_listed().await;
    let (host, id) = (&harbour.host, harbour.id);
    let list = host.resources(id, false).await.unwrap();
    let uris: Vec<_> = list.resources.iter().map(|resource| resource.uri.as_str()).collect();
    assert_eq!(uris, ["harbour://notice", "harbour://lighthouse.png"]);
    assert_eq!(list.templates[0].uri_template, "harbour://{city}/berths{?from,to}");
    assert!(list.raw.get().contains(r#""no address""#), "the result is kept as it came");
    let odd: Vec<_> = list.diagnostics.iter().map(|odd| odd.path.as_str()).collect();
    assert_eq!(odd, ["resources[2].uri", "skills[1].uri"]);
    let skills: Vec<_> = list.skills.iter().map(|skill| (&*skill.name, &skill.files)).collect();
    assert_eq!(skills, [("mooring-lines", &SkillFiles::Dynamic)]);
    let prompts = host.prompts(id, false).await.unwrap();
    assert_eq!(prompts.prompts[0].arguments.len(), 2);
    // A remembered list needs no request; an explicit refresh does.
    host.resources(id, false).await.unwrap();
    assert_eq!(harbour.seen("resources/list").await, 1);
    host.resources(id, true).await.unwrap();
    assert_eq!((harbour.seen("resources/list").await, harbour.seen("prompts/list").await), (2, 1));
    host.shutdown().await;
}

// Requirements: PROM-06, SUB-16.
#[tokio::test]
async fn a_list_that_changed_is_read_again_and_announced() {
    let harbour = ScriptedWindow::open().await;
    let (host, id) = (&harbour.host, harbour.id);
    harbour.until_listed().await;
    let mut events = host.events();
    harbour.notify("notifications/resources/list_changed", &json!({})).await;
    until_event(&mut events, &HostEvent::ResourcesChanged { id }).await;
    harbour.notify("notifications/prompts/list_changed", &json!({})).await;
    until_event(&mut events, &HostEvent::PromptsChanged { id }).await;
    assert_eq!((harbour.seen("resources/list").await, harbour.seen("prompts/list").await), (2, 2));
    assert_eq!(harbour.seen("tools/list").await, 1);
    host.shutdown().await;
}

// Requirements: RES-01, PROM-01.
#[tokio::test]
async fn a_server_that_offers_only_tools_is_asked_for_nothing_else() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = host.add_server(scripted("s", &["ok"])).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    assert!(host.resources(id, true).await.unwrap().resources.is_empty());
    assert!(host.prompts(id, true).await.unwrap().prompts.is_empty());
    let reference = CompletionReference::Template { uri_template: "a:{b}".to_owned() };
    let (argument, begun) = ("b".to_owned(), String::new());
    let wanted = CompletionRequest { of: reference, argument, begun, chosen: BTreeMap::new() };
    let none = host.complete_argument(id, &wanted).await.unwrap();
    assert_eq!(none, Completion::default());
    let error = host.subscribe(id, "a:b", Follower::Person).await.unwrap_err();
    assert_eq!(error.code().as_str(), "not_offered");
    let outcome = host.call_tool(id, call("seen", &json!({})), ignore_events()).await.unwrap();
    let seen = outcome.result.unwrap();
    for method in ["resources", "prompts", "completion"] {
        assert!(!seen.get().contains(method), "{seen:?}");
    }
    host.shutdown().await;
}

#[tokio::test]
async fn failing_templates_or_skills_list_hides_no_resource() {
    let broken = json!([offers::error_line(-32603, "the chart room is flooded")]);
    let harbour = ScriptedWindow::with(|script| {
        script.insert("resources/templates/list".to_owned(), broken.clone());
        script.insert("skills/list".to_owned(), broken.clone());
        script.insert("prompts/list".to_owned(), broken);
    })
    .await;
    let (host, id) = (&harbour.host, harbour.id);
    let list = host.resources(id, false).await.unwrap();
    assert_eq!((list.resources.len(), list.templates.len()), (2, 0));
    assert_eq!((list.skills.len(), list.raw_skills.get()), (0, r#"{"skills":[]}"#));
    let odd: Vec<_> = list.diagnostics.iter().skip(1).map(ToString::to_string).collect();
    let expected = ["resourceTemplates", "skills"]
        .map(|list| format!("{list}: couldn’t be listed: the server answered with error -32603"));
    assert_eq!(odd, expected);
    let error = host.prompts(id, true).await.unwrap_err();
    assert!(matches!(&error, HostError::Request(error) if error.rpc_code == Some(-32603)), "{error}");
    let view = until_state(host, id, StateName::Degraded).await;
    assert!(view.connection.failure.unwrap().message.to_string().contains("prompts"));
    host.shutdown().await;
}

#[tokio::test]
async fn resources_and_prompts_arrive_exactly_and_are_logged() {
    let exact = r#"{ "contents" : [{"uri":"harbour://notice","text":"fog"}], "x":1.0 }"#;
    let harbour = ScriptedWindow::with(|script| {
        let line = format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{exact}}}"#);
        script.insert("resources/read".to_owned(), json!([line]));
    })
    .await;
    let (host, id) = (&harbour.host, harbour.id);
    let outcome = harbour.read("harbour://notice").await;
    assert_eq!((outcome.status, outcome.result.unwrap().get()), (CallStatus::Ok, exact));
    let outcome = host.get_prompt(id, plan(&json!({"to": "青岛"})), ignore_events()).await.unwrap();
    assert_eq!(outcome.status, CallStatus::Ok);
    let filled: Value = serde_json::from_str(outcome.result.unwrap().get()).unwrap();
    assert_eq!(filled["messages"].as_array().unwrap().len(), 2);
    for (method, subject) in [("resources/read", "harbour://notice"), ("prompts/get", "plan")] {
        let answer = harbour
            .until_logged(|row| row.method.as_deref() == Some(method) && row.status == LogStatus::Ok)
            .await;
        assert_eq!(answer.subject.as_deref(), Some(subject));
    }
    let query = LogQuery { kinds: vec![LogKind::Verdict], limit: 10, ..LogQuery::default() };
    assert!(host.log_page(&query).await.unwrap().is_empty());
    assert_eq!(host.server(id).unwrap().connection.calls, 0, "only calls of tools are counted as calls");
    host.shutdown().await;
}

// Requirements: RES-03, RES-11, PROM-03.
#[tokio::test]
async fn what_cannot_be_read_says_why_and_what_is_odd_is_shown() {
    let harbour = ScriptedWindow::with(|script| {
        script.insert("resources/read".to_owned(), json!([offers::error_line(-32002, "no such berth")]));
        script.insert("prompts/get".to_owned(), json!([offers::response_line(&json!({"messages": "none"}))]));
    })
    .await;
    let (host, id) = (&harbour.host, harbour.id);
    let outcome = harbour.read("harbour://nowhere").await;
    let error = outcome.error.unwrap();
    assert_eq!((outcome.status, error.rpc_code), (CallStatus::RpcError, Some(-32002)));
    assert_eq!(error.message, "no such berth");
    let outcome = host.get_prompt(id, plan(&json!({})), ignore_events()).await.unwrap();
    let odd: Vec<_> = outcome.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!((outcome.status, odd), (CallStatus::Ok, vec!["messages: isn’t an array".to_owned()]));
    for wrong in [json!({"to": 7}), json!({"to": null})] {
        let error = host.get_prompt(id, plan(&wrong), ignore_events()).await.unwrap_err();
        assert_eq!(error.code().as_str(), "invalid_arguments", "{wrong}");
    }
    let list =
        PromptCall { arguments: Some(RawValue::from_string("[]".to_owned()).unwrap()), ..plan(&json!({})) };
    assert_eq!(
        host.get_prompt(id, list, ignore_events()).await.unwrap_err().code().as_str(),
        "invalid_arguments"
    );
    assert_eq!(harbour.seen("prompts/get").await, 1, "wrong arguments do not reach the server");
    host.shutdown().await;
}

#[tokio::test]
async fn read_ends_by_deadline_or_drop_and_the_server_is_notified() {
    let silent = json!([]);
    let harbour = ScriptedWindow::with(|script| {
        script.insert("resources/read".to_owned(), silent.clone());
        script.insert("prompts/get".to_owned(), silent);
    })
    .await;
    let (host, id) = (&harbour.host, harbour.id);
    let short = Duration::from_millis(200);
    let hurried = ResourceRead { total: Some(short), ..read("harbour://fog") };
    let outcome = host.read_resource(id, hurried, ignore_events()).await.unwrap();
    assert_eq!(outcome.status, CallStatus::TimedOut);
    let row = harbour.until_logged(|row| row.status == LogStatus::TimedOut).await;
    assert_eq!(
        (row.method.as_deref(), row.subject.as_deref()),
        (Some("resources/read"), Some("harbour://fog"))
    );
    let endless = host.get_prompt(id, plan(&json!({})), ignore_events());
    assert!(tokio::time::timeout(short, endless).await.is_err());
    let row = harbour.until_logged(|row| row.status == LogStatus::Cancelled).await;
    assert_eq!(row.method.as_deref(), Some("prompts/get"));
    let told = async {
        loop {
            let ids: Vec<u64> = serde_json::from_str(&harbour.tool("cancelled", &json!({})).await).unwrap();
            if ids.len() == 2 {
                return;
            }
        }
    };
    tokio::time::timeout(LIMIT, told).await.unwrap();
    host.shutdown().await;
}

// Requirements: COMP-01, COMP-02, COMP-04.
#[tokio::test]
async fn server_without_completion_is_asked_for_it_only_once() {
    let harbour = ScriptedWindow::open().await;
    let completion = harbour.complete("to").await;
    assert_eq!(completion.values, ["青岛", "Qinhuangdao"]);
    assert_eq!((completion.total, completion.has_more), (Some(2), false));
    harbour.host.shutdown().await;

    let old = ScriptedWindow::with(|script| {
        let mut initialized = mooring_testkit::answers::initialize(None);
        initialized["protocolVersion"] = json!("2024-11-05");
        script.insert("initialize".to_owned(), json!([offers::response_line(&initialized)]));
        script
            .insert("completion/complete".to_owned(), json!([offers::error_line(-32601, "no such method")]));
    })
    .await;
    for _ in 0..3 {
        assert_eq!(old.complete("to").await, Completion::default());
    }
    assert_eq!(old.seen("completion/complete").await, 1);
    old.host.shutdown().await;

    let refusing = ScriptedWindow::with(|script| {
        script
            .insert("completion/complete".to_owned(), json!([offers::error_line(-32602, "no such prompt")]));
    })
    .await;
    assert_eq!(refusing.complete("to").await, Completion::default());
    refusing.host.shutdown().await;
}

// Requirements: SUB-13, SUB-15.
#[tokio::test]
async fn subscribed_resource_reports_updates_until_unsubscribed() {
    let harbour = ScriptedWindow::open().await;
    let (host, id) = (&harbour.host, harbour.id);
    let mut events = host.events();
    host.subscribe(id, "harbour://berths", Follower::Person).await.unwrap();
    host.subscribe(id, "harbour://berths", Follower::Person).await.unwrap();
    assert_eq!(harbour.seen("resources/subscribe").await, 1);
    for uri in ["harbour://elsewhere", "harbour://berths/7", "harbour://berths"] {
        harbour.notify("notifications/resources/updated", &json!({"uri": uri})).await;
    }
    for uri in ["harbour://berths/7", "harbour://berths"] {
        until_event(&mut events, &HostEvent::ResourceUpdated { id, instance: 0, uri: uri.into() }).await;
    }
    let [watched] = &host.subscriptions(id).unwrap()[..] else { panic!("not one subscription") };
    assert_eq!((watched.uri.as_str(), watched.updates), ("harbour://berths", 2));
    assert!(watched.last_update_ms.unwrap() >= watched.since_ms);
    host.unsubscribe(id, "harbour://berths", Follower::Person).await.unwrap();
    host.unsubscribe(id, "harbour://berths", Follower::Person).await.unwrap();
    assert_eq!(harbour.seen("resources/unsubscribe").await, 1);
    assert!(host.subscriptions(id).unwrap().is_empty());
    host.shutdown().await;
}

#[tokio::test]
async fn a_subscription_that_the_server_refuses_is_none() {
    let harbour = ScriptedWindow::with(|script| {
        script.insert("resources/subscribe".to_owned(), json!([offers::error_line(-32000, "not that one")]));
    })
    .await;
    let error = harbour.host.subscribe(harbour.id, "harbour://berths", Follower::Person).await.unwrap_err();
    assert!(matches!(&error, HostError::Request(error) if error.message == "not that one"), "{error}");
    assert!(harbour.host.subscriptions(harbour.id).unwrap().is_empty());
    harbour.host.shutdown().await;
}

// Requirements: SUB-10, SUB-11, STD-13.
#[tokio::test]
async fn a_new_connection_asks_for_the_subscriptions_of_the_lost_one() {
    let harbour = ScriptedWindow::open().await;
    let (host, id) = (&harbour.host, harbour.id);
    host.subscribe(id, "harbour://berths", Follower::Person).await.unwrap();
    let mut events = host.events();
    let pid = host.server(id).unwrap().connection.pid;
    let crashed = host.call_tool(id, call("crash", &json!({})), ignore_events()).await.unwrap();
    assert_eq!(crashed.status, CallStatus::Failed);
    // Changes in the meantime are unknown, so front ends must read the resource again.
    let uri = "harbour://berths".into();
    until_event(&mut events, &HostEvent::ResourceUpdated { id, instance: 0, uri }).await;
    assert_ne!(host.server(id).unwrap().connection.pid, pid);
    assert_eq!(harbour.seen("resources/subscribe").await, 1);
    harbour.notify("notifications/resources/updated", &json!({"uri": "harbour://berths"})).await;
    let counted = async {
        while host.subscriptions(id).unwrap()[0].updates == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LIMIT, counted).await.unwrap();
    assert!(harbour.file.exists());
    host.shutdown().await;
}
