//! The key in an app's entry: it is written, renewed in place, never shown, and removed with the entry.

use super::*;
use crate::connect::AppEnvironment;

const FIRST: &str = "mooring_key_0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d";
const SECOND: &str = "mooring_key_9f8e7d6c9f8e7d6c9f8e7d6c9f8e7d6c9f8e7d6c9f8e7d6c9f8e7d6c9f8e7d6c";

fn public(key: &str) -> String {
    mooring_app_key::AppKey::parse(key).unwrap().public()
}

fn environment(home: &Home) -> AppEnvironment {
    let program = "/opt/mooring/bin/mooring".into();
    AppEnvironment { places: home.places.clone(), program, is_image: false, home: None }
}

fn public_key(app: &'static App, home: &Home) -> Option<String> {
    match app.find(&home.places).state {
        State::Readable { public_key, .. } => public_key,
        other => panic!("{}: {other:?}", app.id),
    }
}

#[test]
fn an_entry_of_an_image_is_recognized_renewed_and_removed() {
    let (image, other) = ("/home/ada/Mooring 1.AppImage", "/home/ada/Mooring 2.AppImage");
    for app in apps() {
        let home = Home::new();
        let before = home.files();
        let mut at = AppEnvironment { program: image.into(), is_image: true, ..environment(&home) };
        let connect = |at: &AppEnvironment, earlier: Option<&UndoRecord>| {
            let plan = at.plan_connect(app, &[], |_| true).unwrap().unwrap();
            let made = at.connect(app, &plan.hash, &[], FIRST, earlier).unwrap();
            let record = made.record().clone();
            made.keep();
            (plan, record)
        };
        let (plan, first) = connect(&at, None);
        assert!(plan.diff.contains(image), "{}: {}", app.id, plan.diff);
        assert_eq!(public_key(app, &home), Some(public(FIRST)), "{}", app.id);
        assert!(at.plan_connect(app, &[], |_| true).unwrap().is_none(), "{}", app.id);
        // The person starts a newer image from another path.
        at.program = other.into();
        let (_, second) = connect(&at, Some(&first));
        let text = fs::read_to_string(app.file(&home.places)).unwrap();
        assert!(text.contains(other) && !text.contains(image), "{}: {text}", app.id);
        let undo = second.plan_disconnect().unwrap();
        second.disconnect(&undo.hash).unwrap();
        assert_eq!(home.files(), before, "{}", app.id);
    }
}

#[test]
fn a_key_comes_is_renewed_and_goes_with_the_entry() {
    for app in apps() {
        let home = Home::new();
        let (at, file) = (environment(&home), app.file(&home.places));
        let before = home.files();
        let plan = at.plan_connect(app, &[], |_| true).unwrap().unwrap();
        assert!(
            plan.diff.contains("MOORING_APP_KEY") && plan.diff.contains("(made when you connect)"),
            "{}",
            plan.diff
        );
        let made = at.connect(app, &plan.hash, &[], FIRST, None).unwrap();
        let first = made.record().clone();
        made.keep();
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(FIRST), "{}: {text}", app.id);
        assert_eq!(public_key(app, &home), Some(public(FIRST)), "{}: {text}", app.id);
        assert!(!serde_json::to_string(&first).unwrap().contains(FIRST), "{}: the record has it", app.id);
        // The current key is kept. Another key is replaced, and nothing else changes.
        assert_eq!(
            at.plan_connect(app, &[], |key| key == Some(&*public(FIRST))).unwrap(),
            None,
            "{}",
            app.id
        );
        let again = at.plan_connect(app, &[], |_| false).unwrap().unwrap();
        assert!(!again.diff.contains("0a1b2c3d"), "{}", again.diff);
        let made = at.connect(app, &again.hash, &[], SECOND, Some(&first)).unwrap();
        let second = made.record().clone();
        made.keep();
        assert_eq!(fs::read_to_string(&file).unwrap(), text.replace(FIRST, SECOND), "{}", app.id);
        let undo = second.plan_disconnect().unwrap();
        assert!(!undo.diff.contains("9f8e7d6c"), "{}", undo.diff);
        second.disconnect(&undo.hash).unwrap();
        assert_eq!(home.files(), before, "{}", app.id);
    }
}

#[test]
fn no_key_comes_into_a_git_repository() {
    for app in apps() {
        let home = Home::new();
        let (at, file) = (environment(&home), app.file(&home.places));
        let connect = |key| {
            let plan = at.plan_connect(app, &[], |_| false).unwrap().unwrap();
            (at.connect(app, &plan.hash, &[], key, None).unwrap(), plan)
        };
        let (made, plan) = connect(FIRST);
        assert!(made.has_key() && plan.repository.is_none(), "{}", app.id);
        made.keep();
        // The folder moves into a repository, as tools for dotfiles do it.
        let (folder, repository) = (file.parent().unwrap(), home.places.home.join("dotfiles"));
        fs::create_dir_all(repository.join(".git")).unwrap();
        fs::write(repository.join(".git/HEAD"), "ref: refs/heads/main").unwrap();
        let moved = repository.join("settings");
        let (from, link) = if folder == home.places.home {
            (file.clone(), file.clone())
        } else {
            (folder.to_owned(), folder.to_owned())
        };
        fs::rename(&from, &moved).unwrap();
        link_to(&moved, &link);
        assert_eq!(app.find(&home.places).repository.as_ref(), Some(&repository), "{}", app.id);
        // The app itself writes its file in between. The key is removed from the entry, and no copy of it
        // remains.
        let own = fs::read_to_string(&file).unwrap() + "\n";
        fs::write(&file, own).unwrap();
        let (made, plan) = connect(SECOND);
        assert!(!made.has_key() && plan.repository == Some(repository.clone()), "{}", app.id);
        assert!(!plan.diff.contains("(made when you connect)"), "{}", plan.diff);
        made.keep();
        let text = fs::read_to_string(&file).unwrap();
        assert!(!text.contains("mooring_key_") && text.contains("bridge"), "{}: {text}", app.id);
        assert_eq!(public_key(app, &home), None);
        assert_eq!(at.plan_connect(app, &[], |public| public.is_none()).unwrap(), None, "{}", app.id);
        // If only Mooring's own record has to be removed, the file does not change.
        let forgets = at.plan_connect(app, &[], |_| false).unwrap().unwrap();
        assert_eq!(
            (forgets.diff.as_str(), forgets.repository.as_ref()),
            ("", Some(&repository)),
            "{}",
            app.id
        );
        at.connect(app, &forgets.hash, &[], SECOND, None).unwrap().keep();
        assert_eq!(fs::read_to_string(&file).unwrap(), text, "{}", app.id);
        let has_key = |(_, text): (&String, &String)| text.contains("mooring_key_");
        let files = files_below(&repository);
        assert!(!files.is_empty() && !files.iter().any(has_key), "{}: {files:?}", app.id);
    }
}

/// The text of every file below a folder.
fn files_below(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            found.extend(files_below(&entry.path()));
        } else {
            found.insert(entry.path().display().to_string(), fs::read_to_string(entry.path()).unwrap());
        }
    }
    found
}

#[cfg(unix)]
fn link_to(target: &Path, link: &Path) {
    std::os::unix::fs::symlink(target, link).unwrap();
}

#[cfg(windows)]
fn link_to(target: &Path, link: &Path) {
    use std::os::windows::fs::{symlink_dir, symlink_file};
    if target.is_dir() { symlink_dir(target, link) } else { symlink_file(target, link) }.unwrap();
}

#[test]
fn what_git_takes_for_a_repository_is_one() {
    let home = Home::new();
    let (app, at) = (crate::app("cursor").unwrap(), environment(&home));
    let git = home.places.home.join(".git");
    let has_key = || at.plan_connect(app, &[], |_| false).unwrap().unwrap().repository.is_none();
    // A folder named `.git` alone is not a repository.
    fs::create_dir_all(git.join("hooks")).unwrap();
    assert!(has_key());
    fs::write(git.join("HEAD"), "ref: refs/heads/main").unwrap();
    assert!(!has_key());
    // In old repositories, HEAD is a symbolic link to a reference that may be packed elsewhere.
    fs::remove_file(git.join("HEAD")).unwrap();
    link_to(Path::new("refs/heads/main"), &git.join("HEAD"));
    assert!(!has_key());
    // Worktrees and submodules have a file named `.git`.
    fs::remove_dir_all(&git).unwrap();
    assert!(has_key());
    fs::write(&git, "gitdir: elsewhere").unwrap();
    assert!(!has_key());
}

#[test]
fn an_entry_of_before_gets_its_key_where_it_is() {
    for app in apps() {
        let home = Home::new();
        let (at, file) = (environment(&home), app.file(&home.places));
        home.connect(app, &entry(app.id)).unwrap();
        let old = fs::read_to_string(&file).unwrap();
        assert_eq!(public_key(app, &home), None);
        let plan = at.plan_connect(app, &[], |_| true).unwrap().unwrap();
        at.connect(app, &plan.hash, &[], FIRST, None).unwrap().keep();
        let new = fs::read_to_string(&file).unwrap();
        assert!(new.contains(FIRST) && public_key(app, &home).is_some(), "{}: {new}", app.id);
        // Every old line is still there. It may have got a comma at its end.
        for line in old.lines().filter(|line| !line.trim_start().starts_with('}')) {
            let bare = line.trim_end().trim_end_matches(['}', ',', ' ', '{']);
            assert!(new.contains(bare), "{}: {line}\n{new}", app.id);
        }
    }
}

#[test]
fn what_an_entry_has_besides_stays_when_it_gets_a_key() {
    let key = format!("\"MOORING_APP_KEY\": \"{FIRST}\"");
    for (id, before, after) in [
        (
            "cursor",
            "{\n  // mine\n  \"mcpServers\": {\n    \"mooring\": {\n      \"command\": \"/opt/mooring/bin/mooring\", // where\n      \"args\": [\"bridge\", \"--app\", \"cursor\"],\n      \"env\": {\"A\": \"1\"}, // and this\n      \"disabled\": true\n    }\n  }\n}\n".to_owned(),
            format!("{{\n  // mine\n  \"mcpServers\": {{\n    \"mooring\": {{\n      \"command\": \"/opt/mooring/bin/mooring\", // where\n      \"args\": [\"bridge\", \"--app\", \"cursor\"],\n      \"env\": {{\"A\": \"1\", {key}}}, // and this\n      \"disabled\": true\n    }}\n  }}\n}}\n"),
        ),
        (
            "codex",
            "[mcp_servers.mooring]\ncommand = \"/opt/mooring/bin/mooring\" # where\nargs = [\"bridge\", \"--app\", \"codex\"] # what\nstartup_timeout_sec = 20\n\n[tui]\n".to_owned(),
            format!("[mcp_servers.mooring]\ncommand = \"/opt/mooring/bin/mooring\" # where\nargs = [\"bridge\", \"--app\", \"codex\"]\nenv = {{ MOORING_APP_KEY = \"{FIRST}\" }} # what\nstartup_timeout_sec = 20\n\n[tui]\n"),
        ),
        (
            "goose",
            "extensions:\n  mooring:\n    cmd: /opt/mooring/bin/mooring # where\n    args:\n      - bridge\n      - --app\n      - goose\n    enabled: false\n".to_owned(),
            format!("extensions:\n  mooring:\n    cmd: /opt/mooring/bin/mooring\n    envs: {{{key}}} # where\n    args:\n      - bridge\n      - --app\n      - goose\n    enabled: false\n"),
        ),
    ] {
        let (home, app, file) = Home::with(id, &before);
        let at = environment(&home);
        let plan = at.plan_connect(app, &[], |_| true).unwrap().unwrap();
        at.connect(app, &plan.hash, &[], FIRST, None).unwrap().keep();
        assert_eq!(fs::read_to_string(&file).unwrap(), after, "{id}");
    }
}

#[test]
fn a_name_by_hand_is_no_known_one() {
    for taken in [
        "cursor",
        "Cursor",
        "claude code",
        "Claude-Code",
        "CURSOR ",
        "сursor",
        "Ｃursor",
        "you",
        "You",
        "Mooring",
        "",
        " ",
        "a\u{202e}b",
        "a\nb",
        "…",
    ] {
        assert!(check_new_name(taken).is_err(), "{taken:?}");
    }
    assert!(check_new_name(&"x".repeat(65)).is_err());
    for free in ["pier-bot", "My App 2", "工具", "test", "a@b/c"] {
        assert!(check_new_name(free).is_ok(), "{free:?}");
    }
}
