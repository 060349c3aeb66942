//! Unusual files and folders.

use super::*;

const TEXT: &str = "{\"mcpServers\": {}}";

fn problem(home: &Home, app: &'static App) -> String {
    let State::Problem(sentence) = app.find(&home.places).state else { panic!("no problem") };
    assert!(matches!(app.plan(&home.places, &entry(app.id), |_| true), Err(Error::Unreadable(_))));
    sentence.to_string()
}

#[test]
fn what_is_no_text_file_is_a_problem_of_its_app_alone() {
    let (home, app, file) = Home::with("cursor", TEXT);
    fs::write(&file, b"{\"a\": \"\xff\"}").unwrap();
    assert_eq!(problem(&home, app), "the file isn’t UTF-8 text");
    fs::File::create(&file).unwrap().set_len((256 << 20) + 1).unwrap();
    assert_eq!(problem(&home, app), "the file is larger than 256 MiB");
    // Claude Code's files may be large.
    let history = "x".repeat(16 << 20);
    fs::write(&file, format!(r#"{{"history": "{history}", "mcpServers": {{}}}}"#)).unwrap();
    assert!(home.connect(app, &entry("cursor")).is_ok());
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert_eq!(problem(&home, app), "it isn’t a regular file");
    let others = find_apps(&home.places).into_iter().filter(|found| found.app.id != "cursor");
    assert!(others.into_iter().all(|found| found.state == State::NoFile));
}

#[test]
fn a_change_is_not_written_over_another_one() {
    let (home, app, file) = Home::with("cursor", TEXT);
    let planned = change(app.plan(&home.places, &entry("cursor"), |_| true).unwrap());
    fs::write(&file, "{ }").unwrap();
    let error = planned.write(None).unwrap_err();
    assert!(matches!(error, Error::Changed(_)), "{error}");
    assert_eq!(home.files().into_values().collect::<Vec<_>>(), [b"{ }"]);

    let planned = change(app.plan(&home.places, &entry("cursor"), |_| true).unwrap());
    fs::remove_file(&file).unwrap();
    assert!(matches!(planned.write(None), Err(Error::Changed(_))));
    assert!(home.files().is_empty());

    let planned = change(app.plan(&home.places, &entry("cursor"), |_| true).unwrap());
    fs::write(&file, TEXT).unwrap();
    assert!(matches!(planned.write(None), Err(Error::Changed(_))));
    assert_eq!(fs::read_to_string(&file).unwrap(), TEXT);
}

#[test]
fn of_two_instances_one_is_told_that_the_file_changed() {
    let (home, app, file) = Home::with("cursor", TEXT);
    let plan = |name: &str| {
        let entry = Entry { name: name.to_owned(), ..entry("cursor") };
        change(app.plan(&home.places, &entry, |_| true).unwrap())
    };
    let (one, other) = (plan("mooring"), plan("mooring-2"));
    let one = one.write(None).unwrap();
    assert!(matches!(other.write(None), Err(Error::Changed(_))));
    let other = plan("mooring-2").write(None).unwrap();
    assert_eq!(one.plan().unwrap().write(), Ok(Undone::Removed));
    assert_eq!(other.plan().unwrap().write(), Ok(Undone::Removed));
    assert_eq!(fs::read_to_string(&file).unwrap(), TEXT);
}

#[test]
fn a_backup_with_a_date_stands_beside_the_file() {
    let (home, app, file) = Home::with("cursor", TEXT);
    let record = home.connect(app, &entry("cursor")).unwrap();
    let backup = record.backup.clone().unwrap();
    assert_eq!((backup.parent(), fs::read_to_string(&backup).unwrap().as_str()), (file.parent(), TEXT));
    let name = backup.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("mcp.json.mooring-20") && name.ends_with("Z.bak"), "{name}");
    assert_eq!(home.files().len(), 2);
    let json = serde_json::to_string(&record).unwrap();
    assert_eq!(serde_json::from_str::<UndoRecord>(&json).unwrap(), record);
}

#[test]
fn what_is_read_only_is_not_written() {
    let (home, app, file) = Home::with("cursor", TEXT);
    let read_only = |path: &Path, is: bool| {
        let mut permissions = fs::metadata(path).unwrap().permissions();
        permissions.set_readonly(is);
        fs::set_permissions(path, permissions).unwrap();
    };
    read_only(&file, true);
    let error = home.connect(app, &entry("cursor")).unwrap_err();
    assert_eq!(error.to_string(), "the file is read-only");
    assert_eq!(home.files().len(), 1);
    read_only(&file, false);
    if cfg!(unix) {
        read_only(file.parent().unwrap(), true);
        let error = home.connect(app, &entry("cursor")).unwrap_err();
        assert_eq!(error.to_string(), "its folder is read-only");
        read_only(file.parent().unwrap(), false);
    }
    assert!(home.connect(app, &entry("cursor")).is_ok());
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    #[test]
    fn mode_and_owner_stay_and_new_files_are_private() {
        let (home, app, file) = Home::with("cursor", TEXT);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        // Only root can change a file's owner.
        let is_given = chown(&file, Some(12_345), Some(23_456)).is_ok();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        let record = home.connect(app, &entry("cursor")).unwrap();
        assert_eq!((mode(&file), mode(record.backup.as_ref().unwrap())), (0o640, 0o600));
        let metadata = fs::metadata(&file).unwrap();
        assert!(!is_given || (metadata.uid(), metadata.gid()) == (12_345, 23_456));

        let (app, file) = home.app("kiro");
        home.connect(app, &entry("kiro")).unwrap();
        assert_eq!(mode(&file), 0o600);
    }

    #[test]
    fn a_link_stays_and_its_target_changes() {
        let (home, app, file) = Home::with("cursor", TEXT);
        let target = home.places.home.join("dotfiles/cursor.json");
        fs::create_dir(target.parent().unwrap()).unwrap();
        fs::rename(&file, &target).unwrap();
        symlink("../dotfiles/cursor.json", &file).unwrap();
        let planned = change(app.plan(&home.places, &entry("cursor"), |_| true).unwrap()).diff();
        let both = format!("--- {} -> {}\n", file.display(), target.display());
        assert!(planned.starts_with(&both), "{planned}");
        let record = home.connect(app, &entry("cursor")).unwrap();
        assert!(file.is_symlink());
        assert!(fs::read_to_string(&target).unwrap().contains("mooring"));
        assert_eq!(record.backup.as_ref().unwrap().parent(), target.parent());
        assert_eq!(record.plan().unwrap().write(), Ok(Undone::Restored));
        assert!(file.is_symlink());
        assert_eq!(fs::read_to_string(&target).unwrap(), TEXT);
    }

    #[test]
    fn a_link_on_the_way_is_shown_and_counts_as_a_place() {
        let (home, app, file) = Home::with("cursor", TEXT);
        let folder = file.parent().unwrap().to_owned();
        let places = ["one", "other"].map(|name| home.places.home.join(name));
        fs::rename(&folder, &places[0]).unwrap();
        fs::create_dir(&places[1]).unwrap();
        fs::copy(places[0].join("mcp.json"), places[1].join("mcp.json")).unwrap();
        let [one, other] = [0, 1].map(|at| {
            let _none = fs::remove_file(&folder);
            symlink(&places[at], &folder).unwrap();
            let planned = change(app.plan(&home.places, &entry("cursor"), |_| true).unwrap());
            (planned.diff(), planned.fingerprint())
        });
        assert!(one.0.contains(&format!(" -> {}", places[0].join("mcp.json").display())), "{}", one.0);
        assert_ne!(one.1, other.1);
    }

    #[test]
    fn a_dangling_link_gets_its_target() {
        let (home, app, file) = Home::with("cursor", TEXT);
        let target = home.places.home.join("missing/cursor.json");
        fs::remove_file(&file).unwrap();
        symlink(&target, &file).unwrap();
        let found = app.find(&home.places);
        assert_eq!((found.is_present, found.state), (true, State::NoFile));
        let record = home.connect(app, &entry("cursor")).unwrap();
        assert!(file.is_symlink() && target.is_file());
        assert_eq!(record.plan().unwrap().write(), Ok(Undone::Restored));
        assert!(file.is_symlink() && !target.parent().unwrap().exists());
    }

    #[test]
    fn a_file_in_the_place_of_a_folder_is_a_problem() {
        let home = Home::new();
        let (app, file) = home.app("cursor");
        fs::write(file.parent().unwrap(), "").unwrap();
        assert_eq!(problem(&home, app), "the file can’t be read: it isn’t a folder");
    }

    #[test]
    fn links_to_folders_pipes_and_circles_are_problems() {
        let (home, app, file) = Home::with("cursor", TEXT);
        let linked = |target: &Path| {
            fs::remove_file(&file).unwrap();
            symlink(target, &file).unwrap();
            problem(&home, app)
        };
        assert_eq!(linked(&home.places.home), "it isn’t a regular file");
        assert_eq!(linked(&file), "the file can’t be read: too many symbolic links");
        assert_eq!(linked(Path::new("/dev/null")), "it isn’t a regular file");
    }
}
