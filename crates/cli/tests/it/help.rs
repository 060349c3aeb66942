//! Help topics, completions, and the search over all servers.

use std::process::{Command, Stdio};

use crate::support::{CommandOutput, TestHome};
use crate::typed::place_with_demo;

#[test]
fn commands_and_topics_are_explained() {
    let place = TestHome::new();
    for (line, says) in [
        (&["help"][..], "mooring help arguments"),
        (&["help", "arguments"], "name=@FILE"),
        (&["help", "call"], "--send-anyway"),
        (&["help", "ls"], "List the saved servers"),
        (&["help", "apps", "set"], "--tool-list"),
        (&["call", "--help"], "Usage: mooring call"),
    ] {
        let told = place.run(line).ok();
        assert!(told.out.contains(says), "{line:?}: {told:?}");
    }
    let unknown = place.run(&["help", "argument"]);
    assert!(unknown.exit == 2 && unknown.err.contains("mooring help arguments"), "{unknown:?}");
}

/// The completions that bash gets for a line.
fn proposed(place: &TestHome, line: &str) -> Vec<String> {
    // Bash splits words at `=`.
    let words: Vec<String> = line.replace('=', " = ").split(' ').map(|word| format!("'{word}'")).collect();
    let (count, current) = (words.len() - 1, line.rsplit([' ', '=']).next().unwrap());
    let mooring = place.command(&[]);
    let folder = std::path::Path::new(mooring.get_program()).parent().unwrap().display().to_string();
    let script = format!(
        "PATH='{folder}':$PATH; source <(mooring completions bash)\n\
         COMP_WORDS=({words}); COMP_CWORD={count}\n\
         _clap_complete_mooring mooring '{current}' x\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"",
        words = words.join(" "),
    );
    #[expect(clippy::disallowed_methods, reason = "the shell asks the command under test")]
    let mut bash = Command::new("bash");
    bash.args(["-c", &script]).env("MOORING_HOME", place.home()).stdin(Stdio::null());
    let ran: CommandOutput = bash.output().unwrap().into();
    assert_eq!(ran.err, "", "{line}");
    ran.out.lines().map(str::to_owned).collect()
}

#[test]
fn a_shell_completes_servers_tools_arguments_and_apps() {
    let place = place_with_demo();
    place.run(&["tools", "demo"]).ok();
    place.run(&["prompts", "demo"]).ok();
    for (line, proposes) in [
        ("mooring too", &["tools"][..]),
        ("mooring tools de", &["demo"]),
        ("mooring call demo ech", &["echo"]),
        ("mooring call --json demo --timeout 3 ech", &["echo"]),
        ("mooring call demo echo te", &["text="]),
        ("mooring call demo book_berth kin", &["kind="]),
        ("mooring call demo book_berth kind=ca", &["cargo"]),
        ("mooring prompt demo passage_plan fr", &["from="]),
        ("mooring rm d", &["demo"]),
        ("mooring connect claude-c", &["claude-code"]),
        ("mooring call demo nothing-li", &[]),
        ("mooring add d", &[]),
    ] {
        let found = proposed(&place, line);
        assert_eq!(found.iter().filter(|word| !word.is_empty()).collect::<Vec<_>>(), proposes, "{line}");
    }
}

#[test]
fn pressing_tab_makes_no_data_folder() {
    let place = TestHome::new();
    assert_eq!(proposed(&place, "mooring tools x"), [""]);
    assert!(!place.home().exists());
}

#[test]
fn a_search_finds_what_servers_listed_last() {
    let place = place_with_demo();
    let before = place.run(&["search", "berth"]).ok();
    assert!(before.out.contains("Nothing found") && before.err.contains("mooring tools demo"), "{before:?}");
    for list in ["tools", "prompts", "resources", "templates"] {
        place.run(&[list, "demo"]).ok();
    }
    let found = place.run(&["search", "BERTH", "book"]).ok();
    assert!(found.out.starts_with("demo  tool") && found.out.contains("book_berth"), "{found:?}");
    assert!(found.err.contains("mooring tools demo book_berth"), "{found:?}");
    let all = place.run(&["search", "harbour", "--json"]).ok().json();
    let kinds: std::collections::BTreeSet<&str> =
        all["result"].as_array().unwrap().iter().map(|item| item["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), ["prompt", "resource", "template", "tool"]);
    assert!(place.run(&["search", "nothing-like-it"]).ok().out.contains("Nothing found"));
}
