//! Disconnecting restores the old file, or only removes our entry.

use super::*;

const KEY: &str = "mooring_key_0123";
use crate::AppEnvironment;

const TEXT: &str = "{\n  // mine\n  \"a\": 1\n}\n";

fn record_and_text(text: &str) -> (Home, PathBuf, UndoRecord, String) {
    let (home, app, file) = Home::with("cursor", text);
    let record = home.connect(app, &entry("cursor")).unwrap();
    let after = fs::read_to_string(&file).unwrap();
    (home, file, record, after)
}

#[test]
fn another_edit_stays_when_the_entry_is_removed() {
    let (_home, file, record, after) = record_and_text(TEXT);
    fs::write(&file, after.replace("\"a\": 1", "\"a\": 2, \"b\": [1, 2]")).unwrap();
    let undo = record.plan().unwrap();
    assert_eq!(undo.outcome(), Undone::Removed);
    assert!(undo.diff().contains("-    \"mooring\": {"));
    assert_eq!(undo.write(), Ok(Undone::Removed));
    // The map that was created is removed, too, because it is empty.
    assert_eq!(fs::read_to_string(&file).unwrap(), TEXT.replace("\"a\": 1", "\"a\": 2, \"b\": [1, 2]"));
    assert!(record.backup.unwrap().exists());
}

#[test]
fn a_map_that_was_made_stays_while_something_else_is_in_it() {
    let (_home, file, record, after) = record_and_text(TEXT);
    fs::write(&file, after.replace("\"mooring\": {", "\"x\": {},\n    \"mooring\": {")).unwrap();
    assert_eq!(record.plan().unwrap().write(), Ok(Undone::Removed));
    let expect = "{\n  // mine\n  \"a\": 1,\n  \"mcpServers\": {\n    \"x\": {}\n  }\n}\n";
    assert_eq!(fs::read_to_string(&file).unwrap(), expect);
    let (_home, file, record, after) = record_and_text(TEXT);
    fs::write(&file, after.replace("    \"mooring\": {", "    // keep\n    \"mooring\": {")).unwrap();
    assert_eq!(record.plan().unwrap().write(), Ok(Undone::Removed));
    assert!(fs::read_to_string(&file).unwrap().ends_with("\"mcpServers\": {\n    // keep\n  }\n}\n"));
}

#[test]
fn an_entry_that_is_gone_already_needs_nothing() {
    let (home, file, record, after) = record_and_text(TEXT);
    let gone = |text: Option<&str>| {
        match text {
            Some(text) => fs::write(&file, text).unwrap(),
            None => fs::remove_file(&file).unwrap(),
        }
        let undo = record.plan().unwrap();
        assert_eq!((undo.outcome(), undo.file()), (Undone::AlreadyGone, None));
        assert_eq!(undo.write(), Ok(Undone::AlreadyGone));
        assert_eq!(fs::read_to_string(&file).ok().as_deref(), text);
    };
    gone(Some(TEXT));
    gone(Some("{\"mcpServers\": {}}"));
    // A server of another program with the same name.
    gone(Some(&after.replace("/opt/mooring/bin/mooring", "/usr/bin/other")));
    gone(None);
    drop(home);
}

#[test]
fn without_the_backup_the_entry_is_removed() {
    let (_home, file, record, _) = record_and_text(TEXT);
    fs::remove_file(record.backup.as_ref().unwrap()).unwrap();
    assert_eq!(record.plan().unwrap().write(), Ok(Undone::Restored));
    assert_eq!(fs::read_to_string(&file).unwrap(), TEXT);
    // The original bytes are not known here: the brackets were on different lines.
    let (_home, file, record, _) = record_and_text("{\"mcpServers\": {\n\n}}");
    fs::write(record.backup.as_ref().unwrap(), "{}").unwrap();
    assert_eq!(record.plan().unwrap().write(), Ok(Undone::Removed));
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\"mcpServers\": {}}");
}

#[test]
fn a_file_that_changes_between_plan_and_undo_is_left_alone() {
    let (_home, file, record, after) = record_and_text(TEXT);
    let undo = record.plan().unwrap();
    fs::write(&file, format!("{after}\n")).unwrap();
    assert!(matches!(undo.write(), Err(Error::Changed(_))));
    assert_eq!(fs::read_to_string(&file).unwrap(), format!("{after}\n"));
}

#[test]
fn a_broken_file_is_not_touched() {
    let (_home, file, record, after) = record_and_text(TEXT);
    fs::write(&file, &after[..after.len() - 3]).unwrap();
    assert!(matches!(record.plan(), Err(Error::Unreadable(_))));
}

#[test]
fn a_new_file_with_other_settings_stays() {
    let home = Home::new();
    let (app, file) = home.app("cursor");
    let record = home.connect(app, &entry("cursor")).unwrap();
    let after = fs::read_to_string(&file).unwrap();
    fs::write(&file, after.replacen("{\n", "{\n  \"a\": 1,\n", 1)).unwrap();
    assert_eq!(record.plan().unwrap().write(), Ok(Undone::Removed));
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\n  \"a\": 1\n}\n");
    // Without other content, the file is removed.
    fs::remove_file(&file).unwrap();
    let record = home.connect(app, &entry("cursor")).unwrap();
    fs::write(&file, fs::read_to_string(&file).unwrap() + "\n").unwrap();
    assert_eq!(record.plan().unwrap().write(), Ok(Undone::Restored));
    assert!(home.files().is_empty());
}

#[test]
fn a_replaced_entry_goes_back_to_before_the_first_one() {
    let (home, app, file) = Home::with("cursor", TEXT);
    let old = Entry { command: "/old/mooring".to_owned(), ..entry("cursor") };
    let first = home.connect(app, &old).unwrap();
    let second =
        change(app.plan(&home.places, &entry("cursor"), |_| true).unwrap()).write(Some(&first)).unwrap();
    assert_eq!(second.plan().unwrap().write(), Ok(Undone::Restored));
    assert_eq!(fs::read_to_string(&file).unwrap(), TEXT);
    assert_eq!(home.files().len(), 1);

    // Without the record of the first change, only the entry can be removed.
    home.connect(app, &old).unwrap();
    let second = change(app.plan(&home.places, &entry("cursor"), |_| true).unwrap()).write(None).unwrap();
    assert_eq!(second.plan().unwrap().write(), Ok(Undone::Removed));
    let left = "{\n  // mine\n  \"a\": 1,\n  \"mcpServers\": {}\n}\n";
    assert_eq!(fs::read_to_string(&file).unwrap(), left);
}

#[test]
fn a_connection_whose_record_is_not_kept_is_taken_back() {
    let (home, app, file) = Home::with("cursor", TEXT);
    let at = AppEnvironment {
        places: home.places.clone(),
        program: "/opt/mooring".into(),
        is_image: false,
        home: None,
    };
    let connect = || {
        at.connect(app, &at.plan_connect(app, &[], |_| true).unwrap().unwrap().hash, &[], KEY, None).unwrap()
    };
    let made = connect();
    assert!(fs::read_to_string(&file).unwrap().contains("/opt/mooring"));
    drop(made);
    assert_eq!(fs::read_to_string(&file).unwrap(), TEXT);
    let first = connect();
    let record = first.record().clone();
    first.keep();
    // If a renewal of the key is not kept, only the renewal is undone. The app stays connected, and the
    // backup remains.
    let files = home.files();
    let plan = at.plan_connect(app, &[], |_| false).unwrap().unwrap();
    let renewed = at.connect(app, &plan.hash, &[], &KEY.replace('1', "2"), Some(&record)).unwrap();
    assert_ne!(home.files(), files);
    drop(renewed);
    assert_eq!(home.files(), files);
    assert_eq!(record.plan().unwrap().write(), Ok(Undone::Restored));
    assert_eq!(fs::read_to_string(&file).unwrap(), TEXT);
}

#[test]
fn forged_record_deletes_nothing_and_moves_nothing() {
    let (home, file, record, after) = record_and_text(TEXT);
    let theirs = file.with_file_name("thesis.json");
    let hash = |text: &str| mooring_base::digest::sha256(text);
    let forged = |file: &Path, before: Option<&str>, backup: Option<&Path>| UndoRecord {
        file: file.to_owned(),
        backup: backup.map(ToOwned::to_owned),
        before: before.map(hash),
        after: hash(&fs::read_to_string(file).unwrap()),
        folders: vec![home.folder.path().to_owned()],
        ..record.clone()
    };
    for text in ["my thesis", "{}", "", TEXT] {
        fs::write(&theirs, text).unwrap();
        // The record names another file as the created one.
        if let Ok(undo) = forged(&theirs, None, None).plan() {
            assert_eq!(undo.write(), Ok(Undone::AlreadyGone), "{text}");
        }
        assert_eq!(fs::read_to_string(&theirs).unwrap(), text);
        // The record names another file as the backup.
        fs::write(&file, &after).unwrap();
        forged(&file, Some(text), Some(&theirs)).plan().unwrap().write().unwrap();
        assert_eq!(fs::read_to_string(&theirs).unwrap(), text);
        assert!(fs::read_to_string(&file).unwrap().contains("// mine"));
    }
    // The record says that the app's own file was created.
    fs::write(&file, &after).unwrap();
    assert_eq!(forged(&file, None, None).plan().unwrap().write(), Ok(Undone::Removed));
    assert_eq!(fs::read_to_string(&file).unwrap(), TEXT);
}

/// A file in each format with two own servers, one of which has a secret.
const OWN: [(&str, &str); 6] = [
    (
        "cursor",
        "{\n  // mine\n  \"mcpServers\": {\n    \"files\": {\"command\": \"npx\", \"args\": [\"-y\", \"files\"]}, // keep\n    \"git\": {\n      \"command\": \"git-mcp\",\n      \"env\": {\"GIT_TOKEN\": \"ghp_harbour\"}\n    }\n  },\n  \"z\": [1]\n}\n",
    ),
    (
        "claude-code",
        r#"{"a":1,"mcpServers":{"git":{"type":"stdio","command":"git-mcp","env":{"GIT_TOKEN":"ghp_harbour"}},"files":{"command":"npx"}},"projects":{}}"#,
    ),
    (
        "codex",
        "model = \"x\"\n\n[mcp_servers.files]\ncommand = \"npx\" # keep\n\n[mcp_servers.git]\ncommand = \"git-mcp\"\n\n[mcp_servers.git.env]\nGIT_TOKEN = \"ghp_harbour\"\n\n[profiles.y]\nmodel = \"y\"\n",
    ),
    (
        "goose",
        "extensions:\n  files:\n    cmd: npx\n    args: [files]\n    type: stdio\n  git:\n    cmd: git-mcp\n    type: stdio\n    envs:\n      GIT_TOKEN: ghp_harbour\nGOOSE_MODEL: x\n",
    ),
    (
        "continue",
        "name: mine\nmcpServers:\n  - name: files\n    command: npx\n  - name: git\n    command: git-mcp\n    env:\n      GIT_TOKEN: ghp_harbour\nmodels: []\n",
    ),
    (
        "opencode",
        "{\n\t\"mcp\": {\n\t\t\"git\": {\"type\": \"local\", \"command\": [\"git-mcp\"], \"environment\": {\"GIT_TOKEN\": \"ghp_harbour\"}},\n\t\t\"files\": {\"type\": \"local\", \"command\": [\"npx\"], \"enabled\": true}\n\t}\n}\n",
    ),
];

fn replacing(app: &str) -> Entry {
    Entry { replaces: ["git", "files", "absent"].map(str::to_owned).to_vec(), ..entry(app) }
}

/// The names of the servers in an app's file.
fn names(home: &Home, app: &'static App) -> Vec<String> {
    match app.find(&home.places).state {
        State::Readable { mut servers, .. } => {
            servers.sort();
            servers
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn own_servers_that_mooring_has_go_and_come_back() {
    for (id, text) in OWN {
        let (home, app, file) = Home::with(id, text);
        let Plan::Change(change) = app.plan(&home.places, &replacing(id), |_| true).unwrap() else {
            panic!()
        };
        let shown = change.diff();
        assert!(shown.contains("git-mcp") && !shown.contains("harbour"), "{id}: {shown}");
        let record = change.write(None).unwrap();
        assert_eq!(names(&home, app), ["mooring"], "{id}");
        let saved = serde_json::to_string(&record).unwrap();
        assert!(!saved.contains("harbour"), "{id}: {saved}");
        let undo = record.plan().unwrap();
        assert!(!undo.diff().contains("harbour"), "{id}");
        assert_eq!(undo.write(), Ok(Undone::Restored), "{id}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text, "{id}");
    }
}

#[test]
fn own_servers_come_back_into_a_changed_file() {
    for (id, text) in OWN {
        let (home, app, file) = Home::with(id, text);
        let record = home.connect(app, &replacing(id)).unwrap();
        let after = fs::read_to_string(&file).unwrap();
        // The app has saved other settings since.
        let changed =
            if app.format == Format::Json { format!("{after}\n") } else { format!("{after}# more\n") };
        fs::write(&file, changed).unwrap();
        assert_eq!(record.plan().unwrap().write(), Ok(Undone::Removed), "{id}");
        assert_eq!(names(&home, app), ["files", "git"], "{id}");
        let left = fs::read_to_string(&file).unwrap();
        assert!(left.contains("ghp_harbour"), "{id}: {left}");
    }
}

#[test]
fn an_own_server_that_is_there_again_stays_as_it_is() {
    let (id, text) = OWN[0];
    let (home, app, file) = Home::with(id, text);
    let record = home.connect(app, &replacing(id)).unwrap();
    let after = fs::read_to_string(&file).unwrap();
    fs::write(
        &file,
        after.replace("\"mooring\": {", "\"git\": {\"command\": \"newer\"},\n    \"mooring\": {"),
    )
    .unwrap();
    assert_eq!(record.plan().unwrap().write(), Ok(Undone::Removed));
    assert_eq!(names(&home, app), ["files", "git"]);
    assert!(fs::read_to_string(&file).unwrap().contains("newer"));
    // Without the backup, the servers can't be restored. They are reported as lost, and the rest of the file
    // is kept.
    let (home, app, file) = Home::with(id, text);
    let record = home.connect(app, &replacing(id)).unwrap();
    fs::remove_file(record.backup.as_ref().unwrap()).unwrap();
    let undo = record.plan().unwrap();
    assert_eq!(undo.lost(), ["git", "files"]);
    assert_eq!(undo.write(), Ok(Undone::Removed));
    assert!(names(&home, app).is_empty());
    assert!(fs::read_to_string(&file).unwrap().contains("\"z\": [1]"));
}

#[test]
fn own_servers_come_back_where_our_entry_is_gone() {
    let (id, text) = OWN[0];
    let (home, app, file) = Home::with(id, text);
    let record = home.connect(app, &replacing(id)).unwrap();
    fs::write(&file, "{\n  \"mcpServers\": {}\n}\n").unwrap();
    assert_eq!(record.plan().unwrap().write(), Ok(Undone::Removed));
    assert_eq!(names(&home, app), ["files", "git"]);
}

#[test]
fn own_servers_come_back_after_a_renewal_in_a_changed_file() {
    for (id, text) in OWN {
        let (home, app, file) = Home::with(id, text);
        let keyed = |key: &str, entry: Entry| Entry { key: Some(key.to_owned()), ..entry };
        let first = home.connect(app, &keyed(KEY, replacing(id))).unwrap();
        let changed = fs::read_to_string(&file).unwrap();
        fs::write(&file, format!("{changed}\n")).unwrap();
        let again = keyed(&KEY.replace('1', "2"), entry(id));
        let second = change(app.plan(&home.places, &again, |_| false).unwrap()).write(Some(&first)).unwrap();
        assert_eq!(second.plan().unwrap().write(), Ok(Undone::Removed), "{id}");
        assert_eq!(names(&home, app), ["files", "git"], "{id}");
    }
}

#[test]
fn own_servers_that_go_later_come_back_from_the_first_backup() {
    let (id, text) = OWN[0];
    let (home, app, file) = Home::with(id, text);
    let keyed = |key: &str, entry: Entry| Entry { key: Some(key.to_owned()), ..entry };
    let first = home.connect(app, &keyed(KEY, entry(id))).unwrap();
    let renewed = keyed(&KEY.replace('1', "2"), replacing(id));
    let second = change(app.plan(&home.places, &renewed, |_| true).unwrap()).write(Some(&first)).unwrap();
    assert_eq!(names(&home, app), ["mooring"]);
    assert_eq!(second.plan().unwrap().write(), Ok(Undone::Restored));
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    // If the first backup is gone, servers that are removed later are backed up then, even if the entry has a
    // current key.
    let first = home.connect(app, &keyed(KEY, entry(id))).unwrap();
    fs::remove_file(first.backup.as_ref().unwrap()).unwrap();
    let plan = app.plan(&home.places, &keyed(KEY, replacing(id)), |_| true).unwrap();
    let second = change(plan).write(Some(&first)).unwrap();
    assert_eq!(names(&home, app), ["mooring"]);
    assert_eq!(second.plan().unwrap().write(), Ok(Undone::Removed));
    assert_eq!(names(&home, app), ["files", "git"]);
}

#[test]
fn values_are_hidden_however_they_are_spelled() {
    let text = r#"{"mcpServers": {"git": {"command": "git-mcp", "env": {
        "KEY": "-----BEGIN\nabc\"def", "A": "secret1", "B": "secret1longer", "N": 12345678}, "http": {"headers": {"X": "deep-one"}}}}}"#;
    let (home, app, _) = Home::with("cursor", text);
    let shown = change(app.plan(&home.places, &replacing("cursor"), |_| true).unwrap()).diff();
    assert!(shown.contains("git-mcp"), "{shown}");
    for hidden in ["BEGIN", "def", "secret", "longer", "12345678", "deep-one"] {
        assert!(!shown.contains(hidden), "{hidden}: {shown}");
    }
}
