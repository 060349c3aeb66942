//! What a server gets, and why one cannot be started.

use crate::test_dir::{TestDir, output};
use mooring_process::{ProcessExit, SpawnError, is_inherited, spawn};
use std::fs;
use std::path::Path;

// Requirements: STD-18.
#[tokio::test]
async fn server_gets_only_listed_and_declared_variables() {
    let place = TestDir::new();
    let mut server = place.shell("env");
    server.env.insert("DECLARED".into(), "a b=c".into());
    server.env.insert("LANG".into(), "xx".into());
    let text = output(&server).await;
    let names: Vec<&str> = text.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    let unexpected: Vec<&&str> = names
        .iter()
        .filter(|name| !is_inherited(name))
        .filter(|name| !["DECLARED", "MOORING_PROCESS_TREE", "PWD", "OLDPWD", "SHLVL", "_"].contains(name))
        .collect();
    // Cargo has put a good number of variables into our own environment.
    assert!(std::env::vars().any(|(name, _)| name.starts_with("CARGO")));
    assert!(unexpected.is_empty(), "{unexpected:?}");
    assert!(text.contains("DECLARED=a b=c\n") && text.contains("LANG=xx\n"), "{text}");
    let path = server.search.to_env().into_string().unwrap();
    assert!(text.contains(&format!("PATH={path}\n")), "{text}");
}

// Requirements: STD-01, STD-17.
#[tokio::test]
async fn server_runs_in_its_directory_with_unchanged_arguments() {
    let place = TestDir::new();
    let mut server = place.shell("pwd; printf '%s|' \"$@\"");
    server.args.extend(["zero", "$(id)", "a b", "", "\"'\\"].map(String::from));
    let expect = format!("{}\n$(id)|a b||\"'\\|", fs::canonicalize(place.path()).unwrap().display());
    assert_eq!(output(&server).await, expect);
}

#[tokio::test]
async fn a_server_has_no_open_files_but_its_pipes() {
    let place = TestDir::new();
    let _open = fs::File::create(place.path().join("open")).unwrap();
    // The listing itself has the directory open as 3.
    let text = output(&place.program(Path::new("/bin/ls"), &["/proc/self/fd"])).await;
    assert_eq!(text.split_whitespace().collect::<Vec<_>>(), ["0", "1", "2", "3"]);
}

#[tokio::test]
async fn the_exit_is_told_and_told_again() {
    let place = TestDir::new();
    for (script, expect) in [
        ("exit 0", ProcessExit { code: Some(0), signal: None }),
        ("exit 3", ProcessExit { code: Some(3), signal: None }),
        ("kill -9 $$", ProcessExit { code: None, signal: Some(9) }),
    ] {
        let mut server = spawn(&place.shell(script)).unwrap();
        assert_eq!(server.control.wait().await, expect, "{script}");
        assert_eq!(server.control.wait().await, expect, "{script}");
    }
}

#[tokio::test]
async fn what_cannot_be_started_is_explained() {
    let place = TestDir::new();
    let text = |error: SpawnError| error.to_string().replace(place.path().to_str().unwrap(), "DIR");
    let check = |path: &Path, expect: &str| {
        let error = spawn(&place.program(path, &[])).unwrap_err();
        assert_eq!(text(error), expect);
    };
    check(Path::new("sh"), "the program isn’t an absolute path: sh");
    check(&place.path().join("missing"), "the program doesn’t exist: DIR/missing");
    check(place.path(), "not permitted to run: DIR");
    let path = place.executable("orphan", "#!/nonexistent/interpreter\n").await;
    check(&path, "the interpreter named in the first line doesn’t exist: DIR/orphan");
    let path = place.executable("text", "just text\n").await;
    check(&path, "not a program for this system (a script needs a first line like #!/bin/sh): DIR/text");
    let path = place.path().join("plain");
    fs::write(&path, "#!/bin/sh\n").unwrap();
    check(&path, "not permitted to run: DIR/plain");

    let mut server = place.shell("exit");
    server.cwd = place.path().join("nowhere");
    assert_eq!(text(spawn(&server).unwrap_err()), "the working directory doesn’t exist: DIR/nowhere");
    for (name, value) in [("", "x"), ("A=B", "x"), ("A", "\0")] {
        let mut server = place.shell("exit");
        server.env.insert(name.into(), value.into());
        assert!(matches!(spawn(&server), Err(SpawnError::Variable { .. })), "{name:?}");
    }
    let mut server = place.shell("exit");
    server.args.push("x".repeat(3 << 20));
    assert!(matches!(spawn(&server), Err(SpawnError::Io { .. })));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn server_can_write_a_long_message_without_a_reader() {
    let place = TestDir::new();
    // The output is only read after the server has ended, which it does once all of it was taken.
    let mut server = spawn(&place.shell("head -c 200000 /dev/zero")).unwrap();
    let exit = tokio::time::timeout(std::time::Duration::from_secs(30), server.control.wait()).await;
    assert_eq!(exit.unwrap(), ProcessExit { code: Some(0), signal: None });
}
