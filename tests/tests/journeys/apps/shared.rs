//! Several apps use one server, in every combination of eras. Each app only gets its own messages.

use mooring_base::server_id::ServerId;
use mooring_policy::PinState;
use mooring_roots::RootBreadth;
use mooring_server_state::StateName;
use serde_json::{Value, json};

use super::driven::{AppStart, DrivenApp, SESSION, STATELESS, Sdk, folder_of, said};
use super::{Served, approve};
use crate::command_line::script;
use crate::window::{stdio, until_state};

const TIDE: &str = "shared://tide";

/// A server with two apps, each of any era.
struct Scene {
    served: Served,
    server: ServerId,
    apps: [DrivenApp; 2],
}

const NAMES: [&str; 2] = ["one", "two"];

impl Scene {
    /// Starts the server in `server_era`, and the apps.
    async fn open(server_era: &str, fronts: [Front; 2]) -> Self {
        let served = Served::empty().await;
        let server = served.add(stdio("shared", "node", &[&script("shared.mjs"), server_era])).await;
        let url = served.open_http().await;
        let open = async |app: usize| {
            let (name, Front(revision, by)) = (NAMES[app], fronts[app]);
            let start = AppStart {
                home: served.home.path(),
                name,
                server: Some("shared"),
                revision,
                sdk: Sdk::TypeScript,
            };
            match by {
                Reach::Bridge => start.open(&served.host.create_app_key(name).await.unwrap().to_text()).await,
                Reach::Http => start.open_http(&url, served.host.create_app_token(name).await.unwrap()).await,
            }
        };
        let apps = [open(0).await, open(1).await];
        Self { served, server, apps }
    }

    async fn close(self) {
        for app in self.apps {
            app.close().await;
        }
        self.served.close().await;
    }
}

/// How an app connects to the gateway.
#[derive(Debug, Clone, Copy)]
enum Reach {
    Bridge,
    Http,
}

/// An app's protocol version, and how it connects to the gateway.
#[derive(Debug, Clone, Copy)]
struct Front(&'static str, Reach);

const SESSION_BRIDGE: Front = Front(SESSION, Reach::Bridge);
const SESSION_HTTP: Front = Front(SESSION, Reach::Http);
const STATELESS_BRIDGE: Front = Front(STATELESS, Reach::Bridge);
const STATELESS_HTTP: Front = Front(STATELESS, Reach::Http);

/// Combinations of the server's era and the apps' eras and transports.
const ERAS: [(&str, [Front; 2]); 4] = [
    ("session", [SESSION_BRIDGE, STATELESS_HTTP]),
    ("stateless", [SESSION_HTTP, STATELESS_BRIDGE]),
    ("session", [STATELESS_HTTP, STATELESS_BRIDGE]),
    ("stateless", [SESSION_HTTP, SESSION_BRIDGE]),
];
/// Both eras of the server, each with one app of either era.
const MIXED: [(&str, [Front; 2]); 2] = [ERAS[0], ERAS[1]];

fn is_told(method: &str) -> impl Fn(&Value) -> bool {
    move |message| message["told"] == method
}

const TOOLS_CHANGED: &str = "notifications/tools/list_changed";

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_tool_is_gone_for_apps_until_it_is_approved() {
    for (era, fronts) in MIXED {
        let mut scene = Scene::open(era, fronts).await;
        for app in &mut scene.apps {
            assert!(app.tools().await.contains(&"tide".to_owned()), "{era}");
        }
        scene.apps[0].call("change", json!({})).await;
        for app in &mut scene.apps {
            app.message(is_told(TOOLS_CHANGED)).await;
            assert!(!app.tools().await.contains(&"tide".to_owned()), "{era}: it is listed");
            // A model may still know the tool, so the error says why it is gone.
            let refused = app.call("tide", json!({})).await;
            assert_eq!(refused["isError"], true, "{era}: {refused}");
            assert!(said(&refused).contains("changed: tide"), "{era}: {refused}");
            assert!(said(&refused).contains("Review the change"), "{era}: {refused}");
            // Other tools still work.
            assert_eq!(said(&app.call("release", json!({"name": "nothing"})).await), "nothing");
        }
        let items = scene.served.host.trust(scene.server).await.unwrap().items;
        assert!(items.iter().any(|item| item.name == "tide" && item.state == PinState::Changed), "{items:?}");
        approve(&scene.served.host, scene.server).await;
        for app in &mut scene.apps {
            app.message(is_told(TOOLS_CHANGED)).await;
            assert!(app.tools().await.contains(&"tide".to_owned()), "{era}");
            assert_eq!(said(&app.call("tide", json!({})).await), "the tide is 2");
        }
        scene.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn apps_at_once_tell_only_their_own_folders() {
    for fronts in
        [[SESSION_BRIDGE, STATELESS_HTTP], [SESSION_HTTP, SESSION_BRIDGE], [STATELESS_BRIDGE, STATELESS_HTTP]]
    {
        let mut scene = Scene::open("stateless", fronts).await;
        let mut numbers = Vec::new();
        for app in &mut scene.apps {
            numbers.push(app.begin_call("folders", json!({})).await);
        }
        for (app, (name, number)) in scene.apps.iter_mut().zip(NAMES.into_iter().zip(numbers)) {
            let told = app.end(number).await.unwrap();
            assert_eq!(said(&told), folder_of(name), "{fronts:?}");
            assert_eq!(app.left(|message| message["asked"] == "roots/list").len(), 1, "{fronts:?}");
        }
        scene.close().await;
    }
    // All apps have one session of a session server: it gets the folders shared in Mooring, and no app is
    // asked.
    let mut scene = Scene::open("session", [SESSION_HTTP, STATELESS_BRIDGE]).await;
    let shared = scene.served.home.path().join("charts");
    std::fs::create_dir(&shared).unwrap();
    let host = &scene.served.host;
    host.folders()
        .grant(Some(scene.server), shared.to_str().unwrap(), None, RootBreadth::Narrow)
        .await
        .unwrap();
    until_state(host, scene.server, StateName::Ready).await;
    for app in &mut scene.apps {
        assert_eq!(said(&app.call("folders", json!({})).await), format!("file://{}", shared.display()));
        assert!(app.left(|message| message["asked"] == "roots/list").is_empty());
    }
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_followed_resource_is_told_of_until_the_last_app_leaves() {
    for (era, fronts) in ERAS {
        let mut scene = Scene::open(era, fronts).await;
        for app in &mut scene.apps {
            app.run("follow", json!({"uri": TIDE})).await;
        }
        let [one, two] = &mut scene.apps;
        one.call("rise", json!({})).await;
        for app in [&mut *one, &mut *two] {
            assert_eq!(app.message(is_told("updated")).await["uri"], TIDE, "{era}");
        }
        // An app that unsubscribes gets no more updates, but the other one does.
        one.run("unfollow", json!({"uri": TIDE})).await;
        for _ in 0..2 {
            one.call("rise", json!({})).await;
            two.message(is_told("updated")).await;
        }
        assert!(one.left(is_told("updated")).is_empty(), "{era} {fronts:?}");
        assert_eq!(followed(one).await, json!([TIDE]), "{era} {fronts:?}");
        // The last app ends the subscription at the server, even by exiting.
        let [one, two] = scene.apps;
        two.close().await;
        let mut one = one;
        while followed(&mut one).await != json!([]) {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        one.close().await;
        scene.served.close().await;
    }
}

/// The subscriptions that the server reports.
async fn followed(app: &mut DrivenApp) -> Value {
    seen(app).await["followed"].clone()
}

async fn seen(app: &mut DrivenApp) -> Value {
    serde_json::from_str(said(&app.call("seen", json!({})).await)).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_and_cancellation_reach_only_their_own_app() {
    for (era, fronts) in ERAS {
        let mut scene = Scene::open(era, fronts).await;
        // Both apps have done the same so far, so their requests and progress tokens have the same numbers.
        let mut numbers = Vec::new();
        for (app, name) in scene.apps.iter_mut().zip(NAMES) {
            numbers.push(app.begin_call("work", json!({"name": name})).await);
        }
        assert_eq!(numbers[0], numbers[1]);
        let step = |message: &Value| message["progress"].is_number();
        for (app, name) in scene.apps.iter_mut().zip(NAMES) {
            let first = app.message(step).await;
            assert_eq!((&first["message"], &first["of"]), (&json!(format!("{name} 1")), &json!(numbers[0])));
        }
        let [one, two] = &mut scene.apps;
        one.run("cancel", json!({"of": numbers[0]})).await;
        one.end(numbers[0]).await.unwrap_err();
        while seen(one).await["givenUp"] != json!(["one"]) {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        // This SDK's client loses a progress step that arrives in one read with the result, so the step comes
        // first.
        one.call("release", json!({"name": "two"})).await;
        assert_eq!(two.message(step).await["message"], "two 2", "{era} {fronts:?}");
        one.call("release", json!({"name": "two"})).await;
        assert_eq!(said(&two.end(numbers[1]).await.unwrap()), "two is done", "{era} {fronts:?}");
        for app in [one, two] {
            assert!(app.left(step).is_empty(), "{era} {fronts:?}: {:?}", app.left(step));
        }
        scene.close().await;
    }
}
