//! A shell of lines about one server, the changes of a resource, and questions for what is missing.

use mooring_testkit::{offers, scripted_server_path};

use crate::serve::spawn;
use crate::support::{CommandOutput, TestHome};
use crate::terminal::{screen, type_on_a_terminal};
use crate::typed::place_with_demo;

/// A home with a saved server that offers all there is.
fn place_with_harbour() -> TestHome {
    let place = TestHome::new();
    std::fs::write(place.folder().join("script.json"), serde_json::to_string(&offers::script()).unwrap())
        .unwrap();
    let (server, script) = (scripted_server_path(), place.folder().join("script.json"));
    let words = ["add", "harbour", "--", server.to_str().unwrap(), "script", script.to_str().unwrap()];
    place.run(&words).ok();
    place
}

fn lines(place: &TestHome, words: &[&str], lines: &str) -> CommandOutput {
    place.run_with_input(&[&["shell"], words].concat(), lines)
}

/// A call that has the server say that a resource changed.
fn change(uri: &str) -> String {
    format!(r#"notify --send-anyway method=notifications/resources/updated params:='{{"uri":"{uri}"}}'"#)
}

#[test]
fn a_shell_is_about_one_server_over_one_connection() {
    let place = place_with_demo();
    let painted = lines(
        &place,
        &["demo"],
        "call repaint_buoy\nlook_at_buoy\necho text='a b'\n\n# nothing\nadd a=1 b=2\n",
    );
    let before = place.run(&["call", "demo", "look_at_buoy"]).ok().out;
    let said: Vec<&str> = painted.out.lines().collect();
    assert_eq!((painted.exit, said[said.len() - 2..].to_vec()), (0, vec!["a b", "3"]), "{painted:?}");
    assert!(!painted.out.contains(before.trim()), "what the server knows stays: {painted:?}");

    // The last line says how it went, and what fails ends nothing.
    let failed = lines(&place, &["demo"], "ech text=a\necho text=b\ncall add a=1\n\n# end\n");
    assert_eq!((failed.exit, &*failed.out), (2, "b\n"), "{failed:?}");
    assert!(failed.err.contains("Did you mean echo?") && failed.err.contains("b is missing"), "{failed:?}");
    let json = lines(&place, &["demo", "--json"], "echo text=a\nshell\nexit\necho text=b\n");
    let oks: Vec<bool> = json.out.lines().map(|line| line.contains(r#"{"ok":true"#)).collect();
    assert_eq!((json.exit, oks), (2, vec![true, false]), "{json:?}");
}

#[test]
fn lines_of_the_command_line_work_in_a_shell_too() {
    let place = place_with_demo();
    for (typed, says) in [
        ("mooring call demo echo text=a", "a\n"),
        ("call demo.echo text=a --server demo", ""),
        ("tools demo echo", "Takes"),
        ("tools demo", "echo"),
        ("echo text=a --json", r#""text":"a""#),
        ("read harbour://guide", "harbour"),
        ("read 'harbour://berths/{city}' city=rotterdam", "Rotterdam"),
        ("probe", "Ready"),
        ("echo text=a --timeout 9", "a\n"),
        ("echo text=a --era session", "a\n"),
        ("ls", "demo"),
        ("help calls", "mooring call"),
        ("help", "Tab completes"),
        ("use demo", ""),
    ] {
        let ran = lines(&place, &["demo"], typed);
        let is_wrong = typed.contains("demo.echo");
        assert!(ran.exit == if is_wrong { 2 } else { 0 } && ran.out.contains(says), "{typed}: {ran:?}");
    }
    for (typed, leads) in [
        ("use nobody", "use demo"),
        ("use", "use demo"),
        ("echo text='a", "'two words'"),
        ("read 'x://r?a=b'", "mooring resources demo"),
        ("subscribe", "mooring resources demo"),
        ("subscribe harbour://guide", ""),
        ("unsubscribe harbour://guide", ""),
        ("serve", "exit"),
        ("use demo more", "use --help"),
        ("nothing-like-it", "mooring help"),
    ] {
        let ran = lines(&place, &["demo"], typed);
        assert!(ran.exit != 0 && ran.out.is_empty() && ran.err.contains(leads), "{typed}: {ran:?}");
    }
    // Without a server lines name theirs.
    assert_eq!(lines(&place, &[], "call demo echo text=a\nuse demo\necho text=b\n").ok().out, "a\nb\n");
    let nobody = lines(&place, &["nobody"], "ls\n");
    assert_eq!((nobody.exit, &*nobody.out), (2, ""), "{nobody:?}");
}

#[test]
fn a_lost_server_is_connected_again_by_the_next_line() {
    let place = place_with_harbour();
    let ran = lines(&place, &["harbour"], "call crash --send-anyway\nread harbour://notice\n");
    assert_eq!((ran.exit, &*ran.out), (0, "fog\tahead"), "{ran:?}");
    // Its tools are known by name as before.
    let named = format!("call crash --send-anyway\n{}\n", change("harbour://notice"));
    let ran = lines(&place, &["harbour"], &named);
    assert_eq!(ran.exit, 0, "{ran:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_of_a_resource_are_shown_as_they_come() {
    let place = place_with_harbour();
    let notice = "harbour://notice";
    let typed = format!(
        "subscribe {notice}\n{}\n{}\nunsubscribe {notice}\n{}\n",
        change("harbour://notice/today"),
        change("harbour://elsewhere"),
        change(notice),
    );
    let alone = lines(&place, &["harbour"], &typed).ok();
    assert_eq!(alone.out.matches("changed: ").count(), 1, "{alone:?}");
    assert!(alone.out.contains("changed: harbour://notice/today"), "{alone:?}");

    // The same through the Mooring that runs.
    let mut service = spawn(&place, &["serve"]);
    let socket = place.home().join("gateway.sock");
    mooring_testkit::eventually("it serves", crate::serve::LIMIT, || {
        std::os::unix::net::UnixStream::connect(&socket).is_ok()
    })
    .await;
    let shared = lines(&place, &["harbour"], &typed).ok();
    assert_eq!(shared.out.matches("changed: ").count(), 1, "{shared:?}");
    let watching = {
        let mut command = place.command(&["subscribe", "harbour", notice, "--json"]);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
    };
    let place = &place;
    let told = tokio::task::block_in_place(|| {
        // Until it watches, changes go by.
        use std::io::{BufRead as _, BufReader};
        let mut watching = watching;
        let mut said = BufReader::new(watching.stderr.take().unwrap()).lines();
        while !said.next().unwrap().unwrap().contains("Watching") {}
        lines(place, &["harbour"], &change(notice)).ok();
        let mut out = BufReader::new(watching.stdout.take().unwrap()).lines();
        let told = out.next().unwrap().unwrap();
        watching.kill().unwrap();
        watching.wait().unwrap();
        told
    });
    crate::json::check("resource_change", &CommandOutput { exit: 0, out: told.clone(), err: String::new() })
        .await;
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!((&told["ok"], &told["result"]["uri"]), (&true.into(), &notice.into()), "{told}");
    mooring_gateway::take_over(&place.home()).await;
    service.wait().unwrap();
}

#[test]
fn tab_completes_and_ctrl_c_cancels_the_call_alone() {
    let place = place_with_demo();
    let steps = [
        ("demo> ", "ima\t"),
        ("image ", "hour=ni\t"),
        ("hour=night ", "\x03"),
        ("demo> ", "progress seconds=60\r"),
        ("% ", "\x03"),
        ("Cancelled.", "echo text=still-he\x7fre\r"),
        ("still-hre\r\n", ""),
        ("demo> ", "\x1b[A\r"),
        ("still-hre\r\n", ""),
        ("demo> ", "exit\r"),
    ];
    let ran = type_on_a_terminal(&place, &steps, &["shell", "demo"]).ok();
    let left = screen(&ran.out);
    assert_eq!(left.iter().filter(|line| *line == "still-hre").count(), 2, "{left:?}");
    // The server was notified.
    let logged =
        |method: &str| place.run(&["logs", "--method", method, "--json"]).ok().json()["result"].clone();
    let calls = logged("tools/call");
    let call = calls.as_array().unwrap().iter().find_map(|row| row["rpc_id"].as_str()).unwrap();
    let cancelled = logged("notifications/cancelled").to_string();
    assert!(cancelled.contains(&format!(r#"\"requestId\":{call},"#)), "{call}: {cancelled}");
    // Who types again finds what was typed, but for lines with a space in front.
    let steps = [
        ("demo> ", " echo text=hidden\r"),
        ("hidden\r\n", ""),
        ("demo> ", "\x1b[A\x1b[A\r"),
        ("still-hre\r\n", ""),
        ("demo> ", "\x04"),
    ];
    type_on_a_terminal(&place, &steps, &["shell", "demo"]).ok();
    let kept = std::fs::read_to_string(place.home().join("shell-history")).unwrap();
    assert!(kept.contains("echo text=still-hre") && !kept.contains("hidden"), "{kept}");
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &std::fs::metadata(place.home().join("shell-history")).unwrap().permissions(),
    );
    assert_eq!(mode & 0o077, 0, "{mode:o}");
}

#[test]
fn a_change_is_shown_above_the_line_that_is_typed() {
    let place = place_with_harbour();
    let notice = "harbour://notice";
    let again = change(notice) + "\r";
    let steps = [
        ("harbour> ", "subscribe harbour://notice\r"),
        ("To end it: ", ""),
        ("harbour> ", &again),
        ("changed: harbour://notice", ""),
        ("harbour> ", "unsubscribe \t\r"),
        ("No longer watched: harbour://notice", ""),
        ("harbour> ", "exit\r"),
    ];
    type_on_a_terminal(&place, &steps, &["shell", "harbour"]).ok();
}

#[test]
fn what_is_missing_is_asked_for() {
    let place = place_with_demo();
    let steps = [
        ("a (number): ", "two\r"),
        ("must be a number", ""),
        ("a (number): ", "2\r"),
        ("b (number): ", "\r"),
        ("b is needed", "40\r"),
    ];
    let ran = type_on_a_terminal(&place, &steps, &["call", "demo", "add", "--ask"]).ok();
    assert_eq!(screen(&ran.out).last().unwrap(), "42", "{ran:?}");
    // What isn't needed can be added, with its values completed.
    let steps = [
        ("Also taken: ", ""),
        ("> ", "hou\t"),
        ("hour=", "no\r"),
        ("must be one of", "hour=ni\t"),
        ("night", "\r"),
        ("Also taken: width", ""),
        ("> ", "\r"),
    ];
    let ran = type_on_a_terminal(&place, &steps, &["call", "demo", "image", "--ask", "--json"]).ok();
    assert!(ran.out.contains(r#""type":"image""#), "{ran:?}");
    // The values that the server itself proposes.
    let place = place_with_harbour();
    let steps = [("to: ", "\t"), ("青岛", ""), ("Qinhuangdao", "青\r")];
    let ran = type_on_a_terminal(&place, &steps, &["prompt", "harbour", "plan", "--ask"]).ok();
    assert!(ran.out.contains("Plan a passage"), "{ran:?}");
    let template = "harbour://{city}/berths{?from,to}";
    let steps = [("city: ", "\t"), ("Qinhuangdao", "a\r"), ("from: ", "b\r"), ("to: ", "c\r")];
    type_on_a_terminal(&place, &steps, &["read", "harbour", template, "--ask"]).ok();
    let asked =
        place.run(&["logs", "--method", "resources/read", "--text", "harbour://a/berths?from=b&to=c"]).ok();
    assert!(!asked.out.is_empty(), "{asked:?}");
    // An empty text is one too.
    let steps = [("text (text): ", "\r"), ("is needed", "\"\"\r")];
    let ran =
        type_on_a_terminal(&place_with_demo(), &steps, &["call", "demo", "echo", "--ask", "--json"]).ok();
    assert!(ran.out.contains(r#""text":"""#), "{ran:?}");
    // Ctrl-C ends it, and without a terminal it reports that it needs one.
    let left = type_on_a_terminal(&place, &[("to: ", "\x03")], &["prompt", "harbour", "plan", "--ask"]);
    assert_eq!(left.exit, 130, "{left:?}");
    let nobody = place.run(&["prompt", "harbour", "plan", "--ask"]);
    assert!(nobody.exit == 2 && nobody.err.contains("needs a terminal"), "{nobody:?}");
}

#[test]
fn what_a_server_proposes_does_nothing_to_the_terminal() {
    let place = TestHome::new();
    let mut script = offers::script();
    let values = ["\u{1b}]0;taken\u{7}", "q\u{202e}", &"q".repeat(5_000), "quiet"];
    let completion = serde_json::json!({ "completion": { "values": values } });
    script.insert("completion/complete".to_owned(), serde_json::json!([offers::response_line(&completion)]));
    std::fs::write(place.folder().join("script.json"), serde_json::to_string(&script).unwrap()).unwrap();
    let (server, file) = (scripted_server_path(), place.folder().join("script.json"));
    place.run(&["add", "harbour", "--", server.to_str().unwrap(), "script", file.to_str().unwrap()]).ok();
    let steps = [("to: ", "\t"), ("quiet", "\r")];
    let ran = type_on_a_terminal(&place, &steps, &["prompt", "harbour", "plan", "--ask"]).ok();
    assert!(!ran.out.contains("taken") && !ran.out.contains('\u{202e}') && ran.out.len() < 5_000, "{ran:?}");
    let steps = [("harbour> ", "prompt plan to=\t"), ("to=quiet", "\r"), ("harbour> ", "exit\r")];
    let ran = type_on_a_terminal(&place, &steps, &["shell", "harbour"]).ok();
    assert!(!ran.out.contains("taken"), "{ran:?}");
}

#[test]
fn a_picture_is_shown_where_the_terminal_says_that_it_can() {
    let place = place_with_demo();
    let words = ["call", "demo", "image", "width=64"];
    let shown = type_on_a_terminal(&place, &[("\x1b[c", "\x1b[?62;4;22c")], &words).ok();
    assert!(shown.out.contains("\x1bP") && shown.out.contains("\x1b\\"), "{shown:?}");
    for answer in ["\x1b[?62;22c", ""] {
        let named = type_on_a_terminal(&place, &[("\x1b[c", answer)], &words).ok();
        assert!(!named.out.contains("\x1bP") && named.out.contains("[image: image/png"), "{named:?}");
    }
    // Without a terminal it asks nothing.
    let piped = place.run(&words).ok();
    assert!(!piped.out.contains('\x1b'), "{piped:?}");
}

#[test]
fn a_template_is_filled_in_where_its_variables_are_named() {
    let place = place_with_demo();
    let template = "harbour://berths/{city}";
    let ran = place.run(&["read", "demo", template, "city=rotterdam"]).ok();
    assert!(ran.out.contains("Rotterdam"), "{ran:?}");
    for (words, message, next) in [
        (&[template][..], "city is missing", "city=…"),
        (&[template, "citty=a"], "takes no citty", "Did you mean city?"),
        (&["harbour://guide", "city=a"], "takes no city", "mooring templates demo"),
        (&[template, "rotterdam"], "not an argument", "name=value"),
    ] {
        let ran = place.run(&[&["read", "demo"], words].concat());
        assert!(ran.exit == 2 && ran.err.contains(message) && ran.err.contains(next), "{words:?}: {ran:?}");
    }
}
