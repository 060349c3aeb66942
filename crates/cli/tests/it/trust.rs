//! `mooring trust`: what a server offers is shown, approved as it was shown, and held to.

use mooring_testkit::answers;
use mooring_testkit::http::{HttpReply, HttpScript, HttpServer, serve};
use serde_json::{Value, json};

use crate::support::{CommandOutput, TestHome};

/// A tool whose description is this.
fn tool(name: &str, description: &str) -> Value {
    let mut tool = answers::tool(name);
    tool["description"] = json!(description);
    tool
}

/// A home with the server `s`, which lists these tools, one list after the other.
async fn saved(lists: Vec<Vec<Value>>) -> (TestHome, HttpServer) {
    let mut script = HttpScript::json();
    let last = lists.last().cloned();
    for tools in lists {
        script = script.once("tools/list", HttpReply::Result(json!({ "tools": tools })));
    }
    let server = serve(script.on("tools/list", HttpReply::Result(json!({ "tools": last })))).await;
    let place = TestHome::new();
    run(&place, &["add", "s", "--url", &server.url]).ok();
    (place, server)
}

/// The server answers meanwhile.
fn run(place: &TestHome, words: &[&str]) -> CommandOutput {
    tokio::task::block_in_place(|| place.run(words))
}

/// The tools, and the review state of each.
fn states(trust: &Value) -> Vec<(&str, &str)> {
    let items = trust["result"]["items"].as_array().unwrap().iter();
    let tools = items.filter(|item| item["kind"] == "tool");
    tools.map(|item| (item["name"].as_str().unwrap(), item["state"].as_str().unwrap())).collect()
}

/// What a server offers may depend on what it hears of its client: apps would miss what was never approved.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_approved_is_what_apps_will_see() {
    let (place, server) = saved(vec![vec![tool("echo", "Says it.")]]).await;
    run(&place, &["trust", "s", "--approve", "--yes"]).ok();
    let requests = server.requests();
    let begun = requests.iter().find(|sent| sent.rpc_method == "initialize").unwrap();
    let begun: Value = serde_json::from_slice(begun.body.as_ref()).unwrap();
    let declared = &begun["params"]["capabilities"];
    assert_eq!(declared["roots"], json!({"listChanged": true}), "{declared}");
    assert_eq!(declared["elicitation"], json!({"form": {}, "url": {}}), "{declared}");
}

#[tokio::test(flavor = "multi_thread")]
async fn items_are_listed_shown_and_approved_as_they_were_shown() {
    let hidden = tool("odd", "Says nothing.\u{200b}");
    let (place, _server) = saved(vec![vec![tool("echo", "Says it.\nTwice."), hidden]]).await;
    let listed = run(&place, &["trust", "s"]).ok().out;
    let row = |text: &str| {
        let is_row = |line: &&str| line.split_whitespace().collect::<Vec<_>>().join(" ") == text;
        assert!(listed.lines().any(|line| is_row(&line)), "{text}: {listed}");
    };
    row("new tool echo Says it.");
    row("new tool odd Says nothing.\\u{200b}");
    let shown = run(&place, &["trust", "s", "odd"]).ok().out;
    assert!(shown.contains("! U+200B at /description") && shown.contains("\"inputSchema\""), "{shown}");
    assert!(!shown.contains("Twice"), "{shown}");
    assert_eq!(run(&place, &["trust", "s", "none", "--json"]).error(), (2, "usage".to_owned()));
    assert_eq!(run(&place, &["trust", "t", "--json"]).error(), (2, "server_not_found".to_owned()));

    // There is no terminal to ask on.
    assert_eq!(run(&place, &["trust", "s", "--approve", "--json"]).error(), (2, "usage".to_owned()));
    let before = run(&place, &["trust", "s", "--json"]).ok().json();
    assert_eq!(states(&before), [("echo", "new"), ("odd", "new")]);
    // What misleads is approved by its name alone.
    let done = run(&place, &["trust", "s", "--approve", "--yes"]).ok();
    assert!(done.out.contains("Twice.") && done.out.contains("Approved 2 items."), "{done:?}");
    assert!(
        done.err.contains(
            "Not approved: odd. Review each, then approve it by name: mooring trust s ITEM --approve"
        ),
        "{done:?}"
    );
    let again = run(&place, &["trust", "s", "--approve", "--yes"]).ok().out;
    assert_eq!(again, "Nothing new to approve.\n");
    let named = run(&place, &["trust", "s", "odd", "--approve", "--yes", "--json"]).ok().json();
    assert_eq!(named["result"]["approved"], json!([{"kind": "tool", "name": "odd"}]));
    assert_eq!(states(&named), [("echo", "approved"), ("odd", "approved")]);
    let again = run(&place, &["trust", "s", "odd", "--approve", "--yes"]).ok().out;
    assert_eq!(again, "Already approved.\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_shown_by_its_words_and_approved_by_name_alone() {
    let (before, after) = (vec![tool("echo", "Says it.")], vec![tool("echo", "Says it secretly.")]);
    let (place, server) = saved(vec![before, after]).await;
    run(&place, &["trust", "s", "--approve", "--yes"]).ok();
    let shown = run(&place, &["trust", "s", "echo"]).ok().out;
    assert!(shown.starts_with("tool echo (changed)\n  changed: /description\n"), "{shown}");
    assert!(shown.contains("\n    - Says it.\n    + Says it secretly.\n"), "{shown}");
    let none = run(&place, &["trust", "s", "--approve", "--yes"]).ok();
    assert_eq!(none.out, "Nothing new to approve.\n");
    assert!(none.err.contains("Not approved: echo."), "{none:?}");
    let call = ["call", "echo", r#"{"text":"x"}"#, "--server", "s", "--json"];
    assert_eq!(run(&place, &call).error(), (7, "definition_changed".to_owned()));

    // A server that is gone is shown as it was seen last, and can be approved so.
    drop(server);
    let gone = run(&place, &["trust", "s", "echo", "--approve", "--yes"]).ok();
    assert!(gone.err.contains("What was seen last is shown."), "{gone:?}");
    assert!(gone.out.ends_with("Approved 1 item.\n"), "{gone:?}");
    assert_eq!(states(&run(&place, &["trust", "s", "--json"]).ok().json()), [("echo", "approved")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_several_things_have_approves_none_of_them() {
    let (place, _server) = saved(vec![vec![tool("server", "Says it."), tool("echo", "Says it.")]]).await;
    let refused = run(&place, &["trust", "s", "server", "--approve", "--yes"]);
    assert_eq!(refused.exit, 2, "{refused:?}");
    assert!(refused.err.contains("Name one of them: server:, tool:server"), "{refused:?}");
    let done = run(&place, &["trust", "s", "tool:server", "--approve", "--yes", "--json"]).ok().json();
    assert_eq!(done["result"]["approved"], json!([{"kind": "tool", "name": "server"}]));
    assert_eq!(states(&done), [("echo", "new"), ("server", "approved")]);
}
