//! Saves servers, uses them by name and removes them, and reads their log.

use serde_json::json;

use crate::command_line::{CommandLineUser, demo, first_text};

#[test]
fn a_saved_server_is_listed_called_by_name_and_removed() {
    let (person, demo) = (CommandLineUser::new(), demo());
    person.run_ok(&["add", "harbour", "--json", "--", &demo]);
    let listed = person.run_ok(&["list", "--json"]);
    assert_eq!(listed["result"].as_array().unwrap().len(), 1, "{listed}");
    assert_eq!(listed["result"][0]["name"], "harbour");
    let result = person.call("add", json!({"a": 2, "b": 40}), &["--server", "harbour"]);
    assert_eq!(first_text(&result), "42");
    person.run_ok(&["remove", "harbour", "--json"]);
    assert_eq!(person.run_ok(&["list", "--json"])["result"], json!([]));
    let gone = person.run(&["tools", "--json", "--server", "harbour"]);
    assert_eq!((gone.code, &gone.json["error"]["kind"]), (2, &json!("server_not_found")), "{gone}");
}

#[test]
fn log_holds_the_call_its_verdict_and_server_stderr() {
    let (person, demo) = (CommandLineUser::new(), demo());
    person.run_ok(&["add", "harbour", "--json", "--", &demo]);
    person.call("echo", json!({"text": "find me in the log"}), &["--server", "harbour"]);
    let logs = person.run_ok(&["logs", "--json"])["result"].clone();
    let rows = logs.as_array().unwrap();
    let has = |what: &str| rows.iter().any(|row| row.to_string().contains(what));
    for what in ["server/discover", "tools/call", "verdict", "stderr", "listening on standard input"] {
        assert!(has(what), "{what} is not in the log: {logs:#}");
    }
}

#[test]
fn two_commands_use_one_data_folder_at_the_same_time() {
    let (person, demo) = (CommandLineUser::new(), demo());
    person.run_ok(&["add", "harbour", "--json", "--", &demo]);
    std::thread::scope(|scope| {
        let calls = (0..4).map(|number| {
            let person = &person;
            scope.spawn(move || {
                let arguments = json!({"text": format!("call {number}")});
                let result = person.call("echo", arguments, &["--server", "harbour"]);
                assert_eq!(first_text(&result), format!("call {number}"));
            })
        });
        for call in calls.collect::<Vec<_>>() {
            call.join().unwrap();
        }
    });
}
