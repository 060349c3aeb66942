//! `mooring vault`, and values that are sealed: without a keychain, under a passphrase.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use mooring_testkit::scripted_server_path;
use serde_json::{Value, json};

use crate::support::{CommandOutput, TestHome};

const WORDS: &str = "correct horse battery";
const CANARY: &str = "canary-4f6c/90+b";

/// Types an answer behind each prompt, on a terminal of its own, and shows all that came to it.
const TYPE: &str = r#"
import os, pty, signal, sys
# Whoever waits for ever is not waited for.
signal.alarm(120)
count = int(sys.argv[1])
pairs, command = sys.argv[2:2 + 2 * count], sys.argv[2 + 2 * count:]
pid, terminal = pty.fork()
if pid == 0:
    os.execv(command[0], command)
seen, done = b"", 0
while True:
    try:
        more = os.read(terminal, 65536)
    except OSError:
        break
    if not more:
        break
    seen += more
    if pairs and pairs[0].encode() in seen[done:]:
        done = len(seen)
        os.write(terminal, pairs[1].encode() + (b"" if pairs[1] == "\x03" else b"\r"))
        pairs = pairs[2:]
sys.stdout.buffer.write(seen)
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"#;

/// A home where no keychain can be reached, and files with secrets in it.
struct NoKeychain(TestHome);

impl NoKeychain {
    fn new() -> Self {
        Self(TestHome::new())
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.folder().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    fn configure(&self, command: &mut Command) {
        command.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere").env("XDG_RUNTIME_DIR", self.0.folder());
    }

    fn run(&self, words: &[&str]) -> CommandOutput {
        let mut command = self.0.command(words);
        self.configure(&mut command);
        command.output().unwrap().into()
    }

    /// With the passphrase in the file that the environment names.
    fn run_with(&self, passphrase: &str, words: &[&str]) -> CommandOutput {
        let mut command = self.0.command(words);
        self.configure(&mut command);
        command.env("MOORING_PASSPHRASE_FILE", passphrase).output().unwrap().into()
    }

    /// At a terminal, at which somebody answers what is asked.
    fn typed(&self, answers: &[(&str, &str)], words: &[&str]) -> CommandOutput {
        #[expect(clippy::disallowed_methods, reason = "the terminal of the command under test")]
        let mut python = Command::new("python3");
        python.args(["-c", TYPE, &answers.len().to_string()]);
        python.args(answers.iter().flat_map(|(prompt, answer)| [prompt, answer]));
        python.arg(env!("CARGO_BIN_EXE_mooring")).args(words).stdin(Stdio::null());
        python.env("MOORING_HOME", self.0.home()).current_dir(self.0.folder()).env_remove("RUST_LOG");
        self.configure(&mut python);
        python.output().unwrap().into()
    }

    /// With a vault under [`WORDS`]; the path of the file that holds them.
    fn with_vault() -> (Self, String) {
        let bare = Self::new();
        let file = bare.file("words", &format!("{WORDS}\n")).display().to_string();
        let made =
            bare.run(&["vault", "rekey", "--to", "passphrase", "--passphrase-file", &file, "--json"]).ok();
        assert_eq!(
            made.json()["result"],
            json!({
                "state": "open", "mode": "passphrase", "reason": null, "message": null, "next": null, "sealed": 0,
            })
        );
        (bare, file)
    }
}

fn variable(ran: CommandOutput, name: &str) -> Value {
    let result = ran.ok().json()["result"].clone();
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    text["environment"][name].clone()
}

// Requirements: STD-16, AUTH-42.
#[test]
fn values_from_files_and_stdin_are_readable_with_the_passphrase() {
    let (bare, words) = NoKeychain::with_vault();
    let server = scripted_server_path().display().to_string();
    let file = format!("FIRST=@{}", bare.file("value", CANARY).display());
    let add = ["add", "s", "--secret-env", &file, "--env", "PLAIN_KEY=x", "--", &server, "ok"];
    let added = bare.run_with(&words, &add).ok();
    assert!(added.out.contains("Added s") && added.err.contains("PLAIN_KEY"), "{added:?}");
    let mut command = bare.0.command(&["add", "t", "--secret-env", "SECOND=-", "--", &server, "ok"]);
    bare.configure(&mut command);
    let mut child = command
        .env("MOORING_PASSPHRASE_FILE", &words)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"typed in\n").unwrap();
    assert!(child.wait().unwrap().success());

    let listed = bare.run(&["list"]).ok();
    assert!(listed.out.contains("sealed: FIRST") && !listed.out.contains("canary"), "{listed:?}");
    // Who enters the passphrase has nothing locked.
    assert_eq!(listed.out.matches("locked").count(), 2, "{listed:?}");
    assert!(!bare.run_with(&words, &["list"]).ok().out.contains("locked"));
    assert_eq!(bare.run(&["list", "--json"]).ok().json()["result"][1]["locked"], json!(true));
    let secrets = bare.run(&["list", "--json"]).ok().json()["result"][0]["secrets"].clone();
    assert_eq!(secrets, json!([{ "place": "env", "name": "FIRST", "entered": true }]));
    let call = |name| ["call", "surroundings", "--json", "--server", name];
    assert_eq!(variable(bare.run_with(&words, &call("s")), "FIRST"), CANARY);
    assert_eq!(variable(bare.run_with(&words, &call("t")), "SECOND"), "typed in");

    // Without the passphrase, or with another: at once, and with the reason.
    let locked = bare.run(&call("s"));
    assert_eq!(locked.error(), (3, "vault_locked".to_owned()));
    assert!(locked.json()["error"]["next"].as_str().unwrap().contains("mooring vault unlock"), "{locked:?}");
    let wrong = bare.file("wrong", "another passphrase").display().to_string();
    let locked = bare.run_with(&wrong, &call("s"));
    assert_eq!(locked.error(), (3, "vault_locked".to_owned()));
    assert!(locked.json()["error"]["message"].as_str().unwrap().contains("wrong passphrase"), "{locked:?}");
    let status = bare.run(&["vault", "--json"]).ok().json()["result"].clone();
    assert_eq!((&status["state"], &status["sealed"]), (&json!("closed"), &json!(2)));
    let unlock = bare.run(&["vault", "unlock", "--json"]);
    assert_eq!((unlock.exit, unlock.json()["result"]["reason"].clone()), (7, json!("passphrase")));
    assert_eq!(unlock.error(), (7, "vault_locked".to_owned()));
    assert!(unlock.json()["error"]["next"].is_string(), "{unlock:?}");
    let unlock = bare.run(&["vault", "unlock"]);
    assert!(unlock.exit == 7 && unlock.out.starts_with("The vault is locked: "), "{unlock:?}");
    let unlock = bare.run(&["vault", "unlock", "--passphrase-file", &wrong, "--json"]);
    assert_eq!(unlock.error(), (2, "wrong_passphrase".to_owned()));
    bare.run(&["vault", "unlock", "--passphrase-file", &words]).ok();
}

#[test]
fn a_secret_on_the_command_line_is_refused_and_not_repeated() {
    let bare = NoKeychain::new();
    let ran = bare.run(&["add", "s", "--secret-env", &format!("API_KEY={CANARY}"), "--", "true"]);
    assert_eq!(ran.exit, 2);
    assert!(!ran.err.contains("canary") && ran.err.contains("API_KEY=@FILE"), "{ran:?}");
    let ran = bare.run(&["add", "s", "--secret-env", "API_KEY", "--", "true"]);
    assert!(ran.exit == 2 && ran.err.contains("no terminal"), "{ran:?}");
    assert_eq!(bare.run(&["list", "--json"]).ok().json()["result"], json!([]));
}

#[test]
fn what_is_typed_at_a_terminal_is_not_shown() {
    let (bare, words) = NoKeychain::with_vault();
    let server = scripted_server_path().display().to_string();
    // A mistake is taken back with the backspace key.
    let answers = [("Value of API_KEY: ", "canary-typx\u{7f}ed"), ("Vault passphrase: ", WORDS)];
    let ran = bare.typed(&answers, &["add", "s", "--secret-env", "API_KEY", "--", &server, "ok"]).ok();
    assert!(
        ran.out.contains("Added") && !ran.out.contains("canary") && !ran.out.contains("horse"),
        "{ran:?}"
    );
    let call = ["call", "surroundings", "--json", "--server", "s"];
    assert_eq!(variable(bare.run_with(&words, &call), "API_KEY"), "canary-typed");

    let again = [("Vault passphrase: ", "wrong"), ("wrong passphrase. Passphrase: ", WORDS)];
    let ran = bare.typed(&again, &["call", "echo", r#"{"text":"let in"}"#, "--server", "s"]).ok();
    assert!(ran.out.contains("let in") && !ran.out.contains("horse"), "{ran:?}");
    // The terminal shows what is typed again, also where somebody gave up.
    let ran = bare.typed(&[("Vault passphrase: ", "\u{3}")], &["vault", "unlock"]);
    assert_eq!(ran.exit, 130, "{ran:?}");
}

#[test]
fn ctrl_c_at_the_passphrase_prompt_ends_the_command() {
    let (bare, _words) = NoKeychain::with_vault();
    let file = format!("FIRST=@{}", bare.file("value", CANARY).display());
    let add = ["add", "s", "--secret-env", &file, "--", "true"];
    let ran = bare.typed(&[("Vault passphrase: ", "\u{3}")], &add);
    assert_eq!(ran.exit, 130, "{ran:?}");
    assert_eq!(bare.run(&["list", "--json"]).ok().json()["result"], json!([]));
}

#[test]
fn vault_changes_passphrase_and_resets_only_on_request() {
    let (bare, words) = NoKeychain::with_vault();
    let server = scripted_server_path().display().to_string();
    let file = format!("FIRST=@{}", bare.file("value", CANARY).display());
    bare.run_with(&words, &["add", "s", "--secret-env", &file, "--", &server, "ok"]).ok();
    let next = bare.file("next", "a staple of another kind").display().to_string();
    let rekey = ["vault", "rekey", "--to", "passphrase", "--passphrase-file", &next, "--json"];
    assert_eq!(bare.run(&rekey).error(), (7, "vault_locked".to_owned()));
    assert_eq!(bare.run_with(&words, &rekey).ok().json()["result"]["sealed"], 1);
    let call = ["call", "surroundings", "--json", "--server", "s"];
    assert_eq!(bare.run_with(&words, &call).error().1, "vault_locked");
    assert_eq!(variable(bare.run_with(&next, &call), "FIRST"), CANARY);
    let short = bare.file("short", "short").display().to_string();
    let rekey = ["vault", "rekey", "--to", "passphrase", "--passphrase-file", &short, "--json"];
    assert_eq!(bare.run_with(&next, &rekey).error(), (2, "unfit_passphrase".to_owned()));
    let to_keychain = bare.run_with(&next, &["vault", "rekey", "--to", "keychain", "--json"]);
    assert_eq!(to_keychain.error(), (7, "vault_unavailable".to_owned()));

    let refused = bare.run(&["vault", "start-over"]);
    assert!(refused.exit == 2 && refused.err.contains("1 secret is encrypted"), "{refused:?}");
    assert_eq!(variable(bare.run_with(&next, &call), "FIRST"), CANARY);
    let over = bare.run(&["vault", "start-over", "--yes", "--json"]).ok().json()["result"].clone();
    assert_eq!((&over["mode"], &over["sealed"]), (&Value::Null, &json!(0)));
    let missing = bare.run(&call);
    assert_eq!(missing.error(), (3, "secret_missing".to_owned()));
    assert!(bare.run(&["list"]).ok().out.contains("FIRST (to be entered)"));
}

#[test]
fn no_memory_image_of_a_crash_is_written() {
    let place = TestHome::new();
    let server = scripted_server_path().display().to_string();
    let script = format!("echo \"core limit $(ulimit -c)\" >&2; exec {server} ok");
    place.run(&["tools", "--", "sh", "-c", &script]).ok();
    let logged = place.run(&["logs", "--text", "core limit", "--json"]).ok();
    assert!(logged.out.contains("core limit 0"), "{logged:?}");
}
