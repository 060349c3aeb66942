//! What is shown on a terminal while something is waited for, and that it is shown nowhere else.

use mooring_testkit::scripted_server_path;

use crate::support::{CommandOutput, TestHome};

/// Runs a command on a terminal of its own, types each text of `argv[1]` once what belongs to it was seen, and shows all
/// that came.
const ON_A_TERMINAL: &str = r#"
import fcntl, json, os, pty, select, signal, struct, sys, termios
steps, command = [[a.encode(), b.encode()] for a, b in json.loads(sys.argv[1])], sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    os.execv(command[0], command)
seen, at = b"", 0
while True:
    # What shows nothing for so long waits for something else.
    if not select.select([terminal], [], [], 30)[0]:
        sys.stderr.write(f"stuck before {steps[:1]}")
        os.kill(pid, signal.SIGKILL)
    try:
        more = os.read(terminal, 65536)
    except OSError:
        break
    if not more:
        break
    seen += more
    while steps and steps[0][0] in seen[at:]:
        until, typed = steps.pop(0)
        at = seen.index(until, at) + len(until)
        os.write(terminal, typed)
sys.stdout.buffer.write(seen)
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"#;

/// Runs `mooring` on a terminal; each step is what is waited for, and what is typed then.
pub(crate) fn type_on_a_terminal(place: &TestHome, steps: &[(&str, &str)], words: &[&str]) -> CommandOutput {
    #[expect(clippy::disallowed_methods, reason = "the terminal of the command under test")]
    let mut python = std::process::Command::new("python3");
    let steps = serde_json::to_string(steps).unwrap();
    python.args(["-c", ON_A_TERMINAL, &steps, env!("CARGO_BIN_EXE_mooring")]).args(words);
    python.env("MOORING_HOME", place.home()).current_dir(place.folder());
    python.env("TERM", "xterm-256color").env_remove("NO_COLOR").env_remove("RUST_LOG");
    python.output().unwrap().into()
}

fn on_a_terminal(until: &str, words: &[&str]) -> CommandOutput {
    with_a_server("ok", until, words)
}

/// Against the scripted server in a mode.
fn with_a_server(mode: &str, until: &str, words: &[&str]) -> CommandOutput {
    let server = scripted_server_path().display().to_string();
    let steps = if until.is_empty() { Vec::new() } else { vec![(until, "\x03")] };
    type_on_a_terminal(&TestHome::new(), &steps, &[words, &["--", &server, mode]].concat())
}

/// What is left on the screen: each line as its last rewriting left it, without colours.
pub(crate) fn screen(out: &str) -> Vec<String> {
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
