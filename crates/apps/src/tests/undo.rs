//! Disconnecting: the file of before, or without our entry.

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
    // The map that was made is gone too, because it is empty.
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
    // Someone else's server of the same name.
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
    // The bytes of before cannot be known here: the brackets were apart.
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
    // With nothing else in it, it goes.
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

    // Without the record of the first one, only the entry can be removed.
    home.connect(app, &old).unwrap();
    let second = change(app.plan(&home.places, &entry("cursor"), |_| true).unwrap()).write(None).unwrap();
    assert_eq!(second.plan().unwrap().write(), Ok(Undone::Removed));
    let left = "{\n  // mine\n  \"a\": 1,\n  \"mcpServers\": {}\n}\n";
    assert_eq!(fs::read_to_string(&file).unwrap(), left);
}

#[test]
fn a_connection_whose_record_is_not_kept_is_taken_back() {
    let (home, app, file) = Home::with("cursor", TEXT);
    let at = AppEnvironment { places: home.places.clone(), program: "/opt/mooring".into(), home: None };
    let connect =
        || at.connect(app, &at.plan_connect(app, |_| true).unwrap().unwrap().hash, KEY, None).unwrap();
    let made = connect();
    assert!(fs::read_to_string(&file).unwrap().contains("/opt/mooring"));
    drop(made);
    assert_eq!(fs::read_to_string(&file).unwrap(), TEXT);
    let first = connect();
    let record = first.record().clone();
    first.keep();
    // One that renews it is taken back alone: what was connected stays so, with its backup.
    let files = home.files();
    let plan = at.plan_connect(app, |_| false).unwrap().unwrap();
    let renewed = at.connect(app, &plan.hash, &KEY.replace('1', "2"), Some(&record)).unwrap();
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
        // Another file is named as the one that was made.
        if let Ok(undo) = forged(&theirs, None, None).plan() {
            assert_eq!(undo.write(), Ok(Undone::AlreadyGone), "{text}");
        }
        assert_eq!(fs::read_to_string(&theirs).unwrap(), text);
        // Another file is named as the backup.
        fs::write(&file, &after).unwrap();
        forged(&file, Some(text), Some(&theirs)).plan().unwrap().write().unwrap();
        assert_eq!(fs::read_to_string(&theirs).unwrap(), text);
        assert!(fs::read_to_string(&file).unwrap().contains("// mine"));
    }
    // The app's own file is said to have been made.
    fs::write(&file, &after).unwrap();
    assert_eq!(forged(&file, None, None).plan().unwrap().write(), Ok(Undone::Removed));
    assert_eq!(fs::read_to_string(&file).unwrap(), TEXT);
}
