//! Other apps, in a home folder of their own.

use std::fs;
use std::path::PathBuf;

#[cfg(unix)]
use mooring_testkit::scripted_server_path;

use crate::support::{CommandOutput, TestHome};

const CURSOR: &str = r#"{
  // mine
  "mcpServers": {
    "files": {"command": "files-server", "args": ["--all"]},
  },
}
"#;

struct Person(TestHome);

impl Person {
    fn new() -> (Self, PathBuf) {
        let person = Self(TestHome::new());
        let file = person.0.folder().join(".cursor/mcp.json");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, CURSOR).unwrap();
        (person, file)
    }

    /// Clears the environment, so that no app in the real home folder is found.
    fn run(&self, words: &[&str]) -> CommandOutput {
        let mut command = self.0.command(words);
        let names = std::env::vars_os().map(|(name, _)| name);
        for name in names.filter(|name| !["PATH", "MOORING_HOME"].contains(&&*name.to_string_lossy())) {
            command.env_remove(name);
        }
        command.env("HOME", self.0.folder()).env("MOORING_HOME", self.0.home());
        command.env("MOORING_PASSPHRASE_FILE", self.0.folder().join("passphrase"));
        command.output().unwrap().into()
    }
}

#[test]
fn app_is_connected_with_consent_and_disconnected() {
    let (person, file) = Person::new();
    let listed = person.run(&["apps"]).ok().out;
    assert!(listed.starts_with("cursor") && listed.contains("not connected"), "{listed}");
    // There is no terminal to ask on.
    let refused = person.run(&["connect", "cursor", "--json"]);
    assert_eq!(refused.error(), (2, "usage".to_owned()));
    let dry = person.run(&["connect", "cursor", "--dry-run"]).ok().out;
    assert!(dry.contains('+') && dry.contains("bridge") && dry.contains("Nothing was changed."), "{dry}");
    assert_eq!(fs::read_to_string(&file).unwrap(), CURSOR);

    let done = person.run(&["connect", "cursor", "--yes", "--json"]).ok().json();
    assert_eq!((&done["result"]["done"], &done["result"]["app"]), (&true.into(), &"cursor".into()));
    let text = fs::read_to_string(&file).unwrap();
    // The app doesn't pass on the variable that names the data folder.
    let home = serde_json::to_string(person.0.home().to_str().unwrap()).unwrap();
    let args = format!(r#""--app", "cursor", "--home", {home}"#);
    assert!(text.contains(&args) && text.contains("// mine"), "{text}");
    assert!(person.run(&["connect", "cursor", "--yes"]).ok().out.contains("connected already"));
    let shown = person.run(&["apps", "show", "cursor", "--json"]).ok().json();
    assert_eq!(shown["result"]["state"], "connected");
    assert_eq!(shown["result"]["level"], "app_asks");
    assert!(person.run(&["apps", "show", "cursor"]).ok().out.contains("bridge --app cursor"));

    assert_eq!(person.run(&["disconnect", "cursor", "--json"]).error().0, 2);
    let gone = person.run(&["disconnect", "cursor", "--yes", "--json"]).ok().json();
    assert_eq!(gone["result"]["outcome"], "restored");
    assert_eq!(fs::read_to_string(&file).unwrap(), CURSOR);
    let again = person.run(&["disconnect", "cursor", "--yes", "--json"]);
    assert_eq!(again.error(), (2, "app_not_connected".to_owned()));
    assert_eq!(person.run(&["connect", "nothing", "--json"]).error(), (2, "no_such_app".to_owned()));
}

#[test]
fn servers_of_an_app_are_listed_and_saved() {
    let (person, file) = Person::new();
    for words in [vec!["import", "--json"], vec!["import", "cursor", "--json"]] {
        let listed = person.run(&words).ok().json();
        let found = &listed["result"][0];
        assert_eq!(
            (&found["app"], &found["name"], &found["exists"]),
            (&"cursor".into(), &"files".into(), &false.into())
        );
    }
    assert_eq!(person.run(&["import", "cursor", "none", "--json"]).error().0, 2);
    assert_eq!(person.run(&["import", "cursor", "--all"]).ok().out, "Saved files\n");
    // Only the app has used it until now.
    assert_eq!(person.run(&["list", "--json"]).ok().json()["result"][0]["start"], "on_use");
    assert_eq!(person.run(&["import", "cursor", "--all"]).ok().out, "There is nothing new to save.\n");
    let taken = person.run(&["import", "cursor", "files", "--json"]);
    assert_eq!(taken.error(), (2, "name_taken".to_owned()));
    let other = r#"{"mcpServers": {"files": {"command": "other", "env": {"API_KEY": "${input:key}"}}, "gone": {"command": "x"}}}"#;
    fs::write(&file, other).unwrap();
    let listed = person.run(&["import", "cursor", "--json"]).ok().json();
    let found = &listed["result"][0];
    assert_eq!((&found["exists"], &found["differs"]), (&true.into(), &true.into()), "{listed}");
    assert_eq!(found["missing"], serde_json::json!(["API_KEY"]), "{listed}");
    let taken = person.run(&["import", "cursor", "files"]);
    let way = "mooring import cursor files --as NAME";
    assert!(
        taken.err.contains("another server is saved as files") && taken.err.contains(way),
        "{}",
        taken.err
    );
    assert_eq!(person.run(&["import", "cursor", "files", "gone", "--as", "x", "--json"]).error().0, 2);
    let saved = person.run(&["import", "cursor", "files", "--as", "more", "--start", "with-mooring"]).ok();
    let listed = person.run(&["list", "--json"]).ok().json();
    assert_eq!(listed["result"][1]["start"], "with_mooring", "{listed}");
    assert_eq!(saved.out, "Saved more\n");
    assert!(saved.err.contains("mooring set more --secret-env API_KEY"), "{}", saved.err);
    // The printed command works.
    let passphrase = person.0.folder().join("passphrase");
    fs::write(&passphrase, "correct horse battery").unwrap();
    let passphrase = passphrase.display().to_string();
    person.run(&["vault", "rekey", "--to", "passphrase", "--passphrase-file", &passphrase]).ok();
    let key = person.0.folder().join("key");
    fs::write(&key, "sk-1234567890abcdef").unwrap();
    let from = format!("API_KEY=@{}", key.display());
    let set = person.run(&["set", "more", "--secret-env", &from, "--env", "MODE=calm", "--json"]).ok().json();
    assert_eq!(
        set["result"]["secrets"],
        serde_json::json!([{"place": "env", "name": "API_KEY", "entered": true}]),
        "{set}"
    );
    assert_eq!(set["result"]["env"], serde_json::json!(["MODE"]), "{set}");
    assert_eq!(person.run(&["set", "more", "--header", "A:b", "--json"]).error(), (2, "usage".to_owned()));
    assert_eq!(person.run(&["set", "more", "--json"]).error().0, 2);
    assert_eq!(
        person.run(&["set", "none", "--env", "A=b", "--json"]).error(),
        (2, "server_not_found".to_owned())
    );
    person.run(&["set", "more", "--sampling", "on", "--instances", "per-app"]).ok();
    fs::write(&file, "{").unwrap();
    assert!(person.run(&["apps"]).ok().out.contains("can’t be read"));
    assert_eq!(person.run(&["connect", "cursor", "--yes", "--json"]).error(), (2, "app_file".to_owned()));
}

#[test]
fn servers_of_a_file_are_saved_and_apps_are_proposed() {
    let place = TestHome::new();
    std::fs::write(place.folder().join("mcp.json"), r#"{"mcpServers":{"time":{"command":"uvx"}}}"#).unwrap();
    std::fs::write(place.folder().join("bad.json"), "[1").unwrap();
    let listed = place.run(&["import", "mcp.json"]).ok();
    assert!(listed.out.contains("time") && listed.out.contains("new"), "{listed:?}");
    place.run(&["import", "mcp.json", "time"]).ok();
    assert!(place.run(&["list"]).ok().out.contains("time"));
    for (line, says) in [
        (&["import", "mcp.json", "time"][..], "--as NAME"),
        (&["import", "mcp.json", "tide"], "mcp.json has no such server: tide"),
        (&["import", "bad.json"], "bad.json: "),
        (&["import", "nothing.json"], "there is no file nothing.json"),
        (&["connect", "claude"], "claude-desktop or claude-code"),
        (&["connect", "cursr"], "Did you mean cursor?"),
    ] {
        let ran = place.run(line);
        assert!(ran.exit == 2 && ran.err.contains(says), "{line:?}: {ran:?}");
    }
    place.run(&["import", "mcp.json", "time", "--as", "clock"]).ok();
    // A link of an app is read as its file is.
    let link = "cursor://anysphere.cursor-deeplink/mcp/install?name=moon&config=eyJjb21tYW5kIjoidXZ4In0";
    let listed = place.run(&["import", link]).ok();
    assert!(listed.out.contains("moon") && listed.out.contains("uvx"), "{listed:?}");
    let unknown = place.run(&["import", link, "sun"]);
    assert!(unknown.exit == 2 && unknown.err.contains("anysphere.cursor-deeplink"), "{unknown:?}");
    assert_eq!(place.run(&["import", link, "moon"]).ok().out, "Saved moon\n");
    let broken = place.run(&["import", "lmstudio://add_mcp?name=moon&config=e"]);
    assert!(broken.exit == 2 && broken.err.contains("the link: the link for LM Studio"), "{broken:?}");
}

/// If nothing of a server is approved, apps get nothing of it. The command line says so when a person
/// connects an app.
#[cfg(unix)]
#[test]
fn what_is_not_approved_is_said_with_the_line_that_approves_it() {
    let (person, _) = Person::new();
    let said = |words: &[&str]| person.run(words).ok().err;
    assert!(said(&["connect", "cursor", "--yes"]).contains("No server is saved yet"));
    let server = scripted_server_path().display().to_string();
    person.run(&["add", "my tides", "--", &server, "ok"]).ok();
    let never = said(&["apps", "show", "cursor"]);
    assert!(
        never.contains("it was never listed") && never.contains("mooring trust 'my tides' --approve"),
        "{never}"
    );
    person.run(&["trust", "my tides"]).ok();
    for words in [&["connect", "cursor"][..], &["apps"], &["apps", "show", "cursor"]] {
        let new = said(words);
        assert!(
            new.contains("my tides: none of its ") && new.contains("mooring trust 'my tides' --approve"),
            "{new}"
        );
    }
    let listed = person.run(&["apps", "show", "cursor", "--json"]).ok().json();
    assert_eq!(listed["result"]["unapproved"][0]["server"], "my tides", "{listed}");
    person.run(&["trust", "my tides", "--approve", "--yes"]).ok();
    assert!(!said(&["apps", "show", "cursor"]).contains("my tides"));
}

#[test]
fn a_token_is_shown_once_and_can_be_revoked() {
    let (person, _) = Person::new();
    let made = person.run(&["apps", "token", "editor", "--json"]).ok().json();
    let token = made["result"]["token"].as_str().unwrap().to_owned();
    assert!(token.starts_with("mooring_") && token.len() > 32, "{made}");
    assert!(made["result"]["url"].is_null(), "no port is chosen: {made}");
    assert_ne!(person.run(&["apps", "token", "editor"]).ok().out.trim(), token);
    let revoked = person.run(&["apps", "token", "editor", "--revoke"]).ok().out;
    assert_eq!(revoked, "editor can no longer connect over HTTP.\n");
    assert_eq!(person.run(&["apps", "token", "editor", "--revoke"]).ok().out, "editor had no token.\n");
}

#[test]
fn nothing_of_an_app_is_set_where_a_name_is_wrong() {
    let (person, _) = Person::new();
    let set = |settings: &[&str]| person.run(&[&["apps", "set", "cursor", "--json"], settings].concat());
    assert_eq!(set(&[]).error(), (2, "usage".to_owned()));
    for wrong in [["--off", "none"], ["--off", "none:echo"]] {
        assert_eq!(
            set(&[&["--level", "read-only"][..], &wrong].concat()).error(),
            (2, "server_not_found".to_owned())
        );
    }
    person.run(&["add", "a:b", "--", "nothing"]).ok();
    assert_eq!(set(&["--level", "read-only", "--off", "a:b:echo"]).error(), (2, "usage".to_owned()));
    assert_eq!(set(&["--level", "read-only", "--pin", "a:b"]).error(), (2, "usage".to_owned()));
    let shown = set(&["--tool-list", "search"]).ok().json();
    assert_eq!(
        (&shown["result"]["level"], &shown["result"]["tool_list"]),
        (&"app_asks".into(), &"search".into())
    );
    let shown = set(&["--level", "read-only", "--off", "a:b", "--resources", "off"]).ok().json();
    let result = &shown["result"];
    assert_eq!((&result["level"], &result["tool_list"]), (&"read_only".into(), &"search".into()));
    assert_eq!((&result["sees_prompts"], &result["sees_resources"]), (&true.into(), &false.into()));
    assert_eq!(result["off"].as_array().unwrap().len(), 1, "{result}");
    let shown = set(&["--level", "default", "--on", "a:b"]).ok().json();
    assert_eq!(
        (&shown["result"]["level"], &shown["result"]["off"]),
        (&"app_asks".into(), &serde_json::json!([]))
    );
    assert_eq!(
        person.run(&["apps", "set", "nothing", "--level", "default", "--json"]).error().1,
        "no_such_app"
    );
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn what_an_app_pays_is_shown_by_server_and_tool() {
    let (person, _) = Person::new();
    let run = |words: &[&str]| tokio::task::block_in_place(|| person.run(words)).ok();
    let shown = run(&["apps", "show", "cursor", "--json"]).json();
    assert_eq!(shown["result"]["cost"]["tokens"], 0);
    let server = scripted_server_path().display().to_string();
    run(&["add", "mine", "--", &server, "ok"]);
    person.0.approve("mine").await;

    let shown = run(&["apps", "show", "cursor", "--json"]).json();
    let cost = &shown["result"]["cost"];
    assert_eq!((&cost["tokenizer"], &cost["servers"][0]["name"]), (&"o200k_base".into(), &"mine".into()));
    assert!(cost["tokens"].as_u64().unwrap() > 50, "{cost}");
    assert_eq!(cost["tokens"], cost["servers"][0]["tokens"]);
    let tools = cost["servers"][0]["tools"].as_array().unwrap();
    let echo = tools.iter().find(|tool| tool["exposed"] == "mine__echo").unwrap();
    let text = run(&["apps", "show", "cursor"]).out;
    assert!(text.contains(&format!("{} for each new conversation", cost["tokens"])), "{text}");
    assert!(
        text.lines()
            .any(|line| { line.split_whitespace().eq([echo["tokens"].to_string().as_str(), "mine__echo"]) }),
        "{text}"
    );
}

/// A configuration that asks for values of several kinds.
const ASKING: &str = r#"{"inputs": [
    {"type": "promptString", "id": "key", "description": "Your key", "password": true},
    {"type": "pickString", "id": "unit", "options": ["m", "ft"], "default": "m"}],
  "servers": {
    "tide": {"command": "uvx", "args": ["--unit=${input:unit}", "${workspaceFolder}/a", "--token=${TOKEN}"],
      "env": {"API_KEY": "${input:key}"}},
    "far": {"url": "https://far.example/${TEAM}/mcp"},
    "moon": {"command": "uvx"}}}"#;

fn asking_home() -> TestHome {
    let place = TestHome::new();
    for (name, text) in [
        ("mcp.json", ASKING),
        ("key", "canary-key"),
        ("token", "canary-token\n"),
        ("passphrase", "correct horse battery"),
    ] {
        std::fs::write(place.folder().join(name), text).unwrap();
    }
    place.run(&["vault", "rekey", "--to", "passphrase", "--passphrase-file", "passphrase"]).ok();
    place
}

#[test]
fn values_of_an_import_come_from_options_and_files() {
    let place = asking_home();
    let passphrase = place.folder().join("passphrase");
    let run = |words: &[&str]| -> CommandOutput {
        place.command(words).env("MOORING_PASSPHRASE_FILE", &passphrase).output().unwrap().into()
    };
    let listed = place.run(&["import", "mcp.json", "--json"]).ok().json();
    let inputs = &listed["result"][0]["inputs"];
    let named: Vec<_> =
        inputs.as_array().unwrap().iter().map(|input| input["key"].as_str().unwrap()).collect();
    assert_eq!(named, ["unit", "workspaceFolder", "TOKEN", "key"]);
    let unit = serde_json::json!({"key": "unit", "title": null, "problem": null, "description": null, "kind": "choice", "secret": false,
        "exposed": false, "required": true, "repeated": false, "default": "m", "example": null, "choices": ["m", "ft"]});
    assert_eq!(inputs[0], unit);
    let missing = place.run(&["import", "mcp.json", "tide", "far"]);
    assert_eq!(missing.exit, 2);
    for says in [
        "values are missing: tide: workspaceFolder; tide: TOKEN; far: TEAM",
        "--secret-value TOKEN=@FILE --value TEAM=VALUE --value workspaceFolder=VALUE",
    ] {
        assert!(missing.err.contains(says), "{missing:?}");
    }
    assert_eq!(
        place.run(&["import", "mcp.json", "tide", "--json"]).error(),
        (2, "values_missing".to_owned())
    );
    for (value, says) in [
        ("TOKEN=canary", "don’t put a secret on the command line: TOKEN"),
        ("none=1", "no value of this name is asked for: none"),
        ("unit", "a value requires a name: unit"),
    ] {
        let refused = place.run(&["import", "mcp.json", "tide", "--value", value]);
        assert!(
            refused.exit == 2 && refused.err.contains(says) && !refused.err.contains("canary"),
            "{refused:?}"
        );
    }
    let words =
        ["import", "mcp.json", "tide", "--value", "workspaceFolder=a", "--secret-value", "TOKEN=@token"];
    let wrong = place.run(&words);
    assert!(
        wrong.exit == 2 && wrong.err.contains("the value of workspaceFolder must be a full path"),
        "{wrong:?}"
    );
    assert!(!place.run(&["list"]).ok().out.contains("tide"));
    let folder = format!("workspaceFolder={}", place.folder().join("it's ${input:unit}").display());
    let values = ["--value", &folder, "--value", "unit=ft", "--secret-value", "TOKEN=@token"];
    let words =
        [&["import", "mcp.json", "tide", "--secret-value", "key=@key", "--json"][..], &values].concat();
    // Without the vault, an entered secret is not saved.
    let locked = place.run(&words);
    assert!(locked.exit != 0 && !locked.out.contains("canary"), "{locked:?}");
    let saved = run(&words).ok();
    assert!(!saved.out.contains("canary") && !saved.err.contains("canary"), "{saved:?}");
    let server = &saved.json()["result"][0];
    let path = place.folder().join("it's ${input:unit}").join("a").display().to_string();
    assert_eq!(server["args"], serde_json::json!(["--unit=ft", path, "--token=${TOKEN}"]), "{server}");
    let secret = serde_json::json!([{"place": "env", "name": "API_KEY", "entered": true}]);
    assert_eq!(server["secrets"], secret);
    // An encrypted value is in no file.
    for file in ["mooring.db", "mooring.db-wal"] {
        let held = std::fs::read(place.home().join(file)).unwrap_or_default();
        assert!(!held.windows(10).any(|bytes| bytes == b"canary-key"), "{file}");
    }
    // One that needs a value doesn't keep others from being saved.
    let all = place.run(&["import", "mcp.json", "--all"]).ok();
    assert_eq!(all.out, "Saved moon\n");
    assert!(all.err.contains("far needs values: mooring import mcp.json far --value TEAM=VALUE"), "{all:?}");
    let far = place.run(&["import", "mcp.json", "far", "--value", "TEAM=a b?", "--json"]).ok().json();
    assert_eq!(far["result"][0]["url"], "https://far.example/a%20b%3F/mcp");
}

#[test]
fn a_projects_servers_are_imported_from_its_folder() {
    let place = TestHome::new();
    let empty = place.run(&["import", "."]);
    assert!(
        empty.exit != 0 && empty.err.contains("the folder has no servers in any of these files: .mcp.json"),
        "{empty:?}"
    );
    std::fs::write(
        place.folder().join(".mcp.json"),
        r#"{"mcpServers": {"tide": {"command": "uvx", "args": ["tide"]}}}"#,
    )
    .unwrap();
    let listed = place.run(&["import", "."]).ok();
    assert!(listed.out.contains("tide") && listed.err.contains("tide: from .mcp.json"), "{listed:?}");
    let saved = place.run(&["import", ".", "tide", "--json"]).ok().json();
    let server = &saved["result"][0];
    let folder = place.folder().display().to_string();
    assert_eq!(server["cwd"], serde_json::json!(folder), "{server}");
    let again = place.run(&["import", ".", "tide"]);
    assert!(again.exit == 2 && again.err.contains("this server is saved as tide"), "{again:?}");
}

#[cfg(unix)]
#[test]
fn values_of_an_import_are_asked_for_on_a_terminal() {
    let place = asking_home();
    let folder = place.folder().join("data").display().to_string();
    let folder = format!("{folder}\n");
    let steps = [
        ("Vault passphrase: ", "correct horse battery\r"),
        ("unit of tide (one of: m, ft; empty: m):", "mile\n"),
        ("must be one of these: m, ft", "\n"),
        ("workspaceFolder of tide:", folder.as_str()),
        ("TOKEN of tide: ", "canary-token\r"),
        ("key of tide (empty: later): ", "\r"),
    ];
    let ran = crate::terminal::type_on_a_terminal(&place, &steps, &["import", "mcp.json", "tide"]);
    assert!(ran.exit == 0 && ran.out.contains("Saved tide"), "{ran:?}");
    assert!(ran.out.contains("Your key") && !ran.out.contains("canary"), "{ran:?}");
    assert!(ran.out.contains("mooring set tide --secret-env API_KEY"), "{ran:?}");
}
