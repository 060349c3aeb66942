//! A full or read-only disk, for real: the data folder is on a small file system in its own mount namespace.

use mooring_testkit::scripted_server_path;
use serde_json::Value;

use crate::support::{CommandOutput, TestHome};

/// Mounts the small file system on the home; `full` fills it completely. The rest of the script is the
/// test's.
const DISK: &str = "mount -t tmpfs -o size=2m,mode=0700 mooring \"$MOORING_HOME\" || exit 97
full() { head -c 3M /dev/zero > \"$MOORING_HOME/filler\" 2>/dev/null; true; }
";

/// Runs a shell script with the home on a small disk; `$MOORING` is the command under test.
fn on_a_small_disk(place: &TestHome, script: &str) -> CommandOutput {
    std::fs::create_dir_all(place.home()).unwrap();
    #[expect(clippy::disallowed_methods, reason = "the command under test is a process")]
    let mut command = std::process::Command::new("unshare");
    command.arg("--mount");
    if !rustix::process::geteuid().is_root() {
        command.arg("--map-root-user");
    }
    command.args(["sh", "-c"]).arg(format!("{DISK}{script}")).current_dir(place.folder());
    command.env("MOORING_HOME", place.home()).env("MOORING", env!("CARGO_BIN_EXE_mooring"));
    command.env_remove("RUST_LOG").stdin(std::process::Stdio::null());
    let output = command.output().unwrap_or_else(|error| panic!("util-linux's unshare is needed: {error}"));
    let ran = CommandOutput::from(output);
    let refused = ran.exit == 97 || ran.err.starts_with("unshare:");
    assert!(!refused, "this machine permits no private mounts, which this test needs: {}", ran.err);
    ran
}

/// The JSON objects that the script's commands printed, in order.
fn objects(ran: &CommandOutput) -> Vec<Value> {
    ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn full_disk_at_start_is_reported_with_folder_and_next_step() {
    let place = TestHome::new();
    let once = "$MOORING list --json; echo $?";
    let ran =
        on_a_small_disk(&place, &format!("full\n{once}\nrm \"$MOORING_HOME/filler\"\n{once}\nfull\n{once}"));
    let [new, refused, opened, fine, old, refused_too] = objects(&ran).try_into().unwrap();
    for (json, exit) in [(new, refused), (old, refused_too)] {
        assert_eq!((&json["error"]["kind"], exit), (&"disk_full".into(), 3.into()), "{ran:?}");
        let message = json["error"]["message"].as_str().unwrap();
        assert!(message.contains(place.home().to_str().unwrap()), "{message}");
        assert_eq!(json["error"]["next"], "Free up disk space.");
    }
    assert_eq!((&opened["ok"], fine), (&true.into(), 0.into()), "{ran:?}");
}

#[test]
fn disk_filling_up_during_a_call_loses_the_log_not_the_answer() {
    let place = TestHome::new();
    let server = scripted_server_path().display().to_string();
    // The server fills the disk before it answers.
    let home = place.home().display().to_string();
    let filling = format!("head -c 3M /dev/zero > {home}/filler 2>/dev/null; exec {server} ok");
    let call = |text: &str, server: &str| {
        format!("$MOORING call echo '{{\"text\":\"{text}\"}}' --json -- sh -c '{server}'; echo $?")
    };
    let ran = on_a_small_disk(
        &place,
        &[
            &call("before", &format!("exec {server} ok")),
            &call("during", &filling),
            "rm \"$MOORING_HOME/filler\"",
            &call("after", &format!("exec {server} ok")),
            "$MOORING logs --json --limit 1000",
        ]
        .join("\n"),
    );
    let [before, _, during, _, after, _, logs] = objects(&ran).try_into().unwrap();
    for (json, text) in [(&before, "before"), (&during, "during"), (&after, "after")] {
        assert_eq!(
            (&json["ok"], &json["result"]["content"][0]["text"]),
            (&true.into(), &text.into()),
            "{ran:?}"
        );
    }
    assert!(ran.out.lines().filter(|line| *line == "0").count() == 3, "{ran:?}");
    let told: Vec<&str> = ran.err.lines().filter(|line| line.contains("missing from the log")).collect();
    let [told] = told.try_into().unwrap();
    assert!(
        told.starts_with("remark: ") && told.ends_with(" events are missing from the log: the disk is full"),
        "{told}"
    );
    // The earlier rows are still there, and all rows of the next call.
    let rows = logs["result"].as_array().unwrap();
    let calls: Vec<&str> = rows
        .iter()
        .filter(|row| row["direction"] == "out" && row["method"] == "tools/call")
        .filter_map(|row| {
            ["before", "during", "after"]
                .into_iter()
                .find(|text| row["body"].as_str().unwrap().contains(text))
        })
        .collect();
    assert_eq!(calls, ["before", "after"], "{rows:?}");
    assert_eq!(rows.iter().filter(|row| row["kind"] == "verdict").count(), 2, "{rows:?}");
}

#[test]
fn a_data_folder_that_becomes_read_only_is_named_and_keeps_all() {
    let place = TestHome::new();
    let list = "$MOORING list --json; echo $?";
    let ran = on_a_small_disk(
        &place,
        &[
            "$MOORING add kept --json -- true",
            "mount -o remount,ro \"$MOORING_HOME\" || exit 97",
            list,
            "mount -o remount,rw \"$MOORING_HOME\" || exit 97",
            list,
        ]
        .join("\n"),
    );
    let [added, refused, exit, listed, fine] = objects(&ran).try_into().unwrap();
    assert_eq!(added["ok"], true, "{ran:?}");
    assert_eq!((&refused["error"]["kind"], exit), (&"read_only".into(), 3.into()), "{ran:?}");
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains(place.home().to_str().unwrap()), "{message}");
    assert!(refused["error"]["next"].is_string(), "{refused}");
    assert_eq!((&listed["result"][0]["name"], fine), (&"kept".into(), 0.into()), "{ran:?}");
}

/// An app at its bridge, on a disk that fills up meanwhile. It prints the answer to each of its calls.
const APP: &str = r#"
import json, os, subprocess

HOME = os.environ["MOORING_HOME"]
bridge = subprocess.Popen([os.environ["MOORING"], "bridge", "--app", "claude-code", "--server", "s"],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

def ask(id, method, params):
    message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
    print(json.dumps(message), file=bridge.stdin, flush=True)
    for line in bridge.stdout:
        answer = json.loads(line)
        if answer.get("id") == id:
            return answer

def call(id, text):
    print(json.dumps(ask(id, "tools/call", {"name": "echo", "arguments": {"text": text}})), flush=True)

def fill():
    with open(HOME + "/filler", "wb", buffering=0) as filler:
        for size in [1 << 16, 1]:
            try:
                while True:
                    filler.write(b"x" * size)
            except OSError:
                pass

ask(0, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}})
call(1, "before")
fill()
# More than is left of a block that was begun before.
call(2, "during " * 2000)
call(3, "during " * 2000)
os.remove(HOME + "/filler")
call(4, "after")
bridge.stdin.close()
bridge.wait()
"#;

#[tokio::test]
async fn an_app_gets_its_answers_while_the_disk_is_full() {
    let (saved, place) = (TestHome::new(), TestHome::new());
    saved.run(&["add", "s", "--", &scripted_server_path().display().to_string(), "ok"]).ok();
    saved.approve("s").await;
    let key = saved.app_key("claude-code");
    let app = place.folder().join("app.py");
    std::fs::write(&app, APP).unwrap();
    let script = format!(
        "mount -o remount,size=8m \"$MOORING_HOME\" || exit 97
        cp -a {}/. \"$MOORING_HOME\"
        $MOORING serve 2> serve & serving=$!
        MOORING_APP_KEY={key} python3 {}
        kill $serving; wait $serving; cat serve >&2
        $MOORING logs --json --limit 1000",
        saved.home().display(),
        app.display()
    );
    let ran = tokio::task::spawn_blocking(move || on_a_small_disk(&place, &script)).await.unwrap();
    let [before, during, still, after, logs] = objects(&ran).try_into().unwrap();
    let long = "during ".repeat(2_000);
    let long = long.as_str();
    for (answer, text) in [(&before, "before"), (&during, long), (&still, long), (&after, "after")] {
        assert_eq!(answer["result"]["content"][0]["text"], text, "{answer}: {}", ran.err);
    }
    // The earlier rows are still there, and the log says that some are missing.
    let rows = logs["result"].as_array().unwrap();
    let verdict = rows.iter().position(|row| row["kind"] == "verdict").expect("no verdict");
    let is_gap =
        |row: &Value| row["kind"] == "gap" && row["body"].as_str().unwrap().contains("the disk is full");
    assert!(rows[verdict..].iter().any(is_gap), "nothing says what is missing");
}
