//! Servers that offer the same URIs: every URI leads to the server that the app received it from.

use std::path::Path;
use std::time::Duration;

use mooring_base::server_id::ServerId;
use mooring_host::Host;
use mooring_mcp::DiagnosticCode;
use mooring_server_state::StateName;
use mooring_testkit::addresses;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::support::{App, LIMIT, Scene, options};

/// One account. It lists the URIs in its file.
const ACCOUNT: &str = include_str!("../../../../tests/servers/peers/account.py");

fn file_of(scene: &Scene, name: &str) -> String {
    scene.home.path().join(format!("{name}.txt")).to_str().unwrap().to_owned()
}

/// Sets the URIs that an account lists.
fn lists(scene: &Scene, name: &str, uris: &str) {
    std::fs::write(file_of(scene, name), uris).unwrap();
}

async fn add(scene: &Scene, name: &str, uris: &str) -> ServerId {
    lists(scene, name, uris);
    let file = file_of(scene, name);
    let args = ["-u", "-c", ACCOUNT, name, &file];
    let id = scene.add_program(name, Path::new("python3"), &args).await;
    scene.host.resources(id, false).await.unwrap();
    scene.host.prompts(id, false).await.unwrap();
    scene.approve(id).await;
    id
}

const BOTH: &str = "acct://me ui://acct/page";

/// Two accounts of one server. The one that was added later comes first in the alphabet.
async fn accounts() -> (Scene, ServerId, ServerId) {
    let scene = Scene::open().await;
    scene.allow_all().await;
    let work = add(&scene, "work", BOTH).await;
    let other = add(&scene, "another", BOTH).await;
    (scene, work, other)
}

async fn read(app: &mut App, uri: &str) -> Value {
    app.request(50, "resources/read", json!({"uri": uri})).await
}

/// Reads a URI, which has to belong to this account, and a part of its contents.
async fn leads_to(app: &mut App, uri: &str, name: &str) {
    let answer = read(app, uri).await;
    let contents = &answer["result"]["contents"];
    assert_eq!((&contents[0]["text"], &contents[0]["uri"]), (&json!(name), &json!(uri)), "{uri}: {answer}");
    let part = contents[1]["uri"].as_str().unwrap().to_owned();
    let part = read(app, &part).await;
    assert_eq!(part["result"]["contents"][0]["text"], name, "{uri}: {part}");
}

async fn resources(app: &mut App) -> Vec<String> {
    addresses(&app.request(51, "resources/list", json!({})).await["result"])
}

/// Waits until the app's list has these URIs.
async fn until_listed(app: &mut App, uris: &[String]) {
    let listed = async {
        loop {
            let now = resources(app).await;
            if uris.iter().all(|uri| now.contains(uri)) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(LIMIT, listed).await.unwrap();
}

async fn not_found(app: &mut App, uri: &str) {
    let answer = read(app, uri).await;
    assert_eq!(
        (&answer["error"]["code"], &answer["error"]["data"]["uri"]),
        (&json!(-32002), &json!(uri)),
        "{answer}"
    );
}

async fn say(app: &mut App, server: &str, arguments: Value) -> Value {
    let params = json!({"name": format!("{server}__say"), "arguments": arguments});
    app.request(52, "tools/call", params).await["result"]["content"].clone()
}

#[tokio::test]
async fn two_accounts_in_one_entry_are_as_in_two() {
    let (mut scene, work, other) = accounts().await;
    let mut app = scene.initialized("Editor", None).await;
    let listed = resources(&mut app).await;
    assert_eq!(listed.len(), 4, "{listed:?}");
    assert!(listed.contains(&"acct://me".to_owned()) && listed.contains(&"ui://acct/page".to_owned()));
    assert!(listed.contains(&format!("mooring+{}:acct://me", other.0)), "{listed:?}");
    assert!(listed.contains(&format!("ui://mooring+{}/acct/page", other.0)), "{listed:?}");
    let tools = app.request(1, "tools/list", json!({})).await;
    let templates = app.request(2, "resources/templates/list", json!({})).await;
    for (name, id) in [("work", work), ("another", other)] {
        let of_tool = tools["result"]["tools"].as_array().unwrap().iter();
        let of_tool: Vec<_> =
            of_tool.filter(|tool| tool["name"] == format!("{name}__show")).cloned().collect();
        let called =
            app.request(3, "tools/call", json!({"name": format!("{name}__show"), "arguments": {}})).await;
        let filled = app.request(4, "prompts/get", json!({"name": format!("{name}__p")})).await;
        let own = listed.iter().filter(|uri| uri.contains("mooring+") == (name == "another"));
        let all = [json!(of_tool), called["result"].clone(), filled["result"].clone()];
        let all: Vec<String> = all.iter().flat_map(addresses).collect();
        assert_eq!(all.len(), 2 + 6 + 4, "{name}: {all:?}");
        for uri in all.iter().chain(own) {
            leads_to(&mut app, uri, name).await;
        }
        let prefix = if name == "work" { String::new() } else { format!("mooring+{}:", id.0) };
        let template = format!("{prefix}acct://notes/{{id}}");
        assert!(templates.to_string().contains(&format!("\"{template}\"")), "{templates}");
        leads_to(&mut app, &template.replace("{id}", "7"), name).await;
        let reference = json!({"type": "ref/resource", "uri": template});
        let params = json!({"ref": reference, "argument": {"name": "id", "value": ""}});
        let completed = app.request(5, "completion/complete", params).await;
        assert_eq!(completed["result"]["completion"]["values"], json!([name]), "{completed}");
        // A model passes a URI that it received back to the same server.
        let me = format!("{prefix}acct://me");
        let said = say(&mut app, name, json!({"deep": [me]})).await;
        assert!(said[0]["text"].as_str().unwrap().starts_with(r#"[{"deep": ["acct://me"]}"#), "{said}");
        let followed = app.request(6, "resources/subscribe", json!({"uri": me})).await;
        assert_eq!(followed["result"], json!({}), "{followed}");
        app.call(7, &format!("{name}__say"), json!({"updated": ["acct://me"]})).await;
        let updated = app.notification("notifications/resources/updated").await;
        assert_eq!(updated["params"]["uri"], me, "{updated}");
        app.answer(7).await;
    }
    // An app that sees only one server gets the server's own URIs.
    let mut alone = scene.initialized("Editor", Some("another")).await;
    assert_eq!(resources(&mut alone).await, ["acct://me", "ui://acct/page"]);
    leads_to(&mut alone, "acct://me", "another").await;
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_behind_the_answer_to_subscribe_is_told() {
    let (mut scene, ..) = accounts().await;
    let mut app = scene.initialized("Editor", None).await;
    for number in 0..40 {
        let uri = format!("acct://notes/news{number}");
        let params = json!({"uri": uri});
        app.send(&json!({"jsonrpc": "2.0", "id": number, "method": "resources/subscribe", "params": params}))
            .await;
        let (mut is_answered, mut is_told) = (false, false);
        while !is_answered || !is_told {
            let message = app.receive().await;
            is_answered |= message["id"] == number && message["result"].is_object();
            is_told |= message["params"]["uri"] == uri;
        }
    }
    scene.close().await;
}

#[tokio::test]
async fn what_clashes_is_shown_to_the_person() {
    let (mut scene, work, other) = accounts().await;
    let mut app = scene.initialized("Editor", None).await;
    resources(&mut app).await;
    let odd = |host: &Host, id: ServerId| {
        let peer = host.server(id).unwrap().connection.peer.unwrap();
        let odd = peer.diagnostics.into_iter().filter(|odd| odd.code == DiagnosticCode::Address);
        odd.map(|odd| odd.message.to_string()).collect::<Vec<_>>()
    };
    let [shown] = &odd(&scene.host, other)[..] else { panic!("{:?}", odd(&scene.host, other)) };
    let prefixed = format!("mooring+{}:acct://me", other.0);
    assert!(shown.contains("acct://me of “work”;") && shown.ends_with(&prefixed), "{shown}");
    assert!(odd(&scene.host, work).is_empty());
    let rows = scene.log_bodies(&mooring_log::LogQuery { limit: 500, ..Default::default() }).await;
    assert!(rows.iter().any(|row| row.contains(&prefixed) && row.contains("had first")));
    scene.close().await;
}

#[tokio::test]
async fn a_server_that_lists_later_takes_nothing_over() {
    let scene = Scene::open().await;
    scene.allow_all().await;
    let first = add(&scene, "a", "acct://only-a").await;
    add(&scene, "b", "acct://data").await;
    let mut scene = scene;
    let mut app = scene.initialized("Editor", None).await;
    leads_to(&mut app, "acct://data", "b").await;
    lists(&scene, "a", "acct://data");
    say(&mut app, "a", json!({"changed": true})).await;
    let prefixed = format!("mooring+{}:acct://data", first.0);
    let expected = [prefixed.clone(), "acct://data".to_owned()];
    until_listed(&mut app, &expected).await;
    for round in ["now", "after a restart"] {
        leads_to(&mut app, "acct://data", "b").await;
        leads_to(&mut app, &prefixed, "a").await;
        if round == "now" {
            scene.tasks.shutdown().await;
            scene.host.shutdown().await;
            scene.host = Host::open(options(scene.home.path())).await.unwrap();
            scene.listen();
            app = scene.initialized("Editor", None).await;
            until_listed(&mut app, &expected).await;
        }
    }
    scene.close().await;
}

#[tokio::test]
async fn adding_a_server_changes_nothing_that_an_app_has() {
    let mut scene = Scene::open().await;
    scene.allow_all().await;
    add(&scene, "work", BOTH).await;
    let mut app = scene.initialized("Editor", None).await;
    let before = (resources(&mut app).await, app.tools().await);
    let link = say(&mut app, "work", json!({"links": ["acct://report"]})).await[1]["uri"].clone();
    assert_eq!(link, "acct://report");
    let other = add(&scene, "a", &format!("acct://report {BOTH}")).await;
    until_listed(&mut app, &[format!("mooring+{}:acct://report", other.0)]).await;
    let after = (resources(&mut app).await, app.tools().await);
    assert!(
        before.0.iter().all(|uri| after.0.contains(uri))
            && before.1.iter().all(|tool| after.1.contains(tool))
    );
    // A URI that only a result contained stays with the server that sent it.
    assert!(!after.0.contains(&"acct://report".to_owned()), "{after:?}");
    leads_to(&mut app, "acct://report", "work").await;
    leads_to(&mut app, &format!("mooring+{}:acct://report", other.0), "a").await;
    for uri in before.0 {
        leads_to(&mut app, &uri, "work").await;
    }
    scene.close().await;
}

#[tokio::test]
async fn what_nobody_handed_out_reaches_nobody() {
    let (mut scene, work, _) = accounts().await;
    let mut app = scene.initialized("Editor", None).await;
    resources(&mut app).await;
    let secret = "file:///home/me/.ssh/id_rsa?token=abc";
    lists(&scene, "work", "acct://me file:///x");
    say(&mut app, "work", json!({"changed": true})).await;
    until_listed(&mut app, &["file:///x".to_owned()]).await;
    for uri in [secret, "acct://you", "acct://notes/1/2", "ui://other", "acct", "", "mooring+999:acct://me"] {
        not_found(&mut app, uri).await;
    }
    not_found(&mut app, &format!("mooring+{}:{secret}", work.0)).await;
    for server in ["work", "another"] {
        assert_eq!(say(&mut app, server, json!({})).await[0]["text"], "[{}, []]");
    }
    // A URI in a result is only for the app that received the result.
    let brought = say(&mut app, "another", json!({"links": ["acct://new", "mooring+1:acct://me"]})).await;
    let (new, forged) = (brought[1]["uri"].as_str().unwrap(), brought[2]["uri"].as_str().unwrap());
    let mut other = scene.initialized("Other", None).await;
    not_found(&mut other, new).await;
    leads_to(&mut app, new, "another").await;
    leads_to(&mut app, forged, "another").await;
    assert_ne!(forged, "mooring+1:acct://me");
    scene.close().await;
}

#[tokio::test]
async fn instructions_of_a_server_stay_in_its_section() {
    let (mut scene, ..) = accounts().await;
    let mut app = scene.connect("Editor", None);
    let hello = app.request(1, "initialize", crate::support::initialize("2025-11-25")).await;
    let text = hello["result"]["instructions"].as_str().unwrap();
    let is_break = |character: char| matches!(character, '\n' | '\r' | '\u{2028}');
    let heads: Vec<&str> =
        text.split(is_break).filter(|line| !line.is_empty() && !line.starts_with("> ")).collect();
    assert_eq!(heads, ["## another", "## work"], "{text}");
    assert_eq!(
        scene.host.servers().iter().filter(|server| server.connection.state == StateName::Ready).count(),
        2
    );
    scene.close().await;
}
