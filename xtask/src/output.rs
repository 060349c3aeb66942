//! The output of a task and its commands: to the terminal, or to a file while another step has the terminal.

use std::cell::RefCell;
use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

thread_local! {
    static CAPTURE_FILE: RefCell<Option<File>> = const { RefCell::new(None) };
}

/// Captures this thread's output in `file` while `work` runs.
pub(crate) fn capture_to<T>(file: &Path, work: impl FnOnce() -> T) -> io::Result<T> {
    let file = File::create(file)?;
    CAPTURE_FILE.set(Some(file));
    let done = work();
    CAPTURE_FILE.set(None);
    Ok(done)
}

/// The file that captures this thread's output.
pub(crate) fn capture_file() -> io::Result<Option<File>> {
    CAPTURE_FILE.with_borrow(|kept| kept.as_ref().map(File::try_clone).transpose())
}

/// Prints a line.
pub(crate) fn line(words: fmt::Arguments<'_>) {
    let kept = CAPTURE_FILE.with_borrow_mut(|kept| kept.as_mut().map(|file| writeln!(file, "{words}")));
    match kept {
        None => println!("{words}"),
        // On a full disk, a step's output is lost, but the step goes on.
        Some(result) => drop(result),
    }
}

/// Removes colour codes (`ESC [ … m`).
pub(crate) fn plain(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |said, part| said + part.split_once('m').map_or(part, |(_, rest)| rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Command;
    use std::time::Duration;

    #[cfg(unix)]
    #[test]
    fn failed_tests_are_named_wherever_they_were_printed() {
        let colour = "\u{1b}[31m";
        let off = "\u{1b}[39m";
        let said = format!(
            "✔ one\n  ✖ two (3 ms)\n{colour}FAIL{off} three.test.ts > four\ntest five ... ok\ntest six ... FAILED\n\
             ✖ failing tests:\n✖ two (3 ms)\n"
        );
        let folder = tempfile::tempdir().unwrap();
        let logged = capture_to(&folder.path().join("said"), || {
            Command::new("/usr/bin/printf")
                .args(["%s", said.as_str()])
                .run_logged(Duration::from_mins(1))
                .unwrap()
        });
        assert_eq!(
            logged.unwrap().failures,
            ["✖ two (3 ms)", "FAIL three.test.ts > four", "test six ... FAILED"]
        );
    }

    #[cfg(unix)]
    #[test]
    fn step_output_is_captured_and_nothing_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("said");
        let say = |words: &str| Command::new("/bin/sh").args(["-c", "echo $0; echo $0 >&2", words]);
        let tail = capture_to(&file, || {
            line(format_args!("one"));
            say("two").run().unwrap();
            say("three").run_logged(Duration::from_mins(1)).unwrap().tail
        });
        assert_eq!(tail.unwrap(), "three\nthree\n");
        line(format_args!("four"));
        let said = std::fs::read_to_string(&file).unwrap();
        let lines: Vec<&str> = said.lines().filter(|line| !line.starts_with("  $ ")).collect();
        assert_eq!(lines, ["one", "two", "two", "three", "three"]);
        assert!(capture_file().unwrap().is_none());
    }
}
