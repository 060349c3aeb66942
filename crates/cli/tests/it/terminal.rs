//! What is shown on a terminal while something is waited for, and that it is shown nowhere else.

use mooring_testkit::scripted_server_path;

use crate::support::{CommandOutput, TestHome};

/// Runs a command on a terminal of its own, shows all that came to it, and presses Ctrl-C once `argv[1]` was seen.
const ON_A_TERMINAL: &str = r#"
import fcntl, os, pty, struct, sys, termios
until, command = sys.argv[1].encode(), sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    os.execv(command[0], command)
seen, pressed = b"", False
while True:
    try:
        more = os.read(terminal, 65536)
    except OSError:
        break
    if not more:
        break
    seen += more
    if until and not pressed and until in seen:
        os.write(terminal, b"\x03")
        pressed = True
sys.stdout.buffer.write(seen)
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"#;

fn on_a_terminal(until: &str, words: &[&str]) -> CommandOutput {
    with_a_server("ok", until, words)
}

/// Against the scripted server in a mode.
fn with_a_server(mode: &str, until: &str, words: &[&str]) -> CommandOutput {
    let place = TestHome::new();
    let server = scripted_server_path().display().to_string();
    #[expect(clippy::disallowed_methods, reason = "the terminal of the command under test")]
    let mut python = std::process::Command::new("python3");
    python
        .args(["-c", ON_A_TERMINAL, until, env!("CARGO_BIN_EXE_mooring")])
        .args(words)
        .args(["--", &server]);
    python.arg(mode).env("MOORING_HOME", place.home()).current_dir(place.folder());
    python.env("TERM", "xterm-256color").env_remove("NO_COLOR").env_remove("RUST_LOG");
    python.output().unwrap().into()
}

/// What is left on the screen: each line as its last rewriting left it, without colours.
fn screen(out: &str) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    let mut rest = out;
    while let Some(character) = rest.chars().next() {
        if let Some(sequence) = rest.strip_prefix("\x1b[") {
            let end = sequence.find(|character: char| character.is_ascii_alphabetic()).unwrap();
            if matches!(&sequence[end..=end], "K" | "J") {
                lines.last_mut().unwrap().clear();
            }
            rest = &sequence[end + 1..];
            continue;
        }
        match character {
            '\n' => lines.push(String::new()),
            '\r' => {}
            other => lines.last_mut().unwrap().push(other),
        }
        rest = &rest[character.len_utf8()..];
    }
    lines.retain(|line| !line.trim().is_empty());
    lines
}

const LONG: &str = r#"{"steps":100000,"milliseconds":20}"#;
const SHORT: &str = r#"{"steps":2,"milliseconds":1}"#;

// Requirements: PROG-02, PROG-05.
#[test]
fn call_shows_progress_and_clears_it_when_interrupted() {
    // The call goes on until the bar was seen.
    let ran = on_a_terminal("% ", &["call", "progress", LONG]);
    assert_eq!(ran.exit, 130, "{ran:?}");
    assert!(screen(&ran.out).iter().all(|line| !line.contains('%')), "{:?}", screen(&ran.out));
}

#[test]
fn finished_call_leaves_only_its_result_on_the_terminal() {
    let ran = on_a_terminal("", &["call", "progress", SHORT]).ok();
    let left = screen(&ran.out);
    assert!(left.iter().all(|line| !line.contains('%') && !line.contains("Calling")), "{left:?}");
    assert!(!left.is_empty());
}

#[test]
fn bench_and_slow_start_show_what_they_wait_for_and_clear_it() {
    let ran = on_a_terminal("% ", &["bench", "--calls", "1000000", "--no-journal"]);
    assert_eq!(ran.exit, 130, "{ran:?}");
    assert!(screen(&ran.out).iter().all(|line| !line.contains('%')), "{:?}", screen(&ran.out));

    let ran = with_a_server("hang", "Connecting to ", &["probe"]);
    assert_eq!(ran.exit, 130, "{ran:?}");
    assert!(screen(&ran.out).iter().all(|line| !line.contains("Connecting")), "{:?}", screen(&ran.out));
}

#[test]
fn no_progress_is_shown_with_json_or_where_nobody_looks() {
    let ran = on_a_terminal("", &["call", "progress", SHORT, "--json"]).ok();
    assert!(!ran.out.contains('\x1b') && !ran.out.contains("Calling"), "{ran:?}");
    assert_eq!(screen(&ran.out).len(), 1, "{ran:?}");

    let ran = TestHome::new().run_on(&["call", "progress", SHORT], &["ok"]).ok();
    assert!(
        !ran.err.contains("Calling") && !ran.out.contains('\x1b') && !ran.err.contains('\x1b'),
        "{ran:?}"
    );
}
