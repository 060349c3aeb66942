//! What is lost when a server dies, and what is restored on the next connection.

use std::path::PathBuf;

use mooring_base::server_id::ServerId;
use mooring_calls::{CallStatus, Follower};
use mooring_definitions::NewServer;
use mooring_host::Host;
use mooring_log::{Direction, LogKind};
use mooring_models::SamplingPolicy;
use mooring_server_state::{HostEvent, StartStep, StateName};
use mooring_testkit::http::{HttpReply, HttpScript, HttpServer, serve};
use mooring_testkit::{answers, offers};
use serde_json::{Value, json};

use crate::journal::{body, rows};
use crate::offers::until_event;
use crate::support::{LIMIT, call, http, ignore_events, scripted, until, until_state, window};

/// A saved server of either era in a supervising window.
struct SavedServer {
    host: Host,
    id: ServerId,
    _home: tempfile::TempDir,
}

impl SavedServer {
    async fn of(server: impl FnOnce(PathBuf) -> NewServer) -> Self {
        let home = tempfile::tempdir().unwrap();
        let server = server(home.path().join("script.json"));
        let host = window(home.path()).await;
        let id = host.add_server(server).await.unwrap().id;
        until_state(&host, id, StateName::Ready).await;
        Self { host, id, _home: home }
    }

    async fn of_a_session() -> Self {
        Self::of(|_| scripted("s", &["ok"])).await
    }

    /// A server of the stateless era that notifies of changes of its tools and one resource.
    async fn stateless() -> Self {
        Self::of(|file| {
            let mut script = offers::script();
            let discovered = json!({
                "resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0, "cacheScope": "private",
                "capabilities": {"tools": {"listChanged": true}, "resources": {"subscribe": true}},
            });
            let acknowledged = r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":$ID},"notifications":{"toolsListChanged":true,"resourceSubscriptions":["harbour://berths"]}}}"#;
            script.insert("server/discover".to_owned(), json!([offers::response_line(&discovered)]));
            script.insert("subscriptions/listen".to_owned(), json!([acknowledged]));
            // It supports no sessions, because the person's calls would otherwise use one.
            let refused = r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32601,"message":"Method not found"}}"#;
            script.insert("initialize".to_owned(), json!([refused]));
            std::fs::write(&file, serde_json::to_vec(&script).unwrap()).unwrap();
            scripted("s", &["script", file.to_str().unwrap()])
        })
        .await
    }

    /// Makes the server die during a call, and waits for the next connection.
    async fn die(&self) {
        let pid = self.host.server(self.id).unwrap().connection.pid;
        let outcome = self.host.call_tool(self.id, call("crash", &json!({})), ignore_events()).await.unwrap();
        assert_eq!((outcome.status, outcome.error.unwrap().code.as_str()), (CallStatus::Failed, "closed"));
        until(&self.host, self.id, "there again", |view| {
            view.connection.state == StateName::Ready && view.connection.pid != pid
        })
        .await;
    }

    /// The parameters of every sent request of a method, oldest first.
    async fn sent(&self, method: &str) -> Vec<Value> {
        let mut sent = Vec::new();
        for row in rows(&self.host).await {
            let is_request = (row.kind, row.direction) == (LogKind::Frame, Direction::Out);
            if is_request && row.method.as_deref() == Some(method) {
                let message: Value = serde_json::from_str(&body(&self.host, &row).await).unwrap();
                sent.push(message["params"].clone());
            }
        }
        sent
    }
}

// Requirements: STD-11, STD-12.
#[tokio::test]
async fn a_call_that_died_with_its_server_is_not_made_again_by_itself() {
    for (berth, era) in
        [(SavedServer::of_a_session().await, "session"), (SavedServer::stateless().await, "modern")]
    {
        let (host, id) = (&berth.host, berth.id);
        assert_eq!(host.server(id).unwrap().connection.peer.unwrap().era, era);
        berth.die().await;
        let outcome = host.call_tool(id, call("seen", &json!({})), ignore_events()).await.unwrap();
        let seen: Value = serde_json::from_str(outcome.result.unwrap().get()).unwrap();
        let seen: Vec<String> = serde_json::from_str(seen["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(seen.iter().filter(|method| *method == "tools/call").count(), 1, "{seen:?}");
        let tools: Vec<Value> =
            berth.sent("tools/call").await.iter().map(|params| params["name"].clone()).collect();
        assert_eq!(tools, [json!("crash"), json!("seen")]);
        host.shutdown().await;
    }
}

// Requirements: SAMP-01.
#[tokio::test]
async fn sessionless_server_learns_of_sampling_and_keeps_its_calls() {
    let berth = SavedServer::stateless().await;
    let (host, id) = (&berth.host, berth.id);
    let pid = host.server(id).unwrap().connection.pid;
    let declared = async |method: &str| {
        let sent = berth.sent(method).await;
        let capabilities = "/_meta/io.modelcontextprotocol~1clientCapabilities/sampling";
        sent.iter().filter(|params| params.pointer(capabilities).is_some()).count()
    };
    let switching = async {
        while berth.sent("tools/call").await.is_empty() {
            tokio::task::yield_now().await;
        }
        assert_eq!(declared("tools/list").await, 0);
        host.set_sampling(id, SamplingPolicy { enabled: true, ..SamplingPolicy::default() }).await.unwrap();
        while declared("tools/list").await == 0 || declared("resources/list").await == 0 {
            tokio::task::yield_now().await;
        }
    };
    let calling = host.call_tool(id, call("sleep", &json!({ "milliseconds": 3_000 })), ignore_events());
    let (outcome, switched) = tokio::join!(calling, tokio::time::timeout(LIMIT, switching));
    switched.unwrap();
    assert_eq!(outcome.unwrap().status, CallStatus::Ok);
    let connection = host.server(id).unwrap().connection;
    assert_eq!((connection.state, connection.pid), (StateName::Ready, pid));
    host.shutdown().await;
}

// Requirements: STD-13, SUB-11.
#[tokio::test]
async fn listen_stream_is_reopened_with_the_same_filter() {
    let berth = SavedServer::stateless().await;
    let (host, id) = (&berth.host, berth.id);
    host.subscribe(id, "harbour://berths", Follower::Person).await.unwrap();
    let all = json!({"toolsListChanged": true, "resourceSubscriptions": ["harbour://berths"]});
    let asked_for_all = async |times: usize| {
        let look = async {
            loop {
                let filters: Vec<Value> = berth
                    .sent("subscriptions/listen")
                    .await
                    .iter()
                    .map(|params| params["notifications"].clone())
                    .collect();
                if filters.iter().filter(|filter| **filter == all).count() >= times {
                    return filters;
                }
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(LIMIT, look).await.unwrap()
    };
    let before = asked_for_all(1).await;
    berth.die().await;
    let after = asked_for_all(2).await;
    assert_eq!((after.last(), after.len() > before.len()), (Some(&all), true), "{after:?}");
    assert_eq!(host.subscriptions(id).unwrap().len(), 1);
    // Each request carries its revision and our capabilities, because the server stores nothing.
    for params in berth.sent("subscriptions/listen").await {
        assert_eq!(params["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    }
    host.shutdown().await;
}

/// A server of the session era with change notifications. It replies to subscriptions with these replies in
/// turn, and then accepts them.
async fn telling(first: Vec<HttpReply>) -> HttpServer {
    let mut initialized = answers::initialize(None);
    initialized["capabilities"]["resources"] = json!({"subscribe": true});
    let agreed = HttpReply::Result(json!({}));
    let script = HttpScript::json()
        .on("initialize", HttpReply::Result(initialized))
        .on("resources/list", HttpReply::Result(json!({"resources": []})))
        .on("resources/templates/list", HttpReply::Result(json!({"resourceTemplates": []})))
        .on("resources/subscribe", agreed.clone());
    let script = script.once("resources/subscribe", agreed);
    serve(first.into_iter().fold(script, |script, reply| script.once("resources/subscribe", reply))).await
}

/// Waits until a server received this many subscriptions.
async fn asked(server: &HttpServer, times: usize) {
    let count = || server.methods().iter().filter(|method| *method == "resources/subscribe").count();
    let look = async {
        while count() < times {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LIMIT, look).await.unwrap_or_else(|_| panic!("asked {} times", count()));
}

#[tokio::test]
async fn transient_failure_ends_no_earlier_subscription() {
    let server = telling(vec![HttpReply::status(503, "on my way up"), HttpReply::Hang]).await;
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = host.add_server(http("s", &server.url)).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    host.subscribe(id, "harbour://berths", Follower::Person).await.unwrap();
    asked(&server, 1).await;
    // The subscription of the second connection is refused temporarily and retried. The connection then ends
    // before the reply.
    host.restart(id).await.unwrap();
    asked(&server, 3).await;
    let mut events = host.events();
    host.restart(id).await.unwrap();
    asked(&server, 4).await;
    let told = HostEvent::ResourceUpdated { id, instance: 0, uri: "harbour://berths".into() };
    until_event(&mut events, &told).await;
    let view = until_state(&host, id, StateName::Ready).await;
    assert_eq!(view.connection.peer.unwrap().diagnostics, []);
    let watched = host.subscriptions(id).unwrap();
    assert_eq!(watched.iter().map(|watched| watched.uri.as_str()).collect::<Vec<_>>(), ["harbour://berths"]);
    host.shutdown().await;
}

#[tokio::test]
async fn rejected_resubscription_is_not_retried() {
    let no = HttpReply::Error { code: -32602, message: "no such berth".to_owned() };
    let server = telling(vec![no]).await;
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = host.add_server(http("s", &server.url)).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    host.subscribe(id, "harbour://berths", Follower::Person).await.unwrap();
    host.restart(id).await.unwrap();
    let view = until(&host, id, "told that it is over", |view| {
        view.connection.peer.as_ref().is_some_and(|peer| !peer.diagnostics.is_empty())
    })
    .await;
    let [odd] = &view.connection.peer.unwrap().diagnostics[..] else { panic!("not one oddity") };
    assert_eq!(odd.path, "harbour://berths");
    assert_eq!(
        odd.message.to_string(),
        "gets no more change notifications: the server answered with error -32602"
    );
    assert!(host.subscriptions(id).unwrap().is_empty());
    host.shutdown().await;
}

// Requirements: BASE-30.
#[tokio::test]
async fn one_process_serves_all_who_call_it_and_outlives_each_of_them() {
    let berth = SavedServer::of_a_session().await;
    let (host, id) = (&berth.host, berth.id);
    let pid = host.server(id).unwrap().connection.pid;
    let echo = async |words: &str| {
        let outcome =
            host.call_tool(id, call("echo", &json!({"text": words})), ignore_events()).await.unwrap();
        let result: Value = serde_json::from_str(outcome.result.unwrap().get()).unwrap();
        result["content"][0]["text"].as_str().unwrap().to_owned()
    };
    let waiting = host.call_tool(id, call("never", &json!({})), ignore_events());
    tokio::select! {
        outcome = waiting => panic!("{outcome:?}"),
        // Answered while the other caller waits, who then leaves.
        words = echo("meanwhile") => assert_eq!(words, "meanwhile"),
    }
    assert_eq!(echo("after").await, "after");
    let view = host.server(id).unwrap().connection;
    assert_eq!((view.state, view.pid), (StateName::Ready, pid));
    host.shutdown().await;
}

// Requirements: CANC-09.
#[tokio::test]
async fn that_a_call_was_given_up_is_in_the_log_with_its_reason() {
    let berth = SavedServer::of_a_session().await;
    let waiting = berth.host.call_tool(berth.id, call("never", &json!({})), ignore_events());
    let sent = async {
        while berth.sent("tools/call").await.is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        outcome = waiting => panic!("{outcome:?}"),
        sent = tokio::time::timeout(LIMIT, sent) => sent.unwrap(),
    }
    let look = async {
        loop {
            if let [told] = &berth.sent("notifications/cancelled").await[..] {
                return told["reason"].clone();
            }
            tokio::task::yield_now().await;
        }
    };
    let reason = tokio::time::timeout(LIMIT, look).await.unwrap();
    assert_eq!(reason, "the caller no longer waits");
    berth.host.shutdown().await;
}

/// The states that a server shows from the start of an action that restarts it until it is ready again,
/// without repetitions.
async fn shown_during(
    saved: &SavedServer,
    work: impl Future<Output = ()>,
) -> Vec<(StateName, Option<StartStep>)> {
    let view = || saved.host.server(saved.id).unwrap().connection;
    let before = (view().state, view().start_step);
    let pid = view().pid;
    let watching = async {
        let mut seen = Vec::new();
        loop {
            let now = (view().state, view().start_step);
            if seen.last().unwrap_or(&before) != &now {
                seen.push(now);
            }
            if now == (StateName::Ready, None) && view().pid != pid {
                return seen;
            }
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(LIMIT, async { tokio::join!(watching, work).0 }).await.unwrap()
}

#[tokio::test]
async fn what_starts_a_server_anew_never_looks_stopped() {
    let saved = SavedServer::of_a_session().await;
    let (host, id) = (&saved.host, saved.id);
    let restarted = [(StateName::Starting, Some(StartStep::Restarting)), (StateName::Ready, None)];
    let seen = shown_during(&saved, async {
        host.restart(id).await.unwrap();
    })
    .await;
    assert_eq!(seen, restarted, "restarted");
    let allowed = SamplingPolicy { enabled: true, ..SamplingPolicy::default() };
    let seen = shown_during(&saved, async { host.set_sampling(id, allowed).await.unwrap() }).await;
    assert_eq!(seen, restarted, "models switched on");
    let env = [("BERTH".to_owned(), "7".to_owned())].into();
    let other = NewServer { env, ..scripted("s", &["ok"]) };
    let seen = shown_during(&saved, async { drop(host.update_server(id, other).await.unwrap()) }).await;
    assert_eq!(seen, restarted, "settings saved");
    // Stopping a server during its restart stops it.
    host.restart(id).await.unwrap();
    host.stop(id).await.unwrap();
    let view = host.server(id).unwrap().connection;
    assert_eq!((view.state, view.start_step), (StateName::Stopped, None));
    saved.host.shutdown().await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_package_that_is_fetched_first_is_told_until_it_is_there() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let go = home.path().join("go");
    let server = mooring_testkit::scripted_server_path();
    let script = format!(
        "echo 'Downloading numpy (16.0MiB)' >&2; until [ -e {go} ]; do sleep 0.02; done; \
         echo 'Installed 3 packages in 2ms' >&2; until [ -e {go}.on ]; do sleep 0.02; done; exec {server} ok",
        go = go.display(),
        server = server.display()
    );
    let server = NewServer {
        command: Some("sh".to_owned()),
        args: vec!["-c".to_owned(), script],
        ..scripted("s", &[])
    };
    let id = host.add_server(server).await.unwrap().id;
    let step =
        async |wanted| until(&host, id, "step", move |view| view.connection.start_step == wanted).await;
    step(Some(StartStep::Downloading)).await;
    std::fs::write(&go, "").unwrap();
    step(None).await;
    assert_eq!(host.server(id).unwrap().connection.state, StateName::Starting);
    std::fs::write(go.with_extension("on"), "").unwrap();
    until_state(&host, id, StateName::Ready).await;
    host.shutdown().await;
}
